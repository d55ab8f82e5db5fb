"""The page: one self-contained HTML file, first the answer, then the evidence, the rest folded; and
the data behind it, as files that it carries with it. Single answers are not among them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from ...data import schema
from ...data.items.item import factors_of
from ...data.languages import direction
from ...data.registry import EXTRAS
from ...data.schema import Schema
from ...data.shell import resource, source_of, style_sheet
from ...data.tables import Cell as Value
from ...data.tables import Row, frame, to_csv
from ..judgments.lookup import forms, prefix
from ..statistics.people import SPLITS
from ._accuracies import Accuracies, answer
from ._agreement import accuracy_tables, answer_figure, construction_figure, curves
from ._comparisons import comparison_section, disagreements, scatter
from ._constructions import flags_table, groups, treebank_tables
from ._facts import method_section
from ._participants import participants
from ._parts import (
    CSV,
    EmbeddedFile,
    Figure,
    Section,
    Table,
    TableCell,
    address,
    as_csv,
    available,
    count,
    decimal,
    enumeration,
    limits,
    panel_name,
    percent,
    plural,
    signed,
    table,
)
from ._people import exclusions, ratings, study
from ._reliability import reliability
from ._report_data import ReportData, SuitesData, labels_of, raters
from ._suite_figures import SuitePage, regions
from ._suite_tables import paper_tables, predictions, result_tables, suites_answer

if TYPE_CHECKING:
    from jinja2 import Template

POLICY = (  # the drawings have styles of their own, so that these cannot be named one by one
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src {};"
    " base-uri 'none'; form-action 'none'"
)
NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")
MOST_COLUMNS = 10  # that fit a sheet in whatever font; tables with more are printed smaller
MOST_PRINTED = 150  # rows under a figure; more are only in the file


class Page:
    """One report, put together: its sections, and its figures in their order."""

    def __init__(self, material: ReportData) -> None:
        self.material = material
        self.raters = raters(material)
        self.accuracies = Accuracies(material, self.raters)
        self.suites = SuitePage(material, material.suites, self.raters) if material.suites else None
        self.first = tuple(self.suites.scores() if self.suites else answer_figure(self.accuracies))
        self.sections = tuple(self._sections())

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Every figure of the page, in its order."""
        return (*self.first, *(figure for section in self.sections for figure in section.figures))

    def html(self) -> str:
        """The HTML of the whole report. It asks nothing of any other file or host, is whole without
        its script, and names no time. Without Matplotlib the figures are missing and the page says
        so; their numbers are there."""
        script = _template_text("page.js")
        suites = self.material.suites
        return _render(
            "page.html.jinja",
            page=self,
            material=self.material,
            answer_template="suites_answer.jinja" if suites else "answer.jinja",
            fact=suites_answer(self.material, suites, self.raters)
            if suites
            else answer(self.accuracies),
            groups=groups(self.material, self.raters),
            right_to_left=self._is_right_to_left(),
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
            csv=as_csv,
            place=_sort_value,
        )

    def _sections(self) -> Iterator[Section]:
        material, raters = self.material, self.raters
        suites = material.suites
        yield from self._suite_results(suites) if suites else self._agreement_results()
        if material.examples:
            yield Section("examples", "Examples", template="examples.jinja")
        yield from scatter(material, raters)
        yield from ratings(material)
        yield from reliability(material, raters)
        yield from disagreements(material, raters)
        yield from study(material)
        yield from exclusions(material)
        yield from participants(material)
        if tables := tuple(treebank_tables(material)):
            yield Section("mined", "What the treebank gave", tables=tables)
        if material.runs:
            yield Section("models", "Models", tables=tuple(self._runs()))
        tested = (*(predictions(suites) if suites else ()), *flags_table(material))
        yield Section("tested", "What was tested", tables=tested, template="tested.jinja")
        yield method_section(self.accuracies)
        if files := tuple(downloads(material)):
            yield Section("data", "Data", downloads=files)

    def _agreement_results(self) -> Iterator[Section]:
        tables = list(accuracy_tables(self.accuracies))
        bottom = [table for table in tables if table.name == "by-construction"]
        middle = tuple(table for table in tables if table.name == "by-n-attractors")
        if top := tuple(table for table in tables if table not in (*bottom, *middle)):
            yield Section("results", "Results", tables=top, is_open=True)
        yield from comparison_section(self.material, self.raters)
        plots = tuple(curves(self.accuracies))
        if middle or plots:
            yield Section("distance", "By attractors and distance", None, plots, middle)
        figures = tuple(construction_figure(self.accuracies))
        if figures:
            yield Section("each-construction", "By construction", None, figures, tuple(bottom))

    def _suite_results(self, suites: SuitesData) -> Iterator[Section]:
        assert self.suites is not None
        if tables := tuple(result_tables(suites, self.raters)):
            yield Section("results", "Results", tables=tables, is_open=True)
        yield from comparison_section(self.material, self.raters)
        if figures := tuple(self.suites.figures()):
            yield Section("figures", "By circuit, suite and predictor", figures=figures)
        if papers := tuple(paper_tables(suites)):
            yield Section("published", "Beside published results", tables=papers)
        if plots := tuple(regions(suites, self.raters)):
            yield Section("regions", "Surprisal by region", figures=plots)

    def _runs(self) -> Sequence[Table]:
        runs, n_originals = self.material.runs, self.material.n_originals
        labels = labels_of(self.material, list(dict.fromkeys(run.model for run in runs)))

        def whole_name(run: Any) -> str:
            label = labels[run.model]
            parts = [run.model if label != run.model else "", run.toy if run.toy != "toy" else ""]
            return "; ".join(filter(None, parts))

        return table(
            "runs",
            "Models and their signatures",
            runs,
            {
                "model": lambda run: TableCell(labels[run.model], whole_name(run)),
                "group": lambda run: TableCell(run.group or "–"),
                "how it was asked": lambda run: TableCell(run.how_asked, run.part),
                "device": lambda run: TableCell(run.device or "–"),
                "perplexity": lambda run: decimal(
                    run.perplexity, 1, below="" if run.perplexity is None else "per word"
                ),
                "seen before?": lambda run: TableCell(
                    f"{run.exposed} of {n_originals} originals were in the training text"
                    if run.exposed is not None and n_originals
                    else "not known"
                ),
                "signature": "signature code",
            },
            "A signature says everything that the numbers depend on. Perplexities are on held-out"
            " text; they can be compared only between models with the same units and text.",
        )

    def _is_right_to_left(self) -> bool:
        """Whether all sentences run so; then the page, which does not, has to say it."""
        examples = (original for original, _ in self.material.examples)
        languages = {item.language for item in (*self.material.items.values(), *examples)}
        return bool(languages) and all(direction(language) == "rtl" for language in languages)


