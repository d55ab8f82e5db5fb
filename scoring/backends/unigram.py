"""How frequent a word was in the training text, whatever stands before it.

p(w) = c(w) / (N + 1) for the N words of the text, and p(unknown) = 1 / (N + 1): the text is
taken to go on with one more word, never seen before. This sums to 1 over the vocabulary and the
unknown word, and keeps the ratios of the counts, which add-one smoothing would bend. Sentence ends
are not words.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.tables import read_tsv
from colorless_green.scoring.query import LoadOptions, Query, Score, Stretch, Surprisals
from colorless_green.scoring.training.folder import read_model
from colorless_green.scoring.words import (
    SHORT,
    as_words,
    check_options,
    entry_word,
    existing,
    signed,
    whole_words,
)

COUNTS = "counts.tsv"
COLUMNS = ("word", "count")  # by falling count, then by word
COUNT = re.compile("[1-9][0-9]*")
RIGHT = "a folder made by colorless train unigram"


@dataclass(frozen=True)
class Unigram:
    """One surprisal for each word of the vocabulary, one for all others."""

    bits: Mapping[str, float]  # by entry word
    unknown_bits: float
    signature: str
    unit: str = "words"

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        """The prefix counts for nothing but its unknown words."""
        for query in queries:
            answers = tuple(map(self._surprisals, query.continuations))
            prefix = map(entry_word, as_words(query.prefix))
            yield Score(answers, sum(word not in self.bits for word in prefix))

    def _surprisals(self, continuation: Stretch) -> Surprisals:
        words = [entry_word(word) for word in as_words(continuation)]
        bits = [self.bits.get(word, self.unknown_bits) for word in words]
        return whole_words(bits, [word not in self.bits for word in words])


def from_counts(counts: Mapping[str, int], signature: str) -> Unigram:
    """The model of a text in which each word (an entry word) occurs so often, at least once."""
    total = sum(counts.values()) + 1
    bits = {word: math.log2(total / n) for word, n in counts.items()}
    return Unigram(bits, math.log2(total), signature)


def read_counts(path: Path) -> dict[str, int]:
    """The words of a `counts.tsv` with their counts. Raises `InputError` at a bad count."""
    counts: dict[str, int] = {}
    for row in read_tsv(path, COLUMNS):
        if COUNT.fullmatch(row["count"]) is None:
            wrong = f"{row['word']!r} has the count {row['count']!r}"
            raise InputError(str(path), wrong, "whole numbers from 1", kind="format")
        counts[row["word"]] = int(row["count"])
    return counts


def load(spec: str, options: LoadOptions) -> Unigram:
    """The model in the folder `spec`, made by `colorless train unigram`."""
    check_options(options, "a unigram model")
    path = existing(spec, "unigram", RIGHT)
    if not path.is_dir():
        raise InputError(spec, "this is a file", RIGHT, kind="format")
    folder = read_model(path, "unigram")
    counts = read_counts(folder.path / COUNTS)
    signature = signed(
        model="unigram", files=folder.digest()[:SHORT], device="cpu", dtype="float64"
    )
    return from_counts(counts, signature)
