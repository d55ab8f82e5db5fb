"""What the file formats of suites share: the record `Format`, folders of several files, and the
fact that keeps the values of a published file.

A folder that is written has a manifest with the hash of each file. It also has the folder's format,
and everything of the suite that is not in the items: its name, metric, predictions and `meta`. If
the folder has the items in full as well, nothing is lost.

A published file may have values that we would write differently. They are kept in an item's fact
`published`, so that a file that is read and written again has the same values.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import chain, count
from operator import is_
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import InputError
from ..files import MANIFEST, manifest_facts, read_manifest, write_folder
from ..items.item import Item
from ..items.item_record import from_record, to_record
from ..items.prediction import from_list, to_list
from ..items.suite import Suite, checked
from ..records import (
    Record,
    from_facts,
    get,
    json_lines,
    json_list,
    malformed,
    read_back,
    stem,
    text,
    to_json,
    unpacked_name,
)
from ..shell import resource
from ..tables import write_jsonl

Write: TypeAlias = Callable[[Suite, Path, frozenset[str] | None], None]
"""A function that writes a suite to a path; the known words are for formats that mark others"""


@dataclass(frozen=True, slots=True)
class Format:
    """A file format of suites: the functions that read it, and write it if it can be written."""

    read: Callable[[Path], Suite]
    write: Write | None = None
    needs_licence: bool = False
    """Whether items without a known licence are refused, unless the user allows them"""


PAPERS: Mapping[str, Any] = tomllib.loads(resource(__package__, "papers.toml"))
"""Name of a published set → what its paper says of it"""
MADE_BY = "colorless export"
BENCHMARK = "colorless benchmark"  # the command whose folders have a suite for each language
BENCHMARK_ITEMS = "items.jsonl"  # the file of each language
MAX_NAME_LENGTH = 120  # file systems take 255 bytes, and something may be added to a name
LANGUAGE = re.compile(r"[A-Za-z0-9-]+")  # a BCP-47 code, which cannot lead out of a folder


def export_to(
    path: Path, format_name: str, metadata: Mapping[str, object]
) -> AbstractContextManager[Path]:
    """Open a folder to write files into; at the end it replaces `path`.

    Its manifest has the format and `metadata`. Raises `InputError` if `path` is a file or cannot be
    written.
    """
    return write_folder(path, {"made_by": MADE_BY, "format": format_name, **metadata})


def suite_name(path: Path, endings: Sequence[str]) -> str:
    """Return the name of the suite at a path: that in the manifest of a folder that we wrote, else
    the path's name without its ending."""
    name = manifest_value(path, "suite")
    return stem(path, endings) if name is None else name


def demand_items(suite: Suite) -> None:
    """Raise `InputError` for a suite without items."""
    if not suite.items:
        location, wrong = f"suite {suite.name}", "there is no item in it"
        raise InputError(location, wrong, "choose a suite with items", kind="empty")


def groups_of(suite: Suite) -> dict[str, str]:
    """Return for each item id the name of its construction, spelt so that a file can have it.

    Different constructions have different names, also if case is ignored. Raises `InputError` for a
    suite without items.
    """
    demand_items(suite)
    labels = {item.item_id: item.construction or "items" for item in suite.items}
    names = file_names(list(labels.values()))
    return {identity: names[label] for identity, label in labels.items()}


def file_names(labels: Sequence[str]) -> Mapping[str, str]:
    """Return for each label a different name that a file can have.

    It does not depend on the order of the labels, so that a folder that is read and written again
    has the same names.
    """
    names: dict[str, str] = {}
    used_names: set[str] = set()
    for label in sorted(set(labels)):
        plain = plain_name(label)
        numbered = (f"{plain[: MAX_NAME_LENGTH - len(f'_{n}')]}_{n}" for n in count(2))
        unused = (name for name in chain([plain], numbered) if name.casefold() not in used_names)
        names[label] = next(unused)
        used_names.add(names[label].casefold())
    return names


def plain_name(label: str) -> str:
    """Return a label in the characters A–Z, a–z, 0–9 and `_`, at most 120 of them."""
    return re.sub(r"[^A-Za-z0-9_]+", "_", label)[:MAX_NAME_LENGTH] or "items"


