"""Scores over several suites: each counts once, however many items it has.

Hu et al. 2020 (§3.3) call the unweighted mean of suite accuracies the SG score; that of BLiMP is
the mean over its paradigms (Warstadt et al. 2020, §6.4). What counts once is a *unit*: a suite, or
a construction of a suite that has several. Units of one circuit (phenomenon) have a mean of their
own, and so have those of which there is another with a modifier (Hu et al. 2020, Figure 6).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np

from ...data.arrays import Floats
from ...data.items.circuits import modifier_of
from ...data.items.item import Item, factors_of
from ...data.items.prediction import chance
from ...data.items.suite import Suite
from ...data.statistics.intervals import (
    COVERAGE,
    DECIMALS,
    MANY,
    RESAMPLES,
    SEED,
    Interval,
    bootstrap,
    draws,
    numbered,
    uniform,
)

SuiteItem = tuple[str, str]
"""(suite, item id)"""
PHENOMENA = {"s-selection": "argument_structure"}  # two paradigms of BLiMP; so counted in its paper


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit that counts once in a score over suites: a suite, or one of several constructions.

    Attributes:
        suite: the suite's name.
        name: the suite's or the construction's; unique among units.
        circuit: circuit, phenomenon or constraint; else the suite it is from.
        items: its items.
        chance: accuracy of guessing in the suite's first prediction, 0 to 1; `None` without one.
    """

    suite: str
    name: str
    circuit: str
    items: tuple[Item, ...]
    chance: float | None

    @property
    def keys(self) -> tuple[SuiteItem, ...]:
        """(suite, item id) of each of its items."""
        return tuple((self.suite, item.item_id) for item in self.items)


@dataclass(frozen=True, slots=True)
class UnitScore:
    """The score of one model, or of people, on one unit.

    Attributes:
        unit: the unit.
        n_items: items with a credit.
        n_clusters: clusters that they are of.
        accuracy: mean credit, 0 to 1.
        resampled: (RESAMPLES,) accuracies over clusters drawn anew.
    """

    unit: Unit
    n_items: int
    n_clusters: int
    accuracy: float
    resampled: Floats = field(repr=False, compare=False)

    @property
    def interval(self) -> Interval | None:
        """The 95 % interval of the accuracy, over clusters; None with fewer than two."""
        return _limits(self.resampled) if self.n_clusters > 1 else None


@dataclass(frozen=True, slots=True)
class MeanScore:
    """An unweighted mean over units, of one rater."""

    n_units: int
    n_items: int
    accuracy: float
    items: Interval | None  # other items in the same units: each unit's clusters drawn anew
    units: Interval | None  # other units of the sort: whole units drawn anew; None with one
    chance: float | None  # the mean of the units'; None where one has none


def units_of(suites: Sequence[Suite]) -> tuple[Unit, ...]:
    """Finds the units of suites: what counts once in a score over them.

    A mined suite, and one whose items are of one construction, is a unit; of any other each
    construction is one, under its suite's name too where another suite has one of that name.

    Args:
        suites: the suites.

    Returns:
        The units, in the order of suites and of the first item of each construction.

    >>> from pathlib import Path
    >>> from colorless_green import load_suite
    >>> _ = Path("keys.tsv").write_text("right\\twrong\\nthe keys are\\tthe keys is\\n")
    >>> [(unit.name, unit.chance) for unit in units_of([load_suite("keys.tsv")])]
    [('keys', 0.5)]
    """
    units = list(chain.from_iterable(_units(suite) for suite in suites))
    names = [unit.name for unit in units]
    return tuple(
        unit if names.count(unit.name) == 1 else replace(unit, name=f"{unit.suite}: {unit.name}")
        for unit in units
    )


def _units(suite: Suite) -> list[Unit]:
    value = chance(suite.predictions[0]).value if suite.predictions else None
    groups: dict[str, list[Item]] = {}
    for item in suite.items:
        name = "" if item.agreement else factors_of(item)["construction"]
        groups.setdefault(name, []).append(item)
    alone = len(groups) == 1
    return [
        Unit(
            suite.name,
            suite.name if alone else name or suite.name,
            _circuit(items[0]) or (name if alone else "") or suite.name,
            tuple(items),
            value,
        )
        for name, items in groups.items()
    ]


def _circuit(item: Item) -> str:
    if item.agreement is not None:
        return f"{item.agreement.feature} agreement"
    phenomenon = item.facts.get("phenomenon") or item.facts.get("constraint") or ""
    return PHENOMENA.get(phenomenon, phenomenon)


def unit_scores(
    units: Sequence[Unit], credits: Mapping[SuiteItem, float | None], *, seed: int = SEED
) -> tuple[UnitScore, ...]:
    """Scores one model, or people, on each unit that there are credits for.

    Two that have credits for the same items are resampled alike, so that differences of their
    resampled means are paired ones.

    Args:
        units: the units.
        credits: (suite, item id) → credit, 0 to 1; `None` for an item that does not count.
        seed: of the resampling.

    Returns:
        The scores, in the order of the units; none for a unit without credits.

    >>> from pathlib import Path
    >>> from colorless_green import load_suite
    >>> _ = Path("keys.tsv").write_text("right\\twrong\\nthe keys are\\tthe keys is\\n")
    >>> units = units_of([load_suite("keys.tsv")])
    >>> [score.accuracy for score in unit_scores(units, {units[0].keys[0]: 0.5})]
    [0.5]
    """
    scores = []
    for number, unit in enumerate(units):
        pairs = [
            (credit, item.cluster_id)
            for key, item in zip(unit.keys, unit.items, strict=True)
            if (credit := credits.get(key)) is not None
        ]
        if pairs:
            values, clusters = zip(*pairs, strict=True)
            n_clusters = len(set(clusters))
            accuracy = math.fsum(values) / len(values)
            resampled = _resampled(values, clusters, seed + number)
            scores.append(UnitScore(unit, len(values), n_clusters, accuracy, resampled))
    return tuple(scores)


