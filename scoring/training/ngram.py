"""A Kneser–Ney model of a text, as an ARPA file that KenLM and others read."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.progress import Progress, counted, silent
from colorless_green.scoring import arpa
from colorless_green.scoring.backends.ngram import ARPA, HIGHEST, LOWEST, Ngram, read_kenlm
from colorless_green.scoring.query import Query
from colorless_green.scoring.training import held_out
from colorless_green.scoring.training.counts import counted_on_disk
from colorless_green.scoring.training.folder import SEEN, ModelFolder, described, finish_model
from colorless_green.scoring.training.kneser_ney import Discounts, estimate
from colorless_green.scoring.training.large import write_arpa
from colorless_green.scoring.training.seen import write_seen
from colorless_green.scoring.training.text import LargeText, Line, TextFiles, TrainingText
from colorless_green.scoring.words import END, SPECIAL, check_words

MEMORY = 1 << 30  # bytes that arrays may take: enough for three million words without disk
ARRAYS = 80  # bytes that `estimate` takes for each word and order (bench/ngram.py)


@dataclass(frozen=True, slots=True)
class Made:
    """What is told of a model that is on disk."""

    n_types: int
    n_words: int
    n_grams: tuple[int, ...]  # of each order from 1
    discounts: tuple[Discounts, ...]


def train(
    text: TrainingText | LargeText,
    folder: Path,
    *,
    seed: int = 0,
    order: int = 5,
    prune: tuple[int, ...] = (),
    memory: int = MEMORY,
    progress: Progress = silent,
) -> ModelFolder:
    """The model of `text.train`, in `folder`, with every word of it in the vocabulary.

    `prune` drops n-grams that occur so often or less: one number for each order from 1, the first
    0, none smaller than the one before, the last for all higher orders; () keeps everything.
    `memory` is what arrays may take, in bytes, beside the vocabulary: a text that would take more
    is counted on disk, in `folder`, with the same model. `seed` is taken as from every trainer, and
    changes nothing. `about` has the discounts of each order, and the held-out perplexity per known
    word and sentence end (None where there is no held-out text), with how many words were unknown.
    What a reader should know stands in `about["warnings"]`. Raises `InputError` for orders that
    KenLM does not read, for a bad `prune`, for words that models keep for themselves, with file and
    line where the text is read from files, and where there is no room in `folder`.
    """
    _check(order, prune)
    path = folder / ARPA
    if isinstance(text, TrainingText) and _n_words(text) * order * ARRAYS <= memory:
        made = _in_memory(text, path, order, prune, progress)
        progress("measure the held-out perplexity", 0, len(text.held_out))
        measured = held_out_about(path, text.held_out)
    else:
        made = _on_disk(text, path, order, prune, memory, progress)
        progress("measure the held-out perplexity", 0, len(text.held_out))
        measured = held_out.held_out_about(path, text.held_out, len(made.n_grams))
    about = {
        **text.origin(),
        "vocabulary_size": made.n_types - len(SPECIAL),
        "n_sentences": len(text.train),
        "n_words": made.n_words,
        "order": len(made.n_grams),
        "prune": list(prune),
        "n_grams": list(made.n_grams),
        "discounts": [list(discount.amounts) for discount in made.discounts],
        "fallback": [discount.fallback for discount in made.discounts],
        **measured,
        "warnings": _warnings(made, order),
    }
    if isinstance(text, TrainingText):
        return finish_model(folder, "ngram", about, [ARPA], [*text.train, *text.held_out])
    return _finish_large(folder, about, text, memory)


def _n_words(text: TrainingText) -> int:
    return sum(len(line.words) for line in text.train)


def _in_memory(
    text: TrainingText, path: Path, order: int, prune: Sequence[int], progress: Progress
) -> Made:
    model = estimate((line.words for line in text.train), order, prune, progress)
    n_grams = tuple(len(section.words) for section in model.sections)
    _check_left(n_grams, prune)
    progress("write the model", 0, None)
    arpa.write(path, model.vocabulary, model.sections)
    return Made(len(model.vocabulary), _n_words(text), n_grams, model.discounts)


def _on_disk(
    text: TrainingText | LargeText,
    path: Path,
    order: int,
    prune: Sequence[int],
    memory: int,
    progress: Progress,
) -> Made:
    sentences = counted(_sentences(text.train), "read the text", progress, len(text.train))
    with counted_on_disk(sentences, order, prune, path.parent, memory, progress) as counts:
        n_grams = tuple(level.n_kept for level in counts.levels)
        discounts = tuple(level.discount for level in counts.levels)
        _check_left(n_grams, prune)
        write_arpa(counts, path, progress)
        return Made(len(counts.vocabulary), counts.n_words, n_grams, discounts)


def _sentences(lines: Iterable[Line]) -> Iterator[tuple[str, ...]]:
    """The words of each; a word that models keep for themselves is told with its file and line."""
    if not isinstance(lines, TextFiles):
        yield from (line.words for line in lines)
        return
    reserved = frozenset(SPECIAL)
    for path, number, line in lines.numbered():
        if not reserved.isdisjoint(line.words):
            try:
                check_words(line.words)
            except InputError as error:
                raise error.at(f"{path}:{number}") from None
        yield line.words


def _finish_large(
    folder: Path, about: dict[str, object], text: LargeText, memory: int
) -> ModelFolder:
    """As `finish_model`, with the fingerprints sorted on disk."""
    write_seen(folder / SEEN, chain(text.train, text.held_out), memory)
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


def _check_left(n_grams: Sequence[int], prune: Sequence[int]) -> None:
    if len(n_grams) < LOWEST:
        raise InputError(
            "--prune", "no 2-gram is left", f"numbers below {max(prune)}", kind="value"
        )


def _warnings(model: Made, order: int) -> list[str]:
    found = [
        f"order {n}: the counts of counts give no discounts (usual for small or repetitive text); "
        f"{', '.join(map(str, discount.amounts))} are used"
        for n, discount in enumerate(model.discounts, start=1)
        if discount.fallback
    ]
    if len(model.n_grams) < order:
        found.append(f"order {len(model.n_grams)} instead of {order}: there are no longer n-grams")
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
