"""The parts of the page: sections with words, figures, tables and files; raters and their marks."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import polars as pl

from ._page_table import Column, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ESCAPES = {ord(char): f"%{ord(char):02X}" for char in [*map(chr, range(32)), *"%#\"'&<>`\x7f"]}
SHAPES = ("square", "triangle", "diamond", "circle", "plus", "down", "cross", "pentagon")
N_COLOURS = 7  # --r1 … --r7 of the style sheet; --r0 is people's
Record = Mapping[str, Any]
"""A row of a table, by column"""


@dataclass(frozen=True, slots=True)
class EmbeddedFile:
    """A file that the page carries with it, as a data address (RFC 2397): nothing is fetched."""

    name: str  # with its ending
    about: str
    content: str

    @property
    def address(self) -> str:
        """The data address of the file."""
        return address(self.content)


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


def address(content: str, media_type: str = "text/csv") -> str:
    """Return the data address of a text, with those letters as numbers that an address or an
    attribute cannot hold as they are."""
    return f"data:{media_type};charset=utf-8,{content.translate(ESCAPES)}"
