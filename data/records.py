"""Functions that all formats share: read JSON lines and tables of unknown origin, and write them.

A file may come from anywhere. So the length of a line is bounded, JSON may only hold what can be
written again (no NaN, no half of a surrogate pair), and every fault is an `InputError` with the
number of its line.
"""

import csv
import io
import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from .errors import InputError
from .files import decode_utf8, write_whole
from .opening import head_of, head_text, open_utf8

MAX_LINE_BYTES = 1 << 24  # a hundred times the longest item of any treebank we have mined
csv.field_size_limit(MAX_LINE_BYTES)
DELIMITERS = (",", ";", "\t", "|")
SEPARATOR_LINE = re.compile(r'"?sep=(\t|[^\w\s"])"?\r?\n?', re.IGNORECASE)
"""Excel's line `sep=;` before a header, which names the delimiter"""
MAX_DIGITS = 1000  # of a whole number; Python refuses 4,300, with a message about its settings
MAX_DEPTH = 20  # of lists within each other; writing JSON fails at Python's recursion limit
JSON_KEYS = "json_keys"  # name of the fact (a named text) that lists the facts that are JSON
OURS = "colorless"  # key or column that holds what other tools have no place for


Record: TypeAlias = Mapping[str, Any]
"""The data of an item, or of a part of it, in a file: key or column → value"""

malformed = partial(InputError, kind="format")
"""The error for content that does not fit its format (location, what is wrong, what is right)"""


def unpacked_name(path: Path) -> str:
    """Return a file's name without `.gz`."""
    return path.name.removesuffix(".gz")


def stem(path: Path, endings: Sequence[str]) -> str:
    """Return a file's name without `.gz`, and without the first of `endings` with which it ends."""
    name = unpacked_name(path)
    return name.removesuffix(next((ending for ending in endings if name.endswith(ending)), ""))


def lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (location, line with its end) for each line of a text file; location is `file:line`.

    Lines end at LF only; a byte order mark is dropped. Raises `InputError` for bytes that are not
    UTF-8, and for a line of more than MAX_LINE_BYTES bytes, of which no more are read.
    """
    with open_utf8(path) as stream:
        raw_lines = iter(partial(stream.readline, MAX_LINE_BYTES + 1), b"")
        for number, raw in enumerate(raw_lines, start=1):
            location = f"{path}:{number}"
            if len(raw) > MAX_LINE_BYTES:
                wrong = "a line of more than 16 MiB"
                raise InputError(location, wrong, "one item a line", kind="unsafe")
            line = decode_utf8(raw, str(path), number)
            yield location, line.removeprefix("\ufeff") if number == 1 else line


def json_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (location, object) for each line of a JSON-lines file that is not blank.

    Raises `InputError` for a line that is not a JSON object.
    """
    for location, line in lines(path):
        if bare := line.rstrip():
            value = parse_json(bare, location, "one JSON object a line")
            if not isinstance(value, dict):
                raise malformed(location, "not a JSON object", "one JSON object a line")
            yield location, value


def parse_json(source: str, location: str, right: str) -> Any:
    """Return the value of a JSON text.

    Raises `InputError`, with `right` as what would be right, if the text is not JSON, or has NaN, a
    number beyond a float's range, too deep nesting, or half of a surrogate pair.
    """
    try:
        value, end = DECODER.raw_decode(source) if source[:1] in "{[" else (None, -1)
        if end != len(source):  # neither object nor list, or not the whole text
            value = DECODER.decode(source)
        if "\\u" in source:
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        wrong, right = "half of a surrogate pair", "text that is Unicode"
        raise InputError(location, wrong, right, kind="unreadable") from None
    except (ValueError, RecursionError) as error:
        reason = str(error)
        if isinstance(error, json.JSONDecodeError):
            line = f"line {error.lineno}, " if "\n" in source else ""
            reason = f"{error.msg} at {line}column {error.colno}"
        raise malformed(location, f"not JSON ({reason})", right) from None
    return value


def _refuse(name: str) -> float:
    """Raise `ValueError` for a number such as NaN, which JSON does not have."""
    raise ValueError(f"{name} is no number of JSON")


def _parse_int(digits: str) -> int:
    """Return a whole number. Raises `ValueError` for one of more than MAX_DIGITS digits."""
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"a number of {len(digits):,} digits")
    return int(digits)


def _parse_float(digits: str) -> float:
    """Return a decimal number as a float. Raises `ValueError` if it is too large for one."""
    value = float(digits)
    return value if math.isfinite(value) else _refuse(digits[:20])


DECODER = json.JSONDecoder(parse_constant=_refuse, parse_float=_parse_float, parse_int=_parse_int)


