"""A component oracle of permutations (items, within sources, sources): all of them by hand."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.statistics.intervals import numbered
from colorless_green.humans.statistics.correlation import (
    FREE,
    PERMUTATIONS,
    SCHEMES,
    SOURCES,
    WITHIN,
    mid_ranks,
    permutation_p,
    row_ranks,
    row_spearman,
    spearman,
)

CLUSTERS = st.lists(st.sampled_from("abcd"), min_size=2, max_size=12)


def p_by_hand(x: list[float], y: list[float], orders: list[tuple[int, ...]]) -> tuple[float, float]:
    """The share of `orders` of y as extreme as y itself, and the error of a sample of them."""
    observed = abs(spearman(x, y) or 0.0)
    rhos = [abs(spearman(x, [y[i] for i in order]) or 0.0) for order in orders]
    share = sum(rho >= observed - 1e-12 for rho in rhos) / len(rhos)
    return share, 4 * math.sqrt(share * (1 - share) / PERMUTATIONS) + 1 / PERMUTATIONS


@given(CLUSTERS, st.sampled_from([FREE, WITHIN, SOURCES]), st.integers(0, 5))
def test_every_scheme_permutes(names: list[str], scheme: str, seed: int) -> None:
    _, owner = numbered(names)
    for order in SCHEMES[scheme](owner, 5, np.random.PCG64(seed)):
        assert sorted(order) == list(range(len(names)))


@given(CLUSTERS, st.integers(0, 5))
def test_within_sources_nothing_leaves_its_source(names: list[str], seed: int) -> None:
    _, owner = numbered(names)
    for order in SCHEMES[WITHIN](owner, 5, np.random.PCG64(seed)):
        assert owner[order].tolist() == owner.tolist()


@given(CLUSTERS, st.integers(0, 5))
def test_whole_sources_stay_together_and_keep_their_order(names: list[str], seed: int) -> None:
    _, owner = numbered(names)
    for order in SCHEMES[SOURCES](owner, 5, np.random.PCG64(seed)):
        for source in set(owner.tolist()):
            taken = [int(i) for i in order[owner == source]]
            assert len({int(owner[i]) for i in taken}) == 1
            assert taken == sorted(taken)
            assert len(taken) == int((owner == owner[taken[0]]).sum())


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
    assert permutation_p(x, y, clusters, scheme=WITHIN) == pytest.approx(share, abs=error)


def test_p_of_whole_sources_is_that_of_all_their_orders() -> None:
    x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 9.0, 8.0]
    y = [1.0, 3.0, 2.0, 5.0, 4.0, 7.0, 8.0, 9.0]
    orders = [
        tuple(2 * source + k for source in order for k in range(2))
        for order in itertools.permutations(range(4))
    ]
    share, error = p_by_hand(x, y, orders)
    assert permutation_p(x, y, list("aabbccdd"), scheme=SOURCES) == pytest.approx(share, abs=error)


def test_agreement_between_sources_alone_is_none_within_them() -> None:
    """Two columns that rise from source to source and are unrelated inside of each."""
    inside = [(0.1, 0.1), (0.1, 0.2), (0.2, 0.1), (0.2, 0.2)]
    x = [source + a for source in range(8) for a, _ in inside]
    y = [source + b for source in range(8) for _, b in inside]
    clusters = [str(source) for source in range(8) for _ in inside]
    between = permutation_p(x, y, clusters, scheme=SOURCES)
    within = permutation_p(x, y, clusters, scheme=WITHIN)
    assert between is not None
    assert within is not None
    assert between < 0.01
    assert within > 0.2


def test_a_scheme_that_moves_nothing_gives_no_p() -> None:
    x = [1.0, 2.0, 3.0]
    assert permutation_p(x, x, list("abc"), scheme=WITHIN) is None
    assert permutation_p(x, x, list("aab"), scheme=SOURCES) is None
    assert permutation_p([1.0, 1.0, 1.0], x, list("abc")) is None


def test_of_sources_with_one_item_permuting_them_is_permuting_items() -> None:
    x, y = [5.0, 3.0, 4.0, 1.0, 2.0, 6.0], [4.0, 3.0, 6.0, 1.0, 2.0, 5.0]
    names = list("abcdef")
    assert permutation_p(x, y, names, scheme=SOURCES) == permutation_p(x, y, names, scheme=FREE)


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
