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
from ..statistics.rater_accuracy import HUMANS
from ..statistics.shared_items import SharedItems
from . import _parts as form
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

MOST_TESTS = 20  # within suites; more are only in paired.tsv
HIGH_FLOOR = 0.05 / 4  # a smallest possible p that is worth telling
LONGEST_NAME = 14  # letters of a region's name below an axis


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

    @cached_property
    def guesses(self) -> Mapping[str, Mapping[SuiteItem, float]]:
        """Baseline (a rule of `audit` that knows no syntax) → (suite, item) → credit."""
        guesses: dict[str, dict[SuiteItem, float]] = {}
        for suite, by_name in self.material.guesses.items():
            for name, credits in by_name.items():
                keyed = {(suite, item): credit for item, credit in credits.items()}
                guesses.setdefault(name, {}).update(keyed)
        return guesses

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
        is_several = len(set(circuits.values())) > 1
        table = self.material.tables.collection
        has_row = pl.col("rater").is_in(table.filter(level=level)["rater"].to_list())
        is_alone = (pl.col("level") == OWN) & ~has_row if level == SCORE else pl.lit(False)
        for row in table.filter((pl.col("level") == level) | is_alone).iter_rows(named=True):
            label, is_apart = self.material.labels[row["rater"]], row["level"] == OWN
            is_score = level == SCORE
            panel = form.kind_name(row["name"]) if is_score and (row["name"] or is_apart) else ""
            yield {
                **row,
                "panel": f"{panel} · {label} alone" if is_apart else panel,
                "kind": row["name"] if is_score else "",
                "dimension": "" if is_score else level,
                "value": "" if is_score else row["name"],
                "circuit": circuits.get(row["name"], "") if is_several else "",
                "label": label,
                "method": OVER_SOURCES,
                "is_apart": is_apart,
            }

    def headline(self, kind: str) -> list[dict[str, Any]]:
        """Return the scores, of this name, of the models that are compared with each other."""
        return [
            {**point, "over_values": (), "over_items": point["accuracy"]}
            for point in self.points()
            if point["kind"] == kind and point["rater"] != HUMANS and not point["is_apart"]
        ]

    def totals(self) -> list[dict[str, Any]]:
        """Return a record of each rater's scores. That of a group also has the standard deviation
        over its models, as text."""
        return [
            {
                **row,
                "left_out": "",
                "of_group": "mean of its models" if row["rater"] in self.collection.groups else "",
                "detail": form.spread(row["sd"]),
            }
            for row in self._rows(SCORE)
        ]

    @cached_property
    def rules(self) -> Mapping[str, Sequence[Rule]]:
        """Name of a score → the baselines of `audit` with their accuracies, the strongest first."""
        rules: dict[str, list[Rule]] = {}
        for guess in baseline_rows(self.collection, self.guesses):
            row: dict[str, Any] = {**guess}
            name, low = row["rater"], row["low"]
            limits = None if low is None else Interval(low, row["high"])
            rule = Rule(name, row["n_items"], row["accuracy"], limits, name in CUE_FINDERS)
            rules.setdefault(row["name"], []).append(rule)
        return {name: strongest_first(of_score) for name, of_score in rules.items()}

    @cached_property
    def _above_by_rule(self) -> Mapping[tuple[str, str, str], str]:
        """(Name of a score, rater, baseline) → `yes`, `no` or `unclear`, as `above` returns it."""
        return above_baselines(self.collection, self.guesses)

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
            is_score = (row["n_suites"] > 1) == bool(others)
            if is_score and {row["rater"], row["other"]} == {rater, other}:
                sign = 1 if row["rater"] == rater else -1
                ends = sorted(sign * end for end in (row["low"], row["high"]) if end is not None)
                limits = Interval(*ends) if ends else None
                return Difference(sign * row["difference"], limits, row["p"], "")
        return None

    def shared(self, kind: str) -> SharedItems[SuiteItem]:
        """Return the items that all raters have answered, out of the units (suites or their
        constructions) that enter the scores.
        The kind is not used: all kinds share one comparison."""
        collection, together = self.collection, self.collection.units_shared
        by_unit = collection.common.values()
        answered = {
            rater: frozenset(chain(*(common.answered.get(rater, ()) for common in by_unit)))
            for rater in collection.listed
        }
        items = frozenset(chain(*(collection.common[name].items for name in together.items)))
        n_items = sum(len(unit.items) for unit in collection.units)
        return SharedItems(items, together.together, answered, n_items)


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
            "chance": guess.value,
            "method": guess.how,
        }
        for unit in units
        for prediction in suites[unit.suite].predictions[:1]
        for guess in [chance(prediction)]
    ]
    return Table(
        "predictions",
        "Predictions",
        [
            Column("suite", "suite"),
            Column("circuit", "circuit"),
            Column("items", "n_items", form.count_cell),
            Column("prediction", "prediction", form.code),
            Column("chance, %", "chance method", form.share),
        ],
        rows,
    )


