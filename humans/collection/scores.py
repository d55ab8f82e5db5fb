"""Rows of collection.tsv: scores over all suites, by circuit, by modifier, and of each suite."""

import math
from collections.abc import Iterator, Mapping, Sequence

from colorless_green.data.tables import Row
from colorless_green.humans.collection.gathered import Gathered
from colorless_green.humans.observation import levels
from colorless_green.humans.statistics import wilson
from colorless_green.nonce.intervals import Interval
from colorless_green.scoring.collection import (
    Key,
    Mean,
    Unit,
    UnitScore,
    by_circuit,
    by_modifier,
    mean_of,
    unit_scores,
)

SCORE, CIRCUIT, MODIFIER, OWN, SUITE = LEVELS = ("score", "circuit", "modifier", "own", "suite")
"""What a row is about: everything (the SG score), a circuit, suites with or without a modifier, all
that the rater itself answered (where that is more than what all have), one suite (or paradigm)."""
FEWEST_SUITES = 5  # of fewer no interval over suites: resamples of two or three say nothing


def score_rows(collection: Gathered) -> Iterator[Row]:
    """By level, name and rater. `low` and `high` are over items, `suites_low` and `suites_high`
    over suites; a group has the standard deviation (n − 1) over its models as `sd`.

    Scores, circuits and modifiers are over the suites and items that all raters have; a rater that
    stands apart has a row of its own answers alone. Where there are originals and nonce variants,
    each kind has a score, under its name, and there is none over both."""
    units = collection.units_shared
    scores = {
        rater: tuple(each for each in own if each.unit.name in units.items)
        if rater in units.together
        else ()
        for rater, own in collection.scores.items()
    }
    for kind in kinds_apart(collection.units):
        yield from _rows(
            collection,
            SCORE,
            kind,
            {
                rater: tuple(each for each in own if not kind or kind_of(each.unit) == kind)
                for rater, own in scores.items()
            },
        )
    circuits = {rater: by_circuit(own) for rater, own in scores.items()}
    for name in sorted({name for own in circuits.values() for name in own}):
        members = {rater: own.get(name, ()) for rater, own in circuits.items()}
        yield from _rows(collection, CIRCUIT, name, members)
    modifiers = {rater: by_modifier(own) for rater, own in scores.items()}
    for name in dict.fromkeys(name for own in modifiers.values() for name in own):
        members = {rater: own.get(name, ()) for rater, own in modifiers.items()}
        yield from _rows(collection, MODIFIER, name, members)
    for rater, answers in collection.own.items():
        compared = sum(each.n_items for each in scores[rater])
        if sum(credit is not None for credit, _ in answers.values()) > compared:
            credits = {key: credit for key, (credit, _) in answers.items()}
            every = unit_scores(collection.units, credits)
            for kind in kinds_apart(collection.units):
                told = tuple(each for each in every if not kind or kind_of(each.unit) == kind)
                yield from _rows(collection, OWN, kind, {rater: told})
    for unit in collection.units:
        members = {
            rater: tuple(each for each in own if each.unit is unit)
            for rater, own in collection.scores.items()
        }
        yield from _rows(collection, SUITE, unit.name, members)


def limits_of(mean: Mean, scores: Sequence[UnitScore]) -> Interval | None:
    """The interval of a mean over other items; Wilson's at 0 and 1, with each cluster as a case."""
    if mean.items is None or mean.accuracy not in (0.0, 1.0):
        return mean.items
    n_clusters = sum(each.n_clusters for each in scores)
    return wilson(int(mean.accuracy) * n_clusters, n_clusters)


def kind_of(unit: Unit) -> str:
    """The kind of a unit's items, which is one."""
    return unit.items[0].kind


def kinds_apart(units: Sequence[Unit]) -> tuple[str, ...]:
    """What has a score of its own: each kind where there are originals and nonce variants, else
    everything, under no name."""
    kinds = levels(map(kind_of, units))
    return kinds if {"original", "nonce"} <= set(kinds) else ("",)


def _rows(
    collection: Gathered, level: str, name: str, members: Mapping[str, tuple[UnitScore, ...]]
) -> Iterator[Row]:
    for rater in collection.raters:
        own = members.get(rater, ())
        mean = mean_of(own)
        if mean is None:
            continue
        limits, over_suites = limits_of(mean, own), None
        if mean.n_units >= FEWEST_SUITES:
            over_suites = mean.units
        yield {
            "level": level,
            "name": name,
            "rater": rater,
            "n_suites": mean.n_units,
            "n_items": mean.n_items,
            "accuracy": mean.accuracy,
            "sd": _sd([members.get(each, ()) for each in collection.groups.get(rater, ())]),
            "low": limits.low if limits else None,
            "high": limits.high if limits else None,
            "suites_low": over_suites.low if over_suites else None,
            "suites_high": over_suites.high if over_suites else None,
            "chance": mean.chance,
            "n_ties": _counted(collection.ties.get(rater, frozenset()), own),
            "n_oov": _counted(collection.unknown.get(rater, frozenset()), own),
        }


def _counted(keys: frozenset[Key], members: Sequence[UnitScore]) -> int:
    """How many of these items are in the units."""
    return sum(key in keys for each in members for key in each.unit.keys) if keys else 0


def _sd(models: Sequence[Sequence[UnitScore]]) -> float | None:
    return standard_deviation(
        [mean.accuracy for own in models if (mean := mean_of(own)) is not None]
    )


def standard_deviation(means: Sequence[float]) -> float | None:
    """That of a sample (n − 1); None of fewer than two."""
    if len(means) < 2:
        return None
    centre = math.fsum(means) / len(means)
    return math.sqrt(math.fsum((each - centre) ** 2 for each in means) / (len(means) - 1))
