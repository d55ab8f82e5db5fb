"""Training n-gram models: a Kneser–Ney model of a text, as an ARPA file that KenLM and others read;
and a unigram model, the frequencies of its words."""

import math
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import polars as pl

from ...data.errors import InputError
from ...data.progress import Progress, silent, with_progress
from ...data.tables import write_table
from ..models import arpa
from ..models.arpa import Ids
from ..models.backends.ngram import ARPA_FILE, MAX_ORDER, MIN_ORDER
from ..models.backends.unigram import COUNTS_FILE, from_counts
from ..models.model_folder import ModelFolder
from ..models.training_text import TrainingText, held_out_card
from ..models.words import SPECIAL, START, entry_word
from ._kneser_ney import END_ID, START_ID, UNKNOWN_ID, estimate, log10_of_text, read_text
from .trained_files import finish_model

BITS_PER_LOG10 = math.log2(10)


def train(
    text: TrainingText,
    folder: Path,
    *,
    seed: int = 0,
    order: int = 5,
    prune: tuple[int, ...] = (),
    progress: Progress = silent,
) -> ModelFolder:
    """Train an n-gram model on `text.train` and write it to `folder`; all words are in its
    vocabulary.

    The text is read sentence by sentence; its words need not fit in memory, its n-grams must. The
    model's order is lower than `order` if no n-gram is that long. `prune` drops n-grams that occur
    at most so often: one number for each order from 1, the first 0, none smaller than the one
    before, the last for all higher orders. `seed` changes nothing.

    The model's card has the discounts of each order, the held-out perplexity per known word and
    sentence end (None without held-out text), the number of unknown words, and warnings for the
    user in `card["warnings"]`.

    Raises:
        InputError: an order that KenLM does not read; a `prune` that leaves no 2-gram; words that
            models keep for themselves, with file and line where the text is read from files; no
            room in memory or in `folder`.
    """
    if not MIN_ORDER <= order <= MAX_ORDER:
        right = f"{MIN_ORDER} to {MAX_ORDER}, which KenLM reads"
        raise InputError("order", f"{order}", right, kind="value")
    lines = with_progress(text.train, "read the text", progress, len(text.train))
    try:
        model = estimate((line.words for line in lines), order, prune, progress)
    except MemoryError:
        wrong, right = "its n-grams do not fit in memory", "a lower order, or less text"
        raise InputError("training text", wrong, right, kind="resources") from None
    if len(model.n_grams) < MIN_ORDER:
        right = f"numbers below {max(prune)}"
        raise InputError("prune", "no 2-gram is left", right, kind="value")
    warnings = [
        f"order {n}: the counts of counts give no discounts (usual for small or repetitive text); "
        f"{', '.join(map(str, discount.amounts))} are used"
        for n, discount in enumerate(model.discounts, start=1)
        if discount.fallback
    ]
    if len(model.n_grams) < order:
        reached = len(model.n_grams)
        warnings.append(f"order {reached} instead of {order}: there are no longer n-grams")
    progress("measure the held-out perplexity", 0, len(text.held_out))
    stream = _held_out_stream(text, model.vocabulary)
    is_known = (stream != UNKNOWN_ID) & (stream != START_ID)
    bits = -BITS_PER_LOG10 * log10_of_text(model, stream)[is_known]
    card = {
        **text.origin(),
        "vocabulary_size": len(model.vocabulary) - len(SPECIAL),
        "n_sentences": len(text.train),
        "n_words": model.n_words,
        "order": len(model.n_grams),
        "prune": list(prune),
        "n_grams": list(model.n_grams),
        "discounts": [list(discount.amounts) for discount in model.discounts],
        "fallback": [discount.fallback for discount in model.discounts],
        **held_out_card(text.held_out, bits.tolist(), stream.tolist().count(UNKNOWN_ID)),
        "warnings": warnings,
    }
    arpa.write(folder / ARPA_FILE, model.vocabulary, model.sections, progress)
    return finish_model(folder, "ngram", card, [ARPA_FILE], text)


def _held_out_stream(text: TrainingText, vocabulary: Sequence[str]) -> Ids:
    """Return the held-out text as one array of indices into a vocabulary, each sentence between
    `<s>` and `</s>`; unknown words are `<unk>`, and so is a word `<s>`."""
    words = {entry_word(word) for line in text.held_out for word in line.words} - {START}
    ids = {word: index for index, word in enumerate(vocabulary) if word in words}
    sentences = (
        (START_ID, *(ids.get(entry_word(word), UNKNOWN_ID) for word in line.words), END_ID)
        for line in text.held_out
    )
    return np.fromiter(chain.from_iterable(sentences), dtype=np.uint32)


def train_unigram(
    text: TrainingText, folder: Path, *, seed: int = 0, progress: Progress = silent
) -> ModelFolder:
    """Write a unigram model of `text.train` to `folder`: every word with its count.

    `seed` is a parameter of every trainer, and changes nothing here. The model's card has the
    held-out perplexity per known word (None if there is none) and the number of unknown words.
    Raises `InputError` for a text without sentences, and for words that models keep for themselves.
    """
    lines = with_progress(text.train, "count words", progress, len(text.train))
    vocabulary, stream = read_text(line.words for line in lines)
    n_special = len(SPECIAL)  # the vocabulary begins with these, which are not counted
    counts = np.bincount(stream, minlength=n_special)[n_special:]
    ranked = np.argsort(-counts, kind="stable")  # among equal counts in alphabetical order
    words = [vocabulary[n_special + index] for index in ranked.tolist()]
    sorted_counts = counts[ranked]
    write_table(folder / COUNTS_FILE, pl.DataFrame({"word": words, "count": sorted_counts}))
    bits = from_counts(dict(zip(words, sorted_counts.tolist(), strict=True)), signature="").bits
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
    return finish_model(folder, "unigram", card, [COUNTS_FILE], text)
