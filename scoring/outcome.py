"""An item's credit under a prediction, from the surprisals of its regions."""

from dataclasses import dataclass

OUTCOME_COLUMNS = (
    "run",
    "model",
    "method",
    "item_id",
    "prediction",
    "credit",
    "margin_bits",
    "tie",
    "oov",
    "note",
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One item under one prediction of one model."""

    item_id: str
    prediction: str
    credit: float | None  # 0–1; None where the item is left out (the note says why)
    margin_bits: float | None  # how far the prediction is from failing; positive where it holds
    tie: bool
    oov: bool  # some needed word is unknown to the model
    note: str = ""  # "oov", "equal_forms", "fragile", …; joined by ";"
