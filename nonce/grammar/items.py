"""Derivations as items: conditions, regions, facts, and the factorial block an item belongs to.

One derivation is one item, or, where the design averages, one of its wordings: a design may average
over letters and word lists (`average`) and over the order of two words (`swap`), and derivations
that differ in nothing else are wordings of one item. So an item is a derivation of a smaller shape,
the one without the averaged slots in which the averaged variables have one value, and items are
counted, enumerated and drawn as the derivations of that shape are.

The items of a template that have the same words and other values of its letters are a set: they
share `set_id` (and are one cluster for intervals), and `cell` names their values.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, product
from math import prod

from ...data.errors import ErrorKind, InputError
from ...data.items.item import PREFIX, REST, TARGET, Item, Region, Wording, item_id
from ...data.items.item import sentence_text as text_of
from ...data.items.prediction import WHOLE, Prediction
from ...data.tables import Row
from .grammar import Derivation, Grammar, Shape, Term, derivations
from .grammar_file import SuiteTable
from .written_tokens import DerivedSentence, realised, sentence_text

COUNTED = ("template", "cell", "n_items", "n_sentences")
BETWEEN = "between"  # the region of what is between two that have a name


def about(design: SuiteTable, shape: Shape) -> tuple[Collection[str], Collection[str]]:
    """Return the conditions and regions that all items of a shape have: the regions named in the
    template, or else the target, which is what changes; and what is before and after."""
    named_regions = dict.fromkeys(slot.region for slot in shape.slots if slot.region)
    target = (TARGET,) if shape.n_conditions > 1 else ()
    regions = (PREFIX, *(named_regions or target), REST)
    return design.conditions_of(shape.template), regions


def applies(prediction: Prediction, conditions: Collection[str], regions: Collection[str]) -> bool:
    """Return whether items with these conditions and regions have all that it is about."""
    return all(
        key in conditions and region in (WHOLE, *regions) for key, region in prediction.cells()
    )


@dataclass(frozen=True, slots=True)
class ItemShape:
    """A shape in two parts: what tells items apart, and what the wordings of an item differ in."""

    shape: Shape
    outer: Shape  # its derivations are the items
    inner: Shape  # the averaged slots
    averaged: frozenset[int]  # variables that have one value in `outer`
    swaps: tuple[tuple[int, int], ...]  # slots of `shape`

    @property
    def n_wordings(self) -> int:
        """Return how many wordings each item has."""
        n_letters = prod(len(self.shape.domains[n]) for n in self.averaged)
        return n_letters * next(iter(self.inner.counts.values())) << len(self.swaps)


def item_shape(shape: Shape, design: SuiteTable) -> ItemShape:
    """Return the two parts of a shape; where nothing is averaged, `outer` is the shape itself."""
    names, average = [slot.words.name for slot in shape.slots], set(design.average)
    averaged = set()
    for n in range(len(shape.variables)):
        letters = [name for name, t in shape.letters.items() if t.base == n and not t.changes]
        lists = [slot.words.name for slot in shape.slots if n in slot.variables(slot.terms)]
        if not average.isdisjoint(letters) if letters else average.issuperset(lists):
            averaged.add(n)
    inner, outer = (
        replace(shape, slots=tuple(s for s in shape.slots if (s.words.name in average) == is_inner))
        for is_inner in (True, False)
    )
    pairs = enumerate(shape.domains)
    outer = replace(
        outer, domains=tuple(domain[:1] if n in averaged else domain for n, domain in pairs)
    )
    swaps = tuple(
        (names.index(one), names.index(other))
        for one, other in design.swap
        if one in names and other in names
    )
    return ItemShape(shape, outer, inner, frozenset(averaged), swaps)


def wordings(parts: ItemShape, item: Derivation) -> Iterator[Derivation]:
    """Yield the wordings of an item: the averaged letters slowest, then the averaged words, then
    the order of the words that are swapped."""
    domains = (
        parts.shape.domains[n] if n in parts.averaged else (value,)
        for n, value in enumerate(item.values)
    )
    averaged = {slot.words.name for slot in parts.inner.slots}
    for values in product(*domains):
        for inner in parts.inner.fillings(values):
            entries = {True: iter(inner), False: iter(item.entries)}
            chosen = [next(entries[slot.words.name in averaged]) for slot in parts.shape.slots]
            for exchanged in product((False, True), repeat=len(parts.swaps)):
                order = list(chosen)
                for (slot, other), is_exchanged in zip(parts.swaps, exchanged, strict=True):
                    if is_exchanged:
                        order[slot], order[other] = order[other], order[slot]
                yield Derivation(item.grammar, parts.shape, values, tuple(order))


def faults_of_wordings(shape: Shape, design: SuiteTable) -> Iterator[tuple[str, str, ErrorKind]]:
    """Yield what is wrong and what would be right where items could differ in how many wordings
    they have, or where words are swapped that are not both in the template once and fit both
    slots."""
    parts = item_shape(shape, design)
    outer, inner = (
        {n for slot in part.slots for n in slot.variables(slot.words.restricted)}
        for part in (parts.outer, parts.inner)
    )
    rows = [{shape.slots[n].words.name in design.average for n in c.slots} for c in shape.choices]
    if inner or outer & parts.averaged or {True, False} in rows:
        wrong = "averages over what only some items can have"
        yield wrong, "average over what all words go with", "format"
    for pair in design.swap:
        names = sorted(slot.words.name for slot in shape.slots if slot.words.name in pair)
        if names not in ([], sorted(pair)):
            wrong = f"cannot swap {' and '.join(pair)}"
            yield wrong, "name lists that are both in it, once each", "format"
    for swap in parts.swaps:
        for n, other in (swap, swap[::-1]):
            slot, words = shape.slots[n], shape.slots[other].words
            assignments = shape.assignments(slot.variables(slot.terms))
            if not slot.terms.keys() >= {*words.varies} or any(
                len(slot.admitted(v, words)) < len(words.entries) for v in assignments
            ):
                wrong, right = f"swaps {words.name}", "swap lists whose words fit all slots"
                yield wrong, right, "conflict"


def _design_of(grammar: Grammar) -> SuiteTable:
    """Return what the section `[suite]` says. Raise `InputError` if there is none."""
    if grammar.file.suite is None:
        right = "write a section [suite], or use --make treebank"
        raise InputError(grammar.location, "it has no section [suite]", right, kind="missing")
    return grammar.file.suite


def grammar_items(grammar: Grammar, *, n: int | None = None, seed: int = 0) -> Iterator[Item]:
    """Make the items of a grammar, or draw some at random.

    Args:
        grammar: with a section `[suite]`.
        n: how many, all different; the first k are those that k would give. None for every item
            once, in the order of the grammar's derivations.
        seed: the same seed draws the same items.

    Returns:
        The items, one at a time.

    Raises:
        InputError: there are fewer than `n`, or the grammar has no section `[suite]`.

    >>> from colorless_green.nonce import load_grammar
    >>> grammar = load_grammar("reflexives")
    >>> {name: text_of(ways[0]) for name, ways in next(grammar_items(grammar)).conditions.items()}
    {'baseline': 'The baker that the janitor knew blamed himself.',
     'distractor': 'The baker that the janitors knew blamed himself.',
     'ungrammatical': 'The bakers that the janitor knew blamed himself.'}
    >>> text_of(next(grammar_items(grammar, n=1)).conditions["baseline"][0])
    'The kings said that the princes ruined themselves.'
    """
    design = _design_of(grammar)
    shapes = [item_shape(shape, design) for shape in grammar.shapes]
    outer = replace(grammar, shapes=tuple(parts.outer for parts in shapes))
    return _items(derivations(outer, n=n, seed=seed), design, shapes)


def predictions_of(grammar: Grammar, item: Item | None = None) -> tuple[Prediction, ...]:
    """Return the predictions of an item of a grammar, or those that every item has.

    Args:
        grammar: with a section `[suite]`.
        item: of this grammar; None for all.

    Returns:
        Those of the section `[suite]` that are only about conditions and regions that are there.

    Raises:
        InputError: the grammar has no section `[suite]`.

    >>> from colorless_green.nonce import load_grammar
    >>> [prediction.name for prediction in predictions_of(load_grammar("reflexives"))]
    ['licensing']
    """
    design = _design_of(grammar)
    there: list[tuple[Collection[str], Collection[str]]]
    if item is None:
        there = [about(design, shape) for shape in grammar.shapes]
    else:
        regions = {region.region for group in item.conditions.values() for region in group[0]}
        there = [(item.conditions, regions)]
    return tuple(
        prediction
        for prediction in grammar.predictions
        if all(applies(prediction, conditions, regions) for conditions, regions in there)
    )


def item_counts(grammar: Grammar) -> Iterator[Row]:
    """Count the items and sentences that each template of a grammar has in each cell, without
    making any.

    Args:
        grammar: with a section `[suite]`.

    Yields:
        Rows with `template`, `cell`, `n_items` and `n_sentences` (all wordings of all conditions).

    Raises:
        InputError: the grammar has no section `[suite]`.

    >>> from colorless_green.nonce import load_grammar
    >>> next(item_counts(load_grammar("reflexives")))
    {'template': '1a', 'cell': 'himself', 'n_items': 70, 'n_sentences': 3360}
    """
    design = _design_of(grammar)
    n_items, n_sentences = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for shape in grammar.shapes:
        parts = item_shape(shape, design)
        terms = _letters(design, shape).values()
        for values, n in parts.outer.counts.items():
            cell = (shape.template, "-".join(term.value(values) for term in terms))
            n_items[cell] += n
            n_sentences[cell] += n * parts.n_wordings * shape.n_conditions
    for cell, n in n_items.items():
        yield dict(zip(COUNTED, (*cell, n, n_sentences[cell]), strict=True))


def _letters(design: SuiteTable, shape: Shape) -> dict[str, Term]:
    """Return the template's letters by the facts they are, without what is averaged."""
    facts = design.facts or {name: name for name in shape.letters}
    return {
        facts[name]: term
        for name, term in shape.letters.items()
        if name in facts and name not in design.average and not term.changes
    }


