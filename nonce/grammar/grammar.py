"""The records of a template grammar, and its derivations.

A *shape* is a sentence with all its phrases multiplied out: a row of slots, each filled from one
word list. What agrees is a *variable*: every slot tied to it takes the same value of its feature.
A *derivation* is a shape with a value for each variable and a word for each slot.

Derivations are counted without making any, and come in order, by rank, and at random. The order is
that of the file: templates as they are written, the first alternative of a phrase first and the
leftmost choice varying slowest; within a shape the values of its variables (leftmost slowest,
values as declared), then the words slot by slot (in the order of their lists, the
last slot fastest).
"""

import random
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import accumulate, islice, product
from math import perm, prod
from typing import Any, NamedTuple, TypeAlias

from ...data.errors import InputError
from ...data.items.prediction import Prediction
from ...data.seeds import generator
from .grammar_file import GrammarFile, LexicalEntry, ValueKey, WordList

Values: TypeAlias = Mapping[int, str] | ValueKey
"""Variable → value, of all variables of a shape or of some."""


class Term(NamedTuple):
    """The value a feature of a slot must have: that of a variable, or a fixed one."""

    base: Any  # a value (text), or a variable: its number, before that its letter and scope
    domain: ValueKey  # all values of the feature
    changes: tuple[int, ...] = ()  # a number for each condition: 0 the base, 1 the first other, …

    def value(self, values: Values, condition: int = 0) -> str:
        """Return the value in a condition, under an assignment of the variables."""
        value: str = self.base if isinstance(self.base, str) else values[self.base]
        change = self.changes[condition] if self.changes else 0
        return [other for other in self.domain if other != value][change - 1] if change else value


@lru_cache(maxsize=65536)  # a grammar needs its lists × the combinations of their values
def _admitted(
    words: WordList, conditions: tuple[tuple[tuple[str, str], ...], ...]
) -> tuple[int, ...]:
    """Return the places of the words that can be used with the values of all conditions."""
    asked = list(map(dict, conditions))
    return tuple(n for n, entry in enumerate(words.entries) if all(map(entry.admits, asked)))


@dataclass(frozen=True, eq=False)
class Slot:
    """A position in a sentence for one entry of one list."""

    words: WordList
    terms: Mapping[str, Term]  # by feature
    head: int | None = None  # index of the slot it depends on; None for the root
    relation: str = ""
    row: object = None  # slots of one row are filled by entries at the same place of their lists
    region: str = ""  # "" where none is named

    @cached_property
    def n_conditions(self) -> int:
        """Return in how many conditions it differs; 1 for the same in all."""
        return max((len(term.changes) for term in self.terms.values()), default=0) or 1

    def variables(self, features: Collection[str]) -> set[int]:
        """Return the variables that some features are tied to."""
        pairs = self.terms.items()
        return {t.base for name, t in pairs if name in features and not isinstance(t.base, str)}

    def values(self, values: Values, condition: int = 0) -> dict[str, str]:
        """Return the value of each feature under an assignment of the shape's variables."""
        return {name: term.value(values, condition) for name, term in self.terms.items()}

    def admitted(self, values: Values, words: WordList | None = None) -> tuple[int, ...]:
        """Return the places of the words of its list, or of another, that can fill it."""
        words = words or self.words
        bound = [(name, term) for name, term in self.terms.items() if name in words.restricted]
        conditions = (
            tuple((name, term.value(values, n)) for name, term in bound)
            for n in range(self.n_conditions)
        )
        return _admitted(words, tuple(conditions))


class Choice(NamedTuple):
    """Slots that one number fills: one slot, or those of a row."""

    slots: Sequence[int]
    rivals: Sequence[int]  # the choices that must differ from each other, and this one


