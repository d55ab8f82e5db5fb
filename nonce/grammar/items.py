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
from colorless_green.nonce.grammar.count import by_values
from colorless_green.nonce.grammar.design import BETWEEN, applies
from colorless_green.nonce.grammar.expand import count, derivations, sample
from colorless_green.nonce.grammar.language import Change, Derivation, Design, Grammar, Key
from colorless_green.nonce.grammar.surface import Sentence, realised
from colorless_green.nonce.grammar.wordings import (
    Frame,
    frame_of,
    items_of,
    n_wordings,
    wordings,
)
from colorless_green.nonce.item import (
    PREFIX,
    REST,
    TARGET,
    Item,
    Region,
    Wording,
    item_id,
    sentence_text,
)
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
        raise InputError(
            grammar.place, "it has no section [suite]", "[suite], or --conllu", kind="missing"
        )
    frames = tuple(frame_of(shape, design, grammar.features) for shape in grammar.shapes)
    return Material(grammar, design, frames, items_of(grammar, frames))


def n_items(found: Material) -> int:
    """How many items there are, without making any."""
    return count(found.items)


def all_items(found: Material) -> Iterator[Item]:
    """Every item once, in the order of the grammar."""
    return (_item(found, each) for each in derivations(found.items))


def sampled_items(found: Material, n: int, seed: int) -> Iterator[Item]:
    """`n` different items at random; the first k are those of a sample of k. Raises `InputError`
    if there are fewer than `n`."""
    total = n_items(found)
    if n > total:
        wrong = f"{n} items of a grammar that makes {total}"
        raise InputError(found.grammar.place, wrong, f"{total} at most", kind="value")
    return (_item(found, each) for each in sample(found.items, n, seed))


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
    features = found.grammar.features
    for template, own in groupby(found.frames, key=lambda frame: frame.shape.template):
        n_items_of: Counter[str] = Counter()
        n_sentences_of: Counter[str] = Counter()
        for frame in own:
            for values, n in by_values(frame.outer, features):
                name = "-".join(_cell(found, frame, values).values())
                n_items_of[name] += n
                n_sentences_of[name] += (
                    n * frame.shape.n_conditions * n_wordings(frame, values, features)
                )
        for name, n in n_items_of.items():
            if n:
                n_sentences = n_sentences_of[name]
                yield dict(zip(COUNTED, (template, name, n, n_sentences), strict=True))


def _cell(found: Material, frame: Frame, values: Key) -> dict[str, str]:
    """The values of the template's letters by the facts they are, less what is averaged."""
    outer = dict(zip(frame.variables, values, strict=True))
    shown = {
        name: term
        for name, term in frame.shape.letters
        if name in found.design.letters and name not in found.design.average
    }
    return {
        found.design.letters[name]: term if isinstance(term, str) else outer[term]
        for name, term in shown.items()
        if not isinstance(term, Change)
    }


def _item(found: Material, outer: Derivation) -> Item:
    grammar, design = found.grammar, found.design
    frame = found.frames[outer.shape.number]
    template = frame.shape.template
    letters = _cell(found, frame, outer.values)
    ways = tuple(wordings(frame, outer, grammar.features))
    conditions = {
        name: tuple(wording(realised(replace(each, condition=number))) for each in ways)
        for number, name in enumerate(design.conditions[template])
    }
    words = [
        slot.words.entries.index(entry)
        for slot, entry in zip(outer.shape.slots, outer.entries, strict=True)
    ]
    set_id = item_id(grammar.name, template, frame.shape.number, *words)
    texts = (sentence_text(each) for own in conditions.values() for each in own)
    return Item(
        item_id=item_id(set_id, *outer.values, *texts),
        kind="template",
        cluster_id=set_id,
        language=grammar.language,
        source=grammar.name,
        licence=grammar.licence,
        conditions=conditions,
        set_id=set_id,
        cell="-".join(letters.values()),
        facts={
            "construction": template,
            **design.facts[template],
            **letters,
        },
    )


def wording(sentence: Sentence) -> Wording:
    """A sentence as regions: those named in its template, or else `target`, which is what changes;
    `prefix` before the first of them, `rest` after the last (both also where they are empty), and
    `between` in between. A token of several words belongs to the first of them that has a region.
    """
    words = sentence.words
    named = any(word.region for word in words)
    labels = [
        next(
            (
                label
                for word in words[token.first : token.first + token.n_words]
                if (label := word.region if named else TARGET * word.marked)
            ),
            "",
        )
        for token in sentence.tokens
    ]
    first = next(n for n, label in enumerate(labels) if label)
    last = max(n for n, label in enumerate(labels) if label)
    labels = [
        label or (PREFIX if n < first else REST if n > last else BETWEEN)
        for n, label in enumerate(labels)
    ]
    regions = []
    start = 0
    for label, run in groupby(labels):
        end = start + len(list(run))
        regions.append(_region(sentence, label, start, end))
        start = end
    before = () if first else (Region(PREFIX, (), ""),)
    after = () if last + 1 < len(labels) else (Region(REST, (), ""),)
    return (*before, *regions, *after)


def _region(sentence: Sentence, label: str, start: int, end: int) -> Region:
    tokens = sentence.tokens[start:end]
    text = "".join(
        (" " if n and sentence.tokens[n - 1].space_after else "") + sentence.tokens[n].text
        for n in range(start, end)
    )
    return Region(label, tuple(token.text for token in tokens), text)
