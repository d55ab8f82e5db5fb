"""The page: one self-contained HTML file, first the answer, then the evidence, the rest folded."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from ...data.languages import direction
from ...data.registry import EXTRAS, counted
from ...data.shell import resource, source_of, style_sheet
from ...data.statistics.crossed import OVER_BOTH
from ..statistics.people import SPLITS
from . import _page_table as form
from ._accuracies import Accuracies
from ._answer import agreement_answer, suites_answer
from ._comparisons import comparison_section, disagreements, scatter
from ._constructions import flags_table, groups, treebank_tables
from ._downloads import downloads
from ._facts import method_section
from ._page_table import Column, Table, TableCell
from ._parts import Figure, Section, address, available
from ._people import exclusions, ratings, reliability, study
from ._report_data import ReportData
from ._results import (
    answer_figure,
    construction_figure,
    curves,
    learning_curves,
    pivot_table,
    rule_table,
    total_table,
)
from ._suites import prediction_table, score_figure, suite_sections

if TYPE_CHECKING:
    from jinja2 import Template

POLICY = (  # the drawings have styles of their own, so that these cannot be named one by one
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src {};"
    " base-uri 'none'; form-action 'none'"
)
NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")
FILTERS = ("percent", "limits", "count", "points", "enumeration", "kind_name")
MOST_COLUMNS = 10  # that fit a sheet in whatever font; tables with more are printed smaller
MOST_PRINTED = 150  # rows under a figure; more are only in the file


class Page:
    """One report, put together: its sections, and its figures in their order."""

    def __init__(self, material: ReportData) -> None:
        self.material = material
        self.accuracies = Accuracies(material)
        suites = material.suites
        first: Iterable[Figure] = answer_figure(self.accuracies)
        self.first = tuple(score_figure(material, suites) if suites else first)
        self.sections = tuple(self._sections())

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Every figure of the page, in its order."""
        return (*self.first, *(figure for section in self.sections for figure in section.figures))

    def html(self) -> str:
        """Return the HTML of the whole report. It asks nothing of any other file or host, is whole
        without its script, and names no time. Without Matplotlib the figures are missing and the
        page says so; their numbers are there."""
        script = _template_text("page.js")
        material, suites = self.material, self.material.suites
        methods = [point["method"] for point in self.accuracies.points() if not suites]
        return _template("page.html.jinja").render(
            page=self,
            material=material,
            answer_template="suites_answer.jinja" if suites else "answer.jinja",
            fact=suites_answer(material, suites) if suites else agreement_answer(self.accuracies),
            groups=list(groups(material)),
            right_to_left=self._is_right_to_left(),
            other_people=OVER_BOTH in methods,
            circuits=suites is not None and bool(suites.predicted.height)
            and any(suites.predicted["circuit"]),
            figures_missing=None if available() else EXTRAS["matplotlib"],
            drawings=_drawings(),
            most_printed=MOST_PRINTED,
            most_columns=MOST_COLUMNS,
            splits=SPLITS,
            policy=Markup(POLICY.format(source_of(script))),  # ours, and it holds no `"`
            style=Markup(style()),  # both ours, and neither holds a `</`
            script=Markup(script),
            direction=direction,
            address=address,
            sort_value=_sort_value,
        )  # fmt: skip

    def _sections(self) -> Iterator[Section]:
        material, suites = self.material, self.material.suites
        if material.examples:
            yield Section("examples", "Examples", template="examples.jinja", is_open=True)
        if suites:
            yield from suite_sections(material, suites)
            yield comparison_section(material)
        else:
            yield from self._agreement_results()
        yield from scatter(material)
        yield from ratings(material)
        yield from reliability(material)
        yield from disagreements(material)
        yield from study(material)
        yield from exclusions(material)
        if material.constructions:
            yield Section("mined", "The treebank", tables=tuple(treebank_tables(material)))
        if material.runs:
            yield Section("models", "Models", tables=(_runs(material),))
        tested = (*([prediction_table(suites)] if suites else []), flags_table(material))
        yield Section("tested", "What was tested", tables=tested, template="tested.jinja")
        yield method_section(self.accuracies)
        if files := tuple(downloads(material)):
            yield Section("data", "Data", downloads=files)

    def _agreement_results(self) -> Iterator[Section]:
        accuracies = self.accuracies
        if accuracies.points():
            tables = (
                total_table(accuracies),
                pivot_table(accuracies, "cell"),
                pivot_table(accuracies, "value"),
                rule_table(accuracies),
            )
            yield Section("results", "Results", tables=tables, is_open=True)
        yield comparison_section(self.material)
        if plots := tuple(learning_curves(accuracies)):
            yield Section("learning", "In the course of training", figures=plots)
        if plots := tuple(curves(accuracies)):
            yield Section("distance", "By attractors and distance", figures=plots)
        if figures := tuple(construction_figure(accuracies)):
            table = pivot_table(accuracies, "construction")
            yield Section("each-construction", "By construction", None, figures, (table,))

    def _is_right_to_left(self) -> bool:
        """Return True if all sentences run so; then the page, which does not, has to say it."""
        languages = {item.language for item in self.material.items.values()}
        return bool(languages) and all(direction(language) == "rtl" for language in languages)


