"""The page: one self-contained HTML file, the same bytes for the same material."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from markupsafe import Markup

from colorless_green.data.registry import EXTRAS
from colorless_green.humans.page import (
    accuracies,
    constructions,
    curve,
    dots,
    downloads,
    examples,
    paper,
    people,
    runs,
    svg,
)
from colorless_green.humans.page.answer import answer
from colorless_green.humans.page.material import Line, Material
from colorless_green.humans.page.parts import Cell, Figure
from colorless_green.humans.page.raters import Rater, raters
from colorless_green.humans.page.suites import (
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
from colorless_green.humans.page.suites.answer import answer as suites_answer
from colorless_green.nonce.page.shell import resource, source_of, style_sheet, template

PEOPLE = "people"
SECTIONS = (  # id, title, and the parts without which it is not there
    ("tested", "What was tested", ()),
    ("examples", "Examples", ("groups",)),
    ("results", "Results", ("figures", "accuracies", "further")),
    ("published", "Beside published results", ("published",)),
    ("regions", "Surprisal by region", ("regions",)),
    (PEOPLE, "", ()),  # the sections about people, under their own names
    ("mined", "What the treebank gave", ("constructions",)),
    ("models", "Models", ("runs",)),
    ("methods", "Methods", ()),
    ("paper", "For a paper", ("paper",)),
    ("data", "Data", ("downloads",)),
)
TEMPLATE, STYLE, SCRIPT = "page.html.jinja", "page.css", "page.js"
POLICY = (  # the drawings have styles of their own, so that these cannot be named one by one
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src {};"
    " base-uri 'none'; form-action 'none'"
)
LAST = "by-construction"  # a table that comes after the figures, being the longest
FIRST_EXAMPLES = 3  # the others are folded, so that the results are not far
MOST_COLUMNS = 10  # that fit a sheet in whatever font; tables with more are printed smaller
MOST_PRINTED = 150  # rows under a figure; more are only in the file


def render(material: Material) -> str:
    """The HTML of the whole report. It asks nothing of any other file or host, is whole without its
    script, and names no time. Without Matplotlib the figures are missing and the page says so;
    their numbers are there."""
    script = _resource(SCRIPT)
    shown = raters(material)
    parts = {
        "groups": examples.groups(material, shown),
        **_drawn(material, shown),
        "downloads": downloads.files(material),
        "constructions": constructions.tables(material),
        "runs": runs.table(material),
        "own_runs": runs.own_runs(material.runs),
        "paper": paper.section(material, shown),
    }
    return template(_resource(TEMPLATE), svg=Markup).render(  # only for what `svg.inline` made
        parts,
        material=material,
        contents=list(_contents(parts)),
        csv=downloads.table_csv,
        address=downloads.address,
        direction=examples.direction,
        place=_place,
        right_to_left=_is_right_to_left(material),
        first_examples=FIRST_EXAMPLES,
        most_printed=MOST_PRINTED,
        most_columns=MOST_COLUMNS,
        policy=Markup(POLICY.format(source_of(script))),  # ours, and it holds no `"`
        style=Markup(style()),  # both ours, and neither holds a `</`
        script=Markup(script),
        answer=_answer(material, shown),
        shapes=svg.PATHS,
        figures_missing=None if svg.available() else EXTRAS["matplotlib"],
    )


def style() -> str:
    """The whole style sheet."""
    return style_sheet(_resource(STYLE))


def figures(material: Material) -> tuple[Figure, ...]:
    """Every figure of the page, in its order."""
    parts = _drawn(material, raters(material))
    sections = (each.figures for each in parts["people"])
    return tuple(chain(parts["figures"], parts["regions"], *sections))


def _drawn(material: Material, shown: Sequence[Rater]) -> dict[str, Any]:
    """The parts of the page that have figures."""
    return {
        "predictions": None,
        "published": [],
        "regions": [],
        **_results(material, shown),
        "people": people.sections(material, shown),
    }


def _contents(parts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(id, title) of the sections that are there."""
    for name, title, needed in SECTIONS:
        if name == PEOPLE:
            yield from ((each.name, each.title) for each in parts["people"])
        elif not needed or any(parts[each] for each in needed):
            yield name, title


def _results(material: Material, shown: Sequence[Rater]) -> dict[str, object]:
    """The figures and tables of the results, by what was tested."""
    suites = material.suites
    if suites is None:
        made = (
            *curve.figures(material, shown),
            dots.figure(material, shown),
        )
        listed = accuracies.tables(material, shown)
        return {
            "accuracies": [each for each in listed if each.name != LAST],
            "figures": [each for each in made if each is not None],
            "further": [each for each in listed if each.name == LAST],
        }
    drawn = (
        scores.figure(suites, shown),
        circuits.figure(suites, shown),
        heat.figure(suites, shown),
        modifiers.figure(suites, shown),
        perplexity.figure(material, suites, shown),
        matrix.figure(suites, shown),
        predictors.figure(suites, shown),
    )
    told = (
        tables.scores(suites, shown),
        tables.baselines(suites),
        tables.tests(suites, shown),
    )
    return {
        "predictions": tables.predictions(suites),
        "accuracies": [],
        "figures": [each for each in drawn if each is not None],
        "further": [each for each in told if each is not None],
        "published": papers.tables(suites),
        "regions": regions.figures(suites, shown),
    }


def _answer(material: Material, shown: Sequence[Rater]) -> tuple[Line, ...]:
    if material.suites is None:
        return answer(material, shown)
    return suites_answer(material, material.suites, shown)


def _place(cell: Cell) -> str:
    """The number by which a cell is sorted; empty where the script can read it off the cell."""
    if cell.value is None:
        return ""
    shown = cell.text.replace("−", "-").replace(",", "").removeprefix("+")
    is_shown = cell.sort == "number" and shown in (str(cell.value), f"{cell.value:g}")
    return "" if is_shown else f"{cell.value:.6g}"


def _is_right_to_left(material: Material) -> bool:
    """Whether all sentences run so; then the page, which does not, has to say it."""
    shown = (each.original for each in material.examples)
    languages = {item.language for item in (*material.items.values(), *shown)}
    return bool(languages) and all(examples.direction(each) == "rtl" for each in languages)


def _resource(name: str) -> str:
    return resource("colorless_green.humans.page", name)
