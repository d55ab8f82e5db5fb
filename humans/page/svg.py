"""Drawings as inline SVG: no colours of their own but those of the style sheet, the same bytes
every time, and nothing that a page could not hold twice.

What is drawn names its colours and leaves it to a palette what they are: placeholders here, which
become CSS variables, so that one drawing serves light, dark and print; real ones in the files of
`figurefiles`. Letters are outlines: they look alike on every machine, and a name in the drawing
can carry neither markup nor a script.
"""

import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from io import StringIO
from typing import TYPE_CHECKING, Any

from markupsafe import escape

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, SOFT, RULE, PAPER = "colorless ink", "colorless soft", "colorless rule", "colorless paper"
RATER = "colorless r{}"
VARIABLES = {  # what is drawn in it → the style sheet's variable
    **{INK: "ink", SOFT: "soft", RULE: "rule", PAPER: "paper"},
    **{RATER.format(n): f"r{n}" for n in range(8)},  # people, and models over again from 1
}
PLACEHOLDERS = {name: f"#0a0c{place:02x}" for place, name in enumerate(VARIABLES)}

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
    "axes.axisbelow": True,  # else the grid hides what is drawn under the marks
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

TOLD = "told"
MARK = re.compile(r"(<(use|path)(?= (?:xlink:href|d|x)=)[^>]*)/>")  # not the shapes of marks
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
    """The name of a rater's colour."""
    return RATER.format(number)


@dataclass(frozen=True, slots=True)
class Drawing:
    """What is to be drawn, before it is an element of a page or a file."""

    name: str  # unique on the page; becomes the beginning of every id inside
    title: str
    description: str  # with every number
    width: float  # CSS pixels
    height: float
    paint: Callable[["Axes"], None]


@contextmanager
def canvas(
    width: float, height: float, palette: Mapping[str, str] = PLACEHOLDERS
) -> Iterator[tuple["Figure", "Axes"]]:
    """A figure of `width` × `height` CSS pixels with one pair of axes, in our settings whatever the
    user's own are. `palette` says what the named colours are until it closes."""
    import matplotlib
    from matplotlib.colors import get_named_colors_mapping
    from matplotlib.figure import Figure

    known: Any = get_named_colors_mapping()  # Matplotlib's own, whose cache hears of changes
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # the table has the name
        known.update(palette)
        try:
            matplotlib.rcdefaults()
            parameters: Any = matplotlib.rcParams  # its keys are typed one by one
            parameters.update(SETTINGS)
            figure = Figure(figsize=(width / 72, height / 72), dpi=72, layout="constrained")
            yield figure, figure.subplots()
        finally:
            for name in palette:
                del known[name]


def tell(artist: "Artist", titles: Sequence[str]) -> None:
    """Says what the marks of an artist are, in their order: what a pointer over one is shown."""
    artist.set_gid(TOLD)
    artist.set_label("\n".join(" ".join(title.split()) for title in titles))


def inline(drawing: Drawing) -> str:
    """The drawing as an SVG element to stand in HTML, with a title and a description."""
    with canvas(drawing.width, drawing.height) as (figure, axes):
        drawing.paint(axes)
        told = _numbered(figure)
        stream = StringIO()
        figure.savefig(stream, format="svg", metadata={"Date": None})
    drawn = stream.getvalue()
    box = re.search(r'viewBox="([^"]*)"', drawn)
    assert box is not None  # Matplotlib always writes one
    body = drawn[drawn.index(">", drawn.index("<svg")) + 1 : drawn.rindex("</svg>")]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = re.sub(r"<style.*?</style>", "", body, flags=re.DOTALL)  # would hold for the whole page
    body = re.sub(r"<!--.*?-->", "", body, flags=re.DOTALL)
    body = re.sub(r"\n\s*", "\n", body)
    body = POINTS.sub(_shared_style, body)
    body = _with_titles(body, told)
    body = _with_own_ids(body, drawing.name)
    for name, placeholder in PLACEHOLDERS.items():
        body = body.replace(placeholder, f"var(--{VARIABLES[name]})")
    width, name = box[1].split()[2], drawing.name
    return (
        f'<svg viewBox="{box[1]}" style="--natural: {width}px" role="img"'
        f' aria-labelledby="{name}-title" aria-describedby="{name}-desc">'
        f'<title id="{name}-title">{escape(drawing.title)}</title>'
        f'<desc id="{name}-desc">{escape(drawing.description)}</desc>{body}</svg>'
    )


def _shared_style(group: re.Match[str]) -> str:
    """Points of one look, with the style said once and places to a hundredth of a pixel, which more
    than halves a scatter plot."""
    attributes, points, style = group[1] or "", group[2], group[3]
    points = points.replace(f' style="{style}"', "")
    points = re.sub(r'( [xy]="-?\d+\.\d\d)\d+"', r'\1"', points)
    return f'<g{attributes} style="{style}">\n{points}</g>'


def _with_own_ids(body: str, name: str) -> str:
    """Ids that something refers to, numbered under the drawing's own name; the others are gone."""
    references = r'(?:xlink:)?(href="#|url\(#)([^")]+)'
    used = {found[2] for found in re.finditer(references, body)}
    ids = [each for each in re.findall(r' id="([^"]+)"', body) if each in used]
    new = {each: f"{name}-{number}" for number, each in enumerate(ids)}
    body = re.sub(r' id="([^"]+)"', lambda m: f' id="{new[m[1]]}"' if m[1] in new else "", body)
    return re.sub(references, lambda m: m[1] + new[m[2]], body)


def _numbered(figure: "Figure") -> list[list[str]]:
    """What the marks of each artist that tells something are; the n-th gets the id `TOLD` n."""
    told: list[list[str]] = []
    for artist in figure.findobj(lambda each: each.get_gid() == TOLD):
        artist.set_gid(f"{TOLD}{len(told)}")
        told.append(str(artist.get_label()).split("\n"))
    return told


def _with_titles(body: str, told: Sequence[Sequence[str]]) -> str:
    """The marks of `told` with a title each. Matplotlib draws them in order, right after the id."""
    before, *groups = re.split(rf'(?= id="{TOLD}\d+")', body)
    done = [before]
    for group in groups:
        number = re.match(rf' id="{TOLD}(\d+)"', group)
        assert number is not None  # it was split there
        titles = iter(told[int(number[1])])
        done.append(MARK.sub(lambda mark, own=titles: _titled(mark, own), group))
    return "".join(done)


def _titled(mark: re.Match[str], titles: Iterator[str]) -> str:
    """A mark with the next title; those of the next artists, which tell nothing, stay bare."""
    title = next(titles, None)
    return mark[0] if title is None else f"{mark[1]}><title>{escape(title)}</title></{mark[2]}>"
