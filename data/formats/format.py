"""What file formats of suites share: the functions of one, folders of several files, and what a
published file says that we would not.

A folder that is written has a manifest with the hash of each file, which says of what format it is
and what of the suite is not in the items: its name, metric, predictions and `meta`. Formats that
add the items themselves lose nothing.

What a published record says that our way of writing its item would not give is kept as a fact, so
that a file comes back value for value.
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
"""The vocabulary is for formats that mark unknown words."""


@dataclass(frozen=True, slots=True)
class Format:
    """A file format of suites: how one is read, and how it is written if it can be."""

    read: Callable[[Path], Suite]
    write: Write | None = None
    needs_licence: bool = False
    """Whether items without a known licence are refused unless they are asked for."""


MADE_BY = "colorless export"
BENCHMARK = "colorless benchmark"  # what makes a folder of a suite a language
BENCHMARK_ITEMS = "items.jsonl"  # of each language
LONGEST_NAME = 120  # file systems take 255 bytes, and names are put together from these
LANGUAGE = re.compile(r"[A-Za-z0-9-]+")  # a BCP-47 code, which leads nowhere else as a path


def export_to(
    path: Path, format_name: str, metadata: Mapping[str, object]
) -> AbstractContextManager[Path]:
    """Open a folder to write files into, which then takes the place of `path` and has its format
    and `metadata` in the manifest. Raises `InputError` where `path` is a file or cannot be
    written."""
    return write_folder(path, {"made_by": MADE_BY, "format": format_name, **metadata})


def suite_name(path: Path, endings: Sequence[str]) -> str:
    """Return the name of the suite of a path: of a folder written here as its manifest has it, else
    the path's without the ending."""
    name = in_manifest(path, "suite")
    return stem(path, endings) if name is None else name


def demand_items(suite: Suite) -> None:
    """Raise `InputError` for a suite without items."""
    if not suite.items:
        location, wrong = f"suite {suite.name}", "there is no item in it"
        raise InputError(location, wrong, "choose a suite with items", kind="empty")


def groups_of(suite: Suite) -> dict[str, str]:
    """Return for each item id the name of its construction, as one that can be a file's: letters
    A–Z, digits and `_`. Two that would be the same, in any case of the letters, are told apart by
    numbers. Raises `InputError` for a suite without items."""
    demand_items(suite)
    labels = {item.item_id: item.construction or "items" for item in suite.items}
    names = file_names(list(labels.values()))
    return {identity: names[label] for identity, label in labels.items()}


def file_names(labels: Sequence[str]) -> Mapping[str, str]:
    """Return for each label a name that can be a file's, different from those of the others, and
    the same in whatever order the labels come: else a folder that is read and written has other
    names."""
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
    """Return `label` in the characters A–Z, a–z, 0–9 and `_`, 120 of them at most."""
    return re.sub(r"[^A-Za-z0-9_]+", "_", label)[:LONGEST_NAME] or "items"


def metadata_of(suite: Suite) -> dict[str, object]:
    """Return everything of a suite but its items, as a manifest holds it."""
    return {
        "suite": suite.name,
        "metric": suite.metric,
        "predictions": [to_list(prediction) for prediction in suite.predictions],
        "meta": suite.meta,
    }


def write_items(path: Path, items: Iterable[Item], more: Mapping[str, Mapping[str, str]]) -> None:
    """Write whole items, one JSON line each; `more` gives further columns by item id."""
    write_jsonl(path, ({**to_record(item), **more.get(item.item_id, {})} for item in items))


