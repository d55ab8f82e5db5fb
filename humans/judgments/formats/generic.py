"""Any table of answers: one row an answer or a rating, or one row an item with its totals.

Columns are found by our names (`item`, `participant`, `chosen`, `correct_form`, … or `item`,
`right`, `total`); a file with other names is read with a map from ours to its own
(`judgments/column_names.py`). `where` in it keeps rows with these cells, the others are counted.
In the wide layout a row is a person and each column that `items` matches a trial: group `item` (or
the first) is the item, group `field` what the cell is (`chosen` without one). A rating is of the
sentence in `sentence`; in a table that names no people each number is that of one rater.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

import polars as pl

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
from ..claims import CELLS, FACT, demand_known
from ..column_names import ColumnSource, TableMap, named_columns
from ..imported import Arrived, Imported, ImportOptions, ImportSummary, assembled
from ..judgment import Tally, tallied
from ..lookup import lookup_of

COLUMNS = (
    *("participant", "session", "trial_id", "item", "condition", "kind", "position", "list"),
    *("prefix", "sentence", "option_1", "option_2", "chosen", "chosen_index", "correct_form"),
    *("correct_index", "correct", "rating", "rt_ms", "at", "status", "wrong_form", "task"),
    *("right", "total", "proportion", "n"),
)
NUMBERS = ("rating", "rt_ms", "proportion")  # may have a decimal comma
MAY_LACK = (*NUMBERS, "position", "chosen_index", "correct_index", "correct", "at", "status")
"""Columns where a word such as NA means nothing; elsewhere it may be a form, a text or a name."""
WIDE = ("item", "chosen", "chosen_index", "rt_ms", "rating", "correct", "position")
"""What the columns of a wide table may hold."""
MISSING = ("NA", "N/A", "NaN", "NULL", "null", "None")
"""What other programs write for no answer; a word where it is one of the options."""
ROUNDING = 0.00501  # what a share given to two digits may be off
EVERYBODY = "everybody"  # who rated, in a table of ratings that names nobody


@dataclass(frozen=True, slots=True)
class NamedTable:
    """A table under our names: texts by column, with `origin`, where each row begins."""

    path: Path
    frame: pl.DataFrame
    n_left_out: int
    notes: Sequence[str]

    @property
    def has_totals(self) -> bool:
        """Tell whether each row has the totals of an item."""
        columns = {*self.frame.columns}
        return {"right", "total"} <= columns or {"proportion", "n"} <= columns


def read(paths: Sequence[Path], items: Sequence[Item], options: ImportOptions) -> Imported:
    """Read single judgments, or tallies, from one or more tables of the same kind.

    `options.table` maps our names to the files'. Raises `InputError` as `assembled` does, and
    where totals do not add up.
    """
    table = options.table
    mapped = named_columns(table, COLUMNS)
    sources = {name: mapped.get(name, ColumnSource(name)) for name in COLUMNS}
    sources |= {FACT + name: ColumnSource(name) for name in table.keep}
    by_column = {source.column: name for name, source in sources.items()}
    missing = MISSING if table.missing is None else table.missing
    tables: list[NamedTable] = []
    column_uses = dict[str, str]()
    for path in paths:
        sheet = read_sheet(path, tuple(by_column), table.delimiter, table.encoding)
        column_uses |= {column: by_column.get(column, "") for column in sheet.columns}
        tables.append(_demand_columns(renamed(sheet, sources, table, missing), sheet.columns))
    if not tables:
        raise InputError("files", "no file", "one table of answers or more", kind="missing")
    single = [each for each in tables if not each.has_totals]
    if single and len(single) < len(tables):
        wrong, right = "single answers, beside files of totals", "one or the other in an import"
        raise InputError(str(single[0].path), wrong, right, kind="conflict")
    n_left_out = sum(each.n_left_out for each in tables)
    if not single:
        return replace(_aggregated(tables, items, options, n_left_out), columns=column_uses)
    claims = pl.concat([each.frame for each in tables], how="diagonal").fill_null("")
    for needed in ("item", "participant"):
        if needed in claims.columns and len(empty := claims.filter(pl.col(needed) == "")):
            wrong, right = f"no {needed} in this row", f"a value of {needed} in every row"
            raise InputError(empty["origin"][0], wrong, right, kind="format")
    lacking = (pl.lit("").alias(name) for name in CELLS if name not in claims.columns)
    arrived = Arrived(
        paths=paths,
        claims=claims.with_columns(lacking),
        n_unread=n_left_out,
        missing=missing,
        in_order=True,
        notes=[note for each in tables for note in each.notes],
        columns=column_uses,
    )
    return assembled(arrived, items, options)


def renamed(
    sheet: Sheet, sources: Mapping[str, ColumnSource], table: TableMap, missing: Collection[str]
) -> NamedTable:
    """Return a table under our names for its columns.

    Numbers, indices and the like that are one of `missing` are empty; numbers have a decimal point.
    Columns that we have no name for are gone. Raises `InputError` for a column that the map names
    and the table lacks.
    """
    available = {*sheet.columns, *(WIDE if table.items else ())}
    mapped = [(name, source.column) for name, source in table.columns.items()]
    for name, column in (*mapped, *(("`where`", column) for column in table.where)):
        if column not in available:
            wrong = f"no column {column!r} for {name}"
            right = nearest(column, sheet.columns)
            raise InputError(f"{sheet.path}:1", wrong, right, kind="missing")
    lines = [
        line
        for line in sheet.lines
        if all(line.cells[column] == value for column, value in table.where.items())
    ]
    rows = [row for line in lines for row in _wide(line, table)] if table.items else lines
    if table.items:
        available = {name for row in rows for name in row.cells}
    columns = {name: [text] * len(rows) for name, text in table.constants.items()}
    notes = []
    for name, source in sources.items():
        if source.column not in available:
            continue
        cells = [row.cells.get(source.column, "") for row in rows]
        texts = {cell: source.extract(cell) for cell in {*cells}}
        if name in MAY_LACK:
            texts = {cell: "" if text in missing else text for cell, text in texts.items()}
        if name in NUMBERS:
            usual = "." if sheet.delimiter == "," else ","
            raw = (texts[cell] for cell in cells)
            is_times = name == "rt_ms" and not source.scale
            sign = table.decimal or decimal_sign(raw, usual, times=is_times)
            plain = {cell: with_point(text, sign) for cell, text in texts.items()}
            pairs = ((texts[cell], plain[cell]) for cell in cells)
            pair = next(((a, b) for a, b in pairs if len(a) > len(b)), None)
            if pair and not table.decimal:
                notes.append(f'{name}: {pair[0]!r} is read as {pair[1]}, unless "decimal" says not')
            texts = {cell: _scaled(text, source.scale) for cell, text in plain.items()}
        columns[name] = [texts[cell] for cell in cells]
    columns["origin"] = [row.location for row in rows]
    frame = pl.DataFrame(columns, dict.fromkeys(columns, pl.String))
    return NamedTable(sheet.path, frame, len(sheet.lines) - len(lines), notes)


def _scaled(text: str, scale: str) -> str:
    return str(Decimal(text) * Decimal(scale)) if scale and is_number(text) else text


def _wide(line: SheetRow, table: TableMap) -> Iterator[SheetRow]:
    """Yield the trials of a person's row, in the order of their first columns."""
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
        yield SheetRow(line.location, {**shared, "item": item, **cells})


