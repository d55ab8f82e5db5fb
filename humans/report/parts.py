"""What a page is put together from: tables and figures, before they are HTML."""

from dataclasses import dataclass

from colorless_green.humans.report.raters import Rater


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table. `sort` says how it is set."""

    text: str
    below: str = ""  # a smaller second line
    sort: str = "text"  # "text", "short" (never broken), "number", "code", "yes" or "no"


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
    svg: str  # safe markup, made by `svg.inline` alone
    notes: tuple[str, ...] = ()  # what belongs under this drawing


@dataclass(frozen=True, slots=True)
class Figure:
    """Drawings with a legend, a caption and the numbers that were plotted."""

    name: str  # unique on the page; becomes its id
    title: str
    caption: str
    panels: tuple[Panel, ...]  # empty where drawing is not installed
    legend: tuple[Rater, ...]
    data: Table


def heading(text: str, sort: str = "text") -> Cell:
    """A column's heading, set like its cells."""
    return Cell(text, sort=sort)
