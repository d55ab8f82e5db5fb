"""Drawings as SVG within the page, and as files for papers, by Matplotlib.

On the page colours are placeholders that become variables of the style sheet, so that one drawing
serves light, dark and print, and letters are the page's own. In files colours are real, and letters
are outlines, which look alike in every program.
"""

import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from textwrap import fill
from typing import Any
from xml.etree import ElementTree

import matplotlib
from markupsafe import Markup, escape
from matplotlib.axes import Axes
from matplotlib.colors import get_named_colors_mapping
from matplotlib.figure import Figure as Sheet
from matplotlib.lines import Line2D
from matplotlib.markers import MarkerStyle
from matplotlib.path import Path as Outline
from matplotlib.transforms import Affine2D

from ...data.files import write_folder
from ._drawings import FONT_SIZE, INK, MARKERS, PAPER, RATER, RULE, SAYS, SIZES, SOFT, WIDTH
from ._parts import Figure, Panel

NAMES = [INK, SOFT, RULE, PAPER, *map(RATER.format, range(8))]  # of colours
VARIABLES = {name: f"--{name.partition(' ')[2]}" for name in NAMES}  # of the style sheet
PLACEHOLDERS = {name: f"#0a0c{index:02x}" for index, name in enumerate(NAMES)}
ON_PAGE = {PLACEHOLDERS[name]: f"var({VARIABLES[name]})" for name in NAMES}
COLOUR = re.compile(r"(--[a-z0-9]+): (#[0-9a-f]{6})")
SETTINGS: dict[str, Any] = {
    "svg.hashsalt": "colorless",
    "svg.fonttype": "path",
    "path.simplify": False,
    "pdf.fonttype": 42,  # TrueType: journals refuse Type 3
    "pdf.compression": 0,  # else the bytes depend on the machine's zlib
    "savefig.facecolor": "white",
    "font.family": "DejaVu Sans",  # comes with Matplotlib
    "text.parse_math": False,  # a `$` in a name is a `$`
    "axes.axisbelow": True,  # else the grid hides what is drawn under the marks
    "lines.solid_capstyle": "butt",
    "grid.linewidth": 1.0,
    "grid.color": RULE,
    **dict.fromkeys(("axes.spines.top", "axes.spines.right"), False),
    **dict.fromkeys(("axes.facecolor", "figure.facecolor"), "none"),
    **dict.fromkeys(("font.size", "axes.labelsize"), FONT_SIZE),
    **dict.fromkeys(("xtick.labelsize", "ytick.labelsize"), FONT_SIZE - 1),
    **dict.fromkeys(("text.color", "axes.labelcolor", "xtick.labelcolor", "ytick.labelcolor"), INK),
    **dict.fromkeys(("axes.edgecolor", "xtick.color", "ytick.color"), SOFT),
}
LETTERS = {Outline.MOVETO: "M", Outline.LINETO: "L", Outline.CURVE3: "Q", Outline.CURVE4: "C"}

SVG = "{http://www.w3.org/2000/svg}"
DROPPED = (f"{SVG}metadata", f"{SVG}style")
METADATA = ("Date", "Creator", "Format", "Type")
NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
BLANKS = re.compile(r"\s*([A-Za-z])\s*")
FONT = re.compile(r"font(?:-size)?: ([\d.]+px)[^;]*(?:; font-family: [^;]*)?")

MADE_BY = "colorless report"
TOP, LINE = 10.0, 20.0  # pixels that a heading or a legend takes in a file: once, and each line
LETTER = 9.0  # pixels: a wide one
LONGEST = 80  # letters of a heading in the name of a file


@contextmanager
def _canvas(height: float, palette: Mapping[str, str]) -> Iterator[tuple[Sheet, Axes]]:
    """Yield a figure of so many CSS pixels with one pair of axes, in our settings whatever the
    user's own are. `palette` says what the named colours are until it closes."""
    colours: Any = get_named_colors_mapping()  # Matplotlib's own, whose cache hears of changes
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # the table has the name
        colours.update(palette)
        try:
            matplotlib.rcdefaults()
            parameters: Any = matplotlib.rcParams  # its keys are typed one by one
            parameters.update(SETTINGS)
            sheet = Sheet(figsize=(WIDTH / 72, height / 72), dpi=72, layout="constrained")
            yield sheet, sheet.subplots()
        finally:
            for name in palette:
                del colours[name]


