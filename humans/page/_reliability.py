"""Sections: how far people's judgments repeat, and how sentences were rated."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ..measures.correlations import CEILING, CODINGS, OF_CEILING, SHARES
from ..measures.measure import Measure
from ..measures.ratings import (
    DIFFERENCE,
    FLAT,
    GIVEN,
    HIGHER,
    LOGARITHM,
    MEANS,
    NO_MAGNITUDE,
    RIGHT,
    SIDELESS,
    WRONG,
    Z,
)
from ._parts import Section
from ._report_data import ReportData
from ._table import (
    NO_NUMBER,
    THIN,
    Column,
    Table,
    TableCell,
    code,
    count_cell,
    decimals,
    estimate,
    kind_cell,
    kind_name,
    share,
    short,
    signed,
)

HALVES, WHOLE = "split-half ρ", "Spearman–Brown"
ALPHA, PAIRWISE = "Krippendorff's α", "pairwise agreement"
MAJORITY = "majority right"
OUTSIDE = {  # ratings that count nowhere, or hardly, and why
    FLAT: "people gave one rating to all sentences: they have no z-scores and are left out of"
    " these",
    SIDELESS: "ratings are of sentences that are not known to be the right or the wrong one of"
    " their item; they count only in the mean and spread of who gave them",
    NO_MAGNITUDE: "magnitudes are not above 0 and count nowhere",
}
SCORED = {GIVEN: "as given", LOGARITHM: "logarithm", Z: "z"}  # in the order of a table


def reliability(material: ReportData) -> Iterator[Section]:
    """Yield how far judgments repeat, and how near to that any model comes; nothing where nobody
    was asked."""
    measures = material.people.measures
    if not any(measure.statistic == MAJORITY for measure in measures):
        return
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
            Table(
                "reliability-halves",
                "Split-half reliability of item accuracies",
                [
                    Column("sentences", "kind", kind_cell),
                    Column("items", "n", count_cell),
                    Column("ρ of halves", (HALVES,), decimals(3)),
                    Column(WHOLE, (WHOLE,), decimals(3, "undefined: ρ is −1")),
                    Column(CEILING, (CEILING,), decimals(3, "undefined: not above 0")),
                ],
                _pivot(measures, (HALVES, WHOLE, CEILING)),
            ),
            _models(material),
            Table(
                "reliability-majority",
                "Items that most people judge right",
                [
                    Column("sentences", "kind", kind_cell),
                    Column("items", "n", count_cell),
                    Column("majority right, %", "value", share),
                    Column("how many", "note"),
                ],
                [m.as_row(("kind", "n", "value", "note"))
                 for m in measures if m.statistic == MAJORITY],
            ),
            Table(
                "reliability-agreement",
                "Agreement among people",
                [
                    Column("sentences", "kind", kind_cell),
                    Column("answers as", "level"),
                    Column("items", "n", count_cell),
                    Column("pairs that agree, %", (PAIRWISE,), share),
                    Column("α", (ALPHA,), decimals(3, "undefined: one answer only")),
                ],
                _pivot(measures, (PAIRWISE, ALPHA)),
                f"α: Krippendorff's, nominal. “{CODINGS[0]}” is the usual coding; “{CODINGS[1]}”"
                " takes the same answers by the value of the form that was chosen. Items with one"
                " answer are left out.",
            ),
        ),
    )  # fmt: skip


def _pivot(measures: Sequence[Measure], statistics: Collection[str]) -> list[dict[str, Any]]:
    """Return a row for each kind and coding, with the values of statistics over all constructions
    and the number of items of the first."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    first, *_ = statistics
    for measure in measures:
        if measure.statistic in statistics and not measure.construction:
            empty = {"kind": measure.kind, "level": measure.level, **dict.fromkeys(statistics)}
            row = rows.setdefault((measure.kind, measure.level), {**empty, "n": None})
            row[measure.statistic] = measure.value
            if measure.statistic == first:
                row["n"] = measure.n
    return list(rows.values())


