"""BLiMP's JSON lines: a pair of sentences a line, one file a paradigm (Warstadt et al. 2020).

An item gets the one-prefix fields where right and wrong form follow the same prefix, the two-prefix
fields where the same form follows two prefixes, and neither otherwise. `lexically_identical` of our
own items says what its name says, that the two have the same words; the published column does not.
Read are the published files (blanks before critical words go, `syntax/semantics` becomes
`syntax_semantics`) and any other set of the format, whose further keys are facts.
What the format cannot hold: the words of a sentence (they are cut anew), its tree, POS and FEATS,
further targets, several sentences in a condition, predictions other than its three methods.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from colorless_green.data.tables import write_jsonl
from colorless_green.nonce.formats.columns import Entry, Known, PairFormat, format_of_pairs
from colorless_green.nonce.formats.pairs import ONE_PREFIX, TWO_PREFIX, Pair, Parts, cut
from colorless_green.nonce.formats.records import Record, json_lines, malformed, text, to_facts
from colorless_green.nonce.item import OWN, item_id

TERMS = {  # BLiMP's own values of `linguistics_term`: a file with another is not BLiMP's
    "anaphor_agreement", "argument_structure", "binding", "control_raising",
    "determiner_noun_agreement", "ellipsis", "filler_gap_dependency", "irregular_forms",
    "island_effects", "npi_licensing", "quantifiers", "s-selection", "subject_verb_agreement",
}  # fmt: skip
RELEASED = {"language": "en", "source": "BLiMP", "licence": "CC-BY-4.0"}
METHODS = ("simple_LM_method", "one_prefix_method", "two_prefix_method")
SENTENCES = ("sentence_good", "sentence_bad")
BASE = {
    *SENTENCES, "field", "linguistics_term", "UID", *METHODS, "lexically_identical", "pairID",
}  # fmt: skip
FIELDS = {
    ONE_PREFIX: ("one_prefix_prefix", "one_prefix_word_good", "one_prefix_word_bad"),
    TWO_PREFIX: ("two_prefix_prefix_good", "two_prefix_prefix_bad", "two_prefix_word"),
}
KEYS = {  # of a line, in order, by method
    method: (
        *SENTENCES, *FIELDS.get(method, ()), "field", "linguistics_term", "UID", *METHODS,
        "lexically_identical", "pairID",
    )
    for method in ("", *FIELDS)
}  # fmt: skip
TOLD = ("UID", "field", "linguistics_term", "pairID")  # that are facts under names of ours
SPOKEN = frozenset(("uid", "field", "phenomenon", "pair_id", "methods"))
NO_FACTS = frozenset((*BASE, *OWN, *FIELDS[ONE_PREFIX], *FIELDS[TWO_PREFIX])) | SPOKEN


class Layout(NamedTuple):
    """What the keys of a line tell, which are those of many lines."""

    method: str  # whose fields are there
    of_pair: tuple[str, ...]  # the sentences, and these fields
    texts: tuple[str, ...]  # of what else BLiMP and an item of ours have as texts
    others: tuple[str, ...]  # that are facts under their own names
    is_whole: bool  # all keys of BLiMP, and none of an item


@lru_cache(maxsize=100)
def _layout(keys: tuple[str, ...]) -> Layout:
    method = next((method for method, names in FIELDS.items() if {*names} & {*keys}), "")
    return Layout(
        method,
        (*SENTENCES, *FIELDS.get(method, ())),
        tuple(name for name in (*TOLD, *OWN) if name in keys),
        tuple(name for name in keys if name not in NO_FACTS),
        {*keys} >= BASE and not {*keys} & {*OWN},
    )


def _texts(row: Record, names: Sequence[str], place: str) -> list[str]:
    """The texts under these keys. Raises `InputError` for one that is missing or no text."""
    values: list[Any] = [row.get(name) for name in names]
    if {*map(type, values)} != {str}:
        values = [text(row, name, place) for name in names]
    return values


def plain(entry: Entry) -> dict[str, Any]:
    """A line in BLiMP's keys."""
    pair, facts = entry.pair, entry.facts
    method, fields = pair.method, tuple[str, ...]()
    if pair.parts is not None and method:
        right, wrong = pair.parts
        fields = (right.prefix, right.word, wrong.word)
        if method == TWO_PREFIX:
            fields = (right.prefix, wrong.prefix, right.word)
    phenomenon = facts.get("phenomenon", "")
    if entry.agreement is not None:
        phenomenon = f"{entry.agreement.feature.lower()}_agreement"
    return {
        "sentence_good": pair.right,
        "sentence_bad": pair.wrong,
        **dict(zip(FIELDS.get(method, ()), fields, strict=True)),
        "field": facts.get("field", "morphology"),
        "linguistics_term": phenomenon or facts["uid"],
        "UID": facts["uid"],
        "simple_LM_method": True,
        "one_prefix_method": method == ONE_PREFIX,
        "two_prefix_method": method == TWO_PREFIX,
        "lexically_identical": _same_words(pair.right, pair.wrong),
        "pairID": facts["pair_id"],
    }


