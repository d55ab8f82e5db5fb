"""Matplotlib's drawings as SVG elements of the page.

Colours are placeholders that become variables of the style sheet, so that one drawing serves light,
dark and print. Texts are in the page's own font.
"""

import re
import warnings
from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Any
from xml.etree import ElementTree

import matplotlib
from markupsafe import Markup, escape
from matplotlib.figure import Figure as Sheet
from matplotlib.markers import MarkerStyle
from matplotlib.path import Path as Outline
from matplotlib.transforms import Affine2D

from ._drawings import COLOURS, FONT_SIZE, INK, MARKERS, RULE, SIZES, SOFT, TEXT_START, WIDTH
from ._parts import Figure, Panel

SETTINGS: dict[str, Any] = {
    "svg.fonttype": "none",
    "path.simplify": False,
    "font.family": "DejaVu Sans",  # the font that comes with Matplotlib
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
COMMANDS = {Outline.MOVETO: "M", Outline.LINETO: "L", Outline.CURVE3: "Q", Outline.CURVE4: "C"}

SVG = "{http://www.w3.org/2000/svg}"
DROPPED_TAGS = (f"{SVG}metadata", f"{SVG}style")
METADATA = ("Date", "Creator", "Format", "Type")
NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
BLANKS = re.compile(r"\s*([A-Za-z])\s*")
FONT = re.compile(r"font(?:-size)?: ([\d.]+px)[^;]*(?:; font-family: [^;]*)?")


def svg_element(figure: Figure, number: int) -> Markup:
    """Draw a panel of a figure, the one of index `number`, and return it as an SVG element.

    It is Matplotlib's SVG without its ids, style sheet and fonts, in the page's colours, with a
    title and a description, and with a title on every mark that has a text."""
    panel, name = figure.panels[number], f"{figure.name}-{number}"
    drawing = _matplotlib_svg(panel, name)
    for node in list(drawing.iter()):
        _adapt(node)
    heading = f"{figure.title}: {panel.heading}" if panel.heading else figure.title
    inner = "".join(ElementTree.tostring(part, encoding="unicode") for part in drawing)
    for variable, placeholder in COLOURS.items():
        inner = inner.replace(placeholder, f"var(--{variable})")
    return Markup(  # safe: texts are escaped
        f'<svg viewBox="0 0 {WIDTH:g} {panel.height:g}" style="--natural: {WIDTH:g}px" role="img"'
        f' aria-labelledby="{name}-title" aria-describedby="{name}-desc">'
        f'<title id="{name}-title">{escape(heading)}</title>'
        f'<desc id="{name}-desc">{escape(panel.alt)}</desc>{inner}</svg>'
    )


def _matplotlib_svg(panel: Panel, name: str) -> ElementTree.Element:
    """Draw a panel and return Matplotlib's SVG. Its ids are made from `name`, so that the same
    panel gives the same bytes."""
    stream = BytesIO()
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # the table has the name
        matplotlib.rcdefaults()  # the user's own settings must not change the page
        parameters: Any = matplotlib.rcParams  # `Any`, as the stubs type each key
        parameters.update(SETTINGS)
        parameters["svg.hashsalt"] = name
        sheet = Sheet(figsize=(WIDTH / 72, panel.height / 72), dpi=72, layout="constrained")
        panel.paint(sheet.subplots())
        sheet.savefig(stream, format="svg", facecolor="none", metadata=dict.fromkeys(METADATA))
    return ElementTree.fromstring(stream.getvalue())


def _adapt(node: ElementTree.Element) -> None:
    """Change an element of Matplotlib's SVG for the page, together with the elements right in it:
    drop style sheets, metadata, namespaces and blanks, round numbers, and give each mark that has a
    text a title."""
    for child in [part for part in node if part.tag in DROPPED_TAGS]:
        node.remove(child)
    node.tag = _without_namespace(node.tag)
    node.text = node.text if node.tag == "text" else None
    node.tail = None
    node.attrib = {
        _without_namespace(key): REWRITERS[key](value) if key in REWRITERS else value
        for key, value in node.attrib.items()
    }
    group_id = node.attrib.pop("id", "") if node.tag == "g" else ""
    for mark in node.findall(f"{SVG}use"):  # marks of one artist share one style
        node.set("style", _page_font(mark.attrib.pop("style")))
    if group_id.startswith(TEXT_START):  # then the id holds the texts of the marks
        marks = list(node.iter(f"{SVG}use")) or node.findall(f"{SVG}path")
        texts = group_id.removeprefix(TEXT_START).split(TEXT_START)
        for mark, text in zip(marks, texts, strict=True):
            ElementTree.SubElement(mark, "title").text = text


def _without_namespace(name: str) -> str:
    """Return `path` for `{http://www.w3.org/2000/svg}path`."""
    return name.rpartition("}")[2]


def _rounded(text: str) -> str:
    """Shorten the value of an SVG attribute: round its numbers to a hundredth of a pixel. In a
    path's data (it begins with `M`) needless blanks are removed, too."""
    text = NUMBER.sub(lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), text)
    return BLANKS.sub(r"\1", text).upper() if text.startswith("M") else text


def _page_font(text: str) -> str:
    """Remove the font family from a CSS style, so that the page's font is used; keep its size."""
    return FONT.sub(r"font-size: \1", text)


REWRITERS: Mapping[str, Callable[[str], str]] = {  # attribute → function that rewrites its value
    **dict.fromkeys(("d", "x", "y", "width", "height", "transform"), _rounded),
    "style": _page_font,
}


def legend_path(name: str) -> str:
    """Return the outline of a mark (`name`: star, square, …) for a legend, as the data of an SVG
    path whose coordinates go from −10 to 10."""
    marker, size = MarkerStyle(MARKERS[name]), 1.5 * SIZES[name]
    scaled = marker.get_transform() + Affine2D().scale(size, -size)
    return "".join(
        "Z" if code == Outline.CLOSEPOLY else COMMANDS[code] + _rounded(" ".join(map(str, numbers)))
        for numbers, code in marker.get_path().iter_segments(scaled, simplify=False)
    )
