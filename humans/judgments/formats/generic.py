"""Any table of answers: a row is an answer, a rating, or an item with its totals.

Columns have our names (`item`, `participant`, `chosen`, `correct_form`, …, or `item`, `right`,
`total`). If a file has other names, a map tells which (`judgments/sheet.py`). `where` in the map
keeps only rows with the given cells; the others are counted.

In the wide layout a row is a person, and each column whose name matches the pattern `items` is a
cell of a trial. The group `item` of the pattern (or its first group) is the item's id; the group
`field` says which column of ours the cell is (default: `chosen`). A rating is about the text in
`sentence`. In a table of ratings without participants, all ratings are one rater's.
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
from ..judgment import FACT, Tally, tally_of
from ..lookup import lookup_of
from ..sheet import (
    ColumnSource,
    Sheet,
    SheetRow,
    TableMap,
    demand_one_reading,
    first_group,
    integer,
    mapped_columns,
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
NUMBERS = ("rating", "rt_ms", "proportion")  # columns that may have decimal commas
NA_IS_MISSING = (*NUMBERS, "position", "chosen_index", "correct_index", "correct", "at", "status")
"""Columns in which NA is a missing value; in other columns it may be a form, a text or a name."""
WIDE_COLUMNS = ("item", "chosen", "chosen_index", "rt_ms", "rating", "correct", "position")
"""Our columns that a wide table may have."""
MISSING_TEXTS = ("NA", "N/A", "NaN", "NULL", "null", "None")
"""Texts that other programs write for no answer, unless they are one of the options."""
MAX_ROUNDING_ERROR = 0.00501  # of a share with two digits
EVERYBODY = "everybody"  # the participant in a table of ratings without participants
ONE_RATER_NOTE = "no column participant: the numbers are read as those of one rater"


def read(
    paths: Sequence[Path], items: Sequence[Item], options: ImportOptions
) -> Arrived | Imported:
    """Read single answers or totals by item from tables; `options.table` maps column names.

    Return claims (rows of answers, not yet checked) for single answers, or tallies (counts of right
    and all answers by item) for totals. Raises `InputError` if a column is missing, if totals do
    not add up, or if some tables have answers and others totals.
    """
    table = options.table
    sources = {name: ColumnSource(name) for name in COLUMNS} | dict(mapped_columns(table, COLUMNS))
    sources |= {FACT + name: ColumnSource(name) for name in table.keep}
    by_column = {source.column: name for name, source in sources.items()}  # theirs → ours
    frames: dict[Path, pl.DataFrame] = {}  # of the files that have rows
    notes: dict[str, None] = {}
    column_uses: dict[str, str] = {}
    n_left_out = 0
    for path in paths:
        delimiter = "" if table.delimiter == "auto" else table.delimiter
        sheet = read_sheet(path, by_column, delimiter, table.encoding)
        column_uses |= {column: by_column.get(column, "") for column in sheet.columns}
        _demand_mapped(sheet, table)
        rows = [  # those that have the cells which the map's `where` wants
            (location, cells)
            for location, cells in sheet.rows
            if table.where.items() <= cells.items()
        ]
        n_left_out += len(sheet.rows) - len(rows)
        if table.items is not None:
            rows = [trial for row in rows for trial in _trials_in_row(row, table.items)]
        if not rows:
            continue
        # spreadsheets that write decimal commas put semicolons between cells
        frame = _with_our_names(rows, sources, table, is_spreadsheet=sheet.delimiter == ";")
        columns = {*frame.columns}
        if "rating" in columns and not columns & {"chosen", "chosen_index", "participant"}:
            notes[ONE_RATER_NOTE] = None
            frame = frame.with_columns(participant=pl.lit(EVERYBODY))
        _demand_columns(frame, path, sheet.columns)
        frames[path] = frame
    if _are_totals(frames, paths):
        return replace(_read_totals(frames, items, options, n_left_out), columns=column_uses)
    claims = pl.concat(frames.values(), how="diagonal").fill_null("")
    for needed in ("item", "participant"):
        if needed in claims.columns and len(empty := claims.filter(pl.col(needed) == "")):
            wrong, right = f"no {needed} in this row", f"a value of {needed} in every row"
            raise InputError(empty["origin"][0], wrong, right, kind="format")
    empty_columns = (pl.lit("").alias(name) for name in CELLS if name not in claims.columns)
    return Arrived(
        paths=paths,
        claims=claims.with_columns(empty_columns),
        n_unread=n_left_out,
        missing=_missing_texts(table),
        in_order=True,
        notes=[*notes],
        columns=column_uses,
    )


def _are_totals(frames: Mapping[Path, pl.DataFrame], paths: Sequence[Path]) -> bool:
    """Return True if all tables have totals by item, False if all have single answers.

    `frames` are the tables that have rows, by path, and `paths` all files. Raises `InputError` for
    tables of both sorts, and if no table has a row.
    """
    if not paths:
        raise InputError("files", "no file", "one table of answers or more", kind="missing")
    if not frames:
        wrong, right = "no row with an answer", "rows below the header, which `where` keeps"
        raise InputError(str(paths[0]), wrong, right, kind="empty")
    with_answers = [path for path, frame in frames.items() if not _has_totals(frame)]
    if 0 < len(with_answers) < len(frames):
        wrong, right = "single answers, beside files of totals", "one or the other in an import"
        raise InputError(str(with_answers[0]), wrong, right, kind="conflict")
    return not with_answers


def _missing_texts(table: TableMap) -> Collection[str]:
    """Return the texts that mean no answer: those of the map, else the usual ones."""
    return MISSING_TEXTS if table.missing is None else table.missing


def _has_totals(frame: pl.DataFrame) -> bool:
    """Tell whether a table has totals by item (right and total, or proportion and n)."""
    return any(pair <= {*frame.columns} for pair in ({"right", "total"}, {"proportion", "n"}))


def _demand_mapped(sheet: Sheet, table: TableMap) -> None:
    """Raise `InputError` if the map names a column that the table does not have."""
    mapped = [(name, source.column) for name, source in table.columns.items()]
    mapped += [("`where`", column) for column in table.where]
    for name, column in mapped:
        if column not in (*sheet.columns, *(WIDE_COLUMNS if table.items else ())):
            wrong, right = f"no column {column!r} for {name}", nearest(column, sheet.columns)
            raise InputError(f"{sheet.path}:1", wrong, right, kind="missing")


def _with_our_names(
    rows: Sequence[SheetRow],
    sources: Mapping[str, ColumnSource],
    table: TableMap,
    *,
    is_spreadsheet: bool,
) -> pl.DataFrame:
    """Return the rows of a table as a frame of texts with our column names, and `origin`.

    `sources` is our column → the file's column. Missing values are "" and numbers have a decimal
    point; the file's other columns are dropped. Raises `InputError` for a number in a spreadsheet's
    table that can be read in two ways (1.203), unless the map gives the decimal sign.
    """
    available = {name for _, cells in rows for name in cells}
    columns = {name: [str(text)] * len(rows) for name, text in table.constants.items()}
    for name, source in sources.items():
        if source.column not in available:
            continue
        cells = [row.get(source.column, "") for _, row in rows]
        texts = {cell: source.extract(cell) for cell in dict.fromkeys(cells)}  # cell → our text
        if name in NA_IS_MISSING:
            missing = _missing_texts(table)
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


def _trials_in_row(row: SheetRow, item_regex: str) -> Iterator[SheetRow]:
    """Yield a row for each trial in a person's row of a wide table.

    `item_regex` matches the columns that are trials; the other columns are in every trial.
    """
    location, cells = row
    trials: dict[str, dict[str, str]] = {}
    shared: dict[str, str] = {}
    for column, cell in cells.items():
        match = re.search(item_regex, column)
        if match is None:
            shared[column] = cell
            continue
        groups = match.groupdict()
        item = groups.get("item") or first_group(match)
        name = groups.get("field") or "chosen"
        if name not in WIDE_COLUMNS:
            wrong = f"column {column!r} holds {name!r}"
            right = f"one of {', '.join(WIDE_COLUMNS)}"
            raise InputError(location, wrong, right, kind="format")
        trials.setdefault(item, {})[name] = cell
    if not trials:
        right = "a regular expression `items` in the map that finds the columns of the items"
        raise InputError(location, "no column is an item's", right, kind="missing")
    for item, trial in trials.items():
        yield location, {**shared, "item": item, **trial}


def _demand_columns(frame: pl.DataFrame, path: Path, file_columns: Sequence[str]) -> None:
    """Raise `InputError` for a table that lacks a necessary column, or has answers and totals."""
    columns, has_totals = {*frame.columns}, _has_totals(frame)
    is_choice, is_rated = bool(columns & {"chosen", "chosen_index"}), "rating" in columns
    # the columns by which an item can be found
    texts = {"item", "prefix", "correct_form", "option_1", *(["sentence"] if is_rated else [])}
    if has_totals and is_choice:
        right = "either chosen or right and total"
        raise InputError(f"{path}:1", "both single answers and totals", right, kind="conflict")
    lacks_n = "proportion" in columns and "n" not in columns
    or_totals = " (or give item, right and total)"
    for name, is_fulfilled, hint in (
        ("item", columns & texts, ""),
        ("n", not lacks_n, ", the number of answers behind a proportion"),
        ("participant", "participant" in columns or has_totals, or_totals),
        ("chosen", is_choice or is_rated or has_totals, or_totals),
    ):
        if not is_fulfilled:
            wrong = f"no column {name}; the columns are {', '.join(file_columns)}"
            right = f"name it with --map {name}=COLUMN{hint}"
            raise InputError(f"{path}:1", wrong, right, kind="missing")


def _read_totals(
    frames: Mapping[Path, pl.DataFrame],
    items: Sequence[Item],
    options: ImportOptions,
    n_left_out: int,
) -> Imported:
    """Make tallies of the target items from tables of totals.

    Totals of fillers and checks are counted as other rows. Raises `InputError` for an unknown item,
    or one that comes twice.
    """
    lookup = lookup_of(items)
    as_options = {"correct_form": "option_1", "wrong_form": "option_2"}  # items are found by these
    rows = [
        {**row, **{option: row.get(form, "") for form, option in as_options.items()}}
        for frame in frames.values()
        for row in frame.iter_rows(named=True)
    ]
    mentions = [(lookup.item_of(row), row["origin"]) for row in rows]
    demand_known(mentions, lookup.by_id.keys())
    first_origin: dict[str, str] = {}  # item → the place of its row
    tallies: list[Tally] = []
    for row, (item, origin) in zip(rows, mentions, strict=True):
        if item in first_origin:
            wrong = f"item {item!r} again, after {first_origin[item]}"
            raise InputError(origin, wrong, "one row for each item", kind="conflict")
        first_origin[item] = origin
        tally = tally_of(lookup.by_id[item].item, *_right_and_total(row))
        if options.kinds.get(item, "target") == "target":
            tallies.append(tally)
    n_rows = len(rows) + n_left_out
    n_others = n_rows - len(tallies)
    summary = ImportSummary.of_totals(tallies, len(rows), n_rows, len(frames), n_others)
    return Imported(summary, tallies=tuple(tallies))


def _right_and_total(row: Mapping[str, str]) -> tuple[int, int]:
    """Return the number of right answers to an item, and the number of all answers.

    They come from the columns `right` and `total`, or from `proportion` and `n`. A proportion may
    be rounded to two digits: with at most 50 answers that still tells the number of right ones.
    """
    location = row["origin"]

    def refused(wrong: str, right: str) -> InputError:
        """Return the error to raise about this row: what is wrong, and what would be right."""
        return InputError(location, wrong, right, kind="format")

    if "total" in row:
        right, total = (integer(row[name], name, location) for name in ("right", "total"))
        if right is None or total is None or not 0 <= right <= total:
            wrong = f"right is {row['right']!r} and total {row['total']!r}"
            raise refused(wrong, "how many answers were right, and of how many")
        return right, total
    share = number(row["proportion"], "proportion", location)
    n_answers = integer(row["n"], "n", location)
    if share is None or n_answers is None or n_answers < 0 or not 0 <= share <= 1:
        wrong = f"proportion is {row['proportion']!r} and n {row['n']!r}"
        raise refused(wrong, "a share from 0 to 1, and of how many answers it is")
    right = round(share * n_answers)
    if n_answers and abs(right / n_answers - share) > MAX_ROUNDING_ERROR:
        wrong = f"a proportion of {share:g} of {n_answers} answers is not a whole number of them"
        raise refused(wrong, "the counts themselves, in columns right and total")
    return right, n_answers
