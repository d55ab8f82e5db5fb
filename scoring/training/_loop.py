"""The training loop of neural models: batches, epochs, held-out loss, checkpoints.

No random state is carried from one epoch to the next: each starts from a seed made of the run's
seed and the epoch's number, and the learning rate depends only on the step and the held-out losses
so far. So a checkpoint holds the weights, the optimiser's tensors and the losses, and a resumed run
ends with the same numbers as an uninterrupted one (on one kind of device, with one torch).
"""

import hashlib
import json
import math
import os
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic
from typing import Any

import safetensors
import safetensors.torch
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import cross_entropy
from torch.optim.adamw import adamw
from torch.optim.sgd import sgd

from ...data.errors import InputError
from ...data.files import write_whole_bytes
from ...data.progress import Progress, silent
from ...data.seeds import generator
from ..models.model_folder import ModelFolder, is_model_folder, read_model
from ..models.torch_device import choose_device, full_precision
from ..models.training_text import Line, TrainingText, held_out_card, perplexity
from ..models.words import DIGEST_DIGITS
from ..questions.answer_columns import WORD_SEP, Questions, answers_of
from ..questions.query import Scorer
from ._batches import Batch, Batches
from .sizes import Schedule, Training, size_of
from .trained_files import (
    CURVE,
    Epoch,
    EpochSuite,
    best_epoch_of,
    finish_model,
    toy_facts,
    write_curve,
)

CHECKPOINT_FILE = "checkpoint.safetensors"
# A checkpoint is written if all before it took at most so many seconds plus this share of the time.
WRITING_S, WRITING_SHARE = 1.0, 0.1
LAST, BEST = "last ", "best "  # in front of the names of weights in a checkpoint
READ_ERRORS = (OSError, ValueError, KeyError, TypeError, RuntimeError, safetensors.SafetensorError)


class Optimiser:
    """Plain SGD or AdamW ("adam"), by the functions beneath torch's optimiser classes.

    An object of such a class would import torch's compiler, which takes as long as torch itself.
    """

    def __init__(
        self,
        module: torch.nn.Module,
        name: str,
        betas: tuple[float, float] = (0.9, 0.999),
        decay: float = 0.0,
    ) -> None:
        self.betas, self.decay = betas, decay
        self.parameters: list[torch.Tensor] = list(module.parameters())
        self.state: dict[str, list[torch.Tensor]] = {}  # empty for SGD
        if name == "adam":
            self.state = {kind: list(map(torch.zeros_like, self.parameters))
                          for kind in ("mean", "square")}  # fmt: skip
            self.state["step"] = [
                torch.zeros((), device=parameter.device) for parameter in self.parameters
            ]

    @torch.no_grad()
    def step(self, rate: float, clip: float) -> None:
        """Update the parameters with learning rate `rate`, gradients clipped to the norm `clip`;
        then delete the gradients."""
        torch.nn.utils.clip_grad_norm_(self.parameters, clip)
        gradients = [parameter.grad for parameter in self.parameters if parameter.grad is not None]
        assert len(gradients) == len(self.parameters)
        if self.state:
            beta1, beta2 = self.betas
            adamw(
                self.parameters, gradients, self.state["mean"], self.state["square"],
                max_exp_avg_sqs=[], state_steps=self.state["step"], fused=True, amsgrad=False,
                beta1=beta1, beta2=beta2, lr=rate, weight_decay=self.decay, eps=1e-8,
                maximize=False,
            )  # fmt: skip
        else:
            sgd(
                self.parameters, gradients, momentum_buffer_list=[None] * len(gradients),
                fused=True, weight_decay=0.0, momentum=0.0, lr=rate, dampening=0.0, nesterov=False,
                maximize=False,
            )  # fmt: skip
        for parameter in self.parameters:
            parameter.grad = None


@dataclass(frozen=True, slots=True)
class TrainingTask:
    """A model to train, with its optimiser, its batches and the functions that the loop needs."""

    module: torch.nn.Module
    optimiser: Optimiser
    batches: Callable[[int], Batches]  # of an epoch, by its number from 0
    held_out: Callable[[], Batches]
    logits: Callable[[Batch], torch.Tensor]  # (n, vocabulary), for a batch's n targets
    scorer: Callable[[], Scorer]  # for the model in its present state
    write: Callable[[], Iterable[str]]  # writes the model's files, and returns their names
    card: dict[str, object]  # further entries of the model's card (model.json)
    vocabulary: Container[str] | None  # words that the perplexity counts; None: all


