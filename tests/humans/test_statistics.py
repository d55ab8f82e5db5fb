"""A component oracle of statistics of models beside people: SciPy, brute force, and laws."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from colorless_green.data.statistics.differences import SIGN_FLIPS, sign_flip
from colorless_green.data.statistics.intervals import SEED, draws, wilson
from colorless_green.data.statistics.rank_correlation import (
    PERMUTATIONS,
    mid_ranks,
    row_ranks,
    row_spearman,
    spearman,
    spearman_interval,
    spearman_p,
    within_ps,
)
from colorless_green.data.statistics.significance import holm
from colorless_green.humans.judgments.judgment import Tally
from colorless_green.humans.statistics.accuracy_estimates import (
    construction_accuracy,
    curve,
    item_accuracy,
    item_interval,
    pooled_accuracy,
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


def test_a_side_without_variation_has_no_correlation() -> None:
    assert spearman([1, 1, 1], [1, 2, 3]) is None
    assert spearman([], []) is spearman([1.0], [2.0]) is None
    assert spearman_p([9.0] * 4, [1.0, 2.0, 3.0, 4.0], list("abcd")) is None


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 3)), min_size=6))
def test_spearmans_interval_is_that_of_resamples_written_out(
    found: list[tuple[int, int, int]],
) -> None:
    """Clusters drawn with all their items, ranks taken anew in each resample."""
    x, y, clusters = zip(*found, strict=True)
    names = [str(each) for each in clusters]
    own = sorted(set(names))
    rhos = []
    for row in next(draws(len(own), 100, SEED)) if len(own) > 1 else ():
        chosen = [
            place
            for place, name in enumerate(names)
            for _ in range(int(row[own.index(name)]))
        ]  # fmt: skip
        rhos.append(spearman([x[i] for i in chosen], [y[i] for i in chosen]))
    known = [rho for rho in rhos if rho is not None]
    limits = spearman_interval(x, y, names, resamples=100)
    if len(own) < 2 or 2 * len(known) < 100:
        assert limits is None
    else:
        assert limits is not None
        expected = np.quantile(known, [0.025, 0.975])
        assert (limits.low, limits.high) == pytest.approx(tuple(expected), abs=1e-9)


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


def test_the_difference_of_a_sign_flip_is_over_items_unless_they_have_weights() -> None:
    names = ["large"] * 90 + [f"s{n}" for n in range(10)]
    values = [0.5] * 90 + [-0.4] * 9 + [-0.35]
    found = sign_flip(values, names)
    weighted = sign_flip(values, names, [1 / 90] * 90 + [1.0] * 10)
    once = sign_flip([0.5, *values[90:]], ["large", *names[90:]])
    assert found is not None
    assert weighted is not None
    assert once is not None
    assert found.value == pytest.approx(sum(values) / 100)
    assert (weighted.value, weighted.p) == pytest.approx((once.value, once.p))


def test_sign_flips_are_of_sources_and_not_of_items() -> None:
    once = sign_flip([0.5, -0.1, 0.3], ["a", "b", "c"])
    copies = sign_flip([0.5, -0.1, 0.3] * 10, ["a", "b", "c"] * 10)
    assert once is not None
    assert copies is not None
    assert (once.p, once.floor, once.limits) == (copies.p, copies.floor, copies.limits)


def test_random_sign_flips_agree_with_all_of_them() -> None:
    differences = [0.3, -0.1, 0.4, 0.2, -0.3, 0.1, 0.2, 0.5, -0.2, 0.1, 0.1, -0.1, 0.3, 0.0, 0.2]
    found = sign_flip(differences, [f"s{i}" for i in range(15)])
    signs = 1.0 - 2.0 * ((np.arange(1 << 15)[:, None] >> np.arange(15)) & 1)
    sums = np.abs((signs * np.array(differences)).sum(axis=1))
    share = float((sums >= abs(sum(differences)) - 1e-12).mean())
    assert found is not None
    assert found.floor == 1 / (SIGN_FLIPS + 1)
    assert found.p == pytest.approx(share, abs=4 * math.sqrt(share * (1 - share) / SIGN_FLIPS))


@settings(max_examples=60)
@given(st.lists(st.integers(-6, 6).map(lambda n: n / 6), min_size=1, max_size=30))
def test_the_interval_of_a_difference_excludes_0_exactly_where_p_is_below_5_percent(
    differences: list[float],
) -> None:
    found = sign_flip(differences, [str(n) for n in range(len(differences))])
    assert found is not None
    if found.limits is None:
        assert found.floor is not None
        assert found.floor > 0.05
    else:
        assert found.limits.low <= found.value + 1e-12
        assert found.limits.high >= found.value - 1e-12
        assert found.p is not None
        assert (found.p < 0.05) == (not found.limits.low <= 0 <= found.limits.high)


@settings(max_examples=25)
@given(st.lists(st.integers(-6, 6).map(lambda n: n / 6), min_size=6, max_size=10))
def test_the_interval_holds_the_differences_that_the_test_does_not_reject(
    differences: list[float],
) -> None:
    """By brute force over all signs, a little inside and outside of either limit."""
    names = [str(n) for n in range(len(differences))]
    found = sign_flip(differences, names)
    assert found is not None
    assert found.limits is not None
    for limit, inwards in ((found.limits.low, 1e-6), (found.limits.high, -1e-6)):
        for shift, is_held in ((inwards, True), (-inwards, False)):
            moved = sign_flip([each - limit - shift for each in differences], names)
            assert moved is not None
            assert moved.p is not None
            if found.limits.high - found.limits.low > 1e-5:
                assert (moved.p >= 0.05) == is_held


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


LEVELS = st.lists(st.tuples(st.integers(0, 6), st.floats(0, 1)), max_size=20)


def tallies(*rows: tuple[str, int, int]) -> list[Tally]:
    """From (construction, right, total), each of a source of its own."""
    return [Tally(f"i{k}", f"s{k}", name, "nonce", *row) for k, (name, *row) in enumerate(rows)]


def test_a_rare_construction_weighs_as_much_as_a_frequent_one() -> None:
    people = tallies(("a", 4, 4), ("a", 4, 4), ("a", 4, 4), ("b", 1, 2), ("c", 0, 0))
    assert construction_accuracy(people) == 0.75
    assert item_accuracy(people) == 3.5 / 4
    assert construction_accuracy([]) is None


@given(LEVELS, st.integers(1, 6))
def test_a_curve_has_every_item_in_one_point(rows: list[tuple[int, float]], last: int) -> None:
    levels, values = [level for level, _ in rows], [value for _, value in rows]
    points = curve(levels, values, limit=last)
    assert sum(point.n_items for point in points) == len(rows)
    total = sum(point.n_items * point.mean for point in points)
    assert total == pytest.approx(sum(values))
    names = [f"{level}+" if level == last else str(level) for level in range(last + 1)]
    assert [p.level for p in points] == [
        name for name in names if name in {p.level for p in points}
    ]


def test_the_standard_error_is_over_items_and_undefined_for_one() -> None:
    # 0.5, 0.7, 0.9: sd with n − 1 is 0.2, over √3.
    three, one = curve([0, 0, 4, 0], [0.5, 0.7, 1.0, 0.9], limit=3)
    assert (three.level, three.n_items) == ("0", 3)
    assert three.se == pytest.approx(0.2 / 3**0.5)
    assert (one.level, one.mean, one.se) == ("3+", 1.0, None)


def p_by_hand(x: list[float], y: list[float], orders: list[tuple[int, ...]]) -> tuple[float, float]:
    """Return the share of `orders` of y as extreme as y itself, and the error of a sample of
    them."""
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


@given(PAIRS)
def test_spearman_is_symmetric_and_turns_with_the_sign(pairs: list[tuple[int, int]]) -> None:
    x, y = zip(*pairs, strict=True)
    rho = spearman(x, y)
    turned = spearman(x, [-value for value in y])
    assert rho == (None if rho is None else pytest.approx(spearman(y, x)))
    assert turned == (None if rho is None else pytest.approx(-rho))
