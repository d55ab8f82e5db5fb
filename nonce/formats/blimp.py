"""BLiMP's JSON lines: a pair of sentences a line, one file a paradigm (Warstadt et al. 2020).

Written: a folder with a file for each construction, or one file under a name that ends in `.jsonl`.
An item gets the one-prefix fields where right and wrong form follow the same prefix, the two-prefix
fields where the same form follows two prefixes, and neither otherwise. `lexically_identical` says
what its name says, that the two have the same words, which the published column does not.
Read: the published files as they are (blanks before critical words go, `syntax/semantics` becomes
`syntax_semantics`, `lexically_identical` is computed again when written) and any other set of the
format; keys that are not BLiMP's are kept among the facts.
What the format cannot hold: the words of a sentence (they are cut anew), its tree, POS and FEATS,
further targets, several sentences in a condition, predictions other than its three methods.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.data.registry import nearest
from colorless_green.data.tables import write_jsonl
from colorless_green.nonce.formats import Format
from colorless_green.nonce.formats.facts import from_facts, to_facts
from colorless_green.nonce.formats.folder import files_of, named_in, written
from colorless_green.nonce.formats.pairs import (
    ONE_PREFIX,
    TWO_PREFIX,
    Pair,
    Parts,
    cut,
    grouped,
    pair_of,
    suite_of_pairs,
)
from colorless_green.nonce.formats.records import json_lines, text
from colorless_green.nonce.item import KINDS, Item, item_id
from colorless_green.nonce.suite import Suite, checked
from colorless_green.nonce.table import table_row

ENDINGS = (".jsonl", ".jsonl.gz")
TERMS = {  # BLiMP's own values of `linguistics_term`: a file with another is not BLiMP's
    "anaphor_agreement",
    "argument_structure",
    "binding",
    "control_raising",
    "determiner_noun_agreement",
    "ellipsis",
    "filler_gap_dependency",
    "irregular_forms",
    "island_effects",
    "npi_licensing",
    "quantifiers",
    "s-selection",
    "subject_verb_agreement",
}
METHODS = ("simple_LM_method", "one_prefix_method", "two_prefix_method")
BASE = {
    "sentence_good", "sentence_bad", "field", "linguistics_term", "UID", *METHODS,
    "lexically_identical", "pairID",
}  # fmt: skip
FIELDS = {
    ONE_PREFIX: ("one_prefix_prefix", "one_prefix_word_good", "one_prefix_word_bad"),
    TWO_PREFIX: ("two_prefix_prefix_good", "two_prefix_prefix_bad", "two_prefix_word"),
}
OWN = ("item_id", "kind", "cluster_id", "set_id", "cell", "language", "source", "licence")
KNOWN = frozenset((*BASE, *OWN, *FIELDS[ONE_PREFIX], *FIELDS[TWO_PREFIX]))
SPOKEN_FOR = frozenset(("uid", "field", "phenomenon", "pair_id", "methods"))
"""Facts that come from keys of BLiMP's and go back into them."""
NO_FACTS = KNOWN | SPOKEN_FOR
AGREEMENT_FACTS = (
    "treebank", "sent_id", "rule", "construction", "feature", "value", "lemma", "gap", "level",
    "seed", "variant",
)  # fmt: skip


def write(suite: Suite, path: Path, vocabulary: frozenset[str] | None = None) -> None:
    """The pairs of a suite: into one file if `path` ends in `.jsonl` or `.jsonl.gz`, in the order
    of the suite, else into a folder. Raises `InputError` for an item that is no pair."""
    groups = grouped(suite)
    place = {
        item.item_id: (uid, number) for uid, items in _numbered(groups) for item, number in items
    }
    if path.name.endswith(ENDINGS):
        write_jsonl(path, (_row(item, *place[item.item_id]) for item in suite.items))
        return
    with written(path, "blimp", {"suite": suite.name}) as folder:
        for uid, items in groups.items():
            rows = (_row(item, *place[item.item_id]) for item in items)
            write_jsonl(folder / f"{uid}.jsonl", rows)


def _numbered(
    groups: Mapping[str, list[Item]],
) -> Iterator[tuple[str, Iterable[tuple[Item, str]]]]:
    """The items of each file with their `pairID`: their own where each has another one."""
    for uid, items in groups.items():
        own = [item.facts.get("pair_id", "") for item in items]
        if "" in own or len(set(own)) < len(own):
            own = [str(number) for number in range(len(items))]
        yield uid, zip(items, own, strict=True)


