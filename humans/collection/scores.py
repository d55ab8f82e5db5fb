"""Rows of collection.tsv: scores over all suites, by circuit, by modifier, and of each suite."""

import math
from collections.abc import Iterator, Mapping, Sequence

from colorless_green.data.tables import Row
from colorless_green.humans.collection.gathered import Gathered
from colorless_green.scoring.collection import (
    Key,
    UnitScore,
    by_circuit,
    by_modifier,
    mean_of,
)

SCORE, CIRCUIT, MODIFIER, SUITE = LEVELS = ("score", "circuit", "modifier", "suite")
"""What a row is about: everything (the SG score), a circuit, suites with or without a modifier, one
suite (or paradigm)."""


def score_rows(collection: Gathered) -> Iterator[Row]:
    """By level, name and rater. `low` and `high` are over items, `suites_low` and `suites_high`
    over suites; a group has the standard deviation (n − 1) over its models as `sd`."""
    scores = collection.scores
    yield from _rows(collection, SCORE, "", scores)
    circuits = {rater: by_circuit(own) for rater, own in scores.items()}
    for name in sorted({name for own in circuits.values() for name in own}):
        members = {rater: own.get(name, ()) for rater, own in circuits.items()}
        yield from _rows(collection, CIRCUIT, name, members)
    modifiers = {rater: by_modifier(own) for rater, own in scores.items()}
    for name in dict.fromkeys(name for own in modifiers.values() for name in own):
        members = {rater: own.get(name, ()) for rater, own in modifiers.items()}
        yield from _rows(collection, MODIFIER, name, members)
    for unit in collection.units:
        members = {
            rater: tuple(each for each in own if each.unit is unit) for rater, own in scores.items()
        }
        yield from _rows(collection, SUITE, unit.name, members)


def _rows(
    collection: Gathered, level: str, name: str, members: Mapping[str, tuple[UnitScore, ...]]
) -> Iterator[Row]:
    for rater in collection.raters:
        mean = mean_of(members[rater])
        if mean is None:
            continue
        yield {
            "level": level,
            "name": name,
            "rater": rater,
            "n_suites": mean.n_units,
            "n_items": mean.n_items,
            "accuracy": mean.accuracy,
            "sd": _sd([members[each] for each in collection.groups.get(rater, ())]),
            "low": mean.items.low if mean.items else None,
            "high": mean.items.high if mean.items else None,
            "suites_low": mean.units.low if mean.units else None,
            "suites_high": mean.units.high if mean.units else None,
            "chance": mean.chance,
            "n_ties": _counted(collection.ties.get(rater, frozenset()), members[rater]),
            "n_oov": _counted(collection.unknown.get(rater, frozenset()), members[rater]),
        }


def _counted(keys: frozenset[Key], members: Sequence[UnitScore]) -> int:
    """How many of these items are in the units."""
    return sum(key in keys for each in members for key in each.unit.keys) if keys else 0


def _sd(models: Sequence[Sequence[UnitScore]]) -> float | None:
    means = [mean.accuracy for own in models if (mean := mean_of(own)) is not None]
    if len(means) < 2:
        return None
    centre = math.fsum(means) / len(means)
    return math.sqrt(math.fsum((each - centre) ** 2 for each in means) / (len(means) - 1))