Build = Callable[[TrainingText, Path, Any, torch.device, int], TrainingTask]
"""(text, folder, size, device, seed) → the training task"""


def train(
    kind: str,
    build: Build,
    text: TrainingText,
    folder: Path,
    training: Training,
    *,
    seed: int = 0,
    device: str = "auto",
    resume: bool = False,
    quiz: EpochSuite | None = None,
    progress: Progress = silent,
) -> ModelFolder:
    """Train a neural model on `text.train`, and write its weights after the epoch with the lowest
    held-out loss to `folder`.

    With `resume` an interrupted training goes on from its checkpoint, and a finished one is
    returned as it is. After each epoch a row is added to `curve.tsv`, with the model's accuracy on
    the suite of `quiz`; the manifest does not list this file, since it records seconds. On a GPU
    that supports bfloat16 causal models compute products in it, unless `training.mixed` is false.

    Raises:
        InputError: for an unknown device, for `mixed` without a GPU, for a
            text that cannot be learned from, and for a checkpoint of another training.
    """
    processor, size = choose_device(device), size_of(kind, training)
    mixed = is_mixed(training.mixed, processor, if_possible=kind == "causal")
    digest = hashlib.sha256(repr((kind, size, mixed)).encode())
    for lines in (text.train, text.held_out):
        for line in lines:
            digest.update(("\t".join(line.words) + "\n" + line.text + "\n").encode())
        digest.update(b"\n")
    # The group is the same for all seeds; the identity stands for all that the training depends on.
    group = f"{kind}-{training.extends}-{digest.hexdigest()[:DIGEST_DIGITS]}"
    digest.update(str(seed).encode())
    identity = digest.hexdigest()
    if resume and is_model_folder(folder):
        finished = read_model(folder)
        if (finished.kind, finished.card.get("identity")) == (kind, identity):
            return finished
    with repeatable(seed, processor, size.n_threads):
        task = build(text, folder, size, processor, seed)
        run = TrainingRun(
            task, f"train the {kind} model", identity, seed, size.schedule, mixed, quiz
        )
        learned = {
            **run.fit(folder, resume, progress),
            **held_out_facts(task.scorer(), tuple(text.held_out)),
        }
    card = {
        **text.origin(),
        "training": training.label,
        "seed": seed,
        "group": group,
        "options": {"mixed": training.mixed, **asdict(size)},
        "precision": "bfloat16" if mixed else "float32",
        "identity": identity,
        "n_parameters": sum(parameter.numel() for parameter in task.module.parameters()),
        "n_sentences": len(text.train),
        "n_words": sum(len(line.words) for line in text.train),
        **learned,
        **toy_facts(text, learned, task.vocabulary),
        **task.card,
    }
    model = finish_model(folder, kind, card, task.write(), text)
    (folder / CHECKPOINT_FILE).unlink(missing_ok=True)
    return model


def held_out_facts(scorer: Scorer, lines: Sequence[Line]) -> dict[str, object]:
    """Score held-out sentences, and return the measured entries of the model's card (model.json).

    They are the perplexity per known word and sentence end, which is None if there are none; the
    same per subword for models of raw text; and numbers of sentences and words. Sentences that are
    too long for the model are left out.
    """
    is_text = scorer.unit == "text"
    texts = [line.text if is_text else WORD_SEP.join(line.words) for line in lines]
    (answers,) = answers_of(scorer, [Questions([""] * len(texts), texts, ends=True)])
    bits = answers.bits[~answers.oov].tolist()
    fitting = [line for n, line in enumerate(lines) if n not in answers.refused]
    n_oov = int(answers.oov.sum())
    facts = held_out_card(fitting, bits, n_oov)  # its perplexity is per number of `bits`
    if not is_text:
        return facts
    n_units = sum(len(line.words) + 1 for line in fitting) - n_oov
    return {
        **facts,
        "held_out_subwords": len(bits),
        "held_out_perplexity": perplexity(bits, n_units),
        "held_out_perplexity_per_subword": facts["held_out_perplexity"],
    }


Weights = dict[str, torch.Tensor]


