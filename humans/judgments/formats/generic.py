"""Any table of answers: one row an answer, or one row an item with its totals.

Columns are found by our names (`item`, `participant`, `chosen`, `correct_form`, … or `item`,
`right`, `total`); a file with other names is read with a map from ours to its own
(`judgments/column_names.py`). `where` in it keeps rows with these cells, the others are counted.
In the wide layout a row is a person and each column that `items` matches a trial: group `item` (or
the first) is the item, group `field` what the cell is (`chosen` without one).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from ....data.errors import InputError
from ....data.items.item import Item
from ....data.registry import nearest
from .._sheet import (
    Sheet,
    SheetRow,
    decimal_sign,
    integer,
    is_number,
    number,
    read_sheet,
    with_point,
)
from ..column_names import ColumnSource, TableMap, judgment_of, kept_fields, named_columns
from ..imported import Arrived, Imported, ImportOptions, ImportSummary, assembled, demand_known
from ..judgment import Judgment, Session, Tally, tallied
from ..lookup import Lookup, lookup_of

COLUMNS = (
    *("participant", "session", "trial_id", "item", "condition", "kind", "position", "list"),
    *("prefix", "option_1", "option_2", "chosen", "chosen_index", "correct_form", "correct_index"),
    *("correct", "rating", "rt_ms", "at", "status", "wrong_form", "task"),
    *("right", "total", "proportion", "n"),
)
NUMBERS = ("rating", "rt_ms", "proportion")  # may have a decimal comma
MAY_LACK = (*NUMBERS, "position", "chosen_index", "correct_index", "correct", "at", "status")
"""Where a word such as NA means nothing; elsewhere it may be a form, a text or a name."""
WIDE = ("item", "chosen", "chosen_index", "rt_ms", "rating", "correct", "position")
"""What the columns of a wide table may hold."""
FACT = "fact:"  # before the name of a column that is kept
MISSING = ("NA", "N/A", "NaN", "NULL", "null", "None")
"""What other programs write for no answer; taken as a word where it is one of the options."""
ROUNDING = 0.00501  # what a share given to two digits may be off


def read(paths: Sequence[Path], items: Sequence[Item], options: ImportOptions) -> Imported:
    """Single judgments, or tallies, from one or more tables of the same kind.

    `options.table` maps our names to the files'. Raises `InputError` as
    `join` does, and where totals do not add up.
    """
    table = options.table
    mapped = named_columns(table, COLUMNS)
    sources = {name: mapped.get(name, ColumnSource(name)) for name in COLUMNS}
    sources |= {FACT + name: ColumnSource(name) for name in table.keep}
    by_column = {source.column: name for name, source in sources.items()}
    missing = MISSING if table.missing is None else table.missing
    sheets: list[Sheet] = []
    n_left_out, notes, column_uses = 0, list[str](), dict[str, str]()
    for path in paths:
        sheet = read_sheet(path, tuple(by_column), table.delimiter, table.encoding)
        column_uses |= {column: by_column.get(column, "") for column in sheet.columns}
        renamed, n_out, sheet_notes = relabelled(sheet, sources, table, missing)
        _demand_columns(renamed, sheet.columns)
        sheets.append(renamed)
        n_left_out += n_out
        notes += sheet_notes
    if not sheets:
        raise InputError("files", "no file", "one table of answers or more", kind="missing")
    lookup = lookup_of(items)
    single = [sheet for sheet in sheets if not _has_totals(sheet.columns)]
    if single and len(single) < len(sheets):
        wrong, right = "single answers, beside files of totals", "one or the other in an import"
        raise InputError(str(single[0].path), wrong, right, kind="conflict")
    if not single:
        return replace(_aggregated(sheets, lookup, options, n_left_out), columns=column_uses)
    claimed = []
    for line in (line for sheet in sheets for line in sheet.lines):
        for needed in ("item", "participant"):
            if line.cells.get(needed) == "":
                wrong, right = f"no {needed} in this row", f"a value of {needed} in every row"
                raise InputError(line.location, wrong, right, kind="format")
        claimed.append(judgment_of(line.cells, line.location, lookup))
    arrived = Arrived(
        n_files=len(sheets),
        n_rows=len(claimed) + n_left_out,
        judgments=claimed,
        sessions=_sessions(sheets),
        n_others=n_left_out,
        missing=missing,
        in_order=True,
        notes=notes,
        columns=column_uses,
    )
    return assembled(arrived, items, options)


def relabelled(
    sheet: Sheet, sources: Mapping[str, ColumnSource], table: TableMap, missing: Collection[str]
) -> tuple[Sheet, int, list[str]]:
    """The table with our names for its columns, how many rows `where` leaves out, and what was
    made of numbers that could be read in two ways.

    Numbers, indices and the like that are one of `missing` are empty; numbers have a decimal point.
    Columns that we have no name for are gone. Raises `InputError` for a column that the map names
    and the table lacks.
    """
    available = (*sheet.columns, *(WIDE if table.items else ()))
    mapped = [(name, source.column) for name, source in table.columns.items()]
    for name, column in (*mapped, *(("`where`", column) for column in table.where)):
        if column not in available:
            wrong = f"no column {column!r} for {name}"
            right = nearest(column, sheet.columns)
            raise InputError(f"{sheet.path}:1", wrong, right, kind="missing")
    present = {name: source for name, source in sources.items() if source.column in available}
    rows: list[tuple[str, dict[str, str]]] = []
    n_left_out = 0
    for line in sheet.lines:
        if any(line.cells[column] != value for column, value in table.where.items()):
            n_left_out += 1
            continue
        for cells in _wide(line, table) if table.items else [line.cells]:
            row = {n: s.extract(cells[s.column]) for n, s in present.items() if s.column in cells}
            lacking = {n: "" for n, cell in row.items() if cell in missing and n in MAY_LACK}
            rows.append((line.location, {**table.constants, **row, **lacking}))
    notes = []
    for name in [field for field in NUMBERS if field in present]:
        raw = [cells.get(name, "") for _, cells in rows]
        usual, scale = "." if sheet.delimiter == "," else ",", present[name].scale
        sign = decimal_sign(raw, usual, times=name == "rt_ms" and not scale)
        read = [with_point(cell, table.decimal or sign) for cell in raw]
        pair = next(((a, b) for a, b in zip(raw, read, strict=True) if len(a) > len(b)), None)
        if pair and not table.decimal:
            notes.append(f'{name}: {pair[0]!r} is read as {pair[1]}, unless "decimal" says not')
        for (_, cells), cell in zip(rows, read, strict=True):
            if name in cells:
                by = bool(scale) and is_number(cell)
                cells[name] = str(Decimal(cell) * Decimal(scale)) if by else cell
    columns = tuple(dict.fromkeys(name for _, cells in rows for name in cells)) or tuple(present)
    lines = tuple(SheetRow(location, cells) for location, cells in rows)
    return Sheet(sheet.path, sheet.delimiter, columns, lines), n_left_out, notes


def _wide(line: SheetRow, table: TableMap) -> Iterator[dict[str, str]]:
    """The trials of a person's row, in the order of their first columns."""
    assert table.items is not None
    trials: dict[str, dict[str, str]] = {}
    shared: dict[str, str] = {}
    for column, cell in line.cells.items():
        match = table.items.search(column)
        if match is None:
            shared[column] = cell
            continue
        groups = match.groupdict()
        item = groups.get("item") or (match[1] if table.items.groups else match[0])
        name = groups.get("field") or "chosen"
        if name not in WIDE:
            wrong, right = f"column {column!r} holds {name!r}", f"one of {', '.join(WIDE)}"
            raise InputError(line.location, wrong, right, kind="format")
        trials.setdefault(item, {})[name] = cell
    if not trials:
        right = "a regular expression `items` in the map that finds the columns of the items"
        raise InputError(line.location, "no column is an item's", right, kind="missing")
    for item, cells in trials.items():
        yield {**shared, "item": item, **cells}


