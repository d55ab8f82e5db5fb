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
SHARED_SUBWORD = "shared_subword"  # a subword has letters of two regions, and counts to the later
FRAGILE = "fragile"  # so near a tie that another device may turn it over


@dataclass(frozen=True, slots=True)
class Outcome:
    """One item under one prediction of one model.

    Attributes:
        item_id: the item.
        prediction: name of the prediction.
        credit: 0 to 1; `None` where the item is left out (the note says why).
        margin_bits: how far the prediction is from failing, positive where it holds; `None` where
            it cannot be computed.
        tie: whether the compared sums are equal.
        oov: whether some word of it, before the target or scored, is unknown to the model.
        note: `oov`, `equal_forms` and the like, joined by `;`.
    """

    item_id: str
    prediction: str
    credit: float | None
    margin_bits: float | None
    tie: bool
    oov: bool
    note: str = ""


OUTCOMES = {
    "item_id": pl.String, "prediction": pl.String, "credit": pl.Float64,
    "margin_bits": pl.Float64, "tie": pl.Boolean, "oov": pl.Boolean, "note": pl.String,
}  # fmt: skip
"""The columns of a frame of outcomes; a credit or margin that an item has not is null."""


def outcomes_frame(outcomes: Iterable[Outcome]) -> pl.DataFrame:
    """Put outcomes into a frame.

    Args:
        outcomes: the outcomes.

    Returns:
        One row each, in order; columns are the fields of `Outcome`.

    >>> outcomes_frame([Outcome("a1", "p", 1.0, 2.5, False, False)])["credit"].to_list()
    [1.0]
    """
    rows = list(map(attrgetter(*OUTCOMES), outcomes))
    return pl.DataFrame(rows, OUTCOMES, orient="row", strict=False)


def outcomes_in(frame: pl.DataFrame) -> Iterator[Outcome]:
    """Read the outcomes of a frame.

    Args:
        frame: as `outcomes_frame` makes it.

    Returns:
        The outcomes, row by row.

    >>> table = outcomes_frame([Outcome("a1", "p", 1.0, 2.5, False, False)])
    >>> next(outcomes_in(table)).margin_bits
    2.5
    """
    return (Outcome(*row) for row in frame.iter_rows())
