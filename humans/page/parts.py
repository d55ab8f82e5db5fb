"""What the page is put together from: sections with words, figures, tables and files."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from colorless_green.humans.page.raters import Rater
from colorless_green.humans.page.tables import Download, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class Drawing:
    """What is to be drawn, before it is an element of a page or a file."""

    name: str  # unique on the page; becomes the beginning of every id inside
    title: str
    description: str  # with every number
    width: float  # CSS pixels
    height: float
    paint: Callable[["Axes"], None]


@dataclass(frozen=True, slots=True)
class Panel:
    """One drawing of a figure; several stand side by side where there is room."""

    heading: str
    drawing: Drawing
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
    """A part of the page under a heading of its own: words, a template's, figures, tables, files,
    in this order. All but the first ones are folded."""

    name: str  # unique on the page; becomes its id
    title: str
    text: tuple[str, ...] = ()  # paragraphs
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    downloads: tuple[Download, ...] = ()
    template: str = ""  # in the folder of templates
    is_open: bool = False
