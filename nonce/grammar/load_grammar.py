"""A grammar file to a checked grammar. Every mistake in it is an error with file and line."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ...data.errors import InputError
from ...data.files import read_text
from ...data.formats.pair_formats import FULL
from ...data.items.item import RIGHT, WRONG
from ...data.items.prediction import WHOLE, parse_prediction
from ...data.items.suite import AGREEMENT
from ...data.registry import nearest
from ._check import check_levels, check_rules, check_shape
from ._file import GrammarFile, SuiteSection, read_file
from ._grammar_lexicon import Features, read_paradigms, read_words
from ._notation import Alternative, TomlSource, parse, walk, with_macros
from ._shapes import SymbolTable, shapes_of
from .expand import with_counts
from .grammar import Design, Grammar, OnsetClass, Sandhi, Shape, Spelling
from .items import applies, check_wordings, regions_of


def load_grammar(path: Path) -> Grammar:
    """Reads a template grammar from a file (`docs/suites.md` describes the language).

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
    """Reads a template grammar from its text (`docs/suites.md` describes the language).

    Args:
        text: TOML.
        path: names the file in messages.

    Returns:
        The grammar, checked.

    Raises:
        InputError: with the line: what is no TOML, an unknown or missing key, a rule that cannot be
            read, a name that stands for nothing, a phrase inside itself, an index that no word
            fixes, a template without a sentence; and a section [suite] that does not fit the
            templates.

    >>> from colorless_green.nonce import template_text
    >>> parse_grammar(template_text("reflexives"), "reflexives.toml").language
    'en'
    """
    source = TomlSource(path, tuple(text.split("\n")))
    file = read_file(source)
    rules = _rules(file, source)
    templates = _alternatives(file.sentences, "sentences", source, rules.macros)
    check_rules(rules.phrases, "phrases", rules, source)
    check_rules(templates, "sentences", rules, source)
    check_levels(rules, source)
    written = [
        alternative
        for alternatives in (*rules.phrases.values(), *templates.values())
        for alternative in alternatives
    ]
    shapes = _shapes(templates, rules, source)
    design = None
    if file.suite is not None:
        design = _design(file.suite, shapes, (*rules.indices, *rules.lists), source)
        check_wordings(shapes, design, source)
    return Grammar(
        name=file.name,
        language=file.language,
        licence=file.licence,
        location=path,
        features=rules.features.values,
        spelling=_spelling(file, source),
        shapes=shapes,
        weighted=any(inner.weight is not None for outer in written for inner in walk(outer)),
        design=design,
    )


def _rules(file: GrammarFile, source: TomlSource) -> SymbolTable:
    """Everything a name in a rule can stand for, each name for one thing."""
    values: dict[str, tuple[str, ...]] = {}
    owner: dict[str, str] = {}
    for section, table in (("features", file.features), ("selection", file.selection)):
        for name, members in table.items():
            for value in members:
                if value in owner:
                    wrong = f"the value {value!r} belongs to {owner[value]} already"
                    right = "another name: a value says which feature it is of"
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
        if name in owner:
            wrong = f"{name!r} is a value too"
            raise source.error(wrong, "another letter", "indices", name, kind="conflict")
    macros: dict[str, tuple[Alternative, ...]] = {}
    for name, written in file.macros.items():  # one may use those before it
        macros |= _alternatives({name: written}, "macros", source, macros)
    phrases = _alternatives(file.phrases, "phrases", source, macros)
    for section, names in (("macros", macros), ("phrases", phrases)):
        for name in names:
            if name in lists or (name in macros and name in phrases):
                wrong = f"{name!r} is a {'word list' if name in lists else 'phrase'} too"
                raise source.error(wrong, "another name", section, name, kind="conflict")
    return SymbolTable(features, file.indices, lists, phrases, macros)


def _alternatives(
    table: Mapping[str, Sequence[str]],
    section: str,
    source: TomlSource,
    macros: Mapping[str, tuple[Alternative, ...]],
) -> dict[str, tuple[Alternative, ...]]:
    """Name → parsed rules."""
    result = {}
    for name, rules in table.items():
        parsed = []
        for rule in rules:
            location = source.location(section, name, quote=rule.strip().partition("\n")[0])
            parsed.append(with_macros(parse(" ".join(rule.split()), location), macros))
        result[name] = tuple(parsed)
    return result


def _shapes(
    templates: Mapping[str, tuple[Alternative, ...]], rules: SymbolTable, source: TomlSource
) -> tuple[Shape, ...]:
    """All shapes with a derivation. An alternative's weight is shared out among its shapes."""
    result: list[Shape] = []
    for name, alternatives in templates.items():
        location = source.location("sentences", name)
        n_before = len(result)
        for alternative in alternatives:
            shapes = [
                shape for shape in map(with_counts, shapes_of(name, alternative, rules)) if shape.n
            ]
            for shape in shapes:
                check_shape(shape, rules, location)
            share = 1.0 if alternative.weight is None else alternative.weight
            total = sum(shape.weight for shape in shapes)
            result += [replace(shape, weight=share * shape.weight / total) for shape in shapes]
        if len(result) == n_before:
            right = "words and phrases whose features can meet"
            raise InputError(
                location, f"the template {name!r} has no sentence", right, kind="format"
            )
    return tuple(replace(shape, number=number) for number, shape in enumerate(result))


