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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, product

from ...data.errors import ErrorKind, InputError
from ...data.items.item import PREFIX, REST, TARGET, Item, Region, Wording, item_id
from ...data.items.item import sentence_text as text_of
from ...data.items.prediction import WHOLE, Prediction
from ...data.tables import Row
from .expand import (
    admitted,
    arranged,
    assignments,
    counted,
    derivations,
    fillings,
    n_with,
    sample,
)
from .grammar import Derivation, Design, Grammar, Shape, Slot, Term
from .written_tokens import DerivedSentence, realised, sentence_text

COUNTED = ("template", "cell", "n_items", "n_sentences")
BETWEEN = "between"  # the region of what is between two that have a name


def regions_of(shape: Shape) -> tuple[str, ...]:
    """Return the regions its sentences can have: those named in the template, or else the target,
    which is what changes; and what is before, between and after."""
    named_regions = dict.fromkeys(slot.region for slot in shape.slots if slot.region)
    return (PREFIX, *(named_regions or (TARGET,)), BETWEEN, REST)


def applies(prediction: Prediction, shape: Shape, conditions: Sequence[str]) -> bool:
    """Return whether the items of a shape have all that a prediction is about."""
    regions = {WHOLE, *regions_of(shape)} - {BETWEEN}
    return all(key in conditions and region in regions for key, region in prediction.cells())


@dataclass(frozen=True, slots=True)
class ItemShape:
    """A shape in two parts: what tells items apart, and what the wordings of an item differ in."""

    shape: Shape
    outer: Shape  # its derivations are the items
    inner: Shape  # the averaged slots
    averaged: frozenset[int]  # variables that have one value in `outer`
    swaps: tuple[tuple[int, int], ...]  # slots of `shape`


def item_shape(shape: Shape, design: Design) -> ItemShape:
    """Return the two parts of a shape; where nothing is averaged, `outer` is the shape itself."""
    names = [slot.words.name for slot in shape.slots]
    averaged = set()
    for n in range(len(shape.variables)):
        letters = [name for name, t in shape.letters.items() if t.base == n and not t.changes]
        lists = [s.words.name for s in shape.slots if any(t.base == n for t in s.terms.values())]
        if not design.average.isdisjoint(letters) if letters else design.average.issuperset(lists):
            averaged.add(n)
    parts: dict[bool, list[Slot]] = {True: [], False: []}
    for slot in shape.slots:
        parts[slot.words.name in design.average].append(slot)
    inner, outer = arranged(replace(shape, slots=tuple(parts[True]))), shape
    if inner.slots or averaged:
        pairs = enumerate(shape.domains)
        domains = tuple(domain[:1] if n in averaged else domain for n, domain in pairs)
        outer = arranged(replace(shape, slots=tuple(parts[False]), domains=domains))
    swaps = tuple(
        (names.index(one), names.index(other))
        for one, other in design.swap
        if one in names and other in names
    )
    return ItemShape(shape, counted(outer), inner, frozenset(averaged), swaps)


def wordings(frame: ItemShape, item: Derivation) -> Iterator[Derivation]:
    """Yield the wordings of an item: the averaged letters slowest, then the averaged words, then
    the order of the words that are swapped."""
    domains = (
        frame.shape.domains[n] if n in frame.averaged else (value,)
        for n, value in enumerate(item.values)
    )
    averaged = {slot.words.name for slot in frame.inner.slots}
    for values in product(*domains):
        for inner in fillings(frame.inner, values):
            parts = {True: iter(inner), False: iter(item.entries)}
            entries = [next(parts[slot.words.name in averaged]) for slot in frame.shape.slots]
            for exchanged in product((False, True), repeat=len(frame.swaps)):
                order = list(entries)
                for (slot, other), is_exchanged in zip(frame.swaps, exchanged, strict=True):
                    if is_exchanged:
                        order[slot], order[other] = order[other], order[slot]
                yield Derivation(item.grammar, frame.shape, values, tuple(order))


