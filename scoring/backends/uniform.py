"""Every word of a vocabulary, and the unknown word, equally likely: the floor for all others.

It is the unigram model of a text in which each word occurs once: 1 / (V + 1) for V words.
"""

import hashlib
from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.files import numbered_lines
from colorless_green.miner.vocabulary import read_vocabulary
from colorless_green.scoring import arpa
from colorless_green.scoring.backends import ngram, unigram
from colorless_green.scoring.query import LoadOptions
from colorless_green.scoring.training.folder import ModelFolder, read_model
from colorless_green.scoring.words import (
    SHORT,
    SPECIAL,
    check_options,
    entry_word,
    existing,
    signed,
)

NO_WORDS = (*SPECIAL, "<eos>")  # what vocabularies list beside words
RECURRENT = "vocabulary.txt"  # of backends/recurrent.py, which would bring torch
RIGHT = "uniform:FILE with one word a line, or uniform:DIR with a model of whole words"


def load(spec: str, options: LoadOptions) -> unigram.Unigram:
    """The floor over the words of a vocabulary file (split at white space), an ARPA file, or the
    folder of a unigram, n-gram or recurrent model. The same words are the same model."""
    check_options(options, "the uniform model")
    path = existing(spec, "uniform", RIGHT)
    words = folder_words(read_model(path)) if path.is_dir() else file_words(path)
    vocabulary = sorted({entry_word(word) for word in words}.difference(NO_WORDS))
    digest = hashlib.sha256("\n".join(vocabulary).encode()).hexdigest()[:SHORT]
    signature = signed(
        model="uniform", words=digest, n_words=len(vocabulary), device="cpu", dtype="float64"
    )
    return unigram.from_counts(dict.fromkeys(vocabulary, 1), signature)


def folder_words(folder: ModelFolder) -> Iterable[str]:
    """The vocabulary of a model folder. Raises `InputError` where its kind has no words."""
    if folder.kind == "unigram":
        return unigram.read_counts(folder.path / unigram.COUNTS)
    if folder.kind == "ngram":
        return arpa_words(folder.path / ngram.ARPA)
    if folder.kind == "recurrent":
        return (line for _, line in numbered_lines(folder.path / RECURRENT) if line)
    raise InputError(
        str(folder.path), f"a model of kind {folder.kind!r}", RIGHT, kind="unsupported"
    )


def file_words(path: Path) -> Iterable[str]:
    """The words of a vocabulary file, or the 1-grams of an ARPA file."""
    words = read_vocabulary(path)
    return arpa_words(path) if arpa.HEAD in words else words


def arpa_words(path: Path) -> Iterable[str]:
    """The 1-grams of an ARPA file, special words among them."""
    unigrams = takewhile(lambda entry: len(entry.words) == 1, arpa.read(path))
    return (entry.words[0] for entry in unigrams)
