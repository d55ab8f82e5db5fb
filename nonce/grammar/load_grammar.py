"""A grammar file to a checked grammar. Every mistake in it is an error with file and line."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import TypeAlias

from ...data.errors import ErrorKind, InputError
from ...data.files import read_text
from ...data.formats.pair_formats import FULL
from ...data.items.prediction import WHOLE, Prediction, parse_prediction
from ...data.items.suite import AGREEMENT
from ...data.registry import nearest
from .grammar import Grammar, Shape
from .grammar_file import GrammarSource, SuiteTable
from .items import about, applies, faults_of_wordings
from .notation import Rules
from .templates import GRAMMARS, template_text
from .word_lists import Lexicon

MAX_ASSIGNMENTS = 100_000  # of values to the letters of a template
Fault: TypeAlias = tuple[str, str, ErrorKind]
"""What is wrong, what to do, and the sort of mistake"""


def load_grammar(grammar: str | Path, *, only: Sequence[str] = ()) -> Grammar:
    """Read a template grammar (`docs/suites.md` describes the language).

    Args:
        grammar: a TOML file, or the name of a grammar that comes with the tool.
        only: its templates; none for all.

    Returns:
        The grammar, checked.

    Raises:
        InputError: as `parse_grammar`, and for a grammar or template that there is not.

    >>> load_grammar("reflexives").file.language
    'en'
    """
    path, name = Path(grammar), str(grammar)
    if name in GRAMMARS and not path.is_file():
        return parse_grammar(template_text(name), f"{name}.toml", only=only)
    if path.suffix or path.is_file():
        return parse_grammar(read_text(path), name, only=only)
    right = f"{nearest(name, GRAMMARS)}, or a TOML file"
    raise InputError("grammar", f"no grammar {name!r}", right, kind="unknown")


def parse_grammar(text: str, path: str, *, only: Sequence[str] = ()) -> Grammar:
    """Read a template grammar from its text (`docs/suites.md` describes the language).

    Args:
        text: TOML.
        path: names the file in messages.
        only: its templates; none for all.

    Returns:
        The grammar, checked.

    Raises:
        InputError: with the line: what is no TOML, an unknown or missing key, a rule that cannot be
            read, a name that is unknown, a phrase inside itself, a letter that no word fixes, a
            template without a sentence or with too many; and a section [suite] that does not fit
            the templates. Also where a template in `only` is none of it.

    >>> from colorless_green.data import sample
    >>> parse_grammar(sample.grammar("it").read_text("utf-8"), "it.toml").file.language
    'it'
    """
    source = GrammarSource(path, text)
    _check_names(source)
    lexicon = Lexicon(source)
    rules = Rules(lexicon, {name: lexicon.word_list(name) for name in source.file.lexicon})
    shapes = [shape for name in source.file.sentences for shape in _shapes(name, rules, source)]
    suite = source.file.suite
    predictions = () if suite is None else _predictions(suite, shapes, source)
    for name in only:
        if name not in source.file.sentences:
            right = nearest(name, source.file.sentences)
            raise InputError(path, f"no such template {name!r}", right, kind="unknown")
    chosen = [shape for shape in shapes if not only or shape.template in only]
    numbered = tuple(replace(shape, number=number) for number, shape in enumerate(chosen))
    return Grammar(source.file, path, numbered, rules.weighted, predictions)


def _check_names(source: GrammarSource) -> None:
    """Raise `InputError` for a name that is two things, or is of nothing that there is."""
    file = source.file
    features = {**file.features, **file.selection}
    named = [(value, "features" if name in file.features else "selection", name)
             for name, values in features.items() for value in values]  # fmt: skip
    named += [
        (name, section, name)
        for section in ("indices", "lexicon", "phrases", "macros")
        for name in getattr(file, section)
    ]
    used: dict[str, str] = {}
    for name, section, key in named:
        if name in used:
            wrong = f"{name!r} is in [{used[name]}] too"
            raise source.error(wrong, "take another name", section, key, kind="conflict")
        used[name] = section
    words = {**file.indices, **file.lexicon}
    suite = file.suite or SuiteTable()
    swapped = [name for pair in suite.swap for name in pair]
    sandhi = [rule.before for rule in file.sandhi]
    for names, candidates, keys in (
        (file.indices.values(), features, ("indices",)),
        (sandhi, file.sounds, ("sandhi",)),
        (suite.constructions, file.sentences, ("suite", "constructions")),
        (suite.facts, words, ("suite", "facts")),
        (suite.average, words, ("suite", "average")),
        (swapped, words, ("suite", "swap")),
    ):
        for name in names:
            if name not in candidates:
                wrong, right = f"unknown name {name!r}", nearest(name, candidates)
                raise source.error(wrong, right, *keys, kind="unknown", quote=name)


def _shapes(template: str, rules: Rules, source: GrammarSource) -> list[Shape]:
    """Return all shapes of a template with a derivation. An alternative's weight is shared out
    among its shapes."""
    result: list[Shape] = []
    for weight, ways in rules.template(template):
        every = filter(None, (rules.shape(template, way) for way in ways))
        shapes = [shape for shape in every if _demand(shape, _faults(shape), source).n]
        total = sum(shape.weight for shape in shapes)
        result += [replace(shape, weight=weight * shape.weight / total) for shape in shapes]
    if not result:
        wrong = f"the template {template!r} has no sentence"
        right = "write words and phrases whose features can meet"
        raise source.error(wrong, right, "sentences", template)
    return result


def _demand(shape: Shape, faults: Iterator[Fault], source: GrammarSource) -> Shape:
    """Return a shape that has no fault; raise its first fault as an error at its template."""
    for wrong, right, kind in faults:
        wrong = f"the template {shape.template!r} {wrong}"
        raise source.error(wrong, right, "sentences", shape.template, kind=kind)
    return shape


def _faults(shape: Shape) -> Iterator[Fault]:
    """Yield why the derivations of a shape could not be counted; letters that no word fixes (every
    sentence would be there once for each value); and conditions that are alike (a pair whose
    members are equal tests nothing)."""
    if prod(map(len, shape.domains)) > MAX_ASSIGNMENTS:
        wrong = f"has {len(shape.variables)} words or groups of words with values of their own"
        yield wrong, "write it with fewer that are free", "value"
    if len({slot.n_conditions for slot in shape.slots} - {1}) > 1:
        wrong = "marks words for different numbers of conditions"
        yield wrong, "write as many values in each mark", "conflict"
    for number, feature in enumerate(shape.variables):
        tied = [slot.words for slot in shape.slots if number in slot.variables({feature})]
        if shape.n and not any(words.always_show(feature) for words in tied):
            wrong = f"leaves {feature} open: {', '.join(words.name for words in tied)}"
            right = "write a value, or a letter shared with words that all show it"
            yield wrong, right, "format"
    for condition in range(1, shape.n_conditions):
        marked = [n for n, slot in enumerate(shape.slots) if slot.n_conditions > 1]
        alike = [_alike(shape, n, condition) for n in marked]
        if all(alike):
            wrong = f"has {alike[-1]!r} in its conditions 1 and {condition + 1} alike"
            yield wrong, "mark a word that always looks different there", "conflict"


def _alike(shape: Shape, index: int, condition: int) -> str | None:
    """Return a word that can fill a slot and looks in a condition as in the first."""
    slot = shape.slots[index]
    for values in shape.assignments(slot.variables(slot.terms)):
        first, other = slot.values(values), slot.values(values, condition)
        for entry in (slot.words.entries[n] for n in slot.admitted(values)):
            if entry.form(first).words == entry.form(other).words:
                return entry.lemma
    return None


def _predictions(
    suite: SuiteTable, shapes: Sequence[Shape], source: GrammarSource
) -> tuple[Prediction, ...]:
    """Return the predictions of the section `[suite]`: by default what is predicted of every mined
    pair, and of the whole sentence.

    Raises:
        InputError: a template has not the conditions and wordings that the section speaks of, or no
            template what a prediction is about.
    """
    for shape in shapes:
        _demand(shape, _faults_of_items(shape, suite), source)
    formulas = suite.predictions or {usual.name: usual.source for usual in (AGREEMENT, FULL)}
    predictions = tuple(
        parse_prediction(formula, name, source.location("suite", "predictions", quote=name))
        for name, formula in formulas.items()
    )
    there = [about(suite, shape) for shape in shapes]
    for prediction in predictions:
        if not any(applies(prediction, *each) for each in there):
            conditions, regions = (
                ", ".join(dict.fromkeys(name for each in there for name in each[n])) for n in (0, 1)
            )
            wrong = f"no template has what the prediction {prediction.name!r} is about"
            right = f"use conditions {conditions} and regions {regions}, {WHOLE}"
            keys = ("suite", "predictions")
            raise source.error(wrong, right, *keys, kind="unknown", quote=prediction.name)
    for shape, each in zip(shapes, there, strict=True):
        if not any(applies(prediction, *each) for prediction in predictions):
            right = f"write [suite.predictions] of {', '.join(each[0])}"
            fault: Fault = ("has no prediction", right, "missing")
            _demand(shape, iter([fault]), source)
    return predictions


def _faults_of_items(shape: Shape, suite: SuiteTable) -> Iterator[Fault]:
    """Yield why the derivations of a shape could not be items."""
    conditions, n = suite.conditions_of(shape.template), shape.n_conditions
    if len(conditions) != n:
        marks = f"has marks for {n} conditions" if n > 1 else "marks nothing"
        wrong = f"{marks}, and {len(conditions)} are named ({', '.join(conditions)})"
        yield wrong, "write a mark for each condition", "format"
    yield from faults_of_wordings(shape, suite)
