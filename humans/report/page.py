"""The page: one self-contained HTML file, the same bytes for the same material."""

from collections.abc import Sequence
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
from colorless_green.humans.report.raters import Rater, raters
from colorless_green.humans.report.suites import (
    circuits,
    heat,
    matrix,
    modifiers,
    papers,
    perplexity,
    predictors,
    regions,
    scores,
    tables,
)
from colorless_green.humans.report.suites.answer import answer as suites_answer

SECTIONS = (  # id, title, and the parts without which it is not there
    ("tested", "What was tested", ()),
    ("examples", "Examples", ("groups",)),
    ("results", "Results", ("figures", "accuracies")),
    ("published", "Beside published results", ("published",)),
    ("regions", "Surprisal by region", ("regions",)),
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
    parts = {
        "groups": examples.groups(material, shown),
        "predictions": None,
        "published": [],
        "regions": [],
        **_results(material, shown),
        "comparison": comparisons.table(material),
        "constructions": constructions.tables(material),
        "runs": runs.table(material),
    }
    return _template().render(
        parts,
        material=material,
        sections=[each for each in SECTIONS if not each[2] or any(parts[name] for name in each[2])],
        style=Markup(_resource(STYLE)),  # ours, and it holds no `</`
        answer=_answer(material, shown),
        shapes=svg.PATHS,
        figures_missing=None if svg.available() else EXTRAS["matplotlib"],
    )


def _results(material: Material, shown: Sequence[Rater]) -> dict[str, object]:
    """The figures and tables of the results, by what was tested."""
    suites = material.suites
    if suites is None:
        made = (
            dots.figure(material, shown),
            curve.figure(material, shown),
            scatter.figure(material, shown),
        )
        return {
            "figures": [each for each in made if each is not None],
            "accuracies": accuracies.tables(material, shown),
        }
    drawn = (
        scores.figure(suites, shown),
        circuits.figure(suites, shown),
        heat.figure(suites, shown),
        modifiers.figure(suites, shown),
        perplexity.figure(material, suites, shown),
        matrix.figure(suites, shown),
        predictors.figure(suites, shown),
        scatter.figure(material, shown),
    )
    listed = (tables.scores(suites, shown), tables.tests(suites, shown))
    return {
        "predictions": tables.predictions(suites),
        "figures": [each for each in drawn if each is not None],
        "accuracies": [each for each in listed if each is not None],
        "published": papers.tables(suites),
        "regions": regions.figures(suites, shown),
    }


def _answer(material: Material, shown: Sequence[Rater]) -> tuple[str, ...]:
    if material.suites is None:
        return answer(material, shown)
    return suites_answer(material.suites, shown, simulated=material.simulated)


def _template() -> Template:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["svg"] = Markup  # only for drawings that `svg.inline` made
    return environment.from_string(_resource(TEMPLATE))


def _resource(name: str) -> str:
    return files("colorless_green.humans.report").joinpath(name).read_text(encoding="utf-8")
