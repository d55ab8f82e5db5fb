"""Tables of other programs: comma, semicolon, tab or bar, quoted as CSV does, UTF-8 or UTF-16.

Cells are text and stay text: nothing is evaluated, and a cell that begins with `=` is a word like
any other.
"""

import io
import math
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TypeAlias

from ...data.errors import InputError
from ...data.opening import HEAD, opened, opened_text
from ...data.records import by_column, headers, rows

WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
MARKED = re.compile(r"[+-]?([0-9]+([.,][0-9]+)*[.,]?|[.,][0-9]+)([eE][+-]?[0-9]+)?")
GROUPED = re.compile(r"[+-]?[1-9][0-9]{0,2}([.,][0-9]{3})+")  # thousands, or three decimals
OTHER = {".": ",", ",": "."}
HASTY_MS = 100.0  # nobody reads a sentence and answers in less
UTF8 = "utf-8-sig"


SheetRow: TypeAlias = tuple[str, dict[str, str]]
"""Where a row begins (file:line), and its cells, trimmed, by the name of their column."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table in memory, as its file has it."""

    path: Path
    delimiter: str
    columns: tuple[str, ...]
    rows: list[SheetRow]


def read_sheet(
    path: Path, expected: Collection[str], delimiter: str = "", encoding: str = UTF8
) -> Sheet:
    """Read a table. Raises `InputError` for bytes that are not text in the encoding, and as
    `sheet_of` does."""
    return sheet_of(text_in(path, encoding), path, expected, delimiter)


def sheet_of(
    text: str, path: Path, expected: Collection[str], delimiter: str = "", n_optional: int = 0
) -> Sheet:
    """Return the table in a text, with the delimiter that is stated, else that under which the
    header has most of `expected`.

    `path` is for messages. The last `n_optional` cells of a row may be left out, and are then
    empty. Raises `InputError` for a text without a header, and as `rows` and `by_column` do.
    """
    under = headers(text[:HEAD])

    def fit(delimiter: str) -> tuple[int, int]:
        """Count the columns of `expected` in the header under a delimiter, and its cells."""
        names = {cell.strip() for cell in under[delimiter]}
        return len(names.intersection(expected)), len(under[delimiter])

    delimiter = delimiter or max(under, key=fit, default=",")
    numbered = enumerate(io.StringIO(text, newline=""), start=1)
    records = (
        (location, [cell.strip() for cell in cells])
        for location, cells in rows(((f"{path}:{n}", line) for n, line in numbered), delimiter)
    )
    location, header = next(records, ("", []))
    if not header:
        wrong, right = "the file is empty", "name the columns in its first line"
        raise InputError(str(path), wrong, right, kind="empty")
    full = (
        (start, cells + [""] * min(n_optional, len(header) - len(cells)))
        for start, cells in records
    )
    columns = tuple(header[: max(n for n, name in enumerate(header, start=1) if name)])
    return Sheet(path, delimiter, columns, [*by_column(location, header, full)])


def integer(text: str, name: str, location: str) -> int | None:
    """Return the whole number in a cell; None for an empty one. Raises `InputError`."""
    if text and WHOLE.fullmatch(text) is None:
        right = "a whole number, or an empty cell"
        raise InputError(location, f"{name} is {text!r}", right, kind="format")
    return int(text) if text else None


def number(text: str, name: str, location: str, lowest: float = -math.inf) -> float | None:
    """Return the finite number in a cell, not below `lowest`; None for an empty one. Raises
    `InputError`."""
    if not text:
        return None
    value = float(text) if is_number(text) else math.inf
    if math.isfinite(value) and value >= lowest:
        return value
    right = "a number, or an empty cell" if lowest < 0 else f"a number from {lowest:g}, or nothing"
    raise InputError(location, f"{name} is {text!r}", right, kind="format")


def is_number(text: str) -> bool:
    """Tell whether a cell is written as a number (`nan` and `inf` are words)."""
    return NUMBER.fullmatch(text) is not None


def decimal_sign(cells: Iterable[str], usual: str, *, times: bool) -> str:
    """Return the mark before the fractions of a column of numbers: a point or a comma.

    The other of the two may separate thousands. A cell with both, with one of them twice, or with
    other than three digits after it, decides. Where every cell could be read either way (`1.203`),
    `usual` holds for a column of `times` only if they then are milliseconds of somebody who
    answers: with a median below `HASTY_MS` the mark separates thousands.
    """
    numbers = [cell for cell in cells if MARKED.fullmatch(cell)]
    signs, ambiguous = set(), ""
    for cell in numbers:
        marks = [mark for mark in cell if mark in OTHER]
        if len(set(marks)) == 2:
            signs.add(marks[-1])
        elif len(marks) > 1:
            signs.add(OTHER[marks[0]])
        elif marks and not GROUPED.fullmatch(cell):
            signs.add(marks[0])
        elif marks:
            ambiguous = ambiguous or marks[0]
    if len(signs) == 1:
        return signs.pop()
    if signs or not ambiguous:
        return usual
    is_thousands = times and median(float(c.replace(",", ".")) for c in numbers) < HASTY_MS
    return OTHER[ambiguous] if is_thousands else ambiguous


def with_point(cell: str, decimal: str) -> str:
    """Return a number with a decimal point and nothing between thousands; other text as it is."""
    if MARKED.fullmatch(cell) is None:
        return cell
    if GROUPED.fullmatch(cell.partition(decimal)[0]):
        cell = cell.replace(OTHER[decimal], "")
    return cell.replace(decimal, ".")


def text_in(path: Path, encoding: str = UTF8) -> str:
    """Return the whole of a text file, packed or not. Raises `InputError` as `decoded` does."""
    with opened_text(path) if encoding == UTF8 else opened(path) as stream:
        return decoded(stream.read(), path, encoding)


def decoded(raw: bytes, path: Path, encoding: str = UTF8) -> str:
    """Return bytes as text. Raises `InputError` with the line where they are none, or hold a
    NUL."""
    label = "UTF-8" if encoding == UTF8 else encoding
    wrong, line = "", 0
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        wrong = f"byte {raw[error.start]:#04x} is not {label}"
        line = raw.count(b"\n", 0, error.start) + 1
    else:
        if (nul := text.find("\0")) < 0:
            return text
        wrong, line = "a NUL character", text.count("\n", 0, nul) + 1
    raise InputError(f"{path}:{line}", wrong, f"a text file saved as {label}", kind="unreadable")
