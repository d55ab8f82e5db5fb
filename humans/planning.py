"""The verb humans power: what is assumed, in the units people think in, and a table."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from colorless_green.data.errors import InputError
from colorless_green.data.progress import Progress, silent
from colorless_green.data.registry import named
from colorless_green.data.result import Result
from colorless_green.data.tables import Row
from colorless_green.humans.mixed import PACKAGES, demand_packages
from colorless_green.humans.power import (
    MIXED,
    PARTICIPANTS,
    STUDIES,
    Power,
    PowerPlan,
    World,
    accuracy_at,
    enough,
    log_odds_at,
    power_curve,
)

COLUMNS = (
    *("n_sources", "n_participants", "n_judgments", "power", "low", "high", "error", "enough"),
)
TEST = "--test"


@dataclass(frozen=True, slots=True)
class Assumed:
    """What is assumed of a difference: two accuracies, or (base, effect) in log-odds."""

    accuracies: tuple[float, float]  # over people and sources, in the first and second condition
    log_odds: tuple[float | None, float | None]
    spreads: tuple[float, float, float]  # SD of people, sources, and the effect over sources


def plan_power(
    assumed: Assumed,
    plan: PowerPlan,
    sources: Sequence[int],
    participants: Sequence[int],
    *,
    target: float,
    progress: Progress = silent,
) -> Result:
    """A row for each number of sources and of people; whether the power is enough is told by the
    lower limit of its interval. Raises `InputError` for an unknown test, or one whose packages are
    not installed."""
    named(STUDIES, plan.test, TEST)
    if plan.test == MIXED:
        demand_packages(f"{TEST} {MIXED}", PACKAGES)
    world = _world(assumed)
    rows: list[Row] = []
    messages = list(_assumptions(world, plan))
    for n_sources in sources:
        own = replace(plan, n_sources=n_sources)
        curve = power_curve(world, own, sorted(participants or PARTICIPANTS), progress)
        rows += [_row(each, target) for each in curve]
        messages.append(_answer(curve, target, n_sources))
    return Result(rows, COLUMNS, messages, found=any(row["enough"] for row in rows))


def _world(assumed: Assumed) -> World:
    base, effect = assumed.log_odds
    people, sources, slopes = assumed.spreads
    if (base is None) != (effect is None):
        raise InputError(
            "humans power",
            "one of --base-log-odds and --effect",
            "both, or accuracies",
            kind="missing",
        )
    if base is not None and effect is not None:
        return World(base, effect, people, sources, slopes)
    spread = (people**2 + sources**2) ** 0.5
    first = log_odds_at(assumed.accuracies[0], spread)
    second = log_odds_at(assumed.accuracies[1], (spread**2 + slopes**2) ** 0.5)
    return World(first, second - first, people, sources, slopes)


def _assumptions(world: World, plan: PowerPlan) -> Sequence[str]:
    spread = (world.spread_participants**2 + world.spread_sources**2) ** 0.5
    first = accuracy_at(world.base, spread)
    second = accuracy_at(world.base + world.effect, (spread**2 + world.spread_effect**2) ** 0.5)
    return (
        f"assumed: {first:.1%} and {second:.1%} right, log-odds {world.base:.2f} and "
        f"{world.base + world.effect:.2f}, SD of people {world.spread_participants:g}, of sources "
        f"{world.spread_sources:g}, of the effect over sources {world.spread_effect:g}",
        f"test: {_test(world, plan)}, two-sided",
        f"{plan.n_studies} studies made up for each number: the Monte-Carlo error of a power is "
        f"{0.5 / plan.n_studies**0.5:.3f} or less",
    )


def _test(world: World, plan: PowerPlan) -> str:
    if plan.test != MIXED:
        return "sign flips over sources"
    if world.spread_effect > 0:
        return (
            "Wald's in a logit mixed model with intercepts of people and sources and slopes of "
            "sources"
        )
    return "likelihood ratio in a logit mixed model with intercepts of people and sources"


def _row(power: Power, target: float) -> Row:
    return {
        "n_sources": power.n_sources,
        "n_participants": power.n_participants,
        "n_judgments": round(power.n_judgments),
        "power": power.power,
        "low": power.low,
        "high": power.high,
        "error": power.error,
        "enough": int(power.low >= target),
    }


def _answer(curve: Sequence[Power], target: float, n_sources: int) -> str:
    found = enough(curve, target)
    if found is None:
        most = max(each.n_participants for each in curve)
        return f"{n_sources} sources: even {most} people do not reach a power of {target:g}"
    return (
        f"{n_sources} sources: {found.n_participants} people are enough for a power of {target:g} "
        f"({found.power:.2f} [{found.low:.2f}, {found.high:.2f}], "
        f"{found.n_judgments:.0f} judgments that can be used)"
    )
