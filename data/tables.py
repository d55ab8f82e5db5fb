"""Tables as text: TSV files, JSON lines, and columns for people on a terminal.

TSV as promised in the documentation: a header line, `.` as decimal point, empty for missing. A
tab, line end or backslash inside a cell is written `\\t`, `\\n`, `\\r`, `\\\\`, so that one row is
one line whatever its text holds.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from colorless_green.data.errors import InputError
from colorless_green.data.files import numbered_lines, write_whole

Cell: TypeAlias = str | int | float | bool | None
Row: TypeAlias = Mapping[str, Cell]

SURROGATE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])")
ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
UNESCAPES = {value: key for key, value in ESCAPES.items()}


def write_tsv(path: Path, columns: Sequence[str], rows: Iterable[Row]) -> int:
    """Writes `rows` with exactly `columns`, whole or not at all; how many rows there were."""
    n_rows = 0
    with write_whole(path) as stream:
        stream.write("\t".join(columns) + "\n")
        for row in rows:
            stream.write("\t".join(_to_text(row.get(column)) for column in columns) + "\n")
            n_rows += 1
    return n_rows


def _to_text(value: Cell) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float):
        return repr(value) if value != int(value) or abs(value) >= 1e16 else str(int(value))
    text = str(value)
    return "".join(ESCAPES.get(each, each) for each in text) if _needs_escape(text) else text


def _needs_escape(text: str) -> bool:
    return any(each in text for each in ESCAPES)


def read_tsv(path: Path, needed: Sequence[str] = ()) -> Iterator[dict[str, str]]:
    """Rows of a TSV file as written by `write_tsv`, every cell a string.

    Raises `InputError` for an empty file, a missing column of `needed`, or a row of another length.
    """
    lines = numbered_lines(path)
    header = next(lines, None)
    if header is None:
        raise InputError(str(path), "the file is empty", "a table with a header line", kind="empty")
    columns = header[1].split("\t")
    missing = [column for column in needed if column not in columns]
    if missing:
        raise InputError(
            f"{path}:1",
            f"no column {missing[0]!r}",
            f"a header with {', '.join(needed)}",
            kind="missing",
        )
    for number, line in lines:
        cells = line.split("\t")
        if len(cells) != len(columns):
            raise InputError(
                f"{path}:{number}",
                f"{len(cells)} cells",
                f"{len(columns)}, as in the header",
                kind="format",
            )
        yield dict(zip(columns, map(_from_text, cells), strict=True))


def _from_text(text: str) -> str:
    if "\\" not in text:
        return text
    result, index = [], 0
    while index < len(text):
        pair = text[index : index + 2]
        result.append(UNESCAPES.get(pair, text[index]))
        index += 2 if pair in UNESCAPES else 1
    return "".join(result)


def to_json_line(row: Mapping[str, Any]) -> str:
    """One JSON object on one line, keys in their order, no ASCII escapes, no trailing newline."""
    return json.dumps(row, ensure_ascii=False, separators=(", ", ": "), allow_nan=False)


def write_jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> int:
    """Writes one JSON object a line, whole or not at all; how many there were."""
    n_rows = 0
    with write_whole(path) as stream:
        for row in rows:
            stream.write(to_json_line(row) + "\n")
            n_rows += 1
    return n_rows


def read_jsonl(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """(place, object) for each line that is not blank."""
    for number, line in numbered_lines(path):
        if not line.strip():
            continue
        place = f"{path}:{number}"
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(
                place, f"not JSON ({error})", "one JSON object a line", kind="format"
            ) from None
        if SURROGATE.search(line):
            raise InputError(
                place, "half of a surrogate pair", "text that is Unicode", kind="unreadable"
            )
        if not isinstance(value, dict):
            raise InputError(place, "not a JSON object", "one JSON object a line", kind="format")
        yield place, value


def to_table(rows: Sequence[Row], columns: Sequence[str]) -> str:
    """Aligned columns for a terminal: numbers to the right, floats with three digits."""
    cells = [list(columns), *([_shown(row.get(column)) for column in columns] for row in rows)]
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    numeric = [
        all(isinstance(row.get(column), int | float | None) for row in rows) for column in columns
    ]
    lines = []
    for line in cells:
        padded = [
            " " * (width - _width(cell)) + cell if right else cell + " " * (width - _width(cell))
            for cell, width, right in zip(line, widths, numeric, strict=True)
        ]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def _shown(value: Cell) -> str:
    if isinstance(value, float):
        return f"{value:.3f}" if not value or abs(value) >= 0.0005 else f"{value:.0e}"
    text = _to_text(value)
    return text if len(text) <= 72 else text[:71] + "…"


def _width(text: str) -> int:
    """Columns a terminal gives a text: 2 for wide East Asian characters, 0 for combining marks."""
    return sum(
        0 if unicodedata.combining(each) else 1 + (unicodedata.east_asian_width(each) in "WF")
        for each in text
    )
