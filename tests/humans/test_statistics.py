"""A component oracle of statistics of models beside people: SciPy, brute force, and laws."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from colorless_green.humans.judgment import Tally
from colorless_green.humans.statistics import (
    PERMUTATIONS,
    SIGN_FLIPS,
    correlation,
    holm,
    item_accuracy,
    item_interval,
    mid_ranks,
    permutation_p,
    pooled_accuracy,
    sign_flip,
    spearman,
    spearman_interval,
    wilson,
)

SMALL = st.lists(st.integers(-3, 3), min_size=2, max_size=25)
PAIRS = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=3, max_size=25)


def counts(*pairs: tuple[int, int]) -> list[Tally]:
    return [
        Tally(f"i{k}", f"s{k}", "", "nonce", right, total) for k, (right, total) in enumerate(pairs)
    ]


def test_accuracy_is_the_mean_of_the_items_shares_and_pooling_differs() -> None:
    people = counts((1, 1), (5, 10), (0, 0))
    assert item_accuracy(people) == 0.75
    assert pooled_accuracy(people) == pytest.approx(6 / 11)


def test_without_answers_accuracy_is_undefined_and_not_zero() -> None:
    for people in ([], counts((0, 0))):
        assert item_accuracy(people) is None
        assert pooled_accuracy(people) is None
        assert item_interval(people) is None


@given(SMALL)
def test_mid_ranks_are_those_of_scipy(values: list[int]) -> None:
    from scipy.stats import rankdata

    assert mid_ranks(values).tolist() == rankdata(values).tolist()


@given(PAIRS)
def test_spearman_is_that_of_scipy(pairs: list[tuple[int, int]]) -> None:
    from scipy.stats import spearmanr

    x, y = zip(*pairs, strict=True)
    assume(len(set(x)) > 1 and len(set(y)) > 1)
    assert spearman(x, y) == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)


@given(PAIRS)
def test_spearman_is_symmetric_and_turns_with_the_sign(pairs: list[tuple[int, int]]) -> None:
    x, y = zip(*pairs, strict=True)
    rho = spearman(x, y)
    turned = spearman(x, [-value for value in y])
    assert rho == (None if rho is None else pytest.approx(spearman(y, x)))
    assert turned == (None if rho is None else pytest.approx(-rho))


def test_a_side_without_variation_has_no_correlation() -> None:
    assert spearman([1, 1, 1], [1, 2, 3]) is None
    assert spearman([], []) is spearman([1.0], [2.0]) is None
    assert correlation([9.0] * 4, [1.0, 2.0, 3.0, 4.0], list("abcd")) is None


def test_the_permutation_p_is_that_of_all_permutations() -> None:
    x, y = [1.0, 2.0, 3.0, 4.0, 5.0, 5.0], [2.0, 1.0, 4.0, 3.0, 6.0, 5.0]
    observed = spearman(x, y)
    assert observed is not None
    rhos = [spearman(x, each) or 0.0 for each in itertools.permutations(y)]
    share = sum(abs(rho) >= abs(observed) - 1e-12 for rho in rhos) / len(rhos)
    error = math.sqrt(share * (1 - share) / PERMUTATIONS)
    assert permutation_p(x, y, list("abcdef")) == pytest.approx(
        share, abs=4 * error + 1 / PERMUTATIONS
    )


def test_no_permutation_p_is_zero() -> None:
    values = [float(value) for value in range(30)]
    assert permutation_p(values, values, [str(each) for each in values]) == 1 / (PERMUTATIONS + 1)


@given(PAIRS, st.integers(0, 3))
def test_the_weighted_correlation_of_a_resample_is_that_of_its_items_written_out(
    pairs: list[tuple[int, int]], seed: int
) -> None:
    from colorless_green.humans.statistics import rank
    from colorless_green.nonce.intervals import draws

    x, y = zip(*pairs, strict=True)
    left, right = rank.Ties.of(x), rank.Ties.of(y)
    for row in next(draws(len(x), 5, seed)):
        weights = row[None, :]
        found = rank.weighted_correlation(left.ranks(weights), right.ranks(weights), weights)
        chosen = [index for index, times in enumerate(row) for _ in range(int(times))]
        expected = spearman([x[i] for i in chosen], [y[i] for i in chosen])
        if expected is None:
            assert np.isnan(found[0])
        else:
            assert found[0] == pytest.approx(expected, abs=1e-9)


def test_spearmans_interval_does_not_depend_on_how_much_fits_in_memory() -> None:
    x = [float(i * 7 % 11) for i in range(30)]
    y = [float(i * 5 % 13) for i in range(30)]
    clusters = [str(i // 3) for i in range(30)]
    assert spearman_interval(x, y, clusters, cells=100) == spearman_interval(x, y, clusters)


@given(st.integers(0, 40), st.integers(0, 40))
def test_wilson_is_that_of_scipy(right: int, wrong: int) -> None:
    from scipy.stats import binomtest

    total = right + wrong
    found = wilson(right, total)
    if total == 0:
        assert found is None
        return
    expected = binomtest(right, total).proportion_ci(method="wilson")
    assert found is not None
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-6)


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9))
def test_sign_flips_of_few_sources_are_counted_one_by_one(differences: list[int]) -> None:
    sources = [f"s{i}" for i in range(len(differences))]
    found = sign_flip([float(value) for value in differences], sources)
    signs = itertools.product((1, -1), repeat=len(differences))
    sums = [abs(sum(s * d for s, d in zip(row, differences, strict=True))) for row in signs]
    assert found is not None
    assert found.floor == 2.0 ** (1 - len(differences))
    assert found.p == sum(value >= abs(sum(differences)) for value in sums) / len(sums)
    assert found.floor <= found.p or found.floor == 1.0


def test_every_source_weighs_the_same_in_a_sign_flip_whatever_its_size() -> None:
    """T is the mean over sources of their means (facts of the project, §3.6), not over items."""
    names = ["large"] * 90 + [f"s{n}" for n in range(10)]
    values = [0.5] * 90 + [-0.4] * 9 + [-0.35]
    found = sign_flip(values, names)
    once = sign_flip([0.5, *values[90:]], ["large", *names[90:]])
    assert found is not None
    assert found == once
    assert found.p < 0.05


def test_sign_flips_are_of_sources_and_not_of_items() -> None:
    once = sign_flip([0.5, -0.1, 0.3], ["a", "b", "c"])
    copies = sign_flip([0.5, -0.1, 0.3] * 10, ["a", "b", "c"] * 10)
    assert once == copies


def test_random_sign_flips_agree_with_all_of_them() -> None:
    differences = [0.3, -0.1, 0.4, 0.2, -0.3, 0.1, 0.2, 0.5, -0.2, 0.1, 0.1, -0.1, 0.3, 0.0, 0.2]
    found = sign_flip(differences, [f"s{i}" for i in range(15)])
    signs = 1.0 - 2.0 * ((np.arange(1 << 15)[:, None] >> np.arange(15)) & 1)
    sums = np.abs((signs * np.array(differences)).sum(axis=1))
    share = float((sums >= abs(sum(differences)) - 1e-12).mean())
    assert found is not None
    assert found.floor == 1 / (SIGN_FLIPS + 1)
    assert found.p == pytest.approx(share, abs=4 * math.sqrt(share * (1 - share) / SIGN_FLIPS))


def test_no_items_no_test() -> None:
    assert sign_flip([], []) is None


def test_holm_multiplies_the_smallest_most_and_keeps_the_order() -> None:
    # Worked by hand: 0.01·4, then max(0.04, 0.02·3), then max(0.06, 0.03·2), then max(0.06, 0.5).
    assert holm([0.03, 0.01, None, 0.5, 0.02]) == pytest.approx([0.06, 0.04, None, 0.5, 0.06])


@given(st.lists(st.floats(0, 1), max_size=12))
def test_adjusted_p_values_are_never_smaller_and_never_above_one(ps: list[float]) -> None:
    adjusted = holm(ps)
    for p, found in zip(ps, adjusted, strict=True):
        assert found is not None
        assert p <= found <= 1
    by_p = [found for _, found in sorted(zip(ps, adjusted, strict=True), key=lambda pair: pair[0])]
    assert by_p == sorted(by_p, key=lambda p: p or 0.0)
