"""A component oracle: error consistency and majorities of few people against their definitions."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.humans.judgments.judgment import Tally
from colorless_green.humans.measures.consistency import kappas, majority_of


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_consistency_is_cohens_kappa_of_right_and_wrong(pairs: list[tuple[bool, bool]]) -> None:
    one, other = (np.array(side, dtype=float) for side in zip(*pairs, strict=True))
    sums = [(one == other).sum(), one.sum(), other.sum(), len(pairs)]
    found = kappas(np.array([sums], dtype=float))[0]
    table = np.array([[pairs.count((a, b)) for b in (False, True)] for a in (False, True)])
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / len(pairs)
    if np.trace(expected) == len(pairs):
        assert math.isnan(found)
    else:
        left = len(pairs) - np.trace(expected)
        assert found == pytest.approx((np.trace(table) - np.trace(expected)) / left)


@given(st.integers(0, 7), st.integers(1, 7), st.data())
def test_a_majority_of_few_is_the_mean_over_all_draws_of_them(
    right: int, q: int, data: st.DataObject
) -> None:
    total = data.draw(st.integers(max(right, q), 8))
    answers = [1] * right + [0] * (total - right)
    draws = [sum(draw) for draw in itertools.combinations(answers, q)]
    expected = sum((2 * k > q) + (2 * k == q) / 2 for k in draws) / len(draws)
    found = majority_of([Tally("i", "s", "", "nonce", right, total)], q)
    assert found == pytest.approx(expected)
