"""Recognise the format of a file or folder by its content. No pickle is loaded, no code is run."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from ..files import MANIFEST
from ..opening import head_of, head_text
from ..records import headers, malformed, unpacked_name
from ..registry import abridged, nearest
from .aligned import gold_of
from .format import benchmark_files, manifest_value

ENDINGS = {
    ".csv": "pair_table", ".gold": "gold", ".json": "syntaxgym", ".jsonl": "jsonl",
    ".pickle": "marvin_linzen", ".tab": "tab",
}  # fmt: skip
"""Ending of a file's name → format, used for writing, and for reading what is not recognised"""
PICKLE = re.compile(rb"\x80[\x02-\x05]|\(d(?:p[0-9]+\n|S['\"])|\}(?:q.)?[(XU]", re.DOTALL)
"""The beginning of a pickled dictionary, in protocols 2 to 5, 0 and 1"""
LINE_KEYS = (  # format → keys of an object in JSON lines; ours first, which can hold the other keys
    ("jsonl", ("item_id", "conditions")),
    ("blimp", ("sentence_good", "sentence_bad")),
)
BEGINNINGS = (  # format → the beginning of its text
    ("syntaxgym", re.compile(r'\{\s*"(?:meta|region_meta|predictions|items)"\s*:')),
    ("clams", re.compile(r"(?:True|False)\t")),
)
GOLD_LINES = (  # format → a line of its `.gold`
    ("gold", re.compile(r"[LR]!\S+!\S+!\S+\t\d+\t\d+\t\d+\t(?:[^\t]*\t){5}\d+\t[^\t]*\t[^\t]*")),
    ("linzen2016", re.compile(r"\d+\t[^\t]+\t[^\t]+\t\d+")),
)
SURPRISAL_COLUMNS = ("sentence_id", "token_id", "token", "surprisal")
Tables: TypeAlias = Mapping[str, tuple[str, ...]]
"""Format of a table → columns by which it is recognised"""
TABLE_COLUMNS: Tables = {
    "tab": ("pattern", "constr_id", "class", "len_prefix"),
    "multiblimp": ("sen", "wrong_sen", "swap_head"),
    "syntaxgym_csv": ("item_number", "condition_name", "region_number", "content"),
    "reflexives": ("counterbalance", "mismatch_position", "pronoun", "sentence"),
}
PAIR_COLUMNS = (
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
"""Names of the columns of the right and the wrong sentence in tables of pairs"""
FOLDER_ENDINGS = {  # format → endings of the files in a folder of it; one-suite formats first
    "blimp": (".jsonl",), "clams": (".txt",), "gold": (".gold",), "linzen2016": (".gold",),
    "marvin_linzen": (".pickle",), "reflexives": (".csv",),
    "syntaxgym": (".json",), "jsonl": (".jsonl",), "syntaxgym_csv": (".csv",),
    "pair_table": (".csv", ".tsv"), "multiblimp": (".tsv",),
}  # fmt: skip
ONE_SUITE = ("blimp", "clams", "gold", "linzen2016", "marvin_linzen", "reflexives")
"""Formats of other tools whose files in a folder are one suite; of others each file is a suite"""
LANGUAGE_TABLE = "data.tsv"
"""The name of MultiBLiMP's table in the folder of each language, which is a suite, too"""
ONE_DEEPER = {"reflexives": "*.csv*", "multiblimp": f"{LANGUAGE_TABLE}*"}
"""Format → names of its files that may be in a folder of the folder, also packed"""


def detect_format(path: Path) -> str:
    """Return the format of a file or folder, recognised by its content.

    Args:
        path: the path of a suite, or of anything else.

    Returns:
        A key of `FORMATS`; "" if the content is that of no format.

    Raises:
        InputError: the file cannot be read.

    >>> _ = Path("pairs.csv").write_text("good,bad\\nThe keys are old.,The keys is old.\\n")
    >>> detect_format(Path("pairs.csv"))
    'pair_table'
    """
    if path.is_dir():
        if benchmark_files(path):
            return "jsonl"
        if by_manifest := manifest_value(path, "format"):
            return by_manifest
        name, _ = next(_folder_formats(path), ("", []))
        return name
    gold = gold_of(path)
    raw = head_of(gold or path)
    if PICKLE.match(raw):
        return "marvin_linzen"
    head = head_text(raw).lstrip()
    if gold:
        first_line = head.partition("\n")[0].rstrip("\r")
        return next((name for name, cells in GOLD_LINES if cells.fullmatch(first_line)), "")
    for name, beginning in BEGINNINGS:
        if beginning.match(head):
            return name
    if head.startswith("{"):
        return _json_lines_format(head)
    possible_headers = headers(head).values()
    has_pairs = any(map(pair_columns, possible_headers))
    by_columns = fitting_table(possible_headers, TABLE_COLUMNS)
    return by_columns or ("pair_table" if has_pairs else "")


def suites_in(folder: Path) -> list[Path]:
    """Return the files of a folder in which each file is a suite of its own; [] for other folders.

    Raises `InputError` if some of its files are suites and another one is not.
    """
    if languages := benchmark_files(folder):
        return list(languages.values())
    if not folder.is_dir() or manifest_value(folder, "format"):
        return []
    name, files = next(_folder_formats(folder), ("", []))
    if name in ONE_SUITE:
        return []
    for file in files:
        if detect_format(file) != name:
            wrong = "this is no suite, as others in its folder are"
            raise malformed(str(file), wrong, "a folder of suites alone")
    return files


def _folder_formats(folder: Path) -> Iterator[tuple[str, list[Path]]]:
    """Yield each format that a file of a folder has by its ending and by its content, with all
    files that have the format's endings, in the order of `FOLDER_ENDINGS`."""
    entries = sorted(folder.iterdir())
    for name, endings in FOLDER_ENDINGS.items():
        deeper = sorted(folder.glob(f"[!.]*/{ONE_DEEPER[name]}")) if name in ONE_DEEPER else []
        files = [
            file
            for file in (*entries, *deeper)
            if unpacked_name(file).endswith(endings)
            and file.is_file() and file.name[0] != "." and file.name != MANIFEST
        ]  # fmt: skip
        if any(detect_format(file) == name for file in files):
            yield name, files


def format_to_read(path: Path, names: Iterable[str]) -> str:
    """Return the format that the content of a file or folder shows, or else its ending.

    A `.csv` or `.tsv` that shows none is taken for a table of SyntaxGym if it is a `.csv` with at
    least half of the columns of any known table, else for a table of pairs; the reader then says
    which columns are missing. Raises `InputError` if neither helps, with advice on what the file
    may be. `names`: all formats, for the message.
    """
    if by_content := detect_format(path):
        return by_content
    wrong = "its content does not tell its format"
    named_import = f"colorless import {path} --format NAME"
    if path.is_dir():
        entries = sorted(entry.name for entry in path.iterdir() if entry.name[0] != ".")
        right = f"one of what is in it ({abridged(entries, 5)}), or {named_import}"
        raise malformed(str(path), wrong, right)
    name = unpacked_name(path)
    by_ending = next((label for ending, label in ENDINGS.items() if name.endswith(ending)), "")
    head = head_text(head_of(path)).lstrip()
    first_line, possible_headers = head.partition("\n")[0], headers(head).values()
    right = f"{named_import}, {nearest('', sorted(names))}"
    if fitting_table(possible_headers, {"surprisals": SURPRISAL_COLUMNS}):
        wrong, right = "these are surprisals, not sentences", f"score SUITE --model table:{path}"
    elif name.endswith(".txt") and "\t" not in first_line:
        right = (
            f"a table or lines of pairs; colorless surprisal {path} measures the words of a text"
        )
    elif name.endswith((".csv", ".tsv")):
        has_half = any(
            2 * len({*needed}.intersection(cells)) >= len(needed)
            for needed in TABLE_COLUMNS.values()
            for cells in possible_headers
        )
        return "syntaxgym_csv" if name.endswith(".csv") and has_half else "pair_table"
    elif name.endswith(".jsonl") and first_line.startswith("{"):
        right = "sentence_good and sentence_bad in every line, or item_id and conditions"
        raise malformed(f"{path}:1", "no item, and no pair of sentences", right)
    elif name.endswith(".conllu"):
        right = f"colorless mine {path}"
    elif by_ending:
        return by_ending
    raise malformed(str(path), wrong, right)


def pair_columns(columns: Iterable[str]) -> tuple[str, str] | None:
    """Return the names of the columns of right and of wrong sentences; None if there are none."""
    as_written = {column.strip().casefold(): column for column in columns}
    for right, wrong in PAIR_COLUMNS:
        if right in as_written and wrong in as_written:
            return as_written[right], as_written[wrong]
    return None


def fitting_table(possible_headers: Collection[Collection[str]], tables: Tables) -> str:
    """Return the name of the first table in `tables` all of whose columns are in one of the
    possible headers (a header for each delimiter); "" if there is none."""
    column_sets = list(map(set, possible_headers))
    for name, needed in tables.items():
        if any(columns.issuperset(needed) for columns in column_sets):
            return name
    return ""


def _json_lines_format(head: str) -> str:
    """Return the format of a text of JSON lines: the first whose `LINE_KEYS` are all there, or else
    the first of which one key is there; "" for none."""
    for all_or_any in (all, any):
        for name, keys in LINE_KEYS:
            if all_or_any(re.search(rf'"{key}"\s*:', head) for key in keys):
                return name
    return ""


def is_suite(path: Path) -> bool:
    """Return whether a path is a file, or a folder with a suite. It may be neither, as a user can
    also name a suite that is in the store."""
    return path.is_file() or (path.is_dir() and detect_format(path) != "")
