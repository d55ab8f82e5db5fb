"""What formats share in reading: files of unknown origin line by line, and keys with their types.

A file may come from anywhere, so a line is bounded, JSON is plain data that can be written again
(no NaN, no half of a surrogate pair), and what does not fit is an `InputError` with its line.
"""

import csv
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from colorless_green.data.errors import InputError, Kind
from colorless_green.data.files import opened

LONGEST_LINE = 1 << 24  # bytes; a hundred times the longest item that treebanks were seen to give
LARGEST_DOCUMENT = 1 << 30  # bytes; what is read whole, unpacked
DELIMITERS = {"\t": "tabs", ",": "commas", ";": "semicolons"}
MOST_DIGITS = 1000  # of a whole number; Python itself refuses 4,300 and talks of its settings


def lines(path: Path) -> Iterator[tuple[str, str]]:
    """(place, line with its end) of a UTF-8 text file, gzipped or not; lines end at LF only.

    A byte order mark is dropped. Raises `InputError` for bytes that are not UTF-8 and for a line of
    more than LONGEST_LINE bytes, of which no more than that is ever held.
    """
    with opened(path) as stream:
        number = 0
        while raw := stream.readline(LONGEST_LINE + 1):
            number += 1
            place = f"{path}:{number}"
            if len(raw) > LONGEST_LINE:
                raise InputError(
                    place, "a line of more than 16 MiB", "one item a line", kind="unsafe"
                )
            try:
                line = raw.decode("utf-8")
            except UnicodeDecodeError as error:
                wrong = f"byte {raw[error.start]:#04x} is not UTF-8"
                raise InputError(place, wrong, "a file saved as UTF-8", kind="unreadable") from None
            yield place, line.removeprefix("\ufeff") if number == 1 else line


def whole(path: Path) -> str:
    """The text of a UTF-8 file that has to be read whole, gzipped or not, less its byte order mark.

    Raises `InputError` for bytes that are not UTF-8, with their line, and for a file of more than
    LARGEST_DOCUMENT bytes, of which no more than that is ever held.
    """
    with opened(path) as stream:
        raw = stream.read(LARGEST_DOCUMENT + 1)
    if len(raw) > LARGEST_DOCUMENT:
        wrong = f"more than {LARGEST_DOCUMENT >> 20:,} MiB, unpacked"
        raise InputError(
            str(path), wrong, "a suite in several files, or as JSON lines", kind="unsafe"
        )
    try:
        return raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        place = f"{path}:{1 + raw.count(10, 0, error.start)}"
        wrong = f"byte {raw[error.start]:#04x} is not UTF-8"
        raise InputError(place, wrong, "a file saved as UTF-8", kind="unreadable") from None


def json_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """(place, object) for each line that is not blank. Raises `InputError` for anything else."""
    for place, line in lines(path):
        if line.strip():
            value = parsed(line.rstrip(), place, "one JSON object a line")
            if not isinstance(value, dict):
                raise InputError(
                    place, "not a JSON object", "one JSON object a line", kind="format"
                )
            yield place, value


def parsed(source: str, place: str, right: str) -> Any:
    """The JSON value that `source` is. Raises `InputError`, also for one that JSON cannot hold
    (NaN, numbers beyond a float's range), one nested too deeply, and half of a surrogate pair."""
    try:
        value = DECODER.decode(source)
        if "\\u" in source:
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise InputError(
            place, "half of a surrogate pair", "text that is Unicode", kind="unreadable"
        ) from None
    except (ValueError, RecursionError) as error:
        told = str(error)
        if isinstance(error, json.JSONDecodeError):
            line = f"line {error.lineno}, " if "\n" in source else ""
            told = f"{error.msg} at {line}column {error.colno}"
        raise InputError(place, f"not JSON ({told})", right, kind="format") from None
    return value


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def _whole_number(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"a number of {len(digits):,} digits")
    return int(digits)


