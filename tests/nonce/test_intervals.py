"""Intervals over clusters: their laws, with SciPy as oracle; and the draws of the bootstrap."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data import (
    RESAMPLES,
    bootstrap,
    cluster_interval,
    draws,
    uniform,
)
from colorless_green.data.statistics.intervals import SOURCES_T, Limits

CLUSTERED = st.lists(
    st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from("abcdef")), min_size=2, max_size=30
)


@given(CLUSTERED, st.randoms(use_true_random=False))
def test_the_order_of_the_items_does_not_matter(
    pairs: list[tuple[float, str]], rng: random.Random
) -> None:
    other = rng.sample(pairs, len(pairs))
    assert cluster_interval(*zip(*pairs, strict=True)) == cluster_interval(
        *zip(*other, strict=True)
    )


@given(CLUSTERED)
def test_limits_lie_on_both_sides_of_the_mean(pairs: list[tuple[float, str]]) -> None:
    values, clusters = zip(*pairs, strict=True)
    found = cluster_interval(values, clusters)
    if found is None:
        sizes = [clusters.count(name) for name in set(clusters)]
        assert sum(sizes) ** 2 < 2 * sum(size**2 for size in sizes)
        return
    assert (found.low + found.high) / 2 == pytest.approx(np.mean(values))
    assert found.low <= found.high


@given(st.lists(st.floats(-10, 10), min_size=2, max_size=30))
def test_of_clusters_of_one_value_limits_are_those_of_students_t(values: list[float]) -> None:
    from scipy import stats

    found = cluster_interval(values, list(range(len(values))))
    assert found is not None
    if max(values) - min(values) > 1e-3:
        expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
        limits = expected.low, expected.high
        assert (found.low, found.high) == pytest.approx(limits, rel=1e-6, abs=1e-9)


def test_one_cluster_or_none_gives_no_interval() -> None:
    assert cluster_interval([1.0, 0.0, 1.0], ["a", "a", "a"]) is None
    assert cluster_interval([], []) is None


def test_values_that_are_all_alike_give_an_interval_without_width() -> None:
    assert cluster_interval([1.0] * 6, list("aabbcc")) == Limits(1.0, 1.0, SOURCES_T)


def test_items_of_one_cluster_are_worth_one_observation() -> None:
    """Ten copies of each item, in its cluster, tell nothing new."""
    values = [float(i % 3 > 0) for i in range(40)]
    names = [f"c{i:02}" for i in range(40)]
    once = cluster_interval(values, names)
    tenfold = cluster_interval(values * 10, names * 10)
    spread = cluster_interval(values * 10, [f"{name}-{k}" for k in range(10) for name in names])
    assert once is not None
    assert tenfold is not None
    assert spread is not None
    assert (once.low, once.high) == pytest.approx((tenfold.low, tenfold.high))
    assert spread.high - spread.low < 0.5 * (once.high - once.low)


@given(st.integers(1, 400), st.integers(0, 5))
def test_every_resample_draws_as_many_clusters_as_there_are(n_clusters: int, seed: int) -> None:
    rows = np.concatenate(list(draws(n_clusters, 50, seed)))
    assert rows.shape == (50, n_clusters)
    assert (rows.sum(axis=1) == n_clusters).all()


def test_draws_are_the_same_however_many_fit_in_memory_at_once() -> None:
    blocks = list(draws(4_000, 1_100, 3))
    assert len(blocks) > 2
    drawn = (uniform(np.random.PCG64(3), 1_100 * 4_000) * 4_000).astype(int).reshape(1_100, 4_000)
    for row, found in zip(drawn, np.concatenate(blocks), strict=True):
        assert (np.bincount(row, minlength=4_000) == found).all()


def test_the_raw_stream_is_the_promised_one() -> None:
    """First draws of PCG64 with our seed, so that another NumPy with other numbers is noticed."""
    found = uniform(np.random.PCG64(2018), 3).tolist()
    assert found == [0.4874032925129972, 0.17924326731342033, 0.9106144830799372]


def test_draws_without_a_value_are_left_out_unless_they_are_most() -> None:
    def often(weights: np.ndarray) -> np.ndarray:
        return np.where(weights[:, 0] > 0, weights[:, 0], np.nan)

    def never(weights: np.ndarray) -> np.ndarray:
        return np.full(len(weights), np.nan)

    found = bootstrap(often, 5)
    assert found is not None
    assert found.low >= 1.0
    assert bootstrap(never, 5) is None


def test_two_thousand_resamples_are_the_default() -> None:
    sizes = []

    def count(weights: np.ndarray) -> np.ndarray:
        sizes.append(len(weights))
        return weights[:, 0]

    bootstrap(count, 3)
    assert sum(sizes) == RESAMPLES == 2_000
