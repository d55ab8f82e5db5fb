"""What must be true of rules before they are multiplied out, and of shapes after.

A pair whose members are equal tests nothing, so that every condition must show on a word whose
forms are all different there (no syncretism), and every word must have the forms it is marked for.
"""

from collections.abc import Iterator, Mapping
from itertools import chain, product
from typing import TypeAlias

from ...data.errors import ErrorKind, InputError
from ...data.registry import nearest
from ._notation import Alternative, Argument, TomlSource, walk
from ._shapes import SymbolTable
from .expand import admits
from .grammar import LexicalEntry, OtherValue, Shape, Slot, Term, resolved

Fault: TypeAlias = tuple[str, str, ErrorKind]
"""What is wrong, what would be right, and the sort of mistake."""


def check_rules(
    written: Mapping[str, tuple[Alternative, ...]],
    section: str,
    rules: SymbolTable,
    source: TomlSource,
) -> None:
    """Every name stands for something, and every alternative has one head."""
    for name, alternatives in written.items():
        for alternative in (inner for outer in alternatives for inner in walk(outer)):
            for wrong, right, kind in _faults(alternative, rules):
                raise source.error(f"{name}: {wrong}", right, section, name, kind=kind)


def _faults(alternative: Alternative, rules: SymbolTable) -> Iterator[Fault]:
    heads = [item for item in alternative.items if not item.relation]
    if alternative.items and len(heads) != 1:
        right = "exactly one, the head; the others say how they hang on it"
        yield f"{len(heads)} items of one alternative have no relation", right, "format"
    if heads and any(not inner.items for inner in heads[0].group):
        yield "the head can be absent", "a head that is always there", "format"
    if not alternative.items and alternative.passed:
        yield "an empty alternative has values", "none, or words with them", "format"
    yield from _faults_of_arguments(alternative.passed, rules)
    if any(argument.flips or argument.changed for argument in alternative.passed):
        right = "values that are the same in all conditions; mark the words"
        yield "a phrase passes on what changes", right, "format"
    for item in alternative.items:
        words = rules.lists.get(item.name)
        if item.name and not words and item.name not in rules.phrases:
            right = nearest(item.name, [*rules.lists, *rules.phrases])
            yield f"no word list or phrase {item.name!r}", right, "unknown"
        if item.row and not words:
            yield f"the phrase {item.name!r} stands in a row", "word lists in rows", "format"
        yield from _faults_of_arguments(item.arguments, rules)
        for argument in item.arguments if words else ():
            feature = rules.feature_of(argument.name)
            if words and not any(feature in (*e.varies, *e.only) for e in words.entries):
                wrong = f"no word of {item.name!r} has to do with {feature} ({argument.name!r})"
                yield wrong, f"{item.name} without {argument.name}", "format"


def _faults_of_arguments(arguments: tuple[Argument, ...], rules: SymbolTable) -> Iterator[Fault]:
    """Each is of another feature; what stands after a stroke is of the same one, and `-` needs one
    of two values."""
    seen: dict[str, str] = {}
    for argument in arguments:
        feature = rules.feature_of(argument.name)
        if feature is None:
            right = nearest(argument.name, [*rules.indices, *rules.features.owner])
            yield f"no index or value {argument.name!r}", right, "unknown"
            return
        if feature in seen:
            wrong = f"{seen[feature]!r} and {argument.name!r} are both of {feature}"
            yield wrong, "one of them", "conflict"
        seen[feature] = argument.name
        domain = rules.features.values[feature]
        for written in argument.changed:
            bare = written.removeprefix("-")
            if rules.feature_of(bare) != feature:
                indices = [index for index, owner in rules.indices.items() if owner == feature]
                right = nearest(bare, [*indices, *domain])
                yield f"{bare!r} is no index or value of {feature}", right, "unknown"
            if bare != written and len(domain) != 2:
                wrong = f"{written!r}, but {feature} has {len(domain)} values"
                yield wrong, "- for features of two values", "format"


def check_levels(rules: SymbolTable, source: TomlSource) -> None:
    """No phrase holds itself: a grammar has finitely many sentences."""
    inside = {
        name: [
            item.name
            for outer in alternatives
            for inner in walk(outer)
            for item in inner.items
            if item.name in rules.phrases
        ]
        for name, alternatives in rules.phrases.items()
    }
    for name in rules.phrases:
        paths = [[name, phrase] for phrase in inside[name]]
        seen: set[str] = set()
        while paths:
            path = paths.pop()
            if path[-1] == name:
                wrong = f"the phrase {name!r} holds itself ({' → '.join(path)})"
                raise source.error(wrong, "a phrase for each level", "phrases", name)
            if path[-1] not in seen:
                seen.add(path[-1])
                paths += [[*path, phrase] for phrase in inside[path[-1]]]


def check_shape(shape: Shape, rules: SymbolTable, location: str) -> None:
    """Raises `InputError` for a shape whose sentences would be no test.

    Every value is fixed by a word: one on which no word depends would count, and yield, the same
    sentence once for each. The lists of a row are of one length, and what must not repeat stands in
    it alone. Words that change with the condition are marked alike, have every form they are marked
    for, and show each condition.
    """
    for wrong, right, kind in chain(_faults_of_words(shape), _faults_of_marks(shape, rules)):
        raise InputError(location, f"the template {shape.template!r} {wrong}", right, kind=kind)


