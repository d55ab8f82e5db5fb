"""Score pairs of sentences that are in no suite."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import polars as pl

from ..data import schema
from ..data.configuration import configured
from ..data.errors import InputError
from ..data.formats.pair_formats import FULL, SentencePair, divide, suite_of_pairs
from ..data.items.item import OWN, RIGHT, WRONG
from ..data.items.item_table import table_row
from ..data.items.suite import Suite
from .models.model_folder import Trained
from .models.specs import Model, load_model
from .outcomes.asking import ask, demand_end, judged, planned, prepared
from .outcomes.method import Method
from .questions.plan import answer_plan
from .score_model import units_of
from .selection import several

PAIRS: schema.Schema = {
    "right": str, "wrong": str, "right_bits": float, "wrong_bits": float, "margin_bits": float,
    "credit": float, "tie": bool, "oov": bool, "note": str,
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
    chosen_method = configured(Method, method)
    chosen_method.demand_unigrams()
    sentence_pairs = _sentence_pairs(pairs)
    chosen, *extra = several(model)
    if extra:
        raise InputError("model", f"{len(extra) + 1} models", "one", kind="value")
    if not isinstance(chosen, Model):
        chosen = load_model(chosen, **asdict(chosen_method.load_options(device)))
    rows = _scored(_suite_of(sentence_pairs, chosen_method), chosen_method, chosen)
    texts = [[pair.right for pair in sentence_pairs], [pair.wrong for pair in sentence_pairs]]
    ids = list(map(str, range(len(sentence_pairs))))
    all_rows = pl.DataFrame([ids, *texts], dict.fromkeys(("item_id", RIGHT, WRONG), pl.String))
    return all_rows.join(rows, on="item_id", how="left", maintain_order="left").select(list(PAIRS))


def _sentence_pairs(pairs: Iterable[tuple[str, str]]) -> list[SentencePair]:
    """Return pairs cut where they differ. Raises `InputError` for what is no two sentences."""
    sentence_pairs: list[SentencePair] = []
    for pair in pairs:
        sentences = [sentence.strip() for sentence in pair if isinstance(sentence, str)]
        if len(sentences) != 2 or not all(sentences):
            raise InputError("pairs", f"{pair!r}", "two sentences, right and wrong", kind="format")
        sentence_pairs.append(
            SentencePair(sentences[0], sentences[1], divide(sentences[0], sentences[1]))
        )
    return sentence_pairs


def _suite_of(pairs: Sequence[SentencePair], method: Method) -> Suite:
    """Return a suite of the pairs, numbered from 0, with one prediction, ready to be asked."""
    usual = {**dict.fromkeys(OWN, ""), "kind": "suite", "language": "und"}
    ids = map(str, range(len(pairs)))
    table_rows = (table_row({**usual, "item_id": n, "cluster_id": n}, {}) for n in ids)
    suite = suite_of_pairs("pairs", zip(table_rows, pairs, strict=True))
    by_region = method.measure in ("target", "pmi")
    predictions = suite.predictions[-1:] if by_region else (FULL,)
    return prepared(replace(suite, predictions=predictions), method)


def _scored(suite: Suite, method: Method, model: Model) -> pl.DataFrame:
    """Return the outcomes with the bits of both sentences, by item."""
    demand_end(model, method)
    asking, plan = planned(suite, method, model.scorer)
    asked = ask(asking, plan, method, partial(answer_plan, model.scorer), units_of(model, method))
    return judged(asked, suite, method, model).join(
        asked.pair_bits(), on=["item_id", "prediction"], how="left"
    )
