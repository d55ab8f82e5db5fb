"""The format of a file or folder, told by what it holds: nothing is unpickled, loaded or run."""

import re
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.files import MANIFEST, opened
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
    ("right", "wrong"),
    ("right_sentence", "wrong_sentence"),
    ("correct", "incorrect"),
    ("acceptable", "unacceptable"),
)
"""Columns of the right and the wrong sentence in tables of pairs, published or one's own."""
FILES = (  # what folders of other tools hold
    ("blimp", ".jsonl"),
    ("clams", ".txt"),
    ("gold", ".gold"),
    ("linzen2016", ".gold"),
    ("marvin_linzen", ".pickle"),
    ("reflexives", ".csv"),
)
DEEP = {"reflexives": ".csv"}  # whose files may be in folders of the folder
SINGLE = (("syntaxgym", ".json"), ("jsonl", ".jsonl"), ("pair_table", (".csv", ".tsv")))
"""Formats that have a suite a file: a folder of such files is as many suites."""


def format_told(path: Path) -> str:
    """The name of a format, or "" where the content tells none. Raises `InputError` for a file that
    cannot be read."""
    if path.is_dir():
        return named_in(path, "format") or _by_files(path) or next(iter(_single(path)), "")
    beside = gold_of(path)
    raw = _head(beside or path)
    if PICKLE.match(raw):
        return "marvin_linzen"
    head = _text(raw)
    return _by_gold(head) if beside else _by_head(head)


def suites_in(folder: Path) -> list[Path]:
    """The files of a folder each of which is a suite of its own; none of any other folder.

    Raises `InputError` for a file that is no suite beside others that are.
    """
    if not folder.is_dir() or named_in(folder, "format") or _by_files(folder):
        return []
    for name, files in _single(folder).items():
        for file in files:
            if format_told(file) != name:
                wrong = "this is no suite, as others in its folder are"
                raise InputError(str(file), wrong, "a folder of suites alone", kind="format")
        return files
    return []


def _single(folder: Path) -> dict[str, list[Path]]:
    """Format → the files with its ending, of the formats that some file of a folder is of."""
    there = [file for file in sorted(folder.iterdir()) if file.is_file() and file.name[0] != "."]
    found: dict[str, list[Path]] = {}
    for name, ending in SINGLE:
        own = [file for file in there if file.name.removesuffix(".gz").endswith(ending)]
        own = [file for file in own if file.name != MANIFEST]
        if any(format_told(file) == name for file in own):
            found[name] = own
    return found


def demand_table(path: Path) -> None:
    """Raises `InputError` for a table that nobody knows by its columns, with columns that would
    do; one that has most columns of some format is left to that format's reader."""
    first = _first_line(path).rstrip("\r")
    cells = _cells(first, _delimiter(first))
    known = (needed for _, _, needed in COLUMNS)
    if any(2 * len({*needed}.intersection(cells)) >= len(needed) for needed in known):
        return
    pairs = ", ".join(" and ".join(pair) for pair in (("right", "wrong"), *PAIRS[:2]))
    raise InputError(
        f"{path}:1",
        f"no columns of a right and a wrong sentence in {first[:60]!r}",
        f"a header with {pairs}, or the columns of another format (docs/formats.md)",
        kind="missing",
    )


def demand_keys(path: Path) -> None:
    """Raises `InputError` for JSON lines none of which, as far as one looks, has a key of ours or
    of BLiMP's."""
    head = _text(_head(path))
    if not head.startswith("{") or _by_keys(head):
        return
    wrong = "no item, and no pair of sentences"
    right = "sentence_good and sentence_bad in every line, or item_id and conditions"
    raise InputError(f"{path}:1", wrong, right, kind="format")


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
    cells = {cell.strip().casefold(): cell for cell in _cells(line, _delimiter(line))}
    found = (pair for pair in PAIRS if all(each in cells for each in pair))
    return next(((cells[right], cells[wrong]) for right, wrong in found), None)


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


def _by_keys(head: str) -> str:
    """The format of JSON lines: by the first line if it has all its keys, else (the first line may
    be broken) by the keys that any of the lines has."""
    for text, enough in ((head.partition("\n")[0], all), (head, all), (head, any)):
        for name, keys in KEYS:
            if enough(re.search(rf'"{key}"\s*:', text) for key in keys):
                return name
    return ""


def _by_head(head: str) -> str:
    first, _, _ = head.partition("\n")
    if DOCUMENT.match(head):
        return "syntaxgym"
    if head.startswith("{"):
        return _by_keys(head)
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
