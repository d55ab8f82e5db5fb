"""Constructions in words, what the treebank gave of them, and example sentences with their parts
marked: cue, target with both forms, attractors, new words."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...data.items.item import Agreement, Item, sentence_text
from ...data.languages import direction
from ...data.registry import counted
from ...miner.search.pattern import built_in
from ...nonce.variants.ambiguity import FINDINGS
from ..judgments.lookup import forms, printed
from ..statistics.rater_accuracy import HUMANS
from . import _page_table as form
from ._accuracies import between
from ._page_table import Column, Table, TableCell
from ._report_data import ACCEPTED, ReportData

MOST_REJECTED = 30  # constructions turned down that are listed; a treebank has thousands
NAME = re.compile(  # direction, words, the target apart from them, relation or path, feature
    r"([LRX])__([A-Z_]+?)(?:__([A-Z]+))?(\[[^]]*\])?(?:__([a-z:-]+))?(\[[^]]*\])?(?:@\w+)?"
)
CONTEXT = re.compile(r"(?<=[A-Z])_(?=[A-Z])")
POS: Mapping[str, str] = {
    "ADJ": "adjective", "ADP": "adposition", "ADV": "adverb", "AUX": "auxiliary",
    "CCONJ": "conjunction", "DET": "determiner", "INTJ": "interjection", "NOUN": "noun",
    "NUM": "numeral", "PART": "particle", "PRON": "pronoun", "PROPN": "name",
    "PUNCT": "punctuation", "SCONJ": "subordinator", "SYM": "symbol", "VERB": "verb",
    "X": "other word",
}  # fmt: skip
RELATIONS: Mapping[str, str] = {
    "nsubj": "subject", "csubj": "clausal subject", "obj": "object", "iobj": "indirect object",
    "obl": "oblique", "amod": "adjective", "nmod": "modifier", "det": "determiner",
    "aux": "auxiliary", "cop": "copula", "acl": "clause", "advcl": "adverbial clause",
    "conj": "conjunct", "appos": "apposition", "xcomp": "complement", "ccomp": "complement",
    "nummod": "numeral", "expl": "expletive", "parataxis": "parataxis",
    "dislocated": "dislocated word",
}  # fmt: skip


def in_words(name: str, example: Item | None = None) -> str:
    """Return a construction's name in words, with the two words of an example; empty for a name
    that is none of ours."""
    match = NAME.fullmatch(name)
    if not match:
        return ""
    side, words, target, _, path, _ = match.groups()
    parts = [POS.get(tag, tag.lower()) for tag in CONTEXT.split(words)]
    first_tag, last_tag = parts[0], POS.get(target, target.lower()) if target else parts[-1]
    middle = parts[1:] if target else parts[1:-1]
    phrase = f"{first_tag} … {last_tag}"
    if middle:
        phrase += f", across {', '.join(middle)}"
    pattern = built_in().get(path or "")
    if pattern is not None:
        phrase += f": {pattern.about}"
    elif path:
        relation = RELATIONS.get(path.partition(":")[0], path)
        phrase += f"; the {'first' if side == 'L' else 'second'} is {relation} of the other"
    elif side != "X":
        phrase += f"; the {'first' if side == 'L' else 'second'} depends on the other"
    agreement = example.agreement if example is not None else None
    if example is not None and agreement is not None and direction(example.language) == "ltr":
        phrase += f" (“{agreement.cue} … {agreement.right}”, not “{agreement.wrong}”)"
    return phrase


def treebank_tables(material: ReportData) -> Iterator[Table]:
    """Yield the constructions (accepted ones first), and reasons why matches gave no original."""
    rows = [dict(row) for row in material.constructions]
    accepted = [row for row in rows if row["verdict"] == ACCEPTED]
    rejected = [row for row in rows if row["verdict"] != ACCEPTED]
    rejected.sort(key=lambda row: (-int(str(row["n"])), row["construction"]))
    note = (
        "Agreeing is the share of instances whose cue and target have the same value; by value"
        " counts them as cue-target."
    )
    if len(rejected) > MOST_REJECTED:
        note += (
            f" Of {form.count(len(rejected))} constructions that were not accepted, the"
            f" {MOST_REJECTED} with most instances are listed."
        )
    yield Table(
        "constructions",
        "Constructions",
        [
            Column("construction", "construction words", form.code),
            Column("verdict", "verdict", _verdict),
            Column("instances", "n", form.count_cell),
            Column("agreeing, %", "rate low high", form.estimate),
            Column("q", "q", form.p_value),
            Column("originals", "n_originals", form.count_cell),
            Column("items here", "n_items", form.count_cell),
            Column("reason", "reason"),
            Column("feature", "feature values", form.short),
            Column("by value", "n_by_value", form.code),
        ],
        [
            {
                **row,
                "words": in_words(str(row["construction"])),
                "values": str(row["values"]).replace("|", ", "),
                "reason": row["reason"] or (row["lost"] if not row["n_items"] else ""),
            }
            for row in (*accepted, *rejected[:MOST_REJECTED])
        ],
        note,
    )
    reasons = Counter(reason for _, reason in material.rejections)
    yield Table(
        "rejections",
        "Matches that gave no original",
        [Column("reason", "reason"), Column("sentences", "n", form.count_cell)],
        [{"reason": reason, "n": n} for reason, n in reasons.most_common()],
        "Every match that gave no original is counted here.",
    )


def _verdict(verdict: str) -> TableCell:
    return TableCell(verdict, sort="yes" if verdict == ACCEPTED else "no")


def flags_table(material: ReportData) -> Table:
    """Return the meanings of the items' flags, and how many items have them."""
    agreements = (item.agreement for item in material.items.values())
    flags = Counter(flag for each in agreements if each is not None for flag in each.flags)
    rows = [
        {"flag": flag, "n": n,
         "meaning": FINDINGS[flag].meaning.replace("*", "") if flag in FINDINGS
         else f"flag “{flag}”"}
        for flag, n in sorted(flags.items())
    ]  # fmt: skip
    columns = [Column("flag", "meaning flag"), Column("items", "n", form.count_cell)]
    return Table("flags", "Items that may be doubtful", columns, rows)


