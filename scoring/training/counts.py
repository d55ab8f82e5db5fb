"""Words and n-grams of a text, counted by sorting numbers.

The text is one stream of word indices, each sentence between one `<s>` and one `</s>`. An n-gram
ends wherever n - 1 words of its sentence stand before, `<s>` among them:

    stream             <s>  the  keys  are  </s>  <s>  yes  </s>
    3-grams end here              x     x    x               x

What `lmplz` counts with n - 1 `<s>` in front of a sentence is then counted already: it, too, lists
only n-grams with at most one. The n-grams of each order are numbered in suffix order: by the last
word, then the one before it, and so on. So an n-gram is a pair of numbers, those of the n-grams
without its first and without its last word: one key of 64 bits, whatever the order. Keys sort as
their n-grams do, and the place of a key among the distinct ones is its number in the next order.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from colorless_green.data.errors import InputError
from colorless_green.scoring.words import SPECIAL, check_words, entry_word

Ids: TypeAlias = NDArray[np.uint32]

UNKNOWN_ID, START_ID, END_ID = range(len(SPECIAL))


@dataclass(frozen=True, slots=True)
class Text:
    """A text as indices into its vocabulary, 4 bytes a word."""

    vocabulary: tuple[str, ...]  # <unk>, <s>, </s>, then every word of the text, sorted
    stream: Ids  # (n_words + 2 n_sentences,)

    @property
    def n_words(self) -> int:
        """How many there are, sentence starts and ends aside."""
        return len(self.stream) - 2 * int(np.count_nonzero(self.stream == START_ID))


@dataclass(frozen=True, slots=True)
class Grams:
    """The distinct n-grams of one order, in suffix order."""

    first: Ids  # (n_grams,): the first word of each
    suffix: Ids  # (n_grams,): number of the n-gram without its first word, one order lower
    context: Ids  # (n_grams,): number of the n-gram without its last word, one order lower
    counts: Ids  # (n_grams,): how often in the text


def read_text(sentences: Iterable[Sequence[str]]) -> Text:
    """`sentences` as one stream; each is seen once, so that they may come from a generator.

    Raises:
        InputError: there are no sentences, or words that models keep for themselves.
    """
    numbers: defaultdict[str, int] = defaultdict(count(len(SPECIAL)).__next__)
    number = numbers.__getitem__
    framed = ((START_ID, *map(number, words), END_ID) for words in sentences)
    stream = np.fromiter(chain.from_iterable(framed), dtype=np.uint32)
    if not len(stream):
        raise InputError(
            "training text", "there are no sentences", "one sentence or more", kind="empty"
        )
    check_words(numbers)
    entries = list(map(entry_word, numbers))
    vocabulary = (*SPECIAL, *sorted(set(entries)))
    place = {word: index for index, word in enumerate(vocabulary)}
    final = np.array([*range(len(SPECIAL)), *map(place.__getitem__, entries)], dtype=np.uint32)
    return Text(vocabulary, final[stream])


def count_ngrams(text: Text, order: int) -> Iterator[Grams]:
    """The n-grams of each order from 1, as far as there are any."""
    first = np.arange(len(text.vocabulary), dtype=np.uint32)
    nowhere = np.zeros_like(first)  # the empty n-gram is suffix and context of each word
    counts = np.bincount(text.stream, minlength=len(first)).astype(np.uint32)
    yield Grams(first, nowhere, nowhere, counts)
    numbers = text.stream  # of the n-gram that ends at each position
    ends = np.ones(len(numbers), dtype=bool)  # whether one does
    for n in range(2, order + 1):
        n_shorter = np.uint64(len(first))
        ends[1:] = ends[:-1] & (text.stream[1:] != START_ID)
        ends[0] = False
        keys = numbers[ends] * n_shorter
        keys += numbers[:-1][ends[1:]]
        if not len(keys):
            return
        places = np.argsort(keys) if n < order else None  # sorting alone is several times as fast
        if places is None:
            keys.sort()
        else:
            keys = keys[places]
        starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
        counts = np.diff(starts, append=len(keys)).astype(np.uint32)
        suffix, context = (each.astype(np.uint32) for each in np.divmod(keys[starts], n_shorter))
        first = first[context]
        if places is not None:
            del keys
            sorted_back = np.empty(len(places), dtype=np.uint32)
            sorted_back[places] = np.repeat(np.arange(len(first), dtype=np.uint32), counts)
            del places
            numbers = np.zeros_like(numbers)
            numbers[ends] = sorted_back
        yield Grams(first, suffix, context, counts)