def headers(text: str) -> dict[str, list[str]]:
    """Split a table's header at each delimiter that tables may have: delimiter → cells.

    Blank lines before the header are skipped, and so is Excel's line `sep=;`; the delimiter that it
    names comes first in the result.

    >>> headers("good;bad\\na b;a c\\n")[";"]
    ['good', 'bad']
    >>> next(iter(headers("sep=;\\ngood;bad\\n").items()))
    (';', ['good', 'bad'])
    """
    first_line, _, below = text.partition("\n")
    source, delimiters = text, [*DELIMITERS]
    if separator := SEPARATOR_LINE.fullmatch(first_line):
        source, delimiters = below, [separator[1], *DELIMITERS]
    by_delimiter = {}
    for delimiter in dict.fromkeys(delimiters):
        with suppress(csv.Error):
            table_rows = csv.reader(
                io.StringIO(source, newline=""), delimiter=delimiter, strict=True
            )
            by_delimiter[delimiter] = next(filter(_has_text, table_rows), [])
    return by_delimiter


def _has_text(cells: Iterable[str]) -> bool:
    """Return whether any cell of a row has text other than blanks."""
    return any(cell and not cell.isspace() for cell in cells)


def rows(
    numbered_lines: Iterable[tuple[str, str]], delimiter: str
) -> Iterator[tuple[str, list[str]]]:
    """Yield (location of its first line, cells) for each row of a table quoted as CSV.

    `numbered_lines` are (location, line), as from `lines`. The header is a row as well; line ends
    within quotes are kept. Blank rows and Excel's line `sep=` are skipped. Raises `InputError` for
    broken quotes and for a cell of more characters than `MAX_LINE_BYTES`.
    """
    pending = []  # locations of the lines of the row that is being read: a cell may hold line ends

    def source() -> Iterator[str]:
        """Yield the lines for the reader of CSV, and note their locations."""
        for index, (location, line) in enumerate(numbered_lines):
            if index > 0 or not SEPARATOR_LINE.fullmatch(line):
                pending.append(location)
                yield line

    try:
        for cells in csv.reader(source(), delimiter=delimiter, strict=True):
            if _has_text(cells):
                yield pending[0], cells
            pending.clear()
    except csv.Error as error:
        right = 'double each quote within quotes: "a ""b"""'
        raise malformed(pending[0], f"not a table ({error})", right) from None


