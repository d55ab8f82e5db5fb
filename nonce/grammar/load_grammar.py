"""A grammar file to a checked grammar. Every mistake in it is an error with file and line."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ...data.errors import InputError
from ...data.files import read_text
from ...data.formats.pair_formats import FULL
from ...data.items.prediction import WHOLE, Prediction, parse_prediction
from ...data.items.suite import AGREEMENT
from ...data.registry import nearest
from ._checks import Fault, faults_of_shape, faults_of_size
from ._file import GrammarFile, GrammarSource, Sandhi, Sound, SuiteTable, read_file
from ._lexicon import Features, read_paradigms, read_words
from ._notation import MAX_WORDS, Alternative, Rules
from ._shapes import Expansion
from .expand import arranged, counted
from .grammar import Grammar, Shape
from .items import about, applies, faults_of_wordings
from .templates import GRAMMARS, template_text


def load_grammar(grammar: str | Path, *, only: Sequence[str] = ()) -> Grammar:
    """Read a template grammar (`docs/suites.md` describes the language).

    Args:
        grammar: a TOML file, or the name of a grammar that comes with the tool.
        only: its templates; none for all.

    Returns:
        The grammar, checked.

    Raises:
        InputError: as `parse_grammar`, and for a grammar or template that there is not.

    >>> load_grammar("reflexives").language
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
    >>> parse_grammar(sample.grammar("it").read_text(encoding="utf-8"), "it.toml").language
    'it'
    """
    source = GrammarSource(path, text)
    file = read_file(source)
    rules = _rules(file, source)
    parsed = {
        section: {name: rules.alternatives(section, name) for name in table}
        for section, table in rules.tables.items()
    }
    expansion = Expansion(rules)
    shapes = [
        shape
        for name, alternatives in parsed["sentences"].items()
        for shape in _shapes(name, alternatives, expansion, source)
    ]
    suite = file.suite
    predictions = () if suite is None else _predictions(suite, shapes, rules, source)
    for name in only:
        if name not in file.sentences:
            right = nearest(name, file.sentences)
            raise InputError(path, f"no such template {name!r}", right, kind="unknown")
    chosen = [shape for shape in shapes if not only or shape.template in only]
    return Grammar(
        name=file.name,
        language=file.language,
        licence=file.licence,
        location=path,
        features=rules.features.values,
        capital=file.capital,
        stop=file.stop,
        sandhi=_sandhi(file, source),
        contractions={
            (first, second): joined
            for pair, joined in file.contractions.items()
            for first, second in [pair.split()]
        },
        shapes=tuple(replace(shape, number=number) for number, shape in enumerate(chosen)),
        weighted=rules.weighted,
        design=suite,
        predictions=predictions,
    )


def _rules(file: GrammarFile, source: GrammarSource) -> Rules:
    """Return the rules of a grammar, with everything that a name in them can be, each name for one
    thing."""
    values = {**file.features, **file.selection}
    named: list[tuple[str, str, str]] = [  # what a name is, and the section and key it is under
        *((value, section, name) for section, table in (("features", file.features),
          ("selection", file.selection)) for name, members in table.items() for value in members),
        *((name, section, name) for section, table in (("indices", file.indices),
          ("lexicon", file.lexicon), ("phrases", file.phrases), ("macros", file.macros))
          for name in table),
    ]  # fmt: skip
    used: dict[str, str] = {}
    for name, section, key in named:
        if name in used:
            wrong = f"{name!r} is in [{used[name]}] too"
            raise source.error(wrong, "take another name", section, key, kind="conflict")
        used[name] = section
    owner = {value: name for name, members in values.items() for value in members}
    features = Features({n: tuple(v) for n, v in values.items()}, owner, frozenset(file.selection))
    for name, feature in file.indices.items():
        if feature not in values:
            wrong, right = f"no such feature {feature!r}", nearest(feature, values)
            raise source.error(wrong, right, "indices", name, kind="unknown")
    paradigms = read_paradigms(file.paradigms, features, source)
    lists = {
        name: read_words(name, words, features, paradigms, source)
        for name, words in file.lexicon.items()
    }
    return Rules(file, features, lists, source)


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
        if alternative.n_ways * alternative.n_words > MAX_WORDS:
            wrong, right = "can be written in too many ways", "write it with fewer optional parts"
            refuse([(wrong, f"{right} and alternatives", "value")])
        shapes = []
        for shape in map(arranged, expansion.shapes(template, alternative)):
            refuse(faults_of_size(shape))
            shape = counted(shape)
            if shape.n:
                refuse(faults_of_shape(shape))
                shapes.append(shape)
        total = sum(shape.weight for shape in shapes)
        weight = alternative.weight
        result += [replace(shape, weight=weight * shape.weight / total) for shape in shapes]
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


def _predictions(
    suite: SuiteTable, shapes: Sequence[Shape], rules: Rules, source: GrammarSource
) -> tuple[Prediction, ...]:
    """Return the predictions of the section `[suite]`: by default what is predicted of every mined
    pair, and of the whole sentence.

    Raises:
        InputError: a template has not the conditions and wordings that the section speaks of, or no
            template what a prediction is about.
    """
    known = (*rules.indices, *rules.lists)
    templates = dict.fromkeys(shape.template for shape in shapes)
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
    formulas = suite.predictions or {usual.name: usual.source for usual in (AGREEMENT, FULL)}
    predictions = tuple(
        parse_prediction(formula, name, source.location("suite", "predictions", quote=name))
        for name, formula in formulas.items()
    )
    for prediction in predictions:
        if not any(applies(prediction, *about(suite, shape)) for shape in shapes):
            conditions, regions = (
                ", ".join(
                    dict.fromkeys(name for shape in shapes for name in about(suite, shape)[n])
                )
                for n in (0, 1)
            )
            raise source.error(
                f"no template has what the prediction {prediction.name!r} is about",
                f"use conditions {conditions} and regions {regions}, {WHOLE}",
                "suite", "predictions", kind="unknown", quote=prediction.name,
            )  # fmt: skip
    for shape in shapes:
        for wrong, right, kind in _faults_of_items(shape, suite, predictions):
            wrong = f"the template {shape.template!r} {wrong}"
            raise source.error(wrong, right, "sentences", shape.template, kind=kind)
    return predictions


def _faults_of_items(
    shape: Shape, suite: SuiteTable, predictions: Sequence[Prediction]
) -> Iterator[Fault]:
    """Yield why the derivations of a shape could not be items."""
    conditions, n = suite.conditions_of(shape.template), shape.n_conditions
    if len(conditions) != n:
        marks = f"has marks for {n} conditions" if n > 1 else "marks nothing"
        wrong = f"{marks}, and {len(conditions)} are named ({', '.join(conditions)})"
        yield wrong, "write a mark for each condition", "format"
    if n == 1 and not any(slot.region for slot in shape.slots):
        wrong = "has no target: no mark, and no region"
        yield wrong, "name a region, as in Verb{target}", "format"
    if not any(applies(prediction, *about(suite, shape)) for prediction in predictions):
        right = f"write [suite.predictions] of {', '.join(conditions)}"
        yield "has no prediction", right, "missing"
    yield from faults_of_wordings(shape, suite)
