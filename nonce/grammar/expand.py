"""Derivations of a grammar: counted without making any, in order, by rank, and at random.

For each choice of values the slots are filled independently of each other, so their options
multiply; only slots of one list that must not repeat a word are counted together, by
`arrangements`, and slots of one row are one choice. Values on which no slot's options depend are a
plain factor.

The order is that of the file: templates as they stand, the first alternative of a phrase first and
the leftmost choice varying slowest; within a shape the values of its variables (leftmost slowest,
values as declared), then the words slot by slot (lists as they stand, the last slot fastest).
"""

import random
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate, product
from math import perm, prod

from ...data.errors import InputError
from ...data.registry import nearest
from ...data.seeds import generator
from .grammar import Derivation, Grammar, LexicalEntry, Shape, ValueKey, WordList, resolved


def n_derivations(grammar: Grammar) -> int:
    """The number of derivations of a grammar, counted without making any.

    Args:
        grammar: of any size.

    Returns:
        How many there are.

    >>> from colorless_green.nonce import parse_grammar, template_text
    >>> n_derivations(parse_grammar(template_text("reflexives"), "reflexives.toml"))
    2820
    """
    return sum(shape.n for shape in grammar.shapes)


def of_templates(grammar: Grammar, names: Sequence[str]) -> Grammar:
    """The grammar with some of its templates alone.

    Args:
        grammar: to be cut.
        names: of templates; none: all of them.

    Returns:
        The grammar of these templates, in its own order.

    Raises:
        InputError: the grammar has no template of a name.

    >>> from colorless_green.nonce import parse_grammar, template_text
    >>> grammar = parse_grammar(template_text("reflexives"), "reflexives.toml")
    >>> n_derivations(of_templates(grammar, ["3"]))
    240
    """
    templates = dict.fromkeys(shape.template for shape in grammar.shapes)
    for name in names:
        if name not in templates:
            right = nearest(name, templates)
            raise InputError(grammar.location, f"no such template {name!r}", right, kind="unknown")
    shapes = [shape for shape in grammar.shapes if not names or shape.template in names]
    return replace(
        grammar,
        shapes=tuple(replace(shape, number=number) for number, shape in enumerate(shapes)),
    )


def admits(entry: LexicalEntry, values: Mapping[str, str]) -> bool:
    """Whether an entry can stand where its features have these values.

    `values` covers at least the features the entry varies in.
    """
    if any(values.get(feature, only[0]) not in only for feature, only in entry.only.items()):
        return False
    return tuple(values[feature] for feature in entry.varies) in entry.forms


def row_of(shape: Shape, index: int) -> tuple[int, ...]:
    """The slots that are filled by one choice, in order: those of a slot's row, or itself alone."""
    row = shape.slots[index].row
    if row is None:
        return (index,)
    return tuple(n for n, slot in enumerate(shape.slots) if slot.row == row)


def options(shape: Shape, index: int, values: ValueKey) -> tuple[int, ...]:
    """Places of the entries that can fill a slot under an assignment of the shape's variables. In a
    row, those that can fill all its slots."""
    first, *others = (
        _admitted(slot.words, tuple((name, resolved(term, values)) for name, term in slot.terms))
        for slot in (shape.slots[n] for n in row_of(shape, index))
    )
    return tuple(n for n in first if all(n in other for other in others)) if others else first


@lru_cache(maxsize=65536)  # a grammar needs its lists × the combinations of their values
def _admitted(words: WordList, values: tuple[tuple[str, str], ...]) -> tuple[int, ...]:
    required = dict(values)
    return tuple(n for n, entry in enumerate(words.entries) if admits(entry, required))


def _groups(shape: Shape) -> tuple[tuple[int, ...], ...]:
    """Slots whose words must differ, together; every other slot alone; of a row only its first. In
    order of first slot."""
    groups: dict[object, list[int]] = {}
    for index, slot in enumerate(shape.slots):
        if row_of(shape, index)[0] == index:
            alone = slot.words.repeat or slot.row is not None
            groups.setdefault(index if alone else slot.words, []).append(index)
    return tuple(map(tuple, groups.values()))


