"""What must be true of rules before they are multiplied out, and of shapes after.

A pair whose members are equal tests nothing, so that every condition must show on a word whose
forms are all different there (no syncretism), and every word must have the forms it is marked for.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from math import prod
from typing import TypeAlias

from ...data.errors import ErrorKind
from ._file import GrammarSource
from ._notation import MAX_DEPTH, Alternative
from .expand import admitted, assignments, dependent
from .grammar import Shape, Slot

MAX_WORDS = 1_000_000  # in all ways to write a template, before the words are chosen
MAX_COMBINATIONS = 100_000  # of letters that depend on each other
MAX_RIVALS = 12  # words of one list in a sentence that must differ, where not all fit all slots

Rules: TypeAlias = Mapping[str, Sequence[Alternative]]
Fault: TypeAlias = tuple[str, str, ErrorKind]
"""What is wrong, what to do, and the sort of mistake."""


def check_size(macros: Rules, phrases: Rules, templates: Rules, source: GrammarSource) -> None:
    """Check that no phrase or macro holds itself, and that no template can be written in more ways
    than can be multiplied out.

    Raises:
        InputError: at the phrase, macro or template.
    """
    sections = {"macros": macros, "phrases": phrases, "sentences": templates}
    sizes: dict[str, tuple[int, int]] = {}

    def size(section: str, name: str, above: tuple[str, ...] = ()) -> tuple[int, int]:
        """Return the number of ways to write a phrase, and the words of the longest."""
        if name in above or len(above) > MAX_DEPTH:
            path = " → ".join([*above[above.index(name) if name in above else -2 :], name])
            wrong = f"the phrase {name!r} holds itself" if name in above else "phrases are too deep"
            right = f"write a phrase for each level, {MAX_DEPTH} at most"
            raise source.error(f"{wrong} ({path})", right, section, name)
        if name not in sizes:
            sizes[name] = of_alternatives(sections[section][name], (*above, name))
        return sizes[name]

    def of_alternatives(
        alternatives: Sequence[Alternative], above: tuple[str, ...]
    ) -> tuple[int, int]:
        n_ways, longest = 0, 0
        for alternative in alternatives:
            parts = []
            for item in alternative.items:
                sort = "macros" if item.name in macros else "phrases"
                if item.name in macros or item.name in phrases:
                    parts.append(size(sort, item.name, above))
                else:
                    parts.append(of_alternatives(item.group, above) if item.group else (1, 1))
            n_ways += prod(n for n, _ in parts)
            longest = max(longest, sum(length for _, length in parts))
        return n_ways, longest

    for section in ("macros", "phrases"):
        for name in sections[section]:
            size(section, name)
    for name, alternatives in templates.items():
        n_ways, longest = of_alternatives(alternatives, ())
        if n_ways * longest > MAX_WORDS:
            wrong = f"the template {name!r} can be written in {n_ways:.1g} ways of {longest} words"
            right = "write it with fewer optional parts and alternatives"
            raise source.error(wrong, right, "sentences", name, kind="value")


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
    marked = [(s, name, t) for s in shape.slots for name, t in s.terms.items() if t.changes]
    if len({(name, term.base) for _, name, term in marked}) > 1:
        right = "mark one letter: the marked words change together"
        yield "marks words of different letters", right, "conflict"
        return
    if len({len(term.changes) for _, _, term in marked}) > 1:
        right = "write as many values in all its marks"
        yield "marks words for different numbers of conditions", right, "conflict"
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
