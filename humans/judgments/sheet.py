"""Tables of other programs: their cells, and what their columns are called there.

Tables have a comma, semicolon, tab or bar between cells, quoted as CSV does, and are UTF-8 or
UTF-16. Cells are text and stay text: nothing is evaluated, and a cell that begins with `=` is a
word like any other.

A format is a map from our names to its own (`ColumnNames`); rows under our names become trials in
one place (`judgments/claims.py`), whatever the file. A map file names the columns of a table:

    {"delimiter": ";", "decimal": ",", "encoding": "utf-8", "missing": ["", "NA"],
     "columns": {"participant": "Subj", "rt_ms": {"column": "RT (s)", "scale": 1000},
                 "kind": {"column": "type", "regex": "^([a-z]+)", "values": {"fill": "filler"}}},
     "constants": {"list": "A"}, "where": {"released": "1"},
     "layout": "wide", "items": "^q_(?P<item>.+)$",
     "keep": ["age"], "language": "de", "key": "people.key", "platform": "prolific"}

Every key may be left out. A source is a column's cell, of it what `regex` finds (its first group
if it has one; nothing if it finds nothing), of that what `values` says (others stay), times
`scale`. `formats/generic.py` applies it, and says what `where` and the wide layout do.
"""

import codecs
import io
import math
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ...data.errors import InputError
from ...data.files import read_text
from ...data.languages import checked_language
from ...data.opening import HEAD, opened, opened_text
from ...data.records import by_column, headers, parse_json, rows
from ...data.registry import Names, listed, nearest
from ...data.validate import validated

WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
MARKED = re.compile(r"[+-]?([0-9]+([.,][0-9]+)*[.,]?|[.,][0-9]+)([eE][+-]?[0-9]+)?")
GROUPED = re.compile(r"[+-]?[1-9][0-9]{0,2}([.,][0-9]{3})+")  # thousands, or three decimals
OTHER = {".": ",", ",": "."}
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
    if MARKED.fullmatch(text) and "," in text:
        right += '; "decimal" in a map file says what its comma is'
    raise InputError(location, f"{name} is {text!r}", right, kind="format")


def is_number(text: str) -> bool:
    """Tell whether a cell is written as a number (`nan` and `inf` are words)."""
    return NUMBER.fullmatch(text) is not None


def demand_one_reading(cells: Iterable[tuple[str, str]], name: str, right: str) -> None:
    """Raise `InputError` for a number (location, cell) whose only mark may be that of a fraction or
    one between thousands, as in `1.203`."""
    for location, cell in cells:
        if GROUPED.fullmatch(cell):
            wrong = f"{name} is {cell!r}, which may be a fraction or thousands"
            raise InputError(location, wrong, right, kind="format")


def with_point(cell: str, decimal: str) -> str:
    """Return a number with a decimal point and nothing between thousands, by the `decimal` of a
    map; other text as it is."""
    if not decimal or MARKED.fullmatch(cell) is None:
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


ColumnNames: TypeAlias = Mapping[str, tuple[str, ...]]
"""Our names, each with those that stand for it in a file, the first that is there."""

PROLIFIC_IDS = ("PROLIFIC_PID", "prolific_id", "prolific_pid")
MTURK_IDS = ("workerId", "worker_id", "WorkerId")
LOGGED: ColumnNames = {  # what experiments usually call what they add to their data
    "participant": (
        *("participant", "participant_id", "subject", "subject_id"), *PROLIFIC_IDS, *MTURK_IDS,
        "worker",
    ),
    "session": ("session", "session_id", "SESSION_ID"),
    "trial_id": ("trial_id",),
    "item": ("item", "item_id", "stim_id"),
    "kind": ("kind", "task"),
    "condition": ("condition",),
    "list": ("list",),
    "prefix": ("prefix",),
    "sentence": ("sentence",),
    "option_1": ("option_1", "opt1", "option1"),
    "option_2": ("option_2", "opt2", "option2"),
    "correct_form": ("correct_form",),
    "correct": ("correct",),
    "key_1": ("key_1",),
    "key_2": ("key_2",),
    "at": ("at",),
}  # fmt: skip
LEFT_AND_RIGHT: Mapping[str, int] = {  # keys of the two options where the experiment is silent
    "f": 0, "arrowleft": 0, "leftarrow": 0, "1": 0,
    "j": 1, "arrowright": 1, "rightarrow": 1, "2": 1,
}  # fmt: skip
STRETCH = 200  # characters of a regular expression: enough for any name of a column


