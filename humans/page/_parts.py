"""The parts of the page: how numbers and names are written, tables with columns declared once over
a frame of rows and the same as CSV, raters with their marks, figures, sections.

A cell has the text that a reader sees and the number behind it, unrounded, for sorting and for the
table's file. Shares are 0 to 1 in frames and per cent on the page.
"""

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.util import find_spec
from io import StringIO
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from ...data.tables import guarded

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NONE = "–"
THIN = "\u202f"  # narrow no-break space: "94.5 %" stays on one line
NAMES = {
    "original": "originals",
    "nonce": "nonce variants",
    "composed": "composed items",
    "template": "templates",
    "suite": "items",
}
ALL_ITEMS = "all items"


@dataclass(frozen=True, slots=True)
class TableCell:
    """One cell of a table. `sort` says how it is set."""

    text: str
    below: str = ""  # a smaller second line
    sort: str = "text"  # "text", "short" (never broken), "number", "code", "yes" or "no"
    value: float | None = None  # the number unrounded
    language: str = ""  # BCP-47, of a stretch of a stimulus; empty: the page's own


NO_NUMBER = TableCell(NONE, sort="number")
Record = Mapping[str, Any]
"""A row of a table, by column"""
Format = Callable[..., TableCell]
"""A function of the values of a column's fields, in their order"""


# How texts and numbers are written


def signed(value: float, decimals: int) -> str:
    """Return a number with its sign (a true minus), and no `−0.0`."""
    text = f"{abs(value):,.{decimals}f}"
    if float(text.replace(",", "")) == 0:
        return text
    return f"+{text}" if value > 0 else f"−{text}"


def percent(share: float | None) -> str:
    """Return `0.9452` as `94.5`, without the sign."""
    return NONE if share is None else f"{100 * share:.1f}"


def limits(low: float | None, high: float | None) -> str:
    """Return `92.3–96.3`; a dash where there is no interval."""
    return NONE if low is None or high is None else f"{percent(low)}–{percent(high)}"


def spread(sd: float | None) -> str:
    """Return `sd 1.2`, in percentage points; nothing without one."""
    return "" if sd is None else f"sd {points(sd).removeprefix('+')}"


def points(difference: float | None) -> str:
    """Return a difference of shares in percentage points, with its sign."""
    return NONE if difference is None else signed(100 * difference, 1)


def count(value: float | None) -> str:
    """Return `12,544`."""
    return NONE if value is None else f"{value:,.0f}"


def enumeration(parts: Iterable[str]) -> str:
    """Return `a`, `a and b`, `a, b and c`."""
    *others, last = [*parts] or [""]
    return f"{', '.join(others)} and {last}" if others else last


def interval(low: float | None, high: float | None, n: int | None = None) -> str:
    """Return `82.4–90.5, n 120`: the second line of a share."""
    bounds = "" if low is None else limits(low, high)
    return ", ".join(filter(None, [bounds, "" if n is None else f"n {count(n)}"]))


def kind_name(kind: str) -> str:
    """Return the name of sentences of a kind; an empty kind is all of them."""
    return NAMES.get(kind, kind) or ALL_ITEMS


# Formats of columns


def text(value: object, below: str | None = "") -> TableCell:
    """Format words."""
    return TableCell("" if value is None else str(value), below or "")


def short(value: object, below: str | None = "") -> TableCell:
    """Format a few words that stay on one line."""
    return replace(text(value, below), sort="short")


def code(value: object, below: str | None = "") -> TableCell:
    """Format a name that programs use."""
    return replace(text(value, below), sort="code")


def kind_cell(value: str) -> TableCell:
    """Format a kind of sentences."""
    return short(kind_name(value))


def count_cell(value: float | None, below: str | None = "") -> TableCell:
    """Format a count."""
    return TableCell(count(value), below or "", "number", value)