@dataclass(frozen=True, eq=False)
class Shape:
    """A template with all phrases multiplied out. Its derivations are the assignments of its
    variables with the ways to fill the slots."""

    template: str
    slots: tuple[Slot, ...]
    variables: tuple[str, ...]  # their features, in the order of the first slot they are on
    domains: tuple[ValueKey, ...]  # the values of each variable
    letters: Mapping[str, Term]  # the template's own indices, by name
    weight: float  # share among all shapes, for weighted sampling
    number: int = 0  # its index among the grammar's shapes

    @property
    def n_conditions(self) -> int:
        """Return the number of its conditions."""
        return max((slot.n_conditions for slot in self.slots), default=1)

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """Return what is chosen, in the order of the first slots."""
        rows: dict[object, list[int]] = {}
        for n, slot in enumerate(self.slots):
            rows.setdefault(slot.row or n, []).append(n)
        rivals: dict[object, list[int]] = {}  # by the list whose words must differ
        keys: list[object] = []
        for number, (first, *_) in enumerate(rows.values()):
            words, row = self.slots[first].words, self.slots[first].row
            keys.append(number if row or words.repeat else words)
            rivals.setdefault(keys[-1], []).append(number)
        return tuple(Choice(own, rivals[key]) for own, key in zip(rows.values(), keys, strict=True))

    def options(self, choice: Choice, values: Values) -> tuple[int, ...]:
        """Return the places of the words that can fill all slots of a choice."""
        first, *others = (self.slots[n].admitted(values) for n in choice.slots)
        return tuple(n for n in first if all(n in other for other in others)) if others else first

    def assignments(self, variables: Collection[int]) -> Iterator[dict[int, str]]:
        """Yield every assignment of some variables."""
        variables = sorted(variables)
        for key in product(*(self.domains[number] for number in variables)):
            yield dict(zip(variables, key, strict=True))

    @cached_property
    def counts(self) -> dict[ValueKey, int]:
        """Return in how many ways the slots can be filled under each assignment of the variables,
        where there are any. Only choices that are rivals depend on each other."""
        tables = []
        for rivals in {tuple(choice.rivals) for choice in self.choices}:
            choices = [self.choices[n] for n in rivals]
            slots = [self.slots[n] for choice in choices for n in choice.slots]
            table = {}
            for values in self.assignments(
                {v for s in slots for v in s.variables(s.words.restricted)}
            ):
                sets = (frozenset(self.options(choice, values)) for choice in choices)
                table[tuple(values.values())] = arrangements(tuple(sets))
            tables.append((list(values), table))
        counts = {
            key: prod(table[tuple(key[n] for n in numbers)] for numbers, table in tables)
            for key in product(*self.domains)
        }
        return {key: n for key, n in counts.items() if n}

    @cached_property
    def n(self) -> int:
        """Return the number of derivations."""
        return sum(self.counts.values())

    def filled(self, picks: Sequence[int]) -> tuple[LexicalEntry, ...]:
        """Return the entry of each slot, for the place of a word in each choice."""
        pairs = zip(self.choices, picks, strict=True)
        places = {n: pick for choice, pick in pairs for n in choice.slots}
        return tuple(slot.words.entries[places[n]] for n, slot in enumerate(self.slots))

    def fillings(self, values: Values) -> Iterator[tuple[LexicalEntry, ...]]:
        """Yield every way to fill the slots under one assignment of the variables, the last slot
        fastest."""
        sets = [self.options(choice, values) for choice in self.choices]

        def extensions(picks: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
            """Yield the places of words choice by choice, among rivals all different."""
            n = len(picks)
            if n == len(sets):
                yield picks
                return
            used = {picks[rival] for rival in self.choices[n].rivals if rival < n}
            for option in sets[n]:
                if option not in used:
                    yield from extensions((*picks, option))

        return map(self.filled, extensions(()))


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


@dataclass(frozen=True, eq=False)
class Grammar:
    """A grammar that was read and checked; every shape has at least one derivation.

    Attributes:
        file: its keys, but for what became shapes.
        location: its path, for messages.
        shapes: templates with all phrases multiplied out, in the order of the file, first
            alternatives first.
        weighted: whether any alternative has a weight.
        predictions: of those items that have its conditions and regions; none without `[suite]`.
    """

    file: GrammarFile
    location: str
    shapes: tuple[Shape, ...]
    weighted: bool
    predictions: tuple[Prediction, ...] = ()

    @cached_property
    def cells(self) -> list[tuple[Shape, ValueKey, int]]:
        """The assignments of each shape, with how many derivations each has."""
        return [(shape, *entry) for shape in self.shapes for entry in shape.counts.items()]

    @cached_property
    def ends(self) -> list[int]:
        """The number of derivations up to the end of each cell."""
        return list(accumulate(n for *_, n in self.cells))


@dataclass(frozen=True, slots=True)
class Derivation:
    """One sentence of a grammar, in all its conditions.

    Attributes:
        grammar: that it is a sentence of.
        shape: the template, with all phrases multiplied out.
        values: one for each variable of the shape.
        entries: one for each slot of the shape.
    """

    grammar: Grammar = field(repr=False)
    shape: Shape = field(repr=False)
    values: ValueKey
    entries: tuple[LexicalEntry, ...]


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
    return grammar.ends[-1]


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
            for shape, values, _ in grammar.cells
            for entries in shape.fillings(values)
        )
    total = n_derivations(grammar)
    if n > total:
        wrong = f"{n} are asked for, and it makes {total}"
        raise InputError(grammar.location, wrong, f"ask for {total} at most", kind="value")
    rng = generator(seed, grammar.file.name)
    ranks = _weighted(grammar, rng) if grammar.weighted else _permuted(rng, total)
    return (unranked(grammar, rank) for rank in islice(ranks, n))


def unranked(grammar: Grammar, rank: int) -> Derivation:
    """Return the derivation with a number (from 0) among those of a grammar."""
    index = bisect_right(grammar.ends, rank)
    shape, values, n = grammar.cells[index]
    rank -= grammar.ends[index] - n
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


def _weighted(grammar: Grammar, rng: random.Random) -> Iterator[int]:
    """Yield ranks at random, shapes by their weights."""
    starts = accumulate((shape.n for shape in grammar.shapes), initial=0)
    left = [
        (shape, start, _permuted(rng, shape.n))
        for shape, start in zip(grammar.shapes, starts, strict=False)
    ]
    n_drawn = Counter[int]()
    while left:
        ends = list(accumulate(shape.weight for shape, *_ in left))
        index = bisect_right(ends, rng.random() * ends[-1])
        drawn = shape, start, ranks = left[min(index, len(left) - 1)]  # it can round up to the end
        yield start + next(ranks)
        n_drawn[shape.number] += 1
        if n_drawn[shape.number] == shape.n:
            left.remove(drawn)


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
