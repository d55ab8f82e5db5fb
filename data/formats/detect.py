"""The format of a file or folder, told by what it holds: nothing is unpickled, loaded or run."""

import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

from ..files import MANIFEST
from ..opening import head_of, head_text
from ..records import headers, malformed, unpacked_name
from ..registry import abridged, nearest
from .aligned import gold_of
from .format import benchmark_files, in_manifest

ENDINGS = {
    ".csv": "pair_table", ".gold": "gold", ".json": "syntaxgym", ".jsonl": "jsonl",
    ".pickle": "marvin_linzen", ".tab": "tab",
}  # fmt: skip
"""What a file's ending says of its format; what to read is first told by its content."""
PICKLE = re.compile(rb"\x80[\x02-\x05]|\(d(?:p[0-9]+\n|S['\"])|\}(?:q.)?[(XU]", re.DOTALL)
"""How the pickle of a dictionary begins, in protocols 2 to 5, 0 and 1."""
KEYS = (  # of the first line's object; an item of ours may hold the others' names as texts
    ("jsonl", ("item_id", "conditions")),
    ("blimp", ("sentence_good", "sentence_bad")),
)
BEGINNINGS = (  # of a text
    ("syntaxgym", re.compile(r'\{\s*"(?:meta|region_meta|predictions|items)"\s*:')),
    ("clams", re.compile(r"(?:True|False)\t")),
)
GOLD = (  # cells of a line without a header
    ("gold", re.compile(r"[LR]!\S+!\S+!\S+\t\d+\t\d+\t\d+\t(?:[^\t]*\t){5}\d+\t[^\t]*\t[^\t]*")),
    ("linzen2016", re.compile(r"\d+\t[^\t]+\t[^\t]+\t\d+")),
)
TOKENS = ("sentence_id", "token_id", "token", "surprisal")
Tables: TypeAlias = Mapping[str, tuple[str, ...]]
"""Name of a table → columns that tell it"""
SUITES: Tables = {
    "tab": ("pattern", "constr_id", "class", "len_prefix"),
    "multiblimp": ("sen", "wrong_sen", "swap_head"),
    "syntaxgym_csv": ("item_number", "condition_name", "region_number", "content"),
    "reflexives": ("counterbalance", "mismatch_position", "pronoun", "sentence"),
}
PAIRS = (
    ("sentence_good", "sentence_bad"),
    ("good_sentence", "bad_sentence"),
    ("grammatical", "ungrammatical"),
    ("source_sentence", "target_sentence"),
    ("good", "bad"),
    ("right", "wrong"),
    ("right_sentence", "wrong_sentence"),
    ("correct", "incorrect"),
    ("acceptable", "unacceptable"),
)
"""Columns of the right and the wrong sentence in tables of pairs, published or one's own."""
FILES = {  # what folders of other tools hold, by format
    "blimp": ".jsonl",
    "clams": ".txt",
    "gold": ".gold",
    "linzen2016": ".gold",
    "marvin_linzen": ".pickle",
    "reflexives": ".csv",
}
DEEP = "reflexives"  # whose files may be in folders of the folder
SINGLE = {
    "syntaxgym": (".json",), "jsonl": (".jsonl",), "syntaxgym_csv": (".csv",),
    "pair_table": (".csv", ".tsv"), "multiblimp": (".tsv",),
}  # fmt: skip
"""Formats that have a suite a file: a folder of such files is as many suites."""
PER_LANGUAGE = "data.tsv"
"""MultiBLiMP's table in the folder of a language: a folder of these is as many suites, too."""


def detect_format(path: Path) -> str:
    """Return the format of a file or folder, as its content tells it.

    Args:
        path: of a suite, or of anything else.

    Returns:
        A key of `FORMATS`; "" where the content tells none.

    Raises:
        InputError: the file cannot be read.

    >>> _ = Path("pairs.csv").write_text("good,bad\\nThe keys are old.,The keys is old.\\n")
    >>> detect_format(Path("pairs.csv"))
    'pair_table'
    """
    if path.is_dir():
        if benchmark_files(path):
            return "jsonl"
        return in_manifest(path, "format") or _by_files(path) or next(iter(_suite_files(path)), "")
    gold = gold_of(path)
    raw = head_of(gold or path)
    if PICKLE.match(raw):
        return "marvin_linzen"
    head = head_text(raw).lstrip()
    if gold:
        first_line = head.partition("\n")[0].rstrip("\r")
        return next((name for name, cells in GOLD if cells.fullmatch(first_line)), "")
    for name, beginning in BEGINNINGS:
        if beginning.match(head):
            return name
    if head.startswith("{"):
        return _by_keys(head)
    under = headers(head).values()
    return table_with(under, SUITES) or ("pair_table" if any(map(pair_columns, under)) else "")


