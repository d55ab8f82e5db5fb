"""The sentences of a suite's items as columns of numbers; and a tokeniser for raw text.

The tokeniser `penn` is for suites that do not say how their sentences are cut into words. It cuts
as the Penn Treebank does (Marcus et al. 1993): punctuation stands apart, `hasn't` is `has n't`,
`author's` is `author 's`. Letters of every script stay together; in a script without blanks, a
stretch without punctuation is one word.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, pairwise, repeat
from typing import TypeAlias

import numpy as np

from ..arrays import Codes, Integers, Truths, blocks, entries_of, offsets_of, range_indices

CLITIC = re.compile(r"(?<=\w)(n['’]t|['’](?:s|re|ve|ll|d|m))$", re.IGNORECASE)
ABBREVIATION = re.compile(r"(?:\w\.){2,}")  # U.S.: its last dot belongs to it
INITIAL = re.compile(r"\w\.")  # J.: its dot belongs to it, too, unless the text ends there


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
    *pieces, last_piece = text.split() or [""]
    if not "".join(pieces).isalnum():  # most texts are letters and digits, already cut into words
        pieces = list(chain.from_iterable(map(_split_piece, pieces, repeat(False))))
    return (*pieces, *_split_piece(last_piece, True))


@lru_cache(maxsize=1 << 17)  # the same pieces come again and again
def _split_piece(piece: str, is_last: bool) -> tuple[str, ...]:
    """Return the words of a piece of text without blanks.

    `is_last` is True for the last piece of a text, whose final dot is punctuation.
    """
    start, end = 0, len(piece)
    # a clitic that is already cut off ("author 's") is one word
    while start < end and _is_mark(piece[start]) and not CLITIC.fullmatch("x" + piece[start:], 1):
        start += 1
    while end > start and _is_mark(piece[end - 1]):
        if ABBREVIATION.fullmatch(piece, start, end):
            break
        if not is_last and INITIAL.fullmatch(piece, start, end):
            break
        end -= 1
    core = piece[start:end]
    clitic = CLITIC.search(core)
    words = [core[: clitic.start()], clitic[0]] if clitic else [core]
    return (*piece[:start], *(word for word in words if word), *piece[end:])


def _is_mark(letter: str) -> bool:
    """Return whether a character is punctuation or a sign (Unicode categories P and S)."""
    return unicodedata.category(letter)[0] in "PS"


RegionPart: TypeAlias = tuple[str, str, tuple[str, ...] | None]
"""A region: its name, its text, and its words (None: the words that `penn` makes of the text)"""


class Numbered(dict[str, int]):
    """Distinct texts, numbered from 0 in the order in which they first came."""

    def codes_of(self, texts: Iterator[str]) -> Codes:
        """Return the number of each text as an array; a new text is added with the next number."""
        return np.array([self.setdefault(text, len(self)) for text in texts], np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Sentences:
    """The sentences of all items and the regions of all sentences, as flat columns.

    Items come one after the other, each with its sentences condition by condition; so do sentences
    with their regions. A *chunk* is a distinct pair of text and words: the many regions with the
    same text and words share one, and the column `chunk` holds its number.
    """

    conditions: tuple[str, ...]  # distinct names of conditions
    names: tuple[str, ...]  # distinct names of regions
    of_item: Integers  # (items + 1,): index of each item's first sentence
    condition: Codes  # (sentences,): index into `conditions`
    index: Codes  # (sentences,): the sentence's number within its condition, from 0
    of_sentence: Integers  # (sentences + 1,): index of each sentence's first region
    name: Codes  # (regions,): index into `names`
    chunk: Codes  # (regions,): index into `texts` and `words`
    texts: Sequence[str]  # (chunks,)
    words: Sequence[tuple[str, ...] | None]  # (chunks,); None: the words that `penn` makes

    def item_of_sentence(self) -> Integers:
        """Return the index of each sentence's item; shape (sentences,)."""
        return np.repeat(np.arange(len(self.of_item) - 1), np.diff(self.of_item))

    def sentence_of_region(self) -> Integers:
        """Return the index of each region's sentence; shape (regions,)."""
        return np.repeat(np.arange(len(self.of_sentence) - 1), np.diff(self.of_sentence))

    def take(self, items: Integers) -> "Sentences":
        """Return the sentences of the items with these indices, in this order."""
        return self.gathered(*entries_of(self.of_item, items))

    def gathered(self, sentences: Integers, of_item: Integers) -> "Sentences":
        """Return the sentences with these indices, in this order, grouped into new items.

        `of_item`, shape (new items + 1,), is the place of each item's first sentence among them.
        """
        regions, of_sentence = entries_of(self.of_sentence, sentences)
        return replace(
            self, of_item=of_item, condition=self.condition[sentences], index=self.index[sentences],
            of_sentence=of_sentence, name=self.name[regions], chunk=self.chunk[regions],
        )  # fmt: skip

    def parts(self, sentence: int) -> list[RegionPart]:
        """Return the regions of the sentence with this index, each as (name, text, words)."""
        start, end = self.of_sentence[sentence : sentence + 2]
        pairs = zip(self.name[start:end].tolist(), self.chunk[start:end].tolist(), strict=True)
        return [(self.names[name], self.texts[chunk], self.words[chunk]) for name, chunk in pairs]

    def texts_of(self, sentences: Integers) -> list[str]:
        """Return the texts of the sentences with these indices, as a person reads them."""
        joined: list[str] = []
        for block in blocks(sentences):
            regions, offsets = entries_of(self.of_sentence, block)
            texts = [self.texts[chunk] for chunk in self.chunk[regions].tolist()]
            joined += ["".join(texts[start:end]) for start, end in pairwise(offsets.tolist())]
        return joined

    def replaced(self, parts: Mapping[int, Sequence[RegionPart]]) -> "Sentences":
        """Return the same sentences, some of them with new regions.

        `parts` maps the index of a sentence to all its new regions.
        """
        if not parts:
            return self
        changed = np.array(sorted(parts), np.int64)  # sentences
        all_parts = [part for sentence in changed.tolist() for part in parts[sentence]]
        names = Numbered(zip(self.names, range(len(self.names)), strict=True))
        chunks: dict[tuple[str, tuple[str, ...] | None], int] = {}
        numbers = [chunks.setdefault((text, words), len(chunks)) for _, text, words in all_parts]
        # the new regions come after the old ones, their chunks after the old chunks
        name = np.append(self.name, names.codes_of(label for label, _, _ in all_parts))
        chunk = np.append(self.chunk, np.array(numbers, np.int32) + np.int32(len(self.texts)))
        starts, lengths = self.of_sentence[:-1].copy(), np.diff(self.of_sentence)
        lengths[changed] = [len(parts[sentence]) for sentence in changed.tolist()]
        starts[changed] = len(self.name) + offsets_of(lengths[changed])[:-1]
        regions = range_indices(starts, lengths)
        return replace(
            self, names=tuple(names), of_sentence=offsets_of(lengths), name=name[regions],
            chunk=chunk[regions], texts=[*self.texts, *(text for text, _ in chunks)],
            words=[*self.words, *(words for _, words in chunks)],
        )  # fmt: skip

    def regions_are(self, names: Sequence[str]) -> Truths:
        """Return for each sentence whether its regions have these names, in this order; a mask of
        shape (sentences,)."""
        # first all sentences with as many regions; then those with another name are dropped
        fitting = np.flatnonzero(np.diff(self.of_sentence) == len(names))
        for position, name in enumerate(names):
            regions = self.of_sentence[fitting] + position
            fitting = fitting[self.name[regions] == code_of(name, self.names)]
        mask = np.zeros(len(self.condition), bool)
        mask[fitting] = True
        return mask

    def has_text(self) -> Truths:
        """Return for each sentence whether it has any text but blanks; shape (sentences,)."""
        filled = np.array([bool(text.strip()) for text in self.texts], bool)[self.chunk]
        return np.bincount(self.sentence_of_region()[filled], minlength=len(self.condition)) > 0

    def words_of(self, chunk: int) -> tuple[str, ...]:
        """Return the words of a chunk, a distinct pair of text and words, by its number."""
        words = self.words[chunk]
        return penn(self.texts[chunk]) if words is None else words


def code_of(name: str, names: Sequence[str]) -> int:
    """Return the index of a name in `names`; −1, which no column holds, if it is not there."""
    return names.index(name) if name in names else -1
