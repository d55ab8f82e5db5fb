"""Derivations of a grammar: counted, in order, by rank, and at random.

The order is that of the file: templates as they stand, the first alternative of a phrase first and
the leftmost choice varying slowest; within a shape the values of its variables (leftmost slowest,
values as declared), then the words slot by slot (lists as they stand, the last slot fastest).
"""

import random
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, product

from colorless_green.data.errors import InputError
from colorless_green.data.registry import nearest
from colorless_green.data.seeds import generator
from colorless_green.nonce.grammar.count import arrangements, groups, options, row_of
from colorless_green.nonce.grammar.language import Derivation, Entry, Grammar, Key, Shape


def count(grammar: Grammar) -> int:
    """How many derivations there are, without making any."""
    return sum(shape.n for shape in grammar.shapes)


def of_templates(grammar: Grammar, names: Sequence[str]) -> Grammar:
    """The grammar with the templates of these names alone, in its own order; with no names, all.
    Raises `InputError` for a template it does not have."""
    known = dict.fromkeys(shape.template for shape in grammar.shapes)
    for name in names:
        if name not in known:
            right = nearest(name, known)
            raise InputError(grammar.place, f"no such template {name!r}", right, kind="unknown")
    shapes = [shape for shape in grammar.shapes if not names or shape.template in names]
    return replace(
        grammar,
        shapes=tuple(replace(shape, number=number) for number, shape in enumerate(shapes)),
    )


def derivations(grammar: Grammar) -> Iterator[Derivation]:
    """Every derivation once, in the order stated above."""
    for shape in grammar.shapes:
        for values in product(*(grammar.features[feature] for feature in shape.variables)):
            for entries in fillings(shape, values):
                yield Derivation(grammar, shape, values, entries)


def fillings(shape: Shape, values: Key) -> Iterator[tuple[Entry, ...]]:
    """Every way to fill the slots under one assignment of the variables, the last slot fastest."""
    leaders = [row_of(shape, index)[0] for index in range(len(shape.slots))]
    sets = [
        options(shape, index, values) if leaders[index] == index else ()
        for index in range(len(shape.slots))
    ]
    rivals = {index: group for group in groups(shape) for index in group}
    lists = [slot.words.entries for slot in shape.slots]
    for chosen in _chosen(sets, leaders, rivals, ()):
        yield tuple(entries[n] for entries, n in zip(lists, chosen, strict=True))


def _chosen(
    sets: Sequence[tuple[int, ...]],
    leaders: Sequence[int],
    rivals: Mapping[int, tuple[int, ...]],
    chosen: tuple[int, ...],
) -> Iterator[tuple[int, ...]]:
    """Places of entries, slot by slot: of a row the same, among rivals all different."""
    index = len(chosen)
    if index == len(sets):
        yield chosen
    elif leaders[index] != index:
        yield from _chosen(sets, leaders, rivals, (*chosen, chosen[leaders[index]]))
    else:
        used = {chosen[other] for other in rivals[index] if other < index}
        for each in sets[index]:
            if each not in used:
                yield from _chosen(sets, leaders, rivals, (*chosen, each))


def unranked(grammar: Grammar, shape: Shape, rank: int) -> Derivation:
    """The derivation at a place (from 0) among those of one shape."""
    values: list[str] = []
    tables = list(shape.fillings.items())  # those that agree with the values chosen so far
    n = sum(shape.fillings.values())
    free = shape.n // n  # choices of the free variables that are still open
    for number, feature in enumerate(shape.variables):
        domain = grammar.features[feature]
        if number not in shape.binding:
            free //= len(domain)
            place, rank = divmod(rank, n * free)
            values.append(domain[place])
            continue
        column = shape.binding.index(number)
        for value in domain:
            agreeing = [each for each in tables if each[0][column] == value]
            n = sum(each for _, each in agreeing)
            if rank < n * free:
                values.append(value)
                tables = agreeing
                break
            rank -= n * free
    found = tuple(values)
    return Derivation(grammar, shape, found, _filling(shape, found, rank, n))