def suites_in(folder: Path) -> list[Path]:
    """Return the files of a folder each of which is a suite of its own; none of any other folder.

    Raises `InputError` for a file that is no suite beside others that are.
    """
    if languages := benchmark_files(folder):
        return list(languages.values())
    if not folder.is_dir() or in_manifest(folder, "format") or _by_files(folder):
        return []
    for name, files in _suite_files(folder).items():
        for file in files:
            if detect_format(file) != name:
                wrong = "this is no suite, as others in its folder are"
                raise malformed(str(file), wrong, "a folder of suites alone")
        return files
    return []


def _suite_files(folder: Path) -> dict[str, list[Path]]:
    """Return the files with its ending for each format that some file of a folder is of."""
    present = [
        file
        for file in sorted(folder.iterdir())
        if file.is_file() and file.name[0] != "." and file.name != MANIFEST
    ]
    by_format = {
        name: [file for file in present if unpacked_name(file).endswith(endings)]
        for name, endings in SINGLE.items()
    }
    inner = sorted(folder.glob(f"[!.]*/{PER_LANGUAGE}*"))
    by_format["multiblimp"] += [file for file in inner if unpacked_name(file) == PER_LANGUAGE]
    return {
        name: files
        for name, files in by_format.items()
        if any(detect_format(file) == name for file in files)
    }


def format_to_read(path: Path, names: Iterable[str]) -> str:
    """Return the format to read a file or folder in: the one that its content tells, or else that
    of its ending where the content does not speak against it.

    Raises `InputError` for a file or folder whose content and name tell no format; it lists the
    names of all formats.
    """
    if by_content := detect_format(path):
        return by_content
    name, head = unpacked_name(path), "" if path.is_dir() else head_text(head_of(path)).lstrip()
    first_line, under = head.partition("\n")[0], headers(head).values()
    by_ending = next((label for end, label in ENDINGS.items() if name.endswith(end)), "")
    wrong = "its content does not tell its format"
    right = f"colorless import {path} --format NAME, {nearest('', sorted(names))}"
    if path.is_dir():
        entries = sorted(entry.name for entry in path.iterdir() if entry.name[0] != ".")
        inside = f"one of what is in it ({abridged(entries, 5)})"
        right = f"{inside}, or colorless import {path} --format NAME"
    elif table_with(under, {"tokens": TOKENS}):
        wrong, right = "these are surprisals, not sentences", f"score SUITE --model table:{path}"
    elif name.endswith(".txt") and "\t" not in first_line:
        right = (
            f"a table or lines of pairs; colorless surprisal {path} measures the words of a text"
        )
    elif name.endswith((".csv", ".tsv")):
        has_half = any(
            2 * len({*needed}.intersection(cells)) >= len(needed)
            for needed in SUITES.values()
            for cells in under
        )
        if name.endswith(".csv") and has_half:
            return "syntaxgym_csv"
        return "pair_table"  # whose reader says which columns it has not
    elif name.endswith(".jsonl") and first_line.startswith("{"):
        right = "sentence_good and sentence_bad in every line, or item_id and conditions"
        raise malformed(f"{path}:1", "no item, and no pair of sentences", right)
    elif name.endswith(".conllu"):
        right = f"colorless mine {path}"
    elif by_ending:
        return by_ending
    raise malformed(str(path), wrong, right)


def pair_columns(columns: Iterable[str]) -> tuple[str, str] | None:
    """Return the columns of a table that hold right and wrong sentences; `None` if it has none."""
    cells = {cell.strip().casefold(): cell for cell in columns}
    matching = (pair for pair in PAIRS if all(name in cells for name in pair))
    return next(((cells[right], cells[wrong]) for right, wrong in matching), None)


def table_with(under: Collection[Collection[str]], tables: Tables) -> str:
    """Return the name of the table whose columns one of these headers has; "" if none has."""
    fitting = (name for name, needed in tables.items() if any({*needed} <= {*e} for e in under))
    return next(fitting, "")


def _by_files(folder: Path) -> str:
    """Return the format of the first file of a folder that has one of FILES and its ending."""
    formats = filter(None, map(_by_file, sorted(folder.iterdir())))
    inner = map(_by_file, sorted(folder.glob(f"[!.]*/*{FILES[DEEP]}*")))
    return next(formats, "") or next((name for name in inner if name == DEEP), "")


def _by_file(file: Path) -> str:
    plain = unpacked_name(file)
    fitting = (name for name, ending in FILES.items() if plain.endswith(ending) and file.is_file())
    return next((name for name in fitting if detect_format(file) == name), "")


def _by_keys(head: str) -> str:
    """Return the format of JSON lines: that all of whose keys come in them, or else any."""
    for enough in (all, any):
        for name, keys in KEYS:
            if enough(re.search(rf'"{key}"\s*:', head) for key in keys):
                return name
    return ""


def is_suite(path: Path) -> bool:
    """Return whether a path is a file, or a folder that tells of a suite, and not a suite's
    name."""
    return path.is_file() or (path.is_dir() and detect_format(path) != "")
