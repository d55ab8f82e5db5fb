"""Power by simulation: the measured reference, the level of the test, and what cannot happen."""

import math
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.result import Result
from colorless_green.humans import PowerAssumptions, PowerPlan, plan_power, power_curve
from tests.builders import few_examples, mistake
from tests.humans.study_material import tells

MEASURED = {  # by other code: (sources, SD of the effect, effect) → P = 20, 40, 80
    (24, 0.0, 0.0): (0.04, 0.02, 0.03),
    (24, 0.0, -0.4): (0.22, 0.51, 0.77),
    (24, 0.0, -0.8): (0.82, 0.99, 1.00),
    (48, 0.0, 0.0): (0.03, 0.05, 0.04),
    (48, 0.0, -0.4): (0.53, 0.81, 0.98),
    (48, 0.0, -0.8): (0.99, 1.00, 1.00),
    (24, 0.5, 0.0): (None, 0.05, None),
    (24, 0.5, -0.4): (None, 0.51, None),
    (24, 0.5, -0.8): (None, 0.97, None),
}
B_MEASURED = 400


@pytest.mark.slow
@pytest.mark.parametrize(("setting", "measured"), MEASURED.items())
def test_power_is_that_of_the_measured_table_within_monte_carlo_error(
    setting: tuple[int, float, float], measured: tuple[float | None, ...]
) -> None:
    n_sources, slope, effect = setting
    plan = PowerPlan(n_sources, dropout=0.0, studies=2000)
    curve = power_curve(PowerAssumptions(2.0, effect, spread_effect=slope), plan, (20, 40, 80))
    for power, reference in zip(curve, measured, strict=True):
        if reference is not None:
            share = min(max(power.power, 0.01), 0.99)
            error = math.sqrt(share * (1 - share) * (1 / B_MEASURED + 1 / plan.n_studies))
            assert abs(power.power - reference) <= 3 * error + 0.005  # two digits are given


@pytest.mark.parametrize("n_versions", [2, 3])
@pytest.mark.parametrize("per_participant", [None, 10])
def test_without_an_effect_the_test_rejects_no_more_often_than_alpha(
    n_versions: int, per_participant: int | None
) -> None:
    plan = PowerPlan(24, n_versions, per_participant, studies=1000)
    error = math.sqrt(plan.alpha * (1 - plan.alpha) / plan.n_studies)
    for power in power_curve(PowerAssumptions(2.0, 0.0), plan, (20, 60)):
        assert power.power <= plan.alpha + 3 * error


@few_examples
@given(st.floats(-1.0, 0.0), st.integers(12, 40), st.integers(0, 9))
def test_twice_the_people_never_lower_power_by_more_than_noise(
    effect: float, n_sources: int, seed: int
) -> None:
    plan = PowerPlan(n_sources, studies=200, seed=seed)
    curve = power_curve(PowerAssumptions(2.0, effect), plan, (20, 40, 80))
    for one, other in pairwise(curve):
        assert other.power >= one.power - 4 * math.sqrt(0.25 / plan.n_studies)


def test_the_power_at_a_number_does_not_depend_on_the_numbers_before_it() -> None:
    """The draws of people are shared; that of the largest study decides how many there are."""
    plan = PowerPlan(24, studies=100)
    alone = power_curve(PowerAssumptions(2.0, -0.6), plan, (30, 80))
    among = power_curve(PowerAssumptions(2.0, -0.6), plan, (10, 30, 50, 80))
    assert alone == (among[1], among[3])


def test_judgments_that_can_be_used_are_people_times_sources_less_dropouts() -> None:
    (power,) = power_curve(PowerAssumptions(2.0, 0.0), PowerPlan(24, studies=400), (50,))
    assert abs(power.n_judgments - 50 * 24 * 0.9) < 10
    (power,) = power_curve(
        PowerAssumptions(2.0, 0.0), PowerPlan(24, 2, 6, dropout=0.0, studies=50), (50,)
    )
    assert power.n_judgments == 300


SPREADS = (0.8, 0.73, 0.0)


def planned(
    log_odds: tuple[float, float],
    sources: int,
    participants: tuple[int, ...],
    target: float,
    **others: Any,
) -> Result:
    base, effect = log_odds
    return plan_power(
        sources,
        participants=participants,
        base_log_odds=base,
        effect=effect,
        target=target,
        **others,
    )


def test_enough_is_the_smallest_number_whose_lower_limit_reaches_the_target() -> None:
    found = planned((2.0, -0.8), 24, (80, 20, 40, 10), 0.8, studies=300)
    curve = power_curve(PowerAssumptions(2.0, -0.8), PowerPlan(24, studies=300), (10, 20, 40, 80))
    assert [(row["n_participants"], row["power"]) for row in found.rows] == [
        (each.n_participants, each.power) for each in curve
    ]
    assert [row["enough"] for row in found.rows] == [int(each.low >= 0.8) for each in curve]
    first = next(each for each in curve if each.low >= 0.8)
    figures = [f"{each:.2f}" for each in (first.power, first.low, first.high)]
    n = (24, first.n_participants, f"{first.n_judgments:.0f}")
    assert tells(found.messages, *n, 0.8, *figures)
    assert found.found
    assert not planned((2.0, -0.8), 24, (10, 20), 1.0, studies=300).found


def test_the_same_seed_gives_the_same_table_and_accuracies_are_told_in_log_odds() -> None:
    one, other = (
        plan_power(24, participants=(10, 40, 160), accuracy_2=0.84, studies=100) for _ in range(2)
    )
    assert one == other
    assert one.found
    assert tells(one.messages, "94.0", "84.0", "3.23", "2.01", 0.8, 0.73, 0)


def test_no_number_that_is_enough_is_told() -> None:
    result = planned((2.0, 0.0), 12, (10, 20), 0.8, studies=60)
    assert not result.found
    assert tells(result.messages[-1:], 12, 20, 0.8)


def test_a_base_without_an_effect_is_an_error() -> None:
    with mistake("missing", "humans power"):
        plan_power(12, base_log_odds=2.0)


def test_an_unknown_test_is_an_error() -> None:
    with mistake("unknown", "--test"):
        planned((2.0, -1.0), 12, (), 0.8, test="t")
