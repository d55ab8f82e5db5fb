"""The page: one self-contained HTML file of the answer, the evidence, and folded sections."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from ...data.languages import direction
from ...data.registry import EXTRAS, counted
from ...data.shell import csp_source, resource, style_sheet
from ...data.statistics.crossed import OVER_BOTH
from ...scoring.outcomes.run import TOY
from ..measures.correlations import CODINGS
from ..statistics.people import SPLITS
from . import _parts as fmt
from ._accuracies import KindAccuracies, PageScores
from ._answer import answers, unscored
from ._comparisons import comparison_section, disagreement_section, scatter_section
from ._examples import example_groups, flags_table
from ._facts import downloads, method_section, versions
from ._parts import Column, Section, Table, TableCell, address, matplotlib_available
from ._people import exclusion_section, rating_section, reliability_section
from ._report_data import ReportData
from ._results import (
    answer_figure,
    curve_figures,
    detail_figures,
    learning_figures,
    pivot_table,
    rule_table,
    total_table,
)
from ._suites import SuiteScores, prediction_table, region_figures, test_table

if TYPE_CHECKING:
    from jinja2 import Template

POLICY = (  # Content-Security-Policy; all inline styles are allowed, since drawings have many
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src {};"
    " base-uri 'none'; form-action 'none'"
)
NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")
FILTERS = ("percent", "limits", "count", "points", "enumeration", "kind_name")
MAX_FULL_SIZE_COLUMNS = 10  # fit a sheet of paper; tables with more columns are printed smaller
MAX_PRINTED_ROWS = 150  # rows of numbers under a figure; more are only in the file


def html(material: ReportData) -> str:
    """Return the HTML text of the whole page. It loads no other file, can be read without its
    script, and has no date, so that the same data give the same page. If Matplotlib is not
    installed, it has the numbers of figures in tables, but no drawings."""
    scores: PageScores = KindAccuracies(material) if material.is_by_kind else SuiteScores(material)
    script = _template_text("page.js")
    languages = {direction(item.language) for item in material.items.values()}
    return _template("page.html.jinja").render(
        material=material,
        first=tuple(answer_figure(scores)),
        sections=tuple(_sections(material, scores)),
        answers=answers(scores),
        unscored=unscored(material),
        groups=list(example_groups(material)),
        right_to_left=languages == {"rtl"},  # the page itself does not run so, and has to say it
        other_people=any(point["method"] == OVER_BOTH for point in scores.points()),
        circuits=len({unit.circuit for unit in material.tables.answers.units}) > 1,
        has_predictions=any(result.suite.predictions for result in material.results),
        versions=versions(),
        figures_missing=None if matplotlib_available() else EXTRAS["matplotlib"],
        drawings=_svg_module(),
        most_printed=MAX_PRINTED_ROWS,
        most_columns=MAX_FULL_SIZE_COLUMNS,
        splits=SPLITS,
        codings=CODINGS,
        policy=Markup(POLICY.format(csp_source(script))),  # safe: our own text without `"`
        style=Markup(style_sheet(_template_text("page.css"))),  # safe: our own text without `</`
        script=Markup(script),  # safe: our own text
        direction=direction,
        address=address,
        sort_value=_sort_value,
    )


def _sections(material: ReportData, scores: PageScores) -> Iterator[Section]:
    """Yield the sections below the answer, in the page's order; one without content is left out."""
    if material.items:
        yield Section("examples", "Examples", template="examples.jinja", is_open=True)
    if scores.points():
        tables = [
            total_table(scores),
            *(pivot_table(scores, dimension) for dimension in scores.in_results),
            rule_table(scores),
            *([] if material.is_by_kind else [test_table(material)]),
        ]
        yield Section("results", "Results", tables=tuple(tables), is_open=True)
    yield comparison_section(material)
    if plots := tuple(learning_figures(scores)):
        yield Section("learning", "In the course of training", figures=plots)
    if isinstance(scores, KindAccuracies) and (plots := tuple(curve_figures(scores))):
        yield Section("distance", "By attractors and distance", figures=plots)
    plots = tuple(detail_figures(scores))
    names = [name for name in scores.in_detail if scores.points(name)]
    tables = [pivot_table(scores, name) for name in names]
    if names:
        title = f"By {fmt.enumeration(names)}"
        yield Section("detail", title, figures=plots, tables=tuple(tables))
    if not material.is_by_kind and (plots := tuple(region_figures(material))):
        yield Section("regions", "Surprisal by region", figures=plots)
    yield from scatter_section(material)
    yield from rating_section(material)
    yield from reliability_section(material)
    yield from disagreement_section(material)
    yield from exclusion_section(material)
    if material.runs:
        yield Section("models", "Models", tables=(_model_table(material),))
    predictions = () if material.is_by_kind else (prediction_table(material),)
    tables = [*predictions, flags_table(material)]
    yield Section("tested", "What was tested", tables=tuple(tables), template="tested.jinja")
    yield method_section(scores)
    if files := tuple(downloads(material)):
        yield Section("data", "Data", downloads=files)


