"""What a page is put together from: tables and figures, before they are HTML."""

from dataclasses import dataclass

from colorless_green.humans.page.raters import Rater
from colorless_green.humans.page.svg import Drawing, inline


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table. `sort` says how it is set."""

    text: str
    below: str = ""  # a smaller second line
    sort: str = "text"  # "text", "short" (never broken), "number", "code", "yes" or "no"
    value: float | None = None  # the number unrounded, for sorting and for the file of the table
    language: str = ""  # BCP-47, of a stretch of a stimulus; empty: the page's own
    link: str = ""  # where the cell leads: an anchor of the page, or an https address of ours


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a caption; the first cell of each row is its heading."""

    name: str  # unique on the page; becomes its id
    title: str
    columns: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """One drawing of a figure; several stand side by side where there is room."""

    heading: str
    drawing: Drawing | None  # None where drawing is not installed
    notes: tuple[str, ...] = ()  # what belongs under this drawing

    @property
    def svg(self) -> str:
        """Safe markup, drawn whenever it is asked for; empty without a drawing."""
        return inline(self.drawing) if self.drawing is not None else ""


@dataclass(frozen=True, slots=True)
class Figure:
    """Drawings with a legend, a caption and the numbers that were plotted."""

    name: str  # unique on the page; becomes its id
    title: str
    caption: str
    panels: tuple[Panel, ...]  # empty where drawing is not installed
    legend: tuple[Rater, ...]
    data: Table


@dataclass(frozen=True, slots=True)
class Download:
    """A file that the page carries with it."""

    name: str  # with its ending
    about: str
    media_type: str
    content: str


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page under a heading of its own: words, figures, tables, files, in this
    order."""

    name: str  # unique on the page; becomes its id
    title: str
    text: tuple[str, ...] = ()  # paragraphs
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    downloads: tuple[Download, ...] = ()


def heading(text: str, sort: str = "text") -> Cell:
    """A column's heading, set like its cells."""
    return Cell(text, sort=sort)
