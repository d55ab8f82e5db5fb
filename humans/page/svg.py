"""Drawings by Matplotlib: inline SVG with no colours of its own but those of the style sheet, and
files for papers.

What is drawn names its colours and leaves it to a palette what they are: placeholders on the
page, which become CSS variables, so that one drawing serves light, dark and print; real ones in
files. Letters on the page are the page's own, escaped like all text from outside; in files they are
outlines, which look alike in every program.
"""

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from io import BytesIO, StringIO
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from markupsafe import escape

from colorless_green.data.errors import InputError
from colorless_green.data.files import write_folder
from colorless_green.data.registry import EXTRAS
from colorless_green.humans.page.parts import Drawing, Figure, Panel
from colorless_green.humans.page.raters import Rater

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Sheet

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
    "lines.solid_capstyle": "butt",
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

MADE_BY = "colorless report"
OPTION = "--figures"
LEGEND_SIZE = FONT_SIZE - 1
TOP, LINE = 10.0, 20.0  # pixels that a heading or a legend takes: once, and for each line
LETTER = 9.0  # pixels: a wide one
LONGEST = 80  # letters of a heading in the name of a file
COLOUR = re.compile(r"--([a-z0-9]+): (#[0-9a-f]{6})")
FILE_SETTINGS: dict[str, Any] = {
    "pdf.fonttype": 42,  # TrueType: journals refuse Type 3
    "pdf.compression": 0,  # else the bytes depend on the machine's zlib
    "savefig.facecolor": "white",
}

TOLD = "told"
MARK = re.compile(r"(<(use|path)(?= (?:xlink:href|d|x)=)[^>]*)/>")  # not the shapes of marks
TEXT = re.compile(r">[^<]*<")  # what is between tags: a name cannot pass for an attribute
FONT = re.compile(r"font-family: 'DejaVu Sans'; | transform=\"rotate\(-0 [^\"]*\"")
PLACES = re.compile(r' [dxy]="[^"]*"')
PLACE = re.compile(r'href="#([^"]*)" x="([^"]*)" y="([^"]*)"')
MANY = 200  # points that are one path, since each by itself would be most of the page
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


@contextmanager
def canvas(
    width: float, height: float, palette: Mapping[str, str] = PLACEHOLDERS
) -> Iterator[tuple["Sheet", "Axes"]]:
    """A figure of `width` × `height` CSS pixels with one pair of axes, in our settings whatever the
    user's own are. `palette` says what the named colours are until it closes."""
    import matplotlib
    from matplotlib.colors import get_named_colors_mapping
    from matplotlib.figure import Figure as Sheet

    known: Any = get_named_colors_mapping()  # Matplotlib's own, whose cache hears of changes
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # the table has the name
        known.update(palette)
        try:
            matplotlib.rcdefaults()
            parameters: Any = matplotlib.rcParams  # its keys are typed one by one
            parameters.update(SETTINGS)
            figure = Sheet(figsize=(width / 72, height / 72), dpi=72, layout="constrained")
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
        import matplotlib

        matplotlib.rcParams["svg.fonttype"] = "none"  # in the page's own letters
        drawing.paint(axes)
        told: list[list[str]] = []  # what the marks of the n-th artist are that tells something
        for artist in figure.findobj(lambda each: each.get_gid() == TOLD):
            artist.set_gid(f"{TOLD}{len(told)}")
            told.append(str(artist.get_label()).split("\n"))
        stream = StringIO()
        figure.savefig(stream, format="svg", metadata={"Date": None})
    drawn = TEXT.sub(lambda text: text[0].replace('"', "&quot;"), stream.getvalue())
    box = re.search(r'viewBox="([^"]*)"', drawn)
    assert box is not None  # Matplotlib always writes one
    body = drawn[drawn.index(">", drawn.index("<svg")) + 1 : drawn.rindex("</svg>")]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = re.sub(r"<style.*?</style>", "", body, flags=re.DOTALL)  # would hold for the whole page
    body = re.sub(r"<!--.*?-->", "", body, flags=re.DOTALL)
    body = re.sub(r"\n\s*", "\n", body)
    body = FONT.sub("", body)
    body = PLACES.sub(  # to a hundredth of a pixel, without blanks that nobody needs
        lambda m: re.sub(r"([A-Zz]) |\s*\n\s*", r"\1", re.sub(r"(\.\d\d)\d+", r"\1", m[0])), body
    )
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
    """Points of one look, with the style said once, which halves a scatter plot; very many as one
    path with a mark at each of its places."""
    attributes, points, style = group[1] or "", group[2], group[3]
    if points.count("<use") >= MANY and TOLD not in attributes:
        places = PLACE.findall(points)
        shape, path = places[0][0], "M" + "L".join(f"{x} {y}" for _, x, y in places)
        marker = f"url(#{shape}-each)"
        return (
            f'<g{attributes}><marker id="{shape}-each" overflow="visible"'
            f' markerUnits="userSpaceOnUse"><use href="#{shape}" style="{style}"/></marker>'
            f'<path d="{path}" style="fill: none; stroke: none; marker: {marker}"/></g>'
        )
    points = points.replace(f' style="{style}"', "")
    return f'<g{attributes} style="{style}">\n{points}</g>'