def _row(item: Item, uid: str, pair_id: str) -> dict[str, Any]:
    pair = pair_of(item)
    return {
        "sentence_good": pair.right,
        "sentence_bad": pair.wrong,
        **_prefix_fields(pair),
        "field": item.facts.get("field", "morphology"),
        "linguistics_term": _phenomenon(item) or uid,
        "UID": uid,
        "simple_LM_method": True,
        "one_prefix_method": pair.method == ONE_PREFIX,
        "two_prefix_method": pair.method == TWO_PREFIX,
        "lexically_identical": _bag(pair.right) == _bag(pair.wrong),
        "pairID": pair_id,
        **{name: getattr(item, name) for name in OWN},
        **_extras(item),
    }


def _prefix_fields(pair: Pair) -> dict[str, str]:
    if pair.parts is None or not pair.method:
        return {}
    right, wrong = pair.parts
    if pair.method == ONE_PREFIX:
        values = (right.prefix, right.word, wrong.word)
    else:
        values = (right.prefix, wrong.prefix, right.word)
    return dict(zip(FIELDS[pair.method], values, strict=True))


def _phenomenon(item: Item) -> str:
    if item.agreement is not None:
        return f"{item.agreement.feature.lower()}_agreement"
    return item.facts.get("phenomenon", "")


def _bag(sentence: str) -> Counter[str]:
    """Blank-separated words in lower case, final punctuation aside, and how often each comes."""
    return Counter(re.sub(r"\W+$", "", sentence).lower().split())


def _extras(item: Item) -> dict[str, Any]:
    own: dict[str, Any] = {}
    if item.agreement is not None:
        own = {name: getattr(item.agreement, name) for name in AGREEMENT_FACTS}
        own["n_attractors"] = len(item.agreement.attractors)
        own["flags"] = list(item.agreement.flags)
    others = {**from_facts(item.facts), **own}
    return {name: each for name, each in others.items() if name not in NO_FACTS}


def read(path: Path) -> Suite:
    """The pairs of a file, or of all files of a folder, by name; of a file and its packed twin the
    plain one. The suite is named after the path.

    Predictions are `full` (whole sentences) and, where every line has prefix fields, `prefix` (one
    prefix or two). Raises `InputError` with the line for a key that is missing or of another type,
    and for sentences that do not begin with their prefix and word.
    """
    name = named_in(path, "suite")
    suite = suite_of_pairs(_stem(path) if name is None else name, _rows(path))
    if not suite.items:
        raise InputError(str(path), "no pair in it", "one JSON object a line", kind="empty")
    return checked(suite, str(path))


def _rows(path: Path) -> Iterator[tuple[tuple[str | bool, ...], Pair]]:
    for file in files_of(path, ".jsonl"):
        stem = _stem(file)
        for number, (place, row) in enumerate(json_lines(file)):
            yield _row_of(row, stem, number, place), _pair(row, place)


def _stem(path: Path) -> str:
    return path.name.removesuffix(".gz").removesuffix(".jsonl")


def _row_of(row: dict[str, Any], stem: str, number: int, place: str) -> tuple[str | bool, ...]:
    """A line as a row of a suite's table."""
    facts = _facts(row, stem, number, place)
    own = item_id(facts["uid"], facts["pair_id"])
    is_blimp = _is_blimp(row)
    named = {
        "item_id": own,
        "kind": "suite",
        "cluster_id": row.get("item_id", own),
        "set_id": "",
        "cell": "",
        "language": "en" if is_blimp else "und",
        "source": "BLiMP" if is_blimp else stem,
        "licence": "CC-BY-4.0" if is_blimp else "",
    }
    if not is_blimp:
        named |= {name: text(row, name, place) for name in OWN if name in row}
    if named["kind"] not in KINDS:
        raise InputError(
            place, f"kind is {named['kind']!r}", nearest(named["kind"], KINDS), kind="unknown"
        )
    return table_row(named, facts)


def _facts(row: dict[str, Any], stem: str, number: int, place: str) -> dict[str, str]:
    known = {
        "uid": text(row, "UID", place) if "UID" in row else stem,
        "field": text(row, "field", place).replace("/", "_") if "field" in row else "",
        "phenomenon": text(row, "linguistics_term", place) if "linguistics_term" in row else "",
        "pair_id": text(row, "pairID", place) if "pairID" in row else str(number),
        "methods": " ".join([name for name in METHODS if row.get(name) is True]),
    }
    others = {name: row[name] for name in row if name not in NO_FACTS}
    return {**known, **to_facts(others, place)} if others else known


def _is_blimp(row: Mapping[str, Any]) -> bool:
    """Whether a line is of BLiMP itself: all its keys, one of its terms, and English letters."""
    return (
        row.keys() >= BASE
        and row.keys().isdisjoint(OWN)
        and str(row["linguistics_term"]) in TERMS
        and str(row["sentence_good"]).isascii()
    )


def _pair(row: Mapping[str, Any], place: str) -> Pair:
    right, wrong = text(row, "sentence_good", place), text(row, "sentence_bad", place)
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


FORMAT = Format(read, write)