@dataclass(frozen=True, slots=True)
class ColumnSource:
    """The source of the cells of one of our columns.

    Attributes:
        column: the file's column.
        scale: factor of its numbers; None: none.
        regex: what of a cell is extracted (the first group, if there is one); None: all of it.
        values: extracted text → ours; other texts stay as they are.
    """

    column: str
    scale: int | float | None = None
    regex: str | None = None
    values: Mapping[str, str] = field(default_factory=dict)

    def extract(self, cell: str) -> str:
        """Return our text for a cell; the scale is left to who knows the decimal point."""
        if self.regex is not None:
            match = re.search(self.regex, cell)
            cell = match[1 if match.re.groups else 0] or "" if match else ""
        return self.values.get(cell, cell)

    def scaled(self, text: str) -> str:
        """Return a number in our unit, to the digit (0.1 s are 100 ms); other text as it is."""
        if self.scale is None or not is_number(text):
            return text
        return str(Decimal(text) * Decimal(str(self.scale)))


@dataclass(frozen=True, slots=True)
class TableMap:
    """The content of a map file; without arguments, a table with our own column names.

    Attributes:
        columns: our column → where its cells come from.
        constants: our column → the same text in each row.
        where: column of the file → the text that it must have; other rows are not read.
        delimiter: between cells; auto: found from the header.
        decimal: point of numbers, "." or ","; the other may then stand between thousands. "": a
            point, and nothing between thousands.
        encoding: of the file, as Python calls it.
        missing: texts that mean no answer; None: those of the format.
        layout: wide: a row is a person, and the columns that `items` matches are trials.
        items: pattern of the columns that are trials.
        keep: columns about people to keep; all others are dropped.
        language: BCP-47 code of a file that brings its own items.
        key: file of the key that makes pseudonyms; "": one next to the store.
        platform: that gave people their ids; "": the one that the format assumes.
    """

    columns: Mapping[str, ColumnSource] = field(default_factory=dict)
    constants: Mapping[str, str | int] = field(default_factory=dict)
    where: Mapping[str, str | int] = field(default_factory=dict)
    delimiter: Literal["auto", ",", ";", "\t", "|"] = "auto"
    decimal: Literal["", ".", ","] = ""
    encoding: str = "utf-8-sig"
    missing: tuple[str, ...] | None = None
    layout: Literal["long", "wide"] = "long"
    items: str | None = None
    keep: tuple[str, ...] = ()
    language: str = ""
    key: str = ""
    platform: str = ""


COLUMN_MAP = 'our names with those of the file, as in {"columns": {"item": "Item"}}'


def _demand_regex(text: str | None, location: str) -> None:
    try:
        if len(text or "") > STRETCH:
            raise re.error(f"more than {STRETCH} characters")
        re.compile(text or "")
    except re.error as error:
        wrong, right = f"not a regular expression ({error})", "one as Python has them: ^q_(.+)$"
        raise InputError(location, wrong, right, kind="format") from None


def read_map(source: Path | Mapping[str, Any]) -> TableMap:
    """Read what a map says of a table: what its columns are, and what is kept of people.

    Args:
        source: a JSON file with the keys that docs/people.md describes, or its content.

    Returns:
        The map; what is not said is as in `TableMap()`.

    Raises:
        InputError: for a file that is not JSON, an unknown key, or a wrong value.

    >>> read_map({"columns": {"rt_ms": {"column": "RT", "scale": 1000}}}).columns["rt_ms"]
    ColumnSource(column='RT', scale=1000, regex=None, values={})
    """
    location, folder = "map", Path()
    content: Any = source
    if isinstance(source, Path):
        location, folder = str(source), source.parent
        content = parse_json(read_text(source), location, COLUMN_MAP)
    if not isinstance(content, Mapping) or not isinstance(content.get("columns", {}), Mapping):
        raise InputError(location, "not a map of columns", COLUMN_MAP, kind="format")
    columns = {}
    for name, value in content.get("columns", {}).items():
        definition = value if isinstance(value, dict) else {"column": value}
        columns[name] = validated(ColumnSource, definition, f"{location}: {name}")
        _demand_regex(columns[name].regex, f"{location}: {name}")
    table = validated(TableMap, {**content, "columns": columns}, location)
    if (table.layout == "wide") != (table.items is not None):
        wrong = '"layout": "wide" and "items" do not go without each other'
        raise InputError(location, wrong, "both of them, or none", kind="format")
    _demand_regex(table.items, f"{location}: items")
    try:
        encoding = codecs.lookup(table.encoding).name.replace("utf-8-sig", "utf-8")
    except LookupError:
        wrong, right = f"encoding is {table.encoding!r}", "one of Python's, such as latin-1"
        raise InputError(location, wrong, right, kind="unknown") from None
    return replace(
        table,
        constants={name: str(value) for name, value in table.constants.items()},
        where={name: str(value) for name, value in table.where.items()},
        language=checked_language(table.language, f"{location}: language"),
        encoding="utf-8-sig" if encoding == "utf-8" else encoding,
        key=str(folder / table.key) if table.key else "",
    )