def _with_own_ids(body: str, name: str) -> str:
    """Ids that something refers to, numbered under the drawing's own name; the others are gone."""
    references = r'(?:xlink:)?(href="#|url\(#)([^")]+)'
    used = {found[2] for found in re.finditer(references, body)}
    ids = [each for each in re.findall(r' id="([^"]+)"', body) if each in used]
    new = {each: f"{name}-{number}" for number, each in enumerate(ids)}
    body = re.sub(r' id="([^"]+)"', lambda m: f' id="{new[m[1]]}"' if m[1] in new else "", body)
    return re.sub(references, lambda m: m[1] + new.get(m[2], m[2]), body)


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


def write_figures(folder: Path, figures: Sequence[Figure], style: str) -> tuple[str, ...]:
    """Writes `FIGURE-PANEL.svg` and `.pdf` for every panel into `folder`, and gives their names.

    `style` is the page's style sheet, whose first colours are the light ones. The same figures give
    the same bytes. Raises `InputError` without Matplotlib, or where `folder` cannot be written.
    """
    if not available():
        raise InputError(
            OPTION,
            "the drawings need Matplotlib, which is not installed",
            EXTRAS["matplotlib"],
            kind="dependency",
        )
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
    """Each panel, under the figure's name and its heading, or its number where
    the heading has no letters or is another's too."""
    slugs = [
        re.sub(r"[^a-z0-9]+", "-", panel.heading.lower()).strip("-")[:LONGEST]
        for panel in figure.panels
    ]
    for number, (slug, panel) in enumerate(zip(slugs, figure.panels, strict=True), start=1):
        own = slug if slug and slugs.count(slug) == 1 else str(number)
        yield (f"{figure.name}-{own}" if len(slugs) > 1 else figure.name), panel


def _files(figure: Figure, panel: Panel, palette: dict[str, str]) -> Iterator[tuple[str, bytes]]:
    """(ending, content); drawn anew for each, since saving settles places for one kind of file."""
    drawing = panel.drawing
    across = int(drawing.width / LETTER)
    heading = fill(panel.heading, across)
    labels = [fill(rater.label, across - 4) for rater in figure.legend]
    told = (heading, "\n".join(labels))
    head, foot = (TOP + LINE * len(text.splitlines()) if text else 0.0 for text in told)
    about = {"Title": drawing.title, "Creator": "colorless-green"}
    for kind, undated in (("svg", "Date"), ("pdf", "CreationDate")):
        with canvas(drawing.width, drawing.height + head + foot, palette) as (sheet, axes):
            import matplotlib

            parameters: Any = matplotlib.rcParams
            parameters.update(FILE_SETTINGS)
            drawing.paint(axes)
            if heading:
                sheet.suptitle(heading, x=0.01, ha="left", fontsize=LEGEND_SIZE, fontweight="bold")
            _legend(sheet, figure.legend, labels)
            stream = BytesIO()
            sheet.savefig(stream, format=kind, metadata={**about, undated: None})
        yield kind, stream.getvalue()


def _legend(sheet: "Sheet", raters: Sequence[Rater], labels: Sequence[str]) -> None:
    from matplotlib.lines import Line2D

    if not raters:
        return
    shapes = [
        Line2D(
            [],
            [],
            linestyle="none",
            marker=MARKERS[rater.shape],
            markersize=SIZES.get(rater.shape, SIZE),
            color=colour(rater.colour),
            markeredgecolor=PAPER,
        )
        for rater in raters
    ]
    sheet.legend(shapes, labels, loc="outside lower left", frameon=False, fontsize=LEGEND_SIZE)
