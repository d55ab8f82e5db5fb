"""How fast and how long a network learns: rates, patience, and the epoch that is kept."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

WARM, LEVEL = 0.05, 0.5  # shares of all steps up to which the rate rises, stays


@dataclass(frozen=True, slots=True)
class Schedule:
    """How fast and how long."""

    n_epochs: int  # at most
    patience: int  # so many epochs in a row without a better held-out loss end it
    rate: float  # the highest learning rate
    falls: str  # "steadily" or "by quarters", see `rate`
    clip: float  # the gradient's norm is cut to this


def lasting(schedule: Schedule, n_epochs: int) -> Schedule:
    """The schedule with another number of epochs; one that never ended early still never does."""
    patience = schedule.patience if schedule.patience < schedule.n_epochs else n_epochs
    return replace(schedule, n_epochs=n_epochs, patience=patience)


def rate(schedule: Schedule, share: float, losses: Sequence[float]) -> float:
    """The learning rate when `share` (0–1) of all steps is done and epochs had these `losses`.

    "steadily": up in a straight line over the first twentieth, level up to the half, then down to
    0. A tiny Transformer finds agreement all at once, late in the level half; with a fall from the
    start it often had not when the rate was gone. "by quarters": divided by 4 after each epoch
    whose held-out loss is not the best so far (Gulordava et al. 2018, src/language_models/main.py).
    """
    if schedule.falls == "by quarters":
        worse = sum(losses[n] >= min(losses[:n]) for n in range(1, len(losses)))
        return schedule.rate / 4.0**worse
    return schedule.rate * min(share / WARM, 1.0, (1 - share) / (1 - LEVEL))


def finished(schedule: Schedule, losses: Sequence[float]) -> bool:
    """Whether training ends after epochs with these held-out losses."""
    if len(losses) >= schedule.n_epochs:
        return True
    return bool(losses) and len(losses) - 1 - best(losses) >= schedule.patience


def best(losses: Sequence[float]) -> int:
    """The epoch (from 0) of the lowest loss, the first of equal ones."""
    return min(range(len(losses)), key=lambda epoch: losses[epoch])
