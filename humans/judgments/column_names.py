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
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from ...data.errors import InputError
from ...data.files import read_text
from ...data.languages import checked_language
from ...data.records import DELIMITERS
from ...data.registry import Names, listed, nearest
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
        scale: factor of its numbers, as a decimal text, so that 0.1 s are exactly 100 ms; "": none.
        regex: what of a cell is extracted (the first group, if there is one); None: all of it.
        values: extracted text → ours; other texts stay as they are.
    """

    column: str
    scale: str = ""
    regex: re.Pattern[str] | None = None
    values: Mapping[str, str] = field(default_factory=dict)

    def extract(self, cell: str) -> str:
        """Return our text for a cell; the scale is left to who knows the decimal point."""
        if self.regex is not None:
            match = self.regex.search(cell)
            cell = match[1 if self.regex.groups else 0] or "" if match else ""
        return self.values.get(cell, cell)


@dataclass(frozen=True, slots=True)
class TableMap:
    """The content of a map file; without arguments, a table with our own column names.

    Attributes:
        columns: our column → where its cells come from.
        constants: our column → the same text in each row.
        where: column of the file → the text that it must have; other rows are not read.
        delimiter: between cells; "": found from the header.
        decimal: point of numbers, "." or ","; "": found from the numbers.
        encoding: of the file, as Python calls it.
        missing: texts that mean no answer; None: those of the format.
        items: pattern of the columns that are trials, in a table with one row per person; None:
            each row is a trial.
        keep: columns about people to keep; all others are dropped.
        language: BCP-47 code of a file that brings its own items.
        key: file of the key that makes pseudonyms; None: one next to the store.
        platform: that gave people their ids; "": the one that the format assumes.
    """

    columns: Mapping[str, ColumnSource] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    where: Mapping[str, str] = field(default_factory=dict)
    delimiter: str = ""
    decimal: str = ""
    encoding: str = "utf-8-sig"
    missing: tuple[str, ...] | None = None
    items: re.Pattern[str] | None = None
    keep: tuple[str, ...] = ()
    language: str = ""
    key: Path | None = None
    platform: str = ""


TEXT = str, object, "a text in quotes"
TEXTS = (list, tuple), str, 'a list of texts, as in ["", "NA"]'
CELLS = dict, (str, int), 'names with their values, as in {"list": "A"}'
COLUMN_MAP = 'our names with those of the file, as in {"columns": {"item": "Item"}}'
MAP: Mapping[str, tuple[Any, Any, str]] = {  # key → type of its value, of members; in words
    **dict.fromkeys(("delimiter", "decimal", "encoding", "layout", "items"), TEXT),
    **dict.fromkeys(("language", "key", "platform"), TEXT),
    **dict.fromkeys(("missing", "keep"), TEXTS),
    **dict.fromkeys(("constants", "where"), CELLS),
    "columns": (dict, object, COLUMN_MAP),
}
SOURCE: Mapping[str, tuple[Any, Any, str]] = {
    "column": (str, object, 'the name of a column, or {"column": NAME, …}'),
    "scale": ((int, float), object, "a number to multiply by, such as 1000 for seconds"),
    "regex": TEXT,
    "values": (dict, str, 'their words with ours, as in {"fill": "filler"}'),
}
CHOICES = {
    "delimiter": ("auto", *DELIMITERS), "decimal": ("", ".", ","), "layout": ("long", "wide"),
}  # fmt: skip


def _demand(
    content: Mapping[str, Any], keys: Mapping[str, tuple[Any, Any, str]], location: str
) -> None:
    """Raise `InputError` for a key that is none of `keys`, and for a value that it cannot have."""
    for key, value in content.items():
        if key not in keys:
            raise InputError(location, f"no such key {key!r}", nearest(key, keys), kind="unknown")
        types, of_members, right = keys[key]
        members = value.values() if isinstance(value, dict) else value
        each = members if types in (dict, (list, tuple)) and isinstance(value, types) else ()
        if not isinstance(value, types) or not all(isinstance(e, of_members) for e in each):
            raise InputError(location, f"{key} is {value!r}", right, kind="format")
        if value not in (choices := CHOICES.get(key, (value,))):
            right = nearest(value, map(repr, choices))
            raise InputError(location, f"{key} is {value!r}", right, kind="unknown")


def _regex(text: str | None, location: str) -> re.Pattern[str] | None:
    try:
        if len(text or "") > STRETCH:
            raise re.error(f"more than {STRETCH} characters")
        return None if text is None else re.compile(text)
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
    ColumnSource(column='RT', scale='1000', regex=None, values={})
    """
    location, folder = "map", Path()
    content: Any = source
    if isinstance(source, Path):
        location, folder = str(source), source.parent
        try:
            content = json.loads(read_text(source))
        except (ValueError, RecursionError) as error:
            raise InputError(location, f"not JSON ({error})", COLUMN_MAP, kind="format") from None
    if not isinstance(content, Mapping):
        raise InputError(location, "not a map of columns", COLUMN_MAP, kind="format")
    _demand(content, MAP, location)
    if (content.get("layout") == "wide") != ("items" in content):
        wrong = '"layout": "wide" and "items" do not go without each other'
        raise InputError(location, wrong, "both of them, or none", kind="format")
    get, key_file = content.get, content.get("key", "")
    try:
        encoding = codecs.lookup(get("encoding", "utf-8")).name
    except LookupError:
        wrong, right = f"encoding is {content['encoding']!r}", "one of Python's, such as latin-1"
        raise InputError(location, wrong, right, kind="unknown") from None
    return TableMap(
        columns={
            name: _source(value, f"{location}: {name}")
            for name, value in get("columns", {}).items()
        },
        constants={name: str(value) for name, value in get("constants", {}).items()},
        where={name: str(value) for name, value in get("where", {}).items()},
        delimiter=get("delimiter", "auto").removeprefix("auto"),
        decimal=get("decimal", ""),
        encoding="utf-8-sig" if encoding == "utf-8" else encoding,
        missing=tuple(content["missing"]) if "missing" in content else None,
        items=_regex(get("items"), f"{location}: items"),
        keep=tuple(get("keep", ())),
        language=checked_language(get("language", ""), f"{location}: language"),
        key=folder / key_file if key_file else None,
        platform=get("platform", ""),
    )


def _source(value: Any, location: str) -> ColumnSource:
    definition = value if isinstance(value, dict) and "column" in value else {"column": value}
    _demand(definition, SOURCE, location)
    return ColumnSource(
        definition["column"],
        str(definition.get("scale", "")),
        _regex(definition.get("regex"), location),
        definition.get("values", {}),
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
