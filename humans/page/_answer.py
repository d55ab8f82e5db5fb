"""The answer at the top of the page: the facts that its sentences are made from."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from ...nonce.audit.baselines import BASELINES, CUE_FINDERS
from ...scoring.outcomes.accuracy import RELATION
from ..collection.suite_scores import CIRCUIT, SCORE
from ..statistics.rater_accuracy import FEW_RATERS, HUMANS
from ._accuracies import BETWEEN, CHANCE, Accuracies, Rule, compared_on
from ._parts import Record
from ._report_data import ACCEPTED, ReportData, SuitesData

FEWEST = 10  # items of a circuit that is named as the best or the weakest
LEVEL = 0.05


def agreement_answer(accuracies: Accuracies) -> Mapping[str, Any]:
    """Return the facts of agreement items. A toy is never the best."""
    material = accuracies.material
    points = accuracies.points()
    models = [p for p in points if p["rater"] != HUMANS and not p["is_apart"]]
    kinds = [point["kind"] for point in models]
    kind = "nonce" if "nonce" in kinds else kinds[0] if kinds else ""
    main = accuracies.headline(kind) if kind else []
    grown = [point for point in main if point["rater"] not in material.toys]
    best = max(grown, key=lambda point: point["accuracy"], default=None)
    weakest = min(grown, key=lambda point: point["accuracy"], default=None)
    people = [point for point in points if point["rater"] == HUMANS]
    accepted = [row for row in material.constructions if row["verdict"] == ACCEPTED]
    originals = [p for p in models if best and p["rater"] == best["rater"]]
    return {
        "kind": kind,
        "best": best,
        "n_models": len(grown),
        "chance": CHANCE,
        "lead": _lead(accuracies, kind, best, grown) if best else None,
        "rules": _rules(accuracies, kind, best["rater"]) if best else [],
        "n_rules": len(accuracies.rules.get(kind, ())),
        "relations": _cells(accuracies, RELATION, best),
        "first_nouns": [
            ({**point, "value": first}, rule)
            for point, rule in _cells(accuracies, "cell", best)
            for nouns, _, first in [point["value"].partition(", ")]
            if first and nouns == BETWEEN["opposite"]
        ],
        "values": _cells(accuracies, "value", best),
        "compared_on": compared_on(material, kind) if main else "",
        "originals": next((p for p in originals if p["kind"] == "original" != kind), None),
        "weakest": weakest if weakest is not best else None,
        "people": next((p for p in people if p["kind"] == kind), people[0] if people else None),
        "toys": [point for point in main if point["rater"] in material.toys],
        "why_toys": list(
            filter(None, dict.fromkeys(material.toys.get(p["rater"], "") for p in main))
        ),
        "differences": [
            row for row in _differences(material) if best and row["rater"] == best["rater"]
        ],
        "few": FEW_RATERS,
        "n_accepted": len(accepted),
        "n_originals": sum(int(str(row["n_originals"])) for row in accepted),
        "absent": [row for row in accepted if not row["n_items"]] if material.items else [],
    }


def _lead(
    accuracies: Accuracies, kind: str, best: Record, models: Sequence[Record]
) -> Mapping[str, Any] | None:
    """Return the test of the best model against the one from which it is told apart least; None
    without another. Only a model that is above every other is called the best."""
    tests = [
        (accuracies.minus(best["rater"], accuracies.credits[other["rater"]], kind), other["label"])
        for other in models
        if other is not best
    ]
    known = [(test, label) for test, label in tests if test is not None and test.p is not None]
    if not known:
        return None
    test, label = max(known, key=lambda pair: pair[0].p or 0.0)
    is_best = len(known) == len(tests) and (test.p or 0.0) < LEVEL
    return {"test": test, "other": label, "is_best": is_best}


def _rules(accuracies: Accuracies, kind: str, rater: str) -> list[tuple[Rule, str]]:
    """Return the strongest rule and, where it sees the head, the strongest that does not; each with
    whether the rater is above it."""
    both = accuracies.strongest(kind), accuracies.strongest(kind, blind=True)
    rules = dict.fromkeys(rule.name for rule in both if rule is not None)
    by_name = {
        rule.name: replace(rule, accuracy=rule.strength, limits=rule.headline or rule.limits)
        for rule in both
        if rule is not None
    }
    return [(by_name[n], accuracies.above(rater, by_name[n], kind)) for n in rules]


def _cells(
    accuracies: Accuracies, dimension: str, best: Record | None
) -> list[tuple[Record, float | None]]:
    """Return a model's accuracies along a dimension, each with that of the strongest rule there;
    nothing of a single cell."""
    if best is None:
        return []
    points: list[tuple[Record, float | None]] = [
        (point, None if cell.value is None else cell.value / 100)
        for point in accuracies.points(dimension)
        if (point["rater"], point["kind"]) == (best["rater"], best["kind"])
        and not point["is_apart"]
        for cell in [accuracies.cell_of_rule(point)]
    ]
    return points if len(points) > 1 else []


def _differences(material: ReportData) -> list[dict[str, Any]]:
    """Return people minus models by both measures, over all constructions of a kind."""
    table = material.comparison
    totals = list(table.filter(pl.col("construction") == "").iter_rows(named=True))
    answers = {(r["suite"], r["kind"]): r["raters"] for r in totals if r["rater"] == HUMANS}
    return [
        {**row, "raters": answers.get((row["suite"], row["kind"]))}
        for row in totals
        if row["difference"] is not None
    ]


def suites_answer(material: ReportData, suites: SuitesData) -> Mapping[str, Any]:
    """Return the facts of controlled suites: of originals and nonce variants those of the
    variants."""
    labels = {rater.name: rater.label for rater in material.raters}
    every = suites.scores.filter(pl.col("rater").is_in(list(labels)))
    scores = list(every.filter(pl.col("level") == SCORE).iter_rows(named=True))
    names = {row["name"] for row in scores}
    name = "nonce" if "nonce" in names else min(names, default="")
    rows = [row for row in scores if row["name"] == name]
    models = [row for row in rows if row["rater"] != HUMANS]
    grown = [row for row in models if row["rater"] not in material.toys]
    best = max(grown, key=lambda row: row["accuracy"], default=None)
    mine = pl.col("rater") == (best["rater"] if best else "")
    circuits = every.filter(mine, pl.col("level") == CIRCUIT, pl.col("n_items") >= FEWEST)
    ordered = list(circuits.sort("accuracy", maintain_order=True).iter_rows(named=True))
    present = {row["rater"] for row in rows}
    return {
        "name": name,
        "unit": suites.unit,
        "labels": labels,
        "models": models,
        "best": best,
        "n_models": len(grown),
        "lead": _suites_lead(suites, best, [row["rater"] for row in grown]) if best else None,
        "rules": _suites_rules(suites, best) if best else [],
        "rows": rows,
        "shared": suites.uneven if len(labels) > 1 and rows else (),
        "alone": [labels[rater] for rater, *_ in suites.uneven if rater not in present],
        "weakest": ordered[0] if len(ordered) > 1 else None,
        "strongest": ordered[-1] if len(ordered) > 1 else None,
        "people": next((row for row in rows if row["rater"] == HUMANS), None),
        "toys": [labels[row["rater"]] for row in models if row not in grown],
        "differences": [
            row for row in _differences(material) if best and row["rater"] == best["rater"]
        ],
        "few": FEW_RATERS,
    }


def _suites_lead(
    suites: SuitesData, best: Record, models: Sequence[str]
) -> Mapping[str, Any] | None:
    """Return the row of the test of the best model against the one from which it is told apart
    least, the best first; None where there is none."""
    rows = []
    for row in suites.paired.iter_rows(named=True):
        pair = {row["rater"], row["other"]}
        is_over_all = row["name"] == best["name"] and row["n_suites"] == best["n_suites"]
        if is_over_all and best["rater"] in pair <= set(models) and row["p"] is not None:
            sign = 1 if row["rater"] == best["rater"] else -1
            ends = [row["low"], row["high"]][::sign]
            test = {
                "value": sign * row["difference"],
                "low": None if ends[0] is None else sign * ends[0],
                "high": None if ends[1] is None else sign * ends[1],
                "p": row["p"],
            }
            (other,) = pair - {best["rater"]}
            rows.append((row["p"], {"test": test, "other": other}))
    if not rows:
        return None
    p, lead = max(rows, key=lambda pair: pair[0])
    return {**lead, "is_best": p < LEVEL}


def _suites_rules(suites: SuitesData, best: Record) -> list[tuple[Record, str]]:
    """Return the strongest rule and, where it sees the head, the strongest that does not."""
    rules = [row for row in suites.baselines.iter_rows(named=True) if row["name"] == best["name"]]
    rules = [{**row, "sees_head": row["rater"] in CUE_FINDERS} for row in rules]
    rules.sort(key=lambda row: (-row["accuracy"], row["sees_head"]))
    blind = [row for row in rules if not row["sees_head"]]
    chosen = {row["rater"]: row for row in (*rules[:1], *blind[:1])}
    return [
        ({**row, "phrase": BASELINES[name].phrase}, suites.above[row["name"], best["rater"], name])
        for name, row in chosen.items()
    ]
