"""Trials as records, for tests that write or compare single answers."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

import polars as pl

from colorless_green import humans
from colorless_green.humans import TRIALS


@dataclass(frozen=True, slots=True)
class Judgment:
    """A row of a frame of trials."""

    participant: str
    session: str = ""
    trial_id: str = ""
    item: str = ""
    source: str = ""
    construction: str = ""
    condition: str = ""
    kind: str = "target"
    position: int | None = None
    list: str = ""
    prefix: str = ""
    option_1: str = ""
    option_2: str = ""
    chosen: str = ""
    chosen_index: int | None = None
    correct_form: str = ""
    correct: int | None = None
    rating: float | None = None
    rt_ms: float | None = None
    at: str = ""
    origin: str = ""


def trials_of(judgments: Iterable[Judgment]) -> pl.DataFrame:
    """Return the records as a frame of trials."""
    return humans.trials_of(map(asdict, judgments))


def judgments_of(trials: pl.DataFrame) -> tuple[Judgment, ...]:
    """Return the rows of a frame of trials as records."""
    return tuple(Judgment(*row) for row in trials.select(*TRIALS).iter_rows())
