"""Constructions in words, what the treebank gave of them, and example sentences with their parts
marked: cue, target with both forms, attractors, new words."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...data.items.item import Agreement, Item, sentence_text
from ...data.languages import direction
from ...miner.search.patterns.pattern import built_in
from ...nonce.variants.ambiguity import FINDINGS
from ..judgments.lookup import printed
from ..statistics.rater_accuracy import HUMANS
from ._parts import (
    Rater,
    Table,
    TableCell,
    count,
    count_cell,
    interval,
    plural,
    share,
    short,
    signed,
    table,
)
from ._report_data import ReportData

ACCEPTED = "accepted"
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
    """What a construction's name says, and the two words of an example; empty for a name that is
    none of ours."""
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
    """Constructions (accepted ones first), and reasons why matches gave no original."""
    rows = material.constructions
    accepted = [row for row in rows if row["verdict"] == ACCEPTED]
    rejected = [row for row in rows if row["verdict"] != ACCEPTED]
    rejected.sort(key=lambda row: (-row["n"], row["construction"]))
    note = (
        "Agreeing is the share of instances whose cue and target have the same value; by value"
        " counts them as cue-target."
    )
    if len(rejected) > MOST_REJECTED:
        note += (
            f" Of {count(len(rejected))} constructions that were not accepted, the {MOST_REJECTED}"
            " with most instances are listed."
        )
    yield from table(
        "constructions",
        "Constructions",
        [*accepted, *rejected[:MOST_REJECTED]],
        {
            "construction": "construction code",
            "verdict": lambda row: TableCell(
                row["verdict"], sort="yes" if row["verdict"] == ACCEPTED else "no"
            ),
            "instances": "n count",
            "agreeing, %": lambda row: share(row["rate"], interval(row["low"], row["high"])),
            "q": "q p",
            "originals": "n_originals count",
            "reason": "reason",
            "feature": lambda row: short(row["feature"], row["values"].replace("|", ", ")),
            "by value": "n_by_value code",
        },
        note,
        drop_empty=True,
    )
    yield from table(
        "rejections",
        "Matches that gave no original",
        material.rejections,
        {"reason": lambda row: TableCell(row[0]), "sentences": lambda row: count_cell(row[1])},
        "Every match that gave no original is counted here.",
    )


def flags_table(material: ReportData) -> Iterator[Table]:
    """What flags of items mean, and how many have them."""
    agreements = (item.agreement for item in material.items.values())
    flags = Counter(
        flag for agreement in agreements if agreement is not None for flag in agreement.flags
    )

    def meaning(flag: str) -> TableCell:
        finding = FINDINGS.get(flag)
        return TableCell(finding.meaning.replace("*", "") if finding else f"flag “{flag}”", flag)

    yield from table(
        "flags",
        "Items that may be doubtful",
        sorted(flags.items()),
        {"flag": lambda row: meaning(row[0]), "items": lambda row: count_cell(row[1])},
    )


_Verdict = tuple[str, str, bool | None]
"""Rater, what it did, whether that is right (None: a tie)"""


@dataclass(frozen=True, slots=True)
class SentencePiece:
    """A stretch of a sentence, with the blank before it."""

    before: str
    text: str
    role: str = ""  # "cue", "attractor", "target" or ""
    wrong: str = ""  # the rival of a target
    new: bool = False  # not the original's word


def groups(material: ReportData, raters: Sequence[Rater]) -> Iterator[Mapping[str, Any]]:
    """Every original that is shown and its variants, under their construction."""
    for original, variants in material.examples:
        agreement, name = original.agreement, original.construction
        labelled = [("original", original)]
        labelled += [(f"nonce variant {n}", item) for n, item in enumerate(variants, start=1)]
        description = ""
        if agreement is not None:
            distance = plural(agreement.gap, "word")
            description = f"{agreement.feature}={agreement.value}, {distance} between"
        yield {
            "construction": name,
            "words": in_words(name),
            "about": description,
            "sentences": [
                line
                for label, item in labelled
                for line in _sentences(label, item, agreement, _verdicts(item, material, raters))
            ],
        }


def _sentences(
    name: str, item: Item, original: Agreement | None, verdicts: Sequence[_Verdict]
) -> Iterator[Mapping[str, Any]]:
    """The item's sentence with marks; an item without agreement shows each of its conditions."""
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
    """The right sentence in pieces. Words are new where they are not those of `original` at the
    same index (if it has as many), or where the item says that it changed them."""
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


def _verdicts(item: Item, material: ReportData, raters: Sequence[Rater]) -> list[_Verdict]:
    result: list[_Verdict] = []
    tally = next((tally for tally in material.tallies if tally.item == item.item_id), None)
    for rater in raters:
        if rater.name == HUMANS and tally is not None and tally.total:
            holds = None if 2 * tally.right == tally.total else 2 * tally.right > tally.total
            result.append((rater.label, f"{tally.right} of {tally.total} right", holds))
        credit, margin = material.outcomes.get(rater.name, {}).get(item.item_id, (None, None))
        if credit is not None and margin is not None:
            verdict = None if 0 < credit < 1 else credit == 1
            result.append((rater.label, f"{bits(margin)} bits", verdict))
    return result


def bits(margin: float) -> str:
    """A margin; of a small one so many decimals that it says who won."""
    return signed(margin, 1 if abs(margin) >= 0.1 else 3)