def style() -> str:
    """The whole style sheet."""
    return style_sheet(_template_text("page.css"))


def _drawings() -> ModuleType | None:
    """Return the module that draws, which needs Matplotlib; None without it."""
    if not available():
        return None
    from . import _svg as svg

    return svg


def _template_text(name: str) -> str:
    return resource(__package__, f"templates/{name}")


def _render(name: str, **context: Any) -> str:
    return _template(name).render(**context)


@cache
def _template(name: str) -> "Template":
    """A template in which text from outside stays text, and a name that nobody gave is an error."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(_template_text),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: Mapping[str, Any] = {
        "percent": percent, "limits": limits, "count": count, "plural": plural,
        "enumeration": enumeration, "signed": signed, "panel_name": panel_name,
        "sentences": _sentences, "sentence": _sentence,
        "capital": lambda text: f"{text[:1].upper()}{text[1:]}",
    }  # fmt: skip
    environment.filters.update(filters)
    return environment.get_template(name)


def _sentences(point: Any) -> str:
    """`1,071 nonce variants`, `1 original`, `348 items` of suites."""
    name = panel_name(point.kind)
    name = "items" if point.kind in ("suite", "") else name
    return name.removesuffix("s") if point.n_items == 1 else name


def _sentence(text: str) -> str:
    """Return the text with a capital at its begin and a full stop at its end."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"


def _sort_value(cell: TableCell) -> str:
    """The number by which a cell is sorted; empty where the script can read it off the cell."""
    text = cell.text.replace("−", "-").replace(",", "")
    if cell.value is None or (cell.sort == "number" and NUMBER.fullmatch(text)):
        return ""
    return f"{cell.value:.6g}"


MARGIN_DIGITS = 6  # decimals: no surprisal is sure to more, and 16 are a tenth of the page
ITEM_COLUMNS = (
    *("item", "source", "kind", "construction", "value", "n_attractors", "gap", "language"),
    *("prefix", "right", "wrong", "people_right", "people_total"),
)


def downloads(material: ReportData) -> Iterator[EmbeddedFile]:
    """What the page's numbers are made of, as far as there is anything."""
    models = [name for name, credits in material.outcomes.items() if credits]
    columns = [*ITEM_COLUMNS]
    for name in models:
        columns += [f"{name}: credit", f"{name}: margin_bits"]
    files: tuple[tuple[str, str, Schema | Sequence[str], Iterable[Row]], ...] = (
        (
            "accuracy.csv",
            "accuracy of every model on all that it could answer, in all and along each dimension",
            schema.ACCURACY,
            material.accuracy,
        ),
        (
            "comparison.csv",
            "people and models by kind and construction",
            schema.COMPARISON,
            material.comparison,
        ),
        (
            "measures.csv",
            "all other statistics, with intervals and how they were made",
            schema.MEASURES,
            (measure.as_row(schema.MEASURES) for measure in material.people.measures),
        ),
        (
            "exclusions.csv",
            "who or what was left out, by which rule",
            schema.EXCLUSIONS,
            map(asdict, material.people.answers.gone),
        ),
        (
            "items.csv",
            "every item with its answers, and each model's credit and margin in bits",
            columns,
            _items(material, models),
        ),
    )
    for name, description, shape, rows in files:
        table = frame(rows, shape)
        if table.height:
            yield EmbeddedFile(name, description, CSV, to_csv(table))


def _items(material: ReportData, models: Sequence[str]) -> Iterator[Row]:
    tallies = {tally.item: tally for tally in material.tallies}
    for identity, item in material.items.items():
        tally, factors, pair = tallies.get(identity), factors_of(item), forms(item) or ("", "")
        scored_by = [name for name in models if identity in material.outcomes[name]]
        if not tally and not scored_by:
            continue
        row: dict[str, Value] = {
            "item": identity,
            "source": item.cluster_id,
            "kind": item.kind,
            **{name: factors[name] for name in ("construction", "value", "n_attractors")},
            "gap": item.agreement.gap if item.agreement else None,
            "language": item.language,
            "prefix": prefix(item),
            "right": pair[0],
            "wrong": pair[1],
            "people_right": tally.right if tally else None,
            "people_total": tally.total if tally else None,
        }
        for name in scored_by:
            row[f"{name}: credit"], margin = material.outcomes[name][identity]
            row[f"{name}: margin_bits"] = None if margin is None else round(margin, MARGIN_DIGITS)
        yield row
