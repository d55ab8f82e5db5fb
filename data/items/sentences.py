"""The sentences of a suite's items as columns, from an item to its sentences to their regions.

Raw text as words, for suites that do not say how they are tokenised.

The manner of the Penn Treebank (Marcus et al. 1993), for word-level models: punctuation stands
apart, `hasn't` is `has n't`, `author's` is `author 's`. Letters of every script stay together;
where a script sets no blanks, a stretch without punctuation is one word.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, pairwise, repeat
from typing import TypeAlias

import numpy as np

from ..arrays import Codes, Integers, Truths, blocks, entries_of, offsets_of

CLITIC = re.compile(r"(?<=\w)(n['’]t|['’](?:s|re|ve|ll|d|m))$", re.IGNORECASE)
ABBREVIATION = re.compile(r"(?:\w\.){2,}")  # U.S.: its last dot belongs to it
INITIAL = re.compile(r"\w\.")  # J.: so does this one, unless the text ends there


def penn(text: str) -> tuple[str, ...]:
    """Return the words of a text, in the manner of the Penn Treebank (Marcus et al. 1993).

    Args:
        text: of one sentence or part of one.

    Returns:
        The words in order, none for a blank text. Joined with nothing in between they are the text
        without its white space.

    >>> penn("The authors' book hasn't sold.")
    ('The', 'authors', "'", 'book', 'has', "n't", 'sold', '.')
    """
    *chunks, last_chunk = text.split() or [""]
    if not "".join(chunks).isalnum():  # as they mostly are, and then words
        chunks = list(chain.from_iterable(map(_words, chunks, repeat(True))))
    return (*chunks, *_words(last_chunk, False))


@lru_cache(maxsize=1 << 17)  # a text has far fewer distinct stretches than stretches
def _words(chunk: str, goes_on: bool) -> tuple[str, ...]:
    start, end = 0, len(chunk)
    while start < end and _is_mark(chunk[start]) and CLITIC.fullmatch("x" + chunk[start:]) is None:
        start += 1
    while end > start and _is_mark(chunk[end - 1]):
        if ABBREVIATION.fullmatch(chunk, start, end):
            break
        if goes_on and INITIAL.fullmatch(chunk, start, end):
            break
        end -= 1
    core = chunk[start:end]
    clitic = CLITIC.search(core)
    cores = [core[: clitic.start()], clitic[0]] if clitic else [core]
    return (*chunk[:start], *(part for part in cores if part), *chunk[end:])


def _is_mark(letter: str) -> bool:
    """Return whether a letter is punctuation or a sign; the apostrophe of `'s` is dealt with by its
    own rule."""
    return unicodedata.category(letter)[0] in "PS"


RegionPart: TypeAlias = tuple[str, str, tuple[str, ...] | None]
"""A region as columns have it: its name, its text, and its words (None: those of `penn`)"""


class Numbered(dict[str, int]):
    """Texts by the number under which they first came."""

    def of(self, texts: Iterator[str]) -> Codes:
        return np.array([self.setdefault(text, len(self)) for text in texts], np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Sentences:
    """The sentences of items, condition by condition, and their regions."""

    conditions: tuple[str, ...]
    names: tuple[str, ...]  # of regions
    of_item: Integers  # (items + 1,): where the sentences of each begin
    condition: Codes  # (sentences,): index into `conditions`
    index: Codes  # (sentences,): which of the condition's sentences
    of_sentence: Integers  # (sentences + 1,): where the regions of each begin
    name: Codes  # (regions,): index into `names`
    chunk: Codes  # (regions,): index into `texts`
    texts: Sequence[str]  # distinct regions
    words: Sequence[tuple[str, ...] | None]  # their words; None is what `penn` makes of them

    def item(self) -> Integers:
        """Return (sentences,): the item of each."""
        return np.repeat(np.arange(len(self.of_item) - 1), np.diff(self.of_item))

    def sentence(self) -> Integers:
        """Return (regions,): the sentence of each."""
        return np.repeat(np.arange(len(self.of_sentence) - 1), np.diff(self.of_sentence))

    def take(self, rows: Integers) -> "Sentences":
        """Return the sentences of these items, in this order."""
        return self.gathered(*entries_of(self.of_item, rows))

    def gathered(self, sentences: Integers, of_item: Integers) -> "Sentences":
        """Return these sentences, in this order, where each item begins at `of_item`."""
        regions, of_sentence = entries_of(self.of_sentence, sentences)
        return replace(
            self, of_item=of_item, condition=self.condition[sentences], index=self.index[sentences],
            of_sentence=of_sentence, name=self.name[regions], chunk=self.chunk[regions],
        )  # fmt: skip

    def parts(self, sentence: int) -> list[RegionPart]:
        """Return the regions of a sentence."""
        span = slice(*self.of_sentence[sentence : sentence + 2])
        pairs = zip(self.name[span].tolist(), self.chunk[span].tolist(), strict=True)
        return [(self.names[name], self.texts[n], self.words[n]) for name, n in pairs]

    def texts_of(self, sentences: Integers) -> list[str]:
        """Return these sentences, as a person reads them."""
        whole: list[str] = []
        for rows in blocks(sentences):
            regions, offsets = entries_of(self.of_sentence, rows)
            texts = [self.texts[n] for n in self.chunk[regions].tolist()]
            whole += ["".join(texts[start:end]) for start, end in pairwise(offsets.tolist())]
        return whole

    def replaced(self, parts: Mapping[int, Sequence[RegionPart]]) -> "Sentences":
        """Return the sentences with other regions in some."""
        if not parts:
            return self
        rows = np.array(sorted(parts), np.int64)
        all_parts = [part for row in rows.tolist() for part in parts[row]]
        names = Numbered(zip(self.names, range(len(self.names)), strict=True))
        chunks: dict[tuple[str, tuple[str, ...] | None], int] = {}
        lengths = np.diff(self.of_sentence)
        lengths[rows] = [len(parts[row]) for row in rows.tolist()]
        of_sentence = offsets_of(lengths)
        unchanged, inside = np.ones(len(self.name), bool), np.ones(of_sentence[-1], bool)
        unchanged[entries_of(self.of_sentence, rows)[0]] = False
        inside[entries_of(of_sentence, rows)[0]] = False
        name, chunk = np.empty((2, of_sentence[-1]), np.int32)
        name[inside], chunk[inside] = self.name[unchanged], self.chunk[unchanged]
        name[~inside] = names.of(label for label, _, _ in all_parts)
        numbers = [chunks.setdefault((text, words), len(chunks)) for _, text, words in all_parts]
        chunk[~inside] = np.array(numbers, np.int64) + len(self.texts)
        return replace(
            self, names=tuple(names), of_sentence=of_sentence, name=name, chunk=chunk,
            texts=[*self.texts, *(text for text, _ in chunks)],
            words=[*self.words, *(words for _, words in chunks)],
        )  # fmt: skip

    def regions_are(self, names: Sequence[str]) -> Truths:
        """Return (sentences,): whether these are the regions of a sentence, in this order."""
        rows = np.flatnonzero(np.diff(self.of_sentence) == len(names))
        for position, name in enumerate(names):
            rows = rows[self.name[self.of_sentence[rows] + position] == code_of(name, self.names)]
        mask = np.zeros(len(self.condition), bool)
        mask[rows] = True
        return mask

    def has_text(self) -> Truths:
        """Return (sentences,): whether a sentence is more than blanks."""
        filled = np.array([bool(text.strip()) for text in self.texts], bool)[self.chunk]
        return np.bincount(self.sentence()[filled], minlength=len(self.condition)) > 0

    def words_of(self, chunk: int) -> tuple[str, ...]:
        """Return the words of a distinct region."""
        words = self.words[chunk]
        return penn(self.texts[chunk]) if words is None else words


def code_of(name: str, names: Sequence[str]) -> int:
    """Return the number of a name; −1, which nothing has, for one that is not there."""
    return names.index(name) if name in names else -1