def inline(figure: Figure, number: int) -> Markup:
    """Return a panel of a figure as an SVG element for HTML, with a title and a
    description: Matplotlib's, with colours that are the style sheet's, without ids, style sheet and
    letters of its own, and with a title on every mark that says something."""
    panel, name, stream = figure.panels[number], f"{figure.name}-{number}", BytesIO()
    with _canvas(panel.height, PLACEHOLDERS) as (sheet, axes):
        matplotlib.rcParams["svg.fonttype"] = "none"
        matplotlib.rcParams["svg.hashsalt"] = name
        panel.paint(axes)
        sheet.savefig(stream, format="svg", facecolor="none", metadata=dict.fromkeys(METADATA))
    drawing = ElementTree.fromstring(stream.getvalue())
    for node in list(drawing.iter()):
        for child in [part for part in node if part.tag in DROPPED]:
            node.remove(child)
        node.tag = node.tag.rpartition("}")[2]
        node.text = node.text if node.tag == "text" else None
        node.tail = None
        node.attrib = {
            key.rpartition("}")[2]: CHANGED[key](value) if key in CHANGED else value
            for key, value in node.attrib.items()
        }
        alts = node.attrib.pop("id", "") if node.tag == "g" else ""
        alts = alts if alts.startswith(SAYS) else ""
        for mark in node.findall(f"{SVG}use"):  # the styles of all are the same
            node.set("style", _style(mark.attrib.pop("style")))
        if alts:
            marks = list(node.iter(f"{SVG}use")) or node.findall(f"{SVG}path")
            for mark, text in zip(marks, alts[1:].split(SAYS), strict=True):
                ElementTree.SubElement(mark, "title").text = text
    heading = f"{figure.title}: {panel.heading}" if panel.heading else figure.title
    inner = "".join(ElementTree.tostring(part, encoding="unicode") for part in drawing)
    for placeholder, variable in ON_PAGE.items():
        inner = inner.replace(placeholder, variable)
    return Markup(  # its texts are escaped
        f'<svg viewBox="0 0 {WIDTH:g} {panel.height:g}" style="--natural: {WIDTH:g}px" role="img"'
        f' aria-labelledby="{name}-title" aria-describedby="{name}-desc">'
        f'<title id="{name}-title">{escape(heading)}</title>'
        f'<desc id="{name}-desc">{escape(panel.alt)}</desc>{inner}</svg>'
    )


def _path(text: str) -> str:
    """Return the numbers of a path to a hundredth of a pixel, without spare blanks."""
    text = NUMBER.sub(lambda m: f"{float(m[0]):.2f}".rstrip("0").rstrip("."), text)
    return BLANKS.sub(r"\1", text).upper() if text[:1] == "M" else text


def _style(text: str) -> str:
    """Return a style with the page's own letters."""
    return FONT.sub(r"font-size: \1", text)


CHANGED: Mapping[str, Callable[[str], str]] = {  # attribute → how it stands on the page
    **dict.fromkeys(("d", "x", "y", "width", "height", "transform"), _path),
    "style": _style,
}


def shape(name: str) -> str:
    """Return the shape of a rater's marks for a legend, as a path in a square from −10 to 10."""
    marker, size = MarkerStyle(MARKERS[name]), 1.5 * SIZES[name]
    turned = marker.get_transform() + Affine2D().scale(size, -size)
    return "".join(
        "Z" if kind == Outline.CLOSEPOLY else LETTERS[kind] + _path(" ".join(map(str, numbers)))
        for numbers, kind in marker.get_path().iter_segments(turned, simplify=False)
    )


def write_figures(folder: Path, figures: Sequence[Figure], style: str) -> tuple[str, ...]:
    """Write `FIGURE-PANEL.svg` and `.pdf` for every panel into `folder`, and return their names.

    `style` is the page's style sheet, whose first colours are the light ones. The same figures give
    the same bytes. Raises `InputError` where `folder` cannot be written.
    """
    light: dict[str, str] = {}  # the first value of each variable
    for variable, value in COLOUR.findall(style):
        light.setdefault(variable, value)
    palette = {name: light[variable] for name, variable in VARIABLES.items()}
    panels = [(name, figure, panel) for figure in figures for name, panel in _named(figure)]
    captions = {
        name: " ".join(
            [
                f"{figure.title}{panel.heading and f' ({panel.heading})'}.",
                figure.caption,
                *panel.notes,
            ]
        )
        for name, figure, panel in panels
    }
    with write_folder(folder, {"made_by": MADE_BY, "captions": captions}) as fresh:
        for name, figure, panel in panels:
            for kind, content in _files(figure, panel, palette):
                (fresh / f"{name}.{kind}").write_bytes(content)
    return tuple(captions)


def _named(figure: Figure) -> Iterator[tuple[str, Panel]]:
    """Yield each panel, under the figure's name and its heading, or its number where the heading
    has no letters or is another's too."""
    slugs = [
        re.sub(r"[^a-z0-9]+", "-", panel.heading.lower()).strip("-")[:LONGEST]
        for panel in figure.panels
    ]
    for number, (slug, panel) in enumerate(zip(slugs, figure.panels, strict=True), start=1):
        suffix = slug if slug and slugs.count(slug) == 1 else str(number)
        yield (f"{figure.name}-{suffix}" if len(slugs) > 1 else figure.name), panel


def _files(figure: Figure, panel: Panel, palette: dict[str, str]) -> Iterator[tuple[str, bytes]]:
    """Yield (ending, content); drawn anew for each, since saving settles positions for one."""
    letters, size = int(WIDTH / LETTER), FONT_SIZE - 1
    heading = fill(panel.heading, letters)
    labels = [fill(rater.label, letters - 4) for rater in figure.legend]
    extra = sum(
        TOP + LINE * len(text.splitlines()) for text in (heading, "\n".join(labels)) if text
    )
    for kind, undated in (("svg", "Date"), ("pdf", "CreationDate")):
        with _canvas(panel.height + extra, palette) as (sheet, axes):
            panel.paint(axes)
            if heading:
                sheet.suptitle(heading, x=0.01, ha="left", fontsize=size, fontweight="bold")
            shapes = [
                Line2D([], [], linestyle="none", marker=MARKERS[rater.shape],
                       markersize=SIZES[rater.shape], color=RATER.format(rater.colour),
                       markeredgecolor=PAPER)
                for rater in figure.legend
            ]  # fmt: skip
            if shapes:
                sheet.legend(shapes, labels, loc="outside lower left", frameon=False, fontsize=size)
            stream = BytesIO()
            meta = {"Title": figure.title, "Creator": "colorless-green", undated: None}
            sheet.savefig(stream, format=kind, metadata=meta)
        yield kind, stream.getvalue()