def faults_of_wordings(shape: Shape, design: Design) -> Iterator[tuple[str, str, ErrorKind]]:
    """Yield what is wrong and what would be right where an item would have no wording, or where
    words are swapped that are not both in the template once and fit both slots."""
    frame = item_shape(shape, design)
    averaged = design.average
    rows = [{shape.slots[n].words.name in averaged for n in choice} for choice in shape.choices]
    tied = {n for slot in frame.outer.slots for n in slot.binding()}
    if any(len(row) > 1 for row in rows) or not tied.isdisjoint(frame.averaged):
        yield (
            "averages over what only some items can have",
            "average over what all words go with",
            "format",
        )
    elif not _all_worded(frame):
        yield "has items without a wording", "average over what goes with all words", "format"
    for pair in design.swap:
        names = [slot.words.name for slot in shape.slots if slot.words.name in pair]
        if names and sorted(names) != sorted(pair):
            yield (
                f"cannot swap {' and '.join(pair)}",
                "name lists that are both in it, once each",
                "format",
            )
    for slots in frame.swaps:
        one, other = (shape.slots[n] for n in slots)
        if not (_fits(shape, one, other) and _fits(shape, other, one)):
            wrong = f"swaps {one.words.name} and {other.words.name}"
            yield wrong, "swap lists whose words all fit both slots", "conflict"


def _all_worded(frame: ItemShape) -> bool:
    """Return whether the averaged words can be filled in for all that tells items apart."""
    for table in counted(frame.inner).tables:
        for key, n in table.counts.items():
            values = dict(zip(table.variables, key, strict=True))
            values = {n: value for n, value in values.items() if n not in frame.averaged}
            if not n and n_with(frame.outer, values):
                return False
    return True


def _fits(shape: Shape, slot: Slot, other: Slot) -> bool:
    """Return whether every word that can be in one slot can be in the other, in every condition."""
    for values in assignments(shape, (slot, other)):
        for condition in range(shape.n_conditions):
            features = other.values(values, condition)
            for entry in admitted(slot, values):
                if not features.keys() >= {*entry.varies} or not entry.admits(features):
                    return False
    return True


def demand_design(grammar: Grammar) -> Design:
    """Return what the section `[suite]` says. Raise `InputError` if there is none."""
    if grammar.design is None:
        right = "write a section [suite], or use --make treebank"
        raise InputError(grammar.location, "it has no section [suite]", right, kind="missing")
    return grammar.design


def frames_of(grammar: Grammar) -> tuple[Design, list[ItemShape]]:
    """Return the design of a grammar and the parts of its shapes."""
    design = demand_design(grammar)
    return design, [item_shape(shape, design) for shape in grammar.shapes]


def n_items(grammar: Grammar) -> int:
    """Return the number of items of a grammar, counted without making any.

    Args:
        grammar: with a section `[suite]`, as for all functions on items of grammars.

    Returns:
        The number.

    Raises:
        InputError: the grammar has no section `[suite]`.

    >>> from colorless_green.nonce import parse_grammar, template_text
    >>> n_items(parse_grammar(template_text("reflexives"), "reflexives.toml"))
    960
    """
    return sum(frame.outer.n for frame in frames_of(grammar)[1])


def all_items(grammar: Grammar) -> Iterator[Item]:
    """Make every item of a grammar once.

    Args:
        grammar: with a section `[suite]`.

    Returns:
        The items, one at a time, in the order of the grammar's derivations.

    Raises:
        InputError: the grammar has no section `[suite]`.

    >>> from colorless_green.nonce import parse_grammar, template_text
    >>> grammar = parse_grammar(template_text("reflexives"), "reflexives.toml")
    >>> {name: text_of(ways[0]) for name, ways in next(all_items(grammar)).conditions.items()}
    {'baseline': 'The baker that the janitor knew blamed himself.',
     'distractor': 'The baker that the janitors knew blamed himself.',
     'ungrammatical': 'The bakers that the janitor knew blamed himself.'}
    """
    design, frames = frames_of(grammar)
    outer = replace(grammar, shapes=tuple(frame.outer for frame in frames))
    return _items(derivations(outer), design, frames)


def sampled_items(grammar: Grammar, n: int, seed: int) -> Iterator[Item]:
    """Draw different items of a grammar at random.

    Args:
        grammar: with a section `[suite]`.
        n: how many; the first k are those of a sample of k.
        seed: the same seed gives the same items.

    Returns:
        The items, one at a time.

    Raises:
        InputError: there are fewer than `n`, or the grammar has no section `[suite]`.

    >>> from colorless_green.nonce import parse_grammar, template_text
    >>> grammar = parse_grammar(template_text("reflexives"), "reflexives.toml")
    >>> text_of(next(sampled_items(grammar, 1, seed=0)).conditions["baseline"][0])
    'The kings said that the princes ruined themselves.'
    """
    design, frames = frames_of(grammar)
    outer = replace(grammar, shapes=tuple(frame.outer for frame in frames))
    return _items(sample(outer, n, seed, "items of a grammar that makes"), design, frames)


