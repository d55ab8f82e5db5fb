"""A component oracle of power: made-up studies are tested as real ones are, by the plain ways.

The simulation has fast paths of its own; here they are held against the plain ones.
"""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.humans.power import (
    _flipped_p,
    accuracy_at,
    log_odds_at,
)
from colorless_green.humans.statistics.flips import sign_flip


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