def _runs(material: ReportData) -> Table:
    rows = []
    for run in material.runs:
        label = material.labels[run.model]
        below = [run.model] if label != run.model else []
        below += [run.toy] if run.toy not in ("", "toy") else []
        source = f"read from {run.read_from}" if run.read_from else ""
        n_exposed = run.exposed if material.n_originals else None
        rows.append({
            "model": TableCell(label, "; ".join(below)),
            "group": run.group or "–",
            "how": run.how_asked,
            "part": "; ".join(filter(None, [run.part, source])),
            "device": run.device or "–",
            "perplexity": run.perplexity,
            "per_word": "" if run.perplexity is None else "per word",
            "exposed": "not known" if n_exposed is None
            else f"{n_exposed} of {material.n_originals} originals were in the training text",
            "signature": run.signature,
        })  # fmt: skip
    return Table(
        "runs",
        "Models and their signatures",
        [
            Column("model", "model"),
            Column("group", "group"),
            Column("how it was asked", "how part", form.text),
            Column("device", "device"),
            Column("perplexity", "perplexity per_word", _perplexity),
            Column("seen before?", "exposed"),
            Column("signature", "signature", form.code),
        ],
        rows,
        "A signature says everything that the numbers depend on. Perplexities are on held-out"
        " text; they can be compared only between models with the same units and text.",
    )


def _perplexity(value: float | None, below: str) -> TableCell:
    return replace(form.decimals(1)(value), below=below)


def style() -> str:
    """Return the whole style sheet."""
    return style_sheet(_template_text("page.css"))


def _drawings() -> ModuleType | None:
    """Return the module that draws, which needs Matplotlib; None without it."""
    if not available():
        return None
    from . import _svg as svg

    return svg


def _template_text(name: str) -> str:
    return resource(__package__, f"templates/{name}")


@cache
def _template(name: str) -> "Template":
    """Return a template in which text from outside stays text, and a name that nobody gave is an
    error."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(_template_text),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: Mapping[str, Any] = {
        **{name: getattr(form, name) for name in FILTERS}, "p": lambda p: form.p_value(p).text,
        "plural": counted,
        "sentences": _sentences, "sentence": _sentence,
    }  # fmt: skip
    environment.filters.update(filters)
    return environment.get_template(name)


def _sentences(kind: str, n: int) -> str:
    """Return the name of so many sentences of a kind."""
    name = form.kind_name(kind)
    return name.removesuffix("s") if n == 1 else name


def _sentence(words: str) -> str:
    """Return words with a capital at their begin and a full stop at their end."""
    return f"{words[:1].upper()}{words[1:]}{'' if words.endswith('.') else '.'}"


def _sort_value(cell: TableCell) -> str:
    """Return the number by which a cell is sorted; empty where the script can read it off the
    cell."""
    shown = cell.text.replace("−", "-").replace(",", "")
    if cell.value is None or (cell.sort == "number" and NUMBER.fullmatch(shown)):
        return ""
    return f"{cell.value:.6g}"
