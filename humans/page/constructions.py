"""Constructions in words, with an example, and what the treebank gave of them."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from colorless_green.data.languages import direction
from colorless_green.data.tables import Row
from colorless_green.humans.page.material import Material
from colorless_green.humans.page.tables import (
    NONE,
    Cell,
    Table,
    code,
    count,
    counted,
    limits,
    number,
    p_cell,
    percent,
    short,
    table,
    text,
    whole,
)
from colorless_green.miner.patterns.pattern import built_in
from colorless_green.nonce.ambiguity import FINDINGS
from colorless_green.nonce.item import Item

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
    found = NAME.fullmatch(name)
    if not found:
        return ""
    side, words, target, _, path, _ = found.groups()
    known = [POS.get(each, each.lower()) for each in CONTEXT.split(words)]
    first, last = known[0], POS.get(target, target.lower()) if target else known[-1]
    between = known[1:] if target else known[1:-1]
    said = f"{first} … {last}"
    if between:
        said += f", across {', '.join(between)}"
    pattern = built_in().get(path or "")
    if pattern is not None:
        said += f": {pattern.about}"
    elif path:
        relation = RELATIONS.get(path.partition(":")[0], path)
        said += f"; the {'first' if side == 'L' else 'second'} is {relation} of the other"
    elif side != "X":
        said += f"; the {'first' if side == 'L' else 'second'} depends on the other"
    agreement = example.agreement if example is not None else None
    if example is not None and agreement is not None and direction(example.language) == "ltr":
        said += f" (“{agreement.cue} … {agreement.right}”, not “{agreement.wrong}”)"
    return said


def treebank_tables(material: Material) -> Iterator[Table]:
    """Constructions (accepted ones first), and reasons why matches gave no original."""
    rows = material.constructions
    accepted = [row for row in rows if text(row, "verdict") == ACCEPTED]
    others = [row for row in rows if text(row, "verdict") != ACCEPTED]
    others.sort(key=lambda row: (-whole(row, "n"), text(row, "construction")))
    note = (
        "Agreeing is the share of instances whose cue and target have the same value; by value"
        " counts them as cue-target."
    )
    if len(others) > MOST_REJECTED:
        note += (
            f" Of {count(len(others))} constructions that were not accepted, the {MOST_REJECTED}"
            " with most instances are listed."
        )
    yield from table(
        "constructions",
        "Constructions",
        [*accepted, *others[:MOST_REJECTED]],
        {
            "construction": lambda row: code(text(row, "construction")),
            "feature": lambda row: short(
                text(row, "feature"), text(row, "values").replace("|", ", ")
            ),
            "instances": lambda row: counted(number(row, "n")),
            "by value": lambda row: code(text(row, "n_by_value")),
            "agreeing, %": _agreeing,
            "q": lambda row: p_cell(number(row, "q")),
            "originals": lambda row: counted(number(row, "n_originals")),
            "verdict": lambda row: Cell(
                text(row, "verdict"), sort="yes" if text(row, "verdict") == ACCEPTED else "no"
            ),
            "reason": lambda row: Cell(text(row, "reason")),
        },
        note,
        drop_empty=True,
    )
    yield from table(
        "rejections",
        "Matches that gave no original",
        material.rejections,
        {"reason": lambda row: Cell(row[0]), "sentences": lambda row: counted(row[1])},
        "Nothing is left out without being counted here.",
    )


def _agreeing(row: Row) -> Cell:
    interval = limits(number(row, "low"), number(row, "high"))
    rate = number(row, "rate")
    value = None if rate is None else 100 * rate
    return Cell(percent(rate), "" if interval == NONE else interval, "number", value)


def flags_table(material: Material) -> Iterator[Table]:
    """What flags of items mean, and how many have them."""
    agreements = (item.agreement for item in material.items.values())
    flags = Counter(flag for each in agreements if each is not None for flag in each.flags)

    def meaning(flag: str) -> Cell:
        known = FINDINGS.get(flag)
        return Cell(known.meaning.replace("*", "") if known else f"flag “{flag}”", flag)

    yield from table(
        "flags",
        "Items that may be doubtful",
        sorted(flags.items()),
        {"flag": lambda row: meaning(row[0]), "items": lambda row: counted(row[1])},
    )