def metadata_of(suite: Suite) -> dict[str, object]:
    """Return a suite without its items, as values for a manifest: name, metric (how surprisals of a
    region's words are combined), predictions, and other facts."""
    return {
        "suite": suite.name,
        "metric": suite.metric,
        "predictions": [to_list(prediction) for prediction in suite.predictions],
        "meta": suite.meta,
    }


def write_items(path: Path, items: Iterable[Item], more: Mapping[str, Mapping[str, str]]) -> None:
    """Write items in full as JSON lines. `more` (item id → key → value) has further keys that are
    added to the line of an item."""
    write_jsonl(path, ({**to_record(item), **more.get(item.item_id, {})} for item in items))


def read_folder(format_name: str, items_name: str, path: Path) -> Suite:
    """Read the suite of a folder whose items are in the file `items_name`.

    Raises `InputError` for a folder of another format, and if a file of it was changed.
    """
    metadata = read_manifest(path)
    location = str(path / MANIFEST)
    if metadata.get("format") != format_name:
        wrong = f"this folder's format is {metadata.get('format')!r}"
        raise malformed(location, wrong, f"{format_name!r}, or --format with its own")
    if items_name not in metadata["files"]:
        raise malformed(location, f"it does not list {items_name}", "export the suite again")
    items = [from_record(record, line) for line, record in json_lines(path / items_name)]
    return checked(
        suite_from({**metadata, "name": metadata.get("suite")}, items, location), str(path)
    )


def suite_from(metadata: Mapping[str, Any], items: Sequence[Item], location: str) -> Suite:
    """Make a suite of items and of the values that `metadata_of` returns for a suite.

    Raises `InputError` if a value is missing or of the wrong type.
    """
    meta = get(metadata, "meta", dict, location)
    return Suite(
        text(metadata, "name", location),
        tuple(items),
        tuple(from_list(entry, location) for entry in json_list(metadata, "predictions", location)),
        text(metadata, "metric", location),
        {name: text(meta, name, location) for name in meta},
    )


def manifest_value(path: Path, key: str) -> str | None:
    """Return the value of a key (`format`, `suite`) in the manifest of a folder that we exported.
    Return None for any other folder, for a file, and if the manifest lacks the key."""
    metadata = manifest_facts(path)
    is_export = metadata.get("made_by") == MADE_BY and key in metadata
    return str(metadata[key]) if is_export else None


def benchmark_files(path: Path) -> dict[str, Path]:
    """Return the files of a folder that `benchmark` wrote: language → its file of items.

    A language for which no item could be made has no file. For any other folder, and for one that
    `benchmark` did not complete, {} is returned.
    """
    metadata = manifest_facts(path)
    is_complete = metadata.get("made_by") == BENCHMARK and metadata["files"]
    if not is_complete:
        return {}
    try:
        codes = [code for code, entry in metadata["languages"].items() if entry["row"]["n_sets"]]
    except (KeyError, TypeError, AttributeError):  # someone changed the manifest
        return {}
    return {code: path / code / BENCHMARK_ITEMS for code in codes if LANGUAGE.fullmatch(code)}


def files_of(path: Path, endings: tuple[str, ...]) -> list[Path]:
    """Return a file itself, or the files of a folder that have one of the endings, by name.

    `.gz` may follow the ending; if a file is there packed and unpacked, the unpacked one is taken.
    Hidden files are left out, and, in a folder that we wrote, files that its manifest does not
    list. Raises `InputError` for a folder without such files.
    """
    if not path.is_dir():
        return [path]
    is_ours = manifest_value(path, "format") is not None
    listed = read_manifest(path)["files"] if is_ours else None
    files: dict[str, Path] = {}
    for file in sorted(path.iterdir(), key=lambda file: (unpacked_name(file), file.name)):
        plain = unpacked_name(file)
        has_ending = plain.endswith(endings) and not plain.startswith(".") and file.is_file()
        if has_ending and (listed is None or file.name in listed):
            files.setdefault(plain, file)
    if not files:
        choices = " or ".join(endings)
        wrong, right = f"no file in it ends in {choices}", f"a folder of {choices} files"
        raise InputError(str(path), wrong, right, kind="missing")
    return list(files.values())


