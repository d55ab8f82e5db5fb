"""What another program calls our columns, and what of its cells is ours: one table a format.

A format is a map from our names to its own (`Layout`), and a row under our names becomes a judgment
in one place (`judgment_of`), whatever the file. A map file says what a table's columns are that has
other names:

    {"delimiter": ";", "decimal": ",", "encoding": "utf-8", "missing": ["", "NA"],
     "columns": {"participant": "Subj", "rt_ms": {"column": "RT (s)", "scale": 1000},
                 "kind": {"column": "type", "regex": "^([a-z]+)", "values": {"fill": "filler"}}},
     "constants": {"list": "A"}, "where": {"released": "1"},
     "layout": "wide", "items": "^q_(?P<item>.+)$"}

Every key may be left out. A source takes a column's cell, of it what `regex` finds (its first group
if it has one; nothing if it finds nothing), of that what `values` says (others stay), times
`scale`. `where` keeps rows with these cells, the others are counted. In the wide layout a row is a
person and each column that `items` matches a trial: group `item` (or the first) is the item, group
`field` what the cell is (`chosen` without one).
"""

import codecs
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeAlias

from colorless_green.data.errors import InputError
from colorless_green.data.files import read_text
from colorless_green.data.registry import nearest
from colorless_green.humans.formats.sheet import (
    DELIMITERS,
    Line,
    Sheet,
    decimal_sign,
    duration,
    is_number,
    number,
    whole,
    with_point,
)
from colorless_green.humans.judgment import Judgment, kind_at, kind_named
from colorless_green.humans.lookup import Lookup, forms, normal

Names: TypeAlias = Mapping[str, tuple[str, ...]]
"""Our names, each with those that stand for it in a file, the first that is there."""

