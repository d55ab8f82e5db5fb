"""A component oracle: how fast and how long, against the paper's script and by hand."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green import Training
from colorless_green.scoring.training.sizes import Schedule, size_of
from colorless_green.scoring.training.trained_files import best_epoch_of

losses = st.lists(st.floats(0.1, 9.0), min_size=1, max_size=30)


def losses_of(schedule: Schedule, held_out: Iterable[float]) -> list[float]:
    """Return the losses until a training with this schedule would end."""
    seen: list[float] = []
    for loss in held_out:
        if schedule.is_over(seen):
            break
        seen.append(loss)
    return seen


def test_training_ends_when_patience_or_epochs_do() -> None:
    schedule = Schedule(6, 2, 1.0, "steadily", 1.0)
    assert losses_of(schedule, [5, 4, 4, 4.5, 3, 2]) == [5, 4, 4, 4.5]
    assert losses_of(schedule, [9, 8, 7, 6, 5, 4, 3]) == [9, 8, 7, 6, 5, 4]
    assert best_epoch_of([5, 4, 4, 4.5]) == 1


@given(losses, st.integers(1, 40))
def test_a_schedule_that_never_ends_early_never_does_with_other_epochs(
    held_out: list[float], n_epochs: int
) -> None:
    never = size_of("recurrent", Training(extends="gulordava2018", epochs=n_epochs)).schedule
    assert losses_of(never, held_out) == held_out[:n_epochs]
    assert size_of("causal", Training(extends="small", epochs=90)).schedule.patience == 3


def test_the_rate_rises_stays_and_falls_to_nothing() -> None:
    schedule = Schedule(6, 2, 2.0, "steadily", 1.0)
    found = [schedule.rate_at(share, ()) for share in (0, 0.025, 0.05, 0.5, 0.75, 1)]
    assert found == pytest.approx([0, 1, 2, 2, 1, 0])


def test_the_rate_of_the_paper_is_quartered_after_each_epoch_that_is_not_the_best() -> None:
    schedule = Schedule(40, 40, 20.0, "by quarters", 0.25)
    held_out = [5.0, 4.0, 4.5, 3.9, 3.9, 3.8]
    found = [schedule.rate_at(0.3, held_out[:n]) for n in range(len(held_out) + 1)]
    assert found == [20, 20, 20, 5, 5, 1.25, 1.25]


@given(losses)
def test_the_rate_of_the_paper_follows_its_script(held_out: list[float]) -> None:
    """`if not best_val_loss or val_loss < best_val_loss: keep, else: lr /= 4.0` (main.py)."""
    lowest: float | None = None
    wanted = 20.0
    for loss in held_out:
        if lowest is None or loss < lowest:
            lowest = loss
        else:
            wanted /= 4.0
    found = Schedule(40, 40, 20.0, "by quarters", 0.25).rate_at(0.3, held_out)
    assert found == pytest.approx(wanted)
