"""The format of a file or folder, told by what it holds: nothing is unpacked, loaded or run."""

import re
from pathlib import Path

from colorless_green.data.files import opened
from colorless_green.nonce.formats.folder import named_in

HEAD = 1 << 16  # bytes looked at: the header of a table, or the first keys of an object
DOCUMENT = re.compile(r'\{\s*"(?:meta|region_meta|predictions|items)"\s*:')
KEYS = (  # of the first line's object; an item of ours may hold the others' names as texts
    ("jsonl", ("item_id", "conditions")),
    ("blimp", ("sentence_good", "sentence_bad")),
)
COLUMNS = (
    ("tab", "\t", ("pattern", "constr_id", "class", "len_prefix")),
    ("multiblimp", "\t", ("sen", "wrong_sen", "swap_head")),
    ("syntaxgym_csv", ",", ("item_number", "condition_name", "region_number", "content")),
)
FILES = (("blimp", ".jsonl"), ("clams", ".txt"))  # what folders of other tools hold


def format_told(path: Path) -> str:
    """The name of a format, or "" where the content tells none. Raises `InputError` for a file that
    cannot be read."""
    if path.is_dir():
        return named_in(path, "format") or _by_files(path)
    with opened(path) as stream:
        head = stream.read(HEAD).decode("utf-8", errors="replace").removeprefix("\ufeff")
    return _by_head(head.lstrip())


def _by_files(folder: Path) -> str:
    for file in sorted(folder.iterdir()):
        for name, ending in FILES:
            plain = file.name.removesuffix(".gz")
            if plain.endswith(ending) and file.is_file() and format_told(file) == name:
                return name
    return ""


def _by_head(head: str) -> str:
    first, _, _ = head.partition("\n")
    if DOCUMENT.match(head):
        return "syntaxgym"
    if head.startswith("{"):
        told = (
            name for name, keys in KEYS if all(re.search(rf'"{key}"\s*:', first) for key in keys)
        )
        return next(told, "")
    if re.match(r"(?:True|False)\t", first):
        return "clams"
    for name, delimiter, needed in COLUMNS:
        cells = [cell.strip('"\r') for cell in first.split(delimiter)]
        if all(column in cells for column in needed):
            return name
    return ""


def is_suite(path: Path) -> bool:
    """Whether a path is a file, or a folder that tells of a suite, and not a suite's name."""
    return path.is_file() or (path.is_dir() and format_told(path) != "")
