"""Raters in pairs: whether they differ on the same items, and which find the same suites hard.

Within a suite whole clusters of items change sign; over suites whole suites do, which asks whether
the difference of two SG scores would hold in other suites of the sort. With few suites no p can be
small: `p_floor` says how small. Holm's adjustment is over the pairs of raters, and within suites
over pairs and suites.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from ...data.statistics.intervals import numbered
from ...data.statistics.significance import upper_tail
from ...data.tables import Row
from ..statistics.correlation import pearson, spearman
from ..statistics.flips import LEVEL, SAME, SignFlip, holm, sign_flip
from ..statistics.rater_accuracy import NO_INTERVAL, credits_in
from .collect import CollectedAnswers
from .suite_scores import kind_of, scored_kinds

ACCURACIES = ("accuracy", "other_accuracy")
FEWEST = 3  # suites of which correlations are told: two always lie on a line


def paired_rows(collection: CollectedAnswers) -> Iterator[Row]:
    """Rows of paired.tsv: every pair of raters that `collection.listed` has, first over the suites
    that all raters have (where they are two or more), then in each suite. With more than one suite
    `name` is empty, or a kind of items where there are originals and nonce variants; accuracies
    are then the unweighted means of the suites'."""
    over: list[dict[str, Any]] = []
    singles: list[dict[str, Any]] = []
    shared = collection.units_shared
    credits = {rater: credits_in(answers) for rater, answers in collection.answers.items()}
    for rater, other in combinations(collection.listed, 2):
        unit_rows = []
        for unit in collection.units:
            credit_pairs = [
                (credits[rater][key], credits[other][key], item.cluster_id)
                for key, item in zip(unit.keys, unit.items, strict=True)
                if key in credits[rater] and key in credits[other]
            ]
            if credit_pairs:
                earned, other_earned, clusters = zip(*credit_pairs, strict=True)
                test = flipped([a - b for a, b in zip(earned, other_earned, strict=True)], clusters)
                row = _row(unit.name, (rater, other), earned, other_earned, test)
                unit_rows.append((unit, {**row, "n_suites": 1, "n_items": len(credit_pairs)}))
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
    test: SignFlip | None,
) -> dict[str, Any]:
    assert test is not None  # there are items
    note = ""
    if test.limits is None:
        note = NO_INTERVAL
    elif (test.p < LEVEL) == (test.limits.low <= 0 <= test.limits.high):  # flips are not exact
        note = "p is exact, the interval is of random flips"
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
        "note": note,
    }


def flipped(differences: Sequence[float], clusters: Sequence[str]) -> SignFlip | None:
    """The sign-flip test of `sign_flip`; exact, however many clusters there are, where every
    cluster's mean difference is 0 or of one size, as with pairs that are right or wrong.

    Then flipping is tossing a coin for each cluster that differs: the exact binomial test, which is
    McNemar's. None without items.
    """
    test = sign_flip(differences, clusters)
    if test is None:
        return None
    owner = numbered(clusters)[1]
    means = np.bincount(owner, np.asarray(differences, dtype=float)) / np.bincount(owner)
    differing = means[np.abs(means) > SAME]
    if len(np.unique(np.abs(differing))) > 1:
        return test
    up, n = int((differing > 0).sum()), len(differing)
    p = min(1.0, 2 * upper_tail(max(up, n - up), n, 0.5)) if n else 1.0
    return replace(test, p=p, floor=2.0 ** (1 - n) if n else 1.0)


def correlation_rows(collection: CollectedAnswers) -> Iterator[Row]:
    """Rows of correlations.tsv: every pair of raters, over the accuracies on the suites that all
    raters have, if there are FEWEST; None where a side does not vary. Warstadt et al. 2020
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
