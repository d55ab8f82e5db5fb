"""Component oracle: derivations counted, ranked and listed, against all that could be tried."""

from itertools import islice, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.nonce import Grammar, derivations, n_derivations
from colorless_green.nonce.grammar.grammar import (
    Derivation,
    LexicalEntry,
    Shape,
    arrangements,
    unranked,
)
from tests.builders import few_examples
from tests.nonce.test_grammar_expand import grammars


def key(each: Derivation) -> tuple[object, ...]:
    """What tells one derivation from another."""
    return (each.shape.number, each.values, each.entries)


@pytest.mark.slow
@few_examples
@given(grammars())
def test_the_derivations_are_those_that_trying_every_word_in_every_slot_finds(
    toy: Grammar,
) -> None:
    made = [key(each) for each in derivations(toy)]
    assert len(made) == len(set(made)) == n_derivations(toy)
    assert set(made) == {
        (shape.number, values, entries)
        for shape in toy.shapes
        for values in product(*shape.domains)
        for entries in product(*(slot.words.entries for slot in shape.slots))
        if allowed(shape, values, entries)
    }


def allowed(shape: Shape, values: tuple[str, ...], entries: tuple[LexicalEntry, ...]) -> bool:
    """Whether these words can stand in these slots: each by itself, and no forbidden repeat."""
    once = [e for e, slot in zip(entries, shape.slots, strict=True) if not slot.words.repeat]
    if len(set(once)) < len(once):
        return False
    for entry, slot in zip(entries, shape.slots, strict=True):
        asked = slot.values(values)
        if any(f in asked and asked[f] not in only for f, only in entry.only.items()):
            return False
        if tuple(asked[feature] for feature in entry.varies) not in entry.forms:
            return False
    return True


@given(grammars())
def test_the_derivation_at_a_rank_is_the_one_at_that_place_of_the_order(toy: Grammar) -> None:
    ranked = (unranked(toy, shape, rank) for shape in toy.shapes for rank in range(shape.n))
    for one, other in islice(zip(ranked, derivations(toy), strict=True), 300):
        assert key(one) == key(other)


@given(st.lists(st.frozensets(st.integers(0, 5), max_size=5), max_size=5))
def test_arrangements_are_the_choices_of_different_members(sets: list[frozenset[int]]) -> None:
    tried = sum(len(set(chosen)) == len(chosen) for chosen in product(*sets))
    assert arrangements(tuple(sets)) == tried
