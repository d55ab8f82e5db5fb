"""How many people and sources a difference needs: studies made up by a program, and tested.

Person p and source s get intercepts (and the source, if asked, a slope of its own for the effect);
the answer is right with the logistic probability of base + effect·[second condition] + intercepts.
Versions go to people as in a Latin square (`lists.py`). Each made-up study is tested as a real one
is: for every source the difference between the mean answers in its two conditions, and sign flips
over sources (`statistics/flips.py`). Facts of the project, §2.3.

The draws of a person, a source and an answer are the same for every number of people (and effect):
a larger study holds the smaller one, so that the curve of power hardly jumps.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from colorless_green.data.progress import Progress, silent
from colorless_green.humans.statistics import wilson
from colorless_green.humans.statistics.correlation import SAME
from colorless_green.nonce.intervals import Floats, uniform

Booleans: TypeAlias = NDArray[np.bool_]

STUDIES = 500
FLIPS = 999
SPREAD_PARTICIPANTS = 0.8  # log-odds: about what the published answers to such items were made with
SPREAD_SOURCES = 0.73
DROPOUT = 0.1
PARTICIPANTS = (10, 20, 30, 40, 60, 80, 120, 160)
NODES = 64  # of the Gauss–Hermite rule; 12 digits at the spreads that people have


@dataclass(frozen=True, slots=True)
class World:
    """What is assumed of people and items, in log-odds of a right answer."""

    base: float  # first condition, average person and source
    effect: float  # second condition minus first; negative: harder
    spread_participants: float = SPREAD_PARTICIPANTS  # standard deviations of intercepts
    spread_sources: float = SPREAD_SOURCES
    spread_effect: float = 0.0  # of the effect over sources


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be run, how often, and when a test counts as having found something."""

    n_sources: int
    n_versions: int = 2  # of a source: one in the first condition, the others in the second
    per_participant: int | None = None  # sources a person sees; None: all
    dropout: float = DROPOUT  # chance that a person's answers cannot be used
    alpha: float = 0.05
    studies: int = STUDIES
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Power:
    """The share of made-up studies with p < alpha, at one number of people."""

    n_participants: int  # invited
    n_sources: int
    n_judgments: float  # that can be used, on average
    power: float
    low: float  # 95 %, Wilson
    high: float
    error: float  # Monte-Carlo standard error


def power_curve(
    world: World, plan: Plan, participants: Sequence[int], progress: Progress = silent
) -> tuple[Power, ...]:
    """The power at each number of people, in the order given."""
    signs = np.where(uniform(np.random.PCG64(plan.seed), FLIPS * plan.n_sources) < 0.5, -1.0, 1.0)
    signs = signs.reshape(FLIPS, plan.n_sources)
    stream = np.random.PCG64(plan.seed + 1)
    found = np.zeros(len(participants))
    judged = np.zeros(len(participants))
    for study in range(plan.studies):
        differences, counts = _study(world, plan, participants, stream)
        found += _flipped_p(differences, signs) < plan.alpha
        judged += counts
        progress("studies made up", study + 1, plan.studies)
    return tuple(
        _power(n, plan, int(hits), float(total) / plan.studies)
        for n, hits, total in zip(participants, found, judged, strict=True)
    )


def _power(n_participants: int, plan: Plan, hits: int, n_judgments: float) -> Power:
    share, limits = hits / plan.studies, wilson(hits, plan.studies)
    assert limits is not None
    error = math.sqrt(share * (1 - share) / plan.studies)
    return Power(n_participants, plan.n_sources, n_judgments, share, limits.low, limits.high, error)


def _study(
    world: World, plan: Plan, participants: Sequence[int], stream: np.random.PCG64
) -> tuple[Floats, Floats]:
    """One made-up study: (differences of shape (numbers of people, sources), judgments of shape
    (numbers of people)). A source that nobody saw in one of the conditions has difference 0."""
    most, n_sources = max(participants), plan.n_sources
    people = world.spread_participants * _normal(stream, most)
    sources = world.spread_sources * _normal(stream, n_sources)
    effects = world.effect + world.spread_effect * _normal(stream, n_sources)
    stays = uniform(stream, most) >= plan.dropout
    second, seen = _shown(plan, most)
    log_odds = world.base + people[:, None] + sources + second * effects
    right = uniform(stream, most * n_sources).reshape(most, n_sources) < _logistic(log_odds)
    used = seen & stays[:, None]
    rows = np.asarray(participants) - 1
    means = []
    for own in (used & ~second, used & second):
        n = np.cumsum(own, axis=0)[rows]
        n_right = np.cumsum(own & right, axis=0)[rows]
        with np.errstate(invalid="ignore"):
            means.append(n_right / n)
    differences: Floats = np.nan_to_num(means[0] - means[1], nan=0.0)
    counts: Floats = np.cumsum(used.sum(axis=1)).astype(float)[rows]
    return differences, counts


def _shown(plan: Plan, n_people: int) -> tuple[Booleans, Booleans]:
    """Two arrays of shape (people, sources), true where a person sees a source in the second
    condition, and where at all."""
    person, source = np.indices((n_people, plan.n_sources))
    second = (source + person) % plan.n_versions != 0
    if plan.per_participant is None or plan.per_participant >= plan.n_sources:
        return second, np.ones_like(second)
    begun = person * plan.per_participant
    return second, (source - begun) % plan.n_sources < plan.per_participant


def _flipped_p(differences: Floats, signs: Floats) -> Floats:
    """Two-sided p of each row of differences (…, sources) by sign flips, 1 added above and below:
    `statistics.sign_flip` for many studies at once, with the same flips in all of them."""
    limit = np.abs(differences.sum(axis=1)) - SAME * differences.shape[1]
    n_extreme = (np.abs(differences @ signs.T) >= limit[:, None]).sum(axis=1)
    result: Floats = (1 + n_extreme) / (1 + len(signs))
    return result


def _normal(stream: np.random.PCG64, size: int) -> Floats:
    """Standard normal numbers (Box and Muller 1958) from the promised stream."""
    radius = np.sqrt(-2 * np.log1p(-uniform(stream, size)))
    result: Floats = radius * np.cos(2 * np.pi * uniform(stream, size))
    return result


def _logistic(log_odds: Floats) -> Floats:
    result: Floats = 1 / (1 + np.exp(-log_odds))
    return result


def accuracy_at(log_odds: float, spread: float) -> float:
    """The share right over people and sources whose log-odds have this mean and spread."""
    nodes, weights = _gauss_hermite()
    return float(weights @ _logistic(log_odds + spread * nodes) / weights.sum())


@cache
def _gauss_hermite() -> tuple[Floats, Floats]:
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    return nodes, weights


def log_odds_at(accuracy: float, spread: float) -> float:
    """The mean log-odds at which `accuracy_at` is `accuracy`, by bisection; 0 < accuracy < 1."""
    low, high = -50.0, 50.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if accuracy_at(middle, spread) < accuracy else (low, middle)
    return (low + high) / 2


def enough(curve: Sequence[Power], target: float) -> Power | None:
    """The smallest number of people at which the lower limit of the power reaches the target; None
    where none does."""
    reached: Iterator[Power] = (each for each in curve if each.low >= target)
    return min(reached, key=lambda each: each.n_participants, default=None)
