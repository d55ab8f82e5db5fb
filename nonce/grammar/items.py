"""Derivations as items: conditions, regions, facts, and the factorial block an item stands in.

One derivation is one item, or, where the design averages, one of its wordings. The items of a
template that have the same words and other values of its letters are a set: they share `set_id`
(and are one cluster for intervals), and `cell` names their values.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from colorless_green.data.errors import InputError
from colorless_green.data.tables import Row
from colorless_green.nonce.grammar.expand import by_values, count, derivations, sample
from colorless_green.nonce.grammar.language import Derivation, Design, Grammar, Key
from colorless_green.nonce.grammar.surface import Sentence, realised, sentence_text
from colorless_green.nonce.grammar.wordings import (
    BETWEEN,
    Frame,
    applies,
    frame_of,
    n_wordings,
    wordings,
)
from colorless_green.nonce.item import PREFIX, REST, TARGET, Item, Region, Wording, item_id
from colorless_green.nonce.item import sentence_text as text_of
from colorless_green.nonce.prediction import Prediction
from colorless_green.nonce.suite import WHOLE

COUNTED = ("template", "cell", "n_items", "n_sentences")


@dataclass(frozen=True, slots=True)
class Material:
    """A grammar with a design, ready to make items."""

    grammar: Grammar
    design: Design
    frames: tuple[Frame, ...]  # one for each shape
    items: Grammar  # its derivations are the items


def material(grammar: Grammar) -> Material:
    """The material of a grammar. Raises `InputError` where it has no section `[suite]`."""
    design = grammar.design
    if design is None:
        wrong, right = "it has no section [suite]", "[suite], or --conllu"
        raise InputError(grammar.place, wrong, right, kind="missing")
    frames = tuple(frame_of(shape, design) for shape in grammar.shapes)
    items = replace(grammar, shapes=tuple(frame.outer for frame in frames))
    return Material(grammar, design, frames, items)


def n_items(found: Material) -> int:
    """How many items there are, without making any."""
    return count(found.items)


def all_items(found: Material) -> Iterator[Item]:
    """Every item once, in the order of the grammar."""
    return (_item(found, each) for each in derivations(found.items))


def sampled_items(found: Material, n: int, seed: int) -> Iterator[Item]:
    """`n` different items at random; the first k are those of a sample of k. Raises `InputError`
    if there are fewer than `n`."""
    drawn = sample(found.items, n, seed, "items of a grammar that makes")
    return (_item(found, each) for each in drawn)


def predictions_of(found: Material) -> tuple[Prediction, ...]:
    """The predictions that every item of the material has."""
    conditions = found.design.conditions
    return tuple(
        each
        for each in found.design.predictions
        if all(applies(each, one, conditions[one.template]) for one in found.grammar.shapes)
    )


def predictions_for(found: Material, item: Item) -> tuple[Prediction, ...]:
    """The predictions of one item: those that speak of its conditions and regions alone."""
    regions = {WHOLE, *(each.region for own in item.conditions.values() for each in own[0])}
    return tuple(
        each
        for each in found.design.predictions
        if all(one in item.conditions and region in regions for one, region in each.cells())
    )


def counts(found: Material) -> Iterator[Row]:
    """How many items and sentences each template has in each cell, counted and not generated."""
    for template, own in groupby(found.frames, key=lambda frame: frame.shape.template):
        items: Counter[str] = Counter()
        sentences: Counter[str] = Counter()
        for frame in own:
            for values, n in by_values(frame.outer):
                name = "-".join(_cell(found, frame, values).values())
                items[name] += n
                sentences[name] += n * frame.shape.n_conditions * n_wordings(frame, values)
        for name, n in items.items():
            if n:
                yield dict(zip(COUNTED, (template, name, n, sentences[name]), strict=True))


def _cell(found: Material, frame: Frame, values: Key) -> dict[str, str]:
    """The values of the template's letters by the facts they are, less what is averaged."""
    design = found.design
    return {
        design.letters[name]: values[term[0]] if isinstance(term[0], int) else str(term[0])
        for name, term in frame.shape.letters
        if name in design.letters and name not in design.average and len(term) == 1
    }


def _item(found: Material, outer: Derivation) -> Item:
    grammar, design = found.grammar, found.design
    frame = found.frames[outer.shape.number]
    template = frame.shape.template
    letters = _cell(found, frame, outer.values)
    ways = tuple(wordings(frame, outer))
    conditions = {
        name: tuple(wording(realised(replace(each, condition=number))) for each in ways)
        for number, name in enumerate(design.conditions[template])
    }
    pairs = zip(outer.shape.slots, outer.entries, strict=True)
    words = [slot.words.entries.index(entry) for slot, entry in pairs]
    set_id = item_id(grammar.name, template, frame.shape.number, *words)
    values = [value for n, value in enumerate(outer.values) if n not in frame.averaged]
    texts = (text_of(each) for own in conditions.values() for each in own)
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


def wording(sentence: Sentence) -> Wording:
    """A sentence as regions: those named in its template, or else `target`, which is what changes;
    `prefix` before the first of them, `rest` after the last (both also where they are empty), and
    `between` in between. A token of several words belongs to the first of them that has a region.
    """
    words = sentence.words
    named = any(word.region for word in words)
    labels = []
    for token in sentence.tokens:
        own = words[token.first : token.first + token.n_words]
        found = [word.region if named else TARGET * word.marked for word in own]
        labels.append(next(filter(None, found), ""))
    is_named = [n for n, label in enumerate(labels) if label]
    first, last = is_named[0], is_named[-1]
    labels = [
        label or (PREFIX if n < first else REST if n > last else BETWEEN)
        for n, label in enumerate(labels)
    ]
    regions = [] if first else [Region(PREFIX, (), "")]
    start = 0
    for label, run in groupby(labels):
        end = start + len(list(run))
        tokens = sentence.tokens[start:end]
        blank = " " if start and sentence.tokens[start - 1].space_after else ""
        texts = tuple(token.text for token in tokens)
        regions.append(Region(label, texts, blank + sentence_text(tokens)))
        start = end
    after = () if last + 1 < len(labels) else (Region(REST, (), ""),)
    return (*regions, *after)
