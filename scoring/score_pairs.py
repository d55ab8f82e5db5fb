"""Score pairs of sentences that stand in no suite."""

from collections.abc import Iterable
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import polars as pl

from ..data import schema
from ..data.errors import InputError
from ..data.formats.pair_formats import FULL, SentencePair, divide, suite_of_pairs
from ..data.items.item import OWN, RIGHT, WRONG
from ..data.items.item_table import table_row
from .models.model_folder import Trained
from .models.specs import Model, load_model
from .outcomes.run import ask
from .outcomes.setting import prepared, setting_of
from .questions.plan_answers import answer_plan
from .questions.query import LoadOptions
from .score import units_of
from .selection import several

BITS = ("right_bits", "wrong_bits")
PAIRS: schema.Schema = {
    "right": str, "wrong": str, "right_bits": float, "wrong_bits": float, "margin_bits": float,
    "credit": float, "tie": bool, "oov": bool, "note": str,
}  # fmt: skip


def score_pairs(
    pairs: Iterable[tuple[str, str]],
    model: Model | Trained | str | Path,
    *,
    method: str = "sentence",
    eos: str | None = None,
    period: str | None = None,
    premise: str | None = None,
    unigrams: str | Path | None = None,
    oov: str | None = None,
    ties: str | None = None,
    device: str = "auto",
    dtype: str = "float32",
    bos: str = "auto",
    boundary: str = "none",
    compile: bool = False,
) -> pl.DataFrame:
    """Scores pairs of sentences: which of the two is less surprising to a language model.

    The numbers are those of `score` with the same method. Nothing is stored.

    Args:
        pairs: (right, wrong), as raw text.
        model: a spec or path (see `load_model`), a loaded model, or what `train` returned.
        method: sentence; target (the words from the first to the last in which the two differ,
            after what stands before them, if anything does; whole sentences, if in some pair one
            sentence has no word there, as where it is the beginning of the other); one-prefix (the
            same, but only such pairs are left out, however much the others differ); pmi; meanlp,
            normlp-div, normlp-sub, slor or penlp.
        eos, period, premise, unigrams, oov, ties: as for `score`.
        device, dtype, bos, boundary, compile: as for `load_model`.

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
    setting = setting_of(
        "",
        {
            "method": method, "eos": eos, "period": period, "premise": premise, "oov": oov,
            "ties": ties, "unigrams": None if unigrams is None else Path(unigrams),
        },
    )  # fmt: skip
    sentence_pairs: list[SentencePair] = []
    for pair in pairs:
        sentences = [sentence.strip() for sentence in pair if isinstance(sentence, str)]
        if len(sentences) != 2 or not all(sentences):
            raise InputError("pairs", f"{pair!r}", "two sentences, right and wrong", kind="format")
        sentence_pairs.append(
            SentencePair(sentences[0], sentences[1], divide(sentences[0], sentences[1]))
        )
    usual = {**dict.fromkeys(OWN, ""), "kind": "suite", "language": "und"}
    ids = list(map(str, range(len(sentence_pairs))))
    table_rows = (table_row({**usual, "item_id": n, "cluster_id": n}, {}) for n in ids)
    suite = suite_of_pairs("pairs", zip(table_rows, sentence_pairs, strict=True))
    chosen, *extra = several(model)
    if extra:
        raise InputError("model", f"{len(extra) + 1} models", "one", kind="value")
    if not isinstance(chosen, Model):
        chosen = load_model(chosen, **asdict(LoadOptions(device, dtype, bos, boundary, compile)))
    predictions = suite.predictions[-1:] if method in ("target", "pmi") else (FULL,)
    suite = prepared(replace(suite, predictions=predictions), setting)
    scorer, units = chosen.scorer, units_of(chosen, setting)
    result = ask(suite, setting, chosen, partial(answer_plan, scorer), units)
    asked_suite = result.asking.suite
    bits = asked_suite.table.frame.select("item_id").with_columns(
        pl.Series(name, result.values[cell], nan_to_null=True)
        for cell, name in zip(asked_suite.predictions[0].cells(), BITS, strict=True)
    )
    texts = [[pair.right for pair in sentence_pairs], [pair.wrong for pair in sentence_pairs]]
    rows = pl.DataFrame([ids, *texts], dict.fromkeys(("item_id", RIGHT, WRONG), pl.String))
    for columns in (bits, result.outcomes):
        rows = rows.join(columns, on="item_id", how="left", maintain_order="left")
    return rows.select(list(PAIRS))
