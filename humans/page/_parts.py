"""The building blocks of the page: written numbers and names, tables (on the page and as CSV),
raters and their marks, figures, sections.

A cell of a table has the text that a reader sees and the unrounded number behind it, for sorting
and for the CSV file. A share, such as an accuracy, is from 0 to 1 in frames and per cent on the
page. A rater is whoever answers items: a model, a group of models, or people.
"""

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.util import find_spec
from io import StringIO
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from ...data.tables import guard_cell

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DASH = "–"  # shown for a value that is missing
THIN = "\u202f"  # narrow no-break space: "94.5 %" stays on one line
KIND_NAMES = {
    "original": "originals",
    "nonce": "nonce variants",
    "composed": "composed items",
    "template": "templates",
    "suite": "items",
}
ALL_ITEMS = "all items"


@dataclass(frozen=True, slots=True)
class TableCell:
    """One cell of a table; `sort` decides its typography."""

    text: str
    below: str = ""  # a smaller second line
    sort: str = "text"  # "text", "short" (never broken), "number", "code", "yes" or "no"
    value: float | None = None  # the unrounded number
    language: str = ""  # BCP-47 code of a text out of an item; empty for the page's own words


NO_NUMBER = TableCell(DASH, sort="number")
Record = Mapping[str, Any]
"""A row of a table, by column"""
Format = Callable[..., TableCell]
"""A function that gets the values of a column's fields, in their order, and returns the cell"""


# Texts and numbers


def signed(value: float, decimals: int) -> str:
    """Return a number with `+` or a true minus before it; one that rounds to 0 has no sign."""
    text = f"{abs(value):,.{decimals}f}"
    if float(text.replace(",", "")) == 0:
        return text
    return f"+{text}" if value > 0 else f"−{text}"


def percent(share: float | None) -> str:
    """Return a share as per cent without the sign, such as `94.5` for 0.9452; a dash for None."""
    return DASH if share is None else f"{100 * share:.1f}"


def limits(low: float | None, high: float | None) -> str:
    """Return the ends of an interval of a share, such as `92.3–96.3`; a dash if there is none."""
    return DASH if low is None or high is None else f"{percent(low)}–{percent(high)}"


def spread(sd: float | None) -> str:
    """Return a standard deviation of shares in percentage points, such as `sd 1.2`; "" for None."""
    return "" if sd is None else f"sd {points(sd).removeprefix('+')}"


def points(difference: float | None) -> str:
    """Return a difference of shares in percentage points, with its sign; a dash for None."""
    return DASH if difference is None else signed(100 * difference, 1)


def count(value: float | None) -> str:
    """Return a count with commas, such as `12,544`; a dash for None."""
    return DASH if value is None else f"{value:,.0f}"


def enumeration(parts: Iterable[str]) -> str:
    """Return a list in words: `a`, `a and b`, `a, b and c`."""
    *others, last = [*parts] or [""]
    return f"{', '.join(others)} and {last}" if others else last


def interval(low: float | None, high: float | None, n: int | None = None) -> str:
    """Return the line below a share: its interval and number of items, as `82.4–90.5, n 120`."""
    bounds = "" if low is None else limits(low, high)
    return ", ".join(filter(None, [bounds, "" if n is None else f"n {count(n)}"]))


def kind_name(kind: str) -> str:
    """Return the plural name of items of a kind; the empty kind stands for all items."""
    return KIND_NAMES.get(kind, kind) or ALL_ITEMS


# Formats of columns. Each returns a cell; `below` is its smaller second line.


def text(value: object, below: str | None = "") -> TableCell:
    """Format words; the browser may break them into lines."""
    return TableCell("" if value is None else str(value), below or "")


def short(value: object, below: str | None = "") -> TableCell:
    """Format a few words that stay on one line."""
    return replace(text(value, below), sort="short")


def code(value: object, below: str | None = "") -> TableCell:
    """Format a name that programs use."""
    return replace(text(value, below), sort="code")


def kind_cell(value: str) -> TableCell:
    """Format a kind of items by its plural name."""
    return short(kind_name(value))


def count_cell(value: float | None, below: str | None = "") -> TableCell:
    """Format a count."""
    return TableCell(count(value), below or "", "number", value)


def share(value: float | None, below: str | None = "") -> TableCell:
    """Format a share from 0 to 1 as per cent."""
    number = None if value is None else 100 * value
    return TableCell(percent(value), below or "", "number", number)


def share_with_interval(
    value: float | None, low: float | None = None, high: float | None = None, n: int | None = None
) -> TableCell:
    """Format a share as per cent, with its interval and number of items below."""
    return share(value, interval(low, high, n))