PROLIFIC_IDS = ("PROLIFIC_PID", "prolific_id", "prolific_pid")
MTURK_IDS = ("workerId", "worker_id", "WorkerId")
LOGGED: Names = {  # what experiments usually call what they add to their data
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
NUMBERS = ("rating", "rt_ms", "proportion")  # may have a decimal comma
MAY_LACK = (*NUMBERS, "position", "chosen_index", "correct_index", "correct", "at", "status")
"""Where a word such as NA means nothing; elsewhere it may be a form, a text or a name."""
WIDE = ("item", "chosen", "chosen_index", "rt_ms", "rating", "correct", "position")
"""What the columns of a wide table may hold."""
SOURCE = ("column", "scale", "regex", "values")  # keys of what a column is made of
KEYS = ("delimiter", "decimal", "encoding", "missing", "columns", "constants", "where", "layout",
        "items")  # fmt: skip
STRETCH = 200  # characters of a regular expression: enough for any name of a column
VERDICTS = {"": None, "0": 0, "1": 1, "false": 0, "true": 1, "f": 0, "t": 1}


@dataclass(frozen=True, slots=True)
class Source:
    """Where the cells of one of our columns come from."""

    column: str
    scale: str = ""  # a decimal number, as text: 0.1 s are exactly 100 ms
    regex: re.Pattern[str] | None = None
    values: Mapping[str, str] = field(default_factory=dict)

    def taken(self, cell: str) -> str:
        """What of a cell is ours; the scale is left to who knows the decimal point."""
        if self.regex is not None:
            found = self.regex.search(cell)
            cell = found[1 if self.regex.groups else 0] or "" if found else ""
        return self.values.get(cell, cell)


@dataclass(frozen=True, slots=True)
class TableMap:
    """A map file; as it is made, nothing has another name than ours."""

    columns: Mapping[str, Source] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    where: Mapping[str, str] = field(default_factory=dict)
    delimiter: str = ""  # "": told by the header
    decimal: str = ""  # "": told by the numbers
    encoding: str = "utf-8-sig"
    missing: tuple[str, ...] | None = None  # None: those of the format
    items: re.Pattern[str] | None = None  # columns of the wide layout


def read_map(path: Path) -> TableMap:
    """The map in a JSON file. Raises `InputError` with the key that is wrong."""
    place = str(path)

    def refused(wrong: str, right: str) -> InputError:
        return InputError(place, wrong, right, kind="format")

    def texts(told: Mapping[str, Any], key: str) -> dict[str, str]:
        found = told.get(key, {})
        if not isinstance(found, dict):
            raise refused(f"{key} is no object", "names, each with its value")
        for name, value in found.items():
            if isinstance(value, bool) or not isinstance(value, str | int):
                raise refused(f"{key} {name!r} is {value!r}", "a text")
        return {name: str(value) for name, value in found.items()}

    try:
        stated = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise refused(f"not JSON ({error})", "a map of columns") from None
    if not isinstance(stated, dict) or not isinstance(stated.get("columns", {}), dict):
        raise refused("not a JSON object", "a map of columns")
    choices = {"delimiter": ("auto", *DELIMITERS), "decimal": ("", ".", ",")}
    for key, value in stated.items():
        if key not in KEYS:
            raise InputError(place, f"no such key {key!r}", nearest(key, KEYS), kind="unknown")
        if key in choices and value not in choices[key]:
            right = nearest(str(value), map(repr, choices[key]))
            raise InputError(place, f"{key} is {value!r}", right, kind="unknown")
    wide = stated.get("layout", "long")
    if wide not in ("long", "wide") or (wide == "wide") != ("items" in stated):
        right = '"wide" with `items`, or "long" (the default) without'
        raise refused(f"layout is {wide!r}", right)
    missing = stated.get("missing")
    if missing is not None and not (
        isinstance(missing, list) and all(isinstance(each, str) for each in missing)
    ):
        raise refused(f"missing is {missing!r}", "a list of texts")
    encoding = stated.get("encoding", "utf-8")
    try:
        encoding = codecs.lookup(encoding).name
    except (LookupError, TypeError):
        wrong = f"no encoding {encoding!r}"
        raise InputError(place, wrong, "utf-8, say", kind="unknown") from None
    columns = stated.get("columns", {})
    delimiter = stated.get("delimiter", "auto")
    return TableMap(
        columns={name: _source(value, f"{place}: {name}") for name, value in columns.items()},
        constants=texts(stated, "constants"),
        where=texts(stated, "where"),
        delimiter="" if delimiter == "auto" else delimiter,
        decimal=stated.get("decimal", ""),
        encoding="utf-8-sig" if encoding == "utf-8" else encoding,
        missing=None if missing is None else tuple(missing),
        items=_regex(stated["items"], f"{place}: items") if wide == "wide" else None,
    )


def _source(value: Any, place: str) -> Source:
    if isinstance(value, str):
        return Source(value)
    if not isinstance(value, dict) or not isinstance(value.get("column"), str):
        raise InputError(place, "no column", 'a name, or {"column": NAME, …}', kind="format")
    for key in value:
        if key not in SOURCE:
            raise InputError(place, f"no such key {key!r}", nearest(key, SOURCE), kind="unknown")
    scale, values = value.get("scale", ""), value.get("values", {})
    if scale != "" and (isinstance(scale, bool) or not isinstance(scale, int | float)):
        raise InputError(place, f"scale is {scale!r}", "a number", kind="format")
    if not isinstance(values, dict) or not all(isinstance(v, str) for v in values.values()):
        raise InputError(place, "values are no texts", "what stands for what", kind="format")
    regex = _regex(value["regex"], place) if "regex" in value else None
    return Source(value["column"], str(scale), regex, values)


def _regex(value: Any, place: str) -> re.Pattern[str]:
    try:
        if not isinstance(value, str) or len(value) > STRETCH:
            raise re.error(f"not a text of {STRETCH} characters or fewer")
        return re.compile(value)
    except re.error as error:
        wrong = f"not a regular expression ({error})"
        raise InputError(place, wrong, "as in Python", kind="format") from None


def column_map(pairs: Sequence[str]) -> dict[str, str]:
    """`OURS=THEIRS` of the command line as a map; their name may hold `=`, ours cannot."""
    result: dict[str, str] = {}
    for pair in pairs:
        ours, equals, theirs = pair.partition("=")
        if not (ours and equals and theirs):
            raise InputError("--map", f"{pair!r}", "OURS=THEIRS, as in item=Item", kind="value")
        if ours in result:
            right = "one column for each of our names"
            raise InputError("--map", f"{ours!r} twice", right, kind="conflict")
        result[ours] = theirs
    return result


def named_columns(
    table: TableMap, columns: Mapping[str, str], known: Collection[str]
) -> dict[str, Source]:
    """The map file's sources, with what the command line says over them. Raises `InputError` for a
    name that is none of ours."""
    stated = {**table.columns, **{name: Source(theirs) for name, theirs in columns.items()}}
    for name in (*stated, *table.constants):
        if name not in known:
            wrong = f"no such column {name!r}"
            raise InputError("--map", wrong, nearest(name, known), kind="unknown")
    return stated


def names_of(table: TableMap, columns: Mapping[str, str]) -> Names:
    """Our names, each with the names that may stand for it in what an experiment logs: the one that
    is stated, else the usual ones. Raises `InputError` for a name that is not ours."""
    stated = named_columns(table, columns, LOGGED)
    return {ours: (stated[ours].column,) if ours in stated else n for ours, n in LOGGED.items()}


def platform_of(names: Names, there: Collection[str]) -> str:
    """Whose ids people have, told by the name of the field that holds them; "" if it does not
    tell."""
    used = next((name for name in names["participant"] if name in there), "")
    return "prolific" if used in PROLIFIC_IDS else "mturk" if used in MTURK_IDS else ""


def taken_for(there: Collection[str], names: Names) -> dict[str, str]:
    """Each of a file's columns with what it was taken for; "" for nothing."""
    ours = {next((n for n in theirs if n in there), ""): name for name, theirs in names.items()}
    return {column: ours.get(column, "") for column in there}


def keep_into(facts: dict[str, str], fields: Mapping[str, str], wanted: Collection[str]) -> None:
    """Adds the fields that were asked for; several values of one stand with ` | ` between them."""
    for name in wanted:
        value = fields.get(name, "")
        if value and value not in facts.get(name, "").split(" | "):
            facts[name] = f"{facts[name]} | {value}" if facts.get(name) else value


def relabelled(
    sheet: Sheet, theirs: Mapping[str, Source], table: TableMap, missing: Collection[str]
) -> tuple[Sheet, int, list[str]]:
    """The table with our names for its columns, how many rows `where` leaves out, and what was
    made of numbers that could be read in two ways.

    Numbers, indices and the like that are one of `missing` are empty; numbers have a decimal point.
    Columns that we have no name for are gone. Raises `InputError` for a column that the map names
    and the table lacks.
    """
    there = (*sheet.columns, *(WIDE if table.items else ()))
    stated = {name: theirs[name].column for name in table.columns if name in theirs}
    for name, column in (*stated.items(), *(("`where`", column) for column in table.where)):
        if column not in there:
            wrong = f"no column {column!r} for {name}"
            right = nearest(column, sheet.columns)
            raise InputError(f"{sheet.path}:1", wrong, right, kind="missing")
    lines = [
        line
        for line in sheet.lines
        if all(line.cells[column] == value for column, value in table.where.items())
    ]
    ours = {name: source for name, source in theirs.items() if source.column in there}
    rows: list[tuple[str, dict[str, str]]] = []
    for line in lines:
        for cells in _wide(line, table) if table.items else [line.cells]:
            named = {n: s.taken(cells[s.column]) for n, s in ours.items() if s.column in cells}
            lacking = {n: "" for n, cell in named.items() if cell in missing and n in MAY_LACK}
            rows.append((line.place, {**table.constants, **named, **lacking}))
    notes = []
    for name in NUMBERS:
        if name not in ours:
            continue
        own = [cells.get(name, "") for _, cells in rows]
        usual = "." if sheet.delimiter == "," else ","
        scale = ours[name].scale
        told = decimal_sign(own, usual, times=name == "rt_ms" and not scale)
        decimal = table.decimal or told
        read = [with_point(cell, decimal) for cell in own]
        first = next(((a, b) for a, b in zip(own, read, strict=True) if len(a) > len(b)), None)
        if first and not table.decimal:
            notes.append(f'{name}: {first[0]!r} is read as {first[1]}, unless "decimal" says not')
        for (_, cells), cell in zip(rows, read, strict=True):
            if name in cells:
                by = bool(scale) and is_number(cell)
                cells[name] = str(Decimal(cell) * Decimal(scale)) if by else cell
    columns = tuple(dict.fromkeys(name for _, cells in rows for name in cells)) or tuple(ours)
    found = tuple(Line(place, cells) for place, cells in rows)
    return (
        Sheet(sheet.path, sheet.delimiter, columns, found),
        len(sheet.lines) - len(lines),
        notes,
    )


def _wide(line: Line, table: TableMap) -> Iterator[dict[str, str]]:
    """The trials of a person's row, in the order of their first columns."""
    assert table.items is not None
    trials: dict[str, dict[str, str]] = {}
    shared: dict[str, str] = {}
    for column, cell in line.cells.items():
        found = table.items.search(column)
        if found is None:
            shared[column] = cell
            continue
        groups = found.groupdict()
        item = groups.get("item") or (found[1] if table.items.groups else found[0])
        name = groups.get("field") or "chosen"
        if name not in WIDE:
            wrong, right = f"column {column!r} holds {name!r}", f"one of {', '.join(WIDE)}"
            raise InputError(line.place, wrong, right, kind="format")
        trials.setdefault(item, {})[name] = cell
    if not trials:
        right = "another `items` in the map"
        raise InputError(line.place, "no column is an item's", right, kind="missing")
    for item, cells in trials.items():
        yield {**shared, "item": item, **cells}


def judgment_of(cells: Mapping[str, str], place: str, lookup: Lookup | None = None) -> Judgment:
    """A row under our names as what it claims: nothing is joined to items yet.

    The answer is a text (`chosen`) or a place among the options (`chosen_index`); the options are
    those shown, else the forms of the item of `lookup` with the right one at `correct_index`.
    `correct` is the file's own verdict, `kind` empty where the row does not say. Raises
    `InputError` for a value that a column cannot have, and where two contradict each other.
    """
    line, get = Line(place, cells), cells.get
    shown = get("option_1", ""), get("option_2", "")
    index, right = _verdict(line, "chosen_index"), _verdict(line, "correct_index")
    item = lookup.by_id.get(get("item", "")) if lookup else None
    pair = forms(item) if item and right is not None and not any(shown) else None
    if pair:
        shown = pair if right == 0 else (pair[1], pair[0])
    chosen, correct = get("chosen", ""), _verdict(line, "correct")
    if index is not None:
        if not all(shown) and right is None:
            wrong, told = "chosen_index without the options", "columns option_1 and option_2"
            raise InputError(place, wrong, told, kind="format")
        if chosen and all(shown) and normal(chosen) != normal(shown[index]):
            wrong = f"chosen is {chosen!r}, but chosen_index {index} is {shown[index]!r}"
            raise InputError(place, wrong, "the same answer in both", kind="conflict")
        if all(shown):  # else of a filler whose texts nobody gave: judged by its places
            chosen = shown[index]
        if right is not None and correct not in (None, int(index == right)):
            wrong = f"correct is {correct}, but chosen_index is {index} and correct_index {right}"
            raise InputError(place, wrong, str(int(index == right)), kind="format")
        correct = int(index == right) if right is not None else correct
    elif chosen:
        options = [normal(each) for each in shown]
        index = options.index(normal(chosen)) if options.count(normal(chosen)) == 1 else None
    position = whole(line, "position")
    if position is not None and position < 1:
        raise InputError(place, f"position is {position}", "1 or more", kind="format")
    kind = kind_at(cells["kind"], place) if get("kind") else kind_named(get("task", ""))
    return Judgment(
        participant=cells["participant"],
        session=get("session", ""),
        trial_id=get("trial_id", ""),
        item=get("item", ""),
        condition=get("condition", ""),
        kind=kind,
        position=position,
        list=get("list", ""),
        prefix=get("prefix", ""),
        option_1=shown[0],
        option_2=shown[1],
        chosen=chosen,
        chosen_index=index,
        correct_form=get("correct_form", ""),
        correct=correct,
        rating=number(line, "rating"),
        rt_ms=duration(line, "rt_ms"),
        at=get("at", ""),
        origin=place,
    )


def _verdict(line: Line, column: str) -> int | None:
    """0, 1 or nothing; also as true/false and T/F, as other programs write them."""
    text = line.cells.get(column, "")
    if text.lower() not in VERDICTS:
        raise InputError(line.place, f"{column} is {text!r}", "0, 1 or nothing", kind="format")
    return VERDICTS[text.lower()]
