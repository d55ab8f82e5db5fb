"""Power by simulation: the measured reference, the level of the test, and what cannot happen."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.humans import mixed
from colorless_green.humans.effect import Judged, effect_p
from colorless_green.humans.formula import parse
from colorless_green.humans.observation import Observation
from colorless_green.humans.planning import Assumed, plan_power
from colorless_green.humans.power import (
    MIXED,
    Plan,
    World,
    accuracy_at,
    enough,
    log_odds_at,
    power_curve,
)
from colorless_green.humans.statistics import sign_flip
from tests.humans.observed import made

MEASURED = {  # facts of the project, §2.3: (sources, SD of the effect, effect) → P = 20, 40, 80
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


@pytest.mark.parametrize(("setting", "measured"), MEASURED.items())
def test_power_is_that_of_the_measured_table_within_monte_carlo_error(
    setting: tuple[int, float, float], measured: tuple[float | None, ...]
) -> None:
    n_sources, slope, effect = setting
    plan = Plan(n_sources, dropout=0.0, studies=2000)
    curve = power_curve(World(2.0, effect, spread_effect=slope), plan, (20, 40, 80))
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
    plan = Plan(24, n_versions, per_participant, studies=1000)
    error = math.sqrt(plan.alpha * (1 - plan.alpha) / plan.n_studies)
    for power in power_curve(World(2.0, 0.0), plan, (20, 60)):
        assert power.power <= plan.alpha + 3 * error


@given(st.floats(-1.0, 0.0), st.integers(12, 40), st.integers(0, 9))
def test_twice_the_people_never_lower_power_by_more_than_noise(
    effect: float, n_sources: int, seed: int
) -> None:
    plan = Plan(n_sources, studies=200, seed=seed)
    curve = power_curve(World(2.0, effect), plan, (20, 40, 80))
    for one, other in pairwise(curve):
        assert other.power >= one.power - 4 * math.sqrt(0.25 / plan.n_studies)


def test_the_power_at_a_number_does_not_depend_on_the_numbers_before_it() -> None:
    """The draws of people are shared; that of the largest study decides how many there are."""
    plan = Plan(24, studies=100)
    alone = power_curve(World(2.0, -0.6), plan, (30, 80))
    among = power_curve(World(2.0, -0.6), plan, (10, 30, 50, 80))
    assert alone == (among[1], among[3])


def test_a_made_up_study_is_tested_as_a_real_one_is() -> None:
    from colorless_green.humans.power import _flipped_p  # the fast path, against the plain one

    rng = np.random.Generator(np.random.PCG64(1))
    differences = rng.normal(0.2, 1.0, size=(6, 12))
    signs = np.where(rng.random((20_000, 12)) < 0.5, -1.0, 1.0)
    for own, p in zip(differences, _flipped_p(differences, signs), strict=True):
        exact = sign_flip(list(own), [f"s{n}" for n in range(12)])
        assert exact is not None
        assert abs(exact.p - p) < 4 * math.sqrt(exact.p * (1 - exact.p) / 20_000) + 1e-4


def test_judgments_that_can_be_used_are_people_times_sources_less_dropouts() -> None:
    (power,) = power_curve(World(2.0, 0.0), Plan(24, studies=400), (50,))
    assert abs(power.n_judgments - 50 * 24 * 0.9) < 10
    (power,) = power_curve(World(2.0, 0.0), Plan(24, 2, 6, dropout=0.0, studies=50), (50,))
    assert power.n_judgments == 300


def test_enough_is_the_smallest_number_whose_lower_limit_reaches_the_target() -> None:
    curve = power_curve(World(2.0, -0.8), Plan(24, studies=300), (80, 20, 40, 10))
    found = enough(curve, 0.8)
    assert found is not None
    assert found.low >= 0.8
    assert all(each.low < 0.8 for each in curve if each.n_participants < found.n_participants)
    assert enough(curve, 1.0) is None


@given(st.floats(0.02, 0.98), st.floats(0.0, 2.0))
def test_accuracies_and_log_odds_are_each_others_inverse(accuracy: float, spread: float) -> None:
    assert math.isclose(accuracy_at(log_odds_at(accuracy, spread), spread), accuracy, rel_tol=1e-6)


def test_people_who_differ_are_less_accurate_than_the_average_person() -> None:
    drawn = np.random.Generator(np.random.PCG64(0)).normal(2.0, 1.0, 1_000_000)
    assert abs(accuracy_at(2.0, 1.0) - float(np.mean(1 / (1 + np.exp(-drawn))))) < 1e-3
    assert accuracy_at(2.0, 1.0) < accuracy_at(2.0, 0.0)


def test_the_same_seed_gives_the_same_table_and_the_answer_in_words() -> None:
    assumed = Assumed((0.94, 0.84), (None, None), (0.8, 0.73, 0.0))
    tables = [
        plan_power(assumed, Plan(0, studies=100), (24,), (10, 40, 160), target=0.8)
        for _ in range(2)
    ]
    assert tables[0] == tables[1]
    assert tables[0].found
    assert tables[0].messages[0].startswith("assumed: 94.0% and 84.0% right")
    assert tables[0].messages[-1].startswith("24 sources: 40 people are enough for a power of 0.8")


def test_no_number_that_is_enough_is_told() -> None:
    assumed = Assumed((0.9, 0.9), (None, None), (0.8, 0.73, 0.0))
    result = plan_power(assumed, Plan(0, studies=60), (12,), (10, 20), target=0.8)
    assert not result.found
    assert result.messages[-1] == "12 sources: even 20 people do not reach a power of 0.8"


def test_a_base_without_an_effect_is_an_error() -> None:
    with pytest.raises(InputError) as error:
        plan_power(
            Assumed((0.9, 0.8), (2.0, None), (0.8, 0.7, 0.0)), Plan(0), (12,), (), target=0.8
        )
    assert str(error.value) == (
        "humans power: one of --base-log-odds and --effect; both, or accuracies"
    )


def judged(rows: Sequence[Observation]) -> Judged:
    """The same answers as the simulation has them."""
    people = sorted({row.participant for row in rows})
    sources = sorted({row.source for row in rows})
    return Judged(
        right=np.array([float(row.correct) for row in rows]),
        second=np.array([float(row.condition == "nonce") for row in rows]),
        people=np.array([people.index(row.participant) for row in rows]),
        sources=np.array([sources.index(row.source) for row in rows]),
    )


@pytest.mark.parametrize("with_slopes", [False, True])
def test_a_made_up_study_gets_the_p_that_analyse_gives_a_real_one(with_slopes: bool) -> None:
    pytest.importorskip("glmm")
    slopes = "1 + condition" if with_slopes else "1"
    formula = parse(f"condition + (1 | participant) + ({slopes} | source)")
    for seed in range(3):
        rows = made(14, 12, seed=seed)
        (expected,) = mixed.term_tests(rows, mixed.fit(rows, formula))
        found = effect_p(judged(rows), with_slopes=with_slopes)
        assert found == pytest.approx(expected.p, rel=1e-4)


def test_which_condition_is_first_does_not_matter_to_the_model() -> None:
    pytest.importorskip("glmm")
    own = judged(made(14, 12))
    turned = replace(own, second=1 - own.second)
    assert effect_p(own, with_slopes=False) == pytest.approx(
        effect_p(turned, with_slopes=False), rel=1e-4
    )


def test_a_condition_with_only_right_answers_is_evidence_and_no_breakdown() -> None:
    """Its estimate is infinite, and its p is not: the smaller, the more the other has wrong."""
    pytest.importorskip("scipy")
    plain = judged(made(14, 12))
    ps = []
    for share in (0.0, 0.1, 0.3):
        right = np.where(plain.second == 1, 1.0, 0.0)
        right[plain.second == 1] = np.arange(84) % 84 >= share * 84
        right[plain.second == 0] = 1.0
        ps.append(effect_p(replace(plain, right=right), with_slopes=False))
    assert ps[0] == 1.0
    assert 0.05 > ps[1] > ps[2] > 0


def test_where_there_is_nothing_to_compare_nothing_is_found() -> None:
    own = judged(made(4, 4))
    for lacking in (
        replace(own, second=np.zeros(16)),
        replace(own, people=np.zeros(16, dtype=np.intp)),
        replace(own, sources=np.zeros(16, dtype=np.intp)),
        Judged(np.empty(0), np.empty(0), np.empty(0, np.intp), np.empty(0, np.intp)),
    ):
        assert effect_p(lacking, with_slopes=False) == 1.0


@pytest.mark.parametrize(("spread_effect", "studies"), [(0.0, 300), (0.5, 100)])
def test_without_an_effect_the_model_rejects_as_often_as_alpha(
    spread_effect: float, studies: int
) -> None:
    pytest.importorskip("glmm")
    plan = Plan(12, test=MIXED, studies=studies)
    (power,) = power_curve(World(2.0, 0.0, spread_effect=spread_effect), plan, (12,))
    error = math.sqrt(plan.alpha * (1 - plan.alpha) / studies)
    assert power.power <= plan.alpha + 3 * error
    assert spread_effect or power.power >= plan.alpha - 3 * error  # Wald's test is careful


def test_twice_the_people_never_lower_the_models_power_by_more_than_noise() -> None:
    pytest.importorskip("glmm")
    plan = Plan(12, test=MIXED, studies=80)
    curve = power_curve(World(2.0, -0.8), plan, (6, 12, 24, 48))
    for one, other in pairwise(curve):
        assert other.power >= one.power - 3 * math.sqrt(0.25 / plan.n_studies)
    assert curve[-1].power > curve[0].power + 0.3


def test_the_model_and_sign_flips_find_about_the_same() -> None:
    """Of a difference that is the same in all sources, as here; made-up answers are the same."""
    pytest.importorskip("glmm")
    world = World(2.0, -0.6)
    (model,) = power_curve(world, Plan(24, test=MIXED, studies=150), (20,))
    (flips,) = power_curve(world, Plan(24, studies=150), (20,))
    assert abs(model.power - flips.power) < 0.15
    assert model.n_judgments == flips.n_judgments


def test_a_model_gets_fewer_studies_and_their_error_is_told() -> None:
    pytest.importorskip("glmm")
    assert (Plan(24).n_studies, Plan(24, test=MIXED).n_studies) == (500, 200)
    assumed = Assumed((0.9, 0.7), (None, None), (0.8, 0.73, 0.0))
    plan = Plan(0, test=MIXED, studies=50)
    told: list[tuple[int, int | None]] = []
    result = plan_power(
        assumed,
        plan,
        (12,),
        (10,),
        target=0.5,
        progress=lambda task, done, total: told.append((done, total)),
    )
    assert told == [(done, 50) for done in range(1, 51)]
    assert result.messages[1:3] == [
        "test: likelihood ratio in a logit mixed model with intercepts of people and sources, "
        "two-sided",
        "50 studies made up for each number: the Monte-Carlo error of a power is 0.071 or less",
    ]
    with_slopes = replace(assumed, spreads=(0.8, 0.73, 0.4))
    result = plan_power(with_slopes, plan, (12,), (10,), target=0.5)
    assert result.messages[1].startswith("test: Wald's in a logit mixed model with intercepts")


def test_an_unknown_test_and_a_missing_package_are_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    assumed = Assumed((0.9, 0.8), (None, None), (0.8, 0.7, 0.0))
    with pytest.raises(InputError) as error:
        plan_power(assumed, Plan(0, test="t"), (12,), (), target=0.8)
    assert str(error.value) == "--test: no such name 't'; one of mixed, sign-flip"
    monkeypatch.setattr(mixed, "find_spec", lambda name: None)
    with pytest.raises(InputError) as error:
        plan_power(assumed, Plan(0, test=MIXED), (12,), (), target=0.8)
    assert str(error.value) == (
        "--test mixed: a mixed model needs the package 'glmm', which is not installed; "
        "pip install 'colorless-green[humans]'"
    )
