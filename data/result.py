"""The result of a public function, a table to show, to write or to convert; and tables and texts as
a terminal shows them: never wider than it is, or than 100 columns in a pipe."""

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

WIDTH = 100  # of what goes to a pipe or a file
MOST = 20  # rows that a terminal shows
GAP = 2  # blanks between two columns
PROSE, NAMES = 5, 3  # a column of sentences, or of words without blanks, keeps this part of it
FEWEST = 2  # columns below a heading
ENDS = ("low", "high")  # of an interval: so called, or after the name of the figure
SOLVED = "sets_solved"  # the column of `solved`
CUT = "…"
TIME = re.compile(r"(\d{4}-\d\d-\d\d)T[\d:.+-]+")
FIGURES = re.compile(r"[-\d., \[\]]*|\d+(\.\d)? of \d+")  # a cell that cannot be cut


@dataclass(frozen=True, repr=False)
class Result:
    """A table and messages about it, as a public function returns them.

    The command line prints what a notebook shows: the rows and columns for people, and the
    messages.

    Attributes:
        rows: the whole table, a mapping from column to cell for each row.
        columns: names of the columns that people are shown, in order.
        messages: notes on the result; the command line prints them to stderr.
        found: whether what was asked for was found; if not, the exit code is 1.
        n_hidden: rows at the end of `rows` that people are not shown.

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
        """Write all rows and columns in the form that the name's ending says.

        Args:
            path: ends in .tsv, .csv, .jsonl, .md, .tex or .parquet.

        Raises:
            InputError: for another ending, or where the file cannot be written.
        """
        write_table(Path(path), self.to_frame())

    def shown(self) -> pl.DataFrame:
        """Return the rows and columns that people are shown.

        Returns:
            `columns` of all but the last `n_hidden` rows.
        """
        return frame(self.rows[: len(self.rows) - self.n_hidden], self.columns)

    def to_text(self) -> tuple[str, str]:
        """Return the table as a terminal shows it.

        Returns:
            The table, and what it leaves out ("" for nothing).
        """
        if not self.rows:
            return "", ""
        shown = self.shown()
        text, lacking = laid_out(shown.head(MOST))
        left_out = (
            [f"all {len(self.rows):,} rows"] if min(MOST, shown.height) < len(self.rows) else []
        )
        left_out += [f"columns {', '.join(lacking)}"] if lacking else []
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
    """A result that people read as a text in place of its table."""

    text: str = ""

    def to_text(self) -> tuple[str, str]:
        """Return the text, which leaves out nothing."""
        return self.text, ""


def to_pandas(table: pl.DataFrame) -> "pd.DataFrame":
    """Convert a Polars frame to a pandas one, column by column (without pyarrow)."""
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
    """A column of a table for people: its name, then its cells; numbers stand to the right."""

    cells: Sequence[str]
    is_number: bool

    @property
    def width(self) -> int:
        """Return the width of the widest cell."""
        return max(map(cell_len, self.cells))

    @property
    def is_whole(self) -> bool:
        """Return whether no cell may be cut: figures, with intervals or without."""
        return self.is_number or all(map(FIGURES.fullmatch, self.cells[1:]))

    @property
    def part(self) -> int:
        """Return which part of the width a column of words keeps."""
        return PROSE if any(" " in cell for cell in self.cells) else NAMES

    def without_intervals(self) -> "Column":
        """Return the column with figures alone."""
        if not self.is_whole:
            return self
        return replace(self, cells=tuple(cell.partition(" [")[0] for cell in self.cells))


def terminal_width() -> int:
    """Return how wide the terminal is; that of a pipe is `WIDTH`."""
    return max(shutil.get_terminal_size((WIDTH, 0)).columns, 2 * MOST)


def to_table(table: pl.DataFrame) -> str:
    """Align columns for a terminal: numbers to the right, floats with three digits."""
    return laid_out(table)[0]


def laid_out(table: pl.DataFrame) -> tuple[str, list[str]]:
    """Return a table as a terminal shows it, and the names of columns that it has no room for.

    Empty columns vanish, words and whole numbers that are the same in all rows go to a heading, an
    interval stands in the cell of its figure, and one row alone stands as `key: value`.

    >>> table = pl.DataFrame({"suite": "mine", "model": ["a", "b"], "share": [0.5, 1.0]})
    >>> print(laid_out(table)[0])
    suite: mine
    model  share
    a      0.500
    b      1.000
    <BLANKLINE>
    """
    limit = terminal_width()
    columns = [column for column in _columns(table) if any(column.cells[1:])]
    if table.height == 1:
        entries = (": ".join(column.cells) for column in columns)
        return "".join(f"{line}\n" for entry in entries for line in folded(entry, limit, 2)), []
    is_float = {name for name, dtype in table.schema.items() if dtype.is_float()}
    same = [c for c in columns if len({*c.cells[1:]}) == 1 and not {c.cells[0]} & is_float]
    if len(columns) - len(same) < FEWEST:
        same = []
    heading = "; ".join(": ".join(column.cells[:2]) for column in same)
    columns = [column for column in columns if column not in same]
    kept, rooms, lacking = _fitting(columns, limit)
    lines = folded(heading, limit, 2) if heading else []
    for row in zip(*(column.cells for column in kept), strict=True):
        padded = [
            f"{blanks}{text}" if column.is_number else f"{text}{blanks}"
            for column, cell, room in zip(kept, row, rooms, strict=True)
            for text in (_cut(cell, room),)
            for blanks in (" " * (room - cell_len(text)),)
        ]
        lines.append((" " * GAP).join(padded).rstrip())
    return "".join(f"{line}\n" for line in lines), lacking


def interval(figure: float | None, low: float | None, high: float | None) -> str | None:
    """Return a figure with its interval, as one cell.

    >>> interval(0.75, 0.5, 0.9), interval(1.0, None, None)
    ('0.750 [0.500, 0.900]', '1.000')
    """
    if figure is None or low is None or high is None:
        return None if figure is None else f"{figure:.3f}"
    return f"{figure:.3f} [{low:.3f}, {high:.3f}]"


def solved(share: Cell, n_sets: Cell) -> str | None:
    """Return the share of sets that are right throughout as a number of sets.

    >>> solved(0.05, 100), solved(1e-7, 96), solved(None, None)
    ('5 of 100', '0 of 96', None)
    """
    if share is None or not n_sets:
        return None
    return f"{round(float(share) * int(n_sets), 1):g} of {n_sets}"


def folded(text: str, limit: int, indent: int = 0) -> list[str]:
    """Break a text at blanks into lines of at most this width, all but the first indented; a longer
    word is broken where it must.

    >>> folded("the keys to the cabinet", 12, 2)
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


