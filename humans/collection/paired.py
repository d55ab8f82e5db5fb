"""Whether two raters differ: on the same items, suite by suite, and over suites.

Within a suite whole clusters of items change sign; over suites whole suites do, which asks whether
the difference of two SG scores would hold in other suites of the sort. With few suites no p can be
small: `p_floor` says how small. Holm's adjustment is over the pairs of raters, and within suites
over pairs and suites.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from colorless_green.data import schema
from colorless_green.data.tables import Row
from colorless_green.humans.collection.gathered import Answers, Gathered
from colorless_green.humans.collection.scores import kind_of, kinds_apart
from colorless_green.humans.rated import NO_INTERVAL
from colorless_green.humans.statistics import SignFlip, holm, sign_flip
from colorless_green.humans.statistics.flips import LEVEL, SAME
from colorless_green.miner.significance import upper_tail
from colorless_green.nonce.intervals import numbered
from colorless_green.scoring.collection import Unit


@dataclass(frozen=True, slots=True)
class Paired:
    """Two raters on the items that all have. With more than one suite `name` is empty, or a kind of
    items where there are originals and nonce variants."""

    name: str
    rater: str
    other: str
    n_suites: int
    n_items: int
    accuracy: float  # over all suites the unweighted mean of theirs
    other_accuracy: float
    difference: float  # rater − other
    low: float | None  # of the difference; over suites, within one over its clusters
    high: float | None
    p: float | None  # two-sided
    p_floor: float | None  # no p can be smaller
    p_holm: float | None = None
    note: str = ""  # why p and the interval disagree


def paired(collection: Gathered) -> tuple[Paired, ...]:
    """Every pair of raters that `collection.shown` has, first over the suites that all raters have
    (where they are two or more), then in each suite."""
    over: list[Paired] = []
    within: list[Paired] = []
    shared = collection.units_shared
    kinds = {unit.name: kind_of(unit) for unit in collection.units}
    for rater, other in combinations(collection.shown, 2):
        answers = collection.answers
        own = [
            found
            for unit in collection.units
            if (found := _within(unit, rater, other, answers)) is not None
        ]
        within += own
        for kind in kinds_apart(collection.units) if {rater, other} <= set(shared.together) else ():
            both = [
                each
                for each in own
                if each.name in shared.items and (not kind or kinds[each.name] == kind)
            ]
            if len(both) > 1:
                over.append(_over(kind, both, rater, other))
    return (*_adjusted(over), *_adjusted(within))


def rows(found: Sequence[Paired]) -> Iterator[Row]:
    """Rows of paired.tsv."""
    for each in found:
        yield {column: getattr(each, column) for column in schema.PAIRED}


def _within(unit: Unit, rater: str, other: str, answers: Mapping[str, Answers]) -> Paired | None:
    own, theirs = answers[rater], answers[other]
    both = [
        (one, two, item.cluster_id)
        for key, item in zip(unit.keys, unit.items, strict=True)
        if (one := own.get(key, (None, None))[0]) is not None
        and (two := theirs.get(key, (None, None))[0]) is not None
    ]
    if not both:
        return None
    differences = [one - two for one, two, _ in both]
    clusters = [cluster for _, _, cluster in both]
    test = flipped(differences, clusters)
    limits = test.interval if test else None
    return Paired(
        name=unit.name,
        rater=rater,
        other=other,
        n_suites=1,
        n_items=len(both),
        accuracy=math.fsum(one for one, _, _ in both) / len(both),
        other_accuracy=math.fsum(two for _, two, _ in both) / len(both),
        difference=math.fsum(differences) / len(both),
        low=limits.low if limits else None,
        high=limits.high if limits else None,
        p=test.p if test else None,
        p_floor=test.floor if test else None,
        note=_note(test),
    )


def _over(kind: str, own: Sequence[Paired], rater: str, other: str) -> Paired:
    differences = [each.difference for each in own]
    names = [each.name for each in own]
    test = sign_flip(differences, names)
    limits = test.interval if test else None
    return Paired(
        name=kind,
        rater=rater,
        other=other,
        n_suites=len(own),
        n_items=sum(each.n_items for each in own),
        accuracy=math.fsum(each.accuracy for each in own) / len(own),
        other_accuracy=math.fsum(each.other_accuracy for each in own) / len(own),
        difference=math.fsum(differences) / len(own),
        low=limits.low if limits else None,
        high=limits.high if limits else None,
        p=test.p if test else None,
        p_floor=test.floor if test else None,
        note=_note(test),
    )


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


def _note(test: SignFlip | None) -> str:
    """Why there is no interval, or why it differs from an exact p: random flips are not exact."""
    if test is None or test.interval is None:
        return NO_INTERVAL
    if (test.p < LEVEL) == (test.interval.low <= 0 <= test.interval.high):
        return "p is exact, the interval is of random flips"
    return ""


def _adjusted(found: Sequence[Paired]) -> list[Paired]:
    adjusted = holm([each.p for each in found])
    return [replace(each, p_holm=p) for each, p in zip(found, adjusted, strict=True)]
