"""Drawings as inline SVG: no colours of their own but those of the style sheet, the same bytes
every time, and nothing that a page could not hold twice.

Matplotlib draws in placeholder colours, which become CSS variables, so that one drawing serves
light, dark and print. Letters are outlines: they look alike on every machine, and a name in the
drawing can carry neither markup nor a script.
"""

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from io import StringIO
from typing import TYPE_CHECKING, Any

from markupsafe import escape

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, SOFT, RULE, PAPER = "#0a0c00", "#0a0c01", "#0a0c02", "#0a0c03"  # placeholders
VARIABLES = {INK: "--ink", SOFT: "--soft", RULE: "--rule", PAPER: "--paper"}
RATER = "#0a0b{:02x}"

FONT_SIZE = 13.0  # units of the drawing, which are CSS pixels at its natural size
SETTINGS: dict[str, Any] = {
    "svg.hashsalt": "colorless",
    "svg.fonttype": "path",
    "font.family": "DejaVu Sans",  # comes with Matplotlib
    "font.size": FONT_SIZE,
    "text.parse_math": False,  # a `$` in a name is a `$`
    "text.color": INK,
    "axes.edgecolor": SOFT,
    "axes.labelcolor": INK,
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.labelsize": FONT_SIZE,
    "figure.facecolor": "none",
    "grid.color": RULE,
    "grid.linewidth": 1.0,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": FONT_SIZE - 1,
    "ytick.labelsize": FONT_SIZE - 1,
}

MARKERS = {
    "star": "*",
    "square": "s",
    "triangle": "^",
    "diamond": "D",
    "circle": "o",
    "plus": "P",
    "down": "v",
    "cross": "X",
    "pentagon": "p",
}
PATHS = {  # the same shapes for legends, in a square from −10 to 10
    "star": "M0-9 2.1-2.9 8.6-2.8 3.4 1.1 5.3 7.3 0 3.6-5.3 7.3-3.4 1.1-8.6-2.8-2.1-2.9Z",
    "square": "M-6-6H6V6H-6Z",
    "triangle": "M0-7 7 6H-7Z",
    "diamond": "M0-8 8 0 0 8-8 0Z",
    "circle": "M-6.5 0a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0-13 0Z",
    "plus": "M-2.5-7H2.5V-2.5H7V2.5H2.5V7H-2.5V2.5H-7V-2.5H-2.5Z",
    "down": "M0 7-7-6H7Z",
    "cross": "M-3.5-7 0-3.5 3.5-7 7-3.5 3.5 0 7 3.5 3.5 7 0 3.5-3.5 7-7 3.5-3.5 0-7-3.5Z",
    "pentagon": "M0-7.5 7.1-2.3 4.4 6.1H-4.4L-7.1-2.3Z",
}
SIZES = {"star": 13.0, "diamond": 7.5}  # points; the others 8.5
SIZE = 8.5


POINTS = re.compile(  # a group of points that are all drawn in one style
    r"<g( [^>]*)?>\n"
    r'(<use [^>]*style="([^"]*)"/>\n'
    r'(?:<use [^>]*style="\3"/>\n)*)'
    r"</g>"
)


def available() -> bool:
    """Whether Matplotlib is installed (it comes with the extra `humans`)."""
    return find_spec("matplotlib") is not None


def colour(number: int) -> str:
    """The placeholder of a rater's colour."""
    return RATER.format(number)


@contextmanager
def canvas(width: float, height: float) -> Iterator[tuple["Figure", "Axes"]]:
    """A figure of `width` × `height` CSS pixels with one pair of axes, in our settings whatever the
    user's own are; `inline` must be called before it closes."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # the table has the name
        matplotlib.rcdefaults()
        parameters: Any = matplotlib.rcParams  # its keys are typed one by one
        parameters.update(SETTINGS)
        figure = Figure(figsize=(width / 72, height / 72), dpi=72, layout="constrained")
        yield figure, figure.subplots()


def inline(figure: "Figure", name: str, title: str, description: str) -> str:
    """The drawing as an SVG element to stand in HTML, with a title and a description.

    `name` is unique on the page and becomes the beginning of every id inside.
    """
    stream = StringIO()
    figure.savefig(stream, format="svg", metadata={"Date": None})
    drawing = stream.getvalue()
    box = re.search(r'viewBox="([^"]*)"', drawing)
    assert box is not None  # Matplotlib always writes one
    body = drawing[drawing.index(">", drawing.index("<svg")) + 1 : drawing.rindex("</svg>")]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = re.sub(r"<style.*?</style>", "", body, flags=re.DOTALL)  # would hold for the whole page
    body = re.sub(r"<!--.*?-->", "", body, flags=re.DOTALL)
    body = re.sub(r'( id="|href="#|url\(#)', rf"\g<1>{name}-", body)
    body = re.sub(r"\n\s*", "\n", body)
    body = POINTS.sub(_shared_style, body)
    for placeholder, variable in VARIABLES.items():
        body = body.replace(placeholder, f"var({variable})")
    body = re.sub(r"#0a0b([0-9a-f]{2})", lambda m: f"var(--r{int(m[1], 16)})", body)
    width = box[1].split()[2]
    return (
        f'<svg viewBox="{box[1]}" style="--natural: {width}px" role="img"'
        f' aria-labelledby="{name}-title" aria-describedby="{name}-desc">'
        f'<title id="{name}-title">{escape(title)}</title>'
        f'<desc id="{name}-desc">{escape(description)}</desc>{body}</svg>'
    )


def _shared_style(group: re.Match[str]) -> str:
    """Points of one look, with the style said once and places to a hundredth of a pixel, which more
    than halves a scatter plot."""
    attributes, points, style = group[1] or "", group[2], group[3]
    points = points.replace(f' style="{style}"', "")
    points = re.sub(r'( [xy]="-?\d+\.\d\d)\d+"', r'\1"', points)
    return f'<g{attributes} style="{style}">\n{points}</g>'
