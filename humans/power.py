"""How many people and sources a difference needs: simulated studies by a program, and tested.

Person p and source s get intercepts (and the source, if asked, a slope of its own for the effect);
the answer is right with the logistic probability of base + effect·[second condition] + intercepts.
Versions go to people as in a Latin square (`lists.py`). Each made-up study is tested as a real one
is, in one of two ways: `sign-flip`, for every source the difference between the mean answers in its
two conditions, and sign flips over sources (`statistics/flips.py`); or `mixed`, a logit mixed model
(`effect.py`).

The draws of a person, a source and an answer are the same for every number of people (and effect):
a larger study holds the smaller one, so that the curve of power hardly jumps.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from colorless_green.data.errors import InputError
from colorless_green.data.progress import Progress, silent
from colorless_green.data.registry import named
from colorless_green.data.result import Result
from colorless_green.data.tables import Row
from colorless_green.humans.effect import Judged, effect_p
from colorless_green.humans.mixed import PACKAGES, demand_packages
from colorless_green.humans.statistics import wilson
from colorless_green.humans.statistics.flips import SAME
from colorless_green.nonce.intervals import Floats, uniform

Booleans: TypeAlias = NDArray[np.bool_]

SIGN_FLIP, MIXED = "sign-flip", "mixed"
STUDIES: Mapping[str, int] = {SIGN_FLIP: 500, MIXED: 200}  # a model takes 1 to 100 ms
FLIPS = 999
SPREAD_PARTICIPANTS = 0.8  # log-odds: about what the published answers to such items were made with
SPREAD_SOURCES = 0.73
DROPOUT = 0.1
PARTICIPANTS = (10, 20, 30, 40, 60, 80, 120, 160)
NODES = 64  # of the Gauss–Hermite rule; 12 digits at the spreads that people have


COLUMNS = (
    *("n_sources", "n_participants", "n_judgments", "power", "low", "high", "error", "enough"),
)
TOLD = {  # test, with slopes
    (SIGN_FLIP, False): "sign flips over sources",
    (MIXED, False): "likelihood ratio in a logit mixed model with intercepts of people and sources",
    (MIXED, True): "Wald's in a logit mixed model with intercepts of people and sources and slopes "
    "of sources",
}


@dataclass(frozen=True, slots=True)
class World:
    """What is assumed of people and items, in log-odds of a right answer."""

    base: float  # first condition, average person and source
    effect: float  # second condition minus first; negative: harder
    spread_participants: float = SPREAD_PARTICIPANTS  # standard deviations of intercepts
    spread_sources: float = SPREAD_SOURCES
    spread_effect: float = 0.0  # of the effect over sources


@dataclass(frozen=True, slots=True)
class PowerPlan:
    """What is to be run, how often, and when a test counts as having found something."""

    n_sources: int
    n_versions: int = 2  # of a source: one in the first condition, the others in the second
    per_participant: int | None = None  # sources a person sees; None: all
    dropout: float = DROPOUT  # chance that a person's answers cannot be used
    alpha: float = 0.05
    test: str = SIGN_FLIP  # a name in STUDIES
    studies: int | None = None  # None: as many as STUDIES has for the test
    seed: int = 0

    @property
    def n_studies(self) -> int:
        """How many studies are made up for each number of people."""
        return STUDIES[self.test] if self.studies is None else self.studies


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


@dataclass(frozen=True, slots=True)
class MadeUp:
    """A study with as many people as are asked for at most; arrays of shape (people, sources)."""

    right: Booleans
    second: Booleans  # shown in the second condition
    used: Booleans  # shown, by a person who can be used


Test: TypeAlias = Callable[[MadeUp, Sequence[int]], Floats]
"""A made-up study and numbers of people → the p of each study of its first so many people."""


def plan_power(
    sources: int | Sequence[int],
    *,
    participants: int | Sequence[int] | None = None,
    accuracy_1: float = 0.94,
    accuracy_2: float = 0.88,
    base_log_odds: float | None = None,
    effect: float | None = None,
    versions: int = 2,
    per_participant: int | None = None,
    spread_participants: float = SPREAD_PARTICIPANTS,
    spread_sources: float = SPREAD_SOURCES,
    spread_effect: float = 0.0,
    dropout: float = DROPOUT,
    test: str = SIGN_FLIP,
    alpha: float = 0.05,
    target: float = 0.8,
    studies: int | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> Result:
    """Estimates by simulation how many participants a difference between conditions needs.

    Args:
        sources: originals of which each person sees one version; one number or several.
        participants: numbers of people; by default from 10 to 160.
        accuracy_1: share right in the first condition, over people and sources.
        accuracy_2: the same in the second condition.
        base_log_odds: of the first condition; with `effect`, in place of the shares.
        effect: second condition minus first, in log-odds.
        versions: of a source, one of them in the first condition.
        per_participant: sources that a person sees; None: all.
        spread_participants: standard deviation of people, in log-odds.
        spread_sources: that of sources.
        spread_effect: that of the effect over sources.
        dropout: share of the people whose answers cannot be used.
        test: sign-flip (over sources) or mixed (a logit mixed model).
        alpha: of the test.
        target: the desired power.
        studies: simulated for each number of people; by default 500, of the mixed model 200.
        seed: the same seed gives the same table.
        progress: called with (task, done, total) as the work proceeds.

    Returns:
        A row for each number of sources and of people. It is enough where the lower limit of the
        power reaches the target; `found` is false where no number is.

    Raises:
        InputError: for an unknown test, one whose packages are not installed, and a base without an
            effect.

    >>> import colorless_green as cg
    >>> found = cg.plan_power(12, participants=[10, 80], accuracy_2=0.7, studies=50)
    >>> found.to_frame().select("n_participants", "power", "enough").rows()
    [(10, 0.84, 0), (80, 1.0, 1)]
    """
    named(STUDIES, test, "--test")
    if test == MIXED:
        demand_packages(f"--test {MIXED}", PACKAGES)
    if (base_log_odds is None) != (effect is None):
        wrong = "one of --base-log-odds and --effect"
        raise InputError("humans power", wrong, "both, or accuracies", kind="missing")
    spread = (spread_participants**2 + spread_sources**2) ** 0.5
    second_spread = (spread**2 + spread_effect**2) ** 0.5
    base = log_odds_at(accuracy_1, spread) if base_log_odds is None else base_log_odds
    if effect is None:
        effect = log_odds_at(accuracy_2, second_spread) - base
    world = World(base, effect, spread_participants, spread_sources, spread_effect)
    numbers = [participants] if isinstance(participants, int) else participants or PARTICIPANTS
    n_studies = STUDIES[test] if studies is None else studies
    first, second = accuracy_at(base, spread), accuracy_at(base + effect, second_spread)
    messages = [
        f"assumed: {first:.1%} and {second:.1%} right, log-odds {base:.2f} and {base + effect:.2f},"
        f" SD of people {spread_participants:g}, of sources {spread_sources:g}, of the effect over "
        f"sources {spread_effect:g}",
        f"test: {TOLD[test, test == MIXED and spread_effect > 0]}, two-sided",
        f"{n_studies} simulated studies for each number: the Monte-Carlo error of a power is "
        f"{0.5 / n_studies**0.5:.3f} or less",
    ]
    rows: list[Row] = []
    for n_sources in [sources] if isinstance(sources, int) else sources:
        plan = PowerPlan(n_sources, versions, per_participant, dropout, alpha, test, studies, seed)
        curve = power_curve(world, plan, sorted(numbers), progress)
        rows += [
            {
                "n_sources": n_sources,
                **asdict(each),
                "n_judgments": round(each.n_judgments),
                "enough": int(each.low >= target),
            }
            for each in curve
        ]
        found = enough(curve, target)
        messages.append(
            f"{n_sources} sources: even {max(numbers)} people do not reach a power of {target:g}"
            if found is None
            else f"{n_sources} sources: {found.n_participants} people are enough for a power of "
            f"{target:g} ({found.power:.2f} [{found.low:.2f}, {found.high:.2f}], "
            f"{found.n_judgments:.0f} usable judgments)"
        )
    return Result(rows, COLUMNS, messages, found=any(row["enough"] for row in rows))


def power_curve(
    world: World, plan: PowerPlan, participants: Sequence[int], progress: Progress = silent
) -> tuple[Power, ...]:
    """The power at each number of people, in the order given."""
    test = _test(world, plan)
    stream = np.random.PCG64(plan.seed + 1)
    found = np.zeros(len(participants))
    judged = np.zeros(len(participants))
    for study in range(plan.n_studies):
        made = _made_up(world, plan, max(participants), stream)
        found += test(made, participants) < plan.alpha
        judged += np.cumsum(made.used.sum(axis=1))[np.asarray(participants) - 1]
        progress("simulated studies", study + 1, plan.n_studies)
    return tuple(
        _power(n, plan, int(hits), float(total) / plan.n_studies)
        for n, hits, total in zip(participants, found, judged, strict=True)
    )


def design_power(
    second: NDArray[np.int8], world: World, *, studies: int = STUDIES[SIGN_FLIP], seed: int = 0
) -> Power:
    """The power of a design that is laid out already, by sign flips over sources.

    `second` has shape (people, sources, versions seen): 0 where a person sees a source in the first
    condition, 1 in the second, −1 where not at all. People are lost at the usual rate.
    """
    n_people, n_sources, _ = second.shape
    plan = PowerPlan(n_sources, studies=studies, seed=seed)
    stream = np.random.PCG64(seed + 1)
    signs = np.where(uniform(np.random.PCG64(seed), FLIPS * n_sources) < 0.5, -1.0, 1.0)
    hits, n_judgments = 0, 0
    for _ in range(studies):
        people = world.spread_participants * _normal(stream, n_people)
        sources = world.spread_sources * _normal(stream, n_sources)
        effects = world.effect + world.spread_effect * _normal(stream, n_sources)
        stays = uniform(stream, n_people) >= plan.dropout
        log_odds = world.base + people[:, None, None] + sources[:, None]
        log_odds = log_odds + (second == 1) * effects[:, None]
        right = uniform(stream, second.size).reshape(second.shape) < _logistic(log_odds)
        means = []
        for condition in (0, 1):
            own = (second == condition) & stays[:, None, None]
            with np.errstate(invalid="ignore"):
                means.append((own & right).sum(axis=(0, 2)) / own.sum(axis=(0, 2)))
            n_judgments += int(own.sum())
        differences = np.nan_to_num(means[0] - means[1], nan=0.0)[None, :]
        hits += int(_flipped_p(differences, signs.reshape(FLIPS, n_sources))[0] < plan.alpha)
    return _power(n_people, plan, hits, n_judgments / studies)


def _test(world: World, plan: PowerPlan) -> Test:
    """The test of the plan; what it draws is the same for all studies."""
    if plan.test == MIXED:
        with_slopes = world.spread_effect > 0
        return lambda made, participants: np.array(
            [effect_p(_judged(made, n), with_slopes=with_slopes) for n in participants]
        )
    signs = np.where(uniform(np.random.PCG64(plan.seed), FLIPS * plan.n_sources) < 0.5, -1.0, 1.0)
    signs = signs.reshape(FLIPS, plan.n_sources)
    return lambda made, participants: _flipped_p(_differences(made, participants), signs)


def _power(n_participants: int, plan: PowerPlan, hits: int, n_judgments: float) -> Power:
    share, limits = hits / plan.n_studies, wilson(hits, plan.n_studies)
    assert limits is not None
    error = math.sqrt(share * (1 - share) / plan.n_studies)
    return Power(n_participants, plan.n_sources, n_judgments, share, limits.low, limits.high, error)


def _made_up(world: World, plan: PowerPlan, most: int, stream: np.random.PCG64) -> MadeUp:
    """A study of `most` people."""
    n_sources = plan.n_sources
    people = world.spread_participants * _normal(stream, most)
    sources = world.spread_sources * _normal(stream, n_sources)
    effects = world.effect + world.spread_effect * _normal(stream, n_sources)
    stays = uniform(stream, most) >= plan.dropout
    second, seen = _shown(plan, most)
    log_odds = world.base + people[:, None] + sources + second * effects
    right = uniform(stream, most * n_sources).reshape(most, n_sources) < _logistic(log_odds)
    return MadeUp(right, second, seen & stays[:, None])


def _differences(made: MadeUp, participants: Sequence[int]) -> Floats:
    """First condition minus second, of shape (numbers of people, sources). A source that nobody saw
    in one of the conditions has difference 0."""
    rows = np.asarray(participants) - 1
    means = []
    for own in (made.used & ~made.second, made.used & made.second):
        n = np.cumsum(own, axis=0)[rows]
        n_right = np.cumsum(own & made.right, axis=0)[rows]
        with np.errstate(invalid="ignore"):
            means.append(n_right / n)
    differences: Floats = np.nan_to_num(means[0] - means[1], nan=0.0)
    return differences


def _judged(made: MadeUp, n_people: int) -> Judged:
    """The answers of the first so many people, those that can be used."""
    people, sources = np.nonzero(made.used[:n_people])
    return Judged(
        right=made.right[people, sources].astype(float),
        second=made.second[people, sources].astype(float),
        people=people,
        sources=sources,
    )


def _shown(plan: PowerPlan, n_people: int) -> tuple[Booleans, Booleans]:
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
