"""What formats share in reading: files of unknown origin line by line, and keys with their types.

A file may come from anywhere, so a line is bounded, JSON is plain data that can be written again
(no NaN, no half of a surrogate pair), and what does not fit is an `InputError` with its line.
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
from .files import decoded, write_whole
from .opening import head_of, head_text, opened_text

LONGEST_LINE = 1 << 24  # bytes; a hundred times the longest item that treebanks were seen to give
csv.field_size_limit(LONGEST_LINE)
DELIMITERS = (",", ";", "\t", "|")
SEPARATOR = re.compile(r'"?sep=(\t|[^\w\s"])"?\r?\n?', re.IGNORECASE)
"""Excel's line before a header, which names the delimiter"""
MOST_DIGITS = 1000  # of a whole number; Python itself refuses 4,300 and talks of its settings
DEEPEST = 20  # lists in lists: far below where writing JSON meets Python's limit of recursion
JSON_KEYS = "json_keys"  # the fact that names the facts that are JSON
OURS = "colorless"  # the one key, or column, of what other tools have no place for


Record: TypeAlias = Mapping[str, Any]
"""What a file says of an item, or of a part of it, by key or column."""

malformed = partial(InputError, kind="format")
"""The mistake of content that is not of its format: location, what is wrong, what would be right"""


def unpacked_name(path: Path) -> str:
    """Return a file's name without `.gz`."""
    return path.name.removesuffix(".gz")


def stem(path: Path, endings: Sequence[str]) -> str:
    """Return a file's name without `.gz` and without the first of these endings that it has."""
    name = unpacked_name(path)
    return name.removesuffix(next((ending for ending in endings if name.endswith(ending)), ""))


def lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (location, line with its end) of a text file, split at LF only, as `opened_text` reads
    it.

    A byte order mark is dropped. Raises `InputError` for bytes that are not UTF-8 and for a line of
    more than LONGEST_LINE bytes, of which no more than that is ever held.
    """
    with opened_text(path) as stream:
        raw_lines = iter(partial(stream.readline, LONGEST_LINE + 1), b"")
        for number, raw in enumerate(raw_lines, start=1):
            location = f"{path}:{number}"
            if len(raw) > LONGEST_LINE:
                wrong = "a line of more than 16 MiB"
                raise InputError(location, wrong, "one item a line", kind="unsafe")
            line = decoded(raw, str(path), number)
            yield location, line.removeprefix("\ufeff") if number == 1 else line


def json_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (location, object) for each line that is not blank. Raises `InputError` for a line that
    is no JSON object."""
    for location, line in lines(path):
        if bare := line.rstrip():
            value = parse_json(bare, location, "one JSON object a line")
            if not isinstance(value, dict):
                raise malformed(location, "not a JSON object", "one JSON object a line")
            yield location, value


def parse_json(source: str, location: str, right: str) -> Any:
    """Return the JSON value that `source` is.

    Raises `InputError`, also for a value that JSON cannot hold (NaN, numbers beyond a float's
    range), one nested too deeply, and half of a surrogate pair.
    """
    try:
        value, end = DECODER.raw_decode(source) if source[:1] in "{[" else (None, -1)
        if end != len(source):  # blanks around it, another value, or something behind it
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


def headers(text: str) -> dict[str, list[str]]:
    """Return the cells of a table's header under each delimiter that a table may have.

    Blank lines before it are passed over, and so is a line `sep=;`, as Excel writes it: the
    delimiter that it names comes first.

    >>> headers("good;bad\\na b;a c\\n")[";"]
    ['good', 'bad']
    >>> next(iter(headers("sep=;\\ngood;bad\\n").items()))
    (';', ['good', 'bad'])
    """
    first_line, _, below = text.partition("\n")
    named = SEPARATOR.fullmatch(first_line)
    source = below if named else text
    under = {}
    for delimiter in dict.fromkeys([named[1], *DELIMITERS] if named else DELIMITERS):
        with suppress(csv.Error):
            cells = csv.reader(io.StringIO(source, newline=""), delimiter=delimiter, strict=True)
            under[delimiter] = next(filter(_has_text, cells), [])
    return under


def _has_text(cells: Iterable[str]) -> bool:
    return any(cell and not cell.isspace() for cell in cells)


def rows(
    numbered_lines: Iterable[tuple[str, str]], delimiter: str
) -> Iterator[tuple[str, list[str]]]:
    """Yield (location of its first line, cells) of each row of a table quoted as CSV, the header
    included; line ends within quotes are kept.

    Rows without a text and Excel's line `sep=` are passed over. Raises `InputError` for broken
    quotes and for a cell of more characters than `LONGEST_LINE`.
    """
    pending = []  # lines of the row that is being read

    def source() -> Iterator[str]:
        for number, (location, line) in enumerate(numbered_lines):
            if number or not SEPARATOR.fullmatch(line):
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
    """Yield (location, row by column) of a table quoted as CSV, with a header line.

    The delimiter is the one under which the header has most of `needed`. Raises `InputError` as
    `rows` and `by_column` do.
    """
    under = headers(head_text(head_of(path)))
    delimiter = max(under, key=lambda each: len({*needed}.intersection(under[each])), default=",")
    records = rows(lines(path), delimiter)
    location, header = next(records, (f"{path}:1", []))
    yield from by_column(location, header, records, needed)