_Verdict = tuple[str, str, str, bool | None]
"""Rater, the form that it chose, in which measure, whether that is right (None: a tie)"""


@dataclass(frozen=True, slots=True)
class SentencePiece:
    """A stretch of a sentence, with the blank before it."""

    before: str
    text: str
    role: str = ""  # "cue", "attractor", "target" or ""
    wrong: str = ""  # the rival of a target
    new: bool = False  # not the original's word


def groups(material: ReportData) -> Iterator[Mapping[str, Any]]:
    """Yield the examples: of each construction, or circuit, its sentences with what people and
    models chose."""
    for name, items in material.examples.items():
        head = items[0]
        yield {
            "construction": name,
            "words": in_words(name),
            "sentences": [
                line
                for item in items
                for line in _sentences(
                    _label(item),
                    item,
                    head.agreement if item.cluster_id == head.cluster_id else None,
                    _verdicts(item, material),
                )
            ],
        }


def _label(item: Item) -> str:
    """Return the name of an example: what is between the two words of a composed item, else its
    kind; and value and distance."""
    agreement = item.agreement
    if agreement is None:
        return ""
    name = f"nonce variant {agreement.variant}" if item.kind == "nonce" else item.kind
    name = between(item) or name
    distance = counted(agreement.gap, "word")
    return f"{name}, {agreement.feature}={agreement.value}, {distance} between"


def _sentences(
    name: str, item: Item, original: Agreement | None, verdicts: Sequence[_Verdict]
) -> Iterator[Mapping[str, Any]]:
    """Yield the item's sentence with marks; without agreement each of its conditions."""
    written = {"language": item.language, "direction": direction(item.language)}
    if item.agreement is not None:
        pieces = _pieces(item.agreement, original if item.kind == "nonce" else None)
        yield {"name": name, **written, "pieces": pieces, "verdicts": verdicts}
        return
    last_index = len(item.conditions) - 1
    for n, (condition, wordings) in enumerate(item.conditions.items()):
        piece = SentencePiece("", printed(sentence_text(wordings[0]).strip()))
        its_verdicts = verdicts if n == last_index else ()
        yield {"name": condition, **written, "pieces": [piece], "verdicts": its_verdicts}


def _pieces(agreement: Agreement, original: Agreement | None) -> tuple[SentencePiece, ...]:
    """Return the right sentence in pieces. Words are new where they are not those of `original` at
    the same index (if it has as many), or where the item says that it changed them."""
    tokens = agreement.tokens
    blanks = agreement.spaces or ("", *[" "] * (len(tokens) - 1))
    changed = set(agreement.substitutions)
    if original is not None and len(original.tokens) == len(tokens):
        changed = {i for i, word in enumerate(tokens) if word != original.tokens[i]}
    result = []
    for index, (blank, word) in enumerate(zip(blanks, tokens, strict=True)):
        role = "attractor" if index in agreement.attractors else ""
        role = "cue" if index == agreement.cue_index else role
        new = index in changed
        if index == agreement.target_index:
            result.append(SentencePiece(blank, agreement.right, "target", agreement.wrong, new))
        else:
            result.append(SentencePiece(blank, printed(word), role, new=new))
    return tuple(result)


def _verdicts(item: Item, material: ReportData) -> list[_Verdict]:
    result: list[_Verdict] = []
    both = forms(item) or ("right", "wrong")
    tally = next((tally for tally in material.tallies if tally.item == item.item_id), None)
    for rater in material.raters:
        if rater.name == HUMANS and tally is not None and tally.total:
            most = max(tally.right, tally.total - tally.right)
            is_tie = 2 * tally.right == tally.total
            is_right = None if is_tie else 2 * tally.right > tally.total
            chosen = " / ".join(both) if is_tie else both[not is_right]
            detail = f"{form.count(most)} of {form.count(tally.total)}"
            result.append((rater.label, chosen, detail, is_right))
        credit, margin = material.outcomes.get(rater.name, {}).get(item.item_id, (None, None))
        if credit is not None and margin is not None:
            is_right = None if 0 < credit < 1 else credit == 1
            chosen = " / ".join(both) if is_right is None else both[not is_right]
            result.append((rater.label, chosen, f"{bits(margin)} bits", is_right))
    return result


def bits(margin: float) -> str:
    """Return a margin; of a small one so many decimals that it says who won."""
    return form.signed(margin, 1 if abs(margin) >= 0.1 else 3)
