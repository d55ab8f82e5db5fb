"""A component oracle of power: made-up studies are tested as real ones are, by the plain ways.

The simulation has fast paths of its own; here they are held against the plain ones.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.humans import mixed
from colorless_green.humans.formula import parse
from colorless_green.humans.power import (
    SimulatedStudy,
    _flipped_p,
    accuracy_at,
    effect_p,
    log_odds_at,
)
from colorless_green.humans.statistics.flips import sign_flip
from tests.humans.observed import Observation, made, tabled


def test_a_made_up_study_is_tested_as_a_real_one_is() -> None:
    rng = np.random.Generator(np.random.PCG64(1))
    differences = rng.normal(0.2, 1.0, size=(6, 12))
    signs = np.where(rng.random((20_000, 12)) < 0.5, -1.0, 1.0)
    for own, p in zip(differences, _flipped_p(differences, signs), strict=True):
        exact = sign_flip(list(own), [f"s{n}" for n in range(12)])
        assert exact is not None
        assert abs(exact.p - p) < 4 * math.sqrt(exact.p * (1 - exact.p) / 20_000) + 1e-4


@given(st.floats(0.02, 0.98), st.floats(0.0, 2.0))
def test_accuracies_and_log_odds_are_each_others_inverse(accuracy: float, spread: float) -> None:
    assert math.isclose(accuracy_at(log_odds_at(accuracy, spread), spread), accuracy, rel_tol=1e-6)


def test_people_who_differ_are_less_accurate_than_the_average_person() -> None:
    drawn = np.random.Generator(np.random.PCG64(0)).normal(2.0, 1.0, 1_000_000)
    assert abs(accuracy_at(2.0, 1.0) - float(np.mean(1 / (1 + np.exp(-drawn))))) < 1e-3
    assert accuracy_at(2.0, 1.0) < accuracy_at(2.0, 0.0)


def judged(rows: Sequence[Observation]) -> SimulatedStudy:
    """The same answers as the simulation has them."""
    people = sorted({row.participant for row in rows})
    sources = sorted({row.source for row in rows})
    return SimulatedStudy(
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
        (expected,) = mixed.term_tests(tabled(rows), mixed.fit(tabled(rows), formula))
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
        SimulatedStudy(np.empty(0), np.empty(0), np.empty(0, np.intp), np.empty(0, np.intp)),
    ):
        assert effect_p(lacking, with_slopes=False) == 1.0