def _faults_of_words(shape: Shape) -> Iterator[Fault]:
    for number, feature in enumerate(shape.variables):
        tied = [s for s in shape.slots if any(f == feature and t[0] == number for f, t in s.terms)]
        if not any(_always_shows(slot, feature) for slot in tied):
            names = ", ".join(slot.words.name for slot in tied)
            wrong = f"leaves {feature} open on {names}: no word there always shows it"
            yield wrong, "a value, or an index shared with a word that shows it", "format"
    for slot in shape.slots:
        row = [peer for peer in shape.slots if peer.row is not None and peer.row == slot.row]
        lengths = {member.words.name: len(member.words.entries) for member in row}
        if len(set(lengths.values())) > 1:
            sizes = ", ".join(f"{name} {n}" for name, n in lengths.items())
            wrong = f"has a row of lists of different lengths ({sizes})"
            yield wrong, "lists of one length", "format"
        elsewhere = [peer for peer in shape.slots if peer not in row and peer.words is slot.words]
        if row and elsewhere and not slot.words.repeat:
            wrong = f"has {slot.words.name!r} in a row and elsewhere"
            yield wrong, "repeat = true, or a list of its own", "format"


def _always_shows(slot: Slot, feature: str) -> bool:
    """Whether every word that can fill a slot goes with exactly one value of a feature."""
    fixed = {name: term[0] for name, term in slot.terms if isinstance(term[0], str)}
    return all(
        feature in entry.varies or len(entry.only.get(feature, ())) == 1
        for entry in slot.words.entries
        if all(value in entry.only.get(name, (value,)) for name, value in fixed.items())
    )


def _faults_of_marks(shape: Shape, rules: SymbolTable) -> Iterator[Fault]:
    marked = [(s, feature, term) for s in shape.slots for feature, term in s.terms if len(term) > 1]
    if len({(feature, term[0]) for _, feature, term in marked}) > 1:
        right = "one index: the marked words flip together"
        yield "marks words of different indices with !", right, "conflict"
    if len({len(term) for _, _, term in marked}) > 1:
        right = "as many values in all its marks"
        yield "marks words for different numbers of conditions", right, "conflict"
    unchanged = []
    for slot, feature, term in marked:
        examples, lacking = _unchanged_words(slot, feature, term, rules.features.values[feature])
        unchanged.append(examples)
        if lacking:
            right = f"words that have a form for every value of {feature}"
            yield f"marks {lacking!r} with !", right, "format"
    for number in range(1, shape.n_conditions):
        if all(number in words for words in unchanged):
            wrong = f"has {unchanged[-1][number]!r} in its conditions 1 and {number + 1} alike"
            yield wrong, "a marked word that always looks different there", "conflict"


def _unchanged_words(
    slot: Slot, feature: str, term: Term, domain: tuple[str, ...]
) -> tuple[dict[int, str], str]:
    """Condition → a word of a marked slot that can look there as it does in the first one; and a
    word that lacks a form, or ""."""
    examples: dict[int, str] = {}
    constant = ((name, term[0]) for name, term in slot.terms if len(term) == 1)
    fixed = {name: value for name, value in constant if isinstance(value, str)}
    for entry in slot.words.entries:
        if any(value not in entry.only.get(name, (value,)) for name, value in fixed.items()):
            continue
        keys = [dict(zip(entry.varies, key, strict=True)) for key in entry.forms]
        only = {name: allowed[0] for name, allowed in entry.only.items()}
        for base, *changes in _values(term, domain):
            if base not in entry.only.get(feature, (base,)):
                continue
            fitting = [
                key
                for key in keys
                if key.get(feature, base) == base
                and all(fixed.get(name, value) == value for name, value in key.items())
            ]
            if not all(
                admits(entry, only | k | {feature: value}) for k in fitting for value in changes
            ):
                return examples, entry.lemma
            for number, changed in enumerate(changes, start=1):
                if (
                    base == changed
                    or feature not in entry.varies
                    or any(
                        _words(entry, key) == _words(entry, key | {feature: changed})
                        for key in fitting
                    )
                ):
                    examples.setdefault(number, entry.lemma)
    return examples, ""


def _words(entry: LexicalEntry, key: Mapping[str, str]) -> tuple[str, ...]:
    return entry.forms[tuple(key[feature] for feature in entry.varies)].words


def _values(term: Term, domain: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The values a term can have in its conditions, for each choice of its variables."""
    parts = (part.variable if isinstance(part, OtherValue) else part for part in term)
    variables = sorted({part for part in parts if isinstance(part, int)})
    values = [""] * (max(variables, default=-1) + 1)
    for chosen in product(domain, repeat=len(variables)):
        for variable, value in zip(variables, chosen, strict=True):
            values[variable] = value
        yield tuple(resolved(term, tuple(values), n) for n in range(len(term)))