def table_map(entries: Names | Mapping[str, Any]) -> TableMap:
    """Return what the parameter `map` of an import says.

    Args:
        entries: `OURS=THEIRS`, the second of which may itself contain `=`, and perhaps the name of
            a map file; or what such a file holds.

    Returns:
        The map; what is not said is as in `TableMap()`.

    Raises:
        InputError: for a text that is no such pair and no file, a name of ours that is given twice,
            two files, and as `read_map`.

    >>> table_map(["item=Item", "participant=Prolific ID"]).columns["participant"].column
    'Prolific ID'
    """
    if isinstance(entries, Mapping):
        return read_map(entries)
    pairs = [entry for entry in listed(entries) if "=" in entry]
    files = [entry for entry in listed(entries) if "=" not in entry]
    if len(files) > 1:
        wrong, right = f"{len(files)} map files", "one, and OURS=THEIRS with it"
        raise InputError("map", wrong, right, kind="conflict")
    if files and not Path(files[0]).is_file():
        right = "OURS=THEIRS, as in item=Item, or a map file"
        raise InputError("map", repr(files[0]), right, kind="value")
    table = read_map(Path(files[0])) if files else TableMap()
    named: dict[str, ColumnSource] = {}
    for name, _, column in (pair.partition("=") for pair in pairs):
        if not (name and column):
            wrong = repr(f"{name}={column}")
            raise InputError("map", wrong, "OURS=THEIRS, as in item=Item", kind="value")
        if name in named:
            wrong, right = f"{name} is given twice", f"one column of the file for {name}"
            raise InputError("map", wrong, right, kind="conflict")
        named[name] = ColumnSource(column)
    return replace(table, columns={**table.columns, **named})


def named_columns(table: TableMap, names: Collection[str]) -> Mapping[str, ColumnSource]:
    """Return a map's sources. Raises `InputError` for a name that is none of ours."""
    for name in (*table.columns, *table.constants):
        if name not in names:
            wrong = f"{name!r} is none of our names of columns"
            raise InputError("map", wrong, nearest(name, names), kind="unknown")
    return table.columns


def names_of(table: TableMap) -> ColumnNames:
    """Return our names, each with the names that may stand for it in what an experiment logs: the
    one that is stated, else the usual ones. Raises `InputError` for a name that is not ours."""
    sources = named_columns(table, LOGGED)
    return {name: (sources[name].column,) if name in sources else n for name, n in LOGGED.items()}


def first_of(cells: Mapping[str, str], names: ColumnNames) -> dict[str, str]:
    """Return the cells of a row under our names; "" where it has none of the names for ours."""
    return {
        name: next((cells[alias] for alias in aliases if alias in cells), "")
        for name, aliases in names.items()
    }


def platform_of(names: ColumnNames, fields: Collection[str]) -> str:
    """Return the platform whose ids people have, as the name of the field that holds them tells;
    "" if it does not tell."""
    used = next((name for name in names["participant"] if name in fields), "")
    return "prolific" if used in PROLIFIC_IDS else "mturk" if used in MTURK_IDS else ""


def column_uses(columns: Collection[str], names: ColumnNames) -> dict[str, str]:
    """Return each of a file's columns with what it was read as; "" for nothing."""
    by_column = {
        next((n for n in aliases if n in columns), ""): name for name, aliases in names.items()
    }
    return {column: by_column.get(column, "") for column in columns}
