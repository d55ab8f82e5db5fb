"""Unigram models, which score a word by its frequency in the training text alone; and the uniform
model, a baseline for all others, where every word is equally likely.

p(w) = c(w) / (N + 1) for the N words of the text, and p(unknown) = 1 / (N + 1), as if the text had
one more word, unknown. This sums to 1 over the vocabulary and the unknown word, and keeps the
ratios of the counts, which add-one smoothing would change. Sentence ends are not words. The uniform
model is the unigram model of a text in which each word occurs once: 1 / (V + 1) for V words.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ....data.errors import InputError
from ....data.tables import read_tsv
from ....data.vocabulary import read_vocabulary
from ...questions.query import LoadOptions, Query, Score, Stretch, Surprisals
from ..model_folder import read_model
from ..words import (
    SPECIAL,
    check_options,
    entries_of,
    entry_word,
    path_of,
    signature_of,
    text_digest,
    whole_words,
)

COUNTS_FILE = "counts.tsv"
COLUMNS = ("word", "count")  # of this file, sorted by descending count, then by word
COUNT = re.compile("[1-9][0-9]*")
EXPECTED_FOLDER = "a folder made by colorless train unigram"
NO_WORDS = (*SPECIAL, "<eos>")  # entries of vocabularies that are not words
EXPECTED_FILE = "uniform:FILE with one word a line"


@dataclass(frozen=True)
class Unigram:
    """A unigram model: a surprisal for each word of the vocabulary, and one for all other words."""

    bits: Mapping[str, float]  # word, as `entry_word` spells it → surprisal in bits
    unknown_bits: float
    signature: str
    unit: str = "words"

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        """Yield the surprisals of the continuations of each query, and the number of unknown words
        in its prefix, which has no other effect."""
        for query in queries:
            answers = tuple(map(self._surprisals, query.continuations))
            n_unknown = sum(word not in self.bits for word in entries_of(query.prefix))
            yield Score(answers, n_unknown)

    def _surprisals(self, continuation: Stretch) -> Surprisals:
        """Return the surprisals of the words of a continuation."""
        words = entries_of(continuation)
        bits = [self.bits.get(word, self.unknown_bits) for word in words]
        return whole_words(bits, oov=[word not in self.bits for word in words])


def from_counts(counts: Mapping[str, int], signature: str) -> Unigram:
    """Return the unigram model of a text in which each word has the given count, at least 1. Words
    are spelt as `entry_word` spells them."""
    total = sum(counts.values()) + 1
    bits = {word: math.log2(total / n) for word, n in counts.items()}
    return Unigram(bits, math.log2(total), signature)


def read_counts(path: Path) -> dict[str, int]:
    """Return the words of a `counts.tsv` with their counts. Raises `InputError` for a bad count."""
    counts: dict[str, int] = {}
    for row in read_tsv(path, COLUMNS):
        if COUNT.fullmatch(row["count"]) is None:
            wrong = f"{row['word']!r} has the count {row['count']!r}"
            raise InputError(str(path), wrong, "whole numbers from 1", kind="format")
        counts[row["word"]] = int(row["count"])
    return counts


def load(spec: str, options: LoadOptions) -> Unigram:
    """Return the scorer of the folder `spec`, made by `colorless train unigram`."""
    check_options(options, "a unigram model")
    path = path_of(spec, "unigram", EXPECTED_FOLDER)
    if not path.is_dir():
        raise InputError(spec, "this is a file", EXPECTED_FOLDER, kind="format")
    folder = read_model(path, "unigram")
    counts = read_counts(folder.path / COUNTS_FILE)
    signature = signature_of(model="unigram", files=folder.digest(), device="cpu", dtype="float64")
    return from_counts(counts, signature)


def load_uniform(spec: str, options: LoadOptions) -> Unigram:
    """Return the uniform model over the words of a vocabulary file. Its signature depends on the
    words alone."""
    check_options(options, "the uniform model")
    words = read_vocabulary(path_of(spec, "uniform", EXPECTED_FILE))
    vocabulary = sorted(set(map(entry_word, words)).difference(NO_WORDS))
    digest, n_words = text_digest("\n".join(vocabulary)), len(vocabulary)
    signature = signature_of(
        model="uniform", words=digest, n_words=n_words, device="cpu", dtype="float64"
    )
    return from_counts(dict.fromkeys(vocabulary, 1), signature)