@dataclass(frozen=True, slots=True)
class TrainingRun:
    """One run of the training loop."""

    task: TrainingTask
    name: str  # shown with its progress
    identity: str  # a checkpoint with another identity is refused
    seed: int
    schedule: Schedule
    mixed: bool  # products in bfloat16, all else in float32
    quiz: EpochSuite | None  # scored after every epoch, without effect on the training

    def fit(self, folder: Path, resume: bool, progress: Progress) -> dict[str, object]:
        """Train until the schedule ends, leave the best epoch's weights in the module, and return
        card entries: numbers of epochs and held-out losses in mean nats per unit (word or subword).

        A checkpoint is written to `folder` after each epoch, unless that has taken more than a
        second plus a tenth of the time so far. With `resume` it is read first.

        Raises:
            InputError: the checkpoint belongs to another training or is damaged; the loss is no
                longer finite.
        """
        module, checkpoint = self.task.module, folder / CHECKPOINT_FILE
        epochs, weights = self.restore(checkpoint) if resume else ([], {})
        losses = [epoch.valid_loss for epoch in epochs]
        begun, writing_s = monotonic(), 0.0
        while not self.schedule.is_over(losses):
            epoch = self.train_epoch(epochs, progress)
            epochs.append(epoch)
            losses.append(epoch.valid_loss)
            if not math.isfinite(epoch.valid_loss):
                wrong = f"the loss after epoch {epoch.epoch} is {epoch.valid_loss}"
                raise InputError(str(folder), wrong, "another training", kind="value")
            if best_epoch_of(losses) == len(losses) - 1:
                weights = {
                    name: tensor.detach().clone() for name, tensor in module.named_parameters()
                }
            now = monotonic()
            if writing_s <= WRITING_S + WRITING_SHARE * (now - begun):
                self.save(checkpoint, epochs, weights)
                writing_s += monotonic() - now
            write_curve(folder / CURVE, epochs)
        set_weights(module, weights)
        module.eval()
        best_epoch = best_epoch_of(losses) + 1  # counted from 1
        return {"n_epochs": len(losses), "best_epoch": best_epoch, "held_out_nats": losses}

    def train_epoch(self, previous: Sequence[Epoch], progress: Progress) -> Epoch:
        """Train on all batches once, and return the new row of the learning curve."""
        begun, number = monotonic(), len(previous)
        losses = [epoch.valid_loss for epoch in previous]
        torch.manual_seed(torch_seed(self.seed, f"epoch {number}"))
        self.task.module.train()
        train_losses: list[torch.Tensor] = []
        n_units, rate = 0, 0.0
        n_batches, batches = self.task.batches(number)
        for n, batch in enumerate(batches, start=number * n_batches):  # n: batches so far
            rate = self.schedule.rate_at(n / n_batches / self.schedule.n_epochs, losses)
            loss = self.loss(batch)
            (loss / len(batch.targets)).backward()  # type: ignore[no-untyped-call]
            self.task.optimiser.step(rate, self.schedule.clip)
            train_losses.append(loss.detach())
            n_units += len(batch.targets)
            progress(self.name, n + 1, self.schedule.n_epochs * n_batches)
        self.task.module.eval()
        _, held_out = self.task.held_out()
        with torch.inference_mode():
            held_out_losses = [(self.loss(batch), len(batch.targets)) for batch in held_out]
        n_held_out = sum(n for _, n in held_out_losses)
        return Epoch(
            epoch=number + 1,
            step=n_batches + (previous[-1].step if previous else 0),
            lr=rate,
            train_loss=sum_of(train_losses) / n_units,
            valid_loss=sum_of([loss for loss, _ in held_out_losses]) / n_held_out,
            accuracy=self.quiz.accuracy(self.task.scorer()) if self.quiz else None,
            suite=self.quiz.suite if self.quiz else "",
            seconds=monotonic() - begun,
        )

    def loss(self, batch: Batch) -> torch.Tensor:
        """Return the cross-entropy of a batch in nats, summed over its targets. If the module is
        not in training mode, nothing is dropped and all products are in float32."""
        mixed = self.mixed and self.task.module.training
        with torch.autocast(batch.ids.device.type, torch.bfloat16, enabled=mixed):
            logits = self.task.logits(batch)
        return cross_entropy(logits.float(), batch.targets, reduction="sum")

    def save(self, path: Path, epochs: Sequence[Epoch], weights: Weights) -> None:
        """Write a checkpoint: the state after the last of `epochs`, and the best weights so far."""
        module, state = self.task.module, self.task.optimiser.state
        tensors = {f"{LAST}{name}": tensor.detach() for name, tensor in module.named_parameters()}
        tensors |= {f"{kind} {n}": tensor for kind in state for n, tensor in enumerate(state[kind])}
        if best_epoch_of([epoch.valid_loss for epoch in epochs]) != len(epochs) - 1:
            tensors |= {f"{BEST}{name}": tensor for name, tensor in weights.items()}
        metadata = {
            "identity": self.identity,
            "epochs": json.dumps([asdict(epoch) for epoch in epochs]),
        }
        with write_whole_bytes(path) as stream:
            stream.write(safetensors.torch.save(tensors, metadata))

    def restore(self, path: Path) -> tuple[list[Epoch], Weights]:
        """Load a checkpoint into the task, and return its epochs and best weights; both are empty
        if there is no file."""
        if not path.is_file():
            return [], {}
        try:
            with safetensors.safe_open(str(path), "pt") as file:
                metadata = file.metadata()
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            if metadata["identity"] == self.identity:
                epochs = [Epoch(**row) for row in json.loads(metadata["epochs"])]
                last = {
                    name.removeprefix(LAST): tensor
                    for name, tensor in tensors.items()
                    if name.startswith(LAST)
                }
                set_weights(self.task.module, last)
                for kind, values in self.task.optimiser.state.items():
                    for n, value in enumerate(values):
                        value.copy_(tensors[f"{kind} {n}"])
                # The best weights are stored only if they are not the last.
                return epochs, {name: tensors.get(f"{BEST}{name}", last[name]) for name in last}
        except READ_ERRORS:
            wrong, right = "the checkpoint is damaged", "train without resume"
            raise InputError(str(path), wrong, right, kind="format") from None
        wrong = "the checkpoint belongs to another text, seed or training"
        right = "the same ones, or train without resume"
        raise InputError(str(path), wrong, right, kind="changed")


