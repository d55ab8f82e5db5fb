"""Derivations of a grammar: counted without making any, in order, by rank, and at random.

For each choice of values the slots are filled independently of each other, so their options
multiply; only slots of one list that must not repeat a word are counted together, by
`arrangements`, and slots of one row are one choice. Variables that no slot's options tie to each
other are counted apart.

The order is that of the file: templates as they are written, the first alternative of a phrase
first and the leftmost choice varying slowest; within a shape the values of its variables (leftmost
slowest, values as declared), then the words slot by slot (in the order of their lists, the last
slot fastest).
"""

import random
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate, islice, product
from math import perm, prod

from ...data.errors import InputError
from ...data.seeds import generator
from .grammar import (
    CountTable,
    Derivation,
    Grammar,
    LexicalEntry,
    Shape,
    Slot,
    ValueKey,
    Values,
    WordList,
)


def n_derivations(grammar: Grammar) -> int:
    """Return the number of derivations of a grammar, counted without making any.

    Args:
        grammar: of any size.

    Returns:
        The number.

    >>> from colorless_green.nonce import load_grammar
    >>> n_derivations(load_grammar("reflexives"))
    2820
    """
    return sum(shape.n for shape in grammar.shapes)


def admitted(slot: Slot, values: Values) -> list[LexicalEntry]:
    """Return the entries that can fill a slot under an assignment of the shape's variables, or at
    least of those on which it depends."""
    return [slot.words.entries[n] for n in _admitted(slot.words, slot.restricting(values))]


def assignments(shape: Shape, slots: Sequence[Slot]) -> Iterator[dict[int, str]]:
    """Yield every assignment of the variables on some slots."""
    bases = {term.base for slot in slots for term in slot.terms.values()}
    variables = sorted(base for base in bases if isinstance(base, int))
    for key in product(*(shape.domains[n] for n in variables)):
        yield dict(zip(variables, key, strict=True))


def options(shape: Shape, choice: Sequence[int], values: Values) -> tuple[int, ...]:
    """Return the indices of the entries that can fill all slots of a choice, as `admitted`."""
    slots = (shape.slots[n] for n in choice)
    first, *others = (_admitted(slot.words, slot.restricting(values)) for slot in slots)
    return tuple(n for n in first if all(n in other for other in others)) if others else first


@lru_cache(maxsize=65536)  # a grammar needs its lists × the combinations of their values
def _admitted(words: WordList, values: tuple[tuple[str, str], ...]) -> tuple[int, ...]:
    return tuple(n for n, entry in enumerate(words.entries) if entry.admits(dict(values)))


@lru_cache(maxsize=65536)
def arrangements(sets: tuple[frozenset[int], ...]) -> int:
    """Return in how many ways one can be chosen from each set, all of them different.

    For one set its size; else every choice for the first with every arrangement of the others,
    minus those where the first equals one of them (exactly one: the others differ).
    """
    if not sets:
        return 1
    first, rest = sets[0], sets[1:]
    if all(other == first for other in rest):
        return perm(len(first), len(sets))
    clashes = sum(
        arrangements((*rest[:n], other & first, *rest[n + 1 :]))
        for n, other in enumerate(rest)
        if other & first
    )
    return len(first) * arrangements(rest) - clashes


def arranged(shape: Shape) -> Shape:
    """Return the shape with `choices` and `rivals`, which follow from its slots."""
    rows: dict[int, list[int]] = {}  # a slot in no row is one of its own
    for n, slot in enumerate(shape.slots):
        rows.setdefault(-1 - n if slot.row is None else slot.row, []).append(n)
    rivals: dict[object, list[int]] = {}  # by the list whose words must differ
    for number, (row, (first, *_)) in enumerate(rows.items()):
        words = shape.slots[first].words
        rivals.setdefault(number if row >= 0 or words.repeat else words, []).append(number)
    together = {number: tuple(numbers) for numbers in rivals.values() for number in numbers}
    return replace(
        shape,
        choices=tuple(map(tuple, rows.values())),
        rivals=tuple(together[number] for number in range(len(rows))),
    )