def difference(value: float | None, low: float | None, high: float | None) -> TableCell:
    """Format a difference of shares in percentage points, with its interval below."""
    below = "" if low is None or high is None else f"{points(low)} to {points(high)}"
    # the number behind the cell is in points, too, as `share` multiplies by 100
    return replace(share(value, below), text=points(value))


def decimals(digits: int, missing: str = DASH) -> Format:
    """Return a function that formats a number with `digits` decimals, and its interval below. It
    shows the text `missing` for a number that is None."""

    def decimal(
        value: float | None, low: float | None = None, high: float | None = None
    ) -> TableCell:
        """Format a number, with its interval below."""
        ends = [signed(end, digits).removeprefix("+") for end in (low, high) if end is not None]
        number = missing if value is None else signed(value, digits).removeprefix("+")
        return TableCell(number, " to ".join(ends), "number", value)

    return decimal


def p_value(p: float | None) -> TableCell:
    """Format a p-value with three decimals; one below 0.001 as `< 0.001`."""
    shown = DASH if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"
    return TableCell(shown, "", "number", p)


def yes_no(value: bool, below: str | None = "") -> TableCell:
    """Format a yes or no."""
    answer = "yes" if value else "no"
    return TableCell(answer, below or "", answer)


# Tables


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its heading, the fields of each row that it shows, and their format.

    Attributes:
        title: the heading.
        fields: names of the fields, separated by blanks; a tuple if a name may itself have blanks.
            A field that a row lacks is None.
        format: makes the cell from the values of the fields. It is not called if the first value
            is a finished cell.
    """

    title: str
    fields: str | tuple[str, ...]
    format: Format = text

    def cell(self, row: Record) -> TableCell:
        """Return the cell of a row."""
        names = self.fields.split() if isinstance(self.fields, str) else self.fields
        first, *others = (row.get(name) for name in names)
        return first if isinstance(first, TableCell) else self.format(first, *others)


RIGHT = (
    Column("right, %", "accuracy", share),
    Column("95 % low", "low", share),
    Column("95 % high", "high", share),
)


def pivot(
    rows: Iterable[Record], key: Sequence[str], raters: Iterable[str]
) -> list[dict[str, Any]]:
    """Turn rows (one for each value of `key` and rater) into records with a field for each rater.

    Args:
        rows: accuracies with interval and number of items.
        key: the fields that tell records apart.
        raters: names of the raters; one without a row gets a dash.

    Returns:
        A record for each value of the key: the fields of its first row and, by each rater's name,
        a cell with the rater's accuracy.
    """
    dashes = dict.fromkeys(raters, NO_NUMBER)
    records: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        record = records.setdefault(tuple(row[name] for name in key), {**row, **dashes})
        values = (row[name] for name in ("accuracy", "low", "high", "n_items"))
        record[row["rater"]] = share_with_interval(*values)
    return list(records.values())


@dataclass(frozen=True)
class Table:
    """A table with a caption; the first cell of each row is the row's heading.

    Attributes:
        name: the id, unique on the page.
        title: the caption.
        columns: the columns; one that is empty in every row is not shown.
        rows: a frame, or records, whose fields may be finished cells.
        note: a text below the table, added to the one that `notes.jinja` has for its name.
        is_folded: true if the reader must open the table to see it.
    """

    name: str
    title: str
    columns: Sequence[Column]
    rows: pl.DataFrame | Sequence[Record]
    note: str = ""
    is_folded: bool = False

    @cached_property
    def headings(self) -> tuple[str, ...]:
        """The headings of the columns that are shown."""
        return tuple(column.title for column, _ in self._shown)

    @cached_property
    def body(self) -> tuple[tuple[TableCell, ...], ...]:
        """The rows, each a tuple of cells."""
        return tuple(zip(*(cells for _, cells in self._shown), strict=True))

    @cached_property
    def column_styles(self) -> tuple[str, ...]:
        """The style of each column, a CSS class: that of its first cell that is not a dash."""
        columns = (cells for _, cells in self._shown)
        sorts = ((cell.sort for cell in cells if cell.text != DASH) for cells in columns)
        return tuple(next(of_column, "text") for of_column in sorts)

    @cached_property
    def _shown(self) -> list[tuple[Column, list[TableCell]]]:
        """The columns that are shown, each with its cells from top to bottom."""
        rows = self.rows
        records = list(rows.iter_rows(named=True)) if isinstance(rows, pl.DataFrame) else rows
        columns = [(column, [column.cell(row) for row in records]) for column in self.columns]
        return [
            (column, cells)
            for column, cells in columns
            if any(cell.text not in ("", DASH) for cell in cells)
        ]

    def csv(self) -> str:
        """Return the table as CSV. Numbers are unrounded, second lines have columns of their own,
        and no cell is a formula to a spreadsheet program."""
        has_below = [any(cell.below for cell in column) for column in zip(*self.body, strict=True)]
        stream = StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        headings: list[str] = []
        for heading, has_second in zip(self.headings, has_below, strict=True):
            headings += [heading, f"{heading} (second line)"] if has_second else [heading]
        writer.writerow(map(guard_cell, headings))
        for row in self.body:
            values: list[str | float] = []
            for cell, has_second in zip(row, has_below, strict=True):
                values.append(_csv_text(cell.text, cell.sort) if cell.value is None else cell.value)
                values += [_csv_text(cell.below, cell.sort)] if has_second else []
            writer.writerow(map(guard_cell, values))
        return stream.getvalue()


def _csv_text(shown: str, sort: str) -> str:
    """Return the text of a cell as CSV has it: a number without commas and with a plain minus, ""
    for a dash. `sort` is the cell's, such as `number`."""
    if shown == DASH:
        return ""
    plain = shown.replace(THIN, " ")
    if sort != "number":
        return plain
    return plain.replace("\u2212", "-").replace(",", "").removeprefix("+")


