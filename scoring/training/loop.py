"""The loop that neural models are trained by: epochs, held-out loss, best weights, checkpoints.

Nothing random is carried from one epoch to the next: each starts from a seed made of the run's
seed and the epoch's number, and the learning rate follows from the step and the held-out losses so
far. So a checkpoint is weights, the optimiser's tensors and the losses, and a resumed run ends
with the numbers of one that was never interrupted (on one kind of device, with one torch).
"""

import hashlib
import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from colorless_green.data.errors import InputError
from colorless_green.data.progress import Progress
from colorless_green.data.seeds import generator, shuffled
from colorless_green.scoring.training.checkpoint import (
    load_weights,
    restore,
    save,
    weights_name,
)
from colorless_green.scoring.training.curve import UNWATCHED, Epoch, Watch, write_curve
from colorless_green.scoring.training.folder import ModelFolder, is_model_folder, read_model
from colorless_green.scoring.training.schedule import Schedule, best, finished, rate
from colorless_green.scoring.training.text import TrainingText

B = TypeVar("B")

CHECKPOINT = "checkpoint"
IGNORED = -100  # target of what stands behind a row's end; torch's own sign for it
EVALUATED = 32  # sentences a batch when the held-out loss is measured
POOL = 50  # batches that are sorted by length together: little padding, yet no two epochs alike


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


def fit(
    task: Task[B], folder: Path, resume: bool, progress: Progress, watch: Watch = UNWATCHED
) -> tuple[float, ...]:
    """Trains `task.module` and leaves the best weights in it; the held-out loss of every epoch.

    Losses are mean nats per unit. After every epoch `folder/checkpoint` holds what is needed to go
    on; with `resume` it is read first. Raises `InputError` if it belongs to another training, and
    where the loss is no number any more.
    """
    place = folder / CHECKPOINT
    epochs = restore(task, place) if resume else ()
    while not finished(task.schedule, losses := tuple(each.valid_loss for each in epochs)):
        epoch = _epoch(task, epochs, progress, watch)
        if not math.isfinite(epoch.valid_loss):
            wrong = f"the loss after epoch {epoch.epoch} is {epoch.valid_loss}"
            raise InputError(str(folder), wrong, "another --size", kind="value")
        epochs = (*epochs, epoch)
        save(task, place, epochs, best([each.valid_loss for each in epochs]))
        if watch.curve is not None:
            write_curve(watch.curve, epochs)
    load_weights(task.module, place / weights_name(best(losses)))
    return losses


def _epoch(task: Task[B], before: Sequence[Epoch], progress: Progress, watch: Watch) -> Epoch:
    start = watch.clock()
    trained = _train_epoch(task, [each.valid_loss for each in before], progress)
    loss = mean_loss(task)
    return Epoch(
        len(before) + 1,
        trained.n_steps + (before[-1].step if before else 0),
        trained.rate,
        trained.loss,
        loss,
        None if watch.accuracy is None else watch.accuracy(),
        watch.suite,
        watch.clock() - start,
    )


def measures(
    text: TrainingText, module: torch.nn.Module, losses: Sequence[float]
) -> dict[str, object]:
    """What `model.json` says of every training."""
    return {
        "n_parameters": sum(each.numel() for each in module.parameters()),
        "n_sentences": len(text.train),
        "n_words": sum(len(line.words) for line in text.train),
        "n_epochs": len(losses),
        "best_epoch": best(losses) + 1,
        "held_out_nats": list(losses),
    }


@dataclass(frozen=True, slots=True)
class _Trained:
    """What an epoch's batches came to."""

    n_steps: int
    rate: float  # the last one
    loss: float  # mean nats per unit


def _train_epoch(task: Task[B], losses: Sequence[float], progress: Progress) -> _Trained:
    epoch, n_epochs = len(losses), task.schedule.n_epochs
    torch.manual_seed(torch_seed(task.seed, f"epoch {epoch}"))
    batches = task.batches(epoch)
    task.module.train()
    now, n_seen = 0.0, 0
    spent = torch.zeros((), dtype=torch.float64, device=next(task.module.parameters()).device)
    for n, batch in enumerate(batches):
        share = (epoch + n / len(batches)) / n_epochs
        now = rate(task.schedule, share, losses)
        for group in task.optimiser.param_groups:
            group["lr"] = now
        total, n_units = task.loss(batch)
        spent, n_seen = spent + total.detach(), n_seen + n_units  # read once: no wait for a GPU
        task.optimiser.zero_grad()
        (total / n_units).backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(task.module.parameters(), task.schedule.clip)
        task.optimiser.step()
        progress(task.name, epoch * len(batches) + n + 1, n_epochs * len(batches))
    return _Trained(len(batches), now, spent.item() / n_seen)


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
def repeatable(device: torch.device) -> Iterator[None]:
    """Within it a GPU's sums come out the same each time.

    cuDNN's recurrent layers repeat only with a fixed workspace of cuBLAS (torch.nn.LSTM, "There are
    known non-determinism issues"), which is asked for by a variable of the environment. It must
    be there before the first product on the GPU. Attention is computed by plain products: the
    gradients of the fused kernels are summed in any order, and sentences are too short to gain.
    """
    if device.type != "cuda":
        yield
        return
    name = "CUBLAS_WORKSPACE_CONFIG"
    before = os.environ.get(name)
    os.environ.setdefault(name, ":4096:8")
    benchmark = torch.backends.cudnn.benchmark
    torch.backends.cudnn.benchmark = False  # else the first batch chooses between algorithms
    try:
        with sdpa_kernel(SDPBackend.MATH):
            yield
    finally:
        torch.backends.cudnn.benchmark = benchmark
        if before is None:
            os.environ.pop(name, None)


def check_mixed(mixed: bool, device: torch.device) -> None:
    """Raises `InputError` where bfloat16 products would gain nothing: without a GPU, or on one
    that only imitates them."""
    if mixed and device.type != "cuda":
        raise InputError(
            "--mixed", f"there is no gain of it on {device.type}", "--device cuda", kind="value"
        )
    if mixed:
        with torch.cuda.device(device):
            if not torch.cuda.is_bf16_supported(including_emulation=False):
                raise InputError(
                    "--mixed", "this GPU does not compute in bfloat16", "--no-mixed", kind="value"
                )


def products(device: torch.device, *, mixed: bool) -> torch.autocast:
    """The context of a forward pass: products in bfloat16 if `mixed`, all else in float32.

    Weights, gradients and the optimiser stay float32; bfloat16 has float32's range, so that no
    loss need be scaled.
    """
    return torch.autocast(device.type, torch.bfloat16, enabled=mixed)


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
