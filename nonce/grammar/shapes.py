"""Templates with their phrases to shapes: flat rows of slots with a tree over them.

Phrases are multiplied out once, when a grammar is loaded, so that counting and sampling see nothing
but rows of slots. An index lives in one alternative of one phrase; what is asked of a phrase is
asked of its head word (`NP[n]` of the noun), unless the phrase passes on something of its own.
Values that contradict each other (`NP[thing]` where a phrase has only names of people) leave that
alternative out.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from colorless_green.nonce.grammar.language import Shape, Slot, Term, WordList
from colorless_green.nonce.grammar.notation import Alternative, Argument, Item, walk


@dataclass(frozen=True, slots=True)
class Rules:
    """What the names in a rule stand for."""

    features: Mapping[str, tuple[str, ...]]
    owner: Mapping[str, str]  # value → feature
    indices: Mapping[str, str]  # index → feature
    lists: Mapping[str, WordList]
    phrases: Mapping[str, tuple[Alternative, ...]]


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a feature of a word must be, and whether it flips in the wrong member."""

    term: Term
    flips: bool


_Bindings: TypeAlias = Mapping[str, _Asked]
_State: TypeAlias = tuple[tuple[str, Term | None], ...]
"""The feature of every variable so far, and the term it was found equal to, if any."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of slots under one head; `root` is `None` where there are none."""

    slots: tuple[Slot, ...]
    root: int | None
    weight: float


_NONE = _Piece((), None, 1.0)


def shapes_of(template: str, alternative: Alternative, rules: Rules) -> Iterator[Shape]:
    """All shapes of one alternative of a template, the leftmost choice varying slowest.

    A shape's weight is the product of the shares its choices have among their alternatives.
    """
    state, scope = _scope(alternative, rules, ())
    for piece, end in _alternative(alternative, rules, scope, {}, state):
        yield _finished(template, piece, scope, end)


def _scope(alternative: Alternative, rules: Rules, state: _State) -> tuple[_State, dict[str, Term]]:
    """A fresh variable for each index an alternative mentions."""
    scope: dict[str, Term] = {}
    for each in walk(alternative):
        arguments = [*each.own, *(one for item in each.items for one in item.arguments)]
        for argument in arguments:
            if argument.name in rules.indices and argument.name not in scope:
                scope[argument.name] = len(state)
                state = (*state, (rules.indices[argument.name], None))
    return state, scope


def _alternative(
    alternative: Alternative,
    rules: Rules,
    scope: Mapping[str, Term],
    asked: _Bindings,
    state: _State,
) -> Iterator[tuple[_Piece, _State]]:
    """All ways to write one alternative whose head must be as `asked`."""
    own = _bindings(alternative.own, rules, scope)
    for feature in own.keys() & asked.keys():
        joined = _unify(own[feature].term, asked[feature].term, state)
        if joined is None:
            return
        state = joined
    for_head = {feature: each for feature, each in asked.items() if feature not in own}
    for pieces, end in _items(alternative.items, rules, scope, for_head, state):
        yield _joined(alternative.items, pieces), end


def _items(
    items: tuple[Item, ...],
    rules: Rules,
    scope: Mapping[str, Term],
    for_head: _Bindings,
    state: _State,
) -> Iterator[tuple[tuple[_Piece, ...], _State]]:
    """All ways to write a row of items, the first varying slowest."""
    if not items:
        yield (), state
        return
    first, rest = items[0], items[1:]
    asked = _bindings(first.arguments, rules, scope)
    merged = _merged(asked, for_head, state) if not first.relation else (asked, state)
    if merged is None:
        return
    for piece, after in _item(first, rules, scope, *merged):
        for others, end in _items(rest, rules, scope, for_head, after):
            yield (piece, *others), end


def _item(
    item: Item, rules: Rules, scope: Mapping[str, Term], asked: _Bindings, state: _State
) -> Iterator[tuple[_Piece, _State]]:
    if item.name in rules.lists:
        yield _slot(rules.lists[item.name], asked, state)
        return
    alternatives = rules.phrases[item.name] if item.name else item.group
    total = sum(_weight(each) for each in alternatives)
    for each in alternatives:
        share = _weight(each) / total
        if not each.items:
            yield replace(_NONE, weight=share), state
            continue
        inner, inner_scope = _scope(each, rules, state) if item.name else (state, scope)
        for piece, end in _alternative(each, rules, inner_scope, asked, inner):
            yield replace(piece, weight=share * piece.weight), end


