"""What a template grammar is made of, and what comes out of it.

A *shape* is a sentence with all its phrases multiplied out: a row of slots, each filled from one
word list. What agrees is a *variable*: every slot tied to it takes the same value of its feature.
A *derivation* is a shape with a value for each variable and a word for each slot.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from ...data.items.prediction import Prediction


@dataclass(frozen=True, slots=True)
class OtherValue:
    """Another value than a variable's: the one at `index` (from 0) among the others, in order."""

    variable: int
    index: int
    domain: tuple[str, ...]


Value: TypeAlias = int | str | OtherValue
"""What a feature is in one condition: a variable (its number in the shape, from 0), a fixed value,
or another value than a variable's."""
Term: TypeAlias = tuple[Value, ...]
"""What a feature of a slot is: one value for each condition, or one for all of them."""
ValueKey: TypeAlias = tuple[str, ...]
"""One value for each feature an entry varies in, or for each variable of a shape."""


class EntryWord(NamedTuple):
    """One word of an entry. Most entries have one; `is tall` has two and is still one choice."""

    lemma: str
    upos: str
    head: int | None  # 0-based within the entry; None for the word the others hang on
    relation: str  # to that head; "" for the entry's own head
    inflects: bool  # whether it carries the entry's FEATS


class EntryForm(NamedTuple):
    """How an entry looks for one key."""

    words: tuple[str, ...]  # as many as the entry has parts
    feats: str  # FEATS of the part that inflects, in UD's order; "_" for none


@dataclass(frozen=True, slots=True, eq=False)
class LexicalEntry:
    """One choice of a word list: a lexeme with its forms. Two entries are equal if they are one."""

    lemma: str
    parts: tuple[EntryWord, ...]
    varies: tuple[str, ...]  # the features its form depends on
    forms: Mapping[ValueKey, EntryForm]
    only: Mapping[str, tuple[str, ...]]  # feature → the values it can stand with; absent = all


@dataclass(frozen=True, slots=True, eq=False)
class WordList:
    """The words that can fill a slot. With `repeat` false no sentence has one of them twice."""

    name: str
    entries: tuple[LexicalEntry, ...]
    varies: tuple[str, ...]  # features some entry varies in
    restricted: frozenset[str]  # features on which it depends which entries can stand
    repeat: bool
    glue: str  # how its words join their neighbours: "", or another `_file.Glue`


class OnsetClass(NamedTuple):
    """A class of word beginnings: prefixes in lower case, and words that go against them."""

    starts: tuple[str, ...]
    also: frozenset[str]
    never: frozenset[str]


class Sandhi(NamedTuple):
    """What a form becomes before a certain sound: `il` becomes `l'` before a vowel."""

    onset: OnsetClass
    becomes: str
    upos: str  # "" for any
    drops: frozenset[str]  # features the new form no longer shows
    glue: str


@dataclass(frozen=True, slots=True)
class Spelling:
    """How words become written text."""

    capital: bool  # whether a sentence begins with a capital letter
    stop: str  # what ends every sentence; "" for nothing but what the templates say
    sandhi: Mapping[str, Sequence[Sandhi]]  # form → rules, of which the first that fits is applied
    contractions: Mapping[tuple[str, str], str]  # two neighbours → one multiword token


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a sentence for one entry of one list."""

    words: WordList
    terms: tuple[tuple[str, Term], ...]  # feature → what it must be
    head: int | None  # index of the slot it hangs on; None for the root
    relation: str
    row: int | None = None  # slots of one row are filled by entries at one place of their lists
    region: str = ""  # "" where none is named


@dataclass(frozen=True, slots=True)
class Shape:
    """A template with all phrases multiplied out.

    `fillings` says in how many ways the slots can be filled for each choice of values of the
    *binding* variables, those on which it depends which words may stand where.
    """

    template: str
    slots: tuple[Slot, ...]
    variables: tuple[str, ...]  # their features, in the order of the first slot they stand on
    domains: tuple[tuple[str, ...], ...]  # the values of each variable
    letters: tuple[tuple[str, Term], ...]  # the template's own indices, by name
    weight: float  # share among all shapes, for weighted sampling
    n_conditions: int = 1
    number: int = 0  # its place among the grammar's shapes
    binding: tuple[int, ...] = ()  # indices into `variables`
    fillings: Mapping[ValueKey, int] = field(default_factory=dict, hash=False)
    n: int = 0  # derivations


@dataclass(frozen=True, slots=True)
class Design:
    """How derivations become items: what a grammar's section `[suite]` says."""

    conditions: Mapping[str, tuple[str, ...]]  # template → names, as many as it has conditions
    facts: Mapping[str, Mapping[str, str]]  # template → what is known of all its items
    letters: Mapping[str, str]  # letter → the fact that its value is; others do not show
    average: frozenset[str]  # letters and lists in which the wordings of one item differ
    swap: tuple[tuple[str, str], ...]  # pairs of lists whose words also stand the other way round
    predictions: tuple[Prediction, ...]  # of those items that have its conditions and regions


@dataclass(frozen=True, slots=True, eq=False)
class Grammar:
    """A grammar that was read and checked; every shape has at least one derivation.

    Attributes:
        name: of the grammar.
        language: BCP-47 code.
        licence: SPDX id of what it generates, or "".
        location: its file, for messages.
        features: feature → values, in their order.
        spelling: how words become written text.
        shapes: templates with all phrases multiplied out, in the order of the file, first
            alternatives first.
        weighted: whether any alternative has a weight.
        design: how derivations become items: what its section `[suite]` says; None without one.
    """

    name: str
    language: str
    licence: str
    location: str
    features: Mapping[str, tuple[str, ...]]
    spelling: Spelling
    shapes: tuple[Shape, ...]
    weighted: bool
    design: Design | None = None


@dataclass(frozen=True, slots=True)
class Derivation:
    """One sentence of a grammar, in one of its conditions.

    Attributes:
        grammar: that it is a sentence of.
        shape: the template, with all phrases multiplied out.
        values: one for each variable of the shape.
        entries: one for each slot of the shape.
        condition: 0 for the derivation as it is; in the others the marked slots have the values
            marked for them.
    """

    grammar: Grammar = field(repr=False)
    shape: Shape = field(repr=False)
    values: ValueKey
    entries: tuple[LexicalEntry, ...]
    condition: int = 0


def resolved(term: Term, values: ValueKey, condition: int = 0) -> str:
    """The value of a term in a condition, under an assignment of the variables."""
    chosen = term[condition] if len(term) > 1 else term[0]
    if isinstance(chosen, OtherValue):
        return [value for value in chosen.domain if value != values[chosen.variable]][chosen.index]
    return values[chosen] if isinstance(chosen, int) else chosen
