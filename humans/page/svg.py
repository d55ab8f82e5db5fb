"""Drawings as SVG within the page, and as files for papers.

On the page colours are placeholders that become variables of the style sheet, so that one drawing
serves light, dark and print, and letters are the page's own. In files colours are real, and letters
are outlines, which look alike in every program. Needs Matplotlib.
"""

import math
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib
from markupsafe import Markup, escape
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.colors import get_named_colors_mapping, to_hex
from matplotlib.figure import Figure as Sheet
from matplotlib.lines import Line2D
from matplotlib.markers import MarkerStyle
from matplotlib.path import Path as Outline
from matplotlib.textpath import text_to_path
from matplotlib.transforms import Affine2D

from colorless_green.data.files import write_folder
from colorless_green.humans.page.drawings import (
    FONT_SIZE,
    INK,
    MARKERS,
    PAPER,
    RATER,
    RULE,
    SIZES,
    SOFT,
    WIDTH,
)
from colorless_green.humans.page.parts import Figure, Panel

NAMES = [INK, SOFT, RULE, PAPER, *map(RATER.format, range(8))]  # of colours
VARIABLES = {name: f"--{name.partition(' ')[2]}" for name in NAMES}  # of the style sheet
PLACEHOLDERS = {name: f"#0a0c{place:02x}" for place, name in enumerate(NAMES)}
ON_PAGE = {PLACEHOLDERS[name]: f"var({VARIABLES[name]})" for name in NAMES}
COLOUR = re.compile(r"(--[a-z0-9]+): (#[0-9a-f]{6})")
SETTINGS: dict[str, Any] = {
    "svg.hashsalt": "colorless",
    "svg.fonttype": "path",
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

MADE_BY = "colorless report"
TOP, LINE = 10.0, 20.0  # pixels that a heading or a legend takes in a file: once, and each line
LETTER = 9.0  # pixels: a wide one
LONGEST = 80  # letters of a heading in the name of a file


@contextmanager
def _canvas(height: float, palette: Mapping[str, str]) -> Iterator[tuple[Sheet, Axes]]:
    """A figure of so many CSS pixels with one pair of axes, in our settings whatever the user's own
    are. `palette` says what the named colours are until it closes."""
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


class SvgRenderer(RendererBase):
    """Writes SVG for a page, where Matplotlib's own would bring a style sheet, letters and ids of
    its own, and would not say what marks are."""

    def __init__(self, name: str, height: float) -> None:
        super().__init__()
        self.name, self.height = name, height
        self.written: list[str] = []
        self.shapes: dict[str, str] = {}  # outline → id
        self.said: list[str] = []  # by the marks that come next

    def get_canvas_width_height(self) -> tuple[float, float]:
        return WIDTH, self.height

    def open_group(self, s: str, gid: str | None = None) -> None:
        self.said = gid.split("\n") if gid else []

    def close_group(self, s: str) -> None:
        self.said = []

    def outline(self, path: Any, transform: Any, *, is_open: bool, height: float = 0.0) -> str:
        """The path, to a hundredth of a pixel."""
        down = transform + Affine2D().scale(1, -1).translate(0, height)
        clip = (-WIDTH, -height, 2 * WIDTH, 2 * height) if is_open and height else None
        parts = []
        for vertices, kind in path.iter_segments(down, clip=clip, simplify=False):
            places = " ".join(f"{number:.2f}".rstrip("0").rstrip(".") for number in vertices)
            parts.append("Z" if kind == Outline.CLOSEPOLY else f"{LETTERS[kind]}{places}")
        return "".join(parts)

    def look(self, gc: Any, face: Any) -> str:
        """The style of what is drawn."""
        styles = [f"fill: {_colour(face)}"]
        if face is not None and len(face) > 3 and face[3] < 1:
            styles.append(f"fill-opacity: {face[3]:.3g}")
        width, line = gc.get_linewidth(), gc.get_rgb()
        if width and line[3]:
            styles += [f"stroke: {_colour(line)}", f"stroke-width: {width:g}"]
            styles += [f"stroke-opacity: {line[3]:.3g}"] if line[3] < 1 else []
            dashes = gc.get_dashes()[1]
            if dashes is not None:
                styles.append(f"stroke-dasharray: {','.join(f'{dash:g}' for dash in dashes)}")
        return "; ".join(styles) + ";"

    def draw_path(self, gc: Any, path: Any, transform: Any, rgbFace: Any = None) -> None:
        d = self.outline(path, transform, is_open=rgbFace is None, height=self.height)
        if d:
            tag = f'<path d="{d}" style="{self.look(gc, rgbFace)}"'
            self.written.append(f"{tag}>{_title(self.said[:1])}</path>")

    def draw_markers(
        self, gc: Any, marker_path: Any, marker_trans: Any, path: Any, trans: Any,
        rgbFace: Any = None,
    ) -> None:  # fmt: skip
        d = self.outline(marker_path, marker_trans, is_open=False)
        down = trans + Affine2D().scale(1, -1).translate(0, self.height)
        places = [
            tuple(f"{number:.2f}".rstrip("0").rstrip(".") for number in vertices[-2:])
            for vertices, _ in path.iter_segments(down, simplify=False)
        ]
        style = self.look(gc, rgbFace)
        if len(places) > 1 and not self.said:  # each by itself would be most of the page
            shape = f"{self.name}-{len(self.written)}"
            where = "M" + "L".join(" ".join(place) for place in places)
            self.written.append(
                f'<marker id="{shape}" overflow="visible" markerUnits="userSpaceOnUse">'
                f'<path id="{shape}-path" d="{d}" style="{style}"/></marker>'
                f'<path d="{where}" style="fill: none; marker: url(#{shape})"/>'
            )
            return
        if d not in self.shapes:
            self.shapes[d] = f"{self.name}-shape-{len(self.shapes)}"
            self.written.append(f'<defs><path id="{self.shapes[d]}" d="{d}"/></defs>')
        titles = [[title] for title in self.said] or [[]] * len(places)
        marks = "".join(
            f'<use href="#{self.shapes[d]}" x="{x}" y="{y}">{_title(texts)}</use>'
            for (x, y), texts in zip(places, titles, strict=True)
        )
        self.written.append(f'<g style="{style}">{marks}</g>')

    def get_text_width_height_descent(
        self, s: str, prop: Any, ismath: Any
    ) -> tuple[float, float, float]:
        size: tuple[float, float, float] = text_to_path.get_text_width_height_descent(
            s, prop, ismath
        )
        return size

    def draw_text(
        self, gc: Any, x: float, y: float, s: str, prop: Any, angle: float,
        ismath: Any = False, mtext: Any = None,
    ) -> None:  # fmt: skip
        """The page's letters are not as wide as those that were measured, so that text is held
        where it is aligned."""
        side, anchor = "left", ""
        if mtext is not None and (not angle or mtext.get_rotation_mode() == "anchor"):
            side = mtext.get_ha()
        if side != "left":
            width = self.get_text_width_height_descent(s, prop, False)[0]
            width *= 0.5 if side == "center" else 1
            x += width * math.cos(math.radians(angle))
            y -= width * math.sin(math.radians(angle))
            anchor = f"; text-anchor: {'middle' if side == 'center' else 'end'}"
        turn = f' transform="rotate({-angle:g} {x:.2f} {y:.2f})"' if angle else ""
        self.written.append(
            f'<text x="{x:.2f}" y="{y:.2f}" style="font-size: {prop.get_size():g}px; fill:'
            f' {_colour(gc.get_rgb())}{anchor}"{turn}>{escape(s)}</text>'
        )


def _colour(value: Any) -> str:
    return "none" if value is None else ON_PAGE.get(shown := to_hex(value[:3]), shown)


def _title(texts: Sequence[str]) -> str:
    return "".join(f"<title>{escape(text)}</title>" for text in texts)


def inline(figure: Figure, number: int) -> Markup:
    """A panel of a figure as an SVG element to stand in HTML, with a title and a description."""
    panel, name = figure.panels[number], f"{figure.name}-{number}"
    with _canvas(panel.height, PLACEHOLDERS) as (sheet, axes):
        panel.paint(axes)
        pen = SvgRenderer(name, panel.height)
        sheet.canvas.get_renderer = lambda: pen  # type: ignore[attr-defined]
        sheet.draw(pen)
    heading = f"{figure.title}: {panel.heading}" if panel.heading else figure.title
    return Markup(  # its texts are escaped
        f'<svg viewBox="0 0 {WIDTH:g} {panel.height:g}" style="--natural: {WIDTH:g}px" role="img"'
        f' aria-labelledby="{name}-title" aria-describedby="{name}-desc">'
        f'<title id="{name}-title">{escape(heading)}</title>'
        f'<desc id="{name}-desc">{escape(panel.says)}</desc><g>{"".join(pen.written)}</g></svg>'
    )


def shape(name: str) -> str:
    """The shape of a rater's marks for a legend, as a path in a square from −10 to 10."""
    marker = MarkerStyle(MARKERS[name])
    size = 1.5 * SIZES[name]
    drawn: str = SvgRenderer("", 0).outline(
        marker.get_path(), marker.get_transform() + Affine2D().scale(size), is_open=False
    )
    return drawn


def write_figures(folder: Path, figures: Sequence[Figure], style: str) -> tuple[str, ...]:
    """Writes `FIGURE-PANEL.svg` and `.pdf` for every panel into `folder`, and gives their names.

    `style` is the page's style sheet, whose first colours are the light ones. The same figures give
    the same bytes. Raises `InputError` where `folder` cannot be written.
    """
    light: dict[str, str] = {}  # the first value of each variable
    for variable, value in COLOUR.findall(style):
        light.setdefault(variable, value)
    palette = {name: light[variable] for name, variable in VARIABLES.items()}
    named = [(name, figure, panel) for figure in figures for name, panel in _named(figure)]
    captions = {
        name: " ".join(
            [
                f"{figure.title}{panel.heading and f' ({panel.heading})'}.",
                figure.caption,
                *panel.notes,
            ]
        )
        for name, figure, panel in named
    }
    with write_folder(folder, {"made_by": MADE_BY, "captions": captions}) as fresh:
        for name, figure, panel in named:
            for kind, content in _files(figure, panel, palette):
                (fresh / f"{name}.{kind}").write_bytes(content)
    return tuple(captions)


def _named(figure: Figure) -> Iterator[tuple[str, Panel]]:
    """Each panel, under the figure's name and its heading, or its number where the heading has no
    letters or is another's too."""
    slugs = [
        re.sub(r"[^a-z0-9]+", "-", panel.heading.lower()).strip("-")[:LONGEST]
        for panel in figure.panels
    ]
    for number, (slug, panel) in enumerate(zip(slugs, figure.panels, strict=True), start=1):
        suffix = slug if slug and slugs.count(slug) == 1 else str(number)
        yield (f"{figure.name}-{suffix}" if len(slugs) > 1 else figure.name), panel


def _files(figure: Figure, panel: Panel, palette: dict[str, str]) -> Iterator[tuple[str, bytes]]:
    """(ending, content); drawn anew for each, since saving settles places for one kind of file."""
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
            about = {"Title": figure.title, "Creator": "colorless-green", undated: None}
            sheet.savefig(stream, format=kind, metadata=about)
        yield kind, stream.getvalue()