def _model_table(material: ReportData) -> Table:
    """Return the table of models: how each was scored, its device, perplexity and signature (the
    hash that identifies it), and how many original sentences its training text contained."""
    rows = []
    n_originals = sum(item.kind == "original" for item in material.items.values())
    n_exposed = {
        run.signature: run.exposed
        for result in material.results
        if material.is_by_kind and any(item.kind == "original" for item in result.suite.items)
        for run in result.runs
    }
    for run in material.runs:
        label = material.labels[run.model]
        below = [run.model] if label != run.model else []
        below += [run.toy_reason] if run.toy_reason not in ("", TOY) else []
        source = f"read from {run.read_from}" if run.read_from else ""
        n_seen = n_exposed.get(run.signature)
        exposed = f"{n_seen} of {n_originals} originals were in the training text"
        rows.append({
            "model": TableCell(label, "; ".join(below)),
            "group": run.group or "–",
            "how": run.how_asked,
            "part": "; ".join(filter(None, [run.part, source])),
            "device": run.device or "–",
            "perplexity": run.perplexity,
            "exposed": "not known" if n_seen is None else exposed,
            "signature": run.signature,
        })  # fmt: skip
    return Table(
        "runs",
        "Models and their signatures",
        [
            Column("model", "model"),
            Column("group", "group"),
            Column("how it was asked", "how part", fmt.text),
            Column("device", "device"),
            Column("perplexity", "perplexity", fmt.decimals(1)),
            Column("seen before?", "exposed"),
            Column("signature", "signature", fmt.code),
        ],
        rows,
    )


def _svg_module() -> ModuleType | None:
    """Return the module `_svg`, with whose functions the template draws; None if Matplotlib is not
    installed."""
    if not matplotlib_available():
        return None
    from . import _svg as svg

    return svg


def _template_text(name: str) -> str:
    """Return the text of a file in the folder `templates`."""
    return resource(__package__, f"templates/{name}")


@cache
def _template(name: str) -> "Template":
    """Return the Jinja template of a file name. It escapes all text, and raises an error for a
    variable that it was not given."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(_template_text),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: Mapping[str, Any] = {
        **{name: getattr(fmt, name) for name in FILTERS}, "p": lambda p: fmt.p_value(p).text,
        "plural": counted,
        "sentences": _kind_for_number, "sentence": _as_sentence,
    }  # fmt: skip
    environment.filters.update(filters)
    return environment.get_template(name)


def _kind_for_number(kind: str, n: int) -> str:
    """Return the name of a kind of items, in the singular if `n` is 1, else in the plural."""
    name = fmt.kind_name(kind or "suite")
    return name.removesuffix("s") if n == 1 else name


def _as_sentence(words: str) -> str:
    """Return words as a sentence, with a capital letter and a full stop."""
    return f"{words[:1].upper()}{words[1:]}{'' if words.endswith('.') else '.'}"


def _sort_value(cell: TableCell) -> str:
    """Return, as text, the number by which the page's script sorts a cell; "" if the script can
    read it in the cell's own text, or if the cell has no number."""
    shown = cell.text.replace("−", "-").replace(",", "")
    if cell.value is None or (cell.sort == "number" and NUMBER.fullmatch(shown)):
        return ""
    return f"{cell.value:.6g}"
