"""What the page is put together from: sections with words, figures, tables and files.

A table is a schema of columns over rows of any sort. A cell has the text that a reader sees and the
number behind it, unrounded, for sorting and for the table's file. Shares are 0 to 1 in records and
per cent on the page.
"""

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from io import StringIO
from typing import TYPE_CHECKING, Any, TypeAlias

from ...data.tables import guarded

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NONE = "–"
THIN = "\u202f"  # narrow no-break space: "94.5 %" stays on one line
CSV = "text/csv"
ESCAPES = {ord(char): f"%{ord(char):02X}" for char in [*map(chr, range(32)), *"%#\"'&<>`\x7f"]}
NAMES = {
    "original": "originals",
    "nonce": "nonce variants",
    "composed": "composed items",
    "template": "templates",
    "suite": "suite",
}
ALL_ITEMS = "all items"
SHAPES = ("square", "triangle", "diamond", "circle", "plus", "down", "cross", "pentagon")
N_COLOURS = 7  # --r1 … --r7 of the style sheet; --r0 is people's


@dataclass(frozen=True, slots=True)
class TableCell:
    """One cell of a table. `sort` says how it is set."""

    text: str
    below: str = ""  # a smaller second line
    sort: str = "text"  # "text", "short" (never broken), "number", "code", "yes" or "no"
    value: float | None = None  # the number unrounded
    language: str = ""  # BCP-47, of a stretch of a stimulus; empty: the page's own
    link: str = ""  # an anchor of the page, or an https address of ours


NO_NUMBER = TableCell(NONE, sort="number")


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a caption; the first cell of each row is its heading."""

    name: str  # unique on the page; becomes its id
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    note: str = ""
    folded: bool = False

    @property
    def sorts(self) -> tuple[str, ...]:
        """How each column is set: as the first cell that has something in it."""
        columns = zip(*self.rows, strict=True) if self.rows else ((),) * len(self.columns)
        return tuple(
            next((cell.sort for cell in column if cell.text != NONE), "text") for column in columns
        )


@dataclass(frozen=True, slots=True)
class EmbeddedFile:
    """A file that the page carries with it, as a data address (RFC 2397): nothing is fetched."""

    name: str  # with its ending
    about: str
    media_type: str
    content: str


@dataclass(frozen=True, slots=True)
class Rater:
    """Whoever has a mark of its own: a model, a group of models, people (named `humans`).

    Shape and colour go together everywhere on the page, so that neither has to be told from the
    other alone.
    """

    name: str  # as the tables have it
    label: str  # short and unique
    shape: str
    colour: int  # number of the style sheet's variable


def series(names: Iterable[str], labels: Mapping[str, str] | None = None) -> list[Rater]:
    """One after the other, each with a shape and a colour."""
    return [
        Rater(name, labels[name] if labels else name or "sentence", SHAPES[n % len(SHAPES)],
              1 + n % N_COLOURS)
        for n, name in enumerate(names)
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Panel:
    """One drawing of a figure; several stand side by side where there is room."""

    heading: str
    paint: Callable[["Axes"], None]
    alt: str  # every number, for whoever does not see it
    height: float  # CSS pixels
    notes: tuple[str, ...] = ()  # what belongs under this drawing


@dataclass(frozen=True, slots=True)
class Figure:
    """Drawings with a legend, a caption and the numbers that were plotted."""

    name: str  # unique on the page; becomes its id
    title: str
    caption: str
    panels: tuple[Panel, ...]
    legend: tuple[Rater, ...]
    data: tuple[Table, ...]  # empty where a file of the page has the numbers


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page under a heading of its own: words, figures, tables, files, in this order.
    All but the first ones are folded."""

    name: str  # unique on the page; becomes its id
    title: str
    facts: Any = None  # what `sections.jinja` makes its words from
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    downloads: tuple[EmbeddedFile, ...] = ()
    template: str = ""  # in the folder of templates
    is_open: bool = False


Record: TypeAlias = Mapping[str, Any]
"""A row of a table, by column."""

Column = Callable[[Any], TableCell] | str
"""The cell of a row; or the name of a field and its format, as in `accuracy share`."""

COUNTS: Mapping[str, Column] = {"suites": "n_suites count", "items": "n_items count"}
RIGHT: Mapping[str, Column] = {
    "right, %": "accuracy share",
    "95 % low": "low share",
    "95 % high": "high share",
}


def table(
    name: str,
    title: str,
    rows: Iterable[Any],
    columns: Mapping[str, Column | None],
    note: str = "",
    *,
    folded: bool = False,
    drop_empty: bool = False,
) -> tuple[Table, ...]:
    """A table by a schema.

    Args:
        name: its id.
        title: its caption.
        rows: of any sort.
        columns: heading → column; one that is None is not there.
        note: what a reader must know below it.
        folded: whether it is closed until somebody opens it.
        drop_empty: leave out columns in which no row has anything.

    Returns:
        The table, or nothing where there are no rows.
    """
    by_heading = {
        heading: _formatted(column) if isinstance(column, str) else column
        for heading, column in columns.items()
        if column is not None
    }
    cells = [tuple(column(row) for column in by_heading.values()) for row in rows]
    if not cells:
        return ()
    used = [
        n
        for n in range(len(by_heading))
        if not drop_empty or any(row[n].text not in ("", NONE) for row in cells)
    ]
    headings = tuple(by_heading)
    body = tuple(tuple(row[n] for n in used) for row in cells)
    return (Table(name, title, tuple(headings[n] for n in used), body, note, folded),)


