"""The loop that neural models are trained by: batches, epochs, held-out loss, checkpoints.

Nothing random is carried from one epoch to the next: each starts from a seed made of the run's
seed and the epoch's number, and the learning rate follows from the step and the held-out losses so
far. So a checkpoint is weights, the optimiser's tensors and the losses, and a resumed run ends
with the numbers of one that was never interrupted (on one kind of device, with one torch).
"""

import hashlib
import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic

import numpy as np
import safetensors
import safetensors.torch
import torch
from numpy.typing import NDArray
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import cross_entropy
from torch.optim.adamw import adamw
from torch.optim.sgd import sgd

from colorless_green.data.errors import InputError
from colorless_green.data.files import write_whole_bytes
from colorless_green.data.progress import Progress
from colorless_green.data.seeds import generator, shuffled
from colorless_green.scoring.device import full_precision, sent
from colorless_green.scoring.training.curve import Epoch, Watch, write_curve
from colorless_green.scoring.training.folder import ModelFolder, is_model_folder, read_model
from colorless_green.scoring.training.sizes import (
    NetworkSize,
    Request,
    Schedule,
    TransformerSize,
    best,
)
from colorless_green.scoring.training.text import TrainingText
from colorless_green.scoring.words import SHORT

CHECKPOINT = "checkpoint.safetensors"
CHECKPOINT_S, CHECKPOINT_SHARE = 1.0, 0.1  # what checkpoints may take: seconds, and of all time
EVALUATED = 32  # sentences a batch when the held-out loss is measured, or more
POOL = 50  # batches that are sorted by length together: little padding, yet no two epochs alike
MOST = 16_384  # ids in a batch, for its memory; a batch has one sentence at least
DAMAGED = (OSError, ValueError, KeyError, TypeError, RuntimeError, safetensors.SafetensorError)


@dataclass(frozen=True, slots=True)
class Batch:
    """What a model reads, and what it is to predict."""

    ids: torch.Tensor  # in the shape the model reads
    targets: torch.Tensor  # int64 (n,)
    places: torch.Tensor | slice  # of the targets, in what the model says after each of the ids
    goes_on: bool = False  # whether it continues the batch before it


@dataclass(frozen=True, slots=True)
class Sentences:
    """Sentences as one array, with a separator before, between and behind them."""

    ids: torch.Tensor  # int32 (n,)
    starts: torch.Tensor  # int64 (n_sentences + 1,): the separators

    @classmethod
    def of(cls, ids: NDArray[np.int32], lengths: NDArray[np.int64], separator: int) -> "Sentences":
        """From the ids of all sentences, and how many each one has."""
        starts = np.concatenate([[0], np.cumsum(lengths + 1)])
        whole = np.full(starts[-1] + 1, separator, dtype=np.int32)
        inside = np.ones(len(whole), dtype=bool)
        inside[starts] = False
        whole[inside] = ids
        return cls(torch.from_numpy(whole), torch.from_numpy(starts))

    @property
    def lengths(self) -> torch.Tensor:
        """What there is to predict of each: its ids and the separator behind them."""
        return self.starts.diff()

    def batch(
        self, which: Sequence[int], most: int, device: torch.device, *, time_first: bool = False
    ) -> Batch:
        """Sentences `(batch, time)`, each cut after `most` ids; behind its end stands anything."""
        chosen = torch.tensor(which)
        lengths = self.lengths[chosen].clamp(max=most)
        at = self.starts[chosen, None] + torch.arange(int(lengths.max()))
        inside = at < (self.starts[chosen] + lengths)[:, None]
        if time_first:
            at, inside = at.T, inside.T
        places = inside.flatten().nonzero().squeeze(1)
        targets = self.ids[at.flatten()[places] + 1].long()
        ids = self.ids[at.clamp(max=len(self.ids) - 1)]
        return Batch(*(sent(each, device) for each in (ids, targets, places)))


Batches = tuple[int, Iterable[Batch]]
"""How many, and each in turn."""


