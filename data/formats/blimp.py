"""The format of BLiMP (Warstadt et al. 2020): JSON lines with a pair of sentences each, and a file
for each paradigm (type of contrast).

A pair has the one-prefix keys if its right and wrong form follow the same prefix, the two-prefix
keys if the same form follows two prefixes, and neither otherwise. For our own items
`lexically_identical` says whether both sentences have the same words; the published key does not.

The reader takes the published files (it drops blanks before critical words, and changes
`syntax/semantics` to `syntax_semantics`) and other sets in the format, whose further keys become
facts (ZhoBLiMP has `phenomenon` for `linguistics_term`). The format cannot hold: the words of a
sentence (they are cut again), its tree, POS and FEATS, further targets, several sentences in a
condition, predictions other than its three methods.
"""

from typing import Any

from ..items.item import TEXT_FIELDS, item_id
from ..records import Record, json_lines, malformed, text, to_facts
from ..tables import write_jsonl
from .format import PAPERS
from .pair_formats import (
    ONE_PREFIX,
    TWO_PREFIX,
    PairEntry,
    PairFormat,
    RecordFacts,
    SentencePair,
    cut,
)

RELEASED_ORIGIN = {"language": "en", "source": "BLiMP", "licence": "CC-BY-4.0"}
METHODS = ("simple_LM_method", "one_prefix_method", "two_prefix_method")
SENTENCES = ("sentence_good", "sentence_bad")
BLIMP_KEYS = {
    *SENTENCES, "field", "linguistics_term", "UID", *METHODS, "lexically_identical", "pairID",
}  # fmt: skip
METHOD_KEYS = {  # scoring method → keys of a line with the parts that it compares
    ONE_PREFIX: ("one_prefix_prefix", "one_prefix_word_good", "one_prefix_word_bad"),
    TWO_PREFIX: ("two_prefix_prefix_good", "two_prefix_prefix_bad", "two_prefix_word"),
}
RENAMED_KEYS = ("UID", "field", "linguistics_term", "pairID")  # facts that we name differently
COLUMN_FACTS = frozenset(("uid", "field", "phenomenon", "pair_id", "methods"))
PART_KEYS = (*METHOD_KEYS[ONE_PREFIX], *METHOD_KEYS[TWO_PREFIX])
KNOWN_KEYS = (
    frozenset((*BLIMP_KEYS, *TEXT_FIELDS, *PART_KEYS)) | COLUMN_FACTS
)  # all others become facts


def _record_to_write(entry: PairEntry) -> dict[str, Any]:
    """Return the JSON object (key → value) to write for a pair, with BLiMP's keys."""
    pair, facts = entry.pair, entry.facts
    method, parts = _method_parts(pair)
    phenomenon = facts.get("phenomenon", "")
    if entry.agreement is not None:
        phenomenon = f"{entry.agreement.feature.lower()}_agreement"
    return {
        "sentence_good": pair.right,
        "sentence_bad": pair.wrong,
        **dict(zip(METHOD_KEYS.get(method, ()), parts, strict=True)),
        "field": facts.get("field", "morphology"),
        "linguistics_term": phenomenon or facts["uid"],
        "UID": facts["uid"],
        "simple_LM_method": True,
        "one_prefix_method": method == ONE_PREFIX,
        "two_prefix_method": method == TWO_PREFIX,
        "lexically_identical": _have_same_words(pair),
        "pairID": facts["pair_id"],
    }


def _method_parts(pair: SentencePair) -> tuple[str, tuple[str, ...]]:
    """Return the scoring method that a pair is suited for, "one_prefix", "two_prefix" or "" (only
    whole sentences), and the values of that method's keys in `METHOD_KEYS`; none for ""."""
    method = pair.method
    if pair.parts is None or not method:
        return method, ()
    right, wrong = pair.parts
    if method == TWO_PREFIX:
        return method, (right.prefix, wrong.prefix, right.word)
    return method, (right.prefix, right.word, wrong.word)


