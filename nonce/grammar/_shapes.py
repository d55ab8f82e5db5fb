"""Templates with their phrases to shapes: flat rows of slots with a tree over them.

Phrases are multiplied out once, when a grammar is loaded, so that counting and sampling see nothing
but rows of slots. An index lives in one alternative of one phrase; what is asked of a phrase is
asked of its head word (`NP[n]` of the noun), unless the phrase passes on something of its own.
Values that contradict each other (`NP[thing]` where a phrase has only names of people) leave that
alternative out.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeGuard

from ._grammar_lexicon import Features
from ._notation import Alternative, Argument, RuleItem, walk
from .grammar import OtherValue, Shape, Slot, Term, Value, WordList


@dataclass(frozen=True, slots=True)
class SymbolTable:
    """What the names in a rule stand for."""

    features: Features
    indices: Mapping[str, str]  # index → feature
    lists: Mapping[str, WordList]
    phrases: Mapping[str, tuple[Alternative, ...]]
    macros: Mapping[str, tuple[Alternative, ...]]

    def feature_of(self, name: str) -> str | None:
        """The feature of an index or a value."""
        return self.indices.get(name) or self.features.owner.get(name)


_Bindings: TypeAlias = Mapping[str, Term]
"""Feature → what it must be."""
_Scope: TypeAlias = Mapping[str, int]
"""Index, or `#` and a row's name → the number of its variable."""
_State: TypeAlias = tuple[tuple[str, Term | None], ...]
"""The feature of every variable so far, and the term it was found equal to, if any."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of slots under one head; `root` is `None` where there are none."""

    slots: tuple[Slot, ...]
    root: int | None
    weight: float


def shapes_of(template: str, alternative: Alternative, rules: SymbolTable) -> Iterator[Shape]:
    """All shapes of one alternative of a template, the leftmost choice varying slowest.

    A shape's weight is the product of the shares its choices have among their alternatives.
    """
    state, scope = _scope(alternative, rules, ())
    scope = {name: scope[name] for name in rules.indices if name in scope} | scope
    for piece, end in _alternative(alternative, rules, scope, {}, state):
        yield _shape(template, piece, rules, scope, end)


def _scope(
    alternative: Alternative, rules: SymbolTable, state: _State
) -> tuple[_State, dict[str, int]]:
    """A fresh variable for each index and each row an alternative mentions."""
    scope: dict[str, int] = {}
    for inner in walk(alternative):
        arguments = [*inner.passed, *(arg for item in inner.items for arg in item.arguments)]
        names = [
            name.removeprefix("-") for arg in arguments for name in (arg.name, *arg.changed)
        ] + [f"#{item.row}" for item in inner.items if item.row]
        for name in names:
            if name not in scope and (name in rules.indices or name.startswith("#")):
                scope[name] = len(state)
                state = (*state, (rules.indices.get(name, name), None))
    return state, scope


def _alternative(
    alternative: Alternative, rules: SymbolTable, scope: _Scope, required: _Bindings, state: _State
) -> Iterator[tuple[_Piece, _State]]:
    """All ways to write one alternative whose head must be as `required`; all else hangs on it."""
    bound = _bindings(alternative.passed, rules, scope)
    merged = _merged(bound, {name: term for name, term in required.items() if name in bound}, state)
    if merged is None:
        return
    for_head = {feature: term for feature, term in required.items() if feature not in bound}
    for pieces, end in _items(alternative.items, rules, scope, for_head, merged[1]):
        starts = [sum(len(piece.slots) for piece in pieces[:n]) for n in range(len(pieces))]
        parts = list(zip(alternative.items, pieces, starts, strict=True))
        root = next(
            start + piece.root
            for item, piece, start in parts
            if not item.relation and piece.root is not None
        )
        slots: list[Slot] = []
        weight = 1.0
        for item, piece, start in parts:
            weight *= piece.weight
            for slot in piece.slots:
                if slot.head is not None:
                    slots.append(replace(slot, head=slot.head + start))
                elif item.relation:
                    slots.append(replace(slot, head=root, relation=item.relation))
                else:
                    slots.append(slot)
        yield _Piece(tuple(slots), root, weight), end


def _items(
    items: tuple[RuleItem, ...],
    rules: SymbolTable,
    scope: _Scope,
    for_head: _Bindings,
    state: _State,
) -> Iterator[tuple[tuple[_Piece, ...], _State]]:
    """All ways to write a row of items, the first varying slowest."""
    if not items:
        yield (), state
        return
    first, rest = items[0], items[1:]
    required = _bindings(first.arguments, rules, scope)
    if any(len(end) > 1 for term in required.values() for end in _change_parts(term, state)):
        return  # marked here and around: what changes twice has no one value in a condition
    merged = _merged(required, {} if first.relation else for_head, state)
    if merged is None:
        return
    for piece, state_after in _item(first, rules, scope, *merged):
        if first.region:
            slots = (replace(slot, region=slot.region or first.region) for slot in piece.slots)
            piece = replace(piece, slots=tuple(slots))
        for other_pieces, end in _items(rest, rules, scope, for_head, state_after):
            yield (piece, *other_pieces), end


