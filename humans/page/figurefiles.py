"""Every panel of a page's figures as a file of its own, for papers: SVG, and PDF.

A file has what the page tells around the drawing: the panel's heading and the legend. Colours are
those of the page on white. Letters are outlines in SVG, which look alike in every program, and text
in PDF, in a font that is embedded, so that they can be found and edited. Captions stand in the
manifest.
"""

import re
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from colorless_green.data.errors import InputError
from colorless_green.data.files import write_folder
from colorless_green.data.registry import EXTRAS
from colorless_green.humans.page import svg
from colorless_green.humans.page.parts import Figure, Panel
from colorless_green.humans.page.raters import Rater

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Sheet

MADE_BY = "colorless report"
OPTION = "--figures"
SIZE = svg.FONT_SIZE - 1
TOP, LINE = 10.0, 20.0  # pixels that a heading or a legend takes: once, and for each line
LETTER = 9.0  # pixels: a wide one
LONGEST = 80  # letters of a heading in the name of a file
COLOUR = re.compile(r"--([a-z0-9]+): (#[0-9a-f]{6})")
SETTINGS = {
    "pdf.fonttype": 42,  # TrueType: journals refuse Type 3
    "pdf.compression": 0,  # else the bytes depend on the machine's zlib
    "savefig.facecolor": "white",
}


def write_figures(folder: Path, figures: Sequence[Figure], style: str) -> tuple[str, ...]:
    """Writes `FIGURE-PANEL.svg` and `.pdf` for every panel into `folder`, and gives their names.

    `style` is the page's style sheet, whose first colours are the light ones. The same figures give
    the same bytes. Raises `InputError` without Matplotlib, or where `folder` cannot be written.
    """
    if not svg.available():
        raise InputError(
            OPTION,
            "the drawings need Matplotlib, which is not installed",
            EXTRAS["matplotlib"],
            kind="dependency",
        )
    palette = _palette(style)
    named = [(name, figure, panel) for figure in figures for name, panel in _named(figure)]
    captions = {name: _caption(figure, panel) for name, figure, panel in named}
    with write_folder(folder, {"made_by": MADE_BY, "captions": captions}) as fresh:
        for name, figure, panel in named:
            for kind, content in _files(figure, panel, palette):
                (fresh / f"{name}.{kind}").write_bytes(content)
    return tuple(captions)


def _palette(style: str) -> dict[str, str]:
    """What the named colours are in the light style: the first value of each variable."""
    light: dict[str, str] = {}
    for variable, value in COLOUR.findall(style):
        light.setdefault(variable, value)
    return {name: light[variable] for name, variable in svg.VARIABLES.items()}


def _named(figure: Figure) -> Iterator[tuple[str, Panel]]:
    """Each panel that has a drawing, under the figure's name and its heading, or its number where
    the heading has no letters or is another's too."""
    slugs = [_slug(panel.heading) for panel in figure.panels]
    for number, (slug, panel) in enumerate(zip(slugs, figure.panels, strict=True), start=1):
        if panel.drawing is not None:
            own = slug if slug and slugs.count(slug) == 1 else str(number)
            yield (f"{figure.name}-{own}" if len(slugs) > 1 else figure.name), panel


def _slug(heading: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")[:LONGEST]


def _caption(figure: Figure, panel: Panel) -> str:
    heading = f" ({panel.heading})" if panel.heading else ""
    return " ".join([f"{figure.title}{heading}.", figure.caption, *panel.notes])


def _files(figure: Figure, panel: Panel, palette: dict[str, str]) -> Iterator[tuple[str, bytes]]:
    """(ending, content); drawn anew for each, since saving settles places for one kind of file."""
    drawing = panel.drawing
    assert drawing is not None
    across = int(drawing.width / LETTER)
    heading = fill(panel.heading, across)
    labels = [fill(rater.label, across - 4) for rater in figure.legend]
    head, foot = (_height("\n".join(lines)) for lines in ([heading], labels))
    about = {"Title": drawing.title, "Creator": "colorless-green"}
    for kind, undated in (("svg", "Date"), ("pdf", "CreationDate")):
        with svg.canvas(drawing.width, drawing.height + head + foot, palette) as (sheet, axes):
            import matplotlib

            parameters: Any = matplotlib.rcParams
            parameters.update(SETTINGS)
            drawing.paint(axes)
            if heading:
                sheet.suptitle(heading, x=0.01, ha="left", fontsize=SIZE, fontweight="bold")
            _legend(sheet, figure.legend, labels)
            stream = BytesIO()
            sheet.savefig(stream, format=kind, metadata={**about, undated: None})
        yield kind, stream.getvalue()


def _height(text: str) -> float:
    return TOP + LINE * len(text.splitlines()) if text else 0.0


def _legend(sheet: "Sheet", raters: Sequence[Rater], labels: Sequence[str]) -> None:
    from matplotlib.lines import Line2D

    if not raters:
        return
    shapes = [
        Line2D(
            [],
            [],
            linestyle="none",
            marker=svg.MARKERS[rater.shape],
            markersize=svg.SIZES.get(rater.shape, svg.SIZE),
            color=svg.colour(rater.colour),
            markeredgecolor=svg.PAPER,
        )
        for rater in raters
    ]
    sheet.legend(shapes, labels, loc="outside lower left", frameon=False, fontsize=SIZE)