def _have_same_words(pair: SentencePair) -> bool:
    """Return whether both sentences have the same words, in any order."""
    good, bad = _words(pair.right), _words(pair.wrong)
    return len(good) == len(bad) and sorted(good) == sorted(bad)


def _words(sentence: str) -> list[str]:
    """Return the words of a sentence in lower case, cut at blanks, without final punctuation."""
    end = len(sentence)
    while end and not (sentence[end - 1].isalnum() or sentence[end - 1] == "_"):
        end -= 1
    return sentence[:end].lower().split()


def _record_facts(row: Record, stem: str, number: int, location: str) -> RecordFacts:
    """Return what a line says of its item: its fields (id, language, source, …) and its facts.

    If `UID` is missing, it is the stem of the file's name; if `pairID` is, it is the line's number.
    A `pairID` may be a number or a text of the same digits.
    """
    has_number = type(row.get("pairID")) is int
    cells = {**row, "pairID": str(row["pairID"])} if has_number else row
    texts = {name: text(cells, name, location) for name in RENAMED_KEYS if name in row}
    if has_own := not row.keys().isdisjoint(TEXT_FIELDS):
        texts |= {name: text(row, name, location) for name in TEXT_FIELDS if name in row}
    facts = {
        "uid": texts.get("UID", stem),
        "field": texts.get("field", "").replace("/", "_"),
        "phenomenon": texts.get("linguistics_term") or str(row.get("phenomenon") or ""),
        "pair_id": texts.get("pairID", str(number)),
        "methods": " ".join([name for name in METHODS if row.get(name) is True]),
    }
    if not row.keys() <= KNOWN_KEYS:
        facts |= to_facts({name: row[name] for name in row if name not in KNOWN_KEYS}, location)
    fields = {"item_id": item_id(facts["uid"], facts["pair_id"])}
    # A line of BLiMP itself has all its keys, one of its terms, and English letters.
    is_released = (
        facts["phenomenon"] in PAPERS["blimp"]["terms"] and not has_own and row.keys() >= BLIMP_KEYS
    )
    if is_released and row["sentence_good"].isascii():
        return fields | RELEASED_ORIGIN, facts
    if "item_id" in texts:
        fields["cluster_id"] = texts["item_id"]  # the usual one; a `cluster_id` in the line wins
    return fields | {name: texts[name] for name in TEXT_FIELDS if name in texts}, facts


def _pair(row: Record, location: str) -> SentencePair:
    """Return the pair of sentences in a line, cut into parts by the line's prefix and word keys.
    Without these keys the pair has no parts (None)."""
    right, wrong = text(row, "sentence_good", location), text(row, "sentence_bad", location)
    methods = (name for name, keys in METHOD_KEYS.items() if not row.keys().isdisjoint(keys))
    method = next(methods, "")
    if not method:
        return SentencePair(right, wrong, None)
    values = [text(row, key, location) for key in METHOD_KEYS[method]]
    if method == ONE_PREFIX:
        prefix, right_word, wrong_word = values
        prefixes, words = (prefix, prefix), (right_word, wrong_word)
    else:
        right_prefix, wrong_prefix, critical_word = values
        prefixes, words = (right_prefix, wrong_prefix), (critical_word, critical_word)
    cuts = []
    for sentence, prefix, word in zip((right, wrong), prefixes, words, strict=True):
        parts = cut(sentence, prefix, word.strip())
        if parts is None:
            fault = f"{sentence[:40]!r} does not begin with {prefix[-40:]!r} and {word[:40]!r}"
            raise malformed(location, fault, "the prefix and critical word of this sentence")
        cuts.append(parts)
    right_parts, wrong_parts = cuts
    return SentencePair(right, wrong, (right_parts, wrong_parts))


FORMAT = PairFormat(
    name="blimp",
    endings=(".jsonl",),
    expected="one JSON object a line",
    records=json_lines,
    pair=_pair,
    record_facts=_record_facts,
    record_to_write=_record_to_write,
    write_records=write_jsonl,
    column_facts=COLUMN_FACTS,
    sentences=frozenset((*SENTENCES, *PART_KEYS)),
).format()
