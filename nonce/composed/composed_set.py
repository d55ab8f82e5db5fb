"""A composed set: its words and its cells."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from ._predicates import PredicateParadigm
from .blocks import Phrases, SetMaterial
from .options import PredicateOption
from .phrase import ComposedWord, Modifier
from .suffixes import FilledForm
from .treebank_counts import NUMBERS

NONE, SAME, OPPOSITE = "none", "same", "opposite"
CLAUSE, FRONT, RELATIVE = "clause", "front", "relative"


class Opening(NamedTuple):
    """The words before the head in some cells of a set, in both numbers of its first noun."""

    kind: str  # CLAUSE, FRONT or RELATIVE
    name: str  # "say that", "obl:in", "relative:that"
    noun: str
    words: Phrases
    after: "NounModifier | None" = None  # of its noun

    @property
    def parts(self) -> list[str]:
        """Return the names and nouns of it and of the modifier of its noun."""
        return [self.name, self.noun, *(self.after[:2] if self.after else ())]


class NounModifier(NamedTuple):
    """A modifier of a matrix subject, by the number of the subject: in the other one itself."""

    name: str
    noun: str
    words: Phrases


class ComposedCell(NamedTuple):
    """One cell of a set."""

    name: str  # "Sing.none", "Plur.nmod:of.Sing", "clause.Plur.Sing.nmod:of.Plur"
    value: str
    relation: str  # of the nouns between head and target: none, same, opposite
    modifiers: tuple[int, ...]  # which of the set's modifiers stand between
    words: tuple[ComposedWord, ...]
    opening: str = ""  # what stands before the head: CLAUSE, FRONT, RELATIVE, or nothing
    first_noun: str = NONE  # of the first noun to the head, where that is another: same, opposite


@dataclass(frozen=True)
class ComposedSet:
    """The words of a set, and its cells."""

    option: PredicateOption
    forms: dict[str, FilledForm]  # of the target
    head: str
    modifiers: tuple[Modifier, ...]
    nouns: tuple[str, ...]  # of the modifiers
    verb: PredicateParadigm | None  # of a relative clause
    openings: tuple[Opening, ...] = ()
    cells: tuple[ComposedCell, ...] = ()

    @property
    def combination(self) -> tuple[str, ...]:
        """Return the blocks of the set, which no more than two share."""
        kinds = tuple(modifier.name for modifier in self.modifiers)
        return (self.head, self.option.name or self.forms["Sing"].form, *kinds)

    def main_cells(self, material: SetMaterial) -> Iterator[ComposedCell | None]:
        """Yield the cells that begin with the head: nothing, each modifier and all of them in a row
        between it and the target; `None` for one that cannot be written."""
        alone = [(index,) for index in range(len(self.modifiers))]
        together = [tuple(range(len(self.modifiers)))] if len(self.modifiers) > 1 else []
        for value in NUMBERS:
            yield self._cell(material, value, (), "")
            for indices, number in product((*alone, *together), NUMBERS):
                yield self._cell(material, value, indices, number)

    def opened_cells(
        self, material: SetMaterial, opening: Opening, index: int
    ) -> Iterator[ComposedCell | None]:
        """Yield the cells with an opening: number of its noun × of the head × of one modifier."""
        for first, value, number in product(NUMBERS, repeat=3):
            yield self._cell(material, value, (index,), number, opening, first)

    def _cell(
        self,
        material: SetMaterial,
        value: str,
        indices: Sequence[int],
        number: str,
        opening: Opening | None = None,
        first: str = "",
    ) -> ComposedCell | None:
        option = self.option
        words = [*opening.words[first]] if opening else []
        opener = option.object_opener if opening else option.opener
        words += [opener] if opener else []
        words += material.subjects(option.kind.case)[self.head][value]
        for index in indices:
            part = material.between(self.modifiers[index], self.nouns[index], number, self.verb)
            if part is None:
                return None
            words += part
        words += option.end(self.forms[value].form, value)
        names = "+".join(self.modifiers[index].name for index in indices)
        parts = [opening.kind, first] if opening else []
        parts += [value, names, number] if indices else [value, NONE]
        relation = (SAME if number == value else OPPOSITE) if indices else NONE
        first_noun = (SAME if first == value else OPPOSITE) if opening else NONE
        kind = opening.kind if opening else ""
        return ComposedCell(
            ".".join(parts), value, relation, tuple(indices), tuple(words), kind, first_noun
        )
