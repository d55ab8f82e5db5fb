"""The procedures of data/statistics: laws, SciPy, and figures worked by hand."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from colorless_green.data import Interval, wilson
from colorless_green.data.statistics.crossed import (
    OVER_BOTH,
    THESE_PEOPLE,
    Answers,
    condition_difference,
    majority_accuracy,
    people_accuracy,
)
from colorless_green.data.statistics.differences import Difference, square_and_add
from colorless_green.data.statistics.intervals import Proportion, accuracy_interval, proportion
from colorless_green.data.statistics.rank_correlation import intraclass, spearman_p
from colorless_green.data.statistics.significance import critical_t, two_sided_p

SHARES = st.sampled_from([0.0, 0.25, 0.5, 1.0])
CLUSTERED = st.lists(st.tuples(SHARES, st.sampled_from("abcdefgh")), min_size=4, max_size=40)


@given(st.floats(0.5, 1e6), st.floats(1e-3, 50), st.floats(1e-12, 0.99))
def test_student_is_that_of_scipy(df: float, t: float, alpha: float) -> None:
    from scipy import stats

    expected = 2 * float(stats.t.sf(t, df))
    if expected > 1e-200:
        assert two_sided_p(t, df) == pytest.approx(expected, rel=1e-7)
    assert two_sided_p(critical_t(alpha, df), df) == pytest.approx(alpha, rel=1e-6)
    assert critical_t(alpha) == pytest.approx(float(stats.norm.isf(alpha / 2)))


def limits(found: Interval | None) -> tuple[float, float]:
    assert found is not None
    return found.low, found.high


@given(st.integers(2, 60), st.data())
def test_of_clusters_of_one_item_the_interval_is_wilsons(n: int, data: st.DataObject) -> None:
    right = data.draw(st.integers(0, n))
    found = accuracy_interval([1.0] * right + [0.0] * (n - right), list(range(n)))
    assert limits(found) == pytest.approx(limits(wilson(right, n)))


@given(CLUSTERED, st.randoms(use_true_random=False))
def test_an_interval_holds_the_mean_whatever_the_order_and_is_mirrored(
    pairs: list[tuple[float, str]], random: "np.random.Generator"
) -> None:
    values, clusters = zip(*pairs, strict=True)
    found = accuracy_interval(values, clusters)
    shuffled = sorted(pairs, key=lambda _: random.random())
    assert found == accuracy_interval(*zip(*shuffled, strict=True))
    mirrored = accuracy_interval([1 - value for value in values], clusters)
    if found is None or mirrored is None:
        assert found is mirrored
        return
    assert 0 <= found.low <= found.mean <= found.high <= 1
    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((found.low, found.high))


@pytest.mark.parametrize(("n", "size"), [(18, 9), (41, 9), (30, 1), (7, 3)])
@pytest.mark.parametrize("is_spread", [True, False])
def test_limits_never_rise_by_more_than_rounding_where_one_more_item_is_wrong(
    n: int, size: int, is_spread: bool
) -> None:
    owner = np.repeat(np.arange(n), size)
    order = np.arange(n * size)
    if is_spread:
        order = order.reshape(n, size).T.ravel()
    credits, before = np.ones(n * size), (1.0, 1.0)
    for wrong in order[:60]:
        credits[wrong] = 0.0
        found = limits(accuracy_interval(credits, owner.tolist()))
        assert found[0] <= before[0] + 1e-4
        assert found[1] <= before[1] + 1e-4
        before = found


@given(st.lists(SHARES, min_size=3, max_size=20), st.integers(2, 9))
def test_copies_of_items_in_their_clusters_never_say_more_than_the_clusters(
    values: list[float], n_copies: int
) -> None:
    """A design effect is at most the size of a cluster: then each is one case."""
    names = [*range(len(values))]
    once = accuracy_interval(values, names)
    copies = accuracy_interval(values * n_copies, names * n_copies)
    assert once is not None
    assert copies is not None
    assert copies.n >= once.n - 1e-9
    whole = [float(value > 0.3) for value in values]
    packed = accuracy_interval(whole * 9, names * 9)
    assert packed is not None
    assert packed.n <= 9 * len(values)


def test_one_cluster_says_nothing_even_if_all_are_right() -> None:
    assert accuracy_interval([1.0, 1.0], ["a", "a"]) is None
    assert accuracy_interval([], []) is None


def test_the_mean_over_strata_is_that_of_their_means() -> None:
    """Who always says `Sing` gains nothing by a set with more of it."""
    strata = ["Sing"] * 90 + ["Plur"] * 10
    found = accuracy_interval([1.0] * 90 + [0.0] * 10, list(range(100)), strata=strata)
    assert found is not None
    assert found.mean == 0.5
    assert found.low < 0.5 < found.high
    even = accuracy_interval([1.0, 0.0] * 50, list(range(100)), strata=["a", "a", "b", "b"] * 25)
    assert limits(even) == pytest.approx(limits(wilson(50, 100)))


def test_seeds_that_differ_widen_the_interval() -> None:
    values, names = [1.0, 0.5, 0.0, 1.0, 0.5] * 8, [f"c{n // 2}" for n in range(40)]
    alike = accuracy_interval(values, names, seeds=[0.6, 0.6, 0.6])
    apart = accuracy_interval(values, names, seeds=[0.4, 0.6, 0.8])
    assert alike is not None
    assert apart is not None
    assert apart.low < alike.low < alike.high < apart.high


def answers(
    n_people: int, n_items: int, seed: int = 0, *, spread: float = 1.0, conditions: int = 1
) -> Answers:
    rng = np.random.default_rng(seed)
    people, items = rng.standard_normal((n_people, 1)), rng.standard_normal(n_items * conditions)
    right = rng.random((n_people, n_items * conditions)) < 1 / (
        1 + np.exp(-1 - spread * people - items)
    )
    owner = np.repeat(np.arange(n_items), conditions)
    return Answers(right.astype(float), np.ones(right.shape), owner)


def test_people_are_a_sample_too() -> None:
    """An interval over people and sources is wider than that of these people, the more so the more
    people differ; where all are alike it is that of the smaller sample."""
    made = answers(12, 60, spread=2.0)
    totals = Answers(made.right.sum(0)[None], made.total.sum(0)[None], made.owner)
    both, these = people_accuracy(made), people_accuracy(totals)
    assert both is not None
    assert these is not None
    assert (both.method, these.method) == (OVER_BOTH, THESE_PEOPLE)
    assert both.mean == pytest.approx(these.mean)
    assert both.low < these.low < these.high < both.high
    alike = Answers(np.ones((5, 9)), np.ones((5, 9)), np.arange(9))
    assert limits(people_accuracy(alike)) == limits(proportion(1.0, 5, 4, ""))


@settings(max_examples=20)
@given(st.integers(0, 99), st.randoms(use_true_random=False))
def test_neither_the_order_of_people_nor_that_of_items_matters(
    seed: int, random: "np.random.Generator"
) -> None:
    made = answers(6, 8, seed, conditions=2)
    people = sorted(range(6), key=lambda _: random.random())
    items = sorted(range(16), key=lambda _: random.random())
    other = Answers(made.right[people][:, items], made.total[people][:, items], made.owner[items])
    for statistic in (people_accuracy, majority_accuracy):
        assert limits(statistic(made)) == pytest.approx(limits(statistic(other)))
    is_second = np.arange(16) % 2 == 1
    one = condition_difference(made, is_second)
    two = condition_difference(other, is_second[items])
    assert one is not None
    assert two is not None
    assert (one.value, one.p) == pytest.approx((two.value, two.p))


def test_an_even_number_of_raters_has_ties_of_half() -> None:
    right = np.array([[1.0, 0, 1, 0], [0, 0, 1, 1], [1, 1, 1, 0], [0, 1, 1, 0]])
    found = majority_accuracy(Answers(right, np.ones((4, 4)), np.arange(4)))
    assert found is not None
    assert found.mean == (0.5 + 0.5 + 1 + 0) / 4


def test_the_difference_of_conditions_is_the_paired_t_test_of_one_who_answers() -> None:
    """Of a model, with an item in each condition of each source."""
    from scipy import stats

    rng = np.random.default_rng(3)
    first, second = rng.random(20), rng.random(20)
    credits = np.ravel(np.column_stack([first, second]))[None]
    owner = np.repeat(np.arange(20), 2)
    found = condition_difference(Answers(credits, np.ones((1, 40)), owner), np.arange(40) % 2 == 1)
    expected = stats.ttest_rel(first, second)
    assert found is not None
    assert found.value == pytest.approx(float((first - second).mean()))
    assert found.p == pytest.approx(float(expected.pvalue))
    assert limits(found.limits) == pytest.approx(tuple(expected.confidence_interval()))


def test_sources_with_one_condition_say_nothing_of_the_difference() -> None:
    made = answers(7, 9, conditions=2)
    is_second = np.arange(18) % 2 == 1
    kept = np.array([*range(16), 16])  # the last source has the first condition alone
    fewer = Answers(made.right[:, kept], made.total[:, kept], made.owner[kept])
    without = Answers(made.right[:, :16], made.total[:, :16], made.owner[:16])
    assert condition_difference(fewer, is_second[kept]) == condition_difference(
        without, is_second[:16]
    )
    assert condition_difference(fewer, np.zeros(17, dtype=bool)) is None


PROPORTIONS = st.builds(
    lambda mean, n, df: proportion(mean, n, df, ""),
    st.floats(0, 1),
    st.floats(2, 500),
    st.floats(1, 500) | st.just(math.inf),
)


@given(PROPORTIONS, PROPORTIONS)
def test_the_interval_of_a_difference_excludes_0_exactly_where_p_is_below_5_percent(
    first: Proportion, second: Proportion
) -> None:
    found, other = square_and_add(first, second), square_and_add(second, first)
    assert found.limits is not None
    assert found.p is not None
    assert found.limits.low - 1e-9 <= found.value <= found.limits.high + 1e-9
    assert (other.value, other.p) == pytest.approx((-found.value, found.p), abs=1e-6)
    if min(abs(found.limits.low), abs(found.limits.high)) > 1e-6:
        assert (found.p < 0.05) == (found.sign != 0)


def test_the_larger_of_two_certain_differences_has_the_smaller_p() -> None:
    ps = [
        square_and_add(proportion(mean, 300, 50, ""), proportion(0.5, 300, 50, "")).p or 0.0
        for mean in (0.5, 0.55, 0.6, 0.8, 0.99)
    ]
    assert ps == sorted(ps, reverse=True)
    assert ps[0] == 1.0
    assert isinstance(square_and_add(proportion(1, 9, 8, ""), proportion(0, 9, 8, "")), Difference)


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=4, max_size=30))
def test_of_independent_items_the_p_of_rho_is_that_of_scipy(pairs: list[tuple[int, int]]) -> None:
    from scipy.stats import spearmanr

    x, y = ([float(value) for value in side] for side in zip(*pairs, strict=True))
    found = spearman_p(x, y, [str(n) for n in range(len(x))])
    if len(set(x)) < 2 or len(set(y)) < 2:
        assert found is None
        return
    expected = float(spearmanr(x, y).pvalue)
    assert found == pytest.approx(expected, abs=1e-9)


def test_items_that_are_copies_of_one_another_are_worth_one() -> None:
    x, y = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [2.0, 1.0, 4.0, 3.0, 6.0, 5.0]
    names = list("abcdef")
    once, copies = spearman_p(x, y, names), spearman_p(x * 10, y * 10, names * 10)
    assert copies == pytest.approx(once)
    assert intraclass(np.array(x * 10), np.tile(np.arange(6), 10)) == 1.0
    assert intraclass(np.array([1.0, 2.0, 1.0, 2.0]), np.array([0, 0, 1, 1])) == 0.0