def test_table(material: ReportData) -> Table:
    """Return the table of differences between two raters' accuracies on the same items, with
    tests: first over all suites, then within suites, the smallest p first."""
    labels = {rater.name: rater.label for rater in material.raters}
    names = [*labels]
    shown = pl.col("rater").is_in(names) & pl.col("other").is_in(names)
    pairs = material.tables.paired.filter(shown)
    pairs = pairs.with_columns(pl.col("rater", "other").replace(labels))
    over_suites = pairs.filter(pl.col("n_suites") > 1)
    within_suites = pairs.filter(n_suites=1).sort("p", nulls_last=True, maintain_order=True)
    n_out = within_suites.height - MOST_TESTS
    return Table(
        "tests",
        "Differences between raters, on the same items",
        [
            Column("over", "name n_suites", _scope_cell),
            Column("rater", "rater"),
            Column("other", "other"),
            Column("items", "n_items", form.count_cell),
            Column("rater, %", "accuracy", form.share),
            Column("other, %", "other_accuracy", form.share),
            Column("difference", "difference low high", form.difference),
            Column("p", "p p_floor", _p_with_floor),
            Column("p (Holm)", "p_holm", form.p_value),
        ],
        pl.concat([over_suites, within_suites.head(MOST_TESTS)]),
        f"The {n_out} suites with the largest p are not listed." if n_out > 0 else "",
        is_folded=True,
    )


def _scope_cell(name: str, n_suites: int) -> TableCell:
    """Format the cell that names what a test is about: one suite by its name, or the number of
    suites that it covers, with their kind of items."""
    if n_suites == 1:
        return TableCell(name)
    return TableCell(
        f"{form.kind_name(name)}, {n_suites} suites" if name else f"all {n_suites} suites"
    )


def _p_with_floor(p: float | None, floor: float | None) -> TableCell:
    """Format a p-value. Below it stands `floor`, the smallest p that so few sources can give, if
    it is large enough to matter."""
    cell = form.p_value(p)
    is_shown = floor is not None and HIGH_FLOOR < floor < 1
    return TableCell(cell.text, f"≥ {floor:.3f}" if is_shown else "", "number", p)


def region_figures(material: ReportData) -> Iterator[Figure]:
    """Yield a figure for each suite: mean surprisal in bits by region and condition, with a panel
    for each model. If there are several suites, only the model with the best score is drawn. A
    suite that was scored by whole sentences has no figure."""
    raters = [rater.name for rater in material.raters]
    rows = material.tables.regions.filter(pl.col("rater").is_in(raters))
    rows = rows.with_columns(label=pl.col("rater").replace(dict(material.labels)))
    suites = {result.suite.name: result.suite for result in material.results}
    suite_of = {unit.name: suites[unit.suite] for unit in material.tables.answers.units}
    names = rows["suite"].unique(maintain_order=True).to_list()
    if len(names) > 1:
        scores = material.tables.collection.filter(pl.col("rater").is_in(rows["rater"].unique()))
        best = scores.filter(level=SCORE).sort("accuracy")["rater"].to_list()[-1:]
        rows = rows.filter(pl.col("rater").is_in(best))
    for index, name in enumerate(names):
        of_suite = rows.filter(suite=name)
        if not (of_suite["region"] != SENTENCE).any():
            continue
        legend = raters_with_looks(of_suite["condition"].unique(maintain_order=True))
        formula = " ".join(f"It is {each.source}." for each in suite_of[name].predictions[:1])
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
                Column("condition", "condition", form.code),
                Column("region", "region", form.short),
                Column("model", "label"),
                Column("in the prediction", "predicted", lambda n: TableCell("yes" if n else "")),
                Column("items", "n_items", form.count_cell),
                Column("bits", "surprisal_bits", form.decimals(2)),
                Column("95 % low", "low", form.decimals(2)),
                Column("95 % high", "high", form.decimals(2)),
            ],
            of_suite,
        )


def _region_panel(heading: str, rows: pl.DataFrame, legend: list[Rater]) -> Panel:
    """Draw one model's mean surprisals (bits) by region, with joined marks for each condition.
    Regions that the prediction names are shaded."""
    looks = {rater.name: rater for rater in legend}
    ordered = list(rows.sort("position", maintain_order=True).iter_rows(named=True))
    marks = []
    for row in ordered:
        bits = row["surprisal_bits"]
        alt = f"{row['condition']}, {row['region']}: {bits:.2f} bits"
        ends = row["low"], row["high"]
        marks.append(PlotMark(looks[row["condition"]], bits, *ends, alt, row["position"]))
    ticks = {
        float(row["position"]): name
        if len(name) <= LONGEST_NAME
        else f"{name[: LONGEST_NAME - 1]}…"
        for row in ordered
        for name in [row["region"]]
    }
    shaded = sorted({row["position"] for row in ordered if row["predicted"]})
    top = max(max(mark.value, mark.high or 0.0) for mark in marks)
    across = Axis("", ticks, (min(ticks) - 0.5, max(ticks) + 0.5))
    up = Axis("surprisal, bits", ends=(0, 1.05 * top or 1.0))
    style = MarkStyle(smaller=1.5)
    return mark_panel(heading, marks, across, up, style=style, shaded=shaded)
