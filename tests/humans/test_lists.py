"""A component oracle: Latin squares, every list every source once, conditions spread evenly; and
even circular orders of conditions, against a plain count of all stretches.

Lists are balanced because any two stretches of such an order that are equally long hold each
condition equally often, or one of them once more.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data import Item
from colorless_green.humans.study.lists import even_order, unevenness
from tests.builders import few_examples, mistake
from tests.humans.study_material import bare, designed, item, lists_of, planned, suite

SIZES = st.lists(st.integers(1, 6), min_size=1, max_size=4)


def shown(
    items: Iterable[Item], n_lists: int | None, seed: int, task: str = "form"
) -> list[Counter[tuple[str, str]]]:
    """How often each list has a construction in a condition; every source is in each of them."""
    items = tuple(items)
    lists = lists_of(bare(items, lists=n_lists, seed=seed, task=task)).values()
    sources = sorted({each.cluster_id for each in items})
    assert [sorted(trial.source for trial in own) for own in lists] == [sources] * len(lists)
    return [Counter((trial.construction, trial.condition) for trial in own) for own in lists]


def differ_by_one_at_most(counts: list[Counter[tuple[str, str]]]) -> bool:
    cells = {cell for count in counts for cell in count}
    spans = [[count[cell] for count in counts] for cell in cells]
    return all(max(span) - min(span) <= 1 for span in spans)


def whole(counts: list[Counter[tuple[str, str]]]) -> list[Counter[tuple[str, str]]]:
    """Return the same over all constructions."""
    sums: list[Counter[tuple[str, str]]] = []
    for count in counts:
        sums.append(Counter())
        for (_, condition), n in count.items():
            sums[-1]["", condition] += n
    return sums


@given(SIZES, st.integers(0, 6), st.integers(1, 12), st.integers(0, 99))
def test_every_list_has_every_source_once_and_about_as_much_of_each_condition(
    sizes: list[int], n_nonce: int, n_lists: int, seed: int
) -> None:
    counts = shown(suite(sizes, n_nonce), n_lists, seed)
    assert len(counts) == n_lists
    assert differ_by_one_at_most(counts)
    assert differ_by_one_at_most(whole(counts))


@given(SIZES, st.integers(0, 5), st.integers(0, 99))
def test_over_as_many_lists_as_versions_each_version_is_shown_once(
    sizes: list[int], n_nonce: int, seed: int
) -> None:
    items = suite(sizes, n_nonce)
    made = bare(items, seed=seed)
    assert len(made.rows) == n_nonce + 1
    assert Counter(trial.item for trial in made.trials) == Counter(each.item_id for each in items)


@few_examples
@given(SIZES, st.integers(0, 99))
def test_single_sentences_are_balanced_for_kind_and_condition_at_once(
    sizes: list[int], seed: int
) -> None:
    counts = shown(suite(sizes, 4), 10, seed, "rating")
    assert {condition for _, condition in set().union(*counts)} <= {
        f"{kind} {side}" for kind in ("original", "nonce") for side in ("right", "wrong")
    }
    assert differ_by_one_at_most(counts)


def test_sources_whose_variants_come_in_another_order_are_balanced_all_the_same() -> None:
    first, last = (("original", *["nonce"] * 3), (*["nonce"] * 3, "original"))
    items = [
        item(number, kind=kind, variant=variant)
        for number in range(1, 9)
        for variant, kind in enumerate(first if number % 2 else last)
    ]
    assert [count["NOUN_VERB", "original"] for count in shown(items, 4, 0)] == [2, 2, 2, 2]


@few_examples
@given(SIZES, st.sets(st.integers(0, 40), max_size=9), st.integers(0, 99))
def test_lists_stay_balanced_where_sources_lack_variants(
    sizes: list[int], gone: set[int], seed: int
) -> None:
    """As many variants go as you like, as long as one of each source stays."""
    nonce = [each for each in suite(sizes, 4) if each.item_id[-2:] not in ("-0", "-1")]
    lost = {nonce[number % len(nonce)].item_id for number in gone}
    items = [each for each in suite(sizes, 4) if each.item_id not in lost]
    assert differ_by_one_at_most(shown(items, 5, seed))


@few_examples
@given(st.lists(st.sampled_from(("in", "mit", "zu")), min_size=1, max_size=12), st.integers(1, 30))
def test_composed_sets_are_balanced_for_relation_and_value_whatever_their_modifiers(
    modifiers: list[str], n_lists: int
) -> None:
    facts = {}
    items = []
    for number, own in enumerate(modifiers):
        for value in ("Sing", "Plur"):
            for modifier, relation in ("", "none"), *product(("Gen", own), ("same", "opposite")):
                cell = f"{value}.{modifier}.{relation}"
                about = {"construction": "C", "value": value, "relation": relation}
                each = item(number, kind="composed", cell=cell)
                facts[each.item_id] = relation, value
                items.append(replace(each, facts=about))
    lists = lists_of(bare(items, lists=n_lists)).values()
    assert differ_by_one_at_most([Counter(facts[each.item] for each in own) for own in lists])


def test_of_each_construction_so_many_sources_are_drawn_and_the_seed_says_which() -> None:
    items = suite((8, 3), 0)

    def drawn(n: int | None, seed: int) -> dict[str, str]:
        made = bare(items, per_construction=n, seed=seed)
        return {trial.source: trial.construction for trial in made.trials}

    assert Counter(drawn(4, 0).values()) == {"S_0": 4, "S_1": 3}
    assert drawn(4, 0) == drawn(4, 0)
    assert drawn(4, 0) != drawn(4, 1)
    assert len(drawn(None, 0)) == 11


def test_without_an_item_there_is_no_list() -> None:
    with mistake("empty", "suite"):
        designed((), planned("form", fillers="none"))


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