# Figures and sections

ESCAPES = {ord(char): f"%{ord(char):02X}" for char in [*map(chr, range(32)), *"%#\"'&<>`\x7f"]}
SHAPES = ("square", "triangle", "diamond", "circle", "plus", "down", "cross", "pentagon")
N_COLOURS = 7  # colours of models: --r1 … --r7 of the style sheet; people have --r0


class EmbeddedFile(NamedTuple):
    """A file that the page holds as a link to download."""

    name: str  # of the file
    about: str
    content: str


@dataclass(frozen=True, slots=True)
class Rater:
    """A rater (a model, a group of models, or people, named `humans`) and the looks of its marks.

    A rater has the same shape and colour everywhere on the page, so that readers can go by either.
    """

    name: str  # as in the tables
    label: str  # short and unique
    shape: str
    colour: int  # n of the style sheet's variable `--rn`


def raters_with_looks(names: Iterable[str], labels: Mapping[str, str] | None = None) -> list[Rater]:
    """Return a rater (a series of marks) for each name, in this order, each with the next shape and
    colour.

    Shapes and colours begin again after the last. `labels`: name → label; without it the name is
    the label, and the empty name, that of suites with one condition, is labelled *sentence*.
    """
    return [
        Rater(name, labels[name] if labels else name or "sentence", SHAPES[n % len(SHAPES)],
              1 + n % N_COLOURS)
        for n, name in enumerate(names)
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Panel:
    """One drawing of a figure; several stand side by side if there is room."""

    heading: str
    paint: Callable[["Axes"], None]  # draws on the axes that it is given
    alt: str  # every number in words, for readers who cannot see the drawing
    height: float  # CSS pixels
    notes: tuple[str, ...] = ()  # lines below this drawing


@dataclass(frozen=True)
class Figure:
    """Drawings with a legend, a caption and the numbers that were plotted."""

    name: str  # unique on the page; becomes its id
    title: str
    caption: str
    panels: Sequence[Panel]
    legend: Sequence[Rater]
    data: Table | None = None  # None if a file that the page holds has the numbers


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page under a heading of its own: words, figures, tables, files."""

    name: str  # unique on the page; becomes its id
    title: str
    facts: Any = None  # given to `sections.jinja`, which has the words
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()  # those without rows are dropped
    downloads: tuple[EmbeddedFile, ...] = ()
    template: str = ""  # a file in the folder `templates`
    is_open: bool = False  # else the reader must open it

    def __post_init__(self) -> None:
        object.__setattr__(self, "tables", tuple(table for table in self.tables if len(table.rows)))


def matplotlib_available() -> bool:
    """Return True if Matplotlib is installed (it comes with the extra `humans`)."""
    return find_spec("matplotlib") is not None


def figure(
    name: str,
    title: str,
    caption: str,
    panels: Sequence[Panel],
    legend: Iterable[Rater],
    columns: Sequence[Column] = (),
    rows: pl.DataFrame | Sequence[Record] = (),
) -> Figure:
    """Return a figure and the table of its numbers, which has these columns and rows. If Matplotlib
    is not installed, the figure has no panels."""
    data = Table(f"{name}-data", f"{title}: the numbers in the figure", columns, rows)
    drawn = panels if matplotlib_available() else ()
    return Figure(name, title, caption, drawn, tuple(legend), data if len(rows) else None)


def address(content: str) -> str:
    """Return a `data:` address (RFC 2397) that holds a CSV file. Characters that are not allowed in
    an address or an HTML attribute are percent-encoded."""
    return f"data:text/csv;charset=utf-8,{content.translate(ESCAPES)}"
