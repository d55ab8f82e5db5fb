"""A component oracle of agreement among people and of majorities: definitions written out."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.humans import Tally
from colorless_green.humans.measures.correlations import majority_of
from colorless_green.humans.statistics.people import raters

TABLES = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=8
)


def written_out(counts: tuple[int, ...]) -> list[int]:
    return [category for category, n in enumerate(counts) for _ in range(n)]


@given(TABLES)
def test_alpha_is_one_minus_observed_over_expected_disagreement(
    table: list[tuple[int, int, int]],
) -> None:
    """Pairs counted one by one: those of an item weigh 1 / (n − 1), those of all answers 1."""
    own = [written_out(each) for each in table if sum(each) > 1]
    everything = list(itertools.chain(*own))
    n = len(everything)
    differing = sum(a != b for a, b in itertools.permutations(everything, 2))
    found = raters(table)
    if not own:
        assert found is None
        return
    assert found is not None
    if not differing:
        assert found.alpha is None
        return
    observed = sum(
        sum(a != b for a, b in itertools.permutations(each, 2)) / (len(each) - 1) for each in own
    )
    assert found.alpha == pytest.approx(1 - (observed / n) / (differing / (n * (n - 1))))


@given(TABLES)
def test_pairwise_agreement_is_the_share_of_pairs_that_agree(
    table: list[tuple[int, int, int]],
) -> None:
    own = [list(itertools.combinations(written_out(each), 2)) for each in table if sum(each) > 1]
    found = raters(table)
    if found is None:
        assert not own
        return
    expected = sum(sum(a == b for a, b in pairs) / len(pairs) for pairs in own) / len(own)
    assert found.pairwise == pytest.approx(expected)
    assert found.n_items == len(own)


def test_perfect_agreement_is_one_and_one_category_is_undefined() -> None:
    split = raters([(3, 0), (0, 5)])
    assert split is not None
    assert (split.alpha, split.pairwise) == (1.0, 1.0)
    same = raters([(3, 0), (5, 0)])
    assert same is not None
    assert (same.alpha, same.pairwise) == (None, 1.0)


def test_an_easy_set_agrees_more_and_has_the_lower_alpha() -> None:
    easy = raters([(9, 1)] * 20)
    mixed = raters([(9, 1), (1, 9)] * 10)
    assert easy is not None
    assert mixed is not None
    assert easy.pairwise == mixed.pairwise
    assert (easy.alpha or 0.0) < (mixed.alpha or 0.0)


def test_items_with_one_answer_count_nowhere() -> None:
    assert raters([(3, 1), (0, 1), (2, 2)]) == raters([(3, 1), (2, 2)])
    assert raters([(1, 0), (0, 0)]) is None


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
