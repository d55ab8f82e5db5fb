"""A grammar file to a checked grammar. Every mistake in it is an error with file and line."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ...data.errors import InputError
from ...data.files import read_text
from ...data.formats.pair_formats import FULL
from ...data.items.item import RIGHT, WRONG
from ...data.items.prediction import WHOLE, parse_prediction
from ...data.items.suite import AGREEMENT
from ...data.registry import nearest
from ._checks import Fault, check_size, faults_of_shape, faults_of_size
from ._file import GrammarFile, GrammarSource, Sandhi, Sound, SuiteTable, read_file
from ._lexicon import Features, read_paradigms, read_words
from ._notation import Alternative, RuleNames, parse_rule
from ._shapes import Expansion
from .expand import arranged, counted
from .grammar import Design, Grammar, Shape
from .items import applies, faults_of_wordings, regions_of


def load_grammar(path: Path) -> Grammar:
    """Read a template grammar from a file (`docs/suites.md` describes the language).

    Args:
        path: of a TOML file.

    Returns:
        The grammar, checked.

    Raises:
        InputError: as `parse_grammar`, and where the file cannot be read.

    >>> from colorless_green.nonce import template_text
    >>> _ = Path("mine.toml").write_text(template_text("reflexives"), encoding="utf-8")
    >>> load_grammar(Path("mine.toml")).name
    'reflexives'
    """
    return parse_grammar(read_text(path), str(path))


def parse_grammar(text: str, path: str) -> Grammar:
    """Read a template grammar from its text (`docs/suites.md` describes the language).

    Args:
        text: TOML.
        path: names the file in messages.

    Returns:
        The grammar, checked.

    Raises:
        InputError: with the line: what is no TOML, an unknown or missing key, a rule that cannot be
            read, a name that is unknown, a phrase inside itself, a letter that no word fixes, a
            template without a sentence or with too many; and a section [suite] that does not fit
            the templates.

    >>> from colorless_green.nonce import template_text
    >>> parse_grammar(template_text("reflexives"), "reflexives.toml").language
    'en'
    """
    source = GrammarSource(path, text)
    file = read_file(source)
    names = _names(file, source)
    macros = _parsed("macros", file.macros, names, source)
    phrases = _parsed("phrases", file.phrases, names, source)
    templates = _parsed("sentences", file.sentences, names, source)
    check_size(macros, phrases, templates, source)
    written = (*macros.values(), *phrases.values(), *templates.values())
    expansion = Expansion(names, phrases, macros)
    shapes: list[Shape] = []
    for name, alternatives in templates.items():
        shapes += _shapes(name, alternatives, expansion, source)
    shapes = [replace(shape, number=number) for number, shape in enumerate(shapes)]
    return Grammar(
        name=file.name,
        language=file.language,
        licence=file.licence,
        location=path,
        features=names.features.values,
        capital=file.capital,
        stop=file.stop,
        sandhi=_sandhi(file, source),
        contractions={
            (first, second): joined
            for pair, joined in file.contractions.items()
            for first, second in [pair.split()]
        },
        shapes=tuple(shapes),
        weighted=any(rule.is_weighted for rules in written for rule in rules),
        design=None if file.suite is None else _design(file.suite, shapes, names, source),
    )


def _parsed(
    section: str, table: Mapping[str, Sequence[str]], names: RuleNames, source: GrammarSource
) -> dict[str, tuple[Alternative, ...]]:
    """Return the parsed rules of each name in a section."""
    result = {}
    for name, rules in table.items():
        quotes = [rule.strip().partition("\n")[0] for rule in rules]
        result[name] = tuple(
            parse_rule(" ".join(rule.split()), names, source.location(section, name, quote=quote))
            for rule, quote in zip(rules, quotes, strict=True)
        )
    return result


def _names(file: GrammarFile, source: GrammarSource) -> RuleNames:
    """Return everything a name in a rule can be, each name for one thing."""
    values: dict[str, tuple[str, ...]] = {}
    owner: dict[str, str] = {}
    for section, table in (("features", file.features), ("selection", file.selection)):
        for name, members in table.items():
            for value in members:
                if value in owner:
                    wrong = f"the value {value!r} belongs to {owner[value]} already"
                    right = "take another name: a value says which feature it is of"
                    raise source.error(wrong, right, section, name, kind="conflict")
                owner[value] = name
            values[name] = tuple(members)
    features = Features(values, owner, frozenset(file.selection))
    paradigms = read_paradigms(file.paradigms, features, source)
    lists = {
        name: read_words(name, words, features, paradigms, source)
        for name, words in file.lexicon.items()
    }
    for name, feature in file.indices.items():
        if feature not in values:
            wrong, right = f"no such feature {feature!r}", nearest(feature, values)
            raise source.error(wrong, right, "indices", name, kind="unknown")
    used = dict.fromkeys(owner, "value")
    for sort, section, names in (
        ("letter", "indices", file.indices), ("word list", "lexicon", file.lexicon),
        ("phrase", "phrases", file.phrases), ("macro", "macros", file.macros),
    ):  # fmt: skip
        if sort == "word list":  # letters and values are asked of words, the others are words
            used = {}
        for name in names:
            if name in used:
                wrong = f"{name!r} is a {used[name]} too"
                raise source.error(wrong, "take another name", section, name, kind="conflict")
            used[name] = sort
    return RuleNames(features, file.indices, lists, {*file.phrases, *file.macros})


def _shapes(
    template: str, alternatives: Sequence[Alternative], expansion: Expansion, source: GrammarSource
) -> list[Shape]:
    """Return all shapes of a template with a derivation. An alternative's weight is shared out
    among its shapes."""
    location = source.location("sentences", template)

    def refuse(faults: Iterable[Fault]) -> None:
        for wrong, right, kind in faults:
            raise InputError(location, f"the template {template!r} {wrong}", right, kind=kind)

    result: list[Shape] = []
    for alternative in alternatives:
        shapes = []
        for shape in map(arranged, expansion.shapes(template, alternative)):
            refuse(faults_of_size(shape))
            shape = counted(shape)
            if shape.n:
                refuse(faults_of_shape(shape))
                shapes.append(shape)
        share = 1.0 if alternative.weight is None else alternative.weight
        total = sum(shape.weight for shape in shapes)
        result += [replace(shape, weight=share * shape.weight / total) for shape in shapes]
    if not result:
        refuse([("has no sentence", "write words and phrases whose features can meet", "format")])
    return result


def _sandhi(file: GrammarFile, source: GrammarSource) -> dict[str, list[tuple[Sandhi, Sound]]]:
    """Return the rules of `[[sandhi]]` by the forms that they change."""
    result: dict[str, list[tuple[Sandhi, Sound]]] = {}
    for number, rule in enumerate(file.sandhi):
        if rule.before not in file.sounds:
            wrong, right = f"no such sound {rule.before!r}", nearest(rule.before, file.sounds)
            raise source.error(wrong, right, "sandhi", number, "before", kind="unknown")
        for form in rule.form.split():
            result.setdefault(form, []).append((rule, file.sounds[rule.before]))
    return result


def _design(
    suite: SuiteTable, shapes: Sequence[Shape], names: RuleNames, source: GrammarSource
) -> Design:
    """Return what the section `[suite]` says.

    Every key can be left out; then a template's items are pairs of the conditions `right` and
    `wrong`, one sentence each, and it is predicted of them what is predicted of every mined pair,
    and of the whole sentence.
    """
    default = tuple(suite.conditions) or (RIGHT, WRONG)
    templates = dict.fromkeys(shape.template for shape in shapes)
    known = (*names.indices, *names.lists)
    for key, used, candidates in (
        ("constructions", suite.constructions, tuple(templates)),
        ("facts", suite.facts, known),
        ("average", suite.average, known),
        ("swap", [name for pair in suite.swap for name in pair], known),
    ):
        for name in used:
            if name not in candidates:
                wrong, right = f"unknown name {name!r}", nearest(name, candidates)
                raise source.error(wrong, right, "suite", key, kind="unknown", quote=name)
    sections = suite.constructions
    formulas = suite.predictions or {usual.name: usual.source for usual in (AGREEMENT, FULL)}
    design = Design(
        conditions={
            name: tuple(sections[name].conditions) or default if name in sections else default
            for name in templates
        },
        facts={
            name: (sections[name].model_extra or {}) if name in sections else {}
            for name in templates
        },
        letters=suite.facts or {name: name for shape in shapes for name in shape.letters},
        average=frozenset(suite.average),
        swap=tuple((name, partner) for name, partner in suite.swap),
        predictions=tuple(
            parse_prediction(formula, name, source.location("suite", "predictions", quote=name))
            for name, formula in formulas.items()
        ),
    )
    _check_design(design, shapes, source)
    return design


def _check_design(design: Design, shapes: Sequence[Shape], source: GrammarSource) -> None:
    """Check that every template has the conditions and wordings that the suite speaks of, and that
    every prediction is about one of them."""
    for prediction in design.predictions:
        if not any(applies(prediction, s, design.conditions[s.template]) for s in shapes):
            conditions = dict.fromkeys(n for s in shapes for n in design.conditions[s.template])
            regions = dict.fromkeys(name for shape in shapes for name in regions_of(shape))
            right = f"conditions {', '.join(conditions)} and regions {', '.join((*regions, WHOLE))}"
            raise source.error(
                f"no template has what the prediction {prediction.name!r} is about",
                f"use {right}", "suite", "predictions", kind="unknown", quote=prediction.name,
            )  # fmt: skip
    for shape in shapes:
        for wrong, right, kind in _faults_of_design(shape, design):
            wrong = f"the template {shape.template!r} {wrong}"
            raise source.error(wrong, right, "sentences", shape.template, kind=kind)


def _faults_of_design(shape: Shape, design: Design) -> Iterator[Fault]:
    labels, n = design.conditions[shape.template], shape.n_conditions
    if len(labels) != n:
        marks = f"has marks for {n} conditions" if n > 1 else "marks nothing"
        wrong = f"{marks}, and {len(labels)} are named ({', '.join(labels)})"
        yield wrong, "write a mark for each condition", "format"
    if n == 1 and not any(slot.region for slot in shape.slots):
        wrong = "has no target: no mark, and no region"
        yield wrong, "name a region, as in Verb{target}", "format"
    if not any(applies(prediction, shape, labels) for prediction in design.predictions):
        right = f"write [suite.predictions] of {', '.join(labels)}"
        yield "has no prediction", right, "missing"
    yield from faults_of_wordings(shape, design)