def _demand_columns(sheet: Sheet, file_columns: Sequence[str]) -> None:
    location, listing, columns = (
        f"{sheet.path}:1",
        f"the columns are {', '.join(file_columns)}",
        sheet.columns,
    )
    if {"item", "prefix", "correct_form", "option_1"}.isdisjoint(columns):
        wrong, right = f"no column item; {listing}", "name it with --map item=COLUMN"
        raise InputError(location, wrong, right, kind="missing")
    is_single = not {"chosen", "chosen_index"}.isdisjoint(columns)
    if _has_totals(columns):
        if is_single:
            right = "either chosen or right and total"
            raise InputError(location, "both single answers and totals", right, kind="conflict")
        return
    if "proportion" in columns:
        wrong = "proportions without the number of answers"
        raise InputError(location, wrong, "--map n=COLUMN, or right and total", kind="missing")
    for needed, is_there in (
        ("participant", "participant" in columns),
        ("chosen", is_single or "rating" in columns),
    ):
        if not is_there:
            right = f"name it with --map {needed}=COLUMN (or give item, right and total)"
            raise InputError(location, f"no column {needed}; {listing}", right, kind="missing")


def _has_totals(columns: Sequence[str]) -> bool:
    return {"right", "total"} <= set(columns) or {"proportion", "n"} <= set(columns)


