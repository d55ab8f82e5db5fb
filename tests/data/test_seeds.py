"""Choices that are the same everywhere."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.seeds import choose, generator, shuffled


@given(st.integers(), st.lists(st.integers(), max_size=8))
def test_a_shuffle_keeps_every_value(seed: int, values: list[int]) -> None:
    assert sorted(shuffled(generator(seed, "x"), values)) == sorted(values)


def test_draws_are_pinned_so_that_no_version_may_change_them() -> None:
    rng = generator(0, "5f1d0c9ab2e47738")
    assert [choose(rng, "abcdefghij") for _ in range(12)] == list("ffeagigicafa")


def test_every_order_is_about_equally_likely() -> None:
    rng = generator(1, "orders")
    counts = Counter(tuple(shuffled(rng, "abc")) for _ in range(6_000))
    assert len(counts) == 6
    assert min(counts.values()) > 850
