"""The one reader and writer of minimal pairs: what differs between formats is a map of columns.

A `PairFormat` says how a record of its files becomes a pair with facts, and which record a pair
becomes. Both directions are compared, so that a published file comes back value for value: what a
record says that our way of writing its item would not give is kept in the fact `published`; what an
item has that reading its record would not give is written under the one key OURS.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from colorless_green.data.errors import InputError
from colorless_green.data.files import write_whole
from colorless_green.data.registry import nearest
from colorless_green.nonce.formats import Format
from colorless_green.nonce.formats.folder import files_of, named_in, written
from colorless_green.nonce.formats.pairs import Pair, grouped, pair_of, suite_of_pairs
from colorless_green.nonce.formats.records import (
    JSON_KEYS,
    OURS,
    PUBLISHED,
    as_published,
    from_facts,
    kept,
    parsed,
    table_line,
    text,
    to_facts,
)
from colorless_green.nonce.item import KINDS, Agreement, Item
from colorless_green.nonce.suite import Suite, checked
from colorless_green.nonce.table import table_row

Record: TypeAlias = Mapping[str, Any]
OWN = ("item_id", "kind", "cluster_id", "set_id", "cell", "language", "source", "licence")
OF_AGREEMENT = (
    "treebank", "sent_id", "rule", "construction", "feature", "value", "lemma", "gap", "level",
    "seed", "variant",
)  # fmt: skip


class Entry(NamedTuple):
    """A pair with what is known of it, from a file or to be written."""

    pair: Pair
    facts: Mapping[str, str]
    agreement: Agreement | None
    language: str
    group: str  # the plain name of its construction: of its file, in a folder
    number: int  # its place in its file

    @property
    def construction(self) -> str:
        """What its maker calls its construction."""
        if self.agreement is not None:
            return self.agreement.construction
        return self.facts.get("construction", "") or self.group


@dataclass(frozen=True, slots=True)
class PairFormat:
    """How the records of a format are read and written."""

    name: str
    endings: tuple[str, ...]  # of its files; the first is written
    wanted: str  # what a file without a pair lacks
    records: Callable[[Path], Iterator[tuple[str, Record]]]
    """(place, record) of a file"""
    pair: Callable[[Record, str], Pair]
    """The pair of a record, at a place"""
    known: Callable[[Record, str, int, str], tuple[dict[str, str], dict[str, str]]]
    """Own fields (OWN) and facts that a record tells: of the file's stem, by number, at a place"""
    plain: Callable[[Entry], dict[str, Any]]
    """A record of a pair in the columns of the format"""
    write_records: Callable[[Path, Sequence[Record]], object]
    is_plain: Callable[[Record, Entry], bool] = lambda record, entry: False
    """A quick test that `plain` gives the record; where it says no, the two are compared"""
    spoken: frozenset[str] = frozenset()  # facts that `plain` writes in columns of their own
    sentences: frozenset[str] = frozenset()  # columns that are parts of the pair
    has_ours: bool = True  # whether its files have a place for what is ours
    words: Callable[[str], Sequence[str]] | None = None  # of a text, where not those of `penn`
    aliases: Callable[[Sequence[str]], Mapping[str, str]] = lambda columns: {}
    """Of a record's columns those that are columns of `plain` by another name"""
    file_of: Callable[[Item, str], str] = lambda item, group: group
    """The stem of the file that an item is written to in a folder"""
    stem_of: Callable[[Path, str], str] = lambda file, stem: stem
    """What a file's stem tells, with the folder that it is in"""


def format_of_pairs(form: PairFormat) -> Format:
    """The functions that read and write a format of pairs."""
    return Format(partial(read, form), partial(write, form))


def read(form: PairFormat, path: Path) -> Suite:
    """The pairs of a file, or of all files of a folder, by name; named after the path.

    Predictions are `full` (whole sentences) and, where every pair has parts, `prefix`. Raises
    `InputError` with the line of what is not of the format.
    """
    name = named_in(path, "suite")
    name = stem(form, path) if name is None else name
    suite = suite_of_pairs(name, _rows(form, path), form.words)
    if not suite.items:
        raise InputError(str(path), "no pair in it", form.wanted, kind="empty")
    return checked(suite, str(path))


def stem(form: PairFormat, path: Path) -> str:
    """A file's name without the endings of its format."""
    name = path.name.removesuffix(".gz")
    ending = next((each for each in form.endings if each and name.endswith(each)), "")
    return name.removesuffix(ending)


