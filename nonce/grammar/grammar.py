"""The records of a template grammar, and its derivations.

A *shape* is a template with all phrases expanded: a sequence of slots, each filled from one word
list. A *variable* stands for a value on which slots agree: every slot that is tied to it takes the
same value of the variable's feature. A *derivation* is a shape with a value for each variable and a
word for each slot. A template may have several *conditions*, versions of its sentence in which
marked slots change their values.

Derivations are counted without making any. They can be made in order, by rank (their number in this
order), or at random. The order is that of the file: templates as they are written, the first
alternative of a phrase first and the leftmost choice varying slowest; within a shape the values of
its variables (leftmost slowest, values as declared), then the words slot by slot (in the order of
their lists, the last slot fastest).
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
"""Variable → value, for all variables of a shape or for some."""


class Term(NamedTuple):
    """The value that a feature of a slot must have: a fixed one, or that of a variable. Conditions
    may exchange it for another value of the feature."""

    base: Any  # a value, or a variable: its number (until it has one, its scope and letter)
    domain: ValueKey  # all values of the feature
    changes: tuple[int, ...] = ()  # for each condition 0 for the base, n for the n-th other value

    @property
    def is_fixed(self) -> bool:
        """Tell whether its base is a value of the feature, not a variable."""
        return isinstance(self.base, str)

    def value(self, values: Values, condition: int = 0) -> str:
        """Return the feature's value in a condition (version of the sentence), given the values of
        the variables."""
        base: str = self.base if self.is_fixed else values[self.base]
        change = self.changes[condition] if self.changes else 0
        if change == 0:
            return base
        others = [other for other in self.domain if other != base]
        return others[change - 1]


@lru_cache(maxsize=65536)  # a grammar needs its lists × the combinations of their values
def _usable_entries(
    words: WordList, conditions: tuple[tuple[tuple[str, str], ...], ...]
) -> tuple[int, ...]:
    """Return the indices of the entries of a word list that can be used in all conditions (versions
    of a sentence). Each condition is given as (feature, value) pairs that the word must have."""
    required = list(map(dict, conditions))
    return tuple(n for n, entry in enumerate(words.entries) if all(map(entry.admits, required)))


@dataclass(frozen=True, eq=False)
class Slot:
    """A position in a sentence that one entry of a word list fills."""

    words: WordList
    terms: Mapping[str, Term]  # feature → the value it must have
    head: int | None = None  # index of the slot it depends on; None for the root
    relation: str = ""
    row: object = None  # slots of one row take entries with the same index; None if it is in none
    region: str = ""  # "" if it is in no named region

    @cached_property
    def n_conditions(self) -> int:
        """Return how many conditions (versions of the sentence) the slot tells apart: the most for
        which one of its terms lists values; 1 if no term does."""
        return max([1, *(len(term.changes) for term in self.terms.values())])

    def variables(self, features: Collection[str]) -> set[int]:
        """Return the numbers of the variables (values on which slots agree) that decide the values
        of these features in this slot."""
        terms = [term for name, term in self.terms.items() if name in features]
        return {term.base for term in terms if not term.is_fixed}

    def values(self, values: Values, condition: int = 0) -> dict[str, str]:
        """Return feature → the value that a word in this slot must have in a condition (version of
        the sentence), given the values of the variables."""
        return {name: term.value(values, condition) for name, term in self.terms.items()}

    def usable_entries(self, values: Values, words: WordList | None = None) -> tuple[int, ...]:
        """Return the indices of the word list's entries that can fill this slot in all conditions,
        given the values of the variables. `words`: a word list to use instead of the slot's."""
        words = words or self.words
        relevant = [(name, term) for name, term in self.terms.items() if name in words.restricted]
        conditions = (
            tuple((name, term.value(values, n)) for name, term in relevant)
            for n in range(self.n_conditions)
        )
        return _usable_entries(words, tuple(conditions))


class Choice(NamedTuple):
    """Slots that are filled together, by entries with the same index: one slot, or a row."""

    slots: Sequence[int]  # indices of the shape's slots
    rivals: Sequence[int]  # indices of the choices that must all differ, this one included


