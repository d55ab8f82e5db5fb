"""An item's credit under a prediction, from the surprisals of its regions."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter

import polars as pl

OOV = "oov"  # left out: a word-level model does not know a scored word
OOV_KEPT = "oov_kept"  # the same, counted because the user asked for it
EQUAL_FORMS = "equal_forms"  # left out: right and wrong form are one word
REFUSED = "refused"  # left out: the model cannot read a sentence of it, as one that is too long
UNDEFINED = "undefined"  # nothing earned: the formula meets a region whose metric has no value
LEMMAS_LEFT_OUT = "lemmas_left_out"  # some lemmas of the item are unknown and do not count
NO_PAIR = "no_pair"  # left out: not of the kind that the method asks for
UNSHARED_TIE = "unshared_tie"  # nothing earned: equal sums that are not each other's mirror image
FRAGILE = "fragile"  # so near a tie that another device may turn it over


@dataclass(frozen=True, slots=True)
class Outcome:
    """One item under one prediction of one model."""

    item_id: str
    prediction: str
    credit: float | None  # 0–1; None where the item is left out (the note says why)
    margin_bits: float | None  # how far the prediction is from failing; positive where it holds
    tie: bool
    oov: bool  # some word of it, before the target or scored, is unknown to the model
    note: str = ""  # of those above; joined by ";"


OUTCOMES = {
    "item_id": pl.String, "prediction": pl.String, "credit": pl.Float64,
    "margin_bits": pl.Float64, "tie": pl.Boolean, "oov": pl.Boolean, "note": pl.String,
}  # fmt: skip
"""The columns of a frame of outcomes; a credit or margin that an item has not is null."""


def outcomes_frame(outcomes: Iterable[Outcome]) -> pl.DataFrame:
    """Outcomes in columns."""
    rows = list(map(attrgetter(*OUTCOMES), outcomes))
    return pl.DataFrame(rows, OUTCOMES, orient="row", strict=False)


def outcomes_in(frame: pl.DataFrame) -> Iterator[Outcome]:
    """The rows of a frame of outcomes as objects."""
    return (Outcome(*row) for row in frame.iter_rows())
