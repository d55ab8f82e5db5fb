"""An item as a pair of sentences: what formats of minimal pairs can hold of it.

An item is a pair if its conditions are `right` and `wrong`, one sentence each. Where both sentences
are prefix, target and rest, they have parts; then the pair is of the *one-prefix* kind if the
prefixes are equal (two words after one prefix), and of the *two-prefix* kind if the target words
are (one word after two prefixes; Warstadt et al. 2020, §6.4).
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import NamedTuple

import numpy as np

from colorless_green.data.errors import InputError
from colorless_green.nonce.formats.records import malformed
from colorless_green.nonce.item import (
    PREFIX,
    REST,
    RIGHT,
    TARGET,
    WRONG,
    Item,
    Wording,
    sentence_text,
)
from colorless_green.nonce.prediction import Prediction, parse
from colorless_green.nonce.suite import AGREEMENT, Suite
from colorless_green.nonce.table import ItemTable, table_of_pairs

ONE_PREFIX, TWO_PREFIX = "one_prefix", "two_prefix"
SENTENCE = "sentence"  # the one region of a sentence without parts
LONGEST_NAME = 120  # file systems take 255 bytes, and names are put together from these
FULL: Prediction = parse("(*;%right%) < (*;%wrong%)", "full", "full prediction")
"""The whole right sentence is more probable than the wrong one."""
BY_PREFIX = parse(AGREEMENT.source, "prefix", "prefix prediction")
"""The target is more probable in the right sentence: by one prefix or by two."""


class Parts(NamedTuple):
    """A sentence as `prefix + gap + word + rest`; the gap is white space, the word begins and ends
    with none."""

    prefix: str
    gap: str
    word: str
    rest: str

    @property
    def sentence(self) -> str:
        """The four of them together."""
        return self.prefix + self.gap + self.word + self.rest


class Pair(NamedTuple):
    """Two sentences as a person reads them, and their parts if both have them."""

    right: str
    wrong: str
    parts: tuple[Parts, Parts] | None

    @property
    def method(self) -> str:
        """ONE_PREFIX, TWO_PREFIX, or "" for a pair of whole sentences. Equal sentences with parts
        have one prefix."""
        if self.parts is None:
            return ""
        right, wrong = self.parts
        if right.prefix == wrong.prefix:
            return ONE_PREFIX
        return TWO_PREFIX if right.word == wrong.word else ""


def pair_of(item: Item) -> Pair:
    """An item as a pair. Raises `InputError` for other conditions and for several sentences in one,
    which no format of pairs can hold."""
    place, right = f"item {item.item_id}", "--format syntaxgym"
    if set(item.conditions) != {RIGHT, WRONG}:
        wrong = f"its conditions are {', '.join(item.conditions)}; pairs have right and wrong"
        raise InputError(place, wrong, right, kind="unsupported")
    for name, own in item.conditions.items():
        if len(own) != 1:
            wrong = f"{len(own)} sentences in the condition {name!r}; pairs have one"
            raise InputError(place, wrong, right, kind="unsupported")
    wordings = [item.conditions[name][0] for name in (RIGHT, WRONG)]
    parts = [_parts(wording) for wording in wordings]
    right, wrong = map(sentence_text, wordings)
    if not (right.strip() and wrong.strip()):
        raise malformed(place, "an empty sentence", "two sentences")
    return Pair(right, wrong, (parts[0], parts[1]) if parts[0] and parts[1] else None)


def _parts(wording: Wording) -> Parts | None:
    if tuple(region.region for region in wording) != (PREFIX, TARGET, REST):
        return None
    prefix, target, rest = (region.text for region in wording)
    word = target.strip()
    if not word:
        return None
    gap, _, after = target.partition(word)
    return Parts(prefix, gap, word, after + rest)


def cut(sentence: str, prefix: str, word: str) -> Parts | None:
    """The parts of a sentence that begins with `prefix`, white space or none, and `word`; `None`
    if it begins otherwise."""
    after = sentence.removeprefix(prefix)
    bare = after.lstrip()
    if not (word and sentence.startswith(prefix) and bare.startswith(word)):
        return None
    return Parts(prefix, after[: len(after) - len(bare)], word, bare[len(word) :])


def parted(right: str, wrong: str) -> tuple[Parts, Parts] | None:
    """The parts of two sentences that differ in one stretch of blank-separated words: those before
    it are the prefix. `None` where a sentence has no word of its own."""
    sides = [re.findall(r"\s*\S+", sentence) for sentence in (right, wrong)]
    n_before = _n_equal(*sides)
    n_after = _n_equal(*(side[:n_before:-1] for side in sides))  # one word at least is the target
    found = []
    for side in sides:
        target = "".join(side[n_before : len(side) - n_after])
        word = target.strip()
        if not word:
            return None
        prefix = "".join(side[:n_before])
        rest = "".join(side[len(side) - n_after :])
        found.append(Parts(prefix, target[: -len(word)], word, rest))
    return found[0], found[1]


def _n_equal(one: Sequence[str], other: Sequence[str]) -> int:
    """How many words the two have in common at their beginning."""
    for number, (word, its) in enumerate(zip(one, other, strict=False)):
        if word != its:
            return number
    return min(len(one), len(other))


def suite_of_pairs(
    name: str,
    rows: Iterable[tuple[tuple[str | bool, ...], Pair]],
    words: Callable[[str], Sequence[str]] | None = None,
) -> Suite:
    """Pairs in columns, and what is predicted of them: FULL, and BY_PREFIX where all have parts.

    Args:
        name: the suite's.
        rows: of `nonce.table.SCHEMA`, each with its pair.
        words: those of a region's text; None: those of `penn`.
    """
    found = ((row, _texts(pair)) for row, pair in rows)
    names = {1: (SENTENCE,), 3: (PREFIX, TARGET, REST)}
    table = table_of_pairs(found, (RIGHT, WRONG), names)
    if words is not None:
        own = [tuple(words(text)) for text in table.sentences.texts]
        table = ItemTable(table.frame, replace(table.sentences, words=own))
    n_regions = np.diff(table.sentences.of_sentence)
    return Suite(name, table, (FULL, BY_PREFIX) if (n_regions == 3).all() else (FULL,))


def _texts(pair: Pair) -> tuple[str, ...]:
    """Of the regions, condition by condition."""
    if pair.parts is None:
        return pair.right, pair.wrong
    (before, gap, word, rest), (before_, gap_, word_, rest_) = pair.parts
    return before, gap + word, rest, before_, gap_ + word_, rest_


def construction_of(item: Item) -> str:
    """What a published set calls a paradigm, phenomenon or case, and a mined one a construction."""
    if item.agreement is not None:
        return item.agreement.construction
    return item.facts.get("uid") or item.facts.get("construction") or "items"


def groups_of(suite: Suite) -> dict[str, str]:
    """Item id → the name of its construction, one that can be a file's: letters A–Z, digits and
    `_`. Two that would be the same, in any case of the letters, are told apart by numbers. Raises
    `InputError` for a suite without items."""
    if not suite.items:
        place, wrong = f"suite {suite.name}", "there is no item in it"
        raise InputError(place, wrong, "a suite with items", kind="empty")
    labels = {item.item_id: construction_of(item) for item in suite.items}
    names = distinct(list(labels.values()))
    return {identity: names[label] for identity, label in labels.items()}


def distinct(labels: Sequence[str]) -> Mapping[str, str]:
    """For each label a name that can be a file's, different from those of the others."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for label in dict.fromkeys(labels):
        name = next(each for each in _candidates(plain_name(label)) if each.casefold() not in taken)
        taken.add(name.casefold())
        names[label] = name
    return names


def _candidates(name: str) -> Iterator[str]:
    yield name
    for suffix in map("_{}".format, count(2)):
        yield name[: LONGEST_NAME - len(suffix)] + suffix


def plain_name(label: str) -> str:
    """`label` in the characters A–Z, a–z, 0–9 and `_`, 120 of them at most."""
    return re.sub(r"[^A-Za-z0-9_]+", "_", label)[:LONGEST_NAME] or "items"
