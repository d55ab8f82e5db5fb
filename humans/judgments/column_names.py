"""What another program calls our columns, and what of its cells is ours: one table a format.

A format is a map from our names to its own (`ColumnNames`), and a row under our names becomes a
judgment in one place (`judgment_of`), whatever the file. A map file says what a table's columns are
that has other names:

    {"delimiter": ";", "decimal": ",", "encoding": "utf-8", "missing": ["", "NA"],
     "columns": {"participant": "Subj", "rt_ms": {"column": "RT (s)", "scale": 1000},
                 "kind": {"column": "type", "regex": "^([a-z]+)", "values": {"fill": "filler"}}},
     "constants": {"list": "A"}, "where": {"released": "1"},
     "layout": "wide", "items": "^q_(?P<item>.+)$",
     "keep": ["age"], "language": "de", "key": "people.key", "platform": "prolific"}

Every key may be left out. A source takes a column's cell, of it what `regex` finds (its first group
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
from ._sheet import SheetRow, integer, number
from .judgment import Judgment, kind_at, kind_named
from .lookup import Lookup, forms, normal

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
KEYS: Mapping[str, int] = {  # of the first and the second option, where the experiment is silent
    "f": 0, "arrowleft": 0, "leftarrow": 0, "1": 0,
    "j": 1, "arrowright": 1, "rightarrow": 1, "2": 1,
}  # fmt: skip
TEXTS = (
    *("participant", "session", "trial_id", "item", "condition", "list", "prefix"),
    *("correct_form", "at"),
)  # columns that are taken as they are
VERDICTS = {"": None, "0": 0, "1": 1, "false": 0, "true": 1, "f": 0, "t": 1}
SOURCE = ("column", "scale", "regex", "values")  # keys of what a column is made of
MAP = (
    *("delimiter", "decimal", "encoding", "missing", "columns", "constants", "where", "layout"),
    *("items", "keep", "language", "key", "platform"),
)
CHOICES = {  # values of these keys, the first where the key is left out
    "delimiter": ("auto", *DELIMITERS), "decimal": ("", ".", ","), "layout": ("long", "wide"),
}  # fmt: skip
COLUMN_MAP = 'our names with those of the file, as in {"columns": {"item": "Item"}}'
STRETCH = 200  # characters of a regular expression: enough for any name of a column


@dataclass(frozen=True, slots=True)
class ColumnSource:
    """Where the cells of one of our columns come from.

    Attributes:
        column: the file's column.
        scale: factor of its numbers, as a decimal text, so that 0.1 s are exactly 100 ms; "": none.
        regex: what of a cell is taken (the first group, if there is one); None: the whole cell.
        values: text that was taken → ours; other texts stay as they are.
    """

    column: str
    scale: str = ""
    regex: re.Pattern[str] | None = None
    values: Mapping[str, str] = field(default_factory=dict)

    def extract(self, cell: str) -> str:
        """What of a cell is ours; the scale is left to who knows the decimal point."""
        if self.regex is not None:
            match = self.regex.search(cell)
            cell = match[1 if self.regex.groups else 0] or "" if match else ""
        return self.values.get(cell, cell)


@dataclass(frozen=True, slots=True)
class TableMap:
    """What a map file says of a table; without arguments, a table with our own column names.

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
    if isinstance(source, Mapping):
        location, folder, content = "map", Path(), dict(source)
    else:
        location, folder, content = str(source), source.parent, _map_content(source)
    for key in content:
        if key not in MAP:
            raise InputError(location, f"no such key {key!r}", nearest(key, MAP), kind="unknown")
    columns = content.get("columns", {})
    if not isinstance(columns, dict):
        raise InputError(location, "not a map of columns", COLUMN_MAP, kind="format")
    key_file = _text(content, "key", location)
    return TableMap(
        columns={name: _source(value, f"{location}: {name}") for name, value in columns.items()},
        constants=_texts(content, "constants", location),
        where=_texts(content, "where", location),
        keep=_words(content, "keep", location) or (),
        language=checked_language(_text(content, "language", location), f"{location}: language"),
        key=folder / key_file if key_file else None,
        platform=_text(content, "platform", location),
        **_table_form(content, location),
    )


