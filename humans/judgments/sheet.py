"""Tables that other programs write: read their cells, and map their column names to ours.

Tables have a comma, semicolon, tab or bar between cells, quoted as in CSV, and are UTF-8 or UTF-16.
Cells stay text: nothing is evaluated, and a cell that begins with `=` is an ordinary word.

A format has a map from our column names to its own (`ColumnNames`). Once rows have our names, the
same code (`judgments/claims.py`) makes trials of them for all formats. A map file names the columns
of a table:

    {"delimiter": ";", "decimal": ",", "encoding": "utf-8", "missing": ["", "NA"],
     "columns": {"participant": "Subj", "rt_ms": {"column": "RT (s)", "scale": 1000},
                 "kind": {"column": "type", "regex": "^([a-z]+)", "values": {"fill": "filler"}}},
     "constants": {"list": "A"}, "where": {"released": "1"},
     "layout": "wide", "items": "^q_(?P<item>.+)$",
     "keep": ["age"], "language": "de", "key": "people.key", "platform": "prolific"}

Every key is optional. Our text is computed from a cell in three steps: `regex` extracts a part (its
first group if it has one; "" if it doesn't match), `values` replaces it if it is listed there, and
`scale` multiplies a number. `formats/generic.py` explains `where` and the wide layout.
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
from ...data.opening import HEAD_BYTES, open_unpacked, open_utf8
from ...data.records import by_column, headers, parse_json, rows
from ...data.registry import Names, listed, nearest
from ...data.validate import validate_record

WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
WITH_COMMAS = re.compile(  # 1.203,5: also with commas and separators of thousands
    r"[+-]?([0-9]+([.,][0-9]+)*[.,]?|[.,][0-9]+)([eE][+-]?[0-9]+)?"
)
IN_THREES = re.compile(r"[+-]?[1-9][0-9]{0,2}([.,][0-9]{3})+")  # 1.203: thousands or decimals
THOUSANDS_SEPARATOR = {".": ",", ",": "."}  # decimal sign → separator of thousands
UTF8 = "utf-8-sig"  # UTF-8, perhaps with a mark at its beginning (BOM)


SheetRow: TypeAlias = tuple[str, dict[str, str]]
"""The place where a row begins (file:line), and column → cell, trimmed."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table as read from a file: its delimiter, column names and rows."""

    path: Path
    delimiter: str
    columns: tuple[str, ...]
    rows: list[SheetRow]


def read_sheet(
    path: Path, expected: Collection[str], delimiter: str = "", encoding: str = UTF8
) -> Sheet:
    """Read a table from a file.

    `expected` are names of columns, from which the delimiter is guessed if none is given. Raises
    `InputError` for bytes that are not text in the encoding, and as `sheet_of` does.
    """
    return sheet_of(text_in(path, encoding), path, expected, delimiter)


def sheet_of(
    text: str, path: Path, expected: Collection[str], delimiter: str = "", n_optional: int = 0
) -> Sheet:
    """Read a table from a text; `path` is only for messages.

    Without a delimiter, use the one that gives the header most of the `expected` columns. The last
    `n_optional` cells of a row may be missing, and are then empty. Raises `InputError` for a text
    without a header, and as `rows` and `by_column` do.
    """
    header_cells = headers(text[:HEAD_BYTES])  # delimiter → cells of the header

    def count_columns(delimiter: str) -> tuple[int, int]:
        """Count the expected columns and all columns of the header under a delimiter."""
        names = {cell.strip() for cell in header_cells[delimiter]}
        return len(names.intersection(expected)), len(header_cells[delimiter])

    delimiter = delimiter or max(header_cells, key=count_columns, default=",")
    numbered = enumerate(io.StringIO(text, newline=""), start=1)
    records = (
        (location, [cell.strip() for cell in cells])
        for location, cells in rows(((f"{path}:{n}", line) for n, line in numbered), delimiter)
    )
    location, header = next(records, ("", []))
    if not header:
        wrong, right = "the file is empty", "name the columns in its first line"
        raise InputError(str(path), wrong, right, kind="empty")
    filled = (
        (start, cells + [""] * min(n_optional, len(header) - len(cells)))
        for start, cells in records
    )
    # without the empty cells at the end of the header
    columns = tuple(header[: max(n for n, name in enumerate(header, start=1) if name)])
    return Sheet(path, delimiter, columns, [*by_column(location, header, filled)])


