"""The format of a file or folder, told by what it holds: nothing is unpickled, loaded or run."""

import re
from pathlib import Path

from colorless_green.data.files import opened
from colorless_green.nonce.formats.aligned import gold_of
from colorless_green.nonce.formats.folder import named_in

HEAD = 1 << 16  # bytes looked at: the header of a table, or the first keys of an object
DOCUMENT = re.compile(r'\{\s*"(?:meta|region_meta|predictions|items)"\s*:')
PICKLE = re.compile(rb"\x80[\x02-\x05]|\(d(?:p[0-9]+\n|S['\"])|\}(?:q.)?[(XU]", re.DOTALL)
"""How the pickle of a dictionary begins, in protocols 2 to 5, 0 and 1."""
KEYS = (  # of the first line's object; an item of ours may hold the others' names as texts
    ("jsonl", ("item_id", "conditions")),
    ("blimp", ("sentence_good", "sentence_bad")),
)
COLUMNS = (
    ("tab", "\t", ("pattern", "constr_id", "class", "len_prefix")),
    ("multiblimp", "\t", ("sen", "wrong_sen", "swap_head")),
    ("syntaxgym_csv", ",", ("item_number", "condition_name", "region_number", "content")),
    ("reflexives", ",", ("counterbalance", "mismatch_position", "pronoun", "sentence")),
)
GOLD = (  # cells of a line without a header
    ("gold", re.compile(r"[LR]!\S+!\S+!\S+\t\d+\t\d+\t\d+\t(?:[^\t]*\t){5}\d+\t[^\t]*\t[^\t]*")),
    ("linzen2016", re.compile(r"\d+\t[^\t]+\t[^\t]+\t\d+")),
)
RESULTS = (  # what was released of models, not of sentences
    ("syntaxgym_results", ("model", "suite", "item", "correct")),
    ("syntaxgym_perplexity", ("model", "corpus", "seed", "test_ppl")),
    ("reflexive_surprisals", ("pronoun", "row", "item", "mismatch_position", "grammatical")),
    ("reflexive_accuracies", ("exp", "model", "pronoun", "total_acc")),
)
TOKENS = ("sentence_id", "token_id", "token", "surprisal")
TOTALS = ("suite", "item_number", "condition_name", "region_number", "surprisal_sum")
SURPRISALS = (("\t", TOKENS), (",", TOTALS))
"""Tables for `--model table:FILE`: what separates their columns, and these."""
PAIRS = (
    ("sentence_good", "sentence_bad"),
    ("good_sentence", "bad_sentence"),
    ("grammatical", "ungrammatical"),
    ("source_sentence", "target_sentence"),
    ("good", "bad"),
)
"""Columns of the right and the wrong sentence in published tables of pairs."""
FILES = (  # what folders of other tools hold
    ("blimp", ".jsonl"),
    ("clams", ".txt"),
    ("gold", ".gold"),
    ("linzen2016", ".gold"),
    ("marvin_linzen", ".pickle"),
    ("reflexives", ".csv"),
)
DEEP = {"reflexives": ".csv"}  # whose files may be in folders of the folder


def format_told(path: Path) -> str:
    """The name of a format, or "" where the content tells none. Raises `InputError` for a file that
    cannot be read."""
    if path.is_dir():
        return named_in(path, "format") or _by_files(path)
    beside = gold_of(path)
    raw = _head(beside or path)
    if PICKLE.match(raw):
        return "marvin_linzen"
    head = _text(raw)
    return _by_gold(head) if beside else _by_head(head)


def results_told(path: Path) -> str:
    """The name of the table of released results that a file is, or ""."""
    cells = _cells(_first_line(path), ",")
    found = (name for name, needed in RESULTS if all(each in cells for each in needed))
    return next(found, "")


def is_surprisals(path: Path) -> bool:
    """Whether a file is a table of surprisals, of tokens or of regions."""
    first = _first_line(path)
    return any(
        all(each in _cells(first, delimiter) for each in needed) for delimiter, needed in SURPRISALS
    )


def is_prose(path: Path) -> bool:
    """Whether a file looks like text: no JSON, and no table by its first line."""
    first = _first_line(path)
    return bool(first.strip()) and first[0] not in "{[" and "\t" not in first


def pair_columns(path: Path) -> tuple[str, str] | None:
    """The columns of a table of pairs: of right and wrong sentences; `None` if it has none."""
    return _pair_columns(_first_line(path))


def delimiter_told(path: Path) -> str:
    """What separates the columns in the header of a table: a tab, a semicolon or a comma."""
    return _delimiter(_first_line(path))


def _head(path: Path) -> bytes:
    with opened(path) as stream:
        return stream.read(HEAD)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", errors="replace").removeprefix("\ufeff").lstrip()


def _first_line(path: Path) -> str:
    return _text(_head(path)).partition("\n")[0]


def _cells(line: str, delimiter: str) -> list[str]:
    return [cell.strip('"\r') for cell in line.split(delimiter)]


def _delimiter(line: str) -> str:
    return next((each for each in "\t;" if each in line), ",")


def _pair_columns(line: str) -> tuple[str, str] | None:
    cells = _cells(line, _delimiter(line))
    return next((pair for pair in PAIRS if all(each in cells for each in pair)), None)


def _by_files(folder: Path) -> str:
    for file in sorted(folder.iterdir()):
        if file.is_file():
            told = _by_ending(file)
            if told:
                return told
    inner = (file for ending in DEEP.values() for file in folder.glob(f"*/*{ending}*"))
    return next((told for file in sorted(inner) if (told := _by_ending(file)) in DEEP), "")


def _by_ending(file: Path) -> str:
    """The format of a file that has one of FILES and its ending."""
    plain = file.name.removesuffix(".gz")
    for name, ending in FILES:
        if plain.endswith(ending) and file.is_file() and format_told(file) == name:
            return name
    return ""


def _by_gold(head: str) -> str:
    first = head.partition("\n")[0].rstrip("\r")
    return next((name for name, cells in GOLD if cells.fullmatch(first)), "")


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
        cells = _cells(first, delimiter)
        if all(column in cells for column in needed):
            return name
    return "pair_table" if _pair_columns(first) else ""


def is_suite(path: Path) -> bool:
    """Whether a path is a file, or a folder that tells of a suite, and not a suite's name."""
    return path.is_file() or (path.is_dir() and format_told(path) != "")