def share(value: float | None, below: str | None = "") -> TableCell:
    """Format a share from 0 to 1 as per cent."""
    number = None if value is None else 100 * value
    return TableCell(percent(value), below or "", "number", number)


def estimate(
    value: float | None, low: float | None = None, high: float | None = None, n: int | None = None
) -> TableCell:
    """Format a share, with its interval and number of items below."""
    return share(value, interval(low, high, n))


def difference(value: float | None, low: float | None, high: float | None) -> TableCell:
    """Format a difference of shares in points, with its interval below."""
    below = "" if low is None or high is None else f"{points(low)} to {points(high)}"
    return replace(share(value, below), text=points(value))


def decimals(digits: int, missing: str = NONE) -> Format:
    """Return a format of numbers with so many decimals, and of an interval below them."""

    def decimal(
        value: float | None, low: float | None = None, high: float | None = None
    ) -> TableCell:
        shown = [signed(v, digits).removeprefix("+") for v in (low, high) if v is not None]
        number = missing if value is None else signed(value, digits).removeprefix("+")
        return TableCell(number, " to ".join(shown), "number", value)

    return decimal


def p_value(p: float | None) -> TableCell:
    """Format a p-value with three decimals; `< 0.001` below."""
    shown = NONE if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"
    return TableCell(shown, "", "number", p)


def yes_no(value: bool, below: str | None = "") -> TableCell:
    """Format a yes or no."""
    answer = "yes" if value else "no"
    return TableCell(answer, below or "", answer)


# Tables


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its heading, the fields of the frame that it shows, and their format.

    Attributes:
        title: the heading.
        fields: names of fields, separated by blanks; a tuple where names may have blanks. A row
            without one has nothing there.
        format: a function of their values; a field that holds a cell is that cell.
    """

    title: str
    fields: str | tuple[str, ...]
    format: Format = text

    def cell(self, row: Record) -> TableCell:
        """Return the cell of a row."""
        names = self.fields.split() if isinstance(self.fields, str) else self.fields
        values = [row.get(name) for name in names]
        return values[0] if isinstance(values[0], TableCell) else self.format(*values)


RIGHT = (
    Column("right, %", "accuracy", share),
    Column("95 % low", "low", share),
    Column("95 % high", "high", share),
)


def pivot(
    rows: Iterable[Record], key: Sequence[str], raters: Iterable[str]
) -> list[dict[str, Any]]:
    """Return a record for each value of a key, with the fields of its first row and a cell for
    each rater: the accuracy, its interval and the number of items."""
    empty = dict.fromkeys(raters, NO_NUMBER)
    records: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        record = records.setdefault(tuple(row[name] for name in key), {**row, **empty})
        ends = row["low"], row["high"]
        record[row["rater"]] = estimate(row["accuracy"], *ends, row["n_items"])
    return list(records.values())


@dataclass(frozen=True)
class Table:
    """A table with a caption; the first cell of each row is its heading.

    Attributes:
        name: its id, unique on the page.
        title: its caption.
        columns: their declarations; a column in which no row has anything is not shown.
        rows: the frame, or records where fields are cells already.
        note: what is below it besides the words that `notes.jinja` has for its name.
        is_folded: whether it is closed until somebody opens it.
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
        """The cells, by row."""
        return tuple(zip(*(cells for _, cells in self._shown), strict=True))

    @cached_property
    def sorts(self) -> tuple[str, ...]:
        """The setting of each column: that of the first cell that has something in it."""
        columns = [cells for _, cells in self._shown]
        return tuple(next((c.sort for c in cells if c.text != NONE), "text") for cells in columns)

    @cached_property
    def _shown(self) -> list[tuple[Column, list[TableCell]]]:
        rows = self.rows
        records = list(rows.iter_rows(named=True)) if isinstance(rows, pl.DataFrame) else rows
        columns = [(column, [column.cell(row) for row in records]) for column in self.columns]
        return [(c, cells) for c, cells in columns if any(e.text not in ("", NONE) for e in cells)]

    def csv(self) -> str:
        """Return the table as CSV: numbers unrounded, second lines in columns of their own, no cell
        a formula to a spreadsheet."""
        two = [any(cell.below for cell in column) for column in zip(*self.body, strict=True)]
        stream = StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        names = (
            [name, *([f"{name} (second line)"] if second else [])]
            for name, second in zip(self.headings, two, strict=True)
        )
        writer.writerow([guarded(heading) for pair in names for heading in pair])
        for row in self.body:
            values: list[str | float] = []
            for cell, second in zip(row, two, strict=True):
                values.append(_plain(cell.text, cell.sort) if cell.value is None else cell.value)
                values += [_plain(cell.below, cell.sort)] if second else []
            writer.writerow(map(guarded, values))
        return stream.getvalue()