def integer(text: str, name: str, location: str) -> int | None:
    """Parse a cell as a whole number; None for an empty cell. Raises `InputError` for other text.

    `name` is the column and `location` the place in the file, for messages.
    """
    if text and WHOLE_NUMBER.fullmatch(text) is None:
        right = "a whole number, or an empty cell"
        raise InputError(location, f"{name} is {text!r}", right, kind="format")
    return int(text) if text else None


def number(text: str, name: str, location: str, lowest: float = -math.inf) -> float | None:
    """Parse a cell as a finite number; None for an empty cell.

    Raises `InputError` for other text, or a number below `lowest`.
    """
    if not text:
        return None
    value = float(text) if is_number(text) else math.inf
    if math.isfinite(value) and value >= lowest:
        return value
    right = "a number, or an empty cell" if lowest < 0 else f"a number from {lowest:g}, or nothing"
    if WITH_COMMAS.fullmatch(text) and "," in text:
        right += '; "decimal" in a map file says what its comma is'
    raise InputError(location, f"{name} is {text!r}", right, kind="format")


def is_number(text: str) -> bool:
    """Tell whether a cell is a number with a decimal point; `nan` and `inf` are not."""
    return NUMBER.fullmatch(text) is not None


def demand_one_reading(cells: Iterable[tuple[str, str]], name: str, right: str) -> None:
    """Raise `InputError` if a number can be read in two ways: `1.203` as a fraction or as 1203.

    `cells` are (location, cell) pairs of the column `name`.
    """
    for location, cell in cells:
        if IN_THREES.fullmatch(cell):
            wrong = f"{name} is {cell!r}, which may be a fraction or thousands"
            raise InputError(location, wrong, right, kind="format")


def with_point(cell: str, decimal: str) -> str:
    """Rewrite a number with a decimal point and without separators of thousands.

    `decimal` is the decimal sign of the file, "." or ",". If it is "", or the text is not a number,
    the cell is unchanged.
    """
    if not decimal or WITH_COMMAS.fullmatch(cell) is None:
        return cell
    whole_part, _, _ = cell.partition(decimal)
    if IN_THREES.fullmatch(whole_part):
        cell = cell.replace(THOUSANDS_SEPARATOR[decimal], "")
    return cell.replace(decimal, ".")


def text_in(path: Path, encoding: str = UTF8) -> str:
    """Read a whole text file, compressed or not. Raises `InputError` as `decoded` does."""
    with open_utf8(path) if encoding == UTF8 else open_unpacked(path) as stream:
        return decoded(stream.read(), path, encoding)


def decoded(raw: bytes, path: Path, encoding: str = UTF8) -> str:
    """Decode bytes to text.

    Raises `InputError` with the line number for bytes that are not text in this encoding, and for a
    NUL character.
    """
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
"""Our column name → names that a file may use for it; the first that the file has counts."""

