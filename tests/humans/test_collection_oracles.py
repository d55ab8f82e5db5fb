"""A component oracle: sign flips of several suites against their plain definition."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.statistics.differences import sign_flip


@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=1, max_size=10))
def test_flips_of_right_and_wrong_are_the_exact_test_over_all_signs(found: list[float]) -> None:
    names = [f"c{number}" for number in range(len(found))]
    signs = itertools.product([-1, 1], repeat=len(found))
    totals = [sum(s * d for s, d in zip(each, found, strict=True)) for each in signs]
    expected = sum(abs(t) >= abs(sum(found)) - 1e-9 for t in totals) / len(totals)
    test = sign_flip(found, names)
    assert test is not None
    assert test.p == pytest.approx(expected)
