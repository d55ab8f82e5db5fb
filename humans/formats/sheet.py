"""Tables of other programs: comma, semicolon or tab, quoted as CSV does, UTF-8 with or without BOM.

Cells are text and stay text: nothing is evaluated, and a cell that begins with `=` is a word like
any other.
"""

import csv
import io
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.files import opened

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab"}
WHOLE = re.compile(r"[+-]?[0-9]+")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Line:
    """A row of cells, trimmed, by the name of their column, and where it begins."""

    place: str  # file:line
    cells: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table in memory, as its file has it."""

    path: Path
    delimiter: str
    columns: tuple[str, ...]
    lines: tuple[Line, ...]


def read_sheet(path: Path, wanted: Sequence[str], delimiters: str = ",;\t") -> Sheet:
    """The table in `path`, with that delimiter under which the header has most of `wanted`.

    Blank lines are passed over. Raises `InputError` for bytes that are not UTF-8, an empty file, a
    column that comes twice, broken quoting, or a row of another length than the header.
    """
    text = _text(path)
    delimiter = max(delimiters, key=lambda each: _fit(text, each, wanted))
    rows = _rows(text, delimiter, path)
    header = next(rows, None)
    if header is None:
        raise InputError(str(path), "the file is empty", "a table with a header line")
    columns = tuple(header[1])
    for column in columns:
        if columns.count(column) > 1:
            raise InputError(
                f"{path}:{header[0]}", f"two columns {column!r}", "a name of its own for each"
            )
    lines = []
    for number, cells in rows:
        if len(cells) != len(columns):
            raise InputError(
                f"{path}:{number}", f"{len(cells)} cells", f"{len(columns)}, as in the header"
            )
        lines.append(Line(f"{path}:{number}", dict(zip(columns, cells, strict=True))))
    return Sheet(path, delimiter, columns, tuple(lines))


def whole(line: Line, column: str) -> int | None:
    """The cell as a whole number; None where it is empty or there is no such column."""
    text = line.cells.get(column, "")
    if not text:
        return None
    if WHOLE.fullmatch(text) is None or len(text) > 18:
        raise InputError(line.place, f"{column} is {text!r}", "a whole number, or nothing")
    return int(text)


def number(line: Line, column: str, decimal: str = ".") -> float | None:
    """The cell as a finite number; None where it is empty or there is no such column."""
    text = line.cells.get(column, "")
    if not text:
        return None
    value = float(text.replace(decimal, ".")) if is_number(text, decimal) else math.inf
    if not math.isfinite(value):
        raise InputError(line.place, f"{column} is {text!r}", "a number, or nothing")
    return value


def is_number(text: str, decimal: str = ".") -> bool:
    """Whether a cell is written as a number (`nan` and `inf` are words)."""
    return NUMBER.fullmatch(text.replace(decimal, ".")) is not None


def _text(path: Path) -> str:
    with opened(path) as stream:
        raw = stream.read()
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{path}:{line}",
            f"byte {raw[error.start]:#04x} is not UTF-8",
            "a file saved as UTF-8",
        ) from None


def _fit(text: str, delimiter: str, wanted: Sequence[str]) -> tuple[int, int]:
    """How many of `wanted` the header has under this delimiter, and how many cells."""
    header = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), [])
    names = [cell.strip() for cell in header]
    return sum(name in names for name in wanted), len(names)


def _rows(text: str, delimiter: str, path: Path) -> Iterator[tuple[int, list[str]]]:
    """(line number from 1 where the row begins, cells) for each row that is not blank."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        start = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InputError(
                f"{path}:{start}",
                f"not a row of a table ({error})",
                'quotes doubled, as in "a ""b"""',
            ) from None
        if any(cell.strip() for cell in cells):
            yield start, [cell.strip() for cell in cells]
