"""How many people and sources a difference needs: simulated studies by a program, and tested.

Person p and source s get intercepts (and the source, if asked, a slope of its own for the effect);
the answer is right with the logistic probability of base + effect·[second condition] + intercepts.
Versions go to people as in a Latin square (`lists.py`). Each made-up study is tested as a real one
is, in one of two ways: `sign-flip`, for every source the difference between the mean answers in its
two conditions, and sign flips over sources (`statistics/flips.py`); or `mixed`, a mixed model.

The draws of a person, a source and an answer are the same for every number of people (and effect):
a larger study holds the smaller one, so that the curve of power hardly jumps.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from colorless_green.data.arrays import Floats, Integers
from colorless_green.data.errors import InputError
from colorless_green.data.progress import Progress, silent
from colorless_green.data.registry import named
from colorless_green.data.result import Result
from colorless_green.data.tables import Row
from colorless_green.humans.statistics.flips import SAME
from colorless_green.nonce.intervals import uniform, wilson

Booleans: TypeAlias = NDArray[np.bool_]
SeenConditions: TypeAlias = NDArray[np.int8]
"""Shape (people, sources, versions seen): 0 where a person sees a source in the first condition, 1
in the second, −1 where not at all."""

SIGN_FLIP = "sign-flip"
STUDIES: Mapping[str, int] = {SIGN_FLIP: 500}
FLIPS = 999
SPREAD_PARTICIPANTS = 0.8  # log-odds: about what the published answers to such items were made with
SPREAD_SOURCES = 0.73
DROPOUT = 0.1
PARTICIPANTS = (10, 20, 30, 40, 60, 80, 120, 160)
NODES = 64  # of the Gauss–Hermite rule; 12 digits at the spreads that people have
WIDE = 10.0  # SD in log-odds of a prior under which the deviance is within 0.2 of its limit
BATCH = 50_000  # answers that are drawn at once: what a processor's cache holds
_gauss_hermite = cache(np.polynomial.hermite_e.hermegauss)


COLUMNS = (
    *("n_sources", "n_participants", "n_judgments", "power", "low", "high", "error", "enough"),
)
TOLD = {  # test, with slopes
    (SIGN_FLIP, False): "sign flips over sources",
}


@dataclass(frozen=True, slots=True)
class PowerAssumptions:
    """What a simulated study assumes of people and sources, in log-odds of a right answer.

    Attributes:
        base: of an average person and source in the first condition.
        effect: second condition minus first; negative where the second is harder.
        spread_participants: standard deviation of people's intercepts.
        spread_sources: standard deviation of sources' intercepts.
        spread_effect: standard deviation of the effect over sources.
    """

    base: float
    effect: float
    spread_participants: float = SPREAD_PARTICIPANTS
    spread_sources: float = SPREAD_SOURCES
    spread_effect: float = 0.0


@dataclass(frozen=True, slots=True)
class PowerPlan:
    """The design of a simulated study, its test, and how often it is simulated.

    Attributes:
        n_sources: originals with their versions.
        n_versions: of a source: one in the first condition, the others in the second.
        per_participant: sources that a person sees; None: all.
        dropout: probability that a person's answers cannot be used.
        alpha: significance level.
        test: sign-flip (over sources) or mixed (a logit mixed model).
        studies: simulated for each number of people; None: 500, for mixed 200.
        seed: the same seed gives the same power.
    """

    n_sources: int
    n_versions: int = 2
    per_participant: int | None = None
    dropout: float = DROPOUT
    alpha: float = 0.05
    test: str = SIGN_FLIP
    studies: int | None = None
    seed: int = 0

    @property
    def n_studies(self) -> int:
        """How many studies are made up for each number of people."""
        return STUDIES[self.test] if self.studies is None else self.studies


@dataclass(frozen=True, slots=True)
class PowerEstimate:
    """The power at one number of people: the share of simulated studies with p < alpha.

    Attributes:
        n_participants: people invited.
        n_sources: originals with their versions.
        n_judgments: usable judgments, averaged over studies.
        power: from 0 to 1.
        low: lower end of its 95 % interval (Wilson).
        high: upper end.
        error: its Monte-Carlo standard error.
    """

    n_participants: int
    n_sources: int
    n_judgments: float
    power: float
    low: float
    high: float
    error: float


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
    if (base_log_odds is None) != (effect is None):
        wrong = "one of --base-log-odds and --effect"
        raise InputError("humans power", wrong, "both, or accuracies", kind="missing")
    spread = (spread_participants**2 + spread_sources**2) ** 0.5
    second_spread = (spread**2 + spread_effect**2) ** 0.5
    base = log_odds_at(accuracy_1, spread) if base_log_odds is None else base_log_odds
    if effect is None:
        effect = log_odds_at(accuracy_2, second_spread) - base
    world = PowerAssumptions(base, effect, spread_participants, spread_sources, spread_effect)
    numbers = [participants] if isinstance(participants, int) else participants or PARTICIPANTS
    n_studies = STUDIES[test] if studies is None else studies
    first, second = accuracy_at(base, spread), accuracy_at(base + effect, second_spread)
    messages = [
        f"assumed: {first:.1%} and {second:.1%} right, log-odds {base:.2f} and {base + effect:.2f},"
        f" SD of people {spread_participants:g}, of sources {spread_sources:g}, of the effect over "
        f"sources {spread_effect:g}",
        f"test: {TOLD[test, False]}, two-sided",
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
                **asdict(point),
                "n_judgments": round(point.n_judgments),
                "enough": int(point.low >= target),
            }
            for point in curve
        ]
        least = next((point for point in curve if point.low >= target), None)
        messages.append(
            f"{n_sources} sources: even {max(numbers)} people do not reach a power of {target:g}"
            if least is None
            else f"{n_sources} sources: {least.n_participants} people are enough for a power of "
            f"{target:g} ({least.power:.2f} [{least.low:.2f}, {least.high:.2f}], "
            f"{least.n_judgments:.0f} usable judgments)"
        )
    return Result(rows, COLUMNS, messages, found=any(row["enough"] for row in rows))


def power_curve(
    world: PowerAssumptions,
    plan: PowerPlan,
    participants: Sequence[int],
    progress: Progress = silent,
    *,
    second: SeenConditions | None = None,
) -> tuple[PowerEstimate, ...]:
    """Estimates the power at several numbers of people by simulation.

    Args:
        world: what is assumed of people and sources.
        plan: design, test and number of studies.
        participants: numbers of people; with `second`, at most as many as it has.
        progress: called with (task, done, total) as the work proceeds.
        second: what each person sees, of shape (people, sources, versions seen): 0 for the first
            condition, 1 for the second, -1 for nothing; None: a Latin square.

    Returns:
        An estimate for each number of people, in the order given. All numbers share the same draws,
        so that a larger study contains the smaller one.

    >>> world = PowerAssumptions(base=2.7, effect=-1.0)
    >>> curve = power_curve(world, PowerPlan(n_sources=12, studies=100), [10, 40])
    >>> [(point.n_participants, point.power) for point in curve]
    [(10, 0.08), (40, 0.79)]
    """
    if second is None:
        person, source = np.indices((max(participants), plan.n_sources))
        shown_second = (source + person) % plan.n_versions != 0
        most = min(plan.per_participant or plan.n_sources, plan.n_sources)
        is_seen = (source - person * most) % plan.n_sources < most
        second = np.where(is_seen, shown_second, -1).astype(np.int8)[:, :, None]
    n_people, n_sources, _ = second.shape
    signs = np.where(uniform(np.random.PCG64(plan.seed), FLIPS * n_sources) < 0.5, -1.0, 1.0)
    signs = signs.reshape(FLIPS, n_sources)
    stream = np.random.PCG64(plan.seed + 1)
    sizes = [n_people, n_people, *[n_sources] * 4, n_people, second.size]  # draws of a study
    batch = max(1, BATCH // second.size)
    ends = np.asarray(participants) - 1
    hits, n_judgments = np.zeros(len(ends)), np.zeros(len(ends))
    for begun in range(0, plan.n_studies, batch):
        n = min(batch, plan.n_studies - begun)
        drawn = uniform(stream, n * sum(sizes)).reshape(n, -1)
        draws = np.split(drawn, np.cumsum(sizes)[:-1], axis=1)
        people = world.spread_participants * _normal(draws[0], draws[1])
        sources = world.spread_sources * _normal(draws[2], draws[3])
        effects = world.effect + world.spread_effect * _normal(draws[4], draws[5])
        log_odds = world.base + people[:, :, None, None] + sources[:, None, :, None]
        log_odds = log_odds + (second == 1) * effects[:, None, :, None]
        right = draws[7].reshape(log_odds.shape) < _logistic(log_odds)
        used = (second >= 0) & (draws[6] >= plan.dropout)[:, :, None, None]
        n_judgments += np.cumsum(used.sum(axis=(2, 3)), axis=1)[:, ends].sum(axis=0)
        if plan.test == SIGN_FLIP:
            p_values = _flipped_p(_differences(right, second, used, ends), signs)
            hits += (p_values < plan.alpha).sum(axis=0)
        for study in range(n):
            progress("simulated studies", begun + study + 1, plan.n_studies)
    curve = []
    for n_invited, n_hits, total in zip(participants, hits, n_judgments, strict=True):
        share, limits = float(n_hits) / plan.n_studies, wilson(int(n_hits), plan.n_studies)
        assert limits is not None
        error = math.sqrt(share * (1 - share) / plan.n_studies)
        usable = float(total) / plan.n_studies
        curve.append(
            PowerEstimate(n_invited, n_sources, usable, share, limits.low, limits.high, error)
        )
    return tuple(curve)


def design_power(
    second: SeenConditions,
    world: PowerAssumptions,
    *,
    studies: int = STUDIES[SIGN_FLIP],
    seed: int = 0,
) -> PowerEstimate:
    """Estimates the power of a design that is laid out already, by sign flips over sources.

    A tenth of the people is assumed lost; the significance level is 0.05.

    Args:
        second: what each person sees, as in `power_curve`.
        world: what is assumed of people and sources.
        studies: how many are simulated.
        seed: the same seed gives the same power.

    Returns:
        The estimate at the design's number of people.

    >>> second = np.indices((40, 12)).sum(axis=0)[:, :, None] % 2  # a Latin square of two versions
    >>> design_power(second, PowerAssumptions(base=2.7, effect=-1.0), studies=100).power
    0.79
    """
    n_people, n_sources, _ = second.shape
    plan = PowerPlan(n_sources, studies=studies, seed=seed)
    return power_curve(world, plan, [n_people], second=second)[0]


def _differences(right: Booleans, second: SeenConditions, used: Booleans, ends: Integers) -> Floats:
    """First condition minus second, of shape (studies, numbers of people, sources). A source that
    nobody saw in one of the conditions has difference 0."""
    means = []
    for condition in (0, 1):
        seen = used & (second == condition)
        n, n_right = (np.cumsum(mask.sum(axis=3), axis=1)[:, ends] for mask in (seen, seen & right))
        with np.errstate(invalid="ignore"):
            means.append(n_right / n)
    differences: Floats = np.nan_to_num(means[0] - means[1], nan=0.0)
    return differences


def _flipped_p(differences: Floats, signs: Floats) -> Floats:
    """Two-sided p of differences of shape (…, sources) by sign flips, 1 added above and below:
    `statistics.sign_flip` for many studies at once, with the same flips in all of them."""
    limit = np.abs(differences.sum(axis=-1)) - SAME * differences.shape[-1]
    n_extreme = (np.abs(differences @ signs.T) >= limit[..., None]).sum(axis=-1)
    result: Floats = (1 + n_extreme) / (1 + len(signs))
    return result


def _normal(radii: Floats, angles: Floats) -> Floats:
    """Standard normal numbers from uniform ones (Box and Muller 1958)."""
    result: Floats = np.sqrt(-2 * np.log1p(-radii)) * np.cos(2 * np.pi * angles)
    return result


def _logistic(log_odds: Floats) -> Floats:
    result: Floats = 1 / (1 + np.exp(-log_odds))
    return result


def accuracy_at(log_odds: float, spread: float) -> float:
    """The share right over people and sources whose log-odds have this mean and spread."""
    nodes, weights = _gauss_hermite(NODES)
    return float(weights @ _logistic(log_odds + spread * nodes) / weights.sum())


def log_odds_at(accuracy: float, spread: float) -> float:
    """The mean log-odds at which `accuracy_at` is `accuracy`, by bisection; 0 < accuracy < 1."""
    low, high = -50.0, 50.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if accuracy_at(middle, spread) < accuracy else (low, middle)
    return (low + high) / 2
