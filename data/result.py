"""The result of a public function: a table that can be shown, written or converted.

Also here: the layout of tables and texts for a terminal. They are never wider than the terminal, or
than 100 columns in a pipe.
"""

import re
import shutil
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from .errors import InputError
from .tables import Cell, Row, frame, lines_for_people, to_html, write_table

if TYPE_CHECKING:
    import pandas as pd

PIPE_WIDTH = 100  # columns of output to a pipe or a file
MIN_WIDTH = 40  # columns that a terminal is taken to have at least
MAX_ROWS = 20  # rows that a terminal shows
COLUMN_GAP = 2  # blanks between two columns
# A column of texts may be cut to this fraction of the terminal's width: a fifth if they are
# sentences, a third if they are words without blanks.
PROSE_DIVISOR, WORD_DIVISOR = 5, 3
FEWEST_COLUMNS = 2  # columns that must stay below a heading
LIMIT_COLUMNS = ("low", "high")  # columns of an interval, alone or after the number's name
SOLVED = "sets_solved"  # name of the column that `n_solved` fills
ELLIPSIS = "…"
TIMESTAMP = re.compile(r"(\d{4}-\d\d-\d\d)T[\d:.+-]+")
NUMERIC_CELL = re.compile(r"[-\d., \[\]]*|\d+(\.\d)? of \d+")  # a cell that must not be cut


@dataclass(frozen=True, repr=False)
class Result:
    """A table and messages about it, as a public function returns them.

    The command line and a notebook show the same: the rows and columns for people, and the
    messages.

    Attributes:
        rows: the whole table, a mapping from column to cell for each row.
        columns: names of the columns that are shown to people, in order.
        messages: notes on the result; the command line prints them to stderr.
        found: whether what the caller looked for was found; if not, the exit code is 1.
        n_hidden: number of rows at the end of `rows` that are not shown to people.

    >>> result = Result([{"model": "ngram", "accuracy": 0.75, "seed": 1}], ["model", "accuracy"])
    >>> result
    model: ngram
    accuracy: 0.750
    >>> result.to_frame().columns
    ['model', 'accuracy', 'seed']
    """

    rows: Sequence[Row] = ()
    columns: Collection[str] = ()
    messages: Sequence[str] = ()
    found: bool = True
    n_hidden: int = 0

    def to_frame(self) -> pl.DataFrame:
        """Return all rows and columns as a Polars frame.

        Returns:
            One row for each of `rows`, in order.
        """
        return frame(self.rows, None if self.rows else self.columns)

    def to_pandas(self) -> "pd.DataFrame":
        """Return all rows and columns as a pandas frame.

        Returns:
            One row for each of `rows`, in order.

        Raises:
            InputError: pandas is not installed (extra `[pandas]`).
        """
        return to_pandas(self.to_frame())

    def write(self, path: str | Path) -> None:
        """Write all rows and columns to a file, in the form that the ending of its name says.

        Args:
            path: ends in .tsv, .csv, .jsonl, .md, .tex or .parquet.

        Raises:
            InputError: for another ending, or if the file cannot be written.
        """
        write_table(Path(path), self.to_frame())

    def shown(self) -> pl.DataFrame:
        """Return the rows and columns that are shown to people.

        Returns:
            `columns` of all but the last `n_hidden` rows.
        """
        return frame(self.rows[: len(self.rows) - self.n_hidden], self.columns)

    def to_text(self) -> tuple[str, str]:
        """Return the table as a terminal shows it.

        Returns:
            The table, and a text that says which rows and columns it leaves out ("" for none).
        """
        if not self.rows:
            return "", ""
        shown = self.shown()
        text, columns_left_out = lay_out(shown.head(MAX_ROWS))
        left_out = (
            [f"all {len(self.rows):,} rows"] if min(MAX_ROWS, shown.height) < len(self.rows) else []
        )
        left_out += [f"columns {', '.join(columns_left_out)}"] if columns_left_out else []
        return text, "; ".join(left_out)

    def __repr__(self) -> str:
        text, left_out = self.to_text()
        lines = [*self.messages, *([f"{left_out}: to_frame()"] if left_out else [])]
        return "".join([text, *(f"{line}\n" for line in lines)]).rstrip("\n")

    def _repr_html_(self) -> str:
        notes = "".join(f"<br>{escape(message)}" for message in self.messages)
        return f"{to_html(self.shown())}<small>{notes}</small>"


@dataclass(frozen=True, repr=False)
class Shown(Result):
    """A result that is shown as a text in place of its table."""

    text: str = ""

    def to_text(self) -> tuple[str, str]:
        """Return the text, and "" since it leaves out nothing."""
        return self.text, ""