def _rows(form: PairFormat, path: Path) -> Iterator[tuple[tuple[str | bool, ...], Pair]]:
    for file in files_of(path, form.endings):
        own_stem = form.stem_of(file, stem(form, file))
        for number, (place, raw) in enumerate(form.records(file)):
            pair = form.pair(raw, place)
            added = _added(raw, place) if form.has_ours and OURS in raw else {}
            record = {name: raw[name] for name in raw if name != OURS} if added else raw
            own, facts = form.known(record, own_stem, number, place)
            entry = Entry(pair, facts, None, own["language"], facts.get("uid", ""), number)
            if not form.is_plain(record, entry):
                facts |= kept(form.name, [record], [form.plain(entry)], facts, form.aliases)
            if added:
                own |= {name: text(added, name, place) for name in OWN if name in added}
                more = {name: added[name] for name in added if name not in OWN}
                facts |= to_facts(from_facts(facts) | more, place) if more else {}
            if own["kind"] not in KINDS:
                wrong = f"kind is {own['kind']!r}"
                raise InputError(place, wrong, nearest(own["kind"], KINDS), kind="unknown")
            yield table_row(own, facts), pair


def _added(record: Record, place: str) -> dict[str, Any]:
    """What stands under our key: an object, or in a table its JSON."""
    value = record[OURS]
    if isinstance(value, str):
        value = parsed(value or "{}", place, f"JSON in the column {OURS}")
    if not isinstance(value, dict):
        raise InputError(place, f"{OURS!r} is {value!r:.40}", "an object", kind="format")
    return value


def write(
    form: PairFormat, suite: Suite, path: Path, vocabulary: frozenset[str] | None = None
) -> None:
    """The pairs of a suite: into one file if `path` has an ending of the format, in the order of
    the suite, else into a folder, a file for each construction. Raises `InputError` for an item
    that is no pair."""
    groups = {item.item_id: group for group, items in grouped(suite).items() for item in items}
    plain = path.name.removesuffix(".gz")
    if any(each and plain.endswith(each) for each in form.endings):
        form.write_records(
            path, _records(form, suite.items, groups, form.stem_of(path, stem(form, path)))
        )
        return
    files: dict[str, list[Item]] = {}
    for item in suite.items:
        files.setdefault(form.file_of(item, groups[item.item_id]), []).append(item)
    with written(path, form.name, {"suite": suite.name}) as folder:
        for name, items in files.items():
            file = folder / f"{name}{form.endings[0]}"
            form.write_records(file, _records(form, items, groups, name))


def _records(
    form: PairFormat, items: Sequence[Item], groups: Mapping[str, str], own_stem: str
) -> list[dict[str, Any]]:
    n_before: dict[str, int] = {}
    found = []
    numbers = _numbers(items, groups)
    for number, (item, pair_id) in enumerate(zip(items, numbers, strict=True)):
        group = groups[item.item_id]
        n_before[group] = n_before.get(group, -1) + 1
        facts = {**item.facts, "pair_id": pair_id}
        entry = Entry(pair_of(item), facts, item.agreement, item.language, group, number)
        plain = form.plain(entry)
        more = from_facts(item.facts)
        (record,) = as_published(form.name, item.facts, [plain], more, form.sentences, form.aliases)
        if form.has_ours:
            more = _ours(form, item, record, own_stem, number, more)
            record |= {OURS: more} if more else {}
        found.append(record)
    return found


def _numbers(items: Sequence[Item], groups: Mapping[str, str]) -> list[str]:
    """The number of each pair within its construction: its own where each has another one."""
    members: dict[str, list[Item]] = {}
    for item in items:
        members.setdefault(groups[item.item_id], []).append(item)
    found: dict[str, str] = {}
    for own in members.values():
        numbers = [item.facts.get("pair_id", "") for item in own]
        if "" in numbers or len(set(numbers)) < len(numbers):
            numbers = [str(number) for number in range(len(own))]
        found |= {item.item_id: number for item, number in zip(own, numbers, strict=True)}
    return [found[item.item_id] for item in items]


def _ours(
    form: PairFormat,
    item: Item,
    record: Record,
    own_stem: str,
    number: int,
    more: Mapping[str, Any],
) -> dict[str, Any]:
    """What reading the record would not give back of the item: its own fields, facts and what is
    known of agreement."""
    own, facts = form.known(record, own_stem, number, str(item.item_id))
    found = {name: getattr(item, name) for name in OWN if getattr(item, name) != own[name]}
    passed = {*OWN, *form.spoken, PUBLISHED, JSON_KEYS}
    told = {
        name: value
        for name, value in more.items()
        if name not in passed and facts.get(name) != item.facts[name]
    }
    if item.agreement is not None:
        known = {name: getattr(item.agreement, name) for name in OF_AGREEMENT}
        known["n_attractors"] = len(item.agreement.attractors)
        known["flags"] = list(item.agreement.flags)
        told |= {name: value for name, value in known.items() if value not in ("", None, [])}
        told = {name: value for name, value in told.items() if facts.get(name) != value}
    return found | dict(sorted(told.items()))


def write_table(delimiter: str, path: Path, records: Iterable[Record]) -> None:
    """Records as a table: the columns of all, ours last, and empty where a record lacks one."""
    rows = list(records)
    columns = list(dict.fromkeys(name for row in rows for name in row if name != OURS))
    columns += [OURS] if any(OURS in row for row in rows) else []
    with write_whole(path) as stream:
        stream.write(table_line(columns, delimiter))
        for row in rows:
            stream.write(table_line((_cell(row.get(name, "")) for name in columns), delimiter))


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