PROLIFIC_IDS = ("PROLIFIC_PID", "prolific_id", "prolific_pid")
MTURK_IDS = ("workerId", "worker_id", "WorkerId")
USUAL_NAMES: ColumnNames = {  # names that experiments usually give to data they add to trials
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
LEFT_AND_RIGHT: Mapping[str, int] = {  # usual keys → place of the option that they choose
    "f": 0, "arrowleft": 0, "leftarrow": 0, "1": 0,
    "j": 1, "arrowright": 1, "rightarrow": 1, "2": 1,
}  # fmt: skip
MAX_PATTERN_CHARACTERS = 200  # of a regular expression


@dataclass(frozen=True, slots=True)
class ColumnSource:
    """The column of a file that one of our columns is read from, and how its cells are changed.

    Attributes:
        column: the name of the file's column.
        scale: factor that numbers are multiplied by; None: they stay.
        regex: pattern of the part of a cell to use (its first group, if it has one); None: all.
        values: that part → our text; other texts stay as they are.
    """

    column: str
    scale: int | float | None = None
    regex: str | None = None
    values: Mapping[str, str] = field(default_factory=dict)

    def extract(self, cell: str) -> str:
        """Return our text for a cell, by `regex` and `values`; apply `scaled` afterwards."""
        if self.regex is not None:
            cell = first_group(re.search(self.regex, cell))
        return self.values.get(cell, cell)

    def scaled(self, text: str) -> str:
        """Multiply a number by `scale` exactly, as decimals; other text is unchanged."""
        if self.scale is None or not is_number(text):
            return text
        return str(Decimal(text) * Decimal(str(self.scale)))


@dataclass(frozen=True, slots=True)
class TableMap:
    """The content of a map file. `TableMap()` describes a table with our own column names.

    Attributes:
        columns: our column → the file's column that it is read from.
        constants: our column → the same text for all rows.
        where: column of the file → text that it must have; other rows are left out.
        delimiter: the character between cells; auto: found from the header.
        decimal: decimal sign of numbers, "." or ","; the other one may separate thousands. "": a
            point, and no separators of thousands.
        encoding: Python's name of the file's encoding.
        missing: texts that mean no answer; None: those that the format knows.
        layout: wide: a row is a person, and the columns that `items` matches are trials.
        items: pattern of the columns that are trials, for the wide layout.
        keep: columns about people to keep; all others are dropped.
        language: BCP-47 code of the items, if the file brings its own.
        key: file with the key of the pseudonyms; "": one next to the store.
        platform: the platform that gave people their ids; "": the one that the format assumes.
    """

    columns: Mapping[str, ColumnSource] = field(default_factory=dict)
    constants: Mapping[str, str | int] = field(default_factory=dict)
    where: Mapping[str, str | int] = field(default_factory=dict)
    delimiter: Literal["auto", ",", ";", "\t", "|"] = "auto"
    decimal: Literal["", ".", ","] = ""
    encoding: str = UTF8
    missing: tuple[str, ...] | None = None
    layout: Literal["long", "wide"] = "long"
    items: str | None = None
    keep: tuple[str, ...] = ()
    language: str = ""
    key: str = ""
    platform: str = ""


def first_group(match: re.Match[str] | None) -> str:
    """Return the first group of a match, or the whole match if its pattern has no groups; "" if
    there is no match, or if the group took no part in it."""
    if match is None:
        return ""
    return (match[1] if match.re.groups else match[0]) or ""


EXPECTED_MAP = 'our names with those of the file, as in {"columns": {"item": "Item"}}'


def _demand_regex(text: str | None, location: str) -> None:
    """Raise `InputError` for a text that is not a regular expression, or too long."""
    try:
        if len(text or "") > MAX_PATTERN_CHARACTERS:
            raise re.error(f"more than {MAX_PATTERN_CHARACTERS} characters")
        re.compile(text or "")
    except re.error as error:
        wrong, right = f"not a regular expression ({error})", "one as Python has them: ^q_(.+)$"
        raise InputError(location, wrong, right, kind="format") from None


def read_map(source: Path | Mapping[str, Any]) -> TableMap:
    """Read a map file, which says what a table's columns are and what to keep about people.

    Args:
        source: a JSON file with the keys that docs/people.md describes, or its content.

    Returns:
        The map; keys that the file lacks have the values of `TableMap()`.

    Raises:
        InputError: for a file that is not JSON, an unknown key, or a wrong value.

    >>> read_map({"columns": {"rt_ms": {"column": "RT", "scale": 1000}}}).columns["rt_ms"]
    ColumnSource(column='RT', scale=1000, regex=None, values={})
    """
    location, folder = "map", Path()
    content: Any = source
    if isinstance(source, Path):
        location, folder = str(source), source.parent
        content = parse_json(read_text(source), location, EXPECTED_MAP)
    if not isinstance(content, Mapping) or not isinstance(content.get("columns", {}), Mapping):
        raise InputError(location, "not a map of columns", EXPECTED_MAP, kind="format")
    columns = {}
    for name, value in content.get("columns", {}).items():
        definition = value if isinstance(value, dict) else {"column": value}
        columns[name] = validate_record(ColumnSource, definition, f"{location}: {name}")
        _demand_regex(columns[name].regex, f"{location}: {name}")
    table = validate_record(TableMap, {**content, "columns": columns}, location)
    if (table.layout == "wide") != (table.items is not None):
        wrong = '"layout": "wide" and "items" do not go without each other'
        raise InputError(location, wrong, "both of them, or none", kind="format")
    _demand_regex(table.items, f"{location}: items")
    return replace(
        table,
        constants={name: str(value) for name, value in table.constants.items()},
        where={name: str(value) for name, value in table.where.items()},
        language=checked_language(table.language, f"{location}: language"),
        encoding=_codec_name(table.encoding, location),
        key=str(folder / table.key) if table.key else "",
    )


def _codec_name(encoding: str, location: str) -> str:
    """Return Python's name of an encoding. For UTF-8 it is that of the codec which skips a mark at
    the beginning of a file (BOM). Raises `InputError` for an encoding that Python does not have."""
    try:
        name = codecs.lookup(encoding).name
    except LookupError:
        wrong, right = f"encoding is {encoding!r}", "one of Python's, such as latin-1"
        raise InputError(location, wrong, right, kind="unknown") from None
    return UTF8 if name == "utf-8" else name


def table_map(entries: Names | Mapping[str, Any]) -> TableMap:
    """Turn the parameter `map` of an import into a map of a table.

    Args:
        entries: pairs `OURS=THEIRS` of column names (THEIRS may contain `=`), and at most one name
            of a map file; or the content of a map file.

    Returns:
        The map; what the entries do not say has the values of `TableMap()`.

    Raises:
        InputError: for a text that is neither a pair nor a file, for a column of ours that is given
            twice, for two files, and as `read_map` does.

    >>> table_map(["item=Item", "participant=Prolific ID"]).columns["participant"].column
    'Prolific ID'
    """
    if isinstance(entries, Mapping):
        return read_map(entries)
    pairs = [entry.partition("=") for entry in listed(entries) if "=" in entry]
    files = [entry for entry in listed(entries) if "=" not in entry]
    if len(files) > 1:
        wrong, right = f"{len(files)} map files", "one, and OURS=THEIRS with it"
        raise InputError("map", wrong, right, kind="conflict")
    if files and not Path(files[0]).is_file():
        right = "OURS=THEIRS, as in item=Item, or a map file"
        raise InputError("map", repr(files[0]), right, kind="value")
    table = read_map(Path(files[0])) if files else TableMap()
    named: dict[str, ColumnSource] = {}
    for name, _, column in pairs:
        if not (name and column):
            wrong = repr(f"{name}={column}")
            raise InputError("map", wrong, "OURS=THEIRS, as in item=Item", kind="value")
        if name in named:
            wrong, right = f"{name} is given twice", f"one column of the file for {name}"
            raise InputError("map", wrong, right, kind="conflict")
        named[name] = ColumnSource(column)
    return replace(table, columns={**table.columns, **named})


def mapped_columns(table: TableMap, names: Collection[str]) -> Mapping[str, ColumnSource]:
    """Return our column → source, as the map has them.

    Raises `InputError` for a column that is not in `names`, which a format can read.
    """
    for name in (*table.columns, *table.constants):
        if name not in names:
            wrong = f"{name!r} is none of our names of columns"
            raise InputError("map", wrong, nearest(name, names), kind="unknown")
    return table.columns


def logged_names(table: TableMap) -> ColumnNames:
    """Return our column name → names to look for in an experiment's data: the one in the map, else
    the usual ones. Raises `InputError` for a name in the map that is not ours."""
    sources = mapped_columns(table, USUAL_NAMES)
    return {
        name: (sources[name].column,) if name in sources else usual
        for name, usual in USUAL_NAMES.items()
    }


def our_cells(cells: Mapping[str, str], names: ColumnNames) -> dict[str, str]:
    """Return our column name → cell of a row; "" if the row has none of a column's names."""
    return {
        name: next((cells[alias] for alias in aliases if alias in cells), "")
        for name, aliases in names.items()
    }


def platform_of(names: ColumnNames, fields: Collection[str]) -> str:
    """Guess the platform that gave people their ids from the name of the field with the ids:
    prolific, mturk, or "" if the name does not tell."""
    used = next((name for name in names["participant"] if name in fields), "")
    return "prolific" if used in PROLIFIC_IDS else "mturk" if used in MTURK_IDS else ""


def column_uses(columns: Collection[str], names: ColumnNames) -> dict[str, str]:
    """Return column of a file → our name that it was read as; "" if it was not used."""
    our_name = {  # name that the file uses → our name
        next((alias for alias in aliases if alias in columns), ""): name
        for name, aliases in names.items()
    }
    return {column: our_name.get(column, "") for column in columns}