def _resampled(values: Sequence[float], clusters: Sequence[str], seed: int) -> Floats:
    """The mean of `values` in each of RESAMPLES draws of clusters; of more than MANY clusters in
    draws from the normal limit."""
    names, owner = numbered(clusters)
    sums: Floats = np.bincount(owner, np.asarray(values, dtype=float), len(names)).astype(float)
    sizes = np.bincount(owner, minlength=len(names)).astype(float)
    if len(names) > MANY:
        mean = float(sums.sum() / sizes.sum())
        error = float(np.sqrt(((sums - mean * sizes) ** 2).sum()) / sizes.sum())
        return mean + error * _normal(RESAMPLES, seed)
    parts = [
        (weights * sums).sum(axis=1) / (weights * sizes).sum(axis=1)
        for weights in draws(len(names), RESAMPLES, seed)
    ]
    return np.concatenate(parts)


def _normal(size: int, seed: int) -> Floats:
    """Standard normal numbers (Box and Muller's) from the promised raw stream."""
    stream = np.random.PCG64(seed)
    radius, angle = 1.0 - uniform(stream, size), uniform(stream, size)  # no logarithm of 0
    result: Floats = np.sqrt(-2.0 * np.log(radius)) * np.cos(2.0 * np.pi * angle)
    return result


def mean_of(scores: Sequence[UnitScore]) -> MeanScore | None:
    """Averages over units: the SG score of Hu et al. (2020, §3.3), BLiMP's overall accuracy.

    Args:
        scores: one model's scores.

    Returns:
        The unweighted mean with its intervals; `None` without any score.

    >>> from pathlib import Path
    >>> from colorless_green import load_suite
    >>> _ = Path("keys.tsv").write_text("right\\twrong\\nthe keys are\\tthe keys is\\n")
    >>> units = units_of([load_suite("keys.tsv")])
    >>> mean = mean_of(unit_scores(units, {units[0].keys[0]: 0.5}))
    >>> mean.n_units, mean.accuracy
    (1, 0.5)
    """
    if not scores:
        return None
    accuracies = np.array([score.accuracy for score in scores])

    def means(weights: Floats) -> Floats:
        result: Floats = (weights * accuracies).sum(axis=1) / len(scores)
        return result

    chances = [score.unit.chance for score in scores]
    recorded = [value for value in chances if value is not None]
    varied = any(score.n_clusters > 1 for score in scores)
    resampled = sum((score.resampled for score in scores), np.zeros(RESAMPLES))
    return MeanScore(
        n_units=len(scores),
        n_items=sum(score.n_items for score in scores),
        accuracy=math.fsum(accuracies) / len(scores),
        items=_limits(resampled / len(scores)) if varied else None,
        units=bootstrap(means, len(scores)),
        chance=math.fsum(recorded) / len(recorded) if len(recorded) == len(chances) else None,
    )


def _limits(values: Floats) -> Interval:
    tail = (1 - COVERAGE) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return Interval(round(float(low), DECIMALS), round(float(high), DECIMALS))


def by_circuit(scores: Sequence[UnitScore]) -> dict[str, tuple[UnitScore, ...]]:
    """Groups scores by circuit (phenomenon).

    Args:
        scores: one model's scores.

    Returns:
        Circuit → its scores, circuits in alphabetic order.

    >>> names = (("npi_1", "npi"), ("number", "agreement"), ("npi_2", "npi"))
    >>> units = [Unit("blimp", name, circuit, (), 0.5) for name, circuit in names]
    >>> scores = [UnitScore(unit, 10, 10, 0.9, np.full(RESAMPLES, 0.9)) for unit in units]
    >>> {circuit: len(group) for circuit, group in by_circuit(scores).items()}
    {'agreement': 1, 'npi': 2}
    """
    circuits: dict[str, list[UnitScore]] = {}
    for score in scores:
        circuits.setdefault(score.unit.circuit, []).append(score)
    return {circuit: tuple(circuits[circuit]) for circuit in sorted(circuits)}


WITHOUT, WITH = "without modifier", "with modifier"


def by_modifier(scores: Sequence[UnitScore]) -> dict[str, tuple[UnitScore, ...]]:
    """Groups the scores of suites that come with and without a modifier (Hu et al. 2020, Figure 6).

    Args:
        scores: one model's scores.

    Returns:
        `WITHOUT` and `WITH` → scores of the suites that have such a counterpart, in the same order;
        empty where there is no such pair.

    >>> from pathlib import Path
    >>> from colorless_green import load_suite
    >>> for name in ("cleft", "cleft_modifier"):
    ...     _ = Path(f"{name}.tsv").write_text("right\\twrong\\nthe keys are\\tthe keys is\\n")
    >>> units = units_of([load_suite("cleft.tsv"), load_suite("cleft_modifier.tsv")])
    >>> scores = unit_scores(units, {key: 1.0 for unit in units for key in unit.keys})
    >>> [score.unit.name for score in by_modifier(scores)[WITH]]
    ['cleft_modifier']
    """
    by_name = {score.unit.name: score for score in scores}
    pairs = modifier_of(by_name)
    if not pairs:
        return {}
    return {
        WITHOUT: tuple(by_name[base] for base, _ in pairs),
        WITH: tuple(by_name[modified] for _, modified in pairs),
    }
