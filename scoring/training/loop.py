"""The loop that neural models are trained by: epochs, held-out loss, best weights, checkpoints.

Nothing random is carried from one epoch to the next: each starts from a seed made of the run's
seed and the epoch's number, and the learning rate follows from the step and the held-out losses so
far. So a checkpoint is weights, the optimiser's tensors and the losses, and a resumed run ends
with the numbers of one that was never interrupted (on one kind of device, with one torch).
"""

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import safetensors
import safetensors.torch
import torch

from colorless_green.data.errors import InputError
from colorless_green.data.files import read_text, write_whole, write_whole_bytes
from colorless_green.data.progress import Progress
from colorless_green.data.seeds import generator, shuffled
from colorless_green.scoring.training.folder import ModelFolder, is_model_folder, read_model
from colorless_green.scoring.training.text import TrainingText

B = TypeVar("B")

CHECKPOINT = "checkpoint"
STATE = "state.json"
IGNORED = -100  # target of what stands behind a row's end; torch's own sign for it
EVALUATED = 32  # sentences a batch when the held-out loss is measured
POOL = 50  # batches that are sorted by length together: little padding, yet no two epochs alike
WARM, LEVEL = 0.05, 0.5  # shares of all steps up to which the rate rises, stays


@dataclass(frozen=True, slots=True)
class Schedule:
    """How fast and how long."""

    n_epochs: int  # at most
    patience: int  # so many epochs in a row without a better held-out loss end it
    rate: float  # the highest learning rate
    falls: str  # "steadily" or "by quarters", see `rate`
    clip: float  # the gradient's norm is cut to this


@dataclass(frozen=True, slots=True)
class Task(Generic[B]):
    """What is trained, on what."""

    name: str  # for the progress line
    identity: str  # digest of text, options and seed: a checkpoint of another one is refused
    seed: int
    module: torch.nn.Module
    optimiser: torch.optim.Optimizer
    schedule: Schedule
    batches: Callable[[int], Sequence[B]]  # the training batches of an epoch (from 0), in order
    held_out: Sequence[B]
    loss: Callable[[B], tuple[torch.Tensor, int]]  # nats of a batch, added up; over how many units


def identity(text: TrainingText, *options: object) -> str:
    """A digest (hex) of everything a training depends on; the options by their `repr`."""
    digest = hashlib.sha256(repr(options).encode())
    for line in (*text.train, None, *text.held_out):
        digest.update(repr(line).encode())
    return digest.hexdigest()


def finished_model(folder: Path, kind: str, wanted: str) -> ModelFolder | None:
    """The model in `folder` if it is whole and came of the training with this identity."""
    if not is_model_folder(folder):
        return None
    found = read_model(folder)
    return found if (found.kind, found.about.get("identity")) == (kind, wanted) else None


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


def fit(task: Task[B], folder: Path, resume: bool, progress: Progress) -> tuple[float, ...]:
    """Trains `task.module` and leaves the best weights in it; the held-out loss of every epoch.

    Losses are mean nats per unit. After every epoch `folder/checkpoint` holds what is needed to go
    on; with `resume` it is read first. Raises `InputError` if it belongs to another training, and
    where the loss is no number any more.
    """
    place = folder / CHECKPOINT
    losses = restore(task, place) if resume else ()
    while not finished(task.schedule, losses):
        _train_epoch(task, losses, progress)
        loss = mean_loss(task)
        if not math.isfinite(loss):
            raise InputError(
                str(folder), f"the loss after epoch {len(losses) + 1} is {loss}", "another --size"
            )
        losses = (*losses, loss)
        save(task, place, losses)
    _load(task.module, place / weights_name(best(losses)))
    return losses


def _train_epoch(task: Task[B], losses: Sequence[float], progress: Progress) -> None:
    epoch, n_epochs = len(losses), task.schedule.n_epochs
    torch.manual_seed(torch_seed(task.seed, f"epoch {epoch}"))
    batches = task.batches(epoch)
    task.module.train()
    for n, batch in enumerate(batches):
        share = (epoch + n / len(batches)) / n_epochs
        for group in task.optimiser.param_groups:
            group["lr"] = rate(task.schedule, share, losses)
        total, n_units = task.loss(batch)
        task.optimiser.zero_grad()
        (total / n_units).backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(task.module.parameters(), task.schedule.clip)
        task.optimiser.step()
        progress(task.name, epoch * len(batches) + n + 1, n_epochs * len(batches))


