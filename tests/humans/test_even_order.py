"""A component oracle: even circular orders of conditions, against a plain count of all stretches.

Lists are balanced because any two stretches of such an order that are equally long hold each
condition equally often, or one of them once more.
"""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.humans.study.lists import even_order, unevenness


def counted(word: Sequence[object]) -> int:
    """By how much more than one the letters' numbers differ between equally long stretches."""
    twice, total = [*word, *word], 0
    for letter in set(word):
        for size in range(1, len(word)):
            counts = [twice[start : start + size].count(letter) for start in range(len(word))]
            total += max(0, max(counts) - min(counts) - 1)
    return total


@given(st.integers(1, 12), st.integers(1, 12))
def test_two_conditions_of_any_size_have_an_even_order(first: int, second: int) -> None:
    keys = "a" * first + "b" * second
    order = even_order(keys)
    assert sorted(order) == list(range(len(keys)))
    assert counted([keys[place] for place in order]) == 0


@pytest.mark.parametrize("sizes", [(3, 3, 3), (5, 5, 5, 5), (1, 1, 9, 9), (1, 1, 4, 4), (2, 2, 1)])
def test_conditions_of_a_design_have_an_even_order(sizes: tuple[int, ...]) -> None:
    keys = [name for name, size in enumerate(sizes) for _ in range(size)]
    assert counted([keys[place] for place in even_order(keys)]) == 0


@given(st.text("abc", min_size=1, max_size=10))
def test_unevenness_is_what_counting_all_stretches_gives(word: str) -> None:
    assert unevenness(word) == counted(word)
