"""Derivations as items: conditions, regions, facts, and the factorial block an item stands in.

One derivation is one item, or, where the design averages, one of its wordings: a design may average
over letters and word lists (`average`) and over the order of two words (`swap`), and derivations
that differ in nothing else are wordings of one item. So an item is a derivation of a smaller shape,
the one without the averaged slots in which the averaged variables have one value, and items are
counted, enumerated and drawn as the derivations of that shape are.

The items of a template that have the same words and other values of its letters are a set: they
share `set_id` (and are one cluster for intervals), and `cell` names their values.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, product

from ...data.errors import InputError
from ...data.items.item import PREFIX, REST, TARGET, Item, Region, Wording, item_id
from ...data.items.item import sentence_text as text_of
from ...data.items.prediction import WHOLE, Prediction
from ...data.tables import Row
from ._notation import TomlSource
from .expand import (
    admits,
    by_values,
    derivations,
    fillings,
    n_derivations,
    options,
    row_of,
    sample,
    with_counts,
)
from .grammar import Derivation, Design, Grammar, LexicalEntry, Shape, ValueKey, resolved
from .written_tokens import DerivedSentence, realised, sentence_text

COUNTED = ("template", "cell", "n_items", "n_sentences")
BETWEEN = "between"  # the region of what stands between two that have a name


def regions_of(shape: Shape) -> tuple[str, ...]:
    """The regions its sentences can have: those named in the template, or else the target, which
    is what changes; and what stands before, between and after."""
    named_regions = dict.fromkeys(slot.region for slot in shape.slots if slot.region)
    return (PREFIX, *(named_regions or (TARGET,)), BETWEEN, REST)


def applies(prediction: Prediction, shape: Shape, conditions: Sequence[str]) -> bool:
    """Whether the items of a shape have all that a prediction speaks of."""
    regions = {WHOLE, *regions_of(shape)} - {BETWEEN}
    return all(key in conditions and region in regions for key, region in prediction.cells())


@dataclass(frozen=True, slots=True)
class ItemShape:
    """A shape in two parts: what tells items apart, and what the wordings of an item differ in."""

    shape: Shape
    outer: Shape  # its derivations are the items
    slots: tuple[int, ...]  # the place in `shape` of each slot of `outer`
    inner: Shape  # the averaged slots
    averaged: frozenset[int]  # variables that have one value in `outer`
    swaps: tuple[tuple[int, int], ...]  # slots of `shape`


def frame_of(shape: Shape, design: Design) -> ItemShape:
    """The frame of a shape; where nothing is averaged, `outer` is the shape itself."""
    names = [slot.words.name for slot in shape.slots]
    swaps = tuple(
        (names.index(list_name), names.index(other_list))
        for list_name, other_list in design.swap
        if list_name in names and other_list in names
    )
    averaged = set()
    for number in range(len(shape.variables)):
        letters = [name for name, term in shape.letters if term == (number,)]
        lists = [s.words.name for s in shape.slots if any(t[0] == number for _, t in s.terms)]
        if not design.average.isdisjoint(letters) if letters else design.average.issuperset(lists):
            averaged.add(number)
    fixed = tuple(n for n, name in enumerate(names) if name not in design.average)
    inner = tuple(slot for slot in shape.slots if slot.words.name in design.average)
    outer = shape
    if inner or averaged:
        domains = enumerate(shape.domains)
        pinned = tuple(domain[:1] if n in averaged else domain for n, domain in domains)
        slots = tuple(shape.slots[n] for n in fixed)
        outer = with_counts(replace(shape, slots=slots, domains=pinned))
    return ItemShape(shape, outer, fixed, replace(shape, slots=inner), frozenset(averaged), swaps)


def wordings(frame: ItemShape, item: Derivation) -> Iterator[Derivation]:
    """The wordings of an item: the averaged letters slowest, then the averaged words, then the
    order of the words that are swapped."""
    base = dict(zip(frame.slots, item.entries, strict=True))
    for values in _with_averaged(frame, item.values):
        for inner in fillings(frame.inner, values):
            fill = iter(inner)
            entries = [base[n] if n in base else next(fill) for n in range(len(frame.shape.slots))]
            for exchanged in product((False, True), repeat=len(frame.swaps)):
                order: list[LexicalEntry] = list(entries)
                for (slot, other_slot), is_exchanged in zip(frame.swaps, exchanged, strict=True):
                    if is_exchanged:
                        order[slot], order[other_slot] = order[other_slot], order[slot]
                yield Derivation(item.grammar, frame.shape, values, tuple(order))


def n_wordings(frame: ItemShape, values: ValueKey) -> int:
    """How many wordings the items with these values have."""
    assignments = _with_averaged(frame, values)
    return sum(1 for full in assignments for _ in fillings(frame.inner, full)) << len(frame.swaps)


def _with_averaged(frame: ItemShape, values: ValueKey) -> Iterator[ValueKey]:
    """The values of an item with every choice of the averaged ones."""
    return product(
        *(
            frame.shape.domains[n] if n in frame.averaged else (value,)
            for n, value in enumerate(values)
        )
    )


def check_wordings(shapes: Sequence[Shape], design: Design, source: TomlSource) -> None:
    """Raises `InputError` for a template in which an item would have no wording, or in which words
    are swapped that do not both stand there once and fit both places."""
    for shape in shapes:
        label, keys = f"the template {shape.template!r}", ("sentences", shape.template)
        frame = frame_of(shape, design)
        if frame.outer is not shape and not _all_worded(frame):
            right = "words that go with everything averaged over"
            raise source.error(f"{label} averages over what only some items can have", right, *keys)
        for pair in design.swap:
            names = [slot.words.name for slot in shape.slots if slot.words.name in pair]
            if names and sorted(names) != sorted(pair):
                wrong = f"{label} cannot swap {' and '.join(pair)}"
                raise source.error(wrong, "both of them, once each", *keys)
        for i, j in frame.swaps:
            if not (_fits_slot(shape, i, j) and _fits_slot(shape, j, i)):
                names = [shape.slots[n].words.name for n in (i, j)]
                wrong = f"{label} swaps {' and '.join(names)}"
                raise source.error(wrong, "words that all fit both places", *keys, kind="conflict")


def _all_worded(frame: ItemShape) -> bool:
    """Whether the words that tell items apart go with all that is averaged over, and the averaged
    words with all that tells items apart."""
    shape = frame.shape
    for index in range(len(shape.slots)):
        if len({n in frame.slots for n in row_of(shape, index)}) > 1:
            return False
    allowed: dict[ValueKey, tuple[tuple[int, ...], ...]] = {}
    for values in product(*shape.domains):
        key = tuple(value for n, value in enumerate(values) if n not in frame.averaged)
        choices = tuple(options(shape, n, values) for n in frame.slots)
        if allowed.setdefault(key, choices) != choices:
            return False
        if all(choices) and next(fillings(frame.inner, values), None) is None:
            return False
    return True


def _fits_slot(shape: Shape, slot: int, other_slot: int) -> bool:
    """Whether every word that can stand at one place can stand at the other, in every condition."""
    entries, terms = shape.slots[slot].words.entries, shape.slots[other_slot].terms
    for values in product(*shape.domains):
        words = [entries[n] for n in options(shape, slot, values)]
        for condition in range(shape.n_conditions):
            features = {feature: resolved(term, values, condition) for feature, term in terms}
            if any(not features.keys() >= set(e.varies) or not admits(e, features) for e in words):
                return False
    return True


@dataclass(frozen=True, slots=True)
class ItemGrammar:
    """A grammar with a design, ready to make items."""

    grammar: Grammar
    design: Design
    frames: tuple[ItemShape, ...]  # one for each shape
    items: Grammar  # its derivations are the items


def material(grammar: Grammar) -> ItemGrammar:
    """A grammar made ready for items.

    Args:
        grammar: with a section `[suite]`.

    Returns:
        What the other functions on items of grammars take.

    Raises:
        InputError: the grammar has no section `[suite]`.

    >>> from colorless_green.nonce import parse_grammar, template_text
    >>> n_items(material(parse_grammar(template_text("reflexives"), "reflexives.toml")))
    960
    """
    design = grammar.design
    if design is None:
        wrong, right = "it has no section [suite]", "[suite], or --make treebank"
        raise InputError(grammar.location, wrong, right, kind="missing")
    frames = tuple(frame_of(shape, design) for shape in grammar.shapes)
    items = replace(grammar, shapes=tuple(frame.outer for frame in frames))
    return ItemGrammar(grammar, design, frames, items)


def n_items(prepared: ItemGrammar) -> int:
    """The number of items of a grammar, counted without making any.

    Args:
        prepared: what `material` returned.

    Returns:
        How many there are.

    >>> from colorless_green.nonce import parse_grammar, template_text
    >>> n_items(material(parse_grammar(template_text("reflexives"), "reflexives.toml")))
    960
    """
    return n_derivations(prepared.items)


def all_items(prepared: ItemGrammar) -> Iterator[Item]:
    """Every item of a grammar once.

    Args:
        prepared: what `material` returned.

    Returns:
        The items, one at a time, in the order of the grammar's derivations.

    >>> from colorless_green.nonce import parse_grammar, template_text
    >>> found = material(parse_grammar(template_text("reflexives"), "reflexives.toml"))
    >>> {name: text_of(ways[0]) for name, ways in next(all_items(found)).conditions.items()}
    {'baseline': 'The baker that the janitor knew blamed himself.',
     'distractor': 'The baker that the janitors knew blamed himself.',
     'ungrammatical': 'The bakers that the janitor knew blamed himself.'}
    """
    return (_item(prepared, derivation) for derivation in derivations(prepared.items))


def sampled_items(prepared: ItemGrammar, n: int, seed: int) -> Iterator[Item]:
    """Different items of a grammar at random.

    Args:
        prepared: what `material` returned.
        n: how many; the first k are those of a sample of k.
        seed: the same seed gives the same items.

    Returns:
        The items, one at a time.

    Raises:
        InputError: there are fewer than `n`.

    >>> from colorless_green.nonce import parse_grammar, template_text
    >>> found = material(parse_grammar(template_text("reflexives"), "reflexives.toml"))
    >>> text_of(next(sampled_items(found, 1, seed=0)).conditions["baseline"][0])
    'The kings said that the princes ruined themselves.'
    """
    chosen = sample(prepared.items, n, seed, "items of a grammar that makes")
    return (_item(prepared, derivation) for derivation in chosen)


def predictions_of(prepared: ItemGrammar) -> tuple[Prediction, ...]:
    """The predictions that every item of a grammar has.

    Args:
        prepared: what `material` returned.

    Returns:
        Those of the section `[suite]` that speak only of conditions and regions of every template.

    >>> from colorless_green.nonce import parse_grammar, template_text
    >>> found = material(parse_grammar(template_text("reflexives"), "reflexives.toml"))
    >>> [prediction.name for prediction in predictions_of(found)]
    ['licensing']
    """
    conditions = prepared.design.conditions
    return tuple(
        prediction
        for prediction in prepared.design.predictions
        if all(
            applies(prediction, shape, conditions[shape.template])
            for shape in prepared.grammar.shapes
        )
    )


def predictions_for(prepared: ItemGrammar, item: Item) -> tuple[Prediction, ...]:
    """The predictions of one item of a grammar.

    Args:
        prepared: what `material` returned.
        item: of this material.

    Returns:
        Those of the section `[suite]` that speak only of conditions and regions of the item.

    >>> from colorless_green.nonce import parse_grammar, template_text
    >>> found = material(parse_grammar(template_text("reflexives"), "reflexives.toml"))
    >>> [prediction.name for prediction in predictions_for(found, next(all_items(found)))]
    ['licensing']
    """
    regions = {WHOLE, *(region.region for group in item.conditions.values() for region in group[0])}
    return tuple(
        prediction
        for prediction in prepared.design.predictions
        if all(key in item.conditions and region in regions for key, region in prediction.cells())
    )


def item_counts(prepared: ItemGrammar) -> Iterator[Row]:
    """How many items and sentences each template of a grammar has in each cell, without making any.

    Args:
        prepared: what `material` returned.

    Yields:
        Rows with `template`, `cell`, `n_items` and `n_sentences` (all wordings of all conditions).

    >>> from colorless_green.nonce import parse_grammar, template_text
    >>> found = material(parse_grammar(template_text("reflexives"), "reflexives.toml"))
    >>> next(item_counts(found))
    {'template': '1a', 'cell': 'himself', 'n_items': 70, 'n_sentences': 3360}
    """
    for template, frames in groupby(prepared.frames, key=lambda frame: frame.shape.template):
        items: Counter[str] = Counter()
        sentences: Counter[str] = Counter()
        for frame in frames:
            for values, n in by_values(frame.outer):
                name = "-".join(_cell(prepared, frame, values).values())
                items[name] += n
                sentences[name] += n * frame.shape.n_conditions * n_wordings(frame, values)
        for name, n in items.items():
            if n:
                yield dict(zip(COUNTED, (template, name, n, sentences[name]), strict=True))


def _cell(prepared: ItemGrammar, frame: ItemShape, values: ValueKey) -> dict[str, str]:
    """The values of the template's letters by the facts they are, less what is averaged."""
    design = prepared.design
    return {
        design.letters[name]: values[term[0]] if isinstance(term[0], int) else str(term[0])
        for name, term in frame.shape.letters
        if name in design.letters and name not in design.average and len(term) == 1
    }