def _filling(shape: Shape, values: Key, rank: int, n: int) -> tuple[Entry, ...]:
    """The filling at a place among the `n` there are under one assignment.

    Slot by slot: each option stands for as many fillings as the slots after it then allow.
    """
    sets = [options(shape, index, values) for index in range(len(shape.slots))]
    group_of = {index: group for group in groups(shape) for index in group}
    taken: dict[int, int] = {}
    for index in range(len(sets)):
        leader = row_of(shape, index)[0]
        if leader != index:
            taken[index] = taken[leader]
            continue
        used = {taken[other] for other in group_of[index] if other in taken}
        later = [frozenset(sets[other]) - used for other in group_of[index] if other > index]
        here = [each for each in sets[index] if each not in used]
        n //= arrangements((frozenset(here), *later))  # now: fillings of the slots of other groups
        counts: dict[tuple[bool, ...], int] = {}  # by which of the later sets lose an option
        for each in here:
            key = tuple(each in one for one in later)
            if key not in counts:
                counts[key] = n * arrangements(tuple(one - {each} for one in later))
            if rank < counts[key]:
                taken[index], n = each, counts[key]
                break
            rank -= counts[key]
    return tuple(slot.words.entries[taken[n]] for n, slot in enumerate(shape.slots))


def sample(grammar: Grammar, n: int, seed: int) -> Iterator[Derivation]:
    """`n` different derivations at random; the first k are those of a sample of k.

    Without weights every derivation is equally likely. With weights a shape is drawn by its weight
    (templates by theirs, phrases by those of their alternatives), and within it every derivation is
    equally likely; a shape that is used up is drawn no more. Nothing is drawn and thrown away.
    Raises `InputError` if there are fewer than `n`.
    """
    total = count(grammar)
    if n > total:
        raise InputError(
            grammar.place,
            f"{n} sentences of a grammar that has {total}",
            f"{total} at most",
            kind="value",
        )
    rng = generator(seed, grammar.name)
    ranks = _weighted(grammar, rng) if grammar.weighted else _uniform(grammar, rng)
    return (
        unranked(grammar, shape, rank) for _, (shape, rank) in zip(range(n), ranks, strict=False)
    )


def _uniform(grammar: Grammar, rng: random.Random) -> Iterator[tuple[Shape, int]]:
    ends = list(accumulate(shape.n for shape in grammar.shapes))
    for rank in permuted(rng, ends[-1]):
        place = bisect_right(ends, rank)
        yield grammar.shapes[place], rank - ends[place] + grammar.shapes[place].n


def _weighted(grammar: Grammar, rng: random.Random) -> Iterator[tuple[Shape, int]]:
    weights = [shape.weight for shape in grammar.shapes]
    ends = list(accumulate(weights))
    ranks: dict[int, Iterator[int]] = {}
    left = [shape.n for shape in grammar.shapes]
    while ends[-1] > 0:
        place = bisect_right(ends, rng.random() * ends[-1])
        place = min(place, _last_positive(weights))  # the product can round up to the end
        if place not in ranks:
            ranks[place] = permuted(rng, grammar.shapes[place].n)
        yield grammar.shapes[place], next(ranks[place])
        left[place] -= 1
        if not left[place]:
            weights[place] = 0.0
            ends = list(accumulate(weights))


def _last_positive(weights: Sequence[float]) -> int:
    return next(n for n in range(len(weights) - 1, -1, -1) if weights[n] > 0)


def permuted(rng: random.Random, size: int) -> Iterator[int]:
    """The numbers below `size` in random order, every order equally likely, one at a time.

    Fisher and Yates on a list of which only the moved places are kept, so that a few of a trillion
    cost no more than a few.
    """
    moved: dict[int, int] = {}
    for start in range(size):
        place = start + below(rng, size - start)
        yield moved.get(place, place)
        moved[place] = moved.pop(start, start)


def below(rng: random.Random, bound: int) -> int:
    """A number from 0 to `bound` − 1, each equally likely to within 2⁻⁵³ of its share.

    Built on `rng.random()`, 53 bits at a time: one call is too coarse for large bounds.
    """
    n_calls = bound.bit_length() // 53 + 2
    value = 0
    for _ in range(n_calls):
        value = value << 53 | int(rng.random() * 2**53)
    return value * bound >> 53 * n_calls
