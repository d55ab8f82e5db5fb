"""Counting words: the smallest model there is."""

from pathlib import Path

import numpy as np
import polars as pl

from ...data.progress import Progress, silent, with_progress
from ...data.tables import write_table
from ..models.backends.unigram import COUNTS, from_counts
from ..models.model_folder import ModelFolder
from ..models.training_text import TrainingText, held_out_card
from ..models.words import SPECIAL, entry_word
from ._kneser_ney import read_text
from .finish import finish_model


def train(
    text: TrainingText, folder: Path, *, seed: int = 0, progress: Progress = silent
) -> ModelFolder:
    """Write the unigram model of `text.train`, in `folder`: every word with its count.

    `seed` is taken as from every trainer, and changes nothing. `card` has the held-out
    perplexity per known word (None where there is none), and how many were unknown. Raises
    `InputError` for a text without sentences, and for words that models keep for themselves.
    """
    lines = with_progress(text.train, "count words", progress, len(text.train))
    vocabulary, stream = read_text(line.words for line in lines)
    counts = np.bincount(stream, minlength=len(SPECIAL))[len(SPECIAL) :]
    ranked = np.argsort(-counts, kind="stable")  # of equal counts the word that sorts first
    words = [vocabulary[len(SPECIAL) + index] for index in ranked.tolist()]
    table = pl.DataFrame({"word": words, "count": counts[ranked]})
    write_table(folder / COUNTS, table)
    bits = from_counts(dict(zip(words, counts[ranked].tolist(), strict=True)), signature="").bits
    entries = [entry_word(word) for line in text.held_out for word in line.words]
    known_bits = [bits[word] for word in entries if word in bits]
    card = {
        **text.origin(),
        "vocabulary_size": len(words),
        "n_sentences": len(text.train),
        "n_words": int(counts.sum()),
        **held_out_card(text.held_out, known_bits, len(entries) - len(known_bits)),
        "warnings": [],
    }
    return finish_model(folder, "unigram", card, [COUNTS], text)
