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

from colorless_green.nonce.grammar.language import Change, Other, Shape, Slot, Term, WordList
from colorless_green.nonce.grammar.notation import Alternative, Argument, Item, walk


@dataclass(frozen=True, slots=True)
class Rules:
    """What the names in a rule stand for."""

    features: Mapping[str, tuple[str, ...]]
    owner: Mapping[str, str]  # value → feature
    indices: Mapping[str, str]  # index → feature
    lists: Mapping[str, WordList]
    phrases: Mapping[str, tuple[Alternative, ...]]
    macros: Mapping[str, tuple[Alternative, ...]]


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


_NONE = _Piece((), None, 1.0)


def shapes_of(template: str, alternative: Alternative, rules: Rules) -> Iterator[Shape]:
    """All shapes of one alternative of a template, the leftmost choice varying slowest.

    A shape's weight is the product of the shares its choices have among their alternatives.
    """
    state, scope = _scope(alternative, rules, ())
    scope = {name: scope[name] for name in rules.indices if name in scope} | scope
    for piece, end in _alternative(alternative, rules, scope, {}, state):
        yield _finished(template, piece, scope, end)


def _scope(alternative: Alternative, rules: Rules, state: _State) -> tuple[_State, dict[str, int]]:
    """A fresh variable for each index and each row an alternative mentions."""
    scope: dict[str, int] = {}
    for each in walk(alternative):
        arguments = [*each.own, *(one for item in each.items for one in item.arguments)]
        names = [
            name.removeprefix("-") for one in arguments for name in (one.name, *one.others)
        ] + [f"#{item.row}" for item in each.items if item.row]
        for name in names:
            if name not in scope and (name in rules.indices or name.startswith("#")):
                scope[name] = len(state)
                state = (*state, (rules.indices.get(name, name), None))
    return state, scope


def _alternative(
    alternative: Alternative,
    rules: Rules,
    scope: _Scope,
    asked: _Bindings,
    state: _State,
) -> Iterator[tuple[_Piece, _State]]:
    """All ways to write one alternative whose head must be as `asked`."""
    own = _bindings(alternative.own, rules, scope)
    for feature in own.keys() & asked.keys():
        joined = _unify(own[feature], asked[feature], state)
        if joined is None:
            return
        state = joined
    for_head = {feature: each for feature, each in asked.items() if feature not in own}
    for pieces, end in _items(alternative.items, rules, scope, for_head, state):
        yield _joined(alternative.items, pieces), end


def _items(
    items: tuple[Item, ...],
    rules: Rules,
    scope: _Scope,
    for_head: _Bindings,
    state: _State,
) -> Iterator[tuple[tuple[_Piece, ...], _State]]:
    """All ways to write a row of items, the first varying slowest."""
    if not items:
        yield (), state
        return
    first, rest = items[0], items[1:]
    asked = _bindings(first.arguments, rules, scope)
    if any(isinstance(end, Change) for each in asked.values() for end in _used(each, state)):
        return  # marked here and around: what changes twice has no one value in a condition
    merged = _merged(asked, for_head, state) if not first.relation else (asked, state)
    if merged is None:
        return
    for piece, after in _item(first, rules, scope, *merged):
        for others, end in _items(rest, rules, scope, for_head, after):
            yield (piece, *others), end


def _item(
    item: Item, rules: Rules, scope: _Scope, asked: _Bindings, state: _State
) -> Iterator[tuple[_Piece, _State]]:
    for piece, end in _written(item, rules, scope, asked, state):
        if item.region:
            named = (replace(each, region=each.region or item.region) for each in piece.slots)
            piece = replace(piece, slots=tuple(named))
        yield piece, end


def _written(
    item: Item, rules: Rules, scope: _Scope, asked: _Bindings, state: _State
) -> Iterator[tuple[_Piece, _State]]:
    if item.name in rules.lists:
        row = scope[f"#{item.row}"] if item.row else None
        yield _slot(rules.lists[item.name], row, asked, state)
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


def _slot(
    words: WordList, row: int | None, asked: _Bindings, state: _State
) -> tuple[_Piece, _State]:
    """One slot; a feature its words vary in and nothing ties gets a variable of its own."""
    terms = dict(asked)
    for feature in words.varies:
        if feature not in terms:
            terms[feature] = len(state)
            state = (*state, (feature, None))
    return _Piece((Slot(words, tuple(terms.items()), None, "", row),), 0, 1.0), state


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


