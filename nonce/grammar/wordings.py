"""What tells items apart, and the wordings of one item.

A design may average over letters and word lists (`average`) and over the order of two words
(`swap`): derivations that differ in nothing else are wordings of one item. So an item is a
derivation of a smaller shape, the one without the averaged slots and variables, and items are
counted, enumerated and drawn as the derivations of that shape are.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from colorless_green.data.errors import InputError
from colorless_green.nonce.grammar.count import admits, counted, options, row_of
from colorless_green.nonce.grammar.expand import fillings
from colorless_green.nonce.grammar.language import (
    Change,
    Derivation,
    Design,
    Entry,
    Grammar,
    Key,
    Other,
    Shape,
    Slot,
    Term,
    base,
    resolved,
)
from colorless_green.nonce.grammar.places import Source, place

Domains = Mapping[str, tuple[str, ...]]
"""Feature → values."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A shape in two parts: what tells items apart, and what the wordings of an item differ in."""

    shape: Shape
    outer: Shape  # its derivations are the items
    slots: tuple[int, ...]  # the place in `shape` of each slot of `outer`
    variables: tuple[int, ...]  # likewise of each variable
    inner: Shape  # the averaged slots, with the variables of `shape`
    averaged: tuple[int, ...]  # variables of `shape` that are not in `outer`
    swaps: tuple[tuple[int, int], ...]  # slots of `shape`


def frame_of(shape: Shape, design: Design, features: Domains) -> Frame:
    """The frame of a shape; where nothing is averaged, `outer` is the shape itself."""
    swaps = tuple(each for pair in design.swap if (each := _slots_of(shape, pair)))
    within = [slot.words.name in design.average for slot in shape.slots]
    averaged = tuple(
        number for number in range(len(shape.variables)) if _is_averaged(shape, number, design)
    )
    inner = replace(
        shape, slots=tuple(slot for slot, own in zip(shape.slots, within, strict=True) if own)
    )
    kept = tuple(n for n, own in enumerate(within) if not own)
    variables = tuple(n for n in range(len(shape.variables)) if n not in averaged)
    if len(kept) == len(shape.slots) and not averaged:
        return Frame(shape, shape, kept, variables, inner, averaged, swaps)
    names: dict[int, int | str] = {number: n for n, number in enumerate(variables)}
    names |= {number: features[shape.variables[number]][0] for number in averaged}
    outer = Shape(
        shape.template,
        tuple(_renamed(shape.slots[n], names) for n in kept),
        tuple(shape.variables[n] for n in variables),
        (),
        shape.weight,
        shape.n_conditions,
        shape.number,
    )
    return Frame(shape, counted(outer, features), kept, variables, inner, averaged, swaps)


def wordings(frame: Frame, item: Derivation, features: Domains) -> Iterator[Derivation]:
    """The wordings of an item: the averaged letters slowest, then the averaged words, then the
    order of the words that are swapped."""
    for values in _with_averaged(frame, item.values, features):
        for within in fillings(frame.inner, values):
            entries = _joined(frame, item.entries, within)
            for order in _orders(entries, frame.swaps):
                yield Derivation(item.grammar, frame.shape, values, order)


def n_wordings(frame: Frame, values: Key, features: Domains) -> int:
    """How many wordings the items with these values of the outer variables have."""
    found = sum(
        1 for whole in _with_averaged(frame, values, features) for _ in fillings(frame.inner, whole)
    )
    return found << len(frame.swaps)


def _with_averaged(frame: Frame, outer: Key, features: Domains) -> Iterator[Key]:
    """The values of all variables of the shape, for every choice of the averaged ones."""
    values = [features[feature][0] for feature in frame.shape.variables]
    for number, value in zip(frame.variables, outer, strict=True):
        values[number] = value
    for chosen in product(*(features[frame.shape.variables[n]] for n in frame.averaged)):
        for number, value in zip(frame.averaged, chosen, strict=True):
            values[number] = value
        yield tuple(values)


def items_of(grammar: Grammar, frames: Sequence[Frame]) -> Grammar:
    """The grammar whose derivations are the items; its shapes have the numbers of the frames."""
    return replace(grammar, shapes=tuple(frame.outer for frame in frames))


