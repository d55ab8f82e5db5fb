"""The learning curve: what is noted after every epoch of a training."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from colorless_green.data import schema
from colorless_green.data.errors import InputError
from colorless_green.data.tables import Row, frame, read_tsv, write_table
from colorless_green.scoring.query import Scorer
from colorless_green.scoring.training.sizes import best

CURVE = "curve.tsv"


@dataclass(frozen=True, slots=True)
class Epoch:
    """What is noted after an epoch: a row of the learning curve."""

    epoch: int  # from 1
    step: int  # batches learned from since the start
    lr: float  # at its last batch
    train_loss: float  # mean nats per unit of the epoch's batches, as they were learned from
    valid_loss: float  # mean nats per unit of the held-out text, after it
    accuracy: float | None  # of the model as it stood on `suite`; None where no item of it counts
    suite: str  # "" if none was asked
    seconds: float  # that it took, the held-out text included

    def row(self) -> Row:
        """Under schema.CURVE."""
        return {**asdict(self), "valid_perplexity": math.exp(self.valid_loss)}


@dataclass(frozen=True, slots=True)
class Quiz:
    """A suite that the model so far is asked after every epoch."""

    suite: str  # its name
    accuracy: Callable[[Scorer], float | None]  # 0–1; None where no item of it counts


class Watch:
    """Looks on while a model is trained, and changes nothing of the training."""

    def __init__(self, folder: Path, quiz: Quiz | None, scorer: Callable[[], Scorer]) -> None:
        self.curve = folder / CURVE  # written anew after each epoch
        self.suite = quiz.suite if quiz else ""
        self.accuracy = (lambda: quiz.accuracy(scorer())) if quiz else None


def write_curve(path: Path, epochs: Sequence[Epoch]) -> None:
    """Writes the table of all epochs so far."""
    write_table(path, frame((each.row() for each in epochs), schema.CURVE))


def write_curves(path: Path, curves: Mapping[int, Sequence[Epoch]]) -> None:
    """Writes the table of several trainings, by their seeds."""
    rows = ({"seed": seed, **each.row()} for seed, epochs in curves.items() for each in epochs)
    write_table(path, frame(rows, {"seed": int, **schema.CURVE}))


def read_curve(path: Path) -> tuple[Epoch, ...]:
    """Reads what `write_curve` wrote; () where there is no such file.

    Raises:
        InputError: the file is another one.
    """
    if not path.is_file():
        return ()
    try:
        return tuple(
            Epoch(
                int(row["epoch"]),
                int(row["step"]),
                float(row["lr"]),
                float(row["train_loss"]),
                float(row["valid_loss"]),
                float(row["accuracy"]) if row["accuracy"] else None,
                row["suite"],
                float(row["seconds"]),
            )
            for row in read_tsv(path, schema.CURVE)
        )
    except ValueError:
        wrong, right = "a cell is no number", f"a {CURVE} of colorless train"
        raise InputError(str(path), wrong, right, kind="format") from None


def kept_accuracy(epochs: Sequence[Epoch], suite: str) -> float | None:
    """The accuracy on `suite` after the epoch whose weights are kept, if it was asked then."""
    if not epochs:
        return None
    kept = epochs[best([each.valid_loss for each in epochs])]
    return kept.accuracy if kept.suite == suite else None