def _items(
    chosen: Iterable[Derivation], design: SuiteTable, shapes: Sequence[ItemShape]
) -> Iterator[Item]:
    """Yield the item of each derivation of the outer shapes."""
    for outer in chosen:
        parts, grammar = shapes[outer.shape.number], outer.grammar
        template = outer.shape.template
        facts = {
            fact: term.value(outer.values) for fact, term in _letters(design, parts.shape).items()
        }
        versions = [*wordings(parts, outer)]
        conditions = {
            name: tuple(wording(realised(version, number)) for version in versions)
            for number, name in enumerate(design.conditions_of(template))
        }
        pairs = zip(outer.shape.slots, outer.entries, strict=True)
        words = [slot.words.entries.index(entry) for slot, entry in pairs]
        set_id = item_id(grammar.file.name, template, outer.shape.number, *words)
        values = [value for n, value in enumerate(outer.values) if n not in parts.averaged]
        texts = (text_of(regions) for group in conditions.values() for regions in group)
        yield Item(
            item_id=item_id(set_id, *values, *texts),
            kind="template",
            cluster_id=set_id,
            language=grammar.file.language,
            source=grammar.file.name,
            licence=grammar.file.licence,
            conditions=conditions,
            set_id=set_id,
            cell="-".join(facts.values()),
            facts={**design.facts_of(template), **facts},
        )