def _models(material: ReportData) -> Table:
    """Return a model's ρ with its interval beside the ceiling; their ratio only where it has an
    interval, since the ceiling is itself an estimate."""
    measures = material.people.measures
    labels = {rater.name: rater.label for rater in material.raters}
    ceilings = {m.kind: m.value for m in measures if m.statistic == CEILING}
    ratios = {
        (m.kind, m.rater): m
        for m in measures
        if m.statistic == OF_CEILING and m.low is not None and not m.construction
    }
    number, ratio = decimals(3, "no variation"), decimals(3, "undefined")
    rows = [
        {
            "model": labels[rho.rater],
            "kind": rho.kind,
            "rho": number(rho.value, rho.low, rho.high),
            "ceiling": decimals(3, "undefined")(ceilings[rho.kind]),
            "ratio": ratio(found.value, found.low, found.high) if found else NO_NUMBER,
        }
        for rho in measures
        if rho.statistic == SHARES and not rho.construction
        if rho.rater in labels and rho.kind in ceilings
        for found in [ratios.get((rho.kind, rho.rater))]
    ]
    return Table(
        "reliability-models",
        "Models and the ceiling",
        [
            Column("model", "model"),
            Column("sentences", "kind", kind_cell),
            Column("ρ with people", "rho"),
            Column(CEILING, "ceiling"),
            Column("ρ / ceiling", "ratio"),
        ],
        rows,
        "ρ is Spearman's, of people's share of right answers with the model's margin in bits; below"
        f" it the 95{THIN}% interval. It can be expected to reach the ceiling, not 1.",
    )


def ratings(material: ReportData) -> Iterator[Section]:
    """Yield how sentences were rated, right ones and wrong ones."""
    by_statistic = {measure.statistic: measure for measure in material.people.measures}
    statistics = (*MEANS.values(), DIFFERENCE, HIGHER)
    measures = [m for m in material.people.measures if m.statistic in statistics]
    if not measures and SIDELESS not in by_statistic:
        return
    yield Section(
        "ratings",
        "How sentences were rated",
        {
            "levels": {measure.level for measure in measures},
            "unknown_scale": any("not known" in measure.note for measure in measures),
            "outside": [
                (by_statistic[name].value, by_statistic[name].n, why)
                for name, why in OUTSIDE.items()
                if name in by_statistic
            ],
        },
        tables=(
            _ratings("ratings-kinds", "Ratings", [m for m in measures if not m.construction]),
            _ratings(
                "ratings-constructions",
                "Ratings by construction",
                [measure for measure in measures if measure.construction],
            ),
        ),
    )


def _ratings(name: str, title: str, measures: Sequence[Measure]) -> Table:
    rows: dict[tuple[str, str, str], dict[str, Any]] = {}
    order = list(dict.fromkeys((measure.kind, measure.construction) for measure in measures))
    levels = list(SCORED)
    empty: Mapping[str, Any] = dict.fromkeys((*MEANS.values(), DIFFERENCE, HIGHER), NO_NUMBER)
    for measure in measures:
        kind = kind_name(measure.kind)
        key = measure.kind, measure.construction, measure.level
        row = rows.setdefault(key, {**empty, "n": 0})
        row["name"] = code(measure.construction, kind) if measure.construction else TableCell(kind)
        row["scored"] = SCORED.get(measure.level, measure.level)
        ends = measure.value, measure.low, measure.high
        cell = estimate(*ends) if measure.statistic == HIGHER else decimals(2)(*ends)
        if measure.statistic == DIFFERENCE:
            row["n"] = measure.n
            if measure.value is not None:
                numbers = [signed(end, 2) for end in ends if end is not None]
                below = " to ".join(numbers[1:])
                cell = TableCell(numbers[0], below, "number", measure.value)
        row[measure.statistic] = cell
    return Table(
        name,
        title,
        [
            Column("sentences", "name"),
            Column("scored", "scored", short),
            Column("right", (MEANS[RIGHT],)),
            Column("wrong", (MEANS[WRONG],)),
            Column("right − wrong", (DIFFERENCE,)),
            Column("higher when right, %", (HIGHER,)),
            Column("items with both", "n", count_cell),
        ],
        [rows[key] for key in sorted(rows, key=lambda k: (order.index(k[:2]), levels.index(k[2])))],
    )
