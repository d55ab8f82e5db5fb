"""Component oracle: the test of agreement against SciPy, and the laws of its parts."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.statistics.significance import fdr_adjusted, upper_tail, wilson_limits

probabilities = st.floats(0.01, 0.99)


@given(st.integers(1, 60), st.data())
def test_the_tail_is_the_sum_of_its_exact_terms(n: int, data: st.DataObject) -> None:
    n_hits = data.draw(st.integers(0, n))
    rate = Fraction(data.draw(st.integers(1, 19)), 20)
    exact = sum(math.comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(n_hits, n + 1))
    assert upper_tail(n_hits, n, float(rate)) == pytest.approx(float(exact), rel=1e-9)


@pytest.mark.parametrize(
    ("n_hits", "n", "rate"),
    [(97, 100, 0.6), (1481, 1500, 0.59), (49_000, 50_000, 0.975), (3, 10, 0.9), (10, 10, 0.5)],
)
def test_the_tail_is_scipys(n_hits: int, n: int, rate: float) -> None:
    from scipy.stats import binomtest

    expected = binomtest(n_hits, n, rate, alternative="greater").pvalue
    assert upper_tail(n_hits, n, rate) == pytest.approx(expected, rel=1e-7)


def test_at_the_edges_the_tail_is_what_it_must_be() -> None:
    assert upper_tail(0, 5, 0.0) == upper_tail(0, 5, 0.3) == upper_tail(5, 5, 1.0) == 1.0
    assert upper_tail(1, 5, 0.0) == 0.0


@given(st.lists(st.floats(0, 1), max_size=40))
def test_q_values_are_scipys(p_values: list[float]) -> None:
    from scipy.stats import false_discovery_control

    expected = list(false_discovery_control(p_values)) if p_values else []
    assert fdr_adjusted(p_values) == pytest.approx(expected)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_q_is_never_below_p_and_keeps_its_order(p_values: list[float]) -> None:
    q_values = fdr_adjusted(p_values)
    assert all(q >= p * (1 - 1e-12) for p, q in zip(p_values, q_values, strict=True))
    ranked = [q for _, q in sorted(zip(p_values, q_values, strict=True))]
    assert ranked == sorted(ranked)


@given(st.integers(1, 500), st.data())
def test_the_interval_is_scipys_and_holds_the_rate(n: int, data: st.DataObject) -> None:
    from scipy.stats import binomtest

    n_hits = data.draw(st.integers(0, n))
    low, high = wilson_limits(n_hits / n, n)
    expected = binomtest(n_hits, n).proportion_ci(0.95, method="wilson")
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert 0 <= low <= n_hits / n <= high <= 1