def _item(prepared: ItemGrammar, outer: Derivation) -> Item:
    grammar, design = prepared.grammar, prepared.design
    frame = prepared.frames[outer.shape.number]
    template = frame.shape.template
    letters = _cell(prepared, frame, outer.values)
    versions = tuple(wordings(frame, outer))
    conditions = {
        name: tuple(wording(realised(replace(version, condition=number))) for version in versions)
        for number, name in enumerate(design.conditions[template])
    }
    pairs = zip(outer.shape.slots, outer.entries, strict=True)
    words = [slot.words.entries.index(entry) for slot, entry in pairs]
    set_id = item_id(grammar.name, template, frame.shape.number, *words)
    values = [value for n, value in enumerate(outer.values) if n not in frame.averaged]
    texts = (text_of(regions) for group in conditions.values() for regions in group)
    return Item(
        item_id=item_id(set_id, *values, *texts),
        kind="template",
        cluster_id=set_id,
        language=grammar.language,
        source=grammar.name,
        licence=grammar.licence,
        conditions=conditions,
        set_id=set_id,
        cell="-".join(letters.values()),
        facts={"construction": template, **design.facts[template], **letters},
    )


def wording(sentence: DerivedSentence) -> Wording:
    """A sentence as regions: those named in its template, or else `target`, which is what changes;
    `prefix` before the first of them, `rest` after the last (both also where they are empty), and
    `between` in between. A token of several words belongs to the first of them that has a region.
    """
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