def table(path: Path, needed: Collection[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield (location, cells by column) for each row of a table file quoted as CSV, with a header.

    The delimiter is the one that gives the header most of the `needed` columns. Raises `InputError`
    as `rows` and `by_column` do.
    """
    columns = headers(head_text(head_of(path)))
    delimiter = max(columns, key=lambda sign: len({*needed} & {*columns[sign]}), default=",")
    records = rows(lines(path), delimiter)
    location, header = next(records, (f"{path}:1", []))
    yield from by_column(location, header, records, needed)


def by_column(
    location: str,
    header: Sequence[str],
    records: Iterable[tuple[str, Sequence[str]]],
    needed: Collection[str] = (),
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield (location, cells by column) for each row below a header.

    Args:
        location: the location of the header.
        header: its cells, the names of the columns.
        records: (location, cells) of the rows below it.
        needed: columns that must be there.

    Blank rows, empty cells after the last column that has a name, and a repeated header (of files
    put one after the other) are skipped. Raises `InputError` for a missing column, two columns of
    one name, a row of another length, and a repeated header whose columns are in another order.
    """
    # the number of columns up to the last one that has a name
    width = next((n for n in range(len(header), 0, -1) if _has_text(header[n - 1])), 0)
    header = list(header[:width])
    names = {*header}
    for name in needed:
        if name not in header:
            right = f"name the columns {', '.join(needed)} in the header"
            raise InputError(location, f"no column {name!r}", right, kind="missing")
    for name, n_columns in Counter(header).items():
        if n_columns > 1:
            wrong = f"{n_columns} columns are called {name!r:.40}"
            raise InputError(location, wrong, "give each a name of its own", kind="conflict")
    for row_location, cells in records:
        if len(cells) < 2 <= width and not _has_text(cells):
            continue
        if len(cells) < width or _has_text(cells[width:]):
            wrong = f"{len(cells)} cells, but {width} columns"
            right = "write a cell for each, in quotes if it holds the delimiter"
            if delimiter := _likely_delimiter(cells):
                right = f"separate its cells as in the header, where a {delimiter} is no delimiter"
            elif len(cells) > width:
                right += ", as a decimal sign may be"
            else:
                right += ", and name each column"
            raise malformed(row_location, wrong, right)
        if cells[0] in names and names == {*cells[:width]}:
            if list(cells[:width]) != header:
                wrong = "the header again, with its columns in another order"
                raise malformed(row_location, wrong, "split the file at this line")
            continue
        yield row_location, dict(zip(header, cells, strict=False))


def _likely_delimiter(cells: Sequence[str]) -> str:
    """Return the name of the delimiter that a row of one cell seems to use; "" for other rows."""
    if len(cells) != 1:
        return ""
    (text,) = cells
    names = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
    most_frequent = max(names, key=text.count)
    return names[most_frequent] if most_frequent in text else ""


def table_line(cells: Iterable[object], delimiter: str) -> str:
    """Return one row of a table as a line with its end; only cells that need quotes have them.

    (`csv.writer` quotes a cell with CR only from Python 3.13 on; these bytes are the same in all
    versions.) Text is never altered: a cell that begins with `=`, `+`, `-` or `@` stays as it is.
    """
    special = (delimiter, '"', "\n", "\r")

    def quoted(text: str) -> str:
        """Return a cell with quotes around it if it needs them."""
        is_special = any(char in text for char in special)
        return '"' + text.replace('"', '""') + '"' if is_special else text

    return delimiter.join(map(quoted, map(str, cells))) + "\n"


def write_table(path: Path, records: Iterable[Record], columns: Iterable[str] = ()) -> None:
    """Write records as a table, with commas in a `.csv` file, else with tabs.

    Its columns are `columns` and then all other keys of the records, the column OURS last. A cell
    is empty if its record lacks the key, and JSON if the value is not text.
    """
    delimiter = "," if unpacked_name(path).endswith(".csv") else "\t"
    rows = list(records)
    names = dict.fromkeys([*columns, *(name for row in rows for name in row)])
    if OURS in names:
        names[OURS] = names.pop(OURS)
    with write_whole(path) as stream:
        stream.write(table_line(names, delimiter))
        for row in rows:
            cells = (row.get(name, "") for name in names)
            texts = (cell if isinstance(cell, str) else to_json(cell) for cell in cells)
            stream.write(table_line(texts, delimiter))


def one_line(text: str) -> str:
    """Return a text with tabs and line ends replaced by blanks, for tables without quotes."""
    return re.sub(r"[\t\r\n]", " ", text)


def get(record: object, name: str, kind: type, location: str) -> Any:
    """Return the value of a key in a record. Raises `InputError` if it is not of type `kind`."""
    if not isinstance(record, Mapping) or name not in record:
        raise malformed(
            location, f"no key {name!r}", f"a value under {name!r}, as its format has it"
        )
    value = record[name]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise malformed(location, f"{name!r} is {value!r:.40}", f"a value of type {kind.__name__}")
    return value


def text(record: object, name: str, location: str) -> str:
    """Return the text of a key in a record. Raises `InputError` if it is not text."""
    if isinstance(record, dict) and type(value := record.get(name)) is str:
        return value  # the fast path, nearly always
    return str(get(record, name, str, location))


def json_list(record: object, name: str, location: str) -> list[Any]:
    """Return the list of a key in a record. Raises `InputError` if it is not a list."""
    return list(get(record, name, list, location))


def to_facts(values: Mapping[str, Any], location: str) -> dict[str, str]:
    """Turn keys that a format does not know into the facts of an item: name → text.

    A value that is not text becomes JSON, and its name is added to the fact JSON_KEYS, so that 5
    comes back as 5 and "5" as "5". Raises `InputError` for a value in which more than MAX_DEPTH
    lists and objects are nested.
    """
    facts: dict[str, str] = {}
    json_names = []
    for name, value in values.items():
        if name == JSON_KEYS:
            continue
        if not isinstance(value, str):
            if _is_deep(value):
                wrong = f"{name!r:.40} is nested more than {MAX_DEPTH} deep"
                raise malformed(location, wrong, "plain values")
            json_names.append(name)
        facts[name] = value if isinstance(value, str) else to_json(value)
    return {**facts, JSON_KEYS: to_json(json_names)} if json_names else facts


def from_facts(facts: Mapping[str, str]) -> dict[str, Any]:
    """Return the values that `to_facts` made facts of: name → value.

    A fact stays text if it, or the fact JSON_KEYS, was changed since and is not JSON any more.
    """
    parsed = read_back(facts.get(JSON_KEYS, "[]"))
    json_names = parsed if isinstance(parsed, list) else []
    return {
        name: read_back(value) if name in json_names else value
        for name, value in facts.items()
        if name != JSON_KEYS
    }


def _is_deep(value: Any) -> bool:
    """Return whether more than MAX_DEPTH lists and objects are nested in a value."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return bool(level)


to_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
"""Return a value as JSON on one line, keys in their order, without ASCII escapes."""


def read_back(text: str) -> Any:
    """Return the value of a JSON text that we wrote; the text itself if it is not JSON any more."""
    try:
        value = json.loads(text)
        to_json(value).encode()
    except (ValueError, RecursionError):
        return text
    return text if _is_deep(value) else value