def _finite(digits: str) -> float:
    value = float(digits)
    return value if math.isfinite(value) else _no_number(digits[:20])


DECODER = json.JSONDecoder(parse_constant=_no_number, parse_float=_finite, parse_int=_whole_number)


def rows(path: Path, delimiter: str) -> Iterator[tuple[str, list[str]]]:
    """(place, cells) of a table quoted as CSV, the header included; line ends within quotes are
    kept. Raises `InputError` for broken quotes and for a cell of more than 131,072 characters."""
    current = str(path)

    def source() -> Iterator[str]:
        nonlocal current
        for place, line in lines(path):
            current = place
            yield line

    table = csv.reader(source(), delimiter=delimiter, strict=True)
    try:
        for cells in table:
            yield current, cells
    except csv.Error as error:
        raise InputError(
            current, f"not a table ({error})", "cells quoted as CSV", kind="format"
        ) from None


def table(
    path: Path, delimiter: str, needed: Sequence[str]
) -> Iterator[tuple[str, dict[str, str]]]:
    """(place, row by column) of a table with a header line. Raises `InputError` for a column of
    `needed` that is missing or comes twice, and for a row of another length."""
    found = rows(path, delimiter)
    _, header = next(found, ("", []))
    if len(header) == 1 < len(needed) and any(each in header[0] for each in DELIMITERS):
        wrong = f"its columns are not between {DELIMITERS[delimiter]}"
        raise InputError(f"{path}:1", wrong, f"a header with {', '.join(needed)}", kind="format")
    for name in needed:
        if header.count(name) != 1:
            is_missing = name not in header
            wrong = f"no column {name!r}" if is_missing else f"two columns {name!r}"
            right = f"a header with {', '.join(needed)}"
            kind: Kind = "missing" if is_missing else "conflict"
            raise InputError(f"{path}:1", wrong, right, kind=kind)
    for place, cells in found:
        if len(cells) != len(header):
            raise InputError(
                place, f"{len(cells)} cells", f"{len(header)}, as in the header", kind="format"
            )
        yield place, dict(zip(header, cells, strict=True))


def table_line(cells: Iterable[object], delimiter: str) -> str:
    """One row with its line end, quoted only where reading it would fail otherwise.

    `csv.writer` quotes a CR from Python 3.13 on only; these bytes are the same everywhere. Text is
    never altered, so a cell that begins with `=`, `+`, `-` or `@` stays as it is.
    """
    special = (delimiter, '"', "\n", "\r")
    return (
        delimiter.join(
            '"' + text.replace('"', '""') + '"' if any(each in text for each in special) else text
            for text in map(str, cells)
        )
        + "\n"
    )


def get(record: object, name: str, kind: type, place: str) -> Any:
    """The value under a key, which is of type `kind`. Raises `InputError`."""
    if not isinstance(record, Mapping) or name not in record:
        right = f"a value under {name!r}, as its format has it"
        raise InputError(place, f"no key {name!r}", right, kind="format")
    value = record[name]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise InputError(
            place, f"{name!r} is {value!r:.40}", f"a value of type {kind.__name__}", kind="format"
        )
    return value


def text(record: object, name: str, place: str) -> str:
    if isinstance(record, dict) and type(value := record.get(name)) is str:
        return value  # nearly always
    return str(get(record, name, str, place))


def listed(record: object, name: str, place: str) -> list[Any]:
    return list(get(record, name, list, place))


def texts(record: object, name: str, place: str) -> list[str]:
    values = listed(record, name, place)
    if not all(isinstance(value, str) for value in values):
        raise InputError(
            place, f"{name!r} holds something else than text", "a list of texts", kind="format"
        )
    return values


def integers(record: object, name: str, place: str) -> list[int]:
    values = listed(record, name, place)
    if not all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        raise InputError(
            place, f"{name!r} holds something else than numbers", "whole numbers", kind="format"
        )
    return values
