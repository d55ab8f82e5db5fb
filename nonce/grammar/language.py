"""What a template grammar is made of, and what comes out of it.

A *shape* is a sentence with all its phrases multiplied out: a row of slots, each filled from one
word list. What agrees is a *variable*: every slot tied to it takes the same value of its feature.
A *derivation* is a shape with a value for each variable and a word for each slot.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

Term: TypeAlias = int | str
"""What a feature of a slot is: a variable (its number in the shape, from 0) or a fixed value."""

Key: TypeAlias = tuple[str, ...]
"""One value for each feature an entry varies in, in the order of `Entry.varies`."""


@dataclass(frozen=True, slots=True)
class Part:
    """One word of an entry. Most entries have one; `is tall` has two and is still one choice."""

    lemma: str
    upos: str
    head: int | None  # 0-based within the entry; None for the word the others hang on
    relation: str  # to that head; "" for the entry's own head
    inflects: bool  # whether it carries the entry's FEATS


@dataclass(frozen=True, slots=True)
class Form:
    """How an entry looks for one key."""

    words: tuple[str, ...]  # as many as the entry has parts
    feats: str  # FEATS of the part that inflects, in UD's order; "_" for none


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One choice of a word list: a lexeme with its forms. Two entries are equal if they are one."""

    lemma: str
    parts: tuple[Part, ...]
    varies: tuple[str, ...]  # the features its form depends on
    forms: Mapping[Key, Form]
    only: Mapping[str, tuple[str, ...]]  # feature → the values it can stand with; absent = all


@dataclass(frozen=True, slots=True, eq=False)
class WordList:
    """The words that can fill a slot. With `repeat` false no sentence has one of them twice."""

    name: str
    entries: tuple[Entry, ...]
    varies: tuple[str, ...]  # features some entry varies in
    restricted: frozenset[str]  # features on which it depends which entries can stand
    repeat: bool
    glue: str  # where its words join their neighbour without a blank: "", "left", "right", "both"


@dataclass(frozen=True, slots=True)
class Sound:
    """A class of word beginnings: prefixes in lower case, and words that go against them."""

    starts: tuple[str, ...]
    also: frozenset[str]
    never: frozenset[str]


@dataclass(frozen=True, slots=True)
class Sandhi:
    """A word that looks different before a certain sound: `il` becomes `l'` before a vowel."""

    form: str
    before: str  # name of a sound
    becomes: str
    upos: str  # "" for any
    drops: frozenset[str]  # features the new form no longer shows
    glue: str


@dataclass(frozen=True, slots=True)
class Spelling:
    """How words become written text."""

    capital: bool  # whether a sentence begins with a capital letter
    sounds: Mapping[str, Sound]
    sandhi: tuple[Sandhi, ...]  # the first that fits is applied
    contractions: Mapping[tuple[str, str], str]  # two neighbours → one multiword token


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a sentence for one entry of one list."""

    words: WordList
    terms: tuple[tuple[str, Term], ...]  # feature → variable or value
    flips: tuple[str, ...]  # features in which the wrong member differs here
    head: int | None  # index of the slot it hangs on; None for the root
    relation: str


@dataclass(frozen=True, slots=True)
class Shape:
    """A template with all phrases multiplied out.

    `fillings` says in how many ways the slots can be filled for each choice of values of the
    *binding* variables, those on which it depends which words may stand where.
    """

    template: str
    slots: tuple[Slot, ...]
    variables: tuple[str, ...]  # their features, in the order of the first slot they stand on
    letters: tuple[tuple[str, Term], ...]  # the template's own indices, by name
    weight: float  # share among all shapes, for weighted sampling
    binding: tuple[int, ...] = ()  # indices into `variables`
    fillings: Mapping[Key, int] = field(default_factory=dict, hash=False)
    n: int = 0  # derivations


@dataclass(frozen=True, slots=True, eq=False)
class Grammar:
    """A loaded grammar, checked; every shape has at least one derivation."""

    name: str
    language: str  # BCP-47
    licence: str  # SPDX id of what it generates, or ""
    place: str  # the file, for messages
    features: Mapping[str, tuple[str, ...]]  # feature → values in their order
    spelling: Spelling
    shapes: tuple[Shape, ...]  # templates in file order, first alternatives first
    weighted: bool  # whether any alternative has a weight


@dataclass(frozen=True, slots=True)
class Derivation:
    """One sentence of a grammar. With `flip`, its marked slots take that value instead of theirs:
    the ungrammatical member of a pair, built and not searched for."""

    grammar: Grammar = field(repr=False)
    shape: Shape = field(repr=False)
    values: tuple[str, ...]  # one for each variable of the shape
    entries: tuple[Entry, ...]  # one for each slot
    flip: str = ""


def slot_values(derivation: Derivation, index: int) -> dict[str, str]:
    """Feature → value at one slot, the flip included."""
    slot = derivation.shape.slots[index]
    return {
        feature: derivation.flip
        if derivation.flip and feature in slot.flips
        else resolved(term, derivation.values)
        for feature, term in slot.terms
    }


def resolved(term: Term, values: tuple[str, ...]) -> str:
    """The value of a term under an assignment of the variables."""
    return values[term] if isinstance(term, int) else term


def cell(derivation: Derivation) -> dict[str, str]:
    """The values of the template's own indices by name: its place in a factorial block."""
    return {name: resolved(term, derivation.values) for name, term in derivation.shape.letters}


def contrasts(derivation: Derivation) -> tuple[Derivation, ...]:
    """The same words with the marked ones in every other value of the marked feature, in order.

    Empty where the template marks nothing. All marked slots of a sentence flip together.
    """
    for index, slot in enumerate(derivation.shape.slots):
        for feature in slot.flips:
            own = slot_values(derivation, index)[feature]
            others = [value for value in derivation.grammar.features[feature] if value != own]
            return tuple(
                Derivation(
                    derivation.grammar,
                    derivation.shape,
                    derivation.values,
                    derivation.entries,
                    each,
                )
                for each in others
            )
    return ()
