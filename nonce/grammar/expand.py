"""Derivations of a grammar: counted without making any, in order, by rank, and at random.

The order is that of the file: templates as they are written, the first alternative of a phrase
first and the leftmost choice varying slowest; within a shape the values of its variables (leftmost
slowest, values as declared), then the words slot by slot (in the order of their lists, the last
slot fastest).
"""

import random
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate, islice

from ...data.errors import InputError
from ...data.seeds import generator
from .grammar import Derivation, Grammar, Shape, arrangements


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
            for values in shape.counts
            for entries in shape.fillings(values)
        )
    total = n_derivations(grammar)
    if n > total:
        wrong = f"{n} are asked for, and it makes {total}"
        raise InputError(grammar.location, wrong, f"ask for {total} at most", kind="value")
    rng = generator(seed, grammar.file.name)
    ranks = (_weighted if grammar.weighted else _uniform)(grammar, rng)
    return (unranked(grammar, shape, rank) for shape, rank in islice(ranks, n))


def unranked(grammar: Grammar, shape: Shape, rank: int) -> Derivation:
    """Return the derivation with a number (from 0) among those of one shape."""
    ends = list(accumulate(shape.counts.values()))
    index = bisect_right(ends, rank)
    values, n = list(shape.counts.items())[index]
    rank -= ends[index] - n
    # Choice by choice: each option has as many fillings as the choices after it then allow.
    sets = [shape.options(choice, values) for choice in shape.choices]
    picks: list[int] = []
    for number, (_, rivals) in enumerate(shape.choices):
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
    return Derivation(grammar, shape, values, shape.filled(picks))


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