def _columns(table: pl.DataFrame) -> Iterator[Column]:
    """Yield the columns, with `low` and `high` in the cells of the figure before them."""
    lines, numeric = lines_for_people(table)
    lines = [[TIME.sub(r"\1", cell) for cell in line] for line in lines]
    columns = [Column(cells, n) for cells, n in zip(zip(*lines, strict=True), numeric, strict=True)]
    while columns:
        column, *columns = columns
        name, following = column.cells[0], [other.cells[0] for other in columns[:2]]
        if following in ([*ENDS], [f"{name}_{end}" for end in ENDS]):
            low, high, *columns = columns
            ends = zip(column.cells, low.cells, high.cells, strict=True)
            cells = [
                f"{cell} [{low}, {high}]" if low and high else cell for cell, low, high in ends
            ]
            column = Column((name, *cells[1:]), False)
        yield column


def _fitting(columns: Sequence[Column], limit: int) -> tuple[list[Column], list[int], list[str]]:
    """Return the columns that there is room for, the width of each, and what is left out: sentences
    first, then intervals, then figures."""
    kept, rooms = _rooms(columns, limit)
    lacking = []
    if any(column.part != PROSE or column.is_whole for column in columns[len(kept) :]):
        bare = [column.without_intervals() for column in columns]
        lacking = ["with intervals"] if bare != columns else []
        columns = bare
        kept, rooms = _rooms(columns, limit)
    return kept, rooms, [*lacking, *(column.cells[0] for column in columns[len(kept) :])]


def _rooms(columns: Sequence[Column], limit: int) -> tuple[list[Column], list[int]]:
    """Return the columns that fit, from the left, and the width of each: numbers whole, words cut
    where they must be, the last first."""
    parts = [NAMES, *(column.part for column in columns[1:])]  # the first says what a row is
    least = [
        column.width if column.is_whole else min(column.width, limit // part)
        for column, part in zip(columns, parts, strict=False)
    ]
    n = len(columns)
    while n > 1 and sum(least[:n]) + GAP * (n - 1) > limit:
        n -= 1
    spare = limit - sum(least[:n]) - GAP * (n - 1)
    rooms = []
    for column, room in zip(columns[:n], least[:n], strict=True):
        more = max(0, min(spare, column.width - room)) if spare > 0 else min(spare, 0)
        rooms.append(room + more)
        spare -= more
    return list(columns[:n]), rooms


def _cut(text: str, room: int) -> str:
    """Return as much of a text as there is room for: of words the beginning, of a name both
    ends."""
    if cell_len(text) <= room:
        return text
    tail = 0 if " " in text else (room - 1) // 2
    end = _beginning(text[::-1], tail)[::-1]
    return _beginning(text, room - 1 - tail) + CUT + end


def _beginning(text: str, room: int) -> str:
    """Return the longest beginning of a text that is no wider than this, but one letter at
    least."""
    end = len(text)
    while end > 1 and cell_len(text[:end]) > room:
        end -= 1
    return text[:end] if room > 0 else ""


def cell_len(text: str) -> int:
    """Return the width of a text: East Asian characters take two cells."""
    from rich import cells

    return cells.cell_len(text)
