"""How many derivations a shape has, counted and not generated.

For each choice of values the slots are filled independently of each other, so their options
multiply; only slots of one list that must not repeat a word are counted together, by
`arrangements`, and slots of one row are one choice. Values on which no slot's options depend are a
plain factor.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import product
from math import perm, prod

from colorless_green.nonce.grammar.language import (
    Entry,
    Key,
    Shape,
    Slot,
    WordList,
    base,
    resolved,
)


def admits(entry: Entry, values: Mapping[str, str]) -> bool:
    """Whether an entry can stand where its features have these values.

    `values` covers at least the features the entry varies in.
    """
    if any(values.get(feature, only[0]) not in only for feature, only in entry.only.items()):
        return False
    return tuple(values[feature] for feature in entry.varies) in entry.forms


def options(shape: Shape, index: int, values: Key) -> tuple[int, ...]:
    """Places of the entries that can fill a slot under an assignment of the shape's variables. In a
    row, those that can fill all its slots."""
    slots = [shape.slots[n] for n in row_of(shape, index)]
    first, *others = (
        _options(
            slot.words, tuple((feature, resolved(term, values)) for feature, term in slot.terms)
        )
        for slot in slots
    )
    return tuple(n for n in first if all(n in each for each in others)) if others else first


def row_of(shape: Shape, index: int) -> tuple[int, ...]:
    """The slots that are filled by one choice, in order: those of a slot's row, or itself alone."""
    row = shape.slots[index].row
    if row is None:
        return (index,)
    return tuple(n for n, slot in enumerate(shape.slots) if slot.row == row)


@lru_cache(maxsize=65536)  # a grammar needs its lists × the combinations of their values
def _options(words: WordList, values: tuple[tuple[str, str], ...]) -> tuple[int, ...]:
    asked = dict(values)
    return tuple(n for n, entry in enumerate(words.entries) if admits(entry, asked))


def groups(shape: Shape) -> tuple[tuple[int, ...], ...]:
    """Slots whose words must differ, together; every other slot alone; of a row only its first. In
    order of first slot."""
    found: dict[object, list[int]] = {}
    for index, slot in enumerate(shape.slots):
        if row_of(shape, index)[0] == index:
            alone = slot.words.repeat or slot.row is not None
            found.setdefault(index if alone else slot.words, []).append(index)
    return tuple(map(tuple, found.values()))


@lru_cache(maxsize=65536)
def arrangements(sets: tuple[frozenset[int], ...]) -> int:
    """In how many ways one can be chosen from each set, all of them different.

    For one set its size; else every choice for the first beside every arrangement of the others,
    less those where the first equals one of them (exactly one: the others differ).
    """
    if not sets:
        return 1
    first, rest = sets[0], sets[1:]
    if all(each == first for each in rest):
        return perm(len(first), len(sets))
    clashes = sum(
        arrangements((*rest[:n], each & first, *rest[n + 1 :]))
        for n, each in enumerate(rest)
        if each & first
    )
    return len(first) * arrangements(rest) - clashes


def counted(shape: Shape, features: Mapping[str, tuple[str, ...]]) -> Shape:
    """The shape with `binding`, `fillings` and `n`."""
    domains = [features[feature] for feature in shape.variables]
    tables = [_table(shape, group, domains) for group in groups(shape)]
    binding = tuple(sorted({n for own, _ in tables for n in own}))
    fillings = {}
    for chosen in product(*(domains[n] for n in binding)):
        value = dict(zip(binding, chosen, strict=True))
        fillings[chosen] = prod(table[tuple(value[n] for n in own)] for own, table in tables)
    free = prod(len(values) for n, values in enumerate(domains) if n not in binding)
    return replace(shape, binding=binding, fillings=fillings, n=free * sum(fillings.values()))


def by_values(shape: Shape, features: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[Key, int]]:
    """Every assignment of a counted shape's variables, in order, with its derivations."""
    for values in product(*(features[feature] for feature in shape.variables)):
        yield values, shape.fillings[tuple(values[n] for n in shape.binding)]


def _table(
    shape: Shape, group: tuple[int, ...], domains: list[tuple[str, ...]]
) -> tuple[tuple[int, ...], dict[Key, int]]:
    """The variables on which the options of a group's slots depend, and for each choice of their
    values in how many ways the group can be filled."""
    own = {
        term
        for index in group
        for number in row_of(shape, index)
        for feature, term in _based(shape.slots[number])
        if isinstance(term, int) and feature in shape.slots[number].words.restricted
    }
    binding = tuple(sorted(own))
    values = [each[0] for each in domains]
    table = {}
    for chosen in product(*(domains[n] for n in binding)):
        for n, value in zip(binding, chosen, strict=True):
            values[n] = value
        found = [options(shape, index, tuple(values)) for index in group]
        alone = len(found) == 1
        table[chosen] = len(found[0]) if alone else arrangements(tuple(map(frozenset, found)))
    return binding, table


def _based(slot: Slot) -> Iterator[tuple[str, int | str]]:
    """A slot's terms as they are in the first condition."""
    return ((feature, base(term)) for feature, term in slot.terms)
