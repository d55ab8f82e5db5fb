"""What must be true of the shapes of a template.

A pair whose members are equal tests nothing, so that every condition must show on a word whose
forms are all different there (no syncretism), and every word must have the forms it is marked for.
"""

from collections.abc import Iterator
from itertools import chain
from math import prod
from typing import TypeAlias

from ...data.errors import ErrorKind
from .expand import admitted, assignments, dependent
from .grammar import Shape, Slot

MAX_COMBINATIONS = 100_000  # of letters that depend on each other
MAX_RIVALS = 12  # words of one list in a sentence that must differ, where not all fit all slots

Fault: TypeAlias = tuple[str, str, ErrorKind]
"""What is wrong, what to do, and the sort of mistake."""


def faults_of_size(shape: Shape) -> Iterator[Fault]:
    """Yield why the derivations of a shape could not be counted in reasonable time."""
    for variables in dependent(shape):
        if prod(len(shape.domains[n]) for n in variables) > MAX_COMBINATIONS:
            wrong = f"ties the values of {len(variables)} letters to each other"
            yield wrong, "write it with fewer words that cannot be used with every value", "value"
    for rivals in shape.rivals:
        words = shape.slots[shape.choices[rivals[0]][0]].words
        if len(rivals) > MAX_RIVALS and words.restricted:
            wrong = f"has {len(rivals)} different words of {words.name!r}"
            yield wrong, f"write {MAX_RIVALS} at most, or repeat = true", "value"


def faults_of_shape(shape: Shape) -> Iterator[Fault]:
    """Yield why the sentences of a counted shape would be no test.

    Every value is fixed by a word: one on which no word depends would count, and yield, the same
    sentence once for each. The lists of a row are of one length. Words that change with the
    condition are marked alike, have every form they are marked for, and show each condition.
    """
    yield from chain(_faults_of_words(shape), _faults_of_marks(shape))


def _faults_of_words(shape: Shape) -> Iterator[Fault]:
    """Yield letters that no word fixes, and rows of lists of different lengths."""
    for number, feature in enumerate(shape.variables):
        tied = [s for s in shape.slots if feature in s.terms and s.terms[feature].base == number]
        if not any(_always_shows(slot, feature) for slot in tied):
            names = ", ".join(slot.words.name for slot in tied)
            wrong = f"leaves {feature} open on {names}: no word there always shows it"
            yield wrong, "write a value, or a letter shared with a word that shows it", "format"
    for choice in shape.choices:
        lengths = {shape.slots[n].words.name: len(shape.slots[n].words.entries) for n in choice}
        if len({*lengths.values()}) > 1:
            sizes = ", ".join(f"{name} {n}" for name, n in lengths.items())
            wrong = f"has a row of lists of different lengths ({sizes})"
            yield wrong, "write lists of one length", "format"


def _always_shows(slot: Slot, feature: str) -> bool:
    """Return whether every word that can fill a slot has exactly one value of a feature."""
    fixed = {name: term.base for name, term in slot.terms.items() if isinstance(term.base, str)}
    return all(
        feature in entry.varies or len(entry.only.get(feature, ())) == 1
        for entry in slot.words.entries
        if all(value in entry.only.get(name, (value,)) for name, value in fixed.items())
    )


def _faults_of_marks(shape: Shape) -> Iterator[Fault]:
    """Yield marks that do not change all marked words together, or do not show."""
    marked = [(s, name, t) for s in shape.slots for name, t in s.terms.items() if t.changes]
    if len({(name, term.base, len(term.changes)) for _, name, term in marked}) > 1:
        right = "mark one letter, with as many values in each mark"
        yield "marks words that do not change together", right, "conflict"
        return
    unchanged = []  # for each marked slot: condition → a word that can look there as in the first
    for slot, feature, _ in marked:
        unchanged.append(dict[int, str]())
        for values in assignments(shape, [slot]):
            for entry in admitted(slot, values):
                first = slot.values(values)
                for number in range(1, shape.n_conditions):
                    other = slot.values(values, number)
                    if not entry.admits(other):
                        wrong = f"marks {entry.lemma!r}, which has no form for {other[feature]}"
                        yield wrong, f"mark words that have all values of {feature}", "format"
                        return
                    if entry.form(first).words == entry.form(other).words:
                        unchanged[-1].setdefault(number, entry.lemma)
    for number in range(1, shape.n_conditions):
        if all(number in words for words in unchanged):
            wrong = f"has {unchanged[-1][number]!r} in its conditions 1 and {number + 1} alike"
            yield wrong, "mark a word that always looks different there", "conflict"
