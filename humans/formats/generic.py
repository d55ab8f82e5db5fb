"""Any table of answers: one row an answer, or one row an item with its totals.

Columns are found by our names (`item`, `participant`, `chosen`, `correct_form`, … or `item`,
`right`, `total`); a file with other names is read with a map from ours to its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.humans.formats.columns import (
    Source,
    judgment_of,
    keep_into,
    named_columns,
    relabelled,
)
from colorless_green.humans.formats.sheet import Line, Sheet, number, read_sheet, whole
from colorless_green.humans.imported import Arrived, Imported, ImportOptions, Summary
from colorless_green.humans.join import assembled, demand_known
from colorless_green.humans.judgment import Judgment, Session, Tally
from colorless_green.humans.lookup import Lookup, lookup_of
from colorless_green.humans.tally import tallied
from colorless_green.nonce.item import Item

COLUMNS = (
    *("participant", "session", "trial_id", "item", "condition", "kind", "position", "list"),
    *("prefix", "option_1", "option_2", "chosen", "chosen_index", "correct_form", "correct_index"),
    *("correct", "rating", "rt_ms", "at", "status", "wrong_form", "task"),
)
TOTALS = ("item", "right", "total", "proportion", "n")
FACT = "fact:"  # before the name of a column that is kept
MISSING = ("NA", "N/A", "NaN", "NULL", "null", "None")
"""What other programs write for no answer; taken as a word where it is one of the options."""
ROUNDING = 0.00501  # what a share given to two digits may be off


def read(paths: Sequence[Path], items: Sequence[Item], options: ImportOptions) -> Imported:
    """Single judgments, or tallies, from one or more tables of the same kind.

    `options.columns` and `options.table` map our names to the files'. Raises `InputError` as
    `join` does, and where totals do not add up.
    """
    known = tuple(dict.fromkeys((*COLUMNS, *TOTALS)))
    stated = named_columns(options.table, options.columns, known)
    table = replace(options.table, columns=stated)
    theirs = {name: stated.get(name, Source(name)) for name in known}
    theirs |= {FACT + name: Source(name) for name in options.keep}
    missing = MISSING if table.missing is None else table.missing
    sheets: list[Sheet] = []
    n_left_out, notes, taken = 0, list[str](), dict[str, str]()
    for path in paths:
        wanted = [source.column for source in theirs.values()]
        sheet = read_sheet(path, wanted, table.delimiter, table.encoding)
        ours, n_out, said = relabelled(sheet, theirs, table, missing)
        _demand_columns(ours, sheet.columns)
        by_column = {source.column: name for name, source in theirs.items()}
        taken |= {column: by_column.get(column, "") for column in sheet.columns}
        sheets.append(ours)
        n_left_out += n_out
        notes += said
    if not sheets:
        raise InputError("humans import", "no file", "one table of answers or more", kind="missing")
    lookup = lookup_of(items)
    with_totals = [sheet for sheet in sheets if _has_totals(sheet.columns)]
    if with_totals and len(with_totals) < len(sheets):
        other = next(sheet for sheet in sheets if sheet not in with_totals)
        wrong = "single answers beside files with totals"
        raise InputError(str(other.path), wrong, "one kind per import", kind="conflict")
    if with_totals:
        return replace(_aggregated(sheets, lookup, options, n_left_out), columns=taken)
    claimed = []
    for line in (line for sheet in sheets for line in sheet.lines):
        for needed in ("item", "participant"):
            if line.cells.get(needed) == "":
                right = "a value in every row"
                raise InputError(line.place, f"no {needed}", right, kind="format")
        claimed.append(judgment_of(line.cells, line.place, lookup))
    arrived = Arrived(
        n_files=len(sheets),
        n_rows=len(claimed) + n_left_out,
        judgments=claimed,
        sessions=_sessions(sheets),
        n_others=n_left_out,
        missing=missing,
        in_order=True,
        notes=notes,
        columns=taken,
    )
    return assembled(arrived, items, options)


def _demand_columns(sheet: Sheet, theirs: Sequence[str]) -> None:
    place, there = f"{sheet.path}:1", f"the columns are {', '.join(theirs)}"
    ours = set(sheet.columns)
    if "item" not in ours and not ours & {"prefix", "correct_form", "option_1"}:
        wrong = f"no column item; {there}"
        raise InputError(place, wrong, "name it with --map item=COLUMN", kind="missing")
    if _has_totals(sheet.columns):
        if {"chosen", "chosen_index"} & ours:
            right = "either chosen or right and total"
            raise InputError(place, "both single answers and totals", right, kind="conflict")
        return
    if "proportion" in ours:
        wrong = "proportions without the number of answers"
        raise InputError(place, wrong, "--map n=COLUMN, or right and total", kind="missing")
    for needed in ("participant", "chosen"):
        if needed not in ours and not (needed == "chosen" and ours & {"chosen_index", "rating"}):
            right = f"name it with --map {needed}=COLUMN (or give item, right and total)"
            raise InputError(place, f"no column {needed}; {there}", right, kind="missing")


def _has_totals(columns: Sequence[str]) -> bool:
    return {"right", "total"} <= set(columns) or {"proportion", "n"} <= set(columns)


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
                wrong = f"status is {status!r}, and {known.status!r} before"
                right = "one status for a session; --map session=COLUMN tells sessions apart"
                raise InputError(line.place, wrong, right, kind="format")
            own = dict(known.facts)
            told = {name.removeprefix(FACT): line.cells.get(name, "") for name in facts}
            keep_into(own, told, tuple(told))
            found[key] = replace(known, facts=own)
    return list(found.values())


def _aggregated(
    sheets: Sequence[Sheet], lookup: Lookup, options: ImportOptions, n_left_out: int
) -> Imported:
    """Tallies of targets; totals of fillers and checks are checked and counted as other rows."""
    seen: dict[str, str] = {}
    result: list[Tally] = []
    lines = [line for sheet in sheets for line in sheet.lines]
    about = [_about(line, lookup) for line in lines]
    demand_known(zip(about, (line.place for line in lines), strict=True), lookup.by_id)
    for line, item in zip(lines, about, strict=True):
        if item in seen:
            wrong = f"item {item!r} again, after {seen[item]}"
            raise InputError(line.place, wrong, "one row for each item", kind="conflict")
        seen[item] = line.place
        counted = tallied(lookup.by_id[item], *_totals(line))
        if options.kinds.get(item, "target") == "target":
            result.append(counted)
    return Imported(
        Summary(
            n_files=len(sheets),
            n_rows=len(lines) + n_left_out,
            n_judgments=sum(each.total for each in result),
            n_participants=None,
            n_items_matched=len(lines),
            n_items_unmatched=0,
            n_missing=sum(each.total == 0 for each in result),
            n_duplicates=0,
            n_others=n_left_out + len(lines) - len(result),
        ),
        tallies=tuple(result),
    )


def _about(line: Line, lookup: Lookup) -> str:
    """The item's id, stated or told by its texts."""
    cells: Mapping[str, str] = line.cells
    told = Judgment(
        participant="",
        item=cells.get("item", ""),
        prefix=cells.get("prefix", ""),
        option_1=cells.get("correct_form", ""),
        option_2=cells.get("wrong_form", ""),
        origin=line.place,
    )
    return lookup.identified(told).item


def _totals(line: Line) -> tuple[int, int]:
    """(right, total), from these columns or from `proportion` and `n`: a share that is rounded to
    two digits or more is that of one whole number of at most 50."""
    if "total" in line.cells:
        right, total = whole(line, "right"), whole(line, "total")
        if right is None or total is None or not 0 <= right <= total:
            wrong = f"right is {line.cells['right']!r} and total {line.cells['total']!r}"
            told = "counts of answers, 0 ≤ right ≤ total"
            raise InputError(line.place, wrong, told, kind="format")
        return right, total
    share, n = number(line, "proportion"), whole(line, "n")
    if share is None or n is None or n < 0 or not 0 <= share <= 1:
        wrong = f"proportion is {line.cells['proportion']!r} and n {line.cells['n']!r}"
        told = "a share from 0 to 1, and how many answers it is of"
        raise InputError(line.place, wrong, told, kind="format")
    right = round(share * n)
    if n and abs(right / n - share) > ROUNDING:
        wrong = f"{share:g} of {n} answers is not a whole number"
        raise InputError(line.place, wrong, "right and total", kind="format")
    return right, n
