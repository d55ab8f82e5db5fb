"""Scores over suites: means by circuit, modifier and suite, tests between raters, predictions, and
mean surprisal by region.

A suite holds items of one phenomenon; a circuit is a group of suites, a region a stretch of a
sentence, a condition one version of an item. A unit is what counts once in a score: a suite, or one
of its constructions.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

import polars as pl

from ...data.formats.pair_formats import SENTENCE
from ...data.items.prediction import chance
from ...data.statistics.differences import Difference
from ...data.statistics.intervals import OVER_SOURCES, Interval
from ...nonce.audit.baselines import CUE_FINDERS
from ...scoring.outcomes.collection import SuiteItem
from ..collection.suite_scores import (
    CIRCUIT,
    MODIFIER,
    OWN,
    SCORE,
    SUITE,
    above_baselines,
    baseline_rows,
    scored_kinds,
)
from ..statistics.shared_items import SharedItems
from . import _parts as fmt
from ._accuracies import PageScores, Rule, strongest_first
from ._drawings import Axis, MarkStyle, PlotMark, mark_panel
from ._parts import (
    Column,
    Figure,
    Panel,
    Rater,
    Record,
    Table,
    TableCell,
    figure,
    raters_with_looks,
)
from ._report_data import ReportData

MAX_LISTED_TESTS = 20  # within suites; more are only in paired.tsv
MIN_SHOWN_FLOOR = 0.05 / 4  # a smallest possible p that is worth telling
MAX_LABEL_LETTERS = 14  # letters of a region's name below an axis


class SuiteScores(PageScores):
    """Scores over suites, the same as in `compare`: unweighted means of the suites' accuracies,
    over the suites that all raters have answered. If there are originals and nonce variants, each
    kind has a score of its own."""

    in_answer = ()
    in_results = ()
    in_detail = (CIRCUIT, MODIFIER, SUITE)

    def __init__(self, material: ReportData) -> None:
        self.material = material
        self.collection = material.tables.answers

    @property
    def headlines(self) -> Sequence[str]:
        """The name of the score that the answer is about: `nonce` if nonce variants have a score
        of their own, else the first score ("" is the score over all items)."""
        kinds = scored_kinds(self.collection.units)
        return ["nonce" if "nonce" in kinds else kinds[0]]

    def points(self, dimension: str = "") -> list[dict[str, Any]]:
        """Return a record of each rater's score, the best first. With a dimension (circuit,
        modifier or suite) return its score on each value instead, or an empty list if there is
        only one value."""
        raters = [rater.name for rater in self.material.raters]
        rows = [row for row in self._rows(dimension or SCORE) if row["rater"] in raters]
        if not dimension:
            rows.sort(key=lambda row: (row["is_apart"], row["kind"], -row["accuracy"]))
        is_single = len({row["value"] for row in rows}) < 2
        return [] if dimension and is_single else rows

    def _rows(self, level: str) -> Iterator[dict[str, Any]]:
        """Yield the rows of one level (score, circuit, modifier or suite) of collection.tsv, with
        labels for the page. On the level of scores, a rater with too few items in common with the
        others also has a row: its accuracy on its own items, marked `is_apart`."""
        circuits = {unit.name: unit.circuit for unit in self.collection.units}
        has_circuits = len(set(circuits.values())) > 1
        table, is_score = self.material.tables.collection, level == SCORE
        is_shown = pl.col("level") == level
        if is_score:
            with_score = table.filter(level=SCORE)["rater"].to_list()
            is_shown |= (pl.col("level") == OWN) & ~pl.col("rater").is_in(with_score)
        for row in table.filter(is_shown).iter_rows(named=True):
            label, is_apart = self.material.labels[row["rater"]], row["level"] == OWN
            panel = fmt.kind_name(row["name"]) if is_score and (row["name"] or is_apart) else ""
            yield {
                **row,
                "panel": f"{panel} · {label} alone" if is_apart else panel,
                "kind": row["name"] if is_score else "",
                "dimension": "" if is_score else level,
                "value": "" if is_score else row["name"],
                "circuit": circuits.get(row["name"], "") if has_circuits else "",
                "label": label,
                "method": OVER_SOURCES,
                "is_apart": is_apart,
            }

    def totals(self) -> list[dict[str, Any]]:
        """Return a record of each rater's scores. That of a group also has the standard deviation
        over its models, as text."""
        return [
            {
                **row,
                "left_out": "",
                "of_group": "mean of its models" if row["rater"] in self.collection.groups else "",
                "detail": fmt.spread(row["sd"]),
            }
            for row in self._rows(SCORE)
        ]

    @cached_property
    def rules(self) -> Mapping[str, Sequence[Rule]]:
        """Name of a score → the baselines of `audit` with their accuracies, the strongest first."""
        rules: dict[str, list[Rule]] = {}
        for guess in baseline_rows(self.collection, self.material.guesses):
            row: dict[str, Any] = {**guess}
            name, low = row["rater"], row["low"]
            limits = None if low is None else Interval(low, row["high"])
            rule = Rule(name, row["n_items"], row["accuracy"], limits, name in CUE_FINDERS)
            rules.setdefault(row["name"], []).append(rule)
        return {name: strongest_first(of_score) for name, of_score in rules.items()}

    @cached_property
    def _above_by_rule(self) -> Mapping[tuple[str, str, str], str]:
        """(Name of a score, rater, baseline) → `yes`, `no` or `unclear`, as `above` returns it."""
        return above_baselines(self.collection, self.material.guesses)

    def above(self, rater: str, rule: Rule, kind: str) -> str:
        """Tell if a rater is more accurate than a baseline: `yes`, `no` or `unclear`. The test
        flips the signs of the differences, source by source."""
        return self._above_by_rule[kind, rater, rule.name]

    def rule_accuracy(self, rule: Rule, point: Record) -> float | None:
        """Return the baseline's score; None if the point is about one circuit, modifier or suite,
        since baselines are not split by these."""
        return None if point["dimension"] else rule.accuracy

    def difference(self, rater: str, other: str, kind: str) -> Difference | None:
        """Return one rater's score minus another's, with its test; None if they were not compared.
        The test flips the signs of suites or, if there is a single suite, of its sources."""
        first, *others = (unit.name for unit in self.collection.units)
        pairs = self.material.tables.paired.filter(name=kind if others else first)
        for row in pairs.iter_rows(named=True):
            # a row over several suites or, if there is only one, the row of this suite
            is_score = (row["n_suites"] > 1) == bool(others)
            if is_score and {row["rater"], row["other"]} == {rater, other}:
                sign = 1 if row["rater"] == rater else -1  # −1: the row has other minus rater
                ends = sorted(sign * end for end in (row["low"], row["high"]) if end is not None)
                limits = Interval(*ends) if ends else None
                return Difference(sign * row["difference"], limits, row["p"], "")
        return None

    def shared(self, kind: str) -> SharedItems[SuiteItem]:
        """Return the items that all raters have answered, out of the units (suites or their
        constructions) that enter the scores.
        The kind is not used: all kinds share one comparison."""
        collection, shared_units = self.collection, self.collection.units_shared
        by_unit = collection.common.values()
        answered = {
            rater: frozenset(chain(*(common.answered.get(rater, ()) for common in by_unit)))
            for rater in collection.listed
        }
        items = frozenset(chain(*(collection.common[name].items for name in shared_units.items)))
        n_items = sum(len(unit.items) for unit in collection.units)
        return SharedItems(items, shared_units.together, answered, n_items)


def prediction_table(material: ReportData) -> Table:
    """Return the table of predictions (formulas of surprisals that a right model fulfils): for each
    unit its first prediction, and how often chance fulfils it."""
    suites = {result.suite.name: result.suite for result in material.results}
    units = material.tables.answers.units
    has_circuits = len({unit.circuit for unit in units}) > 1
    rows = [
        {
            "suite": unit.name,
            "circuit": unit.circuit if has_circuits else "",
            "n_items": len(unit.items),
            "prediction": prediction.source,
            "chance": by_chance.value,
            "method": by_chance.how,
        }
        for unit in units
        for prediction in suites[unit.suite].predictions[:1]
        for by_chance in [chance(prediction)]
    ]
    return Table(
        "predictions",
        "Predictions",
        [
            Column("suite", "suite"),
            Column("circuit", "circuit"),
            Column("items", "n_items", fmt.count_cell),
            Column("prediction", "prediction", fmt.code),
            Column("chance, %", "chance method", fmt.share),
        ],
        rows,
    )


def test_table(material: ReportData) -> Table:
    """Return the table of differences between two raters' accuracies on the same items, with
    tests: first over all suites, then within suites, the smallest p first."""
    labels = {rater.name: rater.label for rater in material.raters}
    is_shown = pl.all_horizontal(pl.col("rater", "other").is_in([*labels]))
    pairs = material.tables.paired.filter(is_shown)
    pairs = pairs.with_columns(pl.col("rater", "other").replace(labels))
    over_suites = pairs.filter(pl.col("n_suites") > 1)
    within_suites = pairs.filter(n_suites=1).sort("p", nulls_last=True, maintain_order=True)
    n_unlisted = within_suites.height - MAX_LISTED_TESTS
    return Table(
        "tests",
        "Differences between raters, on the same items",
        [
            Column("over", "name n_suites", _scope_cell),
            Column("rater", "rater"),
            Column("other", "other"),
            Column("items", "n_items", fmt.count_cell),
            Column("rater, %", "accuracy", fmt.share),
            Column("other, %", "other_accuracy", fmt.share),
            Column("difference", "difference low high", fmt.difference),
            Column("p", "p p_floor", _p_with_floor),
            Column("p (Holm)", "p_holm", fmt.p_value),
        ],
        pl.concat([over_suites, within_suites.head(MAX_LISTED_TESTS)]),
        f"The {n_unlisted} suites with the largest p are not listed." if n_unlisted > 0 else "",
        is_folded=True,
    )


def _scope_cell(name: str, n_suites: int) -> TableCell:
    """Format the cell that names what a test is about: one suite by its name, or the number of
    suites that it covers, with their kind of items."""
    if n_suites == 1:
        return TableCell(name)
    return TableCell(
        f"{fmt.kind_name(name)}, {n_suites} suites" if name else f"all {n_suites} suites"
    )


def _p_with_floor(p: float | None, floor: float | None) -> TableCell:
    """Format a p-value. Below it stands `floor`, the smallest p that so few sources can give, if
    it is large enough to matter."""
    cell = fmt.p_value(p)
    is_shown = floor is not None and MIN_SHOWN_FLOOR < floor < 1
    return TableCell(cell.text, f"≥ {floor:.3f}" if is_shown else "", "number", p)


def region_figures(material: ReportData) -> Iterator[Figure]:
    """Yield a figure for each suite: mean surprisal in bits by region and condition, with a panel
    for each model. If there are several suites, only the model with the best score is drawn. A
    suite that was scored by whole sentences has no figure."""
    raters = [rater.name for rater in material.raters]
    rows = material.tables.regions.filter(pl.col("rater").is_in(raters))
    rows = rows.with_columns(label=pl.col("rater").replace(dict(material.labels)))
    suites = {result.suite.name: result.suite for result in material.results}
    suite_of_unit = {unit.name: suites[unit.suite] for unit in material.tables.answers.units}
    names = rows["suite"].unique(maintain_order=True).to_list()
    if len(names) > 1:
        scores = material.tables.collection.filter(pl.col("rater").is_in(rows["rater"].unique()))
        best = scores.filter(level=SCORE).sort("accuracy")["rater"].tail(1)
        rows = rows.filter(pl.col("rater").is_in(best.to_list()))
    for index, name in enumerate(names):
        of_suite = rows.filter(suite=name)
        if (of_suite["region"] == SENTENCE).all():
            continue
        legend = raters_with_looks(of_suite["condition"].unique(maintain_order=True))
        first_prediction = suite_of_unit[name].predictions[:1]  # none or one
        formula = "".join(f"It is {prediction.source}." for prediction in first_prediction)
        yield figure(
            f"regions-figure-{index}",
            name,
            formula,
            [
                _region_panel(label, of_suite.filter(label=label), legend)
                for label in of_suite["label"].unique(maintain_order=True)
            ],
            legend,
            [
                Column("condition", "condition", fmt.code),
                Column("region", "region", fmt.short),
                Column("model", "label"),
                Column(
                    "in the prediction",
                    "predicted",
                    lambda is_named: TableCell("yes" if is_named else ""),
                ),
                Column("items", "n_items", fmt.count_cell),
                Column("bits", "surprisal_bits", fmt.decimals(2)),
                Column("95 % low", "low", fmt.decimals(2)),
                Column("95 % high", "high", fmt.decimals(2)),
            ],
            of_suite,
        )


def _region_panel(heading: str, rows: pl.DataFrame, legend: list[Rater]) -> Panel:
    """Draw one model's mean surprisals (bits) by region, with joined marks for each condition.
    Regions that the prediction names are shaded. `legend` has the looks of each condition's marks;
    the conditions stand where other figures have raters."""
    look_of_condition = {look.name: look for look in legend}
    ordered = list(rows.sort("position", maintain_order=True).iter_rows(named=True))
    marks = []
    for row in ordered:
        bits = row["surprisal_bits"]
        alt = f"{row['condition']}, {row['region']}: {bits:.2f} bits"
        ends = row["low"], row["high"]
        look = look_of_condition[row["condition"]]
        marks.append(PlotMark(look, bits, *ends, alt, row["position"]))
    ticks = {
        float(row["position"]): name
        if len(name) <= MAX_LABEL_LETTERS
        else f"{name[: MAX_LABEL_LETTERS - 1]}…"
        for row in ordered
        for name in [row["region"]]
    }
    # half a place before the first region and after the last
    sides = min(ticks) - 0.5, max(ticks) + 0.5
    shaded = sorted({row["position"] for row in ordered if row["predicted"]})
    top = max(max(mark.value, mark.high or 0.0) for mark in marks)
    across = Axis("", ticks, sides)
    up = Axis("surprisal, bits", ends=(0, 1.05 * top or 1.0))  # 1 where all surprisals are 0
    style = MarkStyle(smaller=1.5)
    return mark_panel(heading, marks, across, up, style=style, shaded=shaded)
