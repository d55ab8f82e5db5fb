"""What the file formats of suites share: the record `Format`, folders of several files, and the
fact that keeps the values of a published file.

A folder that is written has a manifest with the hash of each file. It also has the folder's format,
and everything of the suite that is not in the items: its name, metric, predictions and `meta`. If
the folder has the items in full as well, nothing is lost.

A published file may have values that we would write differently. They are kept in an item's fact
`published`, so that a file that is read and written again has the same values.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import count
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


MADE_BY = "colorless export"
BENCHMARK = "colorless benchmark"  # the command whose folders have a suite for each language
BENCHMARK_ITEMS = "items.jsonl"  # the file of each language
LONGEST_NAME = 120  # file systems take 255 bytes, and something may be added to a name
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
    name = in_manifest(path, "suite")
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
        name = plain = plain_name(label)
        for number in count(2):
            if name.casefold() not in used_names:
                break
            name = plain[: LONGEST_NAME - len(f"_{number}")] + f"_{number}"
        used_names.add(name.casefold())
        names[label] = name
    return names


def plain_name(label: str) -> str:
    """Return a label in the characters A–Z, a–z, 0–9 and `_`, at most 120 of them."""
    return re.sub(r"[^A-Za-z0-9_]+", "_", label)[:LONGEST_NAME] or "items"


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


def in_manifest(path: Path, key: str) -> str | None:
    """Return the value of a key (`format`, `suite`) in the manifest of a folder that we exported;
    None for anything else."""
    metadata = manifest_facts(path)
    is_export = metadata.get("made_by") == MADE_BY and key in metadata
    return str(metadata[key]) if is_export else None


def benchmark_files(path: Path) -> dict[str, Path]:
    """Return the files of a folder that `benchmark` wrote: language → its file of items.

    Languages without sets have none. {} is returned for any other folder.
    """
    metadata = manifest_facts(path)
    if metadata.get("made_by") != BENCHMARK or not metadata["files"]:
        return {}
    try:
        codes = [code for code, entry in metadata["languages"].items() if entry["row"]["n_sets"]]
    except (KeyError, TypeError, AttributeError):
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
    listed = read_manifest(path)["files"] if in_manifest(path, "format") is not None else None
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
Names: TypeAlias = Callable[[Sequence[str]], Mapping[str, str]]
"""A function that takes the columns of a record and returns: column of ours → its name there"""


def published_fact(
    format_name: str,
    raw: Sequence[Record],
    plain: Sequence[Record],
    more: Mapping[str, str] = {},
    names: Names = lambda columns: {},
) -> dict[str, str]:
    """Return the fact PUBLISHED of an item, from which `as_published` restores the file's records.

    Args:
        format_name: the format of the file, the only one in which the records are restored.
        raw: the records of the item in its file.
        plain: the records that we would write for the item.
        more: the item's other facts, by column.
        names: names in the file for columns of `plain`.

    Returns:
        A fact with, for each record, its columns (null: those of `plain`) and the values that are
        neither in `plain` nor in `more`; no fact if the file has just what we would write.
    """
    notes: list[tuple[tuple[str, ...] | None, dict[str, Any]]] = []
    is_as_ours = True
    for record, default in zip(raw, plain, strict=True):
        columns = tuple(record)
        is_plain = columns == tuple(default)
        if is_plain and all(map(is_, record.values(), default.values())):  # the fast path
            notes.append((None, {}))
            continue
        base = default if is_plain else {**from_facts(more), **_renamed(default, names(columns))}
        changed = {
            name: value
            for name, value in record.items()
            if value is not (ours := base.get(name))
            and not (value == ours and type(value) is type(ours))
        }
        is_as_ours = is_as_ours and is_plain and not changed
        notes.append((None if is_plain else columns, changed))
    return {} if is_as_ours else {PUBLISHED: to_json([format_name, *notes])}


def _renamed(record: Record, names: Mapping[str, str]) -> Record:
    """Return a record with some columns renamed; `names` maps old names to new ones."""
    return {names.get(name, name): value for name, value in record.items()} if names else record


def as_published(
    format_name: str,
    facts: Mapping[str, str],
    plain: Sequence[Record],
    more: Mapping[str, Any] = {},
    sentences: frozenset[str] = frozenset(),
    names: Names = lambda columns: {},
) -> list[dict[str, Any]]:
    """Return the records of an item with the values of its file, by its fact PUBLISHED.

    Args:
        format_name: the format to write; `plain` is returned if the item's file has another one.
        facts: the facts of the item.
        plain: the records that we would write; they are returned if there is no fact, or one about
            another number of records.
        more: the item's other facts, by column.
        sentences: columns of text. Such a column keeps its published value only if that differs
            from ours in nothing but blanks: the item may have other words by now.
        names: names in the file for columns of `plain`.
    """
    notes = read_back(facts[PUBLISHED]) if PUBLISHED in facts else None
    if not (isinstance(notes, list) and notes[:1] == [format_name] and len(notes) == 1 + len(plain)
            and all(map(_is_note, notes[1:]))):  # fmt: skip
        return [dict(record) for record in plain]
    records = []
    for default, (columns, values) in zip(plain, notes[1:], strict=True):
        renamed = names(columns or ())
        base = _renamed(default, renamed)
        changed = {
            name
            for name in (renamed.get(column, column) for column in sentences)
            if name in base and name in values and _bare(values[name]) != _bare(base[name])
        }
        records.append({
            name: values[name] if name in values and name not in changed
            else base.get(name, more.get(name))
            for name in (default if columns is None else columns)
        })  # fmt: skip
    return records


def _is_note(note: object) -> bool:
    """Return whether a value is a note on a published record: a list of its columns (None if they
    are ours) and of the values that we would write differently (column → value)."""
    if not (isinstance(note, list) and len(note) == 2 and isinstance(note[1], dict)):
        return False
    columns = note[0]
    is_list = isinstance(columns, list) and all(isinstance(column, str) for column in columns)
    return columns is None or is_list


def _bare(value: object) -> str:
    """Return a value as text without any blanks."""
    return "".join(str(value).split())
