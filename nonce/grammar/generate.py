"""Making items or sentences from a template grammar, a file or one that comes with the tool.

Users call `generate`. `load_grammar` reads and checks a grammar; an error about a mistake in it has
file and line.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from importlib.resources import files
from math import prod
from pathlib import Path
from typing import Literal, TypeAlias

from ...data.errors import ErrorKind, InputError
from ...data.files import demand_file, read_text, write_whole
from ...data.formats import write_suite
from ...data.formats.detect import ENDINGS
from ...data.formats.pair_formats import FULL
from ...data.items.item import Item
from ...data.items.item_record import to_record
from ...data.items.prediction import WHOLE, Prediction, parse_prediction
from ...data.items.suite import AGREEMENT, Suite
from ...data.records import to_json
from ...data.registry import Names, listed, look_up, nearest
from ...data.result import Result
from ...data.tables import Row
from ...data.validate import demand_at_least
from .grammar import Grammar, Shape
from .grammar_file import GrammarSource, Lexicon, SuiteTable
from .items import (
    COUNT_COLUMNS,
    applies,
    conditions_and_regions,
    faults_of_wordings,
    grammar_items,
    item_counts,
    predictions_of,
)
from .notation import Rules
from .written_tokens import grammar_treebank

TEMPLATES = files(__package__) / "templates"
GRAMMARS = {
    "marvin_linzen": "the 15 conditions of Marvin & Linzen 2018",
    "reflexives": "experiments 1a to 3 of Hu, Chen & Levy 2020",
    "finnish": "number and person agreement of Finnish verbs",
    "hebrew": "number and gender agreement of Hebrew verbs",
    "russian": "number and gender agreement of Russian verbs",
}
"""Name of a grammar → what it makes"""
N_SENTENCES = 100  # of a treebank by default
MAX_ASSIGNMENTS = 100_000  # combinations of values of a shape's variables
Fault: TypeAlias = tuple[str, str, ErrorKind]
"""(what is wrong, what would be right, kind of error)"""


def generate(
    grammar: str = "",
    *,
    list_: bool = False,
    count: bool = False,
    only: Names = None,
    sample: int | None = None,
    make: Literal["suite", "treebank"] | None = None,
    seed: int = 0,
    out: str | Path | None = None,
) -> Result:
    """Make items or sentences of a template grammar: all, some drawn, or their number.

    Args:
        grammar: a TOML file, or a name from --list
        list_: list the bundled grammars
        count: print the number of items (or sentences) by template and cell, and make none
        only: only this template
        sample: draw so many at random [default: all items; 100 sentences]
        make: items, or a treebank in CoNLL-U [default: items if the grammar has a section [suite]]
        seed: seed of the random numbers
        out: file to write: items in the format of its ending, or CoNLL-U [default: stdout]

    Returns:
        The grammars or the counts that were asked for; else nothing but messages.

    Raises:
        InputError: for a grammar that is unknown or broken, or cannot make what is asked.

    Commands:
        colorless grammar --list
        colorless grammar marvin_linzen --sample 200 --out marvin_linzen.jsonl

    >>> generate(list_=True).to_frame().columns
    ['grammar', 'makes']
    """
    if list_:
        rows: list[Row] = [{"grammar": name, "makes": text} for name, text in GRAMMARS.items()]
        return Result(rows, ("grammar", "makes"))
    if make is not None:
        look_up(dict.fromkeys(("suite", "treebank")), make, "make")
    if out is not None:
        demand_file(Path(out))
    demand_at_least(1, sample=sample)
    demand_at_least(0, seed=seed)
    parsed = load_grammar(grammar, only=listed(only))
    if count:
        return count_rows(parsed)
    lines: Iterable[str]
    if make == "treebank" or (make is None and parsed.file.suite is None):
        lines = grammar_treebank(parsed, N_SENTENCES if sample is None else sample, seed)
    else:
        items = grammar_items(parsed, n=sample, seed=seed)
        ending = "" if out is None else Path(str(out).removesuffix(".gz")).suffix
        output_format = ENDINGS.get(ending, "jsonl")
        if out is not None and output_format != "jsonl":
            write_suite(Suite(parsed.file.name, tuple(items), predictions_of(parsed)), Path(out))
            return Result()
        lines = _item_lines(parsed, items)
    with nullcontext(sys.stdout) if out is None else write_whole(Path(out)) as stream:
        stream.writelines(lines)
    return Result()


def _item_lines(grammar: Grammar, items: Iterable[Item]) -> Iterator[str]:
    """Yield items as JSON lines. An item gets a key `predictions`, name → formula, unless its only
    prediction is that of a mined pair: the right form is more probable than the wrong one."""
    for item in items:
        record = to_record(item)
        predictions = predictions_of(grammar, item)
        if predictions != (AGREEMENT,):
            record["predictions"] = {
                prediction.name: prediction.source for prediction in predictions
            }
        yield to_json(record) + "\n"


def count_rows(grammar: Grammar) -> Result:
    """Count, without making any, the items of each template in each cell, or the sentences of each
    template if the grammar has no section [suite]. Return one row for each number."""
    if grammar.file.suite is not None:
        rows = list(item_counts(grammar))
        total = sum(int(str(row["n_items"])) for row in rows)
        return Result(rows, COUNT_COLUMNS, [f"{total:,} items"])
    n_sentences: Counter[str] = Counter()
    for shape in grammar.shapes:
        n_sentences[shape.template] += shape.n
    rows = [{"template": template, "n_sentences": n} for template, n in n_sentences.items()]
    return Result(rows, ("template", "n_sentences"), [f"{n_sentences.total():,} sentences"])


def load_grammar(grammar: str | Path, *, only: Sequence[str] = ()) -> Grammar:
    """Read a template grammar (`docs/suites.md` describes the language).

    Args:
        grammar: a TOML file, or the name of a grammar that comes with the tool.
        only: names of the templates to use; none for all.

    Returns:
        The grammar, checked.

    Raises:
        InputError: as `parse_grammar`, and for a grammar that does not exist.

    >>> load_grammar("reflexives").file.language
    'en'
    """
    path, name = Path(grammar), str(grammar)
    if name in GRAMMARS and not path.is_file():
        return parse_grammar(
            (TEMPLATES / f"{name}.toml").read_text("utf-8"), f"{name}.toml", only=only
        )
    if path.suffix or path.is_file():
        return parse_grammar(read_text(path), name, only=only)
    right = f"{nearest(name, GRAMMARS)}, or a TOML file"
    raise InputError("grammar", f"no grammar {name!r}", right, kind="unknown")


def parse_grammar(text: str, path: str, *, only: Sequence[str] = ()) -> Grammar:
    """Read a template grammar from its text (`docs/suites.md` describes the language).

    Args:
        text: the content of a TOML file.
        path: path of the file, for messages.
        only: names of the templates to use; none for all.

    Returns:
        The grammar, checked.

    Raises:
        InputError: with the line: invalid TOML, an unknown or missing key, a rule that cannot be
            parsed, an unknown name, a phrase inside itself, a letter that no word fixes, a template
            without sentences or with too many; a section [suite] that does not fit the templates.
            Also if the grammar has no template that is named in `only`.

    >>> from colorless_green.data import sample
    >>> parse_grammar(sample.grammar("it").read_text("utf-8"), "it.toml").file.language
    'it'
    """
    source = GrammarSource(path, text)
    _demand_known_names(source)
    lexicon = Lexicon(source)
    rules = Rules(lexicon, {name: lexicon.word_list(name) for name in source.file.lexicon})
    shapes = [shape for name in source.file.sentences for shape in _shapes_of(name, rules, source)]
    suite = source.file.suite
    predictions = () if suite is None else _predictions(suite, shapes, source)
    for name in only:
        if name not in source.file.sentences:
            right = nearest(name, source.file.sentences)
            raise InputError(path, f"no such template {name!r}", right, kind="unknown")
    chosen = [shape for shape in shapes if not only or shape.template in only]
    numbered = tuple(replace(shape, number=number) for number, shape in enumerate(chosen))
    return Grammar(source.file, path, numbered, rules.weighted, predictions)


def _demand_known_names(source: GrammarSource) -> None:
    """Raise `InputError` for a name that is defined twice, or that is used but not defined."""
    file = source.file
    features = {**file.features, **file.selection}
    defined = []  # (name, section that defines it, its key there)
    for feature, values in features.items():
        section = "features" if feature in file.features else "selection"
        defined += [(value, section, feature) for value in values]
    for section in ("indices", "lexicon", "phrases", "macros"):
        defined += [(name, section, name) for name in getattr(file, section)]
    section_of: dict[str, str] = {}
    for name, section, key in defined:
        if name in section_of:
            wrong = f"{name!r} is in [{section_of[name]}] too"
            raise source.error(wrong, "take another name", section, key, kind="conflict")
        section_of[name] = section
    letters_and_lists = {**file.indices, **file.lexicon}
    suite = file.suite or SuiteTable()
    swapped = [name for pair in suite.swap for name in pair]
    sounds = [rule.before for rule in file.sandhi]
    for names, candidates, keys in (
        (file.indices.values(), features, ("indices",)),
        (sounds, file.sounds, ("sandhi",)),
        (suite.constructions, file.sentences, ("suite", "constructions")),
        (suite.facts, letters_and_lists, ("suite", "facts")),
        (suite.average, letters_and_lists, ("suite", "average")),
        (swapped, letters_and_lists, ("suite", "swap")),
    ):
        for name in names:
            if name not in candidates:
                wrong, right = f"unknown name {name!r}", nearest(name, candidates)
                raise source.error(wrong, right, *keys, kind="unknown", quote=name)


def _shapes_of(template: str, rules: Rules, source: GrammarSource) -> list[Shape]:
    """Return the shapes of a template (its expansions to word slots) that make a sentence. The
    weight of an alternative is divided among its shapes. Raise `InputError` if a shape has a fault
    or the template has no shape that makes a sentence."""
    result: list[Shape] = []
    for weight, ways in rules.template(template):
        shapes = [shape for way in ways if (shape := rules.shape(template, way)) is not None]
        for shape in shapes:
            _demand_valid(shape, _faults(shape), source)
        shapes = [shape for shape in shapes if shape.n > 0]
        total = sum(shape.weight for shape in shapes)
        result += [replace(shape, weight=weight * shape.weight / total) for shape in shapes]
    if not result:
        wrong = f"the template {template!r} has no sentence"
        right = "write words and phrases whose features can meet"
        raise source.error(wrong, right, "sentences", template)
    return result


def _demand_valid(shape: Shape, faults: Iterable[Fault], source: GrammarSource) -> None:
    """Raise `InputError` for the first of the faults of a shape, if there is one, with the location
    of the shape's template."""
    for wrong, right, kind in faults:
        wrong = f"the template {shape.template!r} {wrong}"
        raise source.error(wrong, right, "sentences", shape.template, kind=kind)