def sum_of(losses: Sequence[torch.Tensor]) -> float:
    """Return the sum of scalar losses, with a single transfer from the GPU."""
    return torch.stack(list(losses)).sum(dtype=torch.float64).item()


@torch.no_grad()
def set_weights(module: torch.nn.Module, weights: Weights) -> None:
    """Copy weights, by parameter name, into a module."""
    for name, value in module.named_parameters():
        value.copy_(weights[name])


def torch_seed(seed: int, purpose: str) -> int:
    """Return a seed for torch's generator, derived from the run's seed and from `purpose`, a text
    that tells the random streams of one run apart."""
    return int(generator(seed, purpose).random() * 2**53)


@contextmanager
def repeatable(seed: int, device: torch.device, n_threads: int | None) -> Iterator[None]:
    """Make torch deterministic within the block: seeded with `seed`, the same sums each time,
    products in full float32. All settings are restored afterwards.

    On a CPU torch uses `n_threads` (None: its own choice). In a tiny model, products take less time
    than two threads need to synchronise, and with one thread sums are the same whatever the number
    of cores. cuDNN's recurrent layers are deterministic only with a fixed workspace of cuBLAS
    (torch.nn.LSTM, "There are known non-determinism issues"), requested by an environment variable
    before the first product on the GPU. Attention uses plain products: fused kernels sum gradients
    in any order, and sentences are too short to gain from them.
    """
    variable, previous_n_threads = "CUBLAS_WORKSPACE_CONFIG", torch.get_num_threads()
    previous_value, previous_benchmark = os.environ.get(variable), torch.backends.cudnn.benchmark
    torch.set_num_threads(n_threads or previous_n_threads)
    try:
        devices = [device] if device.type == "cuda" else []
        with torch.random.fork_rng(devices), full_precision():
            torch.manual_seed(torch_seed(seed, "weights"))
            if device.type != "cuda":
                yield
                return
            os.environ.setdefault(variable, ":4096:8")
            torch.backends.cudnn.benchmark = False  # else the first batch chooses an algorithm
            with sdpa_kernel(SDPBackend.MATH):
                yield
    finally:
        torch.set_num_threads(previous_n_threads)
        torch.backends.cudnn.benchmark = previous_benchmark
        if previous_value is None:
            os.environ.pop(variable, None)


def is_mixed(requested: bool | None, device: torch.device, *, if_possible: bool) -> bool:
    """Return whether a training is mixed: products are computed in bfloat16, all else in float32.

    The loss needs no scaling, since bfloat16 has the range of float32. `if_possible` is the answer
    if nothing was requested and the GPU supports it; a device that does not support it gives False.

    Raises:
        InputError: it was requested without a GPU, or on one that only emulates bfloat16.
    """
    wanted = if_possible if requested is None else requested
    if not wanted:
        return False
    wrong, right = f"there is no gain of it on {device.type}", "device cuda"
    if device.type == "cuda":
        with torch.cuda.device(device):
            if torch.cuda.is_bf16_supported(including_emulation=False):
                return True
        wrong, right = "this GPU does not compute in bfloat16", "mixed false"
    if requested:
        raise InputError("mixed", wrong, right, kind="value")
    return False