def by_length(lengths: Sequence[int], n_rows: int, seed: int, epoch: int) -> list[list[int]]:
    """All indices, in random batches of `n_rows` whose lengths are alike; in smaller ones where
    they would have more than `MOST` ids."""
    rng = generator(seed, f"order {epoch}")
    order = shuffled(rng, range(len(lengths)))
    batches: list[list[int]] = []
    for start in range(0, len(order), POOL * n_rows):
        batches.append([])
        for index in sorted(order[start : start + POOL * n_rows], key=lengths.__getitem__):
            n = len(batches[-1])
            if n == n_rows or (n and (n + 1) * lengths[index] > MOST):
                batches.append([])
            batches[-1].append(index)
    return shuffled(rng, batches)


def held_out_batches(lengths: Sequence[int], n_rows: int) -> list[list[int]]:
    """All indices, in batches by their lengths."""
    ranked, n = sorted(range(len(lengths)), key=lengths.__getitem__), max(n_rows, EVALUATED)
    n = max(1, min(n, MOST // max(lengths)))
    return [ranked[start : start + n] for start in range(0, len(ranked), n)]


class Optimiser:
    """Plain SGD or AdamW, by the functions beneath torch's classes: to make one of those loads
    torch's compiler, which takes as long as torch itself."""

    def __init__(
        self,
        module: torch.nn.Module,
        name: str,
        betas: tuple[float, float] = (0.9, 0.999),
        decay: float = 0.0,
    ) -> None:
        self.name, self.betas, self.decay = name, betas, decay
        self.parameters = [each for each in module.parameters() if each.requires_grad]
        kinds = ("mean", "square", "step") if name == "adam" else ()
        self.state = {
            kind: [
                torch.zeros((), device=each.device) if kind == "step" else torch.zeros_like(each)
                for each in self.parameters
            ]
            for kind in kinds
        }

    @torch.no_grad()
    def step(self, rate: float, clip: float) -> None:
        """Moves the parameters along their gradients, which are cut to `clip` and dropped."""
        torch.nn.utils.clip_grad_norm_(self.parameters, clip)
        gradients = [each.grad for each in self.parameters if each.grad is not None]
        assert len(gradients) == len(self.parameters)
        if self.name == "adam":
            adamw(
                self.parameters, gradients, self.state["mean"], self.state["square"], [],
                self.state["step"], fused=True, amsgrad=False, beta1=self.betas[0],
                beta2=self.betas[1], lr=rate, weight_decay=self.decay, eps=1e-8, maximize=False,
            )  # fmt: skip
        else:
            sgd(
                self.parameters, gradients, [None] * len(gradients), fused=True, weight_decay=0.0,
                momentum=0.0, lr=rate, dampening=0.0, nesterov=False, maximize=False,
            )  # fmt: skip
        for each in self.parameters:
            each.grad = None


@dataclass(frozen=True, slots=True)
class Task:
    """What is trained, on what."""

    name: str  # for the progress line
    identity: str  # digest of text, options and seed: a checkpoint of another one is refused
    seed: int
    module: torch.nn.Module
    optimiser: Optimiser
    schedule: Schedule
    batches: Callable[[int], Batches]  # those of an epoch (from 0)
    held_out: Callable[[], Batches]
    logits: Callable[[Batch], torch.Tensor]  # (n, vocabulary), of a batch's targets

    def loss(self, batch: Batch) -> torch.Tensor:
        """Nats, added up."""
        return cross_entropy(self.logits(batch).float(), batch.targets, reduction="sum")


def card(
    text: TrainingText,
    kind: str,
    request: Request,
    size: NetworkSize | TransformerSize,
    mixed: bool,
    seed: int,
) -> dict[str, object]:
    """What `model.json` says before anything is learned. `identity` stands for all that a training
    depends on, `group` for the same of all seeds."""
    digest = hashlib.sha256(repr((kind, size, mixed)).encode())
    for lines in (text.train, text.held_out):
        for line in lines:
            digest.update(("\t".join(line.words) + "\n" + line.text + "\n").encode())
        digest.update(b"\n")
    group = f"{kind}-{request.name}-{digest.hexdigest()[:SHORT]}"
    digest.update(str(seed).encode())
    return {
        **text.origin(),
        "size": request.name,
        "seed": seed,
        "group": group,
        "options": {"mixed": request.mixed, **asdict(size)},
        "precision": "bfloat16" if mixed else "float32",
        "identity": digest.hexdigest(),
        "n_sentences": len(text.train),
        "n_words": sum(len(line.words) for line in text.train),
    }


def finished_model(folder: Path, kind: str, wanted: str) -> ModelFolder | None:
    """The model in `folder` if it is whole and came of the training with this identity."""
    if not is_model_folder(folder):
        return None
    found = read_model(folder)
    return found if (found.kind, found.about.get("identity")) == (kind, wanted) else None


def fit(
    task: Task, folder: Path, *, resume: bool, progress: Progress, watch: Watch
) -> dict[str, object]:
    """Trains `task.module` and leaves the weights of its best epoch in it; what `model.json` says
    of that. Losses are mean nats per unit.

    `folder` has a checkpoint after the first epoch, and after each later one as long as writing
    them takes a second in all, or a tenth of the time; with `resume` it is read first.

    Raises:
        InputError: the checkpoint belongs to another training or is damaged; the loss is no number
            any more.
    """
    place = folder / CHECKPOINT
    epochs, kept = restore(task, place) if resume else ([], {})
    begun, writing = monotonic(), 0.0
    while not task.schedule.is_over(losses := [each.valid_loss for each in epochs]):
        epoch = _epoch(task, epochs, progress, watch)
        if not math.isfinite(epoch.valid_loss):
            wrong = f"the loss after epoch {epoch.epoch} is {epoch.valid_loss}"
            raise InputError(str(folder), wrong, "another --size", kind="value")
        epochs = [*epochs, epoch]
        losses = [*losses, epoch.valid_loss]
        if best(losses) == len(losses) - 1:
            kept = {name: each.detach().clone() for name, each in task.module.named_parameters()}
        now = monotonic()
        if writing <= CHECKPOINT_S + CHECKPOINT_SHARE * (now - begun):
            save(task, place, epochs, kept)
            writing += monotonic() - now
        write_curve(watch.curve, epochs)
    _put(task.module, kept)
    task.module.eval()
    return {
        "n_parameters": sum(each.numel() for each in task.module.parameters()),
        "n_epochs": len(losses),
        "best_epoch": best(losses) + 1,
        "held_out_nats": losses,
    }


def _epoch(task: Task, before: Sequence[Epoch], progress: Progress, watch: Watch) -> Epoch:
    begun = monotonic()
    losses = [each.valid_loss for each in before]
    number, n_epochs = len(before), task.schedule.n_epochs
    torch.manual_seed(torch_seed(task.seed, f"epoch {number}"))
    task.module.train()
    device = next(task.module.parameters()).device
    spent, n_units = torch.zeros((), dtype=torch.float64, device=device), 0
    rate = task.schedule.rate
    n_batches, batches = task.batches(number)
    for n, batch in enumerate(batches):
        rate = task.schedule.rate_at((number + n / n_batches) / n_epochs, losses)
        loss = task.loss(batch)
        (loss / len(batch.targets)).backward()  # type: ignore[no-untyped-call]
        task.optimiser.step(rate, task.schedule.clip)
        spent += loss.detach()  # read once, at the end: no wait for a GPU
        n_units += len(batch.targets)
        progress(task.name, number * n_batches + n + 1, n_epochs * n_batches)
    return Epoch(
        epoch=number + 1,
        step=n_batches + (before[-1].step if before else 0),
        lr=rate,
        train_loss=spent.item() / n_units,
        valid_loss=_held_out_loss(task, device),
        accuracy=None if watch.accuracy is None else watch.accuracy(),
        suite=watch.suite,
        seconds=monotonic() - begun,
    )


def _held_out_loss(task: Task, device: torch.device) -> float:
    """Nats per unit of the held-out text, as the model stands, without dropout."""
    task.module.eval()
    spent, n_units = torch.zeros((), dtype=torch.float64, device=device), 0
    with torch.inference_mode():
        for batch in task.held_out()[1]:
            spent += task.loss(batch)
            n_units += len(batch.targets)
    return spent.item() / n_units


Weights = dict[str, torch.Tensor]


def save(task: Task, place: Path, epochs: Sequence[Epoch], kept: Weights) -> None:
    """Writes what is needed to go on after the last of `epochs`, and the best weights so far."""
    tensors = {f"last {name}": each.detach() for name, each in task.module.named_parameters()}
    for kind, values in task.optimiser.state.items():
        tensors |= {f"{kind} {n}": each for n, each in enumerate(values)}
    if best([each.valid_loss for each in epochs]) != len(epochs) - 1:
        tensors |= {f"best {name}": each for name, each in kept.items()}
    told = {"identity": task.identity, "epochs": json.dumps([asdict(each) for each in epochs])}
    with write_whole_bytes(place) as stream:
        stream.write(safetensors.torch.save(tensors, told))


def restore(task: Task, place: Path) -> tuple[list[Epoch], Weights]:
    """Puts a checkpoint into `task`; its epochs and best weights, none where there is no file."""
    if not place.is_file():
        return [], {}
    try:
        with safetensors.safe_open(str(place), "pt") as file:
            told = file.metadata()
            found = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # no dict
        if told["identity"] == task.identity:
            epochs = [Epoch(**each) for each in json.loads(told["epochs"])]
            names = [name for name, _ in task.module.named_parameters()]
            _put(task.module, {name: found[f"last {name}"] for name in names})
            for kind, values in task.optimiser.state.items():
                for n, value in enumerate(values):
                    value.copy_(found[f"{kind} {n}"])
            which = "best" if f"best {names[0]}" in found else "last"
            return epochs, {name: found[f"{which} {name}"] for name in names}
    except DAMAGED:
        right = "train without --resume"
        raise InputError(str(place), "the checkpoint is damaged", right, kind="format") from None
    raise InputError(
        str(place),
        "the checkpoint belongs to another text, seed, size or option",
        "the same ones, or train without --resume",
        kind="changed",
    )


@torch.no_grad()
def _put(module: torch.nn.Module, weights: Weights) -> None:
    for name, value in module.named_parameters():
        value.copy_(weights[name])


def torch_seed(seed: int, what: str) -> int:
    """A seed for torch's own generator."""
    return int(generator(seed, what).random() * 2**53)


@contextmanager
def seeded(seed: int, device: torch.device) -> Iterator[None]:
    """Within it torch's randomness starts from `seed`; afterwards it is what it was before."""
    with torch.random.fork_rng([device] if device.type == "cuda" else []):
        torch.manual_seed(torch_seed(seed, "weights"))
        yield


@contextmanager
def repeatable(seed: int, device: torch.device, n_threads: int | None) -> Iterator[None]:
    """Within it the same seed gives the same sums each time, in float32 where nothing else is said.

    On a CPU torch computes with `n_threads` (None: as many as it chooses itself): the products of a
    tiny model are shorter than the meeting of two threads at their end, and with one thread sums
    come out the same whatever the number of cores. cuDNN's recurrent layers repeat only with a
    fixed workspace of cuBLAS (torch.nn.LSTM, "There are known non-determinism issues"), which a
    variable of the environment asks for, before the first product on the GPU. Attention is computed
    by plain products: the gradients of the fused kernels are summed in any order, and sentences
    are too short to gain.
    """
    variable, n_before = "CUBLAS_WORKSPACE_CONFIG", torch.get_num_threads()
    before, benchmark = os.environ.get(variable), torch.backends.cudnn.benchmark
    torch.set_num_threads(n_threads or n_before)
    try:
        with seeded(seed, device), full_precision():
            if device.type != "cuda":
                yield
                return
            os.environ.setdefault(variable, ":4096:8")
            torch.backends.cudnn.benchmark = False  # else the first batch chooses an algorithm
            with sdpa_kernel(SDPBackend.MATH):
                yield
    finally:
        torch.set_num_threads(n_before)
        torch.backends.cudnn.benchmark = benchmark
        if before is None:
            os.environ.pop(variable, None)


def is_mixed(asked: bool | None, device: torch.device, *, otherwise: bool) -> bool:
    """Whether products are computed in bfloat16, all else in float32: bfloat16 reaches as far, so
    that no loss need be scaled. `otherwise` is for what was not asked, on a GPU that can.

    Raises:
        InputError: it was asked for where nothing is gained: without a GPU, or on one that only
            imitates bfloat16.
    """
    if asked is False or (asked is None and not otherwise):
        return False
    if device.type != "cuda":
        wrong, right = f"there is no gain of it on {device.type}", "--device cuda"
    else:
        with torch.cuda.device(device):
            if torch.cuda.is_bf16_supported(including_emulation=False):
                return True
        wrong, right = "this GPU does not compute in bfloat16", "--no-mixed"
    if asked:
        raise InputError("--mixed", wrong, right, kind="value")
    return False
