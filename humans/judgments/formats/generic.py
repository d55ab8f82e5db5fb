"""Any table of answers: one row an answer or a rating, or one row an item with its totals.

Columns are found by our names (`item`, `participant`, `chosen`, `correct_form`, … or `item`,
`right`, `total`); a file with other names is read with a map from ours to its own
(`judgments/sheet.py`). `where` in it keeps rows with these cells, the others are counted.
In the wide layout a row is a person and each column that `items` matches a trial: group `item` (or
the first) is the item, group `field` what the cell is (`chosen` without one). A rating is of the
sentence in `sentence`; in a table that names no people each number is that of one rater.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from ....data.errors import InputError
from ....data.items.item import Item
from ....data.registry import nearest
from ..claims import CELLS, demand_known
from ..imported import Arrived, Imported, ImportOptions, ImportSummary
from ..judgment import FACT, Tally, tallied
from ..lookup import lookup_of
from ..sheet import (
    ColumnSource,
    Sheet,
    SheetRow,
    TableMap,
    demand_one_reading,
    integer,
    named_columns,
    number,
    read_sheet,
    with_point,
)

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
ONE_RATER = "no column participant: the numbers are read as those of one rater"


def read(
    paths: Sequence[Path], items: Sequence[Item], options: ImportOptions
) -> Arrived | Imported:
    """Read single judgments, or tallies, from one or more tables of the same kind.

    `options.table` maps our names to the files'. Raises `InputError` where a column
    is missing, and where totals do not add up.
    """
    table = options.table
    sources = {name: ColumnSource(name) for name in COLUMNS} | dict(named_columns(table, COLUMNS))
    sources |= {FACT + name: ColumnSource(name) for name in table.keep}
    by_column = {source.column: name for name, source in sources.items()}
    frames: dict[Path, pl.DataFrame] = {}
    notes: dict[str, None] = {}
    column_uses: dict[str, str] = {}
    n_left_out = 0
    for path in paths:
        delimiter = table.delimiter.removeprefix("auto")
        sheet = read_sheet(path, by_column, delimiter, table.encoding)
        column_uses |= {column: by_column.get(column, "") for column in sheet.columns}
        _demand_mapped(sheet, table)
        rows = [row for row in sheet.rows if table.where.items() <= row[1].items()]
        n_left_out += len(sheet.rows) - len(rows)
        if table.items is not None:
            rows = [trial for row in rows for trial in _wide(row, table.items)]
        if not rows:
            continue
        frame = _named(rows, sources, table, is_spreadsheet=sheet.delimiter == ";")
        columns = {*frame.columns}
        if "rating" in columns and not columns & {"chosen", "chosen_index", "participant"}:
            notes[ONE_RATER] = None
            frame = frame.with_columns(participant=pl.lit(EVERYBODY))
        _demand_columns(frame, path, sheet.columns)
        frames[path] = frame
    single = [path for path, frame in frames.items() if not _has_totals(frame)]
    if not paths:
        raise InputError("files", "no file", "one table of answers or more", kind="missing")
    if not frames:
        wrong, right = "no row with an answer", "rows below the header, which `where` keeps"
        raise InputError(str(paths[0]), wrong, right, kind="empty")
    if single and len(single) < len(frames):
        wrong, right = "single answers, beside files of totals", "one or the other in an import"
        raise InputError(str(single[0]), wrong, right, kind="conflict")
    if not single:
        return replace(_aggregated(frames, items, options, n_left_out), columns=column_uses)
    claims = pl.concat(frames.values(), how="diagonal").fill_null("")
    for needed in ("item", "participant"):
        if needed in claims.columns and len(empty := claims.filter(pl.col(needed) == "")):
            wrong, right = f"no {needed} in this row", f"a value of {needed} in every row"
            raise InputError(empty["origin"][0], wrong, right, kind="format")
    lacking = (pl.lit("").alias(name) for name in CELLS if name not in claims.columns)
    return Arrived(
        paths=paths,
        claims=claims.with_columns(lacking),
        n_unread=n_left_out,
        missing=_missing(table),
        in_order=True,
        notes=[*notes],
        columns=column_uses,
    )


def _missing(table: TableMap) -> Collection[str]:
    return MISSING if table.missing is None else table.missing


def _has_totals(frame: pl.DataFrame) -> bool:
    """Tell whether each row has the totals of an item."""
    return any(pair <= {*frame.columns} for pair in ({"right", "total"}, {"proportion", "n"}))


def _demand_mapped(sheet: Sheet, table: TableMap) -> None:
    """Raise `InputError` for a column that the map names and the table lacks."""
    mapped = [(name, source.column) for name, source in table.columns.items()]
    for name, column in (*mapped, *(("`where`", column) for column in table.where)):
        if column not in (*sheet.columns, *(WIDE if table.items else ())):
            wrong, right = f"no column {column!r} for {name}", nearest(column, sheet.columns)
            raise InputError(f"{sheet.path}:1", wrong, right, kind="missing")


def _named(
    rows: Sequence[SheetRow],
    sources: Mapping[str, ColumnSource],
    table: TableMap,
    *,
    is_spreadsheet: bool,
) -> pl.DataFrame:
    """Return rows under our names, with `origin`, where each begins.

    Numbers, indices and the like that mean nothing are empty; numbers have a decimal point. Columns
    that we have no name for are gone. Raises `InputError` for numbers that can be read in two ways
    in a table of a spreadsheet, where the map does not say how.
    """
    available = {name for _, cells in rows for name in cells}
    columns = {name: [str(text)] * len(rows) for name, text in table.constants.items()}
    for name, source in sources.items():
        if source.column not in available:
            continue
        cells = [row.get(source.column, "") for _, row in rows]
        texts = {cell: source.extract(cell) for cell in dict.fromkeys(cells)}
        if name in MAY_LACK:
            missing = _missing(table)
            texts = {cell: "" if text in missing else text for cell, text in texts.items()}
        if name in NUMBERS:
            if is_spreadsheet and not table.decimal:
                located = ((location, row.get(source.column, "")) for location, row in rows)
                demand_one_reading(located, name, '"decimal" in a map file, which says what it is')
            texts = {
                cell: source.scaled(with_point(text, table.decimal)) for cell, text in texts.items()
            }
        columns[name] = [texts[cell] for cell in cells]
    columns["origin"] = [location for location, _ in rows]
    return pl.DataFrame(columns, dict.fromkeys(columns, pl.String))


def _wide(row: SheetRow, items: str) -> Iterator[SheetRow]:
    """Yield the trials of a person's row, in the order of their first columns."""
    location, cells = row
    trials: dict[str, dict[str, str]] = {}
    shared: dict[str, str] = {}
    for column, cell in cells.items():
        match = re.search(items, column)
        if match is None:
            shared[column] = cell
            continue
        groups = match.groupdict()
        item = groups.get("item") or match[1 if match.re.groups else 0]
        name = groups.get("field") or "chosen"
        if name not in WIDE:
            wrong, right = f"column {column!r} holds {name!r}", f"one of {', '.join(WIDE)}"
            raise InputError(location, wrong, right, kind="format")
        trials.setdefault(item, {})[name] = cell
    if not trials:
        right = "a regular expression `items` in the map that finds the columns of the items"
        raise InputError(location, "no column is an item's", right, kind="missing")
    for item, trial in trials.items():
        yield location, {**shared, "item": item, **trial}