def dependent(shape: Shape) -> dict[tuple[int, ...], list[tuple[int, ...]]]:
    """Return the variables that depend on each other, together, and with each lot of them the
    choices (rivals together) that depend on them."""
    parts: dict[tuple[int, ...], list[tuple[int, ...]]] = {
        (n,): [] for n in range(len(shape.variables))
    }
    for rivals in dict.fromkeys(shape.rivals):
        slots = [shape.slots[n] for choice in rivals for n in shape.choices[choice]]
        variables = {n for slot in slots for n in slot.binding()}
        tied = [part for part in parts if not variables.isdisjoint(part)]
        together = [rivals, *(other for part in tied for other in parts.pop(part))]
        key = tuple(sorted({n for part in tied for n in part}))
        parts.setdefault(key, []).extend(together)
    return parts


def counted(shape: Shape) -> Shape:
    """Return the shape with `tables` and `n`."""
    tables = []
    for variables, groups in dependent(shape).items():
        counts = {}
        for key in product(*(shape.domains[n] for n in variables)):
            values = dict(zip(variables, key, strict=True))
            counts[key] = prod(
                arrangements(
                    tuple(frozenset(options(shape, shape.choices[n], values)) for n in rivals)
                )
                for rivals in groups
            )
        tables.append(CountTable(variables, counts))
    return replace(
        shape,
        tables=tuple(tables),
        n=prod(sum(table.counts.values()) for table in tables),
    )


def n_with(shape: Shape, fixed: Mapping[int, str]) -> int:
    """Return the number of derivations of a counted shape with these values of some variables."""
    return prod(
        sum(
            n
            for key, n in table.counts.items()
            if all(
                fixed.get(v, value) == value for v, value in zip(table.variables, key, strict=True)
            )
        )
        for table in shape.tables
    )


def derivations(grammar: Grammar, *, n: int | None = None, seed: int = 0) -> Iterator[Derivation]:
    """Make the derivations of a grammar, or draw some at random.

    All of them come in the order of the file: templates and alternatives, the leftmost choice
    varying slowest; within a shape first the values of its variables, then the words. Drawn without
    weights every one is equally likely. With weights a shape is drawn by its weight (templates by
    theirs, phrases by those of their alternatives), and within it every derivation is equally
    likely; a shape that is used up is drawn no more.

    Args:
        grammar: of any size.
        n: how many, all different; the first k are those that k would give. None for every one
            once.
        seed: the same seed draws the same ones.

    Returns:
        The derivations, one at a time.

    Raises:
        InputError: there are fewer than `n`.

    >>> from colorless_green.nonce import load_grammar, to_conllu
    >>> grammar = load_grammar("reflexives")
    >>> to_conllu(next(derivations(grammar)), "s1").split("\\n")[1]
    '# text = The baker that the janitor knew blamed himself.'
    >>> to_conllu(next(derivations(grammar, n=1)), "s1").split("\\n")[1]
    '# text = The prince that the wizard trusted defended himself.'
    """
    if n is None:
        return (
            Derivation(grammar, shape, values, entries)
            for shape in grammar.shapes
            for values in product(*shape.domains)
            for entries in fillings(shape, values)
        )
    total = n_derivations(grammar)
    if n > total:
        wrong = f"{n} are asked for, and it makes {total}"
        raise InputError(grammar.location, wrong, f"ask for {total} at most", kind="value")
    rng = generator(seed, grammar.name)
    ranks = (_weighted if grammar.weighted else _uniform)(grammar, rng)
    return (unranked(grammar, shape, rank) for shape, rank in islice(ranks, n))


