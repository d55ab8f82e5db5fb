"""A Kneser–Ney model of a text, as an ARPA file that KenLM and others read."""

import math
from collections.abc import Sequence
from itertools import accumulate, chain
from pathlib import Path

import numpy as np

from colorless_green.data.errors import InputError
from colorless_green.data.files import write_whole_bytes
from colorless_green.data.progress import Progress, counted, silent
from colorless_green.scoring import arpa
from colorless_green.scoring.backends.ngram import ARPA, HIGHEST, LOWEST
from colorless_green.scoring.training.counts import END_ID, START_ID, UNKNOWN_ID
from colorless_green.scoring.training.folder import SEEN, ModelFolder, described
from colorless_green.scoring.training.kneser_ney import Estimates, estimate, log10_of_text
from colorless_green.scoring.training.text import (
    LargeText,
    Line,
    TrainingText,
    fingerprints,
    held_out_about,
)
from colorless_green.scoring.words import SPECIAL, START, entry_word

BITS = math.log2(10)


def train(
    text: TrainingText | LargeText,
    folder: Path,
    *,
    seed: int = 0,
    order: int = 5,
    prune: tuple[int, ...] = (),
    progress: Progress = silent,
) -> ModelFolder:
    """The model of `text.train`, in `folder`, with every word of it in the vocabulary.

    Args:
        text: read sentence by sentence; its words need not fit in memory, its n-grams must.
        folder: is made if need be.
        seed: is taken as from every trainer, and changes nothing.
        order: the highest n; the model has a lower one where no n-gram is that long.
        prune: drops n-grams that occur so often or less: one number for each order from 1, the
            first 0, none smaller than the one before, the last for all higher orders.
        progress: is told what is done.

    Returns:
        The folder. `about` has the discounts of each order, and the held-out perplexity per known
        word and sentence end (None where there is no held-out text), with how many words were
        unknown. What a reader should know stands in `about["warnings"]`.

    Raises:
        InputError: an order that KenLM does not read; a bad `prune`; words that models keep for
            themselves, with file and line where the text is read from files; no room in memory
            or in `folder`.
    """
    _check(order, prune)
    lines = counted(text.train, "read the text", progress, len(text.train))
    try:
        model = estimate((line.words for line in lines), order, prune, progress)
    except MemoryError:
        wrong, right = "its n-grams do not fit in memory", "a lower --order, or less text"
        raise InputError("training text", wrong, right, kind="resources") from None
    if len(model.n_grams) < LOWEST:
        raise InputError(
            "--prune", "no 2-gram is left", f"numbers below {max(prune)}", kind="value"
        )
    progress("measure the held-out perplexity", 0, len(text.held_out))
    about = {
        **text.origin(),
        "vocabulary_size": len(model.vocabulary) - len(SPECIAL),
        "n_sentences": len(text.train),
        "n_words": model.n_words,
        "order": len(model.n_grams),
        "prune": list(prune),
        "n_grams": list(model.n_grams),
        "discounts": [list(discount.amounts) for discount in model.discounts],
        "fallback": [discount.fallback for discount in model.discounts],
        **_held_out(model, text.held_out),
        "warnings": _warnings(model, order),
    }
    arpa.write(folder / ARPA, model.vocabulary, model.sections, progress)
    with write_whole_bytes(folder / SEEN) as stream:
        stream.write(fingerprints(chain(text.train, text.held_out)))
    return described(folder, "ngram", about, [ARPA])


def _check(order: int, prune: Sequence[int]) -> None:
    if not LOWEST <= order <= HIGHEST:
        raise InputError(
            "--order", f"{order}", f"{LOWEST} to {HIGHEST}, which KenLM reads", kind="value"
        )
    if len(prune) > order or list(accumulate((0, *prune), max)) != [0, *prune] or any(prune[:1]):
        raise InputError(
            "--prune",
            f"{' '.join(map(str, prune))}",
            f"up to {order} numbers, the first 0 and none smaller than the one before",
            kind="value",
        )


def _warnings(model: Estimates, order: int) -> list[str]:
    found = [
        f"order {n}: the counts of counts give no discounts (usual for small or repetitive text); "
        f"{', '.join(map(str, discount.amounts))} are used"
        for n, discount in enumerate(model.discounts, start=1)
        if discount.fallback
    ]
    if len(model.n_grams) < order:
        found.append(f"order {len(model.n_grams)} instead of {order}: there are no longer n-grams")
    return found


def _held_out(model: Estimates, lines: Sequence[Line]) -> dict[str, object]:
    """What the model makes of sentences, each read from its start to its end."""
    words = {entry_word(word) for line in lines for word in line.words} - {START}
    ids = {word: index for index, word in enumerate(model.vocabulary) if word in words}
    sentences = (
        (START_ID, *(ids.get(entry_word(word), UNKNOWN_ID) for word in line.words), END_ID)
        for line in lines
    )
    stream = np.fromiter(chain.from_iterable(sentences), dtype=np.uint32)
    known = (stream != UNKNOWN_ID) & (stream != START_ID)
    bits = -BITS * log10_of_text(model, stream)[known]
    return held_out_about(lines, bits.tolist(), int(np.count_nonzero(stream == UNKNOWN_ID)))
