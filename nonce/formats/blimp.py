"""BLiMP's JSON lines: a pair of sentences a line, one file a paradigm (Warstadt et al. 2020).

An item gets the one-prefix fields where right and wrong form follow the same prefix, the two-prefix
fields where the same form follows two prefixes, and neither otherwise. `lexically_identical` of our
own items says what its name says, that the two have the same words; the published column does not.
Read are the published files (blanks before critical words go, `syntax/semantics` becomes
`syntax_semantics`) and any other set of the format, whose further keys are facts.
What the format cannot hold: the words of a sentence (they are cut anew), its tree, POS and FEATS,
further targets, several sentences in a condition, predictions other than its three methods.
"""

from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.data.tables import write_jsonl
from colorless_green.nonce.formats.columns import OWN, Entry, PairFormat, Record, format_of_pairs
from colorless_green.nonce.formats.pairs import ONE_PREFIX, TWO_PREFIX, Pair, Parts, cut
from colorless_green.nonce.formats.records import json_lines, text, to_facts
from colorless_green.nonce.item import item_id

TERMS = {  # BLiMP's own values of `linguistics_term`: a file with another is not BLiMP's
    "anaphor_agreement", "argument_structure", "binding", "control_raising",
    "determiner_noun_agreement", "ellipsis", "filler_gap_dependency", "irregular_forms",
    "island_effects", "npi_licensing", "quantifiers", "s-selection", "subject_verb_agreement",
}  # fmt: skip
METHODS = ("simple_LM_method", "one_prefix_method", "two_prefix_method")
SENTENCES = ("sentence_good", "sentence_bad")
BASE = {
    *SENTENCES, "field", "linguistics_term", "UID", *METHODS, "lexically_identical", "pairID",
}  # fmt: skip
FIELDS = {
    ONE_PREFIX: ("one_prefix_prefix", "one_prefix_word_good", "one_prefix_word_bad"),
    TWO_PREFIX: ("two_prefix_prefix_good", "two_prefix_prefix_bad", "two_prefix_word"),
}
SPOKEN = frozenset(("uid", "field", "phenomenon", "pair_id", "methods"))
NO_FACTS = frozenset((*BASE, *OWN, *FIELDS[ONE_PREFIX], *FIELDS[TWO_PREFIX])) | SPOKEN


def plain(entry: Entry) -> dict[str, Any]:
    """A line in BLiMP's keys."""
    pair, facts = entry.pair, entry.facts
    prefixes: dict[str, str] = {}
    if pair.parts is not None and pair.method:
        right, wrong = pair.parts
        one_prefix = (right.prefix, right.word, wrong.word)
        two_prefixes = (right.prefix, wrong.prefix, right.word)
        values = one_prefix if pair.method == ONE_PREFIX else two_prefixes
        prefixes = dict(zip(FIELDS[pair.method], values, strict=True))
    phenomenon = facts.get("phenomenon", "")
    if entry.agreement is not None:
        phenomenon = f"{entry.agreement.feature.lower()}_agreement"
    return {
        "sentence_good": pair.right,
        "sentence_bad": pair.wrong,
        **prefixes,
        "field": facts.get("field", "morphology"),
        "linguistics_term": phenomenon or entry.group,
        "UID": entry.group,
        "simple_LM_method": True,
        "one_prefix_method": pair.method == ONE_PREFIX,
        "two_prefix_method": pair.method == TWO_PREFIX,
        "lexically_identical": _words(pair.right) == _words(pair.wrong),
        "pairID": facts["pair_id"],
    }


def _words(sentence: str) -> list[str]:
    """Blank-separated words in lower case, final punctuation aside, in alphabetical order."""
    end = len(sentence)
    while end and not (sentence[end - 1].isalnum() or sentence[end - 1] == "_"):
        end -= 1
    return sorted(sentence[:end].lower().split())


def known(row: Record, stem: str, number: int, place: str) -> tuple[dict[str, str], dict[str, str]]:
    """Own fields and facts of a line; a missing `UID` is the file's name, a missing `pairID` the
    line's number."""
    facts = {
        "uid": text(row, "UID", place) if "UID" in row else stem,
        "field": text(row, "field", place).replace("/", "_") if "field" in row else "",
        "phenomenon": text(row, "linguistics_term", place) if "linguistics_term" in row else "",
        "pair_id": text(row, "pairID", place) if "pairID" in row else str(number),
        "methods": " ".join([name for name in METHODS if row.get(name) is True]),
    }
    others = {name: row[name] for name in row if name not in NO_FACTS}
    is_blimp = _is_blimp(row)
    identity = item_id(facts["uid"], facts["pair_id"])
    own = {
        "item_id": identity,
        "kind": "suite",
        "cluster_id": row.get("item_id", identity),
        "set_id": "",
        "cell": "",
        "language": "en" if is_blimp else "und",
        "source": "BLiMP" if is_blimp else stem,
        "licence": "CC-BY-4.0" if is_blimp else "",
    }
    if not is_blimp:
        own |= {name: text(row, name, place) for name in OWN if name in row}
    return own, {**facts, **to_facts(others, place)} if others else facts


def _is_blimp(row: Record) -> bool:
    """Whether a line is of BLiMP itself: all its keys, one of its terms, and English letters."""
    return (
        row.keys() >= BASE
        and row.keys().isdisjoint(OWN)
        and str(row["linguistics_term"]) in TERMS
        and str(row["sentence_good"]).isascii()
    )


def _pair(row: Record, place: str) -> Pair:
    right, wrong = (text(row, name, place) for name in SENTENCES)
    if not (right.strip() and wrong.strip()):
        raise InputError(place, "an empty sentence", "two sentences", kind="format")
    for method, names in FIELDS.items():
        if not row.keys().isdisjoint(names):
            one, two, three = (text(row, name, place) for name in names)
            first, second = ((one, two), (one, three)) if method == ONE_PREFIX else (
                (one, three), (two, three)
            )  # fmt: skip
            return Pair(right, wrong, (_cut(right, *first, place), _cut(wrong, *second, place)))
    return Pair(right, wrong, None)


def _cut(sentence: str, prefix: str, word: str, place: str) -> Parts:
    parts = cut(sentence, prefix, word.strip())
    if parts is None:
        raise InputError(
            place,
            f"{sentence[:40]!r} does not begin with {prefix[-40:]!r} and {word[:40]!r}",
            "the prefix and critical word of this sentence",
            kind="format",
        )
    return parts


FORMAT = format_of_pairs(
    PairFormat(
        name="blimp",
        endings=(".jsonl",),
        wanted="one JSON object a line",
        records=json_lines,
        pair=_pair,
        known=known,
        plain=plain,
        write_records=write_jsonl,
        spoken=SPOKEN,
        sentences=frozenset((*SENTENCES, *FIELDS[ONE_PREFIX], *FIELDS[TWO_PREFIX])),
    )
)