PUBLISHED = "published"  # the fact with values of an item's file that we would write differently
NamesInFile: TypeAlias = Callable[[Sequence[str]], Mapping[str, str]]
"""A function that takes the columns of a published record and returns: column that we would write →
its name in that record"""


def published_fact(
    format_name: str,
    published: Sequence[Record],
    ours: Sequence[Record],
    facts: Mapping[str, str] = {},
    names: NamesInFile = lambda columns: {},
) -> dict[str, str]:
    """Return the fact PUBLISHED of an item, from which `as_published` restores the file's records.

    Args:
        format_name: the format of the file, the only one in which the records are restored.
        published: the records of the item in its file.
        ours: the records that we would write for the item.
        facts: the item's other facts, by column.
        names: names in the file for columns of `ours`.

    Returns:
        A fact with a note on each record: its columns (null: those of `ours`) and the values that
        are neither in `ours` nor in `facts`. No fact if the file has just what we would write.
    """
    notes: list[tuple[tuple[str, ...] | None, dict[str, Any]]] = []
    for record, our_record in zip(published, ours, strict=True):
        columns = tuple(record)
        has_our_columns = columns == tuple(our_record)
        if has_our_columns and all(map(is_, record.values(), our_record.values())):
            notes.append((None, {}))  # most records: the very same objects are compared fastest
            continue
        known = our_record
        if not has_our_columns:
            known = {**from_facts(facts), **_renamed(our_record, names(columns))}
        changed = {
            name: value for name, value in record.items() if not _is_same(value, known.get(name))
        }
        notes.append((None if has_our_columns else columns, changed))
    has_difference = any(columns is not None or changed for columns, changed in notes)
    return {PUBLISHED: to_json([format_name, *notes])} if has_difference else {}


def _is_same(value: object, other: object) -> bool:
    """Return whether two values are written alike: 1, 1.0 and True are equal, but not the same."""
    return value is other or (value == other and type(value) is type(other))


def _renamed(record: Record, names: Mapping[str, str]) -> Record:
    """Return a record with some columns renamed; `names` maps old names to new ones."""
    return {names.get(name, name): value for name, value in record.items()} if names else record


def as_published(
    format_name: str,
    facts: Mapping[str, str],
    ours: Sequence[Record],
    other_values: Mapping[str, Any] = {},
    sentences: frozenset[str] = frozenset(),
    names: NamesInFile = lambda columns: {},
) -> list[dict[str, Any]]:
    """Return the records of an item with the values of its file, by its fact PUBLISHED.

    Args:
        format_name: the format to write; `ours` is returned if the item's file has another one.
        facts: the facts of the item.
        ours: the records that we would write; they are returned if there is no fact, or one about
            another number of records.
        other_values: the item's other facts as plain values, by column.
        sentences: columns of text. Such a column keeps its published value only if that differs
            from ours in nothing but blanks: the item may have other words by now.
        names: names in the file for columns of `ours`.
    """
    content = read_back(facts[PUBLISHED]) if PUBLISHED in facts else None
    format_of_file, *notes = content if isinstance(content, list) and content else [None]
    if format_of_file != format_name or len(notes) != len(ours) or not all(map(_is_note, notes)):
        return [dict(record) for record in ours]
    records = []
    for our_record, (columns, published) in zip(ours, notes, strict=True):
        names_in_file = names(columns or ())
        current = _renamed(our_record, names_in_file)
        outdated = {
            name
            for name in (names_in_file.get(column, column) for column in sentences)
            if name in current and name in published
            and _without_blanks(published[name]) != _without_blanks(current[name])
        }  # fmt: skip
        kept = {name: value for name, value in published.items() if name not in outdated}
        values = {**other_values, **current, **kept}
        columns = our_record if columns is None else columns
        records.append({name: values.get(name) for name in columns})
    return records


def _is_note(note: object) -> bool:
    """Return whether a value is a note on a published record: a list of its columns (None if they
    are ours) and of the values that we would write differently (column → value)."""
    match note:
        case [None, dict()]:
            return True
        case [list(columns), dict()]:
            return all(isinstance(column, str) for column in columns)
    return False


def _without_blanks(value: object) -> str:
    """Return a value as text without any blanks."""
    return "".join(str(value).split())
