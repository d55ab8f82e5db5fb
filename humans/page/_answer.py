"""The answer at the top of the page: the facts that its sentences are made from."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from ...scoring.outcomes.accuracy import RELATION
from ..collection.suite_scores import CIRCUIT
from ..statistics.rater_accuracy import FEW_RATERS, HUMANS
from ._accuracies import BETWEEN, PageScores, Rule, compared_on
from ._parts import Record
from ._report_data import ACCEPTED, ReportData

FEWEST = 10  # items of a circuit that is named as the best or the weakest
LEVEL = 0.05
MOST_DIFFERENCES = 3  # between people and the best model; more are only in the table


def answers(scores: PageScores) -> list[Mapping[str, Any]]:
    """Return the facts of each headline."""
    return [_answer(scores, kind) for kind in scores.headlines]


def unscored(material: ReportData) -> Mapping[str, Any]:
    """Return what was mined, and what was accepted but has no item here."""
    accepted = [row for row in material.constructions if row["verdict"] == ACCEPTED]
    return {
        "n_accepted": len(accepted),
        "n_originals": sum(int(str(row["n_originals"])) for row in accepted),
        "absent": [row for row in accepted if not row["n_items"]] if material.items else [],
    }


def _answer(scores: PageScores, kind: str) -> Mapping[str, Any]:
    """Return the facts of one headline. A toy is never the best."""
    material = scores.material
    is_first = kind == scores.headlines[0]
    main = scores.headline(kind)
    grown = [point for point in main if point["rater"] not in material.toys]
    best = max(grown, key=lambda point: point["accuracy"], default=None)
    weakest = min(grown, key=lambda point: point["accuracy"], default=None)
    points = [point for point in scores.points() if point["kind"] in (kind, "original")]
    people = [
        p for p in scores.points() if p["rater"] == HUMANS and (p["kind"] == kind or is_first)
    ]
    people.sort(key=lambda point: point["kind"] != kind)
    toys = [point for point in main if point["rater"] in material.toys]
    own = scores.points(CIRCUIT) if CIRCUIT in scores.in_detail else []
    circuits = [p for p in own if best and p["rater"] == best["rater"] and p["n_items"] >= FEWEST]
    circuits.sort(key=lambda point: point["accuracy"])
    return {
        "best": best,
        "n_models": len(grown),
        "lead": _lead(scores, kind, best, grown) if best else None,
        "rules": _rules(scores, kind, best["rater"]) if best else [],
        "relations": _cells(scores, RELATION, best),
        "first_nouns": [
            ({**point, "value": first}, rule)
            for point, rule in _cells(scores, "cell", best)
            for nouns, _, first in [point["value"].partition(", ")]
            if first and nouns == BETWEEN["opposite"]
        ],
        "values": _cells(scores, "value", best),
        "compared_on": compared_on(scores, kind) if main else "",
        "originals": next(
            (
                point
                for point in points
                if best and point["rater"] == best["rater"] and not point["is_apart"]
                and is_first and point["kind"] == "original" != kind
            ),
            None,
        ),
        "weakest": weakest if weakest is not best else None,
        "circuits": circuits if len(circuits) > 1 else [],
        "people": people[0] if people else None,
        "toys": toys,
        "why_toys": [why for why in dict.fromkeys(material.toys[p["rater"]] for p in toys) if why],
        "differences": _differences(scores, kind, best) if best else [],
        "few": FEW_RATERS,
    }  # fmt: skip


def _lead(
    scores: PageScores, kind: str, best: Record, models: list[dict[str, Any]]
) -> Mapping[str, Any] | None:
    """Return the test of the best model against the one from which it is told apart least; None
    without another. Only a model that is above every other is called the best."""
    tests = [
        (scores.minus(best["rater"], other["rater"], kind), other["label"])
        for other in models
        if other is not best
    ]
    known = [(test, label) for test, label in tests if test is not None and test.p is not None]
    if not known:
        return None
    test, label = max(known, key=lambda pair: pair[0].p or 0.0)
    is_best = len(known) == len(tests) and (test.p or 0.0) < LEVEL
    return {"test": test, "other": label, "is_best": is_best}


def _rules(scores: PageScores, kind: str, rater: str) -> list[tuple[Rule, str]]:
    """Return the strongest rule and, where it sees the head, the strongest that does not; each with
    whether the rater is above it."""
    both = scores.strongest(kind), scores.strongest(kind, blind=True)
    by_name = {
        rule.name: replace(rule, accuracy=rule.strength, limits=rule.headline or rule.limits)
        for rule in both
        if rule is not None
    }
    return [(rule, scores.above(rater, rule, kind)) for rule in by_name.values()]


def _cells(
    scores: PageScores, dimension: str, best: Record | None
) -> list[tuple[Record, float | None]]:
    """Return a model's accuracies along a dimension, each with that of the strongest rule there;
    nothing of a single cell."""
    if best is None or dimension not in scores.in_answer:
        return []
    points: list[tuple[Record, float | None]] = [
        (point, None if cell.value is None else cell.value / 100)
        for point in scores.points(dimension)
        if (point["rater"], point["kind"]) == (best["rater"], best["kind"])
        and not point["is_apart"]
        for cell in [scores.cell_of_rule(point)]
    ]
    return points if len(points) > 1 else []


def _differences(scores: PageScores, kind: str, best: Record) -> list[dict[str, Any]]:
    """Return people minus the best model by both measures, over all constructions of a kind; of
    what has no headline of its own with the first."""
    material, headlines = scores.material, scores.headlines
    totals = list(material.comparison.filter(pl.col("construction") == "").iter_rows(named=True))
    raters = {(r["suite"], r["kind"]): r["raters"] for r in totals if r["rater"] == HUMANS}
    rows = [
        {**row, "raters": raters.get((row["suite"], row["kind"]))}
        for row in totals
        if row["difference"] is not None
        and row["rater"] == best["rater"]
        and (row["kind"] == kind or (kind == headlines[0] and row["kind"] not in headlines))
    ]
    return rows if material.is_by_kind or len(rows) <= MOST_DIFFERENCES else []