def fillings(shape: Shape, values: ValueKey) -> Iterator[tuple[LexicalEntry, ...]]:
    """Yield every way to fill the slots under one assignment of the variables, the last slot
    fastest."""
    sets = [options(shape, choice, values) for choice in shape.choices]

    def extensions(picks: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """Yield the indices of entries choice by choice, among rivals all different."""
        n = len(picks)
        if n == len(sets):
            yield picks
            return
        used = {picks[rival] for rival in shape.rivals[n] if rival < n}
        for option in sets[n]:
            if option not in used:
                yield from extensions((*picks, option))

    return (_entries(shape, picks) for picks in extensions(()))


def _entries(shape: Shape, picks: Sequence[int]) -> tuple[LexicalEntry, ...]:
    """Return the entry of each slot, for the index of an entry in each choice."""
    indices = {n: pick for choice, pick in zip(shape.choices, picks, strict=True) for n in choice}
    return tuple(slot.words.entries[indices[n]] for n, slot in enumerate(shape.slots))


def unranked(grammar: Grammar, shape: Shape, rank: int) -> Derivation:
    """Return the derivation with a number (from 0) among those of one shape."""
    fixed: dict[int, str] = {}
    n = shape.n
    for number, domain in enumerate(shape.domains):
        for value in domain:
            n = n_with(shape, {**fixed, number: value})
            if rank < n:
                fixed[number] = value
                break
            rank -= n
    # Choice by choice: each option has as many fillings as the choices after it then allow.
    sets = [options(shape, choice, fixed) for choice in shape.choices]
    picks: list[int] = []
    for number, rivals in enumerate(shape.rivals):
        used = {picks[rival] for rival in rivals if rival < number}
        later = [frozenset(sets[rival]) - used for rival in rivals if rival > number]
        left = [option for option in sets[number] if option not in used]
        n //= arrangements((frozenset(left), *later))  # now: fillings of the other choices
        for option in left:
            n_here = n * arrangements(tuple(choices - {option} for choices in later))
            if rank < n_here:
                picks.append(option)
                n = n_here
                break
            rank -= n_here
    return Derivation(grammar, shape, tuple(fixed.values()), _entries(shape, picks))


def _uniform(grammar: Grammar, rng: random.Random) -> Iterator[tuple[Shape, int]]:
    ends = list(accumulate(shape.n for shape in grammar.shapes))
    for rank in _permuted(rng, ends[-1]):
        index = bisect_right(ends, rank)
        yield grammar.shapes[index], rank - ends[index] + grammar.shapes[index].n


def _weighted(grammar: Grammar, rng: random.Random) -> Iterator[tuple[Shape, int]]:
    left = [(shape, _permuted(rng, shape.n)) for shape in grammar.shapes]
    n_drawn = dict.fromkeys(range(len(left)), 0)
    while left:
        ends = list(accumulate(shape.weight for shape, _ in left))
        is_used_up = False
        while not is_used_up:
            index = bisect_right(ends, rng.random() * ends[-1])
            shape, ranks = left[min(index, len(left) - 1)]  # the product can round up to the end
            yield shape, next(ranks)
            n_drawn[shape.number] += 1
            is_used_up = n_drawn[shape.number] == shape.n
        left.remove((shape, ranks))


def _permuted(rng: random.Random, size: int) -> Iterator[int]:
    """Yield the numbers below `size` in random order, every order equally likely to within 2⁻⁵³ of
    its share.

    Fisher and Yates on a list of which only what moved is kept, so that a few of a trillion cost no
    more than a few. Built on `rng.random()`, 53 bits at a time: one call is too coarse for large
    sizes.
    """
    moved: dict[int, int] = {}
    for start in range(size):
        n_calls = (size - start).bit_length() // 53 + 2
        value = 0
        for _ in range(n_calls):
            value = value << 53 | int(rng.random() * 2**53)
        index = start + (value * (size - start) >> 53 * n_calls)
        yield moved.get(index, index)
        moved[index] = moved.pop(start, start)
