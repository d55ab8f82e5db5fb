"""Section: how far people's judgments repeat."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from ..measures.correlations import CEILING, CODINGS, OF_CEILING, SHARES
from ..measures.measure import Measure
from ._parts import (
    NONE,
    THIN,
    Rater,
    Section,
    Table,
    TableCell,
    count_cell,
    decimal,
    panel_name,
    share,
    short,
    table,
)
from ._report_data import ReportData

HALVES, WHOLE = "split-half ρ", "Spearman–Brown"
ALPHA, PAIRWISE = "Krippendorff's α", "pairwise agreement"
MAJORITY = "majority right"


def reliability(material: ReportData, raters: Sequence[Rater]) -> Iterator[Section]:
    """How far judgments repeat, how near to that any model comes; nothing where nobody
    was asked."""
    measures = material.people.measures
    if any(measure.statistic == MAJORITY for measure in measures):
        codings = {measure.level for measure in measures if measure.statistic == PAIRWISE}
        yield Section(
            "reliability",
            "How far judgments repeat",
            {
                "is_split": any(measure.statistic == HALVES for measure in measures),
                "codings": codings,
                "first_coding": {CODINGS[0]},
            },
            tables=(
                *_halves(measures),
                *_models(measures, raters),
                *_agreement(measures),
            ),
        )


def _pivot(
    measures: Sequence[Measure], statistics: Collection[str], key: Callable[[Measure], str]
) -> dict[tuple[str, str], dict[str, Measure]]:
    """(kind, key) → statistic → measure, of those over all constructions."""
    rows: dict[tuple[str, str], dict[str, Measure]] = {}
    for measure in measures:
        if measure.statistic in statistics and not measure.construction:
            rows.setdefault((measure.kind, key(measure)), {})[measure.statistic] = measure
    return rows


def _value(
    statistic: str, missing: str
) -> Callable[[tuple[Any, Mapping[str, Measure]]], TableCell]:
    """A column of what `_pivot` gives."""
    return lambda row: decimal(row[1][statistic].value if statistic in row[1] else None, 3, missing)


def _halves(measures: Sequence[Measure]) -> Sequence[Table]:
    return table(
        "reliability-halves",
        "Split-half reliability of item accuracies",
        _pivot(measures, (HALVES, WHOLE, CEILING), lambda measure: "").items(),
        {
            "sentences": lambda row: short(panel_name(row[0][0])),
            "items": lambda row: count_cell(row[1][HALVES].n),
            "ρ of halves": _value(HALVES, NONE),
            WHOLE: _value(WHOLE, "undefined: ρ is −1"),
            CEILING: _value(CEILING, "undefined: not above 0"),
        },
    )


def _models(measures: Sequence[Measure], raters: Sequence[Rater]) -> Sequence[Table]:
    """A model's ρ with its interval beside the ceiling; their ratio only where it has an interval,
    since the ceiling is itself an estimate."""
    labels = {rater.name: rater.label for rater in raters}
    ratios = {
        (ratio.kind, ratio.rater): ratio
        for ratio in measures
        if ratio.statistic == OF_CEILING and ratio.low is not None
    }
    rows = [
        (rho, ceiling, ratios.get((rho.kind, rho.rater)))
        for rho in measures
        if rho.statistic == SHARES and not rho.construction and rho.rater in labels
        for ceiling in measures
        if ceiling.statistic == CEILING and ceiling.kind == rho.kind
    ]

    def with_limits(measure: Measure | None, missing: str) -> TableCell:
        if measure is None or measure.value is None:
            return TableCell(missing, sort="number")
        ends = (decimal(end, 2).text for end in (measure.low, measure.high) if end is not None)
        return decimal(measure.value, 3, below=" to ".join(ends))

    return table(
        "reliability-models",
        "Models beside the ceiling",
        rows,
        {
            "model": lambda row: TableCell(labels[row[0].rater]),
            "sentences": lambda row: short(panel_name(row[0].kind)),
            "ρ with people": lambda row: with_limits(row[0], "no variation"),
            CEILING: lambda row: decimal(row[1].value, 3, "undefined"),
            "ρ / ceiling": (lambda row: with_limits(row[2], "undefined")) if ratios else None,
        },
        "ρ is Spearman's, of people's share of right answers with the model's margin in bits; below"
        f" it the 95{THIN}% interval. It can be expected to reach the ceiling, not 1.",
    )


def _agreement(measures: Sequence[Measure]) -> Iterator[Table]:
    yield from table(
        "reliability-majority",
        "Items that most people judge right",
        [measure for measure in measures if measure.statistic == MAJORITY],
        {
            "sentences": "kind panel",
            "items": "n count",
            "majority right, %": "value share",
            "how many": "note",
        },
    )
    undefined = "undefined: one answer only"
    yield from table(
        "reliability-agreement",
        "Agreement among people",
        _pivot(measures, (PAIRWISE, ALPHA), lambda measure: measure.level).items(),
        {
            "sentences": lambda row: short(panel_name(row[0][0])),
            "answers as": lambda row: TableCell(row[0][1]),
            "items": lambda row: count_cell(row[1][PAIRWISE].n),
            "pairs that agree, %": lambda row: share(row[1][PAIRWISE].value),
            "α": _value(ALPHA, undefined),
        },
        f"α: Krippendorff's, nominal. “{CODINGS[0]}” is the usual coding; “{CODINGS[1]}” takes the"
        " same answers by the value of the form that was chosen. Items with one answer are left"
        " out.",
    )
