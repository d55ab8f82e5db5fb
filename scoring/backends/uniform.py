"""Every word of a vocabulary, and the unknown word, equally likely: the floor for all others.

It is the unigram model of a text in which each word occurs once: 1 / (V + 1) for V words.
"""

import hashlib
from collections.abc import Iterable
from itertools import takewhile

from colorless_green.data.errors import InputError
from colorless_green.data.files import numbered_lines
from colorless_green.miner.vocabulary import read_vocabulary
from colorless_green.scoring import arpa
from colorless_green.scoring.backends import ngram, unigram
from colorless_green.scoring.query import LoadOptions
from colorless_green.scoring.training.folder import read_model
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
    folder = read_model(path) if path.is_dir() else None
    words: Iterable[str]
    if folder is not None and folder.kind == "unigram":
        words = unigram.read_counts(path / unigram.COUNTS)
    elif folder is not None and folder.kind == "recurrent":
        words = (line for _, line in numbered_lines(path / RECURRENT) if line)
    elif folder is not None and folder.kind != "ngram":
        wrong = f"a model of kind {folder.kind!r}"
        raise InputError(str(path), wrong, RIGHT, kind="unsupported")
    else:
        file = path if folder is None else path / ngram.ARPA
        words = read_vocabulary(file) if folder is None else (arpa.HEAD,)
        if arpa.HEAD in words:
            unigrams = takewhile(lambda entry: len(entry.words) == 1, arpa.read(file))
            words = (entry.words[0] for entry in unigrams)
    vocabulary = sorted({entry_word(word) for word in words}.difference(NO_WORDS))
    digest = hashlib.sha256("\n".join(vocabulary).encode()).hexdigest()[:SHORT]
    signature = signed(
        model="uniform", words=digest, n_words=len(vocabulary), device="cpu", dtype="float64"
    )
    return unigram.from_counts(dict.fromkeys(vocabulary, 1), signature)