def wording(sentence: DerivedSentence) -> Wording:
    """Return a sentence as regions: those named in its template, or else `target`, which is what
    changes; `prefix` before the first of them, `rest` after the last (both also where they are
    empty), and `between` in between. A token of several words belongs to the first of them that has
    a region."""
    words = sentence.words
    has_names = any(word.region for word in words)
    marks = [word.region if has_names else TARGET * word.marked for word in words]
    labels = [
        next(filter(None, marks[token.start : token.start + token.n_words]), "")
        for token in sentence.tokens
    ]
    named_tokens = [n for n, label in enumerate(labels) if label] or [len(labels)]
    first_named, last_named = named_tokens[0], named_tokens[-1]
    labels = [
        label or (PREFIX if n < first_named else REST if n > last_named else BETWEEN)
        for n, label in enumerate(labels)
    ]
    regions = [] if first_named else [Region(PREFIX, (), "")]
    start = 0
    for label, run in groupby(labels):
        end = start + len(list(run))
        tokens = sentence.tokens[start:end]
        blank = " " if start and sentence.tokens[start - 1].space_after else ""
        texts = tuple(token.text for token in tokens)
        regions.append(Region(label, texts, blank + sentence_text(tokens)))
        start = end
    tail = () if last_named + 1 < len(labels) else (Region(REST, (), ""),)
    return (*regions, *tail)
