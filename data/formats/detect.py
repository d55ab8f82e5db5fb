"""Recognise the format of a file or folder by its content. No pickle is loaded, no code is run."""

import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..files import MANIFEST
from ..opening import head_of, head_text
from ..records import headers, malformed, unpacked_name
from ..registry import abridged, nearest
from ..shell import resource
from .aligned import gold_of
from .format import benchmark_files, manifest_value


@dataclass(frozen=True, slots=True)
class Signs:
    """The signs by which a format is recognised; `signs.toml` has them and explains each."""

    ending: str = ""
    beginning: str = ""
    gold_line: str = ""
    keys: Sequence[str] = ()
    columns: Sequence[str] = ()
    pairs: Sequence[tuple[str, str]] = ()
    in_folder: Sequence[str] = ()
    one_suite: bool = False
    one_deeper: str = ""


SIGNS = {
    name: Signs(**signs)
    for name, signs in tomllib.loads(resource(__package__, "signs.toml")).items()
}
ENDINGS = {signs.ending: name for name, signs in SIGNS.items() if signs.ending}
"""Ending of a file's name → format, used for writing, and for reading what is not recognised"""
PAIR_COLUMNS = SIGNS["pair_table"].pairs
"""Names of the columns of the right and the wrong sentence in tables of pairs"""
JSON_KEY = re.compile(r'"(\w+)"\s*:')
PICKLE = re.compile(rb"\x80[\x02-\x05]|\(d(?:p[0-9]+\n|S['\"])|\}(?:q.)?[(XU]", re.DOTALL)
"""The beginning of a pickled dictionary, in protocols 2 to 5, 0 and 1"""
SURPRISAL_COLUMNS = ("sentence_id", "token_id", "token", "surprisal")


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
        return _first_format(lambda x: x.gold_line and re.fullmatch(x.gold_line, first_line))
    if by_beginning := _first_format(lambda x: x.beginning and re.match(x.beginning, head)):
        return by_beginning
    if head.startswith("{"):
        keys = set(JSON_KEY.findall(head))
        by_all_keys = _first_format(lambda signs: signs.keys and keys.issuperset(signs.keys))
        return by_all_keys or _first_format(lambda signs: not keys.isdisjoint(signs.keys))
    possible_headers = headers(head).values()
    has_pairs = any(map(pair_columns, possible_headers))
    by_columns = _first_format(
        lambda signs: signs.columns and has_columns(possible_headers, signs.columns)
    )
    return by_columns or ("pair_table" if has_pairs else "")


def _first_format(fits: Callable[[Signs], object]) -> str:
    """Return the first format whose signs fit; "" if there is none."""
    return next((name for name, signs in SIGNS.items() if fits(signs)), "")


def suites_in(folder: Path) -> list[Path]:
    """Return the files of a folder in which each file is a suite of its own; [] for other folders.

    Raises `InputError` if some of its files are suites and another one is not.
    """
    if languages := benchmark_files(folder):
        return list(languages.values())
    if not folder.is_dir() or manifest_value(folder, "format"):
        return []
    name, files = next(_folder_formats(folder), ("", []))
    if not name or SIGNS[name].one_suite:
        return []
    for file in files:
        if detect_format(file) != name:
            wrong = "this is no suite, as others in its folder are"
            raise malformed(str(file), wrong, "a folder of suites alone")
    return files


def _folder_formats(folder: Path) -> Iterator[tuple[str, list[Path]]]:
    """Yield each format that a file of a folder has by its ending and by its content, with all
    files that have the format's endings, in the order of `SIGNS`."""
    entries = sorted(folder.iterdir())
    for name, signs in SIGNS.items():
        deeper = sorted(folder.glob(f"[!.]*/{signs.one_deeper}")) if signs.one_deeper else []
        files = [
            file
            for file in (*entries, *deeper)
            if unpacked_name(file).endswith(tuple(signs.in_folder))
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
    if has_columns(possible_headers, SURPRISAL_COLUMNS):
        wrong, right = "these are surprisals, not sentences", f"score SUITE --model table:{path}"
    elif name.endswith(".txt") and "\t" not in first_line:
        right = (
            f"a table or lines of pairs; colorless surprisal {path} measures the words of a text"
        )
    elif name.endswith((".csv", ".tsv")):
        has_half = any(
            2 * len({*signs.columns}.intersection(cells)) >= len(signs.columns)
            for signs in SIGNS.values()
            for cells in possible_headers
            if signs.columns
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


def has_columns(possible_headers: Iterable[Collection[str]], needed: Collection[str]) -> bool:
    """Return whether all the needed columns are in one of the possible headers of a table (one for
    each delimiter)."""
    return any({*needed}.issubset(header) for header in possible_headers)


def is_suite(path: Path) -> bool:
    """Return whether a path is a file, or a folder with a suite. It may be neither, as a user can
    also name a suite that is in the store."""
    return path.is_file() or (path.is_dir() and detect_format(path) != "")
