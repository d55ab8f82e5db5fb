"""What tells items apart, and the wordings of one item.

A design may average over letters and word lists (`average`) and over the order of two words
(`swap`): derivations that differ in nothing else are wordings of one item. So an item is a
derivation of a smaller shape, the one without the averaged slots in which the averaged variables
have one value, and items are counted, enumerated and drawn as the derivations of that shape are.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from colorless_green.nonce.grammar.expand import admits, counted, fillings, options, row_of
from colorless_green.nonce.grammar.language import (
    Derivation,
    Design,
    Entry,
    Key,
    Shape,
    resolved,
)
from colorless_green.nonce.grammar.notation import Source
from colorless_green.nonce.item import PREFIX, REST, TARGET
from colorless_green.nonce.prediction import Prediction
from colorless_green.nonce.suite import WHOLE

BETWEEN = "between"  # the region of what stands between two that have a name


def regions_of(shape: Shape) -> tuple[str, ...]:
    """The regions its sentences can have: those named in the template, or else the target, which
    is what changes; and what stands before, between and after."""
    named = dict.fromkeys(slot.region for slot in shape.slots if slot.region)
    return (PREFIX, *(named or (TARGET,)), BETWEEN, REST)


def applies(prediction: Prediction, shape: Shape, conditions: Sequence[str]) -> bool:
    """Whether the items of a shape have all that a prediction speaks of."""
    regions = {WHOLE, *regions_of(shape)} - {BETWEEN}
    return all(one in conditions and region in regions for one, region in prediction.cells())


@dataclass(frozen=True, slots=True)
class Frame:
    """A shape in two parts: what tells items apart, and what the wordings of an item differ in."""

    shape: Shape
    outer: Shape  # its derivations are the items
    slots: tuple[int, ...]  # the place in `shape` of each slot of `outer`
    inner: Shape  # the averaged slots
    averaged: frozenset[int]  # variables that have one value in `outer`
    swaps: tuple[tuple[int, int], ...]  # slots of `shape`


def frame_of(shape: Shape, design: Design) -> Frame:
    """The frame of a shape; where nothing is averaged, `outer` is the shape itself."""
    names = [slot.words.name for slot in shape.slots]
    swaps = tuple(
        (names.index(one), names.index(other))
        for one, other in design.swap
        if one in names and other in names
    )
    averaged = set()
    for number in range(len(shape.variables)):
        own = [name for name, term in shape.letters if term == (number,)]
        lists = [s.words.name for s in shape.slots if any(t[0] == number for _, t in s.terms)]
        if not design.average.isdisjoint(own) if own else design.average.issuperset(lists):
            averaged.add(number)
    kept = tuple(n for n, name in enumerate(names) if name not in design.average)
    inner = tuple(slot for slot in shape.slots if slot.words.name in design.average)
    outer = shape
    if inner or averaged:
        domains = enumerate(shape.domains)
        pinned = tuple(each[:1] if n in averaged else each for n, each in domains)
        slots = tuple(shape.slots[n] for n in kept)
        outer = counted(replace(shape, slots=slots, domains=pinned))
    return Frame(shape, outer, kept, replace(shape, slots=inner), frozenset(averaged), swaps)


def wordings(frame: Frame, item: Derivation) -> Iterator[Derivation]:
    """The wordings of an item: the averaged letters slowest, then the averaged words, then the
    order of the words that are swapped."""
    own = dict(zip(frame.slots, item.entries, strict=True))
    for values in _with_averaged(frame, item.values):
        for within in fillings(frame.inner, values):
            rest = iter(within)
            entries = [own[n] if n in own else next(rest) for n in range(len(frame.shape.slots))]
            for exchanged in product((False, True), repeat=len(frame.swaps)):
                order: list[Entry] = list(entries)
                for (one, other), is_exchanged in zip(frame.swaps, exchanged, strict=True):
                    if is_exchanged:
                        order[one], order[other] = order[other], order[one]
                yield Derivation(item.grammar, frame.shape, values, tuple(order))


def n_wordings(frame: Frame, values: Key) -> int:
    """How many wordings the items with these values have."""
    wholes = _with_averaged(frame, values)
    return sum(1 for whole in wholes for _ in fillings(frame.inner, whole)) << len(frame.swaps)


def _with_averaged(frame: Frame, values: Key) -> Iterator[Key]:
    """The values of an item with every choice of the averaged ones."""
    return product(
        *(
            frame.shape.domains[n] if n in frame.averaged else (value,)
            for n, value in enumerate(values)
        )
    )


def check_wordings(shapes: Sequence[Shape], design: Design, source: Source) -> None:
    """Raises `InputError` for a template in which an item would have no wording, or in which words
    are swapped that do not both stand there once and fit both places."""
    for shape in shapes:
        about, at = f"the template {shape.template!r}", ("sentences", shape.template)
        frame = frame_of(shape, design)
        if frame.outer is not shape and not _all_worded(frame):
            right = "words that go with everything averaged over"
            raise source.error(f"{about} averages over what only some items can have", right, *at)
        for pair in design.swap:
            names = [slot.words.name for slot in shape.slots if slot.words.name in pair]
            if names and sorted(names) != sorted(pair):
                wrong = f"{about} cannot swap {' and '.join(pair)}"
                raise source.error(wrong, "both of them, once each", *at)
        for one, other in frame.swaps:
            if not (_fit(shape, one, other) and _fit(shape, other, one)):
                names = [shape.slots[n].words.name for n in (one, other)]
                wrong = f"{about} swaps {' and '.join(names)}"
                raise source.error(wrong, "words that all fit both places", *at, kind="conflict")


def _all_worded(frame: Frame) -> bool:
    """Whether the words that tell items apart go with all that is averaged over, and the averaged
    words with all that tells items apart."""
    shape = frame.shape
    for index in range(len(shape.slots)):
        if len({n in frame.slots for n in row_of(shape, index)}) > 1:
            return False
    allowed: dict[Key, tuple[tuple[int, ...], ...]] = {}
    for values in product(*shape.domains):
        own = tuple(value for n, value in enumerate(values) if n not in frame.averaged)
        found = tuple(options(shape, n, values) for n in frame.slots)
        if allowed.setdefault(own, found) != found:
            return False
        if all(found) and next(fillings(frame.inner, values), None) is None:
            return False
    return True


def _fit(shape: Shape, here: int, there: int) -> bool:
    """Whether every word that can stand at one place can stand at the other, in every condition."""
    entries, terms = shape.slots[here].words.entries, shape.slots[there].terms
    for values in product(*shape.domains):
        words = [entries[n] for n in options(shape, here, values)]
        for condition in range(shape.n_conditions):
            asked = {feature: resolved(term, values, condition) for feature, term in terms}
            if any(not asked.keys() >= set(e.varies) or not admits(e, asked) for e in words):
                return False
    return True