def _plain(shown: str, sort: str) -> str:
    """Return a number as programs read it; other texts as they are."""
    if shown == NONE:
        return ""
    plain = shown.replace(THIN, " ")
    if sort != "number":
        return plain
    return plain.replace("\u2212", "-").replace(",", "").removeprefix("+")


# Figures and sections

ESCAPES = {ord(char): f"%{ord(char):02X}" for char in [*map(chr, range(32)), *"%#\"'&<>`\x7f"]}
SHAPES = ("square", "triangle", "diamond", "circle", "plus", "down", "cross", "pentagon")
N_COLOURS = 7  # --r1 … --r7 of the style sheet; --r0 is people's


class EmbeddedFile(NamedTuple):
    """A file that the page carries with it."""

    name: str  # with its ending
    about: str
    content: str


@dataclass(frozen=True, slots=True)
class Rater:
    """A rater with a mark of its own: a model, a group of models, people (named `humans`).

    Shape and colour go together everywhere on the page, so that neither has to be told from the
    other alone.
    """

    name: str  # as the tables have it
    label: str  # short and unique
    shape: str
    colour: int  # number of the style sheet's variable


def series(names: Iterable[str], labels: Mapping[str, str] | None = None) -> list[Rater]:
    """Return raters in this order, each with a shape and a colour."""
    return [
        Rater(name, labels[name] if labels else name or "sentence", SHAPES[n % len(SHAPES)],
              1 + n % N_COLOURS)
        for n, name in enumerate(names)
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Panel:
    """One drawing of a figure; several are side by side where there is room."""

    heading: str
    paint: Callable[["Axes"], None]
    alt: str  # every number, for whoever does not see it
    height: float  # CSS pixels
    notes: tuple[str, ...] = ()  # what belongs under this drawing


@dataclass(frozen=True)
class Figure:
    """Drawings with a legend, a caption and the numbers that were plotted."""

    name: str  # unique on the page; becomes its id
    title: str
    caption: str
    panels: Sequence[Panel]
    legend: Sequence[Rater]
    data: Table | None = None  # None where a file of the page has the numbers


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page under a heading of its own: words, tables, figures, files.

    All but the first ones are folded.
    """

    name: str  # unique on the page; becomes its id
    title: str
    facts: Any = None  # what `sections.jinja` makes its words from
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()  # without rows: not shown
    downloads: tuple[EmbeddedFile, ...] = ()
    template: str = ""  # in the folder of templates
    is_open: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "tables", tuple(t for t in self.tables if len(t.rows)))


def available() -> bool:
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
    """Return a figure with the table of its numbers; without its drawings where Matplotlib is not
    installed."""
    data = Table(f"{name}-data", f"{title}: the numbers in the figure", columns, rows)
    shown = panels if available() else ()
    return Figure(name, title, caption, shown, tuple(legend), data if len(rows) else None)


def address(content: str) -> str:
    """Return the data address (RFC 2397) of a CSV file, with those letters as numbers that an
    address or an attribute cannot hold as they are."""
    return f"data:text/csv;charset=utf-8,{content.translate(ESCAPES)}"
