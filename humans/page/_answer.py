"""The answer at the top of the page: the facts from which `answer.jinja` makes its sentences."""

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

FEWEST_ITEMS = 10  # of a circuit (group of suites) that is named as the best or the weakest
LEVEL = 0.05  # p below which the best model is called the best
MOST_DIFFERENCES = 3  # between people and the best model; more are only in the table


def answers(scores: PageScores) -> list[Mapping[str, Any]]:
    """Return the facts of the answer for each headline (kind of items, or score), by name."""
    return [_answer(scores, kind) for kind in scores.headlines]


def unscored(material: ReportData) -> Mapping[str, Any]:
    """Return counts of what was mined, and the constructions that were accepted but have no item
    here."""
    accepted = [row for row in material.constructions if row["verdict"] == ACCEPTED]
    return {
        "n_accepted": len(accepted),
        "n_originals": sum(int(str(row["n_originals"])) for row in accepted),
        "absent": [row for row in accepted if not row["n_items"]] if material.items else [],
    }


def _answer(scores: PageScores, kind: str) -> Mapping[str, Any]:
    """Return the facts of one headline. A toy model is never the best."""
    material = scores.material
    is_first = kind == scores.headlines[0]
    models = scores.headline(kind)
    toys = [point for point in models if point["rater"] in material.toys]
    serious = [point for point in models if point["rater"] not in material.toys]
    best = max(serious, key=lambda point: point["accuracy"], default=None)
    weakest = min(serious, key=lambda point: point["accuracy"], default=None)
    people = [
        point
        for point in scores.points()
        if point["rater"] == HUMANS and (point["kind"] == kind or is_first)
    ]
    people.sort(key=lambda point: point["kind"] != kind)
    by_circuit = scores.points(CIRCUIT) if CIRCUIT in scores.in_detail else []
    circuits = [
        point
        for point in by_circuit
        if best and point["rater"] == best["rater"] and point["n_items"] >= FEWEST_ITEMS
    ]
    circuits.sort(key=lambda point: point["accuracy"])
    return {
        "best": best,
        "n_models": len(serious),
        "lead": _lead(scores, kind, best, serious) if best else None,
        "rules": _rules(scores, kind, best["rater"]) if best else [],
        "relations": _cells(scores, RELATION, best),
        "first_nouns": [
            ({**point, "value": first}, rule)
            for point, rule in _cells(scores, "cell", best)
            for nouns, _, first in [point["value"].partition(", ")]
            if first and nouns == BETWEEN["opposite"]
        ],
        "values": _cells(scores, "value", best),
        "compared_on": compared_on(scores, kind) if models else "",
        "originals": next(
            (
                point
                for point in scores.points()
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
    """Return the test with the largest p of the best model against another model, and if the best
    may be called so, which takes p < .05 against every other. Return None if nothing was tested."""
    tests = [
        (scores.difference(best["rater"], other["rater"], kind), other["label"])
        for other in models
        if other is not best
    ]
    with_p = [(test, label) for test, label in tests if test is not None and test.p is not None]
    if not with_p:
        return None
    test, label = max(with_p, key=lambda pair: pair[0].p or 0.0)
    is_best = len(with_p) == len(tests) and (test.p or 0.0) < LEVEL
    return {"test": test, "other": label, "is_best": is_best}


def _rules(scores: PageScores, kind: str, rater: str) -> list[tuple[Rule, str]]:
    """Return the strongest rule and, if it sees the head, the strongest that does not. With each
    comes `yes`, `no` or `unclear`: if the rater is more accurate."""
    strongest_two = scores.strongest(kind), scores.strongest(kind, blind=True)
    by_name = {
        rule.name: replace(rule, accuracy=rule.strength, limits=rule.headline or rule.limits)
        for rule in strongest_two
        if rule is not None
    }
    return [(rule, scores.above(rater, rule, kind)) for rule in by_name.values()]


def _cells(
    scores: PageScores, dimension: str, best: Record | None
) -> list[tuple[Record, float | None]]:
    """Return the best model's accuracies along a dimension, each with the strongest rule's accuracy
    on the same items; nothing if there is only one value."""
    if best is None or dimension not in scores.in_answer:
        return []
    points: list[tuple[Record, float | None]] = [
        (point, None if cell.value is None else cell.value / 100)
        for point in scores.points(dimension)
        if (point["rater"], point["kind"]) == (best["rater"], best["kind"])
        and not point["is_apart"]
        for cell in [scores.rule_cell(point)]
    ]
    return points if len(points) > 1 else []


def _differences(scores: PageScores, kind: str, best: Record) -> list[dict[str, Any]]:
    """Return the rows that compare people with the best model on all constructions of a kind. The
    first headline also has those of kinds without a headline."""
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
