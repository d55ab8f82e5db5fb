"""The learning curve: what is noted after every epoch of a training."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from colorless_green.data.tables import Row, write_tsv

CURVE = "curve.tsv"
CURVE_COLUMNS = (
    "epoch",
    "step",
    "lr",
    "train_loss",
    "valid_loss",
    "valid_perplexity",
    "accuracy",
    "seconds",
)


@dataclass(frozen=True, slots=True)
class Epoch:
    """What is noted after an epoch: a row of the learning curve."""

    epoch: int  # from 1
    step: int  # batches learned from since the start
    lr: float  # at its last batch
    train_loss: float  # mean nats per unit of the epoch's batches, as they were learned from
    valid_loss: float  # mean nats per unit of the held-out text, after it
    accuracy: float | None  # what `Watch.accuracy` said, after it
    seconds: float  # that it took, the held-out text included

    def row(self) -> Row:
        """Under CURVE_COLUMNS."""
        return {**asdict(self), "valid_perplexity": math.exp(self.valid_loss)}


@dataclass(frozen=True, slots=True)
class Watch:
    """What looks on while a model is trained; it changes nothing of the training."""

    curve: Path | None = None  # where the table of epochs is written anew after each
    accuracy: Callable[[], float] | None = None  # of the model as it stands, not in training mode
    clock: Callable[[], float] = time.monotonic  # seconds


UNWATCHED = Watch()


def write_curve(path: Path, epochs: Sequence[Epoch]) -> None:
    """The table of all epochs so far, anew."""
    write_tsv(path, CURVE_COLUMNS, (each.row() for each in epochs))