def read_folder(format_name: str, items_name: str, path: Path) -> Suite:
    """Read the suite of a folder whose items are in the file `items_name`.

    Raises `InputError` for a folder of another format, and where a file is not as it was written.
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
    """Return the suite of these items, with what a record says of it. Raises `InputError`."""
    meta = get(metadata, "meta", dict, location)
    return Suite(
        text(metadata, "name", location),
        tuple(items),
        tuple(from_list(entry, location) for entry in json_list(metadata, "predictions", location)),
        text(metadata, "metric", location),
        {name: text(meta, name, location) for name in meta},
    )


def in_manifest(path: Path, key: str) -> str | None:
    """Return what the manifest of a folder that was written here says under `key` (`format`,
    `suite`); `None` for anything else."""
    metadata = manifest_facts(path)
    written_here = metadata.get("made_by") == MADE_BY and key in metadata
    return str(metadata[key]) if written_here else None


def benchmark_files(path: Path) -> dict[str, Path]:
    """Return for each language of a folder that `benchmark` has finished its items; nothing of any
    other folder."""
    metadata = manifest_facts(path)
    if metadata.get("made_by") != BENCHMARK or not metadata["files"]:
        return {}
    try:
        codes = [code for code, entry in metadata["languages"].items() if entry["row"]["n_sets"]]
    except (KeyError, TypeError, AttributeError):
        return {}
    return {code: path / code / BENCHMARK_ITEMS for code in codes if LANGUAGE.fullmatch(code)}


def files_of(path: Path, endings: tuple[str, ...]) -> list[Path]:
    """Return `path` itself, or the files of a folder with an ending (`.gz` behind it or not), by
    name.

    Of a file and its packed twin the plain one; hidden files are none. A folder written here gives
    the files it lists. Raises `InputError` for a folder without any.
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


PUBLISHED = "published"  # the fact with what an item's file says and our way of writing it not
Names: TypeAlias = Callable[[Sequence[str]], Mapping[str, str]]
"""What a record with these columns calls a column of ours, where that is something else"""


def published_fact(
    format_name: str,
    raw: Sequence[Record],
    plain: Sequence[Record],
    more: Mapping[str, str] = {},
    names: Names = lambda columns: {},
) -> dict[str, str]:
    """Return the fact PUBLISHED of an item, from which `as_published` makes its records again.

    Args:
        format_name: of the file; only it writes these records again.
        raw, plain: the records of the item in its file, and those that we would write of it.
        more, names: facts of the item, by column; what the file calls columns of `plain`.

    Returns:
        Of each record its columns (null: `plain`'s) and the values that neither `plain` nor `more`
        has; nothing where `plain` is all there was.
    """
    notes: list[tuple[tuple[str, ...] | None, dict[str, Any]]] = []
    is_all = True
    for record, default in zip(raw, plain, strict=True):
        columns = tuple(record)
        is_plain = columns == tuple(default)
        if is_plain and all(map(is_, record.values(), default.values())):  # nearly always
            notes.append((None, {}))
            continue
        base = default if is_plain else {**from_facts(more), **_renamed(default, names(columns))}
        changed = {
            name: value
            for name, value in record.items()
            if value is not (ours := base.get(name))
            and not (value == ours and type(value) is type(ours))
        }
        is_all = is_all and is_plain and not changed
        notes.append((None if is_plain else columns, changed))
    return {} if is_all else {PUBLISHED: to_json([format_name, *notes])}


def _renamed(record: Record, names: Mapping[str, str]) -> Record:
    return {names.get(name, name): value for name, value in record.items()} if names else record


def as_published(
    format_name: str,
    facts: Mapping[str, str],
    plain: Sequence[Record],
    more: Mapping[str, Any] = {},
    sentences: frozenset[str] = frozenset(),
    names: Names = lambda columns: {},
) -> list[dict[str, Any]]:
    """Return the records of an item as `published_fact` saw them, or `plain` where it saw none or
    not as many.

    A column of `sentences` has what was published only where that is the same but for blanks: the
    item may have other words by now.
    """
    noted = read_back(facts[PUBLISHED]) if PUBLISHED in facts else None
    if not (isinstance(noted, list) and noted[:1] == [format_name] and len(noted) == 1 + len(plain)
            and all(map(_is_note, noted[1:]))):  # fmt: skip
        return [dict(record) for record in plain]
    records = []
    for default, (columns, values) in zip(plain, noted[1:], strict=True):
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
    if not (isinstance(note, list) and len(note) == 2 and isinstance(note[1], dict)):
        return False
    columns = note[0]
    is_list = isinstance(columns, list) and all(isinstance(column, str) for column in columns)
    return columns is None or is_list


def _bare(value: object) -> str:
    return "".join(str(value).split())