def _spelling(file: GrammarFile, source: TomlSource) -> Spelling:
    sounds = {
        name: OnsetClass(
            tuple(entry.starts.lower().split()),
            frozenset(entry.also.lower().split()),
            frozenset(entry.never.lower().split()),
        )
        for name, entry in file.sounds.items()
    }
    sandhi: dict[str, list[Sandhi]] = {}
    for number, rule in enumerate(file.sandhi):
        if rule.before not in sounds:
            wrong, right = f"no such sound {rule.before!r}", nearest(rule.before, sounds)
            raise source.error(wrong, right, "sandhi", number=number, kind="unknown")
        onset, drops = sounds[rule.before], frozenset(rule.drops.split())
        for form in rule.form.split():
            changed = Sandhi(onset, rule.becomes, rule.upos, drops, rule.glue)
            sandhi.setdefault(form, []).append(changed)
    contractions = {}
    for pair, joined in file.contractions.items():
        first, second = pair.split()
        contractions[first, second] = joined
    return Spelling(file.capital, file.stop, sandhi, contractions)


def _check_names(used: Iterable[str], names: Sequence[str], source: TomlSource, key: str) -> None:
    """Raises `InputError` for a name under a key of `[suite]` that is not one of these."""
    for name in used:
        if name not in names:
            wrong, right = f"unknown name {name!r}", nearest(name, names)
            raise source.error(wrong, right, "suite", key, kind="unknown", quote=name)


def _design(
    suite: SuiteSection, shapes: Sequence[Shape], names: Sequence[str], source: TomlSource
) -> Design:
    """The section `[suite]`; `names` are the grammar's letters and word lists.

    Every key can be left out; then a template's items are pairs of the conditions `right` and
    `wrong`, one sentence each, and it is predicted of them what is predicted of every mined pair,
    and of the whole sentence.
    """
    default = tuple(suite.conditions) or (RIGHT, WRONG)
    conditions = {shape.template: default for shape in shapes}
    facts: dict[str, Mapping[str, str]] = {name: {} for name in conditions}
    _check_names(suite.constructions, tuple(conditions), source, "constructions")
    for name, section in suite.constructions.items():
        conditions[name] = tuple(section.conditions) or conditions[name]
        facts[name] = section.model_extra or {}
    _check_names(suite.facts, names, source, "facts")
    _check_names(suite.average, names, source, "average")
    _check_names((name for pair in suite.swap for name in pair), names, source, "swap")
    for shape in shapes:
        labels = conditions[shape.template]
        n = shape.n_conditions
        if len(labels) != n:
            marked = f"is marked for {n} conditions" if n > 1 else "marks nothing"
            wrong = f"the template {shape.template!r} {marked}, and {len(labels)} are named"
            raise source.error(
                f"{wrong} ({', '.join(labels)})", "a mark for each condition",
                "sentences", shape.template,
            )  # fmt: skip
        if n == 1 and not any(slot.region for slot in shape.slots):
            wrong = f"the template {shape.template!r} has no target: no mark, and no region"
            raise source.error(wrong, "a region, as in Verb{target}", "sentences", shape.template)
    formulas = suite.predictions or {usual.name: usual.source for usual in (AGREEMENT, FULL)}
    predictions = tuple(
        parse_prediction(formula, name, source.location("suite", "predictions", quote=name))
        for name, formula in formulas.items()
    )
    for prediction in predictions:
        if not any(applies(prediction, shape, conditions[shape.template]) for shape in shapes):
            offered = dict.fromkeys(name for shape in shapes for name in conditions[shape.template])
            regions = dict.fromkeys(name for shape in shapes for name in regions_of(shape))
            raise source.error(
                f"no template has what the prediction {prediction.name!r} speaks of",
                f"conditions {', '.join(offered)} and regions {', '.join((*regions, WHOLE))}",
                "suite", "predictions", kind="unknown", quote=prediction.name,
            )  # fmt: skip
    for shape in shapes:
        labels = conditions[shape.template]
        if not any(applies(prediction, shape, labels) for prediction in predictions):
            wrong = f"nothing is predicted of the template {shape.template!r}"
            right = f"[suite.predictions] of {', '.join(labels)}"
            raise source.error(wrong, right, "sentences", shape.template, kind="missing")
    return Design(
        conditions=conditions,
        facts=facts,
        letters=suite.facts or {name: name for shape in shapes for name, _ in shape.letters},
        average=frozenset(suite.average),
        swap=tuple((name, partner) for name, partner in suite.swap),
        predictions=predictions,
    )
