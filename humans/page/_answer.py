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

MIN_CIRCUIT_ITEMS = 10  # of a circuit (group of suites) that is named as the best or the weakest
SIGNIFICANCE_LEVEL = 0.05  # p below which the best model is called the best
MAX_DIFFERENCES = 3  # between people and the best model; more are only in the table


def answers(scores: PageScores) -> list[Mapping[str, Any]]:
    """Return a record for each headline (a kind of items or a score that the answer is about), with
    the facts that `answer.jinja` puts into sentences."""
    return [_headline_facts(scores, kind) for kind in scores.headlines]


def unscored(material: ReportData) -> Mapping[str, Any]:
    """Return what the top of the page says before anything is scored: the numbers of accepted
    constructions and of their originals, and the accepted constructions without items here."""
    accepted = [row for row in material.constructions if row["verdict"] == ACCEPTED]
    return {
        "n_accepted": len(accepted),
        "n_originals": sum(int(str(row["n_originals"])) for row in accepted),
        "absent": [row for row in accepted if not row["n_items"]] if material.items else [],
    }


def _headline_facts(scores: PageScores, kind: str) -> Mapping[str, Any]:
    """Return the facts of one headline, for the template. A toy model (too small to be taken
    seriously) is never the best or the weakest. A fact that does not apply is None or empty."""
    material = scores.material
    is_first = kind == scores.headlines[0]
    models = scores.headline(kind)
    toys = [point for point in models if point["rater"] in material.toys]
    serious = [point for point in models if point["rater"] not in material.toys]
    best = max(serious, key=lambda point: point["accuracy"], default=None)
    best_rater = best["rater"] if best else None
    weakest = min(serious, key=lambda point: point["accuracy"], default=None)
    people = [
        point
        for point in scores.points()
        if point["rater"] == HUMANS and (point["kind"] == kind or is_first)
    ]
    people.sort(key=lambda point: point["kind"] != kind)  # the headline's own kind first
    by_circuit = scores.points(CIRCUIT) if CIRCUIT in scores.in_detail else []
    circuits = [
        point
        for point in by_circuit
        if point["rater"] == best_rater and point["n_items"] >= MIN_CIRCUIT_ITEMS
    ]
    circuits.sort(key=lambda point: point["accuracy"])
    on_originals = [
        point
        for point in scores.points()
        if (point["rater"], point["kind"]) == (best_rater, "original") and not point["is_apart"]
    ]
    return {
        "best": best,
        "n_models": len(serious),
        "lead": _lead_over_models(scores, kind, best, serious) if best else None,
        "rules": _strongest_rules(scores, kind, best["rater"]) if best else [],
        "relations": _accuracies_by_value(scores, RELATION, best),
        "first_nouns": _accuracies_by_first_noun(scores, best),
        "values": _accuracies_by_value(scores, "value", best),
        "compared_on": compared_on(scores, kind) if models else "",
        "originals": on_originals[0] if on_originals and is_first and kind != "original" else None,
        "weakest": weakest if weakest is not best else None,
        "circuits": circuits if len(circuits) > 1 else [],
        "people": people[0] if people else None,
        "toys": toys,
        "why_toys": [*filter(None, dict.fromkeys(material.toys[toy["rater"]] for toy in toys))],
        "differences": _people_differences(scores, kind, best) if best else [],
        "few": FEW_RATERS,
    }  # fmt: skip


def _lead_over_models(
    scores: PageScores, kind: str, best: Record, models: list[dict[str, Any]]
) -> Mapping[str, Any] | None:
    """Test if the best model may be called the best: its difference from every other model must
    have p < .05. Return the test with the largest p, the label of the model in it, and `is_best`;
    None if nothing could be tested."""
    tests = [
        (scores.difference(best["rater"], other["rater"], kind), other["label"])
        for other in models
        if other is not best
    ]
    with_p = [
        (test.p, test, label) for test, label in tests if test is not None and test.p is not None
    ]
    if not with_p:
        return None
    largest_p = max(p for p, _, _ in with_p)
    test, label = next((test, label) for p, test, label in with_p if p == largest_p)
    is_best = len(with_p) == len(tests) and largest_p < SIGNIFICANCE_LEVEL
    return {"test": test, "other": label, "is_best": is_best}


def _strongest_rules(scores: PageScores, kind: str, rater: str) -> list[tuple[Rule, str]]:
    """Return the strongest rule (a baseline that knows no syntax) and, if that sees the head (the
    noun to agree with), also the strongest that does not. Each comes with `yes`, `no` or `unclear`:
    the answer to whether the rater is more accurate."""
    # keyed by name, since both may be the same rule
    strongest_two = scores.strongest(kind), scores.strongest(kind, blind=True)
    by_name = {
        rule.name: replace(rule, accuracy=rule.strength, limits=rule.headline or rule.limits)
        for rule in strongest_two
        if rule is not None
    }
    return [(rule, scores.above(rater, rule, kind)) for rule in by_name.values()]


def _accuracies_by_value(
    scores: PageScores, dimension: str, best: Record | None
) -> list[tuple[Record, float | None]]:
    """Return the best model's accuracy for each value of a dimension (a property that splits
    items), with the strongest rule's accuracy from 0 to 1 on the same items, or None. Return an
    empty list if there is only one value."""
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


def _accuracies_by_first_noun(
    scores: PageScores, best: Record | None
) -> list[tuple[Record, float | None]]:
    """Return the same as `_accuracies_by_value` for the values of the first noun, on composed items
    whose nouns between head and target have the opposite value."""
    return [
        ({**point, "value": first_noun}, rule_accuracy)
        for point, rule_accuracy in _accuracies_by_value(scores, "cell", best)
        # a cell is named `nouns between, first noun`
        for nouns_between, _, first_noun in [point["value"].partition(", ")]
        if first_noun and nouns_between == BETWEEN["opposite"]
    ]


def _people_differences(scores: PageScores, kind: str, best: Record) -> list[dict[str, Any]]:
    """Return the rows of comparison.tsv in which people and the best model differ on a kind of
    items, all constructions together. The first headline also gets the rows of kinds that are no
    headline. Return an empty list if the rows are too many for sentences."""
    material, headlines = scores.material, scores.headlines
    totals = list(material.comparison.filter(pl.col("construction") == "").iter_rows(named=True))
    answers_per_item = {
        (row["suite"], row["kind"]): row["raters"] for row in totals if row["rater"] == HUMANS
    }
    rows = [
        {**row, "raters": answers_per_item.get((row["suite"], row["kind"]))}
        for row in totals
        if row["difference"] is not None
        and row["rater"] == best["rater"]
        and (row["kind"] == kind or (kind == headlines[0] and row["kind"] not in headlines))
    ]
    return rows if material.is_by_kind or len(rows) <= MAX_DIFFERENCES else []