def _bindings(arguments: tuple[Argument, ...], rules: Rules, scope: _Scope) -> dict[str, Term]:
    result = {}
    for each in arguments:
        feature = rules.indices.get(each.name) or rules.owner[each.name]
        result[feature] = _asked(each, rules.features[feature], scope)
    return result


def _asked(argument: Argument, domain: tuple[str, ...], scope: _Scope) -> Term:
    """What an argument asks for; marked with `!`, every other value in its turn."""
    first: int | str = scope.get(argument.name, argument.name)
    if argument.flips and isinstance(first, int):
        return Change((first, *(Other(first, place, domain) for place in range(len(domain) - 1))))
    if argument.flips:
        return Change((first, *(value for value in domain if value != first)))
    if not argument.others:
        return first
    return Change((first, *(_elsewhere(name, domain, scope) for name in argument.others)))


def _elsewhere(name: str, domain: tuple[str, ...], scope: _Scope) -> int | str | Other:
    """`n`, a value, or the value that `-n` or `-Sing` is not."""
    bare = name.removeprefix("-")
    term: int | str = scope.get(bare, bare)
    if bare == name:
        return term
    if isinstance(term, int):
        return Other(term, 0, domain)
    return next(value for value in domain if value != term)


def _merged(
    first: _Bindings, second: _Bindings, state: _State
) -> tuple[dict[str, Term], _State] | None:
    """Both demands on one word; `None` where they contradict each other."""
    result = dict(first)
    for feature, asked in second.items():
        own = result.get(feature)
        if own is None:
            result[feature] = asked
            continue
        joined = _unify(own, asked, state)
        if joined is None:
            return None
        state = joined
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
    """The state in which both are equal; `None` for two different values, for what changes and what
    does not, and for what would be its own other value."""
    first, second = _end(first, state), _end(second, state)
    if first == second:
        return state
    if not isinstance(first, int) or (isinstance(second, int) and second > first):
        first, second = second, first
    if not isinstance(first, int) or (isinstance(second, Change) and first in _used(second, state)):
        return None
    return (*state[:first], (state[first][0], second), *state[first + 1 :])


def _used(term: Term, state: _State) -> list[Term]:
    """What a change is made of; nothing for a term that does not change."""
    terms = term.terms if isinstance(term, Change) else ()
    return [_end(each.variable if isinstance(each, Other) else each, state) for each in terms]


@dataclass(slots=True)
class _Numbers:
    """Variables by the number they have in a shape: in the order of the slots they stand on."""

    state: _State
    found: dict[int, int]

    def plain(self, term: Term) -> int | str:
        end = _end(term, self.state)
        assert not isinstance(end, Change)  # see _unify
        return self.found.setdefault(end, len(self.found)) if isinstance(end, int) else end

    def of(self, term: Term) -> Term:
        end = _end(term, self.state)
        return (
            Change(tuple(map(self.part, end.terms))) if isinstance(end, Change) else self.plain(end)
        )

    def part(self, term: int | str | Other) -> int | str | Other:
        if not isinstance(term, Other):
            return self.plain(term)
        number = self.plain(term.variable)
        if isinstance(number, int):
            return replace(term, variable=number)
        return [value for value in term.domain if value != number][term.place]


def _finished(template: str, piece: _Piece, scope: _Scope, state: _State) -> Shape:
    """A shape with its variables and rows numbered in the order of the slots they stand on."""
    numbers = _Numbers(state, {})
    rows: dict[int, int] = {}
    slots = []
    n_conditions = 1
    for slot in piece.slots:
        terms = tuple((feature, numbers.of(term)) for feature, term in slot.terms)
        row = None if slot.row is None else rows.setdefault(slot.row, len(rows))
        slots.append(replace(slot, terms=terms, row=row))
        for _, term in terms:
            if isinstance(term, Change):
                n_conditions = max(n_conditions, len(term.terms))
    letters = []
    for name, term in scope.items():
        end = _end(term, state)  # a letter in an alternative that was not taken has no number
        if not name.startswith("#") and (not isinstance(end, int) or end in numbers.found):
            letters.append((name, numbers.of(end)))
    variables = tuple(state[number][0] for number in numbers.found)
    return Shape(template, tuple(slots), variables, tuple(letters), piece.weight, n_conditions)