def _item(
    item: RuleItem, rules: SymbolTable, scope: _Scope, required: _Bindings, state: _State
) -> Iterator[tuple[_Piece, _State]]:
    """All ways to write one item; a word list is one slot, in which a feature its words vary in and
    nothing ties gets a variable of its own."""
    if item.name in rules.lists:
        words, terms = rules.lists[item.name], dict(required)
        for feature in words.varies:
            if feature not in terms:
                terms[feature] = (len(state),)
                state = (*state, (feature, None))
        row = scope[f"#{item.row}"] if item.row else None
        yield _Piece((Slot(words, tuple(terms.items()), None, "", row),), 0, 1.0), state
        return
    alternatives = rules.phrases[item.name] if item.name else item.group
    weights = [1.0 if option.weight is None else option.weight for option in alternatives]
    total = sum(weights)
    for option, weight in zip(alternatives, weights, strict=True):
        share = weight / total
        if not option.items:
            yield _Piece((), None, share), state
            continue
        inner, inner_scope = _scope(option, rules, state) if item.name else (state, scope)
        for piece, end in _alternative(option, rules, inner_scope, required, inner):
            yield replace(piece, weight=share * piece.weight), end


def _bindings(
    arguments: tuple[Argument, ...], rules: SymbolTable, scope: _Scope
) -> dict[str, Term]:
    """What arguments ask for; marked with `!`, every other value in its turn."""
    result: dict[str, Term] = {}
    for argument in arguments:
        feature = rules.feature_of(argument.name)
        assert feature is not None  # see `check`
        domain = rules.features.values[feature]
        base: int | str = scope.get(argument.name, argument.name)
        terms: list[Value] = [base]
        if argument.flips and isinstance(base, int):
            terms += [OtherValue(base, index, domain) for index in range(len(domain) - 1)]
        elif argument.flips:
            terms += [value for value in domain if value != base]
        for name in argument.changed:  # `n`, a value, or the value that `-n` or `-Sing` is not
            bare = name.removeprefix("-")
            term: int | str = scope.get(bare, bare)
            if bare == name:
                terms.append(term)
            elif isinstance(term, int):
                terms.append(OtherValue(term, 0, domain))
            else:
                terms.append(next(value for value in domain if value != term))
        result[feature] = tuple(terms)
    return result


def _merged(
    first: _Bindings, second: _Bindings, state: _State
) -> tuple[dict[str, Term], _State] | None:
    """Both demands on one word; `None` where they contradict each other: two different values, what
    changes and what does not, and what would be its own other value."""
    for feature in second:
        if feature not in first:
            continue
        end, other_end = _end(first[feature], state), _end(second[feature], state)
        if end == other_end:
            continue
        if not _is_variable(end) or (_is_variable(other_end) and other_end > end):
            end, other_end = other_end, end
        if not _is_variable(end) or end in _change_parts(other_end, state):
            return None
        number = end[0]
        state = (*state[:number], (state[number][0], other_end), *state[number + 1 :])
    return {**first, **{name: term for name, term in second.items() if name not in first}}, state


def _is_variable(term: Term) -> TypeGuard[tuple[int]]:
    return len(term) == 1 and isinstance(term[0], int)


def _end(term: Term, state: _State) -> Term:
    """What a term stands for after all that was found equal."""
    while _is_variable(term):
        link = state[term[0]][1]
        if link is None:
            return term
        term = link
    return term


def _change_parts(term: Term, state: _State) -> list[Term]:
    """What a change is made of; nothing for a term that does not change."""
    values = term if len(term) > 1 else ()
    return [
        _end((part.variable if isinstance(part, OtherValue) else part,), state) for part in values
    ]


def _shape(template: str, piece: _Piece, rules: SymbolTable, scope: _Scope, state: _State) -> Shape:
    """A shape with its variables and rows numbered in the order of the slots they stand on."""
    numbers: dict[int, int] = {}
    rows: dict[int, int] = {}

    def value(part: Value) -> Value:
        if isinstance(part, OtherValue):
            base = value(part.variable)
            if isinstance(base, int):
                return replace(part, variable=base)
            return [value for value in part.domain if value != base][part.index]
        (end,) = _end((part,), state)  # what changes is in no change, see `_items` and `_merged`
        return numbers.setdefault(end, len(numbers)) if isinstance(end, int) else end

    slots = []
    for slot in piece.slots:
        terms = tuple((name, tuple(map(value, _end(term, state)))) for name, term in slot.terms)
        row = None if slot.row is None else rows.setdefault(slot.row, len(rows))
        slots.append(replace(slot, terms=terms, row=row))
    letters = []
    for name, number in scope.items():
        end = _end((number,), state)  # a letter in an alternative that was not taken has no number
        if not name.startswith("#") and (not _is_variable(end) or end[0] in numbers):
            letters.append((name, tuple(map(value, end))))
    variables = tuple(state[number][0] for number in numbers)
    return Shape(
        template=template,
        slots=tuple(slots),
        variables=variables,
        domains=tuple(rules.features.values[feature] for feature in variables),
        letters=tuple(letters),
        weight=piece.weight,
        n_conditions=max((len(term) for slot in slots for _, term in slot.terms), default=1),
    )