def _demand_columns(frame: pl.DataFrame, path: Path, file_columns: Sequence[str]) -> None:
    """Raise `InputError` for a table that has not what it needs."""
    columns, has_totals = {*frame.columns}, _has_totals(frame)
    is_choice, is_rated = bool(columns & {"chosen", "chosen_index"}), "rating" in columns
    texts = {"item", "prefix", "correct_form", "option_1", *(["sentence"] if is_rated else [])}
    if has_totals and is_choice:
        right = "either chosen or right and total"
        raise InputError(f"{path}:1", "both single answers and totals", right, kind="conflict")
    has_share = "proportion" in columns and "n" not in columns
    or_totals = " (or give item, right and total)"
    for name, is_there, instead in (
        ("item", columns & texts, ""),
        ("n", not has_share, ", the number of answers behind a proportion"),
        ("participant", "participant" in columns or has_totals, or_totals),
        ("chosen", is_choice or is_rated or has_totals, or_totals),
    ):
        if not is_there:
            wrong = f"no column {name}; the columns are {', '.join(file_columns)}"
            right = f"name it with --map {name}=COLUMN{instead}"
            raise InputError(f"{path}:1", wrong, right, kind="missing")


def _aggregated(
    frames: Mapping[Path, pl.DataFrame],
    items: Sequence[Item],
    options: ImportOptions,
    n_left_out: int,
) -> Imported:
    """Return tallies of targets; totals of fillers and checks are counted as other rows."""
    lookup = lookup_of(items)
    shown = {"correct_form": "option_1", "wrong_form": "option_2"}  # tell the item too
    rows = [
        {**row, **{option: row.get(form, "") for form, option in shown.items()}}
        for frame in frames.values()
        for row in frame.iter_rows(named=True)
    ]
    mentions = [(lookup.item_of(row), row["origin"]) for row in rows]
    demand_known(mentions, lookup.by_id.keys())
    seen: dict[str, str] = {}
    result: list[Tally] = []
    for row, (item, origin) in zip(rows, mentions, strict=True):
        if item in seen:
            wrong, right = f"item {item!r} again, after {seen[item]}", "one row for each item"
            raise InputError(origin, wrong, right, kind="conflict")
        seen[item] = origin
        counted = tallied(lookup.by_id[item].item, *_totals(row))
        if options.kinds.get(item, "target") == "target":
            result.append(counted)
    n_rows = len(rows) + n_left_out
    n_others = n_rows - len(result)
    summary = ImportSummary.of_totals(result, len(rows), n_rows, len(frames), n_others)
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
