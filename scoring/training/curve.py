"""The learning curve: a table of what is noted after every epoch of a training."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import exp
from pathlib import Path
from typing import Any

from ...data import schema
from ...data.errors import InputError
from ...data.tables import Row, frame, read_tsv, write_table
from ..questions.query import Scorer
from .sizes import best

CURVE = "curve.tsv"


@dataclass(frozen=True, slots=True)
class Epoch:
    """A row of the learning curve: the figures recorded after an epoch.

    Attributes:
        epoch: its number, from 1.
        step: batches learned from since the start.
        lr: the learning rate at its last batch.
        train_loss: mean nats per unit of the epoch's batches, as they were learned from.
        valid_loss: mean nats per unit of the held-out text, after it.
        accuracy: of the model as it stood on `suite`, 0 to 1; `None` where no item of it counts.
        suite: name of the suite that was asked; "" for none.
        seconds: that it took, the held-out text included.
    """

    epoch: int
    step: int
    lr: float
    train_loss: float
    valid_loss: float
    accuracy: float | None
    suite: str
    seconds: float

    def row(self) -> Row:
        """Return the epoch as a row of the table, with its perplexity."""
        return {**asdict(self), "valid_perplexity": exp(self.valid_loss)}


@dataclass(frozen=True, slots=True)
class EpochSuite:
    """A suite that the model so far is asked after every epoch.

    Attributes:
        suite: its name.
        accuracy: model → accuracy, 0 to 1; `None` where no item of it counts.
    """

    suite: str
    accuracy: Callable[[Scorer], float | None]


def write_curve(path: Path, epochs: Sequence[Epoch]) -> None:
    """Write the table of all epochs so far."""
    write_table(path, frame((epoch.row() for epoch in epochs), schema.CURVE))


def write_curves(path: Path, curves: Mapping[int, Sequence[Epoch]]) -> None:
    """Write the learning curves of several trainings as one table.

    Args:
        path: the file; its ending says the format.
        curves: seed → epochs.

    >>> write_curves(Path("curves.tsv"), {7: [Epoch(1, 40, 0.01, 4.5, 4.2, None, "", 2.5)]})
    >>> Path("curves.tsv").read_text().split("\\n")[0].split("\\t")[:4]
    ['seed', 'epoch', 'step', 'lr']
    """
    rows = ({"seed": seed, **epoch.row()} for seed, epochs in curves.items() for epoch in epochs)
    write_table(path, frame(rows, {"seed": int, **schema.CURVE}))


def read_curve(path: Path) -> tuple[Epoch, ...]:
    """Read the learning curve of one training.

    Args:
        path: the file that `write_curve` wrote.

    Returns:
        Its epochs, in order; empty where there is no such file.

    Raises:
        InputError: the file is another one.

    >>> write_curve(Path("curve.tsv"), [Epoch(1, 40, 0.01, 4.5, 4.2, None, "", 2.5)])
    >>> read_curve(Path("curve.tsv"))[0].valid_loss
    4.2
    """
    if not path.is_file():
        return ()
    kinds: dict[str, Any] = {**schema.CURVE}
    del kinds["valid_perplexity"]
    curve = []
    try:
        for row in read_tsv(path, schema.CURVE):
            values = {name: kind(row[name]) for name, kind in kinds.items() if row[name]}
            curve.append(Epoch(**{"accuracy": None, "suite": "", **values}))
    except (ValueError, TypeError):
        wrong, right = "a cell is no number", f"a {CURVE} of colorless train"
        raise InputError(str(path), wrong, right, kind="format") from None
    return tuple(curve)


def best_accuracy(epochs: Sequence[Epoch], suite: str) -> float | None:
    """Return the accuracy on `suite` after the epoch whose weights are kept, if it was asked
    then."""
    best_epoch = epochs[best([epoch.valid_loss for epoch in epochs])] if epochs else None
    return best_epoch.accuracy if best_epoch is not None and best_epoch.suite == suite else None
