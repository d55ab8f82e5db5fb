"""A composed set: its words and its cells."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ._predicates import PredicateParadigm
from .options import PredicateOption
from .phrase import ComposedWord, Modifier
from .suffixes import FilledForm

NONE, SAME, OPPOSITE = "none", "same", "opposite"
CLAUSE, FRONT, RELATIVE = "clause", "front", "relative"


class ComposedCell(NamedTuple):
    """One cell of a set."""

    name: str  # "Sing.none", "Plur.nmod:of.Sing", "clause.Plur.Sing.nmod:of.Plur"
    value: str
    relation: str  # of the nouns between head and target: none, same, opposite
    modifiers: tuple[int, ...]  # which of the set's modifiers stand between
    words: tuple[ComposedWord, ...]
    opening: str = ""  # what stands before the head: CLAUSE, FRONT, RELATIVE, or nothing
    first_noun: str = NONE  # of the first noun to the head, where that is another: same, opposite


class Opening(NamedTuple):
    """The words before the head in some cells of a set, in both numbers of its first noun."""

    kind: str  # CLAUSE, FRONT or RELATIVE
    name: str  # "say that", "obl:in", "relative:that"
    noun: str
    words: Mapping[str, Sequence[ComposedWord]]
    after: "NounModifier | None" = None  # of its noun

    @property
    def parts(self) -> list[str]:
        """The names and nouns of it and of the modifier of its noun."""
        after = self.after
        return [self.name, self.noun, *((after.name, after.noun) if after else ())]


class NounModifier(NamedTuple):
    """A modifier of a matrix subject, by the number of the subject: in the other one itself."""

    name: str
    noun: str
    words: Mapping[str, list[ComposedWord]]


@dataclass(frozen=True)
class ComposedSet:
    """The words of a set, and its cells."""

    option: PredicateOption
    forms: Mapping[str, FilledForm]  # of the target
    head: str
    modifiers: tuple[Modifier, ...]
    nouns: tuple[str, ...]  # of the modifiers
    verb: PredicateParadigm | None  # of a relative clause
    cells: tuple[ComposedCell, ...]
    openings: tuple[Opening, ...] = ()

    @property
    def combination(self) -> tuple[str, ...]:
        """The blocks of the set, which no more than two share."""
        kinds = tuple(modifier.name for modifier in self.modifiers)
        return (self.head, self.option.name or self.forms["Sing"].form, *kinds)
