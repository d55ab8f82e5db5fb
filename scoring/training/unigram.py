"""Counting words: the smallest model there is."""

import math
from collections import Counter
from pathlib import Path

from colorless_green.data.progress import Progress, counted, silent
from colorless_green.data.tables import frame, write_table
from colorless_green.scoring.backends.unigram import COLUMNS, COUNTS, from_counts
from colorless_green.scoring.query import Query
from colorless_green.scoring.training.folder import ModelFolder, finish_model
from colorless_green.scoring.training.text import Line, TrainingText
from colorless_green.scoring.words import check_words, entry_word


def train(
    text: TrainingText, folder: Path, *, seed: int = 0, progress: Progress = silent
) -> ModelFolder:
    """The unigram model of `text.train`, in `folder`: every word with its count.

    `seed` is taken as from every trainer, and changes nothing. `about` has the held-out
    perplexity per known word (None where there is none), and how many were unknown. Raises
    `InputError` for words that models keep for themselves.
    """
    counts: Counter[str] = Counter()
    for line in counted(text.train, "count words", progress, len(text.train)):
        counts.update(line.words)
    check_words(counts)
    entries: Counter[str] = Counter()
    for word, n in counts.items():
        entries[entry_word(word)] += n
    ranked = sorted(entries.items(), key=lambda pair: (-pair[1], pair[0]))
    write_table(folder / COUNTS, frame(({"word": word, "count": n} for word, n in ranked), COLUMNS))
    about = {
        **text.origin(),
        "vocabulary_size": len(entries),
        "n_sentences": len(text.train),
        "n_words": entries.total(),
        **_held_out(text.held_out, dict(ranked)),
        "warnings": [],
    }
    return finish_model(folder, "unigram", about, [COUNTS], [*text.train, *text.held_out])


def _held_out(lines: tuple[Line, ...], counts: dict[str, int]) -> dict[str, object]:
    model = from_counts(counts, signature="")
    bits: list[float] = []
    n_oov = 0
    for score in model.score(Query((), (line.words,)) for line in lines):
        (answer,) = score.continuations
        bits += [each for each, oov in zip(answer.bits, answer.oov, strict=True) if not oov]
        n_oov += sum(answer.oov)
    return {
        "held_out_sentences": len(lines),
        "held_out_words": len(bits) + n_oov,
        "held_out_oov": n_oov,
        "held_out_perplexity": 2 ** (math.fsum(bits) / len(bits)) if bits else None,
    }