def _faults(shape: Shape) -> Iterator[Fault]:
    """Yield the faults of a shape (a template's expansion to word slots): too many combinations of
    values to count its derivations; different numbers of conditions; a letter that no word fixes
    (each sentence would come once for each value); and two conditions with the same words (such a
    pair tests nothing)."""
    n_assignments = prod(map(len, shape.domains))
    if n_assignments > MAX_ASSIGNMENTS:
        wrong = f"has {len(shape.variables)} words or groups of words with values of their own"
        yield wrong, "write it with fewer that are free", "value"
    numbers_of_conditions = {slot.n_conditions for slot in shape.slots} - {1}  # 1: does not change
    if len(numbers_of_conditions) > 1:
        wrong = "marks words for different numbers of conditions"
        yield wrong, "write as many values in each mark", "conflict"
    for number, feature in enumerate(shape.variables):
        tied = [slot.words for slot in shape.slots if number in slot.variables({feature})]
        if shape.n and not any(words.always_show(feature) for words in tied):
            wrong = f"leaves {feature} open: {', '.join(words.name for words in tied)}"
            right = "write a value, or a letter shared with words that all show it"
            yield wrong, right, "format"
    marked = [index for index, slot in enumerate(shape.slots) if slot.n_conditions > 1]
    for condition in range(1, shape.n_conditions):
        unchanged = [_unchanged_lemma(shape, index, condition) for index in marked]
        if None not in unchanged:  # then one sentence may be the same in both conditions
            wrong = f"has {unchanged[-1]!r} in its conditions 1 and {condition + 1} alike"
            yield wrong, "mark a word that always looks different there", "conflict"


