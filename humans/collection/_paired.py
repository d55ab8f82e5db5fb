"""Raters in pairs: whether they differ on the same items, and which find the same suites hard.

Within a suite whole clusters of items change sign; over suites whole suites do, which asks whether
the difference of two SG scores would hold in other suites of the sort. With few suites no p can be
small: `p_floor` says how small. Holm's adjustment is over the pairs of raters, and within suites
over pairs and suites. People are compared by their majority (ties half), as choices are, and over
suites alone: within one, people are a sample, too (`comparison.tsv`).
"""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from ...data.statistics.differences import Difference, sign_flip
from ...data.statistics.rank_correlation import pearson, spearman
from ...data.statistics.significance import holm
from ...data.tables import Row
from ..statistics.rater_accuracy import HUMANS, credits_in
from .collect import CollectedAnswers
from .suite_scores import kind_of, scored_kinds

NO_INTERVAL = "no interval of the difference: with so few sources no p is below .05"
ACCURACIES = ("accuracy", "other_accuracy")
FEWEST = 3  # suites of which correlations are told: two always lie on a line


def paired_rows(collection: CollectedAnswers) -> Iterator[Row]:
    """Yield rows of paired.tsv: every pair of raters that `collection.listed` has, first over the
    suites that all raters have (where they are two or more), then in each suite. With more than one
    suite `name` is empty, or a kind of items where there are originals and nonce variants;
    accuracies are then the unweighted means of the suites'."""
    over: list[dict[str, Any]] = []
    singles: list[dict[str, Any]] = []
    shared = collection.units_shared
    credits = {rater: credits_in(answers) for rater, answers in collection.answers.items()}
    if HUMANS in credits:
        credits[HUMANS] = {key: collection.majorities[key] for key in credits[HUMANS]}
    for rater, other in combinations(collection.listed, 2):
        unit_rows = []
        for unit in collection.units:
            credit_pairs = [
                (credits[rater][key], credits[other][key], cluster)
                for key, cluster in zip(unit.keys, unit.clusters, strict=True)
                if key in credits[rater] and key in credits[other]
            ]
            if credit_pairs:
                earned, other_earned, clusters = zip(*credit_pairs, strict=True)
                test = sign_flip(
                    [a - b for a, b in zip(earned, other_earned, strict=True)], clusters
                )
                row = _row(unit.name, (rater, other), earned, other_earned, test)
                unit_rows.append((unit, {**row, "n_suites": 1, "n_items": len(credit_pairs)}))
        if HUMANS not in (rater, other):
            singles += [row for _, row in unit_rows]
        for kind in (
            scored_kinds(collection.units) if {rater, other} <= set(shared.together) else ()
        ):
            rows = [
                row for unit, row in unit_rows
                if unit.name in shared.items and kind in ("", kind_of(unit))
            ]  # fmt: skip
            if len(rows) > 1:
                test = sign_flip([r["difference"] for r in rows], [r["name"] for r in rows])
                accuracies, other_accuracies = ([row[name] for row in rows] for name in ACCURACIES)
                row = _row(kind, (rater, other), accuracies, other_accuracies, test)
                n_items = sum(row["n_items"] for row in rows)
                over.append({**row, "n_suites": len(rows), "n_items": n_items})
    for rows in (over, singles):
        for row, p in zip(rows, holm([row["p"] for row in rows]), strict=True):
            yield {**row, "p_holm": p}


def _row(
    name: str,
    raters: tuple[str, str],
    values: Sequence[float],
    other_values: Sequence[float],
    test: Difference | None,
) -> dict[str, Any]:
    assert test is not None  # there are items
    return {
        "name": name,
        "rater": raters[0],
        "other": raters[1],
        "accuracy": math.fsum(values) / len(values),
        "other_accuracy": math.fsum(other_values) / len(values),
        "difference": math.fsum(a - b for a, b in zip(values, other_values, strict=True))
        / len(values),
        "low": test.low,
        "high": test.high,
        "p": test.p,
        "p_floor": test.floor,
        "note": NO_INTERVAL if test.limits is None else "",
    }


def correlation_rows(collection: CollectedAnswers) -> Iterator[Row]:
    """Yield rows of correlations.tsv: every pair of raters, over the accuracies on the suites that
    all raters have, if there are FEWEST; None where a side does not vary. Warstadt et al. 2020
    (Figure 1) have Pearson's r over BLiMP's 67 paradigms."""
    shared = collection.units_shared
    accuracies = {
        rater: [s.accuracy for s in collection.scores[rater] if s.unit.name in shared.items]
        for rater in collection.listed
        if rater in shared.together
    }
    for rater, other in combinations(accuracies, 2):
        values, other_values = accuracies[rater], accuracies[other]
        if len(values) >= FEWEST:
            yield {
                "rater": rater,
                "other": other,
                "n_suites": len(values),
                "pearson": pearson(values, other_values),
                "spearman": spearman(values, other_values),
            }