def _demand_columns(table: NamedTable, file_columns: Sequence[str]) -> NamedTable:
    """Return a table that has what it needs. Raises `InputError` for one that does not."""
    location, columns = f"{table.path}:1", {*table.frame.columns}
    is_choice, is_rated = bool(columns & {"chosen", "chosen_index"}), "rating" in columns
    texts = {"item", "prefix", "correct_form", "option_1", *(["sentence"] if is_rated else [])}
    if table.has_totals and is_choice:
        right = "either chosen or right and total"
        raise InputError(location, "both single answers and totals", right, kind="conflict")
    has_share = "proportion" in columns and "n" not in columns
    or_totals = " (or give item, right and total)"
    if is_rated and not is_choice and "participant" not in columns:
        note = "no column participant: the numbers are read as those of one rater"
        frame = table.frame.with_columns(participant=pl.lit(EVERYBODY))
        table = replace(table, frame=frame, notes=[*table.notes, note])
    for name, is_there, instead in (
        ("item", columns & texts, ""),
        ("n", not has_share, ", the number of answers behind a proportion"),
        ("participant", "participant" in table.frame.columns or table.has_totals, or_totals),
        ("chosen", is_choice or is_rated or table.has_totals, or_totals),
    ):
        if not is_there:
            wrong = f"no column {name}; the columns are {', '.join(file_columns)}"
            right = f"name it with --map {name}=COLUMN{instead}"
            raise InputError(location, wrong, right, kind="missing")
    return table


def _aggregated(
    tables: Sequence[NamedTable], items: Sequence[Item], options: ImportOptions, n_left_out: int
) -> Imported:
    """Return tallies of targets; totals of fillers and checks are counted as other rows."""
    lookup = lookup_of(items)
    rows = [row for each in tables for row in each.frame.iter_rows(named=True)]
    ids = [  # the item, stated or told by its texts
        lookup.item_of(
            {**row, "option_1": row.get("correct_form", ""), "option_2": row.get("wrong_form", "")}
        )
        for row in rows
    ]
    origins = [row["origin"] for row in rows]
    demand_known(zip(ids, origins, strict=True), lookup.by_id.keys())
    seen: dict[str, str] = {}
    result: list[Tally] = []
    for row, item in zip(rows, ids, strict=True):
        if item in seen:
            wrong, right = f"item {item!r} again, after {seen[item]}", "one row for each item"
            raise InputError(row["origin"], wrong, right, kind="conflict")
        seen[item] = row["origin"]
        counted = tallied(lookup.by_id[item].item, *_totals(row))
        if options.kinds.get(item, "target") == "target":
            result.append(counted)
    n_others = n_left_out + len(rows) - len(result)
    summary = ImportSummary.of_totals(
        result, len(rows), len(rows) + n_left_out, len(tables), n_others
    )
    return Imported(summary, tallies=tuple(result))


def _totals(row: Mapping[str, str]) -> tuple[int, int]:
    """Return (right, total), from these columns or from `proportion` and `n`: a share that is
    rounded to two digits or more is that of one whole number of at most 50."""
    location = row["origin"]

    def refused(wrong: str, right: str) -> InputError:
        return InputError(location, wrong, right, kind="format")

    if "total" in row:
        right, total = (integer(row[name], name, location) for name in ("right", "total"))
        if right is None or total is None or not 0 <= right <= total:
            wrong = f"right is {row['right']!r} and total {row['total']!r}"
            raise refused(wrong, "how many answers were right, and of how many")
        return right, total
    share, n = number(row["proportion"], "proportion", location), integer(row["n"], "n", location)
    if share is None or n is None or n < 0 or not 0 <= share <= 1:
        wrong = f"proportion is {row['proportion']!r} and n {row['n']!r}"
        raise refused(wrong, "a share from 0 to 1, and of how many answers it is")
    right = round(share * n)
    if n and abs(right / n - share) > ROUNDING:
        wrong = f"a proportion of {share:g} of {n} answers is not a whole number of them"
        raise refused(wrong, "the counts themselves, in columns right and total")
    return right, n