def _sessions(sheets: Sequence[Sheet]) -> list[Session]:
    """What is told of each session: its status, and the columns that are kept. Raises `InputError`
    where two rows of a session have different statuses."""
    sessions: dict[tuple[str, str], Session] = {}
    for sheet in sheets:
        facts = [name for name in sheet.columns if name.startswith(FACT)]
        for line in sheet.lines if facts or "status" in sheet.columns else ():
            key = line.cells["participant"], line.cells.get("session", "")
            status = line.cells.get("status", "").upper()
            session = sessions.setdefault(key, Session(*key, status=status))
            if session.status != status:
                wrong = (
                    f"the status of this session is {status!r}, and was {session.status!r} before"
                )
                right = "one status for a session; --map session=COLUMN tells sessions apart"
                raise InputError(line.location, wrong, right, kind="format")
            values = {name.removeprefix(FACT): line.cells.get(name, "") for name in facts}
            sessions[key] = replace(
                session, facts=kept_fields(values, tuple(values), session.facts)
            )
    return list(sessions.values())


def _aggregated(
    sheets: Sequence[Sheet], lookup: Lookup, options: ImportOptions, n_left_out: int
) -> Imported:
    """Tallies of targets; totals of fillers and checks are checked and counted as other rows."""
    lines = [line for sheet in sheets for line in sheet.lines]
    item_ids = []
    for line in lines:  # the item, stated or told by its texts
        get = line.cells.get
        claim = Judgment(
            participant="",
            item=get("item", ""),
            prefix=get("prefix", ""),
            option_1=get("correct_form", ""),
            option_2=get("wrong_form", ""),
            origin=line.location,
        )
        item_ids.append(lookup.identified(claim).item)
    demand_known(zip(item_ids, (line.location for line in lines), strict=True), lookup.by_id)
    seen: dict[str, str] = {}
    result: list[Tally] = []
    for line, item in zip(lines, item_ids, strict=True):
        if item in seen:
            wrong, right = f"item {item!r} again, after {seen[item]}", "one row for each item"
            raise InputError(line.location, wrong, right, kind="conflict")
        seen[item] = line.location
        counted = tallied(lookup.by_id[item], *_totals(line))
        if options.kinds.get(item, "target") == "target":
            result.append(counted)
    summary = ImportSummary(
        n_files=len(sheets),
        n_rows=len(lines) + n_left_out,
        n_judgments=sum(tally.total for tally in result),
        n_participants=None,
        n_items_matched=len(lines),
        n_missing=sum(tally.total == 0 for tally in result),
        n_others=n_left_out + len(lines) - len(result),
    )
    return Imported(summary, tallies=tuple(result))


def _totals(line: SheetRow) -> tuple[int, int]:
    """(right, total), from these columns or from `proportion` and `n`: a share that is rounded to
    two digits or more is that of one whole number of at most 50."""

    def refused(wrong: str, right: str) -> InputError:
        return InputError(line.location, wrong, right, kind="format")

    if "total" in line.cells:
        right, total = integer(line, "right"), integer(line, "total")
        if right is None or total is None or not 0 <= right <= total:
            wrong = f"right is {line.cells['right']!r} and total {line.cells['total']!r}"
            raise refused(wrong, "how many answers were right, and of how many")
        return right, total
    share, n = number(line, "proportion"), integer(line, "n")
    if share is None or n is None or n < 0 or not 0 <= share <= 1:
        wrong = f"proportion is {line.cells['proportion']!r} and n {line.cells['n']!r}"
        raise refused(wrong, "a share from 0 to 1, and of how many answers it is")
    right = round(share * n)
    if n and abs(right / n - share) > ROUNDING:
        wrong = f"a proportion of {share:g} of {n} answers is not a whole number of them"
        raise refused(wrong, "the counts themselves, in columns right and total")
    return right, n
