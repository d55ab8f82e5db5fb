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
from .written_tokens import DerivedSentence, derived_sentence, sentence_text

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
    """Tell whether a prediction can be tested: every condition (version of the sentence) and
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
        n_values = prod(len(self.shape.domains[variable]) for variable in self.averaged)
        n_fillings = next(iter(self.inner.counts.values()))  # the same whatever the values
        n_orders = 1 << len(self.swaps)  # each swap doubles them
        return n_values * n_fillings * n_orders


def item_shape(shape: Shape, suite: SuiteTable) -> ItemShape:
    """Divide a shape (a sequence of word slots) into a part that distinguishes items and a part
    over which an item's scores are averaged. If nothing is averaged, `outer` equals the shape.

    A variable is averaged if one of its letters is or, if it has none, all its word lists are.
    """
    names, average = [slot.words.name for slot in shape.slots], set(suite.average)
    averaged = set()
    for variable in range(len(shape.variables)):
        lists = {s.words.name for s in shape.slots if variable in s.variables(s.terms)}
        letters = {
            letter
            for letter, term in shape.letters.items()
            if term.base == variable and not term.changes
        }
        is_averaged = bool(letters & average) if letters else lists <= average
        if is_averaged:
            averaged.add(variable)
    inner_slots = tuple(slot for slot in shape.slots if slot.words.name in average)
    outer_slots = tuple(slot for slot in shape.slots if slot.words.name not in average)
    outer_domains = tuple(
        domain[:1] if variable in averaged else domain
        for variable, domain in enumerate(shape.domains)
    )
    inner = replace(shape, slots=inner_slots)
    outer = replace(shape, slots=outer_slots, domains=outer_domains)
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
        parts.shape.domains[variable] if variable in parts.averaged else (value,)
        for variable, value in enumerate(item.values)
    )
    averaged_lists = {slot.words.name for slot in parts.inner.slots}
    for values in product(*domains):
        for filling in parts.inner.fillings(values):
            inner_entries, outer_entries = iter(filling), iter(item.entries)
            chosen = [
                next(inner_entries if slot.words.name in averaged_lists else outer_entries)
                for slot in parts.shape.slots
            ]
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
    inner_variables, outer_variables = (  # those that decide which words can be used
        {variable for slot in part.slots for variable in slot.variables(slot.words.restricted)}
        for part in (parts.inner, parts.outer)
    )
    is_row_divided = any(
        len({shape.slots[index].words.name in suite.average for index in choice.slots}) > 1
        for choice in shape.choices
    )
    if inner_variables or outer_variables & parts.averaged or is_row_divided:
        wrong = "averages over what only some items can have"
        yield wrong, "average over what all words go with", "format"
    for pair in suite.swap:
        names = sorted(slot.words.name for slot in shape.slots if slot.words.name in pair)
        if names not in ([], sorted(pair)):
            wrong = f"cannot swap {' and '.join(pair)}"
            yield wrong, "name lists that are both in it, once each", "format"
    for one, other in parts.swaps:
        for slot, words in (
            (shape.slots[one], shape.slots[other].words),
            (shape.slots[other], shape.slots[one].words),
        ):
            has_values = slot.terms.keys() >= set(words.varies)
            if not has_values or any(
                len(slot.usable_entries(values, words)) < len(words.entries)
                for values in shape.assignments(slot.variables(slot.terms))
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
    for (template, cell_name), n in n_items.items():
        row = (template, cell_name, n, n_sentences[template, cell_name])
        yield dict(zip(COUNT_COLUMNS, row, strict=True))


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
        versions = list(wordings(parts, outer))
        conditions = {
            name: tuple(wording(derived_sentence(version, number)) for version in versions)
            for number, name in enumerate(suite.conditions_of(template))
        }
        pairs = zip(outer.shape.slots, outer.entries, strict=True)
        word_indices = [slot.words.entries.index(entry) for slot, entry in pairs]
        set_id = item_id(grammar.file.name, template, outer.shape.number, *word_indices)
        values = [v for variable, v in enumerate(outer.values) if variable not in parts.averaged]
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
    targets = [TARGET if word.marked else "" for word in words]
    word_regions = [word.region for word in words] if has_names else targets
    labels = [
        next(filter(None, word_regions[token.start : token.start + token.n_words]), "")
        for token in sentence.tokens
    ]
    # If no token is in a named region, all are in the prefix.
    named_tokens = [index for index, label in enumerate(labels) if label] or [len(labels)]
    first_named, last_named = named_tokens[0], named_tokens[-1]
    labels = [
        label or (PREFIX if index < first_named else REST if index > last_named else BETWEEN)
        for index, label in enumerate(labels)
    ]
    regions = [Region(PREFIX, (), "")] if first_named == 0 else []
    start = 0
    for label, run in groupby(labels):
        end = start + len(list(run))
        tokens = sentence.tokens[start:end]
        blank = " " if start and sentence.tokens[start - 1].space_after else ""
        texts = tuple(token.text for token in tokens)
        regions.append(Region(label, texts, blank + sentence_text(tokens)))
        start = end
    has_rest = last_named + 1 < len(labels)
    return tuple(regions) if has_rest else (*regions, Region(REST, (), ""))
