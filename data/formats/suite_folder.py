"""Folders of several files: those that any tool may have left, and those written here.

A folder that is written has a manifest with the hash of each file, which says of what format it is
and what of the suite is not in the items: its name, metric, predictions and `meta`. Formats that
add the items themselves lose nothing.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import count
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..files import MANIFEST, manifest_facts, read_manifest, write_folder
from ..items.item import Item
from ..items.item_record import from_record, to_record
from ..items.prediction import from_list, to_list
from ..items.suite import Suite, checked
from ..records import get, json_lines, json_list, malformed, stem, text, unpacked_name
from ..tables import write_jsonl

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