def _map_content(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise InputError(str(path), f"not JSON ({error})", COLUMN_MAP, kind="format") from None
    if not isinstance(content, dict):
        raise InputError(str(path), "not a map of columns", COLUMN_MAP, kind="format")
    return content


def _table_form(content: Mapping[str, Any], location: str) -> dict[str, Any]:
    """Return how a table is written: the fields of `TableMap` about it."""
    delimiter, decimal, layout = (content.get(key, allowed[0]) for key, allowed in CHOICES.items())
    for key, value in (("delimiter", delimiter), ("decimal", decimal)):
        if value not in CHOICES[key]:
            right = nearest(str(value), map(repr, CHOICES[key]))
            raise InputError(location, f"{key} is {value!r}", right, kind="unknown")
    if layout not in CHOICES["layout"] or (layout == "wide") != ("items" in content):
        right = '"wide" with `items`, the columns that are trials; or "long" without'
        raise InputError(location, f"layout is {layout!r}", right, kind="format")
    encoding = content.get("encoding", "utf-8")
    try:
        encoding = codecs.lookup(encoding).name
    except (LookupError, TypeError):
        right = "one that Python knows, such as utf-8 or latin-1"
        raise InputError(location, f"encoding is {encoding!r}", right, kind="unknown") from None
    return {
        "delimiter": "" if delimiter == "auto" else delimiter,
        "decimal": decimal,
        "encoding": "utf-8-sig" if encoding == "utf-8" else encoding,
        "missing": _words(content, "missing", location),
        "items": _regex(content["items"], f"{location}: items") if layout == "wide" else None,
    }


def _text(content: Mapping[str, Any], key: str, location: str) -> str:
    value = content.get(key, "")
    if not isinstance(value, str):
        raise InputError(location, f"{key} is {value!r}", "a text in quotes", kind="format")
    return value


def _words(content: Mapping[str, Any], key: str, location: str) -> tuple[str, ...] | None:
    words = content.get(key)
    if words is None:
        return None
    if not isinstance(words, list | tuple) or not all(isinstance(word, str) for word in words):
        right = 'a list of texts, as in ["", "NA"]'
        raise InputError(location, f"{key} is {words!r}", right, kind="format")
    return tuple(words)


def _texts(content: Mapping[str, Any], key: str, location: str) -> dict[str, str]:
    entries = content.get(key, {})
    if not isinstance(entries, dict):
        right = 'names with their values, as in {"list": "A"}'
        raise InputError(location, f"{key} is {entries!r}", right, kind="format")
    for name, value in entries.items():
        if isinstance(value, bool) or not isinstance(value, str | int):
            wrong = f"{key}: {name!r} is {value!r}"
            raise InputError(location, wrong, "a text in quotes", kind="format")
    return {name: str(value) for name, value in entries.items()}


def _source(value: Any, location: str) -> ColumnSource:
    definition = {"column": value} if isinstance(value, str) else value
    if not isinstance(definition, dict) or not isinstance(definition.get("column"), str):
        right = 'the name of a column, or {"column": NAME, …}'
        raise InputError(location, "names no column of the file", right, kind="format")
    for key in definition:
        if key not in SOURCE:
            raise InputError(location, f"no such key {key!r}", nearest(key, SOURCE), kind="unknown")
    scale, values = definition.get("scale", ""), definition.get("values", {})
    if scale != "" and (isinstance(scale, bool) or not isinstance(scale, int | float)):
        right = "a number to multiply by, such as 1000 for seconds"
        raise InputError(location, f"scale is {scale!r}", right, kind="format")
    if not isinstance(values, dict) or not all(isinstance(word, str) for word in values.values()):
        right = 'their words with ours, as in {"fill": "filler"}'
        raise InputError(location, f"values is {values!r}", right, kind="format")
    regex = _regex(definition["regex"], location) if "regex" in definition else None
    return ColumnSource(definition["column"], str(scale), regex, values)


def _regex(value: Any, location: str) -> re.Pattern[str]:
    try:
        if not isinstance(value, str) or len(value) > STRETCH:
            raise re.error(f"not a text of at most {STRETCH} characters")
        return re.compile(value)
    except re.error as error:
        wrong = f"not a regular expression ({error})"
        right = "one as Python has them, such as ^q_(.+)$"
        raise InputError(location, wrong, right, kind="format") from None


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
    """Whose ids people have, told by the name of the field that holds them; "" if it does not
    tell."""
    used = next((name for name in names["participant"] if name in fields), "")
    return "prolific" if used in PROLIFIC_IDS else "mturk" if used in MTURK_IDS else ""


def column_uses(columns: Collection[str], names: ColumnNames) -> dict[str, str]:
    """Each of a file's columns with what it was taken for; "" for nothing."""
    by_column = {
        next((n for n in aliases if n in columns), ""): name for name, aliases in names.items()
    }
    return {column: by_column.get(column, "") for column in columns}


def kept_fields(
    fields: Mapping[str, str], requested: Collection[str], earlier: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The fields that were asked for, after those kept `earlier`; several values of one stand with
    ` | ` between them."""
    facts = dict(earlier or {})
    for name in requested:
        value = fields.get(name, "")
        if value and value not in facts.get(name, "").split(" | "):
            facts[name] = f"{facts[name]} | {value}" if facts.get(name) else value
    return facts


def option_index(answer: str, options: Sequence[str], keys: Mapping[str, int] = {}) -> int | None:
    """Which of the two options an answer is: that with its text, else that whose key it names;
    None if neither or both."""
    texts = [normal(option) for option in options]
    if texts.count(normal(answer)) == 1:
        return texts.index(normal(answer))
    return keys.get(answer.lower())


def judgment_of(cells: Mapping[str, str], location: str, lookup: Lookup | None = None) -> Judgment:
    """A row under our names as what it claims: nothing is joined to items yet.

    The answer is a text (`chosen`) or a place among the options (`chosen_index`); the options are
    those shown, else the forms of the item of `lookup` with the right one at `correct_index`.
    `correct` is the file's own verdict, `kind` empty where the row does not say. Raises
    `InputError` for a value that a column cannot have, and where two contradict each other.
    """
    line, get = SheetRow(location, cells), cells.get
    index, right, correct = (
        _verdict(line, name) for name in ("chosen_index", "correct_index", "correct")
    )
    chosen, options = get("chosen", ""), (get("option_1", ""), get("option_2", ""))
    if lookup and right is not None and not any(options):
        item = lookup.by_id.get(get("item", ""))
        pair = forms(item) if item else None
        options = (pair if right == 0 else (pair[1], pair[0])) if pair else options
    if index is None:
        index = option_index(chosen, options) if chosen else None
    else:
        if not all(options) and right is None:
            remedy = "columns option_1 and option_2 beside it"
            raise InputError(location, "chosen_index, but no options", remedy, kind="format")
        if chosen and all(options) and normal(chosen) != normal(options[index]):
            wrong = f"chosen is {chosen!r}, but chosen_index {index} is {options[index]!r}"
            raise InputError(location, wrong, "the same answer in both columns", kind="conflict")
        if all(options):  # else of a filler whose texts nobody gave: judged by its places
            chosen = options[index]
        if right is not None:
            verdict = int(index == right)
            if correct not in (None, verdict):
                wrong = f"correct is {correct}, chosen_index {index} and correct_index {right}"
                raise InputError(location, wrong, f"correct = {verdict}", kind="format")
            correct = verdict
    position = integer(line, "position")
    if position is not None and position < 1:
        wrong, remedy = f"position is {position}", "the number of the trial, from 1"
        raise InputError(location, wrong, remedy, kind="format")
    return Judgment(
        **{name: get(name, "") for name in TEXTS},
        kind=kind_at(cells["kind"], location) if get("kind") else kind_named(get("task", "")),
        position=position,
        option_1=options[0],
        option_2=options[1],
        chosen=chosen,
        chosen_index=index,
        correct=correct,
        rating=number(line, "rating"),
        rt_ms=number(line, "rt_ms", 0),
        origin=location,
    )


def _verdict(line: SheetRow, column: str) -> int | None:
    """0, 1 or nothing; also as true/false and T/F, as other programs write them."""
    text = line.cells.get(column, "")
    if text.lower() not in VERDICTS:
        right = "0 or 1, true or false, or an empty cell"
        raise InputError(line.location, f"{column} is {text!r}", right, kind="format")
    return VERDICTS[text.lower()]