def to_pandas(table: pl.DataFrame) -> "pd.DataFrame":
    """Convert a Polars frame to a pandas one, column by column, which needs no pyarrow."""
    try:
        import pandas as pd
    except ModuleNotFoundError as error:
        right = "pip install 'colorless-green[pandas]'"
        raise InputError(
            "to_pandas", "pandas is not installed", right, kind="dependency"
        ) from error
    return pd.DataFrame(table.to_dict(as_series=False))


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table for people."""

    cells: Sequence[str]  # its name, then the cell of each row
    is_number: bool  # whether it is aligned to the right

    @property
    def width(self) -> int:
        """Return the width of the widest cell."""
        return max(map(cell_len, self.cells))

    @property
    def is_whole(self) -> bool:
        """Return whether no cell may be cut, since they are numbers, with or without intervals."""
        return self.is_number or all(map(NUMERIC_CELL.fullmatch, self.cells[1:]))

    @property
    def divisor(self) -> int:
        """Return n if texts in the column may be cut to 1/n of the terminal's width."""
        return PROSE_DIVISOR if any(" " in cell for cell in self.cells) else WORD_DIVISOR

    def without_intervals(self) -> "Column":
        """Return the column with numbers alone, without the intervals after them."""
        if not self.is_whole:
            return self
        return replace(self, cells=tuple(cell.partition(" [")[0] for cell in self.cells))


def terminal_width() -> int:
    """Return the width of the terminal in columns, at least MIN_WIDTH; PIPE_WIDTH for a pipe."""
    return max(shutil.get_terminal_size((PIPE_WIDTH, 0)).columns, MIN_WIDTH)


def to_table(table: pl.DataFrame) -> str:
    """Return a table as a terminal shows it: numbers to the right, floats with three digits."""
    text, _ = lay_out(table)
    return text


def lay_out(table: pl.DataFrame) -> tuple[str, list[str]]:
    """Return a table as a terminal shows it, and the names of the columns that do not fit.

    Empty columns are dropped. A column of texts or whole numbers with one value in all rows goes to
    a heading. An interval goes into the cell of its number. A single row is shown as `key: value`.

    >>> table = pl.DataFrame({"suite": "mine", "model": ["a", "b"], "share": [0.5, 1.0]})
    >>> print(lay_out(table)[0])
    suite: mine
    model  share
    a      0.500
    b      1.000
    <BLANKLINE>
    """
    limit = terminal_width()
    columns = [column for column in _table_columns(table) if any(column.cells[1:])]
    if table.height == 1:
        entries = (": ".join(column.cells) for column in columns)
        return "".join(f"{line}\n" for entry in entries for line in fold_text(entry, limit, 2)), []
    float_names = {name for name, dtype in table.schema.items() if dtype.is_float()}
    constant = [c for c in columns if len({*c.cells[1:]}) == 1 and c.cells[0] not in float_names]
    if len(columns) - len(constant) < FEWEST_COLUMNS:
        constant = []
    heading = "; ".join(": ".join(column.cells[:2]) for column in constant)  # name: value
    columns = [column for column in columns if column not in constant]
    kept, widths, left_out = _choose_columns(columns, limit)
    lines = fold_text(heading, limit, 2) if heading else []
    for row in zip(*(column.cells for column in kept), strict=True):
        padded = [
            _fit_cell(cell, width, to_the_right=column.is_number)
            for column, cell, width in zip(kept, row, widths, strict=True)
        ]
        lines.append((" " * COLUMN_GAP).join(padded).rstrip())
    return "".join(f"{line}\n" for line in lines), left_out


def _fit_cell(cell: str, width: int, *, to_the_right: bool) -> str:
    """Return the text of a cell, shortened or filled up with blanks to a width."""
    text = _shorten(cell, width)
    blanks = " " * (width - cell_len(text))
    return f"{blanks}{text}" if to_the_right else f"{text}{blanks}"


def interval_text(figure: float | None, low: float | None, high: float | None) -> str | None:
    """Return a number with its interval as the text of one cell; None if there is no number.

    >>> interval_text(0.75, 0.5, 0.9), interval_text(1.0, None, None)
    ('0.750 [0.500, 0.900]', '1.000')
    """
    if figure is None or low is None or high is None:
        return None if figure is None else f"{figure:.3f}"
    return f"{figure:.3f} [{low:.3f}, {high:.3f}]"


def n_solved(share: Cell, n_sets: Cell) -> str | None:
    """Return the share of sets that are right in all their items as a text, `N of ALL`.

    >>> n_solved(0.05, 100), n_solved(1e-7, 96), n_solved(None, None)
    ('5 of 100', '0 of 96', None)
    """
    if share is None or not n_sets:
        return None
    return f"{round(float(share) * int(n_sets), 1):g} of {n_sets}"


