"""Score pairs of sentences that are in no suite."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from ..data.configuration import configured
from ..data.errors import InputError
from ..data.formats.pair_formats import FULL, SentencePair, divide, suite_of_pairs
from ..data.items.item import RIGHT, TEXT_FIELDS, WRONG
from ..data.items.item_table import table_row
from ..data.items.suite import Suite
from .models.model_folder import Trained
from .models.specs import Model
from .outcomes.method import Method
from .score import score
from .selection import list_models

PAIR_COLUMNS: dict[str, type[pl.DataType]] = {
    RIGHT: pl.String, WRONG: pl.String, "right_bits": pl.Float64, "wrong_bits": pl.Float64,
    "margin_bits": pl.Float64, "credit": pl.Float64, "tie": pl.Boolean, "oov": pl.Boolean,
    "note": pl.String,
}  # fmt: skip


def score_pairs(
    pairs: Iterable[tuple[str, str]],
    model: Model | Trained | str | Path,
    *,
    method: Method | str | Path = "sentence",
    device: str = "auto",
) -> pl.DataFrame:
    """Score pairs of sentences: which of the two is less surprising to a language model.

    The numbers are those of `score` with the same method. Nothing is stored.

    Args:
        pairs: (right, wrong), as raw text.
        model: a spec or path (see `load_model`), a loaded model, or what `train` returned.
        method: a `Method`, its name or file. Its measure is sentence; target (the words from the
            first to the last in which the two differ, after what is before them, if anything is;
            whole sentences, if in some pair one sentence has no word there, as where it is the
            beginning of the other); one-prefix (the same, but only such pairs are left out, however
            much the others differ); pmi; meanlp, normlp-div, normlp-sub, slor, penlp or perchar.
        device: auto, cpu, cuda or cuda:n.

    Returns:
        One row a pair, in order: right, wrong, right_bits and wrong_bits (surprisal, or what the
        measure makes of it: less is more acceptable), margin_bits (positive where the right one is
        less surprising), credit (1, 0, or a share for a tie), tie, oov (a word is unknown), note
        (why there is no credit, if there is none).

    Raises:
        InputError: as `score`, and for a pair that is not of two sentences.

    >>> import colorless_green as cg
    >>> from pathlib import Path
    >>> _ = Path("words.txt").write_text("the key keys is are old .")
    >>> pairs = [("the keys are .", "the keys is old .")]
    >>> cg.score_pairs(pairs, "uniform:words.txt").rows()[0][2:6]
    (12.0, 15.0, 3.0, 1.0)
    """
    settings = configured(Method, method)
    n_models = len(list_models(model))  # a pattern may name several
    if n_models != 1:
        raise InputError("model", f"{n_models} models", "one", kind="value")
    sentence_pairs = _sentence_pairs(pairs)
    if not sentence_pairs:
        return pl.DataFrame(schema=PAIR_COLUMNS)
    suite = _suite_of(sentence_pairs, settings)
    outcomes = score(suite, model, method=settings, device=device).outcomes
    texts = {
        "item_id": [str(n) for n in range(len(sentence_pairs))],
        RIGHT: [pair.right for pair in sentence_pairs],
        WRONG: [pair.wrong for pair in sentence_pairs],
    }
    rows = pl.DataFrame(texts).join(
        outcomes.drop(RIGHT, WRONG), on="item_id", how="left", maintain_order="left"
    )
    return rows.select(pl.col(name).cast(dtype) for name, dtype in PAIR_COLUMNS.items())


def _sentence_pairs(pairs: Iterable[tuple[str, str]]) -> list[SentencePair]:
    """Check pairs of sentences, and divide each where the two differ (into prefix, word and rest).
    Raises `InputError` if a pair is not two sentences."""
    sentence_pairs: list[SentencePair] = []
    for pair in pairs:
        sentences = [sentence.strip() for sentence in pair if isinstance(sentence, str)]
        if len(sentences) != 2 or not all(sentences):
            raise InputError("pairs", f"{pair!r}", "two sentences, right and wrong", kind="format")
        right, wrong = sentences
        sentence_pairs.append(SentencePair(right, wrong, divide(right, wrong)))
    return sentence_pairs


def _suite_of(pairs: Sequence[SentencePair], method: Method) -> Suite:
    """Make a suite with an item for each pair. Item ids are the numbers of the pairs, from 0.

    Its one prediction is that the right sentence is less surprising: for the measures target and
    pmi in the words that differ, for all others as a whole.
    """
    defaults = {**dict.fromkeys(TEXT_FIELDS, ""), "kind": "suite", "language": "und"}
    ids = map(str, range(len(pairs)))
    table_rows = (table_row({**defaults, "item_id": n, "cluster_id": n}, {}) for n in ids)
    suite = suite_of_pairs("pairs", zip(table_rows, pairs, strict=True))
    compares_words = method.measure in ("target", "pmi")
    # the suite's last prediction is about the words that differ, if all pairs have such words
    predictions = suite.predictions[-1:] if compares_words else (FULL,)
    return replace(suite, predictions=predictions)
