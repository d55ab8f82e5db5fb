"""Derivations as items: their conditions, regions and facts, and the sets that they form.

A derivation is an item or, if the section `[suite]` averages, one of the *wordings* of an item. It
may average over letters and word lists (`average`) and over the order of two words (`swap`);
derivations that differ only in these are wordings of one item. So an item corresponds to a
derivation of a smaller, *outer* shape, without the averaged slots and with one value for each
averaged variable. Items are counted, enumerated and drawn as derivations of outer shapes.

Items of a template that have the same words but other values of its letters are a set: they share
`set_id` (and are one cluster for intervals), and `cell` names their values.
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

COUNT_COLUMNS = ("template", "cell", "n_items", "n_sentences")
BETWEEN = "between"  # region of tokens between two named regions


def conditions_and_regions(
    suite: SuiteTable, shape: Shape
) -> tuple[Collection[str], Collection[str]]:
    """Return the names of the conditions and of the regions that all items of a shape have.

    The regions are those named in the template, or else the target, the words that change between
    conditions; and those before and after.
    """
    named_regions = dict.fromkeys(slot.region for slot in shape.slots if slot.region)
    target = (TARGET,) if shape.n_conditions > 1 else ()
    regions = (PREFIX, *(named_regions or target), REST)
    return suite.conditions_of(shape.template), regions


def applies(prediction: Prediction, conditions: Collection[str], regions: Collection[str]) -> bool:
    """Return whether a prediction can be tested: every condition (version of the sentence) and
    every region (part of it) that it refers to is among these."""
    return all(
        key in conditions and region in (WHOLE, *regions) for key, region in prediction.cells()
    )


@dataclass(frozen=True, slots=True)
class ItemShape:
    """A shape divided into a part that distinguishes items and one that distinguishes the wordings
    of an item."""

    shape: Shape
    outer: Shape  # its derivations are the items
    inner: Shape  # the averaged slots
    averaged: frozenset[int]  # the averaged variables, which have one value in `outer`
    swaps: tuple[tuple[int, int], ...]  # pairs of slots of `shape` whose words are swapped

    @property
    def n_wordings(self) -> int:
        """Return the number of wordings of each item."""
        n_values = prod(len(self.shape.domains[n]) for n in self.averaged)
        return n_values * next(iter(self.inner.counts.values())) << len(self.swaps)


def item_shape(shape: Shape, suite: SuiteTable) -> ItemShape:
    """Divide a shape (a sequence of word slots) into a part that distinguishes items and a part
    over which an item's scores are averaged. If nothing is averaged, `outer` equals the shape."""
    names, average = [slot.words.name for slot in shape.slots], set(suite.average)
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
        for one, other in suite.swap
        if one in names and other in names
    )
    return ItemShape(shape, outer, inner, frozenset(averaged), swaps)


def wordings(parts: ItemShape, item: Derivation) -> Iterator[Derivation]:
    """Yield the wordings of an item: the sentences over which its scores are averaged. `item`: its
    derivation from the outer shape. The averaged letters vary slowest, then the averaged words,
    then the order of swapped words."""
    domains = (
        parts.shape.domains[n] if n in parts.averaged else (value,)
        for n, value in enumerate(item.values)
    )
    averaged = {slot.words.name for slot in parts.inner.slots}
    for values in product(*domains):
        for inner in parts.inner.fillings(values):
            entries_of = {True: iter(inner), False: iter(item.entries)}
            chosen = [next(entries_of[slot.words.name in averaged]) for slot in parts.shape.slots]
            for are_swapped in product((False, True), repeat=len(parts.swaps)):
                entries = list(chosen)
                for (slot, other), is_swapped in zip(parts.swaps, are_swapped, strict=True):
                    if is_swapped:
                        entries[slot], entries[other] = entries[other], entries[slot]
                yield Derivation(item.grammar, parts.shape, values, tuple(entries))


def faults_of_wordings(shape: Shape, suite: SuiteTable) -> Iterator[tuple[str, str, ErrorKind]]:
    """Yield the reasons why a shape's items cannot average over wordings as the section `[suite]`
    says, each as (what is wrong, what would be right, kind of error).

    All items must have the same number of wordings, and swapped words must be from two lists that
    are in the template once each and fit both slots.
    """
    parts = item_shape(shape, suite)
    outer, inner = (
        {n for slot in part.slots for n in slot.variables(slot.words.restricted)}
        for part in (parts.outer, parts.inner)
    )
    rows = [{shape.slots[n].words.name in suite.average for n in c.slots} for c in shape.choices]
    if inner or outer & parts.averaged or {True, False} in rows:
        wrong = "averages over what only some items can have"
        yield wrong, "average over what all words go with", "format"
    for pair in suite.swap:
        names = sorted(slot.words.name for slot in shape.slots if slot.words.name in pair)
        if names not in ([], sorted(pair)):
            wrong = f"cannot swap {' and '.join(pair)}"
            yield wrong, "name lists that are both in it, once each", "format"
    for swap in parts.swaps:
        for n, other in (swap, swap[::-1]):
            slot, words = shape.slots[n], shape.slots[other].words
            assignments = shape.assignments(slot.variables(slot.terms))
            if not slot.terms.keys() >= {*words.varies} or any(
                len(slot.usable_entries(v, words)) < len(words.entries) for v in assignments
            ):
                wrong, right = f"swaps {words.name}", "swap lists whose words fit all slots"
                yield wrong, right, "conflict"