def fold_text(text: str, limit: int, indent: int = 0) -> list[str]:
    """Break a text at blanks into lines of at most `limit` columns, all but the first indented.

    A word that is longer than a line is broken, too.

    >>> fold_text("the keys to the cabinet", 12, 2)
    ['the keys to', '  the', '  cabinet']
    """
    first, *words = text.split(" ")
    lines, line = [], first
    for word in words:
        if line.strip() and cell_len(f"{line} {word}") > limit:
            lines.append(line)
            line = " " * indent + word
        else:
            line = f"{line} {word}"
        while cell_len(line) > limit:
            lines.append(_beginning(line, limit))
            line = " " * indent + line[len(lines[-1]) :]
    return [*lines, line]


def _table_columns(table: pl.DataFrame) -> Iterator[Column]:
    """Yield the columns of a table for people, intervals merged into the column of their number."""
    lines, numeric = lines_for_people(table)
    lines = [[TIMESTAMP.sub(r"\1", cell) for cell in line] for line in lines]
    columns = [
        Column(cells, is_number)
        for cells, is_number in zip(zip(*lines, strict=True), numeric, strict=True)
    ]
    while columns:
        column, *columns = columns
        name, next_names = column.cells[0], [following.cells[0] for following in columns[:2]]
        if next_names in ([*LIMIT_COLUMNS], [f"{name}_{end}" for end in LIMIT_COLUMNS]):
            low, high, *columns = columns
            ends = zip(column.cells, low.cells, high.cells, strict=True)
            cells = [
                f"{cell} [{low}, {high}]" if low and high else cell for cell, low, high in ends
            ]
            column = Column((name, *cells[1:]), False)
        yield column


def _choose_columns(
    columns: Sequence[Column], limit: int
) -> tuple[list[Column], list[int], list[str]]:
    """Choose the columns that fit a width of `limit`: return them, their widths, and the names of
    the columns left out.

    If columns other than sentences would be left out, all intervals are dropped first; the names
    then begin with "with intervals".
    """
    kept, widths = _fit_columns(columns, limit)
    left_out = []
    if any(column.divisor != PROSE_DIVISOR or column.is_whole for column in columns[len(kept) :]):
        bare = [column.without_intervals() for column in columns]
        left_out = ["with intervals"] if bare != columns else []
        columns = bare
        kept, widths = _fit_columns(columns, limit)
    return kept, widths, [*left_out, *(column.cells[0] for column in columns[len(kept) :])]


def _fit_columns(columns: Sequence[Column], limit: int) -> tuple[list[Column], list[int]]:
    """Drop columns from the right until the rest fit `limit`; return those kept and their widths.

    Columns of numbers keep their whole width. A column of texts gets at least the fraction of
    `limit` that its `divisor` says; room that is left over widens such columns from the left.
    """
    divisors = [WORD_DIVISOR, *(c.divisor for c in columns[1:])]  # the first names the row
    least = [
        column.width if column.is_whole else min(column.width, limit // divisor)
        for column, divisor in zip(columns, divisors, strict=False)
    ]
    n_kept = len(columns)
    while n_kept > 1 and sum(least[:n_kept]) + COLUMN_GAP * (n_kept - 1) > limit:
        n_kept -= 1
    spare = limit - sum(least[:n_kept]) - COLUMN_GAP * (n_kept - 1)
    widths = []
    for column, width in zip(columns[:n_kept], least[:n_kept], strict=True):
        # negative room can only be that of a single column, which is narrowed
        change = max(0, min(spare, column.width - width)) if spare > 0 else min(spare, 0)
        widths.append(width + change)
        spare -= change
    return list(columns[:n_kept]), widths


def _shorten(text: str, width: int) -> str:
    """Shorten a text to a width: keep both ends of a single word, the beginning of several."""
    if cell_len(text) <= width:
        return text
    end_width = 0 if " " in text else (width - 1) // 2
    end = _beginning(text[::-1], end_width)[::-1]
    return _beginning(text, width - 1 - end_width) + ELLIPSIS + end


def _beginning(text: str, width: int) -> str:
    """Return the longest beginning of a text that fits a width, but at least one character."""
    end = len(text)
    while end > 1 and cell_len(text[:end]) > width:
        end -= 1
    return text[:end] if width > 0 else ""


def cell_len(text: str) -> int:
    """Return the width of a text on a terminal, where East Asian characters take two columns."""
    from rich import cells

    return cells.cell_len(text)
