"""The records of a template grammar.

A *shape* is a sentence with all its phrases multiplied out: a row of slots, each filled from one
word list. What agrees is a *variable*: every slot tied to it takes the same value of its feature.
A *derivation* is a shape with a value for each variable and a word for each slot.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from ...data.items.prediction import Prediction
from ._file import Sandhi, Sound, SuiteTable

ValueKey: TypeAlias = tuple[str, ...]
"""One value for each feature an entry varies in, or for each variable of a shape."""
Values: TypeAlias = Mapping[int, str] | ValueKey
"""Variable → value, of all variables of a shape or of some."""


class Term(NamedTuple):
    """The value a feature of a slot must have: that of a variable, by number, or a fixed one."""

    base: int | str
    domain: tuple[str, ...]  # all values of the feature
    changes: tuple[int, ...] = ()  # a number for each condition: 0 the base, 1 the first other, …

    def value(self, values: Values, condition: int = 0) -> str:
        """Return the value in a condition, under an assignment of the variables."""
        value = self.base if isinstance(self.base, str) else values[self.base]
        change = self.changes[condition] if self.changes else 0
        if change:
            value = [other for other in self.domain if other != value][change - 1]
        return value


class EntryWord(NamedTuple):
    """One word of an entry. Most entries have one; `is tall` has two and is still one choice."""

    lemma: str
    upos: str
    head: int | None  # 0-based within the entry; None for the word the others depend on
    relation: str  # to that head; "" for the entry's own head
    inflects: bool  # whether it carries the entry's FEATS


class EntryForm(NamedTuple):
    """The words of an entry for one key."""

    words: tuple[str, ...]  # as many as the entry has parts
    feats: str  # FEATS of the part that inflects, in UD's order; "_" for none


@dataclass(frozen=True, slots=True, eq=False)
class LexicalEntry:
    """One choice of a word list: a lexeme with its forms. Two entries are equal if they are one."""

    lemma: str
    parts: tuple[EntryWord, ...]
    varies: tuple[str, ...]  # the features its form depends on
    forms: Mapping[ValueKey, EntryForm]
    only: Mapping[str, tuple[str, ...]]  # feature → the values it can have; absent = all

    def admits(self, values: Mapping[str, str]) -> bool:
        """Return whether the entry can be used where its features have these values; a feature
        that is not given can have any."""
        return all(values.get(name, only[0]) in only for name, only in self.only.items()) and any(
            all(
                values.get(name, value) == value
                for name, value in zip(self.varies, key, strict=True)
            )
            for key in self.forms
        )

    def form(self, values: Mapping[str, str]) -> EntryForm:
        """Return the form for the values of features."""
        return self.forms[tuple(values[feature] for feature in self.varies)]


@dataclass(frozen=True, slots=True, eq=False)
class WordList:
    """The words that can fill a slot. With `repeat` false no sentence has one of them twice."""

    name: str
    entries: tuple[LexicalEntry, ...]
    varies: tuple[str, ...]  # features some entry varies in
    restricted: frozenset[str]  # features on which it depends which entries can be used
    repeat: bool
    glue: str  # how its words join their neighbours: "", or a value of `Glue`


@dataclass(frozen=True, slots=True, eq=False)
class Slot:
    """A position in a sentence for one entry of one list."""

    words: WordList
    terms: Mapping[str, Term]  # by feature
    head: int | None = None  # index of the slot it depends on; None for the root
    relation: str = ""
    row: int | None = None  # slots of one row are filled by entries with one number in their lists
    region: str = ""  # "" where none is named

    def values(self, values: Values, condition: int = 0) -> dict[str, str]:
        """Return the value of each feature under an assignment of the shape's variables."""
        return {name: term.value(values, condition) for name, term in self.terms.items()}

    def restricting(self, values: Values) -> tuple[tuple[str, str], ...]:
        """Return the features on which it depends which words can fill the slot, and their
        values."""
        pairs, restricted = self.terms.items(), self.words.restricted
        return tuple((name, term.value(values)) for name, term in pairs if name in restricted)

    def binding(self) -> set[int]:
        """Return the variables on which it depends which words can fill the slot."""
        pairs, restricted = self.terms.items(), self.words.restricted
        return {t.base for name, t in pairs if name in restricted and isinstance(t.base, int)}


class CountTable(NamedTuple):
    """Variables that depend on each other, and for each choice of their values in how many ways the
    slots that depend on them can be filled."""

    variables: tuple[int, ...]
    counts: Mapping[ValueKey, int]


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """A template with all phrases multiplied out. Its derivations are one choice from each of its
    tables, and then one filling of its slots."""

    template: str
    slots: tuple[Slot, ...]
    variables: tuple[str, ...]  # their features, in the order of the first slot they are on
    domains: tuple[tuple[str, ...], ...]  # the values of each variable
    letters: Mapping[str, Term]  # the template's own indices, by name
    weight: float  # share among all shapes, for weighted sampling
    n_conditions: int = 1
    number: int = 0  # its index among the grammar's shapes
    choices: tuple[tuple[int, ...], ...] = ()  # slots that are filled by one choice: rows, others
    rivals: tuple[tuple[int, ...], ...] = ()  # for each choice those that must differ, and itself
    tables: tuple[CountTable, ...] = ()
    n: int = 0  # derivations


@dataclass(frozen=True, slots=True, eq=False)
class Grammar:
    """A grammar that was read and checked; every shape has at least one derivation.

    Attributes:
        name: of the grammar.
        language: BCP-47 code.
        licence: SPDX id of what it generates, or "".
        location: its file, for messages.
        features: feature → values, in their order.
        capital: whether a sentence begins with a capital letter.
        stop: what ends every sentence; "" for nothing but what the templates say.
        sandhi: form → rules and the sounds they speak of; the first that fits is applied.
        contractions: two neighbours → one multiword token.
        shapes: templates with all phrases multiplied out, in the order of the file, first
            alternatives first.
        weighted: whether any alternative has a weight.
        design: how derivations become items; None without a section `[suite]`.
        predictions: of those items that have its conditions and regions.
    """

    name: str
    language: str
    licence: str
    location: str
    features: Mapping[str, tuple[str, ...]]
    capital: bool
    stop: str
    sandhi: Mapping[str, list[tuple[Sandhi, Sound]]]
    contractions: Mapping[tuple[str, str], str]
    shapes: tuple[Shape, ...]
    weighted: bool
    design: SuiteTable | None = None
    predictions: tuple[Prediction, ...] = ()


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
