"""A Kneser–Ney model of a text, as an ARPA file that KenLM and others read."""

import math
from collections.abc import Iterable, Sequence
from itertools import accumulate
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.progress import Progress, silent
from colorless_green.scoring import arpa
from colorless_green.scoring.backends.ngram import ARPA, HIGHEST, LOWEST, Ngram, read_kenlm
from colorless_green.scoring.query import Query
from colorless_green.scoring.training.folder import ModelFolder, finish_model
from colorless_green.scoring.training.kneser_ney import Estimates, estimate
from colorless_green.scoring.training.text import Line, TrainingText
from colorless_green.scoring.words import END, SPECIAL


def train(
    text: TrainingText,
    folder: Path,
    *,
    seed: int = 0,
    order: int = 5,
    prune: tuple[int, ...] = (),
    progress: Progress = silent,
) -> ModelFolder:
    """The model of `text.train`, in `folder`, with every word of it in the vocabulary.

    `prune` drops n-grams that occur so often or less: one number for each order from 1, the first
    0, none smaller than the one before, the last for all higher orders; () keeps everything.
    `seed` is taken as from every trainer, and changes nothing. `about` has the discounts of each
    order, and the held-out perplexity per known word and sentence end (None where there is no
    held-out text), with how many words were unknown. What a reader should know stands in
    `about["warnings"]`. Raises `InputError` for orders that KenLM does not read, for a bad
    `prune`, and for words that models keep for themselves.
    """
    _check(order, prune)
    model = estimate((line.words for line in text.train), order, prune, progress)
    if len(model.sections) < LOWEST:
        raise InputError("--prune", "no 2-gram is left", f"numbers below {max(prune)}")
    progress("write the model", 0, None)
    arpa.write(folder / ARPA, model.vocabulary, model.sections)
    progress("measure the held-out perplexity", 0, len(text.held_out))
    about = {
        "vocabulary_size": len(model.vocabulary) - len(SPECIAL),
        "n_sentences": len(text.train),
        "n_words": sum(len(line.words) for line in text.train),
        "order": len(model.sections),
        "prune": list(prune),
        "n_grams": [len(section.words) for section in model.sections],
        "discounts": [list(discount.amounts) for discount in model.discounts],
        "fallback": [discount.fallback for discount in model.discounts],
        **held_out_about(folder / ARPA, text.held_out),
        "warnings": _warnings(model, order),
    }
    return finish_model(folder, "ngram", about, [ARPA], [*text.train, *text.held_out])


def _check(order: int, prune: Sequence[int]) -> None:
    if not LOWEST <= order <= HIGHEST:
        raise InputError("--order", f"{order}", f"{LOWEST} to {HIGHEST}, which KenLM reads")
    if len(prune) > order or list(accumulate((0, *prune), max)) != [0, *prune] or any(prune[:1]):
        raise InputError(
            "--prune",
            f"{' '.join(map(str, prune))}",
            f"up to {order} numbers, the first 0 and none smaller than the one before",
        )


def _warnings(model: Estimates, order: int) -> list[str]:
    found = [
        f"order {n}: the counts of counts give no discounts (usual for small or repetitive text); "
        f"{', '.join(map(str, discount.amounts))} are used"
        for n, discount in enumerate(model.discounts, start=1)
        if discount.fallback
    ]
    if len(model.sections) < order:
        found.append(f"order {len(model.sections)} instead of {order}: there are no longer n-grams")
    return found


def held_out_about(path: Path, lines: Iterable[Line]) -> dict[str, object]:
    """What the ARPA file's model makes of sentences, each read from its start to its end."""
    scorer = Ngram(read_kenlm(path), bos=True, signature="")
    bits: list[float] = []
    n_sentences = n_oov = 0
    for score in scorer.score(Query((), ((*line.words, END),)) for line in lines):
        (answer,) = score.continuations
        bits += [each for each, oov in zip(answer.bits, answer.oov, strict=True) if not oov]
        n_oov += sum(answer.oov)
        n_sentences += 1
    return {
        "held_out_sentences": n_sentences,
        "held_out_words": len(bits) + n_oov - n_sentences,
        "held_out_oov": n_oov,
        "held_out_perplexity": 2 ** (math.fsum(bits) / len(bits)) if bits else None,
    }