def _formatted(column: str) -> Callable[[Any], TableCell]:
    field, _, form = column.partition(" ")
    make = FORMATS[form or "text"]
    return lambda row: make(row.get(field) if isinstance(row, Mapping) else getattr(row, field))


def available() -> bool:
    """Whether Matplotlib is installed (it comes with the extra `humans`)."""
    return find_spec("matplotlib") is not None


def figure(
    name: str,
    title: str,
    caption: str,
    panels: Sequence[Panel],
    legend: Iterable[Rater],
    rows: Iterable[Any] = (),
    columns: Mapping[str, Column | None] | None = None,
    note: str = "",
    data_title: str = "",
) -> Figure:
    """A figure, and the table of its numbers by a schema over the same rows; without its drawings
    where Matplotlib is not installed."""
    visible = tuple(panels) if available() else ()
    table_title = f"{data_title or title}: the numbers in the figure"
    data = table(f"{name}-data", table_title, rows, columns or {}, note)
    return Figure(name, title, caption, visible, tuple(legend), data)


def panel_name(kind: str) -> str:
    """What sentences of a kind are called on the page; an empty kind is all of them."""
    return NAMES.get(kind, kind) or ALL_ITEMS


def signed(value: float, decimals: int) -> str:
    """With its sign (a true minus), and no `−0.0`."""
    text = f"{abs(value):,.{decimals}f}"
    if float(text.replace(",", "")) == 0:
        return text
    return f"+{text}" if value > 0 else f"−{text}"


def percent(share: float | None) -> str:
    """`0.9452` as `94.5`, without the sign."""
    return NONE if share is None else f"{100 * share:.1f}"


def limits(low: float | None, high: float | None) -> str:
    """`92.3–96.3`; a dash where there is no interval."""
    return NONE if low is None or high is None else f"{percent(low)}–{percent(high)}"


def points(difference: float | None) -> str:
    """A difference of shares in percentage points, with its sign."""
    return NONE if difference is None else signed(100 * difference, 1)


def count(value: float | None) -> str:
    """`12,544`"""
    return NONE if value is None else f"{value:,.0f}"


def plural(n: int, name: str, plural_form: str = "") -> str:
    """`1 item`, `1,071 items`."""
    return f"{count(n)} {name if n == 1 else plural_form or f'{name}s'}"


def enumeration(parts: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def share(value: float | None, below: str = "") -> TableCell:
    """A share from 0 to 1, as per cent."""
    return TableCell(percent(value), below, "number", None if value is None else 100 * value)


def interval(low: float | None, high: float | None, n: int | None = None) -> str:
    """`82.4–90.5, n 120`: the second line of a share."""
    bounds = "" if low is None else limits(low, high)
    return ", ".join(filter(None, [bounds, "" if n is None else f"n {count(n)}"]))


def count_cell(n: float | None, below: str = "") -> TableCell:
    """A count."""
    return TableCell(count(n), below, "number", n)


def decimal(value: float | None, decimals: int, missing: str = NONE, below: str = "") -> TableCell:
    """Any number with so many decimals."""
    text = missing if value is None else signed(value, decimals).removeprefix("+")
    return TableCell(text, below, "number", value)


def p_cell(p: float | None, below: str = "") -> TableCell:
    """A p-value with three decimals; `< 0.001` below."""
    text = NONE if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"
    return TableCell(text, below, "number", p)


def code(text: str, below: str = "") -> TableCell:
    """A name that programs use."""
    return TableCell(text, below, "code")


def short(text: str, below: str = "") -> TableCell:
    """A few words that stay on one line."""
    return TableCell(text, below, "short")


def difference(value: float | None, low: float | None, high: float | None) -> TableCell:
    """A difference of shares in points, its interval below."""
    below = "" if low is None or high is None else f"{points(low)} to {points(high)}"
    return replace(share(value, below), text=points(value))


FORMATS: Mapping[str, Callable[[Any], TableCell]] = {
    "text": lambda value: TableCell("" if value is None else str(value)),
    "short": lambda value: short("" if value is None else str(value)),
    "code": lambda value: code("" if value is None else str(value)),
    "count": count_cell,
    "panel": lambda kind: short(panel_name(kind)),
    "share": share,
    "p": p_cell,
    **{str(digits): partial(decimal, decimals=digits) for digits in range(1, 4)},
}


def as_csv(source: Table) -> str:
    """A table of the page as CSV: numbers unrounded, second lines in columns of their own, no cell
    a formula to a spreadsheet."""
    two = [any(row[n].below for row in source.rows) for n in range(len(source.columns))]
    stream = StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    names = (
        [name, *([f"{name} (second line)"] if second else [])]
        for name, second in zip(source.columns, two, strict=True)
    )
    writer.writerow([guarded(heading) for pair in names for heading in pair])
    for row in source.rows:
        values: list[str | float] = []
        for cell, second in zip(row, two, strict=True):
            values.append(_plain(cell.text, cell.sort) if cell.value is None else cell.value)
            values += [_plain(cell.below, cell.sort)] if second else []
        writer.writerow(map(guarded, values))
    return stream.getvalue()


def _plain(text: str, sort: str) -> str:
    """A number as programs read it; other texts as they are."""
    if text == NONE:
        return ""
    plain = text.replace(THIN, " ")
    if sort != "number":
        return plain
    return plain.replace("\u2212", "-").replace(",", "").removeprefix("+")


def address(content: str, media_type: str) -> str:
    """The data address of a text, with those letters as numbers that an address or an attribute
    cannot hold as they are."""
    return f"data:{media_type};charset=utf-8,{content.translate(ESCAPES)}"
