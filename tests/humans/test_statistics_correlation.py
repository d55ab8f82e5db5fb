"""A component oracle of permutations within sources: all of them by hand."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.statistics.rank_correlation import (
    PERMUTATIONS,
    mid_ranks,
    row_ranks,
    row_spearman,
    spearman,
    spearman_p,
    within_ps,
)


def p_by_hand(x: list[float], y: list[float], orders: list[tuple[int, ...]]) -> tuple[float, float]:
    """The share of `orders` of y as extreme as y itself, and the error of a sample of them."""
    observed = abs(spearman(x, y) or 0.0)
    rhos = [abs(spearman(x, [y[i] for i in order]) or 0.0) for order in orders]
    share = sum(rho >= observed - 1e-12 for rho in rhos) / len(rhos)
    return share, 4 * math.sqrt(share * (1 - share) / PERMUTATIONS) + 1 / PERMUTATIONS


def test_within_sources_p_is_that_of_all_such_permutations() -> None:
    x = [3.0, 1.0, 2.0, 9.0, 7.0, 8.0, 5.0, 4.0]
    y = [2.0, 1.0, 3.0, 8.0, 7.0, 9.0, 6.0, 4.0]
    clusters = list("aaabbbcc")
    orders = [
        (*first, *(3 + i for i in second), *(6 + i for i in third))
        for first in itertools.permutations(range(3))
        for second in itertools.permutations(range(3))
        for third in itertools.permutations(range(2))
    ]
    share, error = p_by_hand(x, y, orders)
    assert within_ps(x, [y, x], clusters)[0] == pytest.approx(share, abs=error)
    assert within_ps(x, [y], list("abcdefgh")) == [None]  # nothing to permute
    assert within_ps([1.0] * 8, [y], clusters) == [None]


def test_agreement_between_sources_alone_is_none_within_them() -> None:
    """Two columns that rise from source to source and are unrelated inside of each."""
    inside = [(0.1, 0.1), (0.1, 0.2), (0.2, 0.1), (0.2, 0.2)]
    x = [source + a for source in range(8) for a, _ in inside]
    y = [source + b for source in range(8) for _, b in inside]
    clusters = [str(source) for source in range(8) for _ in inside]
    between = spearman_p(x, y, clusters)
    (within,) = within_ps(x, [y], clusters)
    assert between is not None
    assert within is not None
    assert between < 0.05
    assert within > 0.2


@given(st.lists(st.lists(st.integers(-2, 2), min_size=4, max_size=4), min_size=1, max_size=5))
def test_ranks_of_rows_are_those_of_each_row(rows: list[list[int]]) -> None:
    found = row_ranks(np.array(rows, dtype=float))
    for ranks, row in zip(found, rows, strict=True):
        assert ranks.tolist() == mid_ranks(row).tolist()


@given(
    st.lists(
        st.tuples(st.none() | st.integers(-2, 2), st.none() | st.integers(-2, 2)),
        min_size=1,
        max_size=8,
    )
)
def test_rho_of_a_row_is_that_of_the_items_both_sides_have(
    pairs: list[tuple[int | None, int | None]],
) -> None:
    x, y = (
        [float("nan") if v is None else float(v) for v in side] for side in zip(*pairs, strict=True)
    )
    both = [(float(a), float(b)) for a, b in pairs if a is not None and b is not None]
    expected = spearman([a for a, _ in both], [b for _, b in both])
    (found,) = row_spearman(np.array([x]), np.array([y]))
    assert (None if np.isnan(found) else found) == (
        None if expected is None else pytest.approx(expected, abs=1e-9)
    )