def mean_loss(task: Task[B]) -> float:
    """Nats per unit of the held-out text, as the model stands, without dropout."""
    task.module.eval()
    nats, n_units = 0.0, 0
    with torch.inference_mode():
        for batch in task.held_out:
            total, n = task.loss(batch)
            nats, n_units = nats + total.item(), n_units + n
    return nats / n_units


@contextmanager
def seeded(seed: int, device: torch.device) -> Iterator[None]:
    """Within it torch's randomness starts from `seed`; afterwards it is what it was before."""
    with torch.random.fork_rng([device] if device.type == "cuda" else []):
        torch.manual_seed(torch_seed(seed, "weights"))
        yield


@contextmanager
def threads(n: int | None) -> Iterator[None]:
    """Within it torch computes with `n` threads (None: as many as it chooses itself).

    The products of a tiny model are shorter than the meeting of two threads at their end: on two
    cores with other work one thread took a tenth of the time of two. And sums come out the same
    whatever the number of cores.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(n or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def torch_seed(seed: int, what: str) -> int:
    """A seed for torch's own generator."""
    return int(generator(seed, what).random() * 2**53)


def by_length(lengths: Sequence[int], n_rows: int, seed: int, epoch: int) -> list[list[int]]:
    """All indices, in random batches of `n_rows` whose lengths are alike."""
    rng = generator(seed, f"order {epoch}")
    order = shuffled(rng, range(len(lengths)))
    pooled = [
        index
        for start in range(0, len(order), POOL * n_rows)
        for index in sorted(order[start : start + POOL * n_rows], key=lambda each: lengths[each])
    ]
    batches = [pooled[start : start + n_rows] for start in range(0, len(pooled), n_rows)]
    return shuffled(rng, batches)


def weights_name(epoch: int) -> str:
    """The weights as they were after `epoch` (from 0)."""
    return f"weights-{epoch}.safetensors"


def optimiser_name(epoch: int) -> str:
    """The optimiser's tensors as they were after `epoch` (from 0)."""
    return f"optimiser-{epoch}.safetensors"


def save(task: Task[B], place: Path, losses: Sequence[float]) -> None:
    """Writes the checkpoint after the last epoch of `losses`; `state.json` last, then tidies up."""
    epoch = len(losses) - 1
    weights = {name: value.detach() for name, value in task.module.named_parameters()}
    tensors = {
        f"{nth}.{key}": value
        for nth, state in task.optimiser.state_dict()["state"].items()
        for key, value in state.items()
        if isinstance(value, torch.Tensor)
    }
    for name, content in ((weights_name(epoch), weights), (optimiser_name(epoch), tensors)):
        with write_whole_bytes(place / name) as stream:
            stream.write(safetensors.torch.save(content))
    with write_whole(place / STATE) as text:
        json.dump({"identity": task.identity, "losses": list(losses)}, text)
    kept = {STATE, weights_name(epoch), optimiser_name(epoch), weights_name(best(losses))}
    for path in sorted(place.iterdir()):
        if path.name not in kept:
            path.unlink()


def restore(task: Task[B], place: Path) -> tuple[float, ...]:
    """Puts the checkpoint in `place` into `task`; its losses, () where there is no checkpoint."""
    if not (place / STATE).is_file():
        return ()
    try:
        state: dict[str, Any] = json.loads(read_text(place / STATE))
        losses = tuple(map(float, state["losses"]))
        if state["identity"] == task.identity:
            _load(task.module, place / weights_name(len(losses) - 1))
            _load_optimiser(task.optimiser, place / optimiser_name(len(losses) - 1))
            return losses
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, safetensors.SafetensorError):
        raise InputError(
            str(place), "the checkpoint is damaged", "train without --resume"
        ) from None
    raise InputError(
        str(place),
        "the checkpoint belongs to another text, seed, size or option",
        "the same ones, or train without --resume",
    )


def _load(module: torch.nn.Module, path: Path) -> None:
    found = safetensors.torch.load_file(path)
    with torch.no_grad():
        for name, value in module.named_parameters():
            value.copy_(found[name])


def _load_optimiser(optimiser: torch.optim.Optimizer, path: Path) -> None:
    states: dict[int, dict[str, torch.Tensor]] = {}
    for name, value in safetensors.torch.load_file(path).items():
        nth, _, key = name.partition(".")
        states.setdefault(int(nth), {})[key] = value
    groups = optimiser.state_dict()["param_groups"]
    optimiser.load_state_dict({"state": states, "param_groups": groups})