def _suite_section(grammar: Grammar) -> SuiteTable:
    """Return the section `[suite]` of a grammar's file. Raise `InputError` if there is none."""
    if grammar.file.suite is None:
        right = "write a section [suite], or use --make treebank"
        raise InputError(grammar.location, "it has no section [suite]", right, kind="missing")
    return grammar.file.suite


def grammar_items(grammar: Grammar, *, n: int | None = None, seed: int = 0) -> Iterator[Item]:
    """Make the items of a grammar, or draw some at random.

    Args:
        grammar: with a section `[suite]`.
        n: number of items, all different; the first k are the same for every larger n. None for
            every item once, in the order of the grammar's derivations.
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
    suite = _suite_section(grammar)
    shapes = [item_shape(shape, suite) for shape in grammar.shapes]
    outer_grammar = replace(grammar, shapes=tuple(parts.outer for parts in shapes))
    return _items(derivations(outer_grammar, n=n, seed=seed), suite, shapes)


def predictions_of(grammar: Grammar, item: Item | None = None) -> tuple[Prediction, ...]:
    """Return the predictions of an item of a grammar, or those that every item has.

    Args:
        grammar: with a section `[suite]`.
        item: an item of this grammar; None for all items.

    Returns:
        The predictions of the section `[suite]` for which the item, or every item, has the
        conditions and regions.

    Raises:
        InputError: the grammar has no section `[suite]`.

    >>> from colorless_green.nonce import load_grammar
    >>> [prediction.name for prediction in predictions_of(load_grammar("reflexives"))]
    ['licensing']
    """
    suite = _suite_section(grammar)
    present: list[tuple[Collection[str], Collection[str]]]
    if item is None:
        present = [conditions_and_regions(suite, shape) for shape in grammar.shapes]
    else:
        regions = {region.region for group in item.conditions.values() for region in group[0]}
        present = [(item.conditions, regions)]
    return tuple(
        prediction
        for prediction in grammar.predictions
        if all(applies(prediction, conditions, regions) for conditions, regions in present)
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
    suite = _suite_section(grammar)
    n_items, n_sentences = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for shape in grammar.shapes:
        parts = item_shape(shape, suite)
        terms = _terms_of_facts(suite, shape).values()
        for values, n in parts.outer.counts.items():
            cell = (shape.template, "-".join(term.value(values) for term in terms))
            n_items[cell] += n
            n_sentences[cell] += n * parts.n_wordings * shape.n_conditions
    for cell, n in n_items.items():
        yield dict(zip(COUNT_COLUMNS, (*cell, n, n_sentences[cell]), strict=True))


def _terms_of_facts(suite: SuiteTable, shape: Shape) -> dict[str, Term]:
    """Return the facts that items of a shape have: name of the fact → the term that gives its
    value, which is that of a letter in the template. Letters that are averaged or that change
    between conditions have no fact."""
    facts = suite.facts or {name: name for name in shape.letters}
    return {
        facts[name]: term
        for name, term in shape.letters.items()
        if name in facts and name not in suite.average and not term.changes
    }


def _items(
    chosen: Iterable[Derivation], suite: SuiteTable, shapes: Sequence[ItemShape]
) -> Iterator[Item]:
    """Yield one item for each chosen derivation of an outer shape. `shapes`: the divided shapes of
    the grammar, by number."""
    for outer in chosen:
        parts, grammar = shapes[outer.shape.number], outer.grammar
        template = outer.shape.template
        terms = _terms_of_facts(suite, parts.shape)
        facts = {fact: term.value(outer.values) for fact, term in terms.items()}
        versions = [*wordings(parts, outer)]
        conditions = {
            name: tuple(wording(realised(version, number)) for version in versions)
            for number, name in enumerate(suite.conditions_of(template))
        }
        pairs = zip(outer.shape.slots, outer.entries, strict=True)
        word_indices = [slot.words.entries.index(entry) for slot, entry in pairs]
        set_id = item_id(grammar.file.name, template, outer.shape.number, *word_indices)
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
            facts={**suite.facts_of(template), **facts},
        )


def wording(sentence: DerivedSentence) -> Wording:
    """Divide a sentence into regions: those named in its template, or else `target`, the words that
    change between conditions; `prefix` before the first of them, `rest` after the last (even if
    empty), and `between` elsewhere. A token of several words belongs to the region of the first
    word that has one."""
    words = sentence.words
    has_names = any(word.region for word in words)
    word_regions = [word.region if has_names else TARGET * word.marked for word in words]
    labels = [
        next(filter(None, word_regions[token.start : token.start + token.n_words]), "")
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
