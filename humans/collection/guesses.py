"""The audit's baselines as scores over suites, on the items that raters are compared on."""

from collections.abc import Iterator, Mapping
from itertools import chain

import numpy as np

from colorless_green.data.tables import Row
from colorless_green.humans.collection.gathered import Gathered
from colorless_green.humans.collection.scores import SCORE, kind_of, kinds_apart, limits_of
from colorless_green.scoring.collection import Key, UnitScore, mean_of, unit_scores

Guesses = Mapping[str, Mapping[Key, float]]
"""Baseline → (suite, item) → credit"""


def _scores(collection: Gathered, guesses: Guesses) -> Iterator[tuple[str, str, list[UnitScore]]]:
    """(kind, baseline, its scores) of every baseline that judges all items in common."""
    shared = collection.units_shared.items
    for kind in kinds_apart(collection.units):
        units = [
            unit
            for unit in collection.units
            if unit.name in shared and (not kind or kind_of(unit) == kind)
        ]
        keys = set(chain.from_iterable(collection.common[unit.name].items for unit in units))
        for name, credits in guesses.items():
            if keys and all(key in credits for key in keys):
                own = {key: credits[key] for key in keys}
                yield kind, name, list(unit_scores(collection.units, own))


def guess_rows(collection: Gathered, guesses: Guesses) -> Iterator[Row]:
    """Rows of collection.tsv, of level `score`, with a baseline as the rater."""
    for kind, name, own in _scores(collection, guesses):
        mean = mean_of(own)
        if mean is not None:
            limits = limits_of(mean, own)
            yield {
                "level": SCORE,
                "name": kind,
                "rater": name,
                "n_suites": mean.n_units,
                "n_items": mean.n_items,
                "accuracy": mean.accuracy,
                "low": limits.low if limits else None,
                "high": limits.high if limits else None,
                "chance": mean.chance,
            }


def above(collection: Gathered, guesses: Guesses) -> dict[tuple[str, str, str], str]:
    """(kind, rater, baseline) → whether its score is above the baseline's: `yes`, `no`, or
    `unclear` where the 95 % interval of the difference has 0 in it."""
    found = {}
    for kind, name, theirs in _scores(collection, guesses):
        names = {each.unit.name for each in theirs}
        for rater in collection.units_shared.together:
            own = [each for each in collection.scores[rater] if each.unit.name in names]
            pairs = list(zip(own, theirs, strict=True))
            difference = sum(one.accuracy - other.accuracy for one, other in pairs)
            draws = np.sum([one.resampled - other.resampled for one, other in pairs], axis=0)
            unclear = float(np.quantile(draws, 0.025)) <= 0
            found[kind, rater, name] = "no" if difference <= 0 else "unclear" if unclear else "yes"
    return found