def by_column(
    location: str,
    header: Sequence[str],
    records: Iterable[tuple[str, Sequence[str]]],
    needed: Collection[str] = (),
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield (location, row by column) of rows below a header.

    Blank lines, empty cells behind the last column that has a name, and the header where it comes
    again (in files put one behind the other) are passed over. Raises `InputError` for a column of
    `needed` that is missing, two columns of one name, a row of another length, and a second header
    with the columns in another order.
    """
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
    for line, cells in records:
        if len(cells) < 2 <= width and not _has_text(cells):
            continue
        if len(cells) < width or _has_text(cells[width:]):
            wrong, rival = f"{len(cells)} cells, but {width} columns", _delimiter_in(cells)
            if rival:
                right = f"separate its cells as in the header, where a {rival} is no delimiter"
                raise malformed(line, wrong, right)
            right = "write a cell for each, in quotes if it holds the delimiter"
            right += (
                ", as a decimal sign may be" if len(cells) > width else ", and name each column"
            )
            raise malformed(line, wrong, right)
        if cells[0] in names and names == {*cells[:width]}:
            if list(cells[:width]) != header:
                wrong = "the header again, with its columns in another order"
                raise malformed(line, wrong, "split the file at this line")
            continue
        yield line, dict(zip(header, cells, strict=False))


def _delimiter_in(cells: Sequence[str]) -> str:
    """Return the name of the delimiter that a row of one cell seems to have; "" for none."""
    if len(cells) != 1:
        return ""
    signs = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
    often = max(signs, key=cells[0].count)
    return signs[often] if often in cells[0] else ""


def table_line(cells: Iterable[object], delimiter: str) -> str:
    """Return one row with its line end, quoted only where reading it would fail otherwise.

    `csv.writer` quotes a CR from Python 3.13 on only; these bytes are the same everywhere. Text is
    never altered, so a cell that begins with `=`, `+`, `-` or `@` stays as it is.
    """
    special = (delimiter, '"', "\n", "\r")

    def quoted(text: str) -> str:
        is_special = any(char in text for char in special)
        return '"' + text.replace('"', '""') + '"' if is_special else text

    return delimiter.join(map(quoted, map(str, cells))) + "\n"


def write_table(path: Path, records: Iterable[Record], columns: Iterable[str] = ()) -> None:
    """Write records as a table, with commas in a `.csv`, else with tabs: these columns and those of
    all records, ours last.

    A cell is empty where a record lacks it, and JSON where its value is no text.
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
    """Return a text with a blank for each tab or line end, for files without quotes."""
    return re.sub(r"[\t\r\n]", " ", text)


def get(record: object, name: str, kind: type, location: str) -> Any:
    """Return the value under a key, which is of type `kind`. Raises `InputError`."""
    if not isinstance(record, Mapping) or name not in record:
        raise malformed(
            location, f"no key {name!r}", f"a value under {name!r}, as its format has it"
        )
    value = record[name]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise malformed(location, f"{name!r} is {value!r:.40}", f"a value of type {kind.__name__}")
    return value


def text(record: object, name: str, location: str) -> str:
    """Return the text under a key. Raises `InputError`."""
    if isinstance(record, dict) and type(value := record.get(name)) is str:
        return value  # nearly always
    return str(get(record, name, str, location))


def json_list(record: object, name: str, location: str) -> list[Any]:
    """Return the list under a key. Raises `InputError`."""
    return list(get(record, name, list, location))


def to_facts(values: Mapping[str, Any], location: str) -> dict[str, str]:
    """Return keys that a format does not know as the facts of an item (texts by name).

    What is no text becomes JSON, and its name is noted under JSON_KEYS, so that 5 comes back as 5
    and "5" as "5". Raises `InputError` for a value with more than DEEPEST lists and objects inside
    each other.
    """
    facts: dict[str, str] = {}
    json_names = []
    for name, value in values.items():
        if name == JSON_KEYS:
            continue
        if not isinstance(value, str):
            if _is_deep(value):
                wrong = f"{name!r:.40} is nested more than {DEEPEST} deep"
                raise malformed(location, wrong, "plain values")
            json_names.append(name)
        facts[name] = value if isinstance(value, str) else to_json(value)
    return {**facts, JSON_KEYS: to_json(json_names)} if json_names else facts


def from_facts(facts: Mapping[str, str]) -> dict[str, Any]:
    """Return the values of `to_facts`; a text where note or value were changed since."""
    json_names = read_back(facts.get(JSON_KEYS, "[]"))
    noted = json_names if isinstance(json_names, list) else []
    return {
        name: read_back(value) if name in noted else value
        for name, value in facts.items()
        if name != JSON_KEYS
    }


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return bool(level)


to_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
"""Return a value as JSON on one line, keys in their order, no ASCII escapes."""


def read_back(text: str) -> Any:
    """Return the value of JSON that we wrote; the text itself where it was changed since."""
    try:
        value = json.loads(text)
        to_json(value).encode()
    except (ValueError, RecursionError):
        return text
    return text if _is_deep(value) else value
