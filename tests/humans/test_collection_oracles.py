"""A component oracle: sign flips and bins of several suites against their plain definitions."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.statistics.differences import sign_flip
from colorless_green.humans.collection.shallow import binned


@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=1, max_size=10))
def test_flips_of_right_and_wrong_are_the_exact_test_over_all_signs(found: list[float]) -> None:
    names = [f"c{number}" for number in range(len(found))]
    signs = itertools.product([-1, 1], repeat=len(found))
    totals = [sum(s * d for s, d in zip(each, found, strict=True)) for each in signs]
    expected = sum(abs(t) >= abs(sum(found)) - 1e-9 for t in totals) / len(totals)
    test = sign_flip(found, names)
    assert test is not None
    assert test.p == pytest.approx(expected)


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=60), st.integers(1, 10))
def test_bins_keep_the_order_of_values_and_equal_ones_together(
    values: list[float], n_bins: int
) -> None:
    owner = binned(values, n_bins)
    assert 0 <= min(owner) <= max(owner) < n_bins
    for (one, a), (two, b) in itertools.combinations(zip(values, owner, strict=True), 2):
        assert (one < two) <= (a <= b)
        assert (one == two) <= (a == b)


@given(st.integers(2, 10), st.integers(1, 9))
def test_bins_of_different_values_are_of_equal_size(n_bins: int, size: int) -> None:
    owner = binned([float(each) for each in range(n_bins * size)], n_bins)
    counts = [owner.count(number) for number in range(n_bins)]
    assert sum(counts) == n_bins * size
    assert max(counts) - min(counts) <= 1