@lru_cache(maxsize=65536)
def arrangements(sets: tuple[frozenset[int], ...]) -> int:
    """In how many ways one can be chosen from each set, all of them different.

    For one set its size; else every choice for the first beside every arrangement of the others,
    less those where the first equals one of them (exactly one: the others differ).
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


def with_counts(shape: Shape) -> Shape:
    """The shape with `binding`, `fillings` and `n`."""
    tables = []  # of each group: on which variables its options depend, and how many ways there are
    for group in _groups(shape):
        variables = sorted(
            {
                term[0]
                for index in group
                for number in row_of(shape, index)
                for feature, term in shape.slots[number].terms
                if isinstance(term[0], int) and feature in shape.slots[number].words.restricted
            }
        )
        values = [domain[0] for domain in shape.domains]
        table = {}
        for chosen in product(*(shape.domains[n] for n in variables)):
            for n, value in zip(variables, chosen, strict=True):
                values[n] = value
            sets = [options(shape, index, tuple(values)) for index in group]
            alone = len(sets) == 1
            table[chosen] = len(sets[0]) if alone else arrangements(tuple(map(frozenset, sets)))
        tables.append((variables, table))
    binding = tuple(sorted({n for needed, _ in tables for n in needed}))
    fillings = {}
    for chosen in product(*(shape.domains[n] for n in binding)):
        of = dict(zip(binding, chosen, strict=True))
        fillings[chosen] = prod(table[tuple(of[n] for n in needed)] for needed, table in tables)
    free = prod(len(values) for n, values in enumerate(shape.domains) if n not in binding)
    return replace(shape, binding=binding, fillings=fillings, n=free * sum(fillings.values()))


def by_values(shape: Shape) -> Iterator[tuple[ValueKey, int]]:
    """Every assignment of a counted shape's variables, in order, with its derivations."""
    for values in product(*shape.domains):
        yield values, shape.fillings[tuple(values[n] for n in shape.binding)]


def derivations(grammar: Grammar) -> Iterator[Derivation]:
    """Every derivation of a grammar once.

    Args:
        grammar: of any size.

    Yields:
        Templates and alternatives in the order of the file, the leftmost choice varying slowest;
        within a shape first the values of its variables, then the words.

    >>> from colorless_green.nonce import parse_grammar, template_text, to_conllu
    >>> grammar = parse_grammar(template_text("reflexives"), "reflexives.toml")
    >>> to_conllu(next(derivations(grammar)), "s1").split("\\n")[1]
    '# text = The baker that the janitor knew blamed himself.'
    """
    for shape in grammar.shapes:
        for values in product(*shape.domains):
            for entries in fillings(shape, values):
                yield Derivation(grammar, shape, values, entries)