def check_wordings(
    shapes: Sequence[Shape], design: Design, features: Domains, source: Source
) -> None:
    """Raises `InputError` for a template in which an item would have no wording, or in which words
    are swapped that do not both stand there once and fit both places."""
    for shape in shapes:
        at = place(source, "sentences", shape.template)
        frame = frame_of(shape, design, features)
        if frame.outer is not shape and not _all_worded(frame, features):
            wrong = f"the template {shape.template!r} averages over what only some items can have"
            raise InputError(
                at, wrong, "words that go with everything averaged over", kind="format"
            )
        for pair in design.swap:
            names = [slot.words.name for slot in shape.slots if slot.words.name in pair]
            if names and sorted(names) != sorted(pair):
                wrong = f"the template {shape.template!r} cannot swap {' and '.join(pair)}"
                raise InputError(at, wrong, "both of them, once each", kind="format")
        for one, other in frame.swaps:
            if not _exchangeable(shape, one, other, features):
                names = [shape.slots[n].words.name for n in (one, other)]
                wrong = f"the template {shape.template!r} swaps {' and '.join(names)}"
                raise InputError(at, wrong, "words that all fit both places", kind="conflict")


def _slots_of(shape: Shape, names: tuple[str, str]) -> tuple[int, int] | None:
    places = [n for name in names for n, slot in enumerate(shape.slots) if slot.words.name == name]
    return (places[0], places[1]) if len(places) == 2 else None


def _is_averaged(shape: Shape, number: int, design: Design) -> bool:
    """Whether a variable is an averaged letter, or none and stands on averaged words alone."""
    letters = [name for name, term in shape.letters if term == number]
    if letters:
        return any(name in design.average for name in letters)
    lists = [
        slot.words.name
        for slot in shape.slots
        if any(base(term) == number for _, term in slot.terms)
    ]
    return all(name in design.average for name in lists)


def _renamed(slot: Slot, names: Mapping[int, int | str]) -> Slot:
    """A slot with its variables under other numbers, or fixed, and without its place in a tree."""
    terms = tuple((feature, _renamed_term(term, names)) for feature, term in slot.terms)
    return replace(slot, terms=terms, head=None)


def _renamed_term(term: Term, names: Mapping[int, int | str]) -> Term:
    if isinstance(term, Change):
        return Change(tuple(_renamed_part(each, names) for each in term.terms))
    return names[term] if isinstance(term, int) else term


def _renamed_part(part: int | str | Other, names: Mapping[int, int | str]) -> int | str | Other:
    if isinstance(part, str):
        return part
    if isinstance(part, int):
        return names[part]
    name = names[part.variable]
    if isinstance(name, int):
        return replace(part, variable=name)
    return [value for value in part.domain if value != name][part.place]


def _joined(frame: Frame, outer: tuple[Entry, ...], inner: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """The entries of all slots, in the order of the shape."""
    if not inner:
        return outer
    found = dict(zip(frame.slots, outer, strict=True))
    rest = iter(inner)
    return tuple(found[n] if n in found else next(rest) for n in range(len(frame.shape.slots)))


def _orders(
    entries: tuple[Entry, ...], swaps: Sequence[tuple[int, int]]
) -> Iterator[tuple[Entry, ...]]:
    """The entries as they are, and with each pair of places exchanged or not, the last fastest."""
    if not swaps:
        yield entries
        return
    (one, other), *rest = swaps
    exchanged = list(entries)
    exchanged[one], exchanged[other] = entries[other], entries[one]
    yield from _orders(entries, rest)
    yield from _orders(tuple(exchanged), rest)


def _assignments(shape: Shape, features: Domains) -> Iterator[Key]:
    return product(*(features[feature] for feature in shape.variables))


def _all_worded(frame: Frame, features: Domains) -> bool:
    """Whether the words that tell items apart go with all that is averaged over, and the averaged
    words with all that tells items apart."""
    shape = frame.shape
    for index in range(len(shape.slots)):
        row = [n in frame.slots for n in row_of(shape, index)]
        if any(row) and not all(row):
            return False
    allowed: dict[Key, tuple[tuple[int, ...], ...]] = {}
    for values in _assignments(shape, features):
        own = tuple(values[n] for n in frame.variables)
        found = tuple(options(shape, n, values) for n in frame.slots)
        if allowed.setdefault(own, found) != found:
            return False
        if all(found) and next(fillings(frame.inner, values), None) is None:
            return False
    return True


def _exchangeable(shape: Shape, one: int, other: int, features: Domains) -> bool:
    """Whether every word that can stand at one of two places can stand at the other, in every
    condition."""
    for values in _assignments(shape, features):
        for here, there in ((one, other), (other, one)):
            entries = shape.slots[here].words.entries
            for condition in range(shape.n_conditions):
                asked = {
                    feature: resolved(term, values, condition)
                    for feature, term in shape.slots[there].terms
                }
                for n in options(shape, here, values):
                    if not asked.keys() >= set(entries[n].varies) or not admits(entries[n], asked):
                        return False
    return True