def _weight(alternative: Alternative) -> float:
    return 1.0 if alternative.weight is None else alternative.weight


def _slot(words: WordList, asked: _Bindings, state: _State) -> tuple[_Piece, _State]:
    """One slot; a feature its words vary in and nothing ties gets a variable of its own."""
    terms = {feature: each.term for feature, each in asked.items()}
    for feature in words.varies:
        if feature not in terms:
            terms[feature] = len(state)
            state = (*state, (feature, None))
    flips = tuple(feature for feature, each in asked.items() if each.flips)
    return _Piece((Slot(words, tuple(terms.items()), flips, None, ""),), 0, 1.0), state


def _joined(items: tuple[Item, ...], pieces: tuple[_Piece, ...]) -> _Piece:
    """One piece out of those of an alternative: all others hang on its head."""
    starts = [sum(len(piece.slots) for piece in pieces[:n]) for n in range(len(pieces))]
    heads = [
        start + piece.root
        for item, piece, start in zip(items, pieces, starts, strict=True)
        if not item.relation and piece.root is not None
    ]
    slots: list[Slot] = []
    weight = 1.0
    for item, piece, start in zip(items, pieces, starts, strict=True):
        weight *= piece.weight
        for slot in piece.slots:
            if slot.head is not None:
                slots.append(replace(slot, head=slot.head + start))
            elif item.relation:
                slots.append(replace(slot, head=heads[0], relation=item.relation))
            else:
                slots.append(slot)
    return _Piece(tuple(slots), heads[0], weight)


def _bindings(
    arguments: tuple[Argument, ...], rules: Rules, scope: Mapping[str, Term]
) -> dict[str, _Asked]:
    result = {}
    for each in arguments:
        if each.name in rules.indices:
            result[rules.indices[each.name]] = _Asked(scope[each.name], each.flips)
        else:
            result[rules.owner[each.name]] = _Asked(each.name, each.flips)
    return result


def _merged(
    first: _Bindings, second: _Bindings, state: _State
) -> tuple[dict[str, _Asked], _State] | None:
    """Both demands on one word; `None` where they contradict each other."""
    result = dict(first)
    for feature, asked in second.items():
        own = result.get(feature)
        if own is None:
            result[feature] = asked
            continue
        joined = _unify(own.term, asked.term, state)
        if joined is None:
            return None
        state = joined
        result[feature] = _Asked(own.term, own.flips or asked.flips)
    return result, state


def _end(term: Term, state: _State) -> Term:
    """What a term stands for after all that was found equal."""
    while isinstance(term, int):
        link = state[term][1]
        if link is None:
            return term
        term = link
    return term


def _unify(first: Term, second: Term, state: _State) -> _State | None:
    """The state in which both are equal; `None` for two different values."""
    first, second = _end(first, state), _end(second, state)
    if first == second:
        return state
    if isinstance(first, str) and isinstance(second, str):
        return None
    if isinstance(first, str) or (isinstance(second, int) and second > first):
        first, second = second, first
    assert isinstance(first, int)
    return (*state[:first], (state[first][0], second), *state[first + 1 :])


def _finished(template: str, piece: _Piece, scope: Mapping[str, Term], state: _State) -> Shape:
    """A shape with its variables numbered in the order of the slots they stand on."""
    numbers: dict[int, int] = {}
    slots = []
    for slot in piece.slots:
        terms: list[tuple[str, Term]] = []
        for feature, term in slot.terms:
            end = _end(term, state)
            terms.append(
                (feature, end if isinstance(end, str) else numbers.setdefault(end, len(numbers)))
            )
        slots.append(replace(slot, terms=tuple(terms)))
    letters: list[tuple[str, Term]] = []
    for name, term in scope.items():
        end = _end(term, state)
        if isinstance(end, str):
            letters.append((name, end))
        elif end in numbers:  # not where it stands in an alternative that was not taken
            letters.append((name, numbers[end]))
    variables = tuple(state[number][0] for number in numbers)
    return Shape(template, tuple(slots), variables, tuple(letters), piece.weight)