def fillings(shape: Shape, values: ValueKey) -> Iterator[tuple[LexicalEntry, ...]]:
    """Every way to fill the slots under one assignment of the variables, the last slot fastest."""
    leaders = [row_of(shape, index)[0] for index in range(len(shape.slots))]
    sets = [options(shape, index, values) for index in range(len(shape.slots))]
    rivals = {index: group for group in _groups(shape) for index in group}

    def extensions(so_far: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """Places of entries, slot by slot: of a row the same, among rivals all different."""
        index = len(so_far)
        if index == len(sets):
            yield so_far
        elif leaders[index] != index:
            yield from extensions((*so_far, so_far[leaders[index]]))
        else:
            used = {so_far[earlier] for earlier in rivals[index] if earlier < index}
            for entry_index in sets[index]:
                if entry_index not in used:
                    yield from extensions((*so_far, entry_index))

    lists = [slot.words.entries for slot in shape.slots]
    for entry_indices in extensions(()):
        yield tuple(entries[n] for entries, n in zip(lists, entry_indices, strict=True))


def unranked(grammar: Grammar, shape: Shape, rank: int) -> Derivation:
    """The derivation at a place (from 0) among those of one shape."""
    values: list[str] = []
    tables = list(shape.fillings.items())  # those that agree with the values chosen so far
    n = sum(shape.fillings.values())
    free = shape.n // n  # choices of the free variables that are still open
    for number, domain in enumerate(shape.domains):
        if number not in shape.binding:
            free //= len(domain)
            value_index, rank = divmod(rank, n * free)
            values.append(domain[value_index])
            continue
        column = shape.binding.index(number)
        for value in domain:
            agreeing = [row for row in tables if row[0][column] == value]
            n = sum(n_fillings for _, n_fillings in agreeing)
            if rank < n * free:
                values.append(value)
                tables = agreeing
                break
            rank -= n * free
    assignment = tuple(values)
    # Slot by slot: each option stands for as many fillings as the slots after it then allow.
    sets = [options(shape, index, assignment) for index in range(len(shape.slots))]
    group_of = {index: group for group in _groups(shape) for index in group}
    entry_indices: dict[int, int] = {}
    for index in range(len(sets)):
        leader = row_of(shape, index)[0]
        if leader != index:
            entry_indices[index] = entry_indices[leader]
            continue
        used = {entry_indices[rival] for rival in group_of[index] if rival in entry_indices}
        later = [frozenset(sets[rival]) - used for rival in group_of[index] if rival > index]
        left = [option for option in sets[index] if option not in used]
        n //= arrangements((frozenset(left), *later))  # now: fillings of the slots of other groups
        counts: dict[tuple[bool, ...], int] = {}  # by which of the later sets lose an option
        for option in left:
            key = tuple(option in choices for choices in later)
            if key not in counts:
                counts[key] = n * arrangements(tuple(choices - {option} for choices in later))
            if rank < counts[key]:
                entry_indices[index], n = option, counts[key]
                break
            rank -= counts[key]
    entries = tuple(slot.words.entries[entry_indices[n]] for n, slot in enumerate(shape.slots))
    return Derivation(grammar, shape, assignment, entries)


def sample(
    grammar: Grammar, n: int, seed: int, description: str = "sentences of a grammar that has"
) -> Iterator[Derivation]:
    """Different derivations of a grammar at random.

    Without weights every derivation is equally likely. With weights a shape is drawn by its weight
    (templates by theirs, phrases by those of their alternatives), and within it every derivation is
    equally likely; a shape that is used up is drawn no more.

    Args:
        grammar: of any size.
        n: how many; the first k are those of a sample of k.
        seed: the same seed gives the same sample.
        description: what they are called in the message that there are too few.

    Returns:
        The derivations, one at a time.

    Raises:
        InputError: there are fewer than `n`.

    >>> from colorless_green.nonce import parse_grammar, template_text, to_conllu
    >>> grammar = parse_grammar(template_text("reflexives"), "reflexives.toml")
    >>> to_conllu(next(sample(grammar, 1, seed=0)), "s1").split("\\n")[1]
    '# text = The prince that the wizard trusted defended himself.'
    """
    total = n_derivations(grammar)
    if n > total:
        wrong = f"{n} {description} {total}"
        raise InputError(grammar.location, wrong, f"{total} at most", kind="value")
    rng = generator(seed, grammar.name)
    ranks = (_weighted if grammar.weighted else _uniform)(grammar, rng)
    return (
        unranked(grammar, shape, rank) for _, (shape, rank) in zip(range(n), ranks, strict=False)
    )


def _uniform(grammar: Grammar, rng: random.Random) -> Iterator[tuple[Shape, int]]:
    ends = list(accumulate(shape.n for shape in grammar.shapes))
    for rank in _permuted(rng, ends[-1]):
        index = bisect_right(ends, rank)
        yield grammar.shapes[index], rank - ends[index] + grammar.shapes[index].n


def _weighted(grammar: Grammar, rng: random.Random) -> Iterator[tuple[Shape, int]]:
    weights = [shape.weight for shape in grammar.shapes]
    ends = list(accumulate(weights))
    ranks: dict[int, Iterator[int]] = {}
    n_left = [shape.n for shape in grammar.shapes]
    last = max((n for n, weight in enumerate(weights) if weight > 0), default=0)
    while ends[-1] > 0:
        index = min(bisect_right(ends, rng.random() * ends[-1]), last)  # it can round up to the end
        if index not in ranks:
            ranks[index] = _permuted(rng, grammar.shapes[index].n)
        yield grammar.shapes[index], next(ranks[index])
        n_left[index] -= 1
        if not n_left[index]:
            weights[index] = 0.0
            ends = list(accumulate(weights))
            last = max((n for n, weight in enumerate(weights) if weight > 0), default=0)


def _permuted(rng: random.Random, size: int) -> Iterator[int]:
    """The numbers below `size` in random order, every order equally likely to within 2⁻⁵³ of its
    share, one at a time.

    Fisher and Yates on a list of which only the moved places are kept, so that a few of a trillion
    cost no more than a few. Built on `rng.random()`, 53 bits at a time: one call is too coarse for
    large sizes.
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
