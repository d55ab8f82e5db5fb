"""Templates with their phrases to shapes: flat rows of slots with a tree over them.

Phrases are multiplied out once, when a grammar is loaded, so that counting and sampling see nothing
but rows of slots. A letter lives in one alternative of one phrase, so that its variable is that
letter at the path of the phrase in the tree. What is asked of a phrase is asked of its head word
(`NP[n]` of the noun). What must be equal is
collected, and solved for a whole alternative: one that contradicts itself (`NP[thing]` where a
phrase has only names of people) is left out.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TypeAlias

from ._notation import Alternative, Argument, RuleItem, Rules
from .grammar import Shape, Slot, Term

_Path: TypeAlias = tuple[int, ...]
"""The indices of the items on the way from the template down."""
_Pair: TypeAlias = tuple[Term, Term]
"""What must be equal."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of slots under one head; `root` is its index, `None` where there are none."""

    slots: tuple[Slot, ...] = ()
    root: int | None = None
    equal: tuple[_Pair, ...] = ()
    weight: float = 1.0


class Expansion:
    """The sentences of a grammar, and the numbers of the variables of all of them."""

    def __init__(self, rules: Rules) -> None:
        self.indices, self.domains = rules.indices, rules.features.values
        self.numbers: dict[tuple[_Path, str], int] = {}

    def shapes(self, template: str, alternative: Alternative) -> Iterator[Shape]:
        """Yield all shapes of one alternative of a template, the leftmost choice varying slowest.

        A shape's weight is the product of the shares its choices have among their alternatives.
        """
        for piece in self._pieces(alternative, (), ()):
            shape = self._shape(template, piece)
            if shape is not None:
                yield shape

    def _pieces(self, alternative: Alternative, scope: _Path, path: _Path) -> Iterator[_Piece]:
        """Yield all ways to write one alternative at a path, with the letters of a scope."""
        items = alternative.items
        choices = [list(self._item(item, scope, (*path, n))) for n, item in enumerate(items)]
        head = next((n for n, item in enumerate(items) if not item.relation), 0)
        for pieces in product(*choices):
            starts = [sum(len(piece.slots) for piece in pieces[:n]) for n in range(len(pieces))]
            root = None if not pieces else starts[head] + (pieces[head].root or 0)
            slots: list[Slot] = []
            weight = 1.0
            for item, piece, start in zip(items, pieces, starts, strict=True):
                weight *= piece.weight
                for slot in piece.slots:
                    if slot.head is not None:
                        slots.append(replace(slot, head=slot.head + start))
                    elif item.relation:
                        slots.append(replace(slot, head=root, relation=item.relation))
                    else:
                        slots.append(slot)
            equal = tuple(pair for piece in pieces for pair in piece.equal)
            if _solved(equal) is not None:
                yield _Piece(tuple(slots), root, equal, weight)

    def _item(self, item: RuleItem, scope: _Path, path: _Path) -> Iterator[_Piece]:
        """Yield all ways to write one item."""
        asked = self._terms(item.arguments, scope)
        for piece in self._unasked(item, scope, path):
            slots, equal = list(piece.slots), list(piece.equal)
            if piece.root is not None:
                terms = dict(slots[piece.root].terms)
                for feature, term in asked.items():
                    other = terms.setdefault(feature, term)
                    equal += [(other, term)] if other is not term else []
                slots[piece.root] = replace(slots[piece.root], terms=terms)
            if item.region:
                slots = [replace(slot, region=slot.region or item.region) for slot in slots]
            yield replace(piece, slots=tuple(slots), equal=tuple(equal))

    def _unasked(self, item: RuleItem, scope: _Path, path: _Path) -> Iterator[_Piece]:
        """Yield all ways to write one item, but for what its arguments ask; a word list is one
        slot."""
        if item.words is not None:
            row = self._number(scope, f"#{item.row}") if item.row else None
            yield _Piece((Slot(item.words, {}, row=row),), 0)
        total = sum(option.weight for option in item.options)
        for option in item.options:
            for piece in self._pieces(option, path if item.own_letters else scope, path):
                yield replace(piece, weight=option.weight / total * piece.weight)

    def _number(self, scope: _Path, name: str) -> int:
        """Return the number of the variable of a letter, the same wherever its scope has it."""
        return self.numbers.setdefault((scope, name), len(self.numbers))

    def _terms(self, arguments: Mapping[str, Argument], scope: _Path) -> dict[str, Term]:
        """Return what arguments ask for: feature → term."""
        return {
            feature: Term(
                self._number(scope, name) if name in self.indices else name,
                self.domains[feature],
                changes,
            )
            for feature, (name, changes) in arguments.items()
        }

    def _shape(self, template: str, piece: _Piece) -> Shape | None:
        """Return a shape with its variables numbered in the order of the slots they are on, or
        `None` where the piece contradicts itself. A feature that the words of a slot vary in and
        nothing ties gets a variable of its own."""
        solution = _solved(piece.equal) or {}
        domains = self.domains
        numbers: dict[int, int] = {}
        variables: list[str] = []
        slots: list[Slot] = []
        for index, slot in enumerate(piece.slots):
            terms = {}
            for feature in dict.fromkeys((*slot.terms, *slot.words.varies)):
                term = slot.terms.get(feature)
                if term is None:
                    own = self._number((index,), f"={feature}")
                    term = Term(own, domains[feature])
                end = _end(term, solution)
                if end is None:
                    return None
                if isinstance(end.base, int) and end.base not in numbers:
                    numbers[end.base] = len(numbers)
                    variables.append(feature)
                terms[feature] = _renumbered(end, numbers)
            slots.append(replace(slot, terms=terms))
        letters = {}
        for name, feature in self.indices.items():
            end = _end(Term(self.numbers.get(((), name), -1), domains[feature]), solution)
            if end is not None and (isinstance(end.base, str) or end.base in numbers):
                letters[name] = _renumbered(end, numbers)
        return Shape(
            template=template,
            slots=tuple(slots),
            variables=tuple(variables),
            domains=tuple(domains[feature] for feature in variables),
            letters=letters,
            weight=piece.weight,
            n_conditions=max(
                (len(t.changes) for s in slots for t in s.terms.values() if t.changes), default=1
            ),
        )


def _renumbered(term: Term, numbers: Mapping[int, int]) -> Term:
    """Return a term with the new number of its variable."""
    return term._replace(base=numbers[term.base]) if isinstance(term.base, int) else term


def _solved(equal: Sequence[_Pair]) -> dict[int, Term] | None:
    """Return what variables are equal to, so that all pairs are; `None` where they contradict each
    other: two different values, what changes and what does not, what changes twice."""
    solution: dict[int, Term] = {}
    for pair in equal:
        term, other = (_end(term, solution) for term in pair)
        if term is None or other is None:
            return None
        if term == other:
            continue
        number, other_number = _variable(term), _variable(other)
        if number is None or (other_number is not None and other_number > number):
            number, term, other = other_number, other, term
        if number is None or other.base == number:
            return None
        solution[number] = other
    return solution


def _variable(term: Term) -> int | None:
    """Return the variable whose value the term has in all conditions, if there is one."""
    return term.base if isinstance(term.base, int) and not term.changes else None


def _end(term: Term, solution: Mapping[int, Term]) -> Term | None:
    """Return what a term is after all that was found equal; `None` where it changes twice."""
    while isinstance(term.base, int) and term.base in solution:
        link = solution[term.base]
        if link.changes and term.changes:
            return None
        term = link._replace(changes=link.changes or term.changes)
    return term