def predictions_of(grammar: Grammar) -> tuple[Prediction, ...]:
    """Return the predictions that every item of a grammar has.

    Args:
        grammar: with a section `[suite]`.

    Returns:
        Those of the section `[suite]` that are only about conditions and regions of every template.

    Raises:
        InputError: the grammar has no section `[suite]`.

    >>> from colorless_green.nonce import parse_grammar, template_text
    >>> grammar = parse_grammar(template_text("reflexives"), "reflexives.toml")
    >>> [prediction.name for prediction in predictions_of(grammar)]
    ['licensing']
    """
    design = demand_design(grammar)
    return tuple(
        prediction
        for prediction in design.predictions
        if all(
            applies(prediction, shape, design.conditions[shape.template])
            for shape in grammar.shapes
        )
    )


def predictions_for(grammar: Grammar, item: Item) -> tuple[Prediction, ...]:
    """Return the predictions of one item of a grammar.

    Args:
        grammar: with a section `[suite]`.
        item: of this grammar.

    Returns:
        Those of the section `[suite]` that are only about conditions and regions of the item.

    Raises:
        InputError: the grammar has no section `[suite]`.

    >>> from colorless_green.nonce import parse_grammar, template_text
    >>> grammar = parse_grammar(template_text("reflexives"), "reflexives.toml")
    >>> [prediction.name for prediction in predictions_for(grammar, next(all_items(grammar)))]
    ['licensing']
    """
    regions = {WHOLE, *(region.region for group in item.conditions.values() for region in group[0])}
    return tuple(
        prediction
        for prediction in demand_design(grammar).predictions
        if all(key in item.conditions and region in regions for key, region in prediction.cells())
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

    >>> from colorless_green.nonce import parse_grammar, template_text
    >>> next(item_counts(parse_grammar(template_text("reflexives"), "reflexives.toml")))
    {'template': '1a', 'cell': 'himself', 'n_items': 70, 'n_sentences': 3360}
    """
    design, frames = frames_of(grammar)
    for template, shapes in groupby(frames, key=lambda frame: frame.shape.template):
        items: Counter[str] = Counter()
        sentences: Counter[str] = Counter()
        for frame in shapes:
            shape = frame.shape
            terms = _letters(design, shape).values()
            shown = sorted({term.base for term in terms if isinstance(term.base, int)})
            for key in product(*(shape.domains[n] for n in shown)):
                values = dict(zip(shown, key, strict=True))
                cell = "-".join(term.value(values) for term in terms)
                items[cell] += n_with(frame.outer, values)
                n_wordings = n_with(shape, values) << len(frame.swaps)
                sentences[cell] += n_wordings * shape.n_conditions
        for cell, n in items.items():
            if n:
                yield dict(zip(COUNTED, (template, cell, n, sentences[cell]), strict=True))


def _letters(design: Design, shape: Shape) -> dict[str, Term]:
    """Return the template's letters by the facts they are, without what is averaged."""
    return {
        design.letters[name]: term
        for name, term in shape.letters.items()
        if name in design.letters and name not in design.average and not term.changes
    }


def _items(
    chosen: Iterable[Derivation], design: Design, frames: Sequence[ItemShape]
) -> Iterator[Item]:
    """Yield the item of each derivation of the outer shapes."""
    for outer in chosen:
        frame, grammar = frames[outer.shape.number], outer.grammar
        template = outer.shape.template
        facts = {
            fact: term.value(outer.values) for fact, term in _letters(design, frame.shape).items()
        }
        names = design.conditions[template]
        versions = [*wordings(frame, outer)]
        conditions = {
            name: tuple(wording(realised(version, number)) for version in versions)
            for number, name in enumerate(names)
        }
        pairs = zip(outer.shape.slots, outer.entries, strict=True)
        words = [slot.words.entries.index(entry) for slot, entry in pairs]
        set_id = item_id(grammar.name, template, outer.shape.number, *words)
        values = [value for n, value in enumerate(outer.values) if n not in frame.averaged]
        texts = (text_of(regions) for group in conditions.values() for regions in group)
        yield Item(
            item_id=item_id(set_id, *values, *texts),
            kind="template",
            cluster_id=set_id,
            language=grammar.language,
            source=grammar.name,
            licence=grammar.licence,
            conditions=conditions,
            set_id=set_id,
            cell="-".join(facts.values()),
            facts={"construction": template, **design.facts[template], **facts},
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
    named_tokens = [n for n, label in enumerate(labels) if label]
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
