"""Latin squares: every list every source once, and conditions spread evenly over lists."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.humans.lists import (
    even_order,
    latin_square,
    limited,
    sources_of,
    unevenness,
)
from colorless_green.humans.stimulus import Version, versions
from colorless_green.nonce.item import Item
from tests.humans.study_material import item, suite

SIZES = st.lists(st.integers(1, 9), min_size=1, max_size=5)


def versions_of(items: tuple[Item, ...], task: str = "form") -> list[Version]:
    return [version for each in items for version in versions(each, task)]


@given(SIZES, st.integers(0, 5), st.integers(1, 12), st.integers(0, 99))
def test_every_list_has_every_source_exactly_once(
    sizes: list[int], n_nonce: int, n_lists: int, seed: int
) -> None:
    sources = sources_of(versions_of(suite(sizes, n_nonce)))
    for shown in latin_square(sources, n_lists, seed):
        assert sorted(v.item.cluster_id for v in shown) == sorted(s.source for s in sources)


@given(SIZES, st.integers(0, 5), st.integers(0, 99))
def test_over_as_many_lists_as_versions_each_version_is_shown_once(
    sizes: list[int], n_nonce: int, seed: int
) -> None:
    items = suite(sizes, n_nonce)
    lists = latin_square(sources_of(versions_of(items)), n_nonce + 1, seed)
    assert Counter(v.item.item_id for shown in lists for v in shown) == Counter(
        each.item_id for each in items
    )


@given(SIZES, st.integers(0, 9), st.integers(2, 12), st.integers(0, 99))
def test_lists_differ_by_at_most_one_in_each_construction_and_condition(
    sizes: list[int], n_nonce: int, n_lists: int, seed: int
) -> None:
    lists = latin_square(sources_of(versions_of(suite(sizes, n_nonce))), n_lists, seed)
    for cells in (
        [Counter((v.item.facts["construction"], v.item.kind) for v in own) for own in lists],
        [Counter(("", v.item.kind) for v in own) for own in lists],
    ):
        for cell in {cell for count in cells for cell in count}:
            numbers = [count[cell] for count in cells]
            assert max(numbers) - min(numbers) <= 1


@given(SIZES, st.integers(0, 99))
def test_single_sentences_are_balanced_for_kind_and_condition_at_once(
    sizes: list[int], seed: int
) -> None:
    lists = latin_square(sources_of(versions_of(suite(sizes, 4), "rating")), 10, seed)
    counts = [Counter((v.item.facts["construction"], v.factors) for v in own) for own in lists]
    for cell in {cell for count in counts for cell in count}:
        numbers = [count[cell] for count in counts]
        assert max(numbers) - min(numbers) <= 1


def test_sources_whose_variants_come_in_another_order_are_balanced_all_the_same() -> None:
    items = [
        item(number, kind=kind, variant=variant)
        for number in range(1, 9)
        for variant, kind in enumerate(
            ("original", "nonce", "nonce", "nonce")
            if number % 2
            else ("nonce", "nonce", "nonce", "original")
        )
    ]
    lists = latin_square(sources_of(versions_of(tuple(items))), 4, 0)
    assert [Counter(v.item.kind for v in own)["original"] for own in lists] == [2, 2, 2, 2]


@given(SIZES, st.sets(st.integers(0, 40), max_size=9), st.integers(0, 99))
def test_lists_stay_balanced_where_sources_lack_variants(
    sizes: list[int], gone: set[int], seed: int
) -> None:
    """As many variants go as you like, as long as one of each source stays."""
    nonce = [each for each in suite(sizes, 4) if each.item_id[-2:] not in ("-0", "-1")]
    lost = {nonce[number % len(nonce)].item_id for number in gone}
    items = tuple(each for each in suite(sizes, 4) if each.item_id not in lost)
    lists = latin_square(sources_of(versions_of(items)), 5, seed)
    counts = [Counter((v.item.facts["construction"], v.item.kind) for v in own) for own in lists]
    for cell in {cell for count in counts for cell in count}:
        numbers = [count[cell] for count in counts]
        assert max(numbers) - min(numbers) <= 1


@given(st.integers(1, 12), st.integers(1, 12))
def test_two_conditions_of_any_size_have_an_even_order(first: int, second: int) -> None:
    keys = "a" * first + "b" * second
    order = even_order(keys)
    assert sorted(order) == list(range(len(keys)))
    assert unevenness([keys[place] for place in order]) == 0


@pytest.mark.parametrize("sizes", [(3, 3, 3), (5, 5, 5, 5), (1, 1, 9, 9), (1, 1, 4, 4), (2, 2, 1)])
def test_conditions_of_a_design_have_an_even_order(sizes: tuple[int, ...]) -> None:
    keys = [name for name, size in enumerate(sizes) for _ in range(size)]
    assert unevenness([keys[place] for place in even_order(keys)]) == 0


def test_unevenness_is_what_counting_all_stretches_gives() -> None:
    """aabb: of the stretches of length two, aa has two a's and bb none: by one too many, twice."""
    assert unevenness("aabb") == 2
    assert unevenness("abab") == 0


def test_of_each_construction_so_many_sources_are_drawn_and_the_seed_says_which() -> None:
    sources = sources_of(versions_of(suite((8, 3), 1)))
    drawn = limited(sources, 4, 0)
    assert Counter(each.construction for each in drawn) == {"S_0": 4, "S_1": 3}
    assert limited(sources, 4, 0) == drawn != limited(sources, 4, 1)
    assert limited(sources, None, 0) == sources


def test_without_an_item_there_is_no_list() -> None:
    with pytest.raises(InputError) as error:
        latin_square((), 2, 0)
    assert str(error.value) == ("humans design: no item to show; a suite with items for this task")