def _is_plain(row: Record, entry: Entry) -> bool:
    pair = entry.pair
    method = pair.method
    if tuple(row) != KEYS[method]:
        return False
    if method and pair.parts is not None:  # the words without blanks around them
        right, wrong = pair.parts
        _, two, three = FIELDS[method]
        ours = (right.word, wrong.word) if method == ONE_PREFIX else (wrong.prefix, right.word)
        if row[two] != ours[0] or row[three] != ours[1]:
            return False
    return (
        row["simple_LM_method"] is True
        and row["one_prefix_method"] is (method == ONE_PREFIX)
        and row["two_prefix_method"] is (method == TWO_PREFIX)
        and row["field"] == entry.facts["field"]
        and row["linguistics_term"] != ""
        and row["lexically_identical"] is _same_words(pair.right, pair.wrong)
    )


def _same_words(one: str, other: str) -> bool:
    """Whether two sentences have the same blank-separated words, in any order, however often each
    comes; case and final punctuation aside."""
    words, others = _words(one), _words(other)
    return len(words) == len(others) and sorted(words) == sorted(others)


def _words(sentence: str) -> list[str]:
    end = len(sentence)
    while end and not (sentence[end - 1].isalnum() or sentence[end - 1] == "_"):
        end -= 1
    return sentence[:end].lower().split()


def known(row: Record, stem: str, number: int, place: str) -> Known:
    """Own fields and facts of a line; a missing `UID` is the file's name, a missing `pairID` the
    line's number."""
    layout = _layout(tuple(row))
    told = dict(zip(layout.texts, _texts(row, layout.texts, place), strict=True))
    facts = {
        "uid": told.get("UID", stem),
        "field": told.get("field", "").replace("/", "_"),
        "phenomenon": told.get("linguistics_term", ""),
        "pair_id": told.get("pairID", str(number)),
        "methods": " ".join([name for name in METHODS if row.get(name) is True]),
    }
    if layout.others:
        facts |= to_facts({name: row[name] for name in layout.others}, place)
    own = {"item_id": item_id(facts["uid"], facts["pair_id"])}
    # BLiMP itself: all its keys, one of its terms, and English letters
    if layout.is_whole and facts["phenomenon"] in TERMS and row["sentence_good"].isascii():
        return own | RELEASED, facts
    identity = {"cluster_id": told["item_id"]} if "item_id" in told else {}
    return own | identity | {name: told[name] for name in OWN if name in told}, facts


def _pair(row: Record, place: str) -> Pair:
    layout = _layout(tuple(row))
    right, wrong, *fields = _texts(row, layout.of_pair, place)
    if not layout.method:
        return Pair(right, wrong, None)
    one, two, three = fields
    first, second = (one, two), (one, three)
    if layout.method == TWO_PREFIX:
        first, second = (one, three), (two, three)
    return Pair(right, wrong, (_cut(right, *first, place), _cut(wrong, *second, place)))


def _cut(sentence: str, prefix: str, word: str, place: str) -> Parts:
    parts = cut(sentence, prefix, word.strip())
    if parts is None:
        wrong = f"{sentence[:40]!r} does not begin with {prefix[-40:]!r} and {word[:40]!r}"
        raise malformed(place, wrong, "the prefix and critical word of this sentence")
    return parts


BLIMP = PairFormat(
    name="blimp",
    endings=(".jsonl",),
    wanted="one JSON object a line",
    records=json_lines,
    pair=_pair,
    known=known,
    plain=plain,
    is_plain=_is_plain,
    write_records=write_jsonl,
    spoken=SPOKEN,
    sentences=frozenset((*SENTENCES, *FIELDS[ONE_PREFIX], *FIELDS[TWO_PREFIX])),
)
FORMAT = format_of_pairs(BLIMP)
