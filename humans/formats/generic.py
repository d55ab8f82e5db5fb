"""Any table of answers: one row an answer, or one row an item with its totals.

Columns are found by our names (`item`, `participant`, `chosen`, `correct_form`, … or `item`,
`right`, `total`); a file with other names is read with a map from ours to its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.registry import nearest
from colorless_green.humans.assemble import assembled
from colorless_green.humans.formats.mapped import relabelled
from colorless_green.humans.formats.names import keep_into
from colorless_green.humans.formats.sheet import (
    Line,
    Sheet,
    duration,
    number,
    read_sheet,
    whole,
)
from colorless_green.humans.formats.totals import COLUMNS as AGGREGATED
from colorless_green.humans.formats.totals import aggregated, has_totals
from colorless_green.humans.imported import Arrived, Imported, ImportOptions
from colorless_green.humans.judgment import Judgment, Session, kind_at, kind_named
from colorless_green.humans.lookup import Lookup, forms, lookup_of, normal
from colorless_green.humans.tablemap import Source, TableMap
from colorless_green.nonce.item import Item

SINGLE = (
    "participant",
    "session",
    "trial_id",
    "item",
    "condition",
    "kind",
    "position",
    "list",
    "prefix",
    "option_1",
    "option_2",
    "chosen",
    "chosen_index",
    "correct_form",
    "correct_index",
    "correct",
    "rating",
    "rt_ms",
    "at",
    "status",
)
FACT = "fact:"  # before the name of a column that is kept
TEXTS = ("prefix", "correct_form", "wrong_form")
"""What tells an item where there is no id."""

MISSING = ("NA", "N/A", "NaN", "NULL", "null", "None")
"""What other programs write for no answer; taken as a word where it is one of the options."""


def read(paths: Sequence[Path], items: Sequence[Item], options: ImportOptions) -> Imported:
    """Single judgments, or tallies, from one or more tables of the same kind.

    `options.columns` and `options.table` map our names to the files'. Raises `InputError` as
    `join` does, and where totals do not add up.
    """
    known = tuple(dict.fromkeys((*SINGLE, *AGGREGATED, *TEXTS, "task")))
    table = _with_columns(options)
    for name in (*table.columns, *table.constants):
        if name not in known:
            raise InputError(
                "--map",
                f"no such column {name!r}",
                nearest(name, (*SINGLE, *AGGREGATED)),
                kind="unknown",
            )
    read_in = [_renamed(path, table, known, options.keep) for path in paths]
    sheets = [sheet for sheet, _ in read_in]
    if not sheets:
        raise InputError("humans import", "no file", "one table of answers or more", kind="missing")
    n_left_out = sum(n for _, n in read_in)
    with_totals = [sheet for sheet in sheets if has_totals(sheet.columns)]
    if with_totals and len(with_totals) < len(sheets):
        other = next(sheet for sheet in sheets if sheet not in with_totals)
        raise InputError(
            str(other.path),
            "single answers beside files with totals",
            "one sort at a time",
            kind="conflict",
        )
    if with_totals:
        return aggregated(sheets, items, options, n_left_out)
    return assembled(_single(sheets, items, table, n_left_out), items, options)


def _with_columns(options: ImportOptions) -> TableMap:
    """The map file, with what the command line says over it."""
    stated = {name: Source(column) for name, column in options.columns.items()}
    return replace(options.table, columns={**options.table.columns, **stated})


def _renamed(
    path: Path, table: TableMap, known: Sequence[str], keep: Sequence[str]
) -> tuple[Sheet, int]:
    """The table with our names for its columns (and those to keep), and how many rows the map
    leaves out."""
    theirs = {name: table.columns.get(name, Source(name)) for name in known}
    theirs |= {FACT + name: Source(name) for name in keep}
    sheet = read_sheet(
        path,
        [source.column for source in theirs.values()],
        table.delimiter or ",;\t",
        table.encoding,
    )
    missing = MISSING if table.missing is None else table.missing
    found, n_left_out = relabelled(sheet, theirs, table, missing)
    _demand_columns(found, sheet.columns)
    return found, n_left_out


def _demand_columns(sheet: Sheet, theirs: Sequence[str]) -> None:
    place, there = f"{sheet.path}:1", f"the columns are {', '.join(theirs)}"
    ours = set(sheet.columns)
    if "item" not in ours and not ours & {"prefix", "correct_form", "option_1"}:
        raise InputError(
            place, f"no column item; {there}", "name it with --map item=COLUMN", kind="missing"
        )
    if has_totals(sheet.columns):
        if {"chosen", "chosen_index"} & ours:
            raise InputError(
                place,
                "both single answers and totals",
                "either chosen or right and total",
                kind="conflict",
            )
        return
    if "proportion" in ours:
        raise InputError(
            place,
            "proportions without the number of answers",
            "--map n=COLUMN, or right and total",
            kind="missing",
        )
    for needed in ("participant", "chosen"):
        if needed not in ours and not (needed == "chosen" and ours & {"chosen_index", "rating"}):
            raise InputError(
                place,
                f"no column {needed}; {there}",
                f"name it with --map {needed}=COLUMN (or give item, right and total)",
                kind="missing",
            )


def _single(
    sheets: Sequence[Sheet], items: Sequence[Item], table: TableMap, n_left_out: int
) -> Arrived:
    lookup = lookup_of(items)
    claimed = [each for sheet in sheets for each in _claimed(sheet, lookup)]
    return Arrived(
        n_files=len(sheets),
        n_rows=len(claimed) + n_left_out,
        judgments=claimed,
        sessions=_sessions(sheets),
        n_others=n_left_out,
        missing=MISSING if table.missing is None else table.missing,
        in_order=True,
    )


def _sessions(sheets: Sequence[Sheet]) -> list[Session]:
    """What is told of each session: its status, and the columns that are kept. Raises `InputError`
    where two rows of a session have different statuses."""
    found: dict[tuple[str, str], Session] = {}
    for sheet in sheets:
        facts = [name for name in sheet.columns if name.startswith(FACT)]
        for line in sheet.lines if facts or "status" in sheet.columns else ():
            key = line.cells["participant"], line.cells.get("session", "")
            status = line.cells.get("status", "").upper()
            known = found.setdefault(key, Session(*key, status=status))
            if known.status != status:
                raise InputError(
                    line.place,
                    f"status is {status!r}, and {known.status!r} before",
                    "one status for a session; --map session=COLUMN tells sessions apart",
                    kind="format",
                )
            own = dict(known.facts)
            keep_into(
                own,
                {name.removeprefix(FACT): line.cells.get(name, "") for name in facts},
                [name.removeprefix(FACT) for name in facts],
            )
            found[key] = replace(known, facts=own)
    return list(found.values())


def _claimed(sheet: Sheet, lookup: Lookup) -> Iterator[Judgment]:
    for line in sheet.lines:
        get = line.cells.get
        for needed in ("item", "participant"):
            if needed in sheet.columns and not get(needed):
                raise InputError(line.place, f"no {needed}", "a value in every row", kind="format")
        option_1, option_2 = _options(line, lookup)
        shown = {**line.cells, "option_1": option_1, "option_2": option_2}
        placed = Line(line.place, shown)
        yield Judgment(
            participant=line.cells["participant"],
            session=get("session", ""),
            trial_id=get("trial_id", ""),
            item=get("item", ""),
            condition=get("condition", ""),
            kind=_kind(line),
            position=_position(line),
            list=get("list", ""),
            prefix=get("prefix", ""),
            option_1=option_1,
            option_2=option_2,
            chosen=_chosen(placed),
            chosen_index=_chosen_index(placed),
            correct_form=get("correct_form", ""),
            correct=_verdict(placed),
            rating=number(line, "rating"),
            rt_ms=duration(line, "rt_ms"),
            at=get("at", ""),
            origin=line.place,
        )


def _options(line: Line, lookup: Lookup) -> tuple[str, str]:
    """The forms in the order shown: from the columns, or from the item and where its right form
    stood."""
    shown = line.cells.get("option_1", ""), line.cells.get("option_2", "")
    right_index = _either(line, "correct_index")
    item = lookup.by_id.get(line.cells.get("item", ""))
    pair = forms(item) if item else None
    if any(shown) or right_index is None or pair is None:
        return shown
    return pair if right_index == 0 else (pair[1], pair[0])


def _verdict(line: Line) -> int | None:
    """The file's own: its column `correct`, or whether the two places are one. Raises `InputError`
    where these differ."""
    stated = _either(line, "correct")
    chosen, right = _either(line, "chosen_index"), _either(line, "correct_index")
    if chosen is None or right is None:
        return stated
    if stated not in (None, int(chosen == right)):
        raise InputError(
            line.place,
            f"correct is {stated}, but chosen_index is {chosen} and correct_index {right}",
            str(int(chosen == right)),
            kind="format",
        )
    return int(chosen == right)


def _kind(line: Line) -> str:
    """The sort of trial: in a column `kind`, or else in one called `task` that has it."""
    if told := line.cells.get("kind", ""):
        return kind_at(told, line.place)
    return kind_named(line.cells.get("task", "")) or "target"


def _chosen(line: Line) -> str:
    """The chosen text, from the column or from its place among the options shown."""
    shown = [line.cells.get("option_1", ""), line.cells.get("option_2", "")]
    text = line.cells.get("chosen", "")
    index = _either(line, "chosen_index")
    if index is None:
        return text
    if not all(shown) and _either(line, "correct_index") is not None:
        return text  # of a filler whose texts nobody gave: judged by its places
    if not all(shown):
        raise InputError(
            line.place,
            "chosen_index without the options",
            "columns option_1 and option_2",
            kind="format",
        )
    if text and normal(text) != normal(shown[index]):
        raise InputError(
            line.place,
            f"chosen is {text!r}, but chosen_index {index} is {shown[index]!r}",
            "the same answer in both",
            kind="conflict",
        )
    return shown[index]


def _chosen_index(line: Line) -> int | None:
    """0 or 1: which option was chosen, where both were noted and tell themselves apart."""
    stated = _either(line, "chosen_index")
    shown = [normal(line.cells.get(name, "")) for name in ("option_1", "option_2")]
    chosen = normal(line.cells.get("chosen", ""))
    if stated is None and chosen and shown.count(chosen) == 1:
        return shown.index(chosen)
    return stated


def _either(line: Line, column: str) -> int | None:
    """0, 1 or nothing; also as true/false and T/F, as other programs write them."""
    text = line.cells.get(column, "")
    words = {"": None, "0": 0, "1": 1, "false": 0, "true": 1, "f": 0, "t": 1}
    if text.lower() not in words:
        raise InputError(line.place, f"{column} is {text!r}", "0, 1 or nothing", kind="format")
    return words[text.lower()]


def _position(line: Line) -> int | None:
    value = whole(line, "position")
    if value is not None and value < 1:
        raise InputError(line.place, f"position is {value}", "1 or more", kind="format")
    return value