@dataclass(frozen=True, eq=False)
class Shape:
    """A template with all phrases expanded. A derivation assigns a value to each of its variables
    and an entry to each of its slots."""

    template: str
    slots: tuple[Slot, ...]
    variables: tuple[str, ...]  # feature of each variable, in the order of their first slots
    domains: tuple[ValueKey, ...]  # the possible values of each variable
    letters: Mapping[str, Term]  # letter in the template itself → its term
    weight: float  # share among all shapes, for weighted sampling
    number: int = 0  # its index among the grammar's shapes

    @property
    def n_conditions(self) -> int:
        """Return the number of conditions (versions of each sentence); 1 if no slot changes."""
        return max((slot.n_conditions for slot in self.slots), default=1)

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """Return the choices of words that a derivation makes, in the order of their first slots.
        Slots of one row are one choice; choices from a list without repeats are rivals."""
        rows: dict[object, list[int]] = {}  # row, or index of a slot that is in none → slots
        for index, slot in enumerate(self.slots):
            rows.setdefault(index if slot.row is None else slot.row, []).append(index)
        first_slots = [self.slots[first] for first, *_ in rows.values()]
        # for each choice its word list without repeats, or its number if it has no rivals
        keys = [
            number if slot.row is not None or slot.words.repeat else slot.words
            for number, slot in enumerate(first_slots)
        ]
        return tuple(
            Choice(slots, [rival for rival, other in enumerate(keys) if other == key])
            for slots, key in zip(rows.values(), keys, strict=True)
        )

    def options(self, choice: Choice, values: Values) -> tuple[int, ...]:
        """Return the indices of the entries that can fill all slots of a choice, given the values
        of the variables."""
        first, *others = (self.slots[index].usable_entries(values) for index in choice.slots)
        return tuple(n for n in first if all(n in other for other in others)) if others else first

    def assignments(self, variables: Collection[int]) -> Iterator[dict[int, str]]:
        """Yield every combination of values of the given variables, each as variable → value."""
        variables = sorted(variables)
        for key in product(*(self.domains[number] for number in variables)):
            yield dict(zip(variables, key, strict=True))

    @cached_property
    def counts(self) -> dict[ValueKey, int]:
        """Values of the variables → number of ways to fill the slots, without those that have none.

        Choices are independent unless they are rivals, so the numbers for each group of rivals are
        multiplied. A group's number depends only on the variables that restrict its slots' words.
        """
        tables = []  # for each group of rivals: these variables, and their values → number of ways
        for rivals in {tuple(choice.rivals) for choice in self.choices}:
            choices = [self.choices[number] for number in rivals]
            slots = [self.slots[index] for choice in choices for index in choice.slots]
            variables = sorted({v for slot in slots for v in slot.variables(slot.words.restricted)})
            table = {}
            for values in self.assignments(variables):
                sets = (frozenset(self.options(choice, values)) for choice in choices)
                table[tuple(values.values())] = arrangements(tuple(sets))
            tables.append((variables, table))
        counts = {
            key: prod(table[tuple(key[v] for v in variables)] for variables, table in tables)
            for key in product(*self.domains)
        }
        return {key: n for key, n in counts.items() if n}

    @cached_property
    def n(self) -> int:
        """Return the number of derivations (sentences) of the shape."""
        return sum(self.counts.values())

    def entries_for(self, picks: Sequence[int]) -> tuple[LexicalEntry, ...]:
        """Return the word-list entry in each slot. `picks`: for each choice the index of the chosen
        entry; all slots of a choice take the entry with this index."""
        pairs = zip(self.choices, picks, strict=True)
        picked = {index: pick for choice, pick in pairs for index in choice.slots}
        return tuple(slot.words.entries[picked[index]] for index, slot in enumerate(self.slots))

    def fillings(self, values: Values) -> Iterator[tuple[LexicalEntry, ...]]:
        """Yield every way to fill the slots, given the values of the variables; the last slot
        varies fastest."""
        sets = [self.options(choice, values) for choice in self.choices]

        def extensions(picks: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
            """Yield all complete sequences of picks that begin with these; rivals differ."""
            number = len(picks)  # of the choice to make next
            if number == len(sets):
                yield picks
                return
            used = {picks[rival] for rival in self.choices[number].rivals if rival < number}
            for option in sets[number]:
                if option not in used:
                    yield from extensions((*picks, option))

        return map(self.entries_for, extensions(()))


@lru_cache(maxsize=65536)
def arrangements(sets: tuple[frozenset[int], ...]) -> int:
    """Return the number of ways to choose one element from each set so that all differ.

    For several sets this is the size of the first times the arrangements of the others, minus the
    arrangements in which the first element equals one of the others (exactly one, as they differ).
    """
    if not sets:
        return 1
    first, rest = sets[0], sets[1:]
    if all(other == first for other in rest):
        return perm(len(first), len(sets))
    n_clashes = sum(
        arrangements((*rest[:n], other & first, *rest[n + 1 :]))
        for n, other in enumerate(rest)
        if other & first
    )
    return len(first) * arrangements(rest) - n_clashes


@dataclass(frozen=True, eq=False)
class Grammar:
    """A grammar that was read and checked; every shape has at least one derivation.

    Attributes:
        file: the content of its file.
        location: its path, for messages.
        shapes: templates with all phrases expanded, in the order of the file, first alternatives
            first.
        weighted: whether any alternative has a weight.
        predictions: those of the section `[suite]`, each for the items that have its conditions and
            regions; none without this section.
    """

    file: GrammarFile
    location: str
    shapes: tuple[Shape, ...]
    weighted: bool
    predictions: tuple[Prediction, ...] = ()

    @cached_property
    def cells(self) -> list[tuple[Shape, ValueKey, int]]:
        """A list of (shape, values of its variables, number of derivations with these values)."""
        return [(shape, values, n) for shape in self.shapes for values, n in shape.counts.items()]

    @cached_property
    def ends(self) -> list[int]:
        """The cumulative numbers of derivations at the end of each of the `cells`."""
        return list(accumulate(n for *_, n in self.cells))


@dataclass(frozen=True, slots=True)
class Derivation:
    """One sentence of a grammar, in all its conditions.

    Attributes:
        grammar: the grammar that it belongs to.
        shape: its template, with all phrases expanded.
        values: the value of each variable of the shape.
        entries: the entry in each slot of the shape.
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
    ranks = _ranks_by_weight(grammar, rng) if grammar.weighted else _permuted_numbers(rng, total)
    return (unranked(grammar, rank) for rank in islice(ranks, n))


def unranked(grammar: Grammar, rank: int) -> Derivation:
    """Return the derivation (sentence with its words) that has this rank: its number, from 0, in
    the order in which the grammar's derivations are enumerated."""
    index = bisect_right(grammar.ends, rank)
    shape, values, n_fillings = grammar.cells[index]
    rank -= grammar.ends[index] - n_fillings  # now among the derivations with these values
    # Choice by choice, skip the options whose fillings all have smaller ranks. An option has as
    # many fillings as the choices after it then allow.
    sets = [shape.options(choice, values) for choice in shape.choices]
    picks: list[int] = []
    for number, (_, rivals) in enumerate(shape.choices):
        used = {picks[rival] for rival in rivals if rival < number}
        later = [frozenset(sets[rival]) - used for rival in rivals if rival > number]
        unused = [option for option in sets[number] if option not in used]
        n_of_others = n_fillings // arrangements((frozenset(unused), *later))  # without rivals
        for option in unused:
            n_fillings = n_of_others * arrangements(tuple(options - {option} for options in later))
            if rank < n_fillings:
                picks.append(option)
                break
            rank -= n_fillings
    return Derivation(grammar, shape, values, shape.entries_for(picks))


def _ranks_by_weight(grammar: Grammar, rng: random.Random) -> Iterator[int]:
    """Yield the ranks of all derivations (their numbers in the grammar's order) in random order.
    For each a shape is drawn by its weight, among the shapes that still have derivations."""
    starts = accumulate((shape.n for shape in grammar.shapes), initial=0)
    remaining = [
        (shape, start, _permuted_numbers(rng, shape.n))
        for shape, start in zip(grammar.shapes, starts, strict=False)
    ]
    n_drawn = Counter[int]()
    while remaining:
        ends = list(accumulate(shape.weight for shape, _, _ in remaining))
        # Rounding may make the product as large as the last end.
        index = min(bisect_right(ends, rng.random() * ends[-1]), len(remaining) - 1)
        shape, start, ranks = remaining[index]
        yield start + next(ranks)
        n_drawn[shape.number] += 1
        if n_drawn[shape.number] == shape.n:
            del remaining[index]


def _permuted_numbers(rng: random.Random, size: int) -> Iterator[int]:
    """Yield the numbers below `size` in random order, every order equally likely to within 2⁻⁵³ of
    its share.

    This is a Fisher–Yates shuffle that stores only the elements that were moved, so that a few
    numbers of a trillion cost little. Random numbers are built from several calls of
    `rng.random()`, 53 bits each, as one call is too coarse for large sizes.
    """
    moved: dict[int, int] = {}
    for start in range(size):
        n_calls = (size - start).bit_length() // 53 + 2  # at least 53 bits more than the size has
        value = 0
        for _ in range(n_calls):
            value = value << 53 | int(rng.random() * 2**53)
        index = start + (value * (size - start) >> 53 * n_calls)
        yield moved.get(index, index)
        moved[index] = moved.pop(start, start)
