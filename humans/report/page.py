"""The page: one self-contained HTML file, the same bytes for the same material."""

from importlib.resources import files

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from colorless_green.data.registry import EXTRAS
from colorless_green.humans.report import (
    accuracies,
    comparisons,
    constructions,
    curve,
    dots,
    examples,
    runs,
    scatter,
    svg,
)
from colorless_green.humans.report.answer import answer
from colorless_green.humans.report.material import Material
from colorless_green.humans.report.raters import raters

SECTIONS = (  # id, title, and the parts without which it is not there
    ("tested", "What was tested", ()),
    ("examples", "Examples", ("groups",)),
    ("results", "Results", ("figures", "accuracies")),
    ("people", "Models and people", ()),
    ("mined", "What the treebank gave", ("constructions",)),
    ("models", "Models", ("runs",)),
    ("methods", "Methods", ()),
)
TEMPLATE, STYLE = "page.html.jinja", "page.css"


def render(material: Material) -> str:
    """The HTML of the whole report. It asks nothing of any other file or host, needs no script,
    and names no time. Without Matplotlib the figures are missing and the page says so; their
    numbers are there."""
    shown = raters(material)
    figures = [
        made
        for made in (
            dots.figure(material, shown),
            curve.figure(material, shown),
            scatter.figure(material, shown),
        )
        if made is not None
    ]
    parts = {
        "groups": examples.groups(material, shown),
        "figures": figures,
        "accuracies": accuracies.tables(material, shown),
        "comparison": comparisons.table(material),
        "constructions": constructions.tables(material),
        "runs": runs.table(material),
    }
    return _template().render(
        parts,
        material=material,
        sections=[each for each in SECTIONS if not each[2] or any(parts[name] for name in each[2])],
        style=Markup(_resource(STYLE)),  # ours, and it holds no `</`
        answer=answer(material, shown),
        shapes=svg.PATHS,
        figures_missing=None if svg.available() else EXTRAS["matplotlib"],
    )


def _template() -> Template:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["svg"] = Markup  # only for drawings that `svg.inline` made
    return environment.from_string(_resource(TEMPLATE))


def _resource(name: str) -> str:
    return files("colorless_green.humans.report").joinpath(name).read_text(encoding="utf-8")