def _unchanged_lemma(shape: Shape, index: int, condition: int) -> str | None:
    """Return the lemma of an entry that can fill the slot `index` and has the same form in a
    condition as in the first condition; `None` if there is no such entry."""
    slot = shape.slots[index]
    for values in shape.assignments(slot.variables(slot.terms)):
        first, other = slot.values(values), slot.values(values, condition)
        for number in slot.usable_entries(values):
            entry = slot.words.entries[number]
            if entry.form(first).words == entry.form(other).words:
                return entry.lemma
    return None


def _predictions(
    suite: SuiteTable, shapes: Sequence[Shape], source: GrammarSource
) -> tuple[Prediction, ...]:
    """Return the predictions of the section `[suite]`; by default those of a mined pair, on the
    target and on the whole sentence.

    Raises:
        InputError: a template does not have the conditions or wordings that the section names or
            has no prediction, or a prediction is about conditions or regions of no template.
    """
    for shape in shapes:
        _demand_valid(shape, _faults_of_items(shape, suite), source)
    formulas = suite.predictions or {usual.name: usual.source for usual in (AGREEMENT, FULL)}
    predictions = tuple(
        parse_prediction(formula, name, source.location("suite", "predictions", quote=name))
        for name, formula in formulas.items()
    )
    present = [conditions_and_regions(suite, shape) for shape in shapes]
    for prediction in predictions:
        if not any(applies(prediction, *names) for names in present):
            all_conditions = dict.fromkeys(name for names, _ in present for name in names)
            all_regions = dict.fromkeys(name for _, names in present for name in names)
            wrong = f"no template has what the prediction {prediction.name!r} is about"
            right = f"use conditions {', '.join(all_conditions)} "
            right += f"and regions {', '.join(all_regions)}, {WHOLE}"
            keys = ("suite", "predictions")
            raise source.error(wrong, right, *keys, kind="unknown", quote=prediction.name)
    for shape, (conditions, regions) in zip(shapes, present, strict=True):
        if not any(applies(prediction, conditions, regions) for prediction in predictions):
            right = f"write [suite.predictions] of {', '.join(conditions)}"
            _demand_valid(shape, [("has no prediction", right, "missing")], source)
    return predictions


def _faults_of_items(shape: Shape, suite: SuiteTable) -> Iterator[Fault]:
    """Yield the reasons why the sentences of a shape cannot become items: other numbers of
    conditions than the section `[suite]` names, or wordings that do not fit."""
    conditions, n = suite.conditions_of(shape.template), shape.n_conditions
    if len(conditions) != n:
        marked = f"has marks for {n} conditions" if n > 1 else "marks nothing"
        wrong = f"{marked}, and {len(conditions)} are named ({', '.join(conditions)})"
        yield wrong, "write a mark for each condition", "format"
    yield from faults_of_wordings(shape, suite)
