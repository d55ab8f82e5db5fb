"""What another program calls our columns, and what a map file says of a table.

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
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ...data.errors import InputError
from ...data.files import read_text
from ...data.languages import checked_language
from ...data.records import parse_json
from ...data.registry import Names, listed, nearest
from ...data.validate import validated
from ._sheet import is_number
from .lookup import normal

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
        decimal: point of numbers, "." or ","; "": found from the numbers.
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


def option_index(answer: str, options: Sequence[str], keys: Mapping[str, int] = {}) -> int | None:
    """Return which of the two options an answer is: that with its text, else that whose key it
    names; None if neither or both."""
    texts = [normal(option) for option in options]
    if texts.count(normal(answer)) == 1:
        return texts.index(normal(answer))
    return keys.get(answer.lower())
