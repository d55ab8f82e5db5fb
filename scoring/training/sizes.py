"""Settings of a training: what a model is like, how long and how fast it learns; the trainers by
name. The named settings are in `trainings.toml`."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

from annotated_types import Ge, Gt, Lt

from ...data.configuration import Configuration, digest_suffix
from ...data.errors import InputError
from ...data.progress import Progress, silent
from ...data.registry import load, look_up
from ..models.model_folder import ModelFolder
from ..models.training_text import TrainingText
from . import ngram
from .trained_files import EpochSuite, best_epoch_of

RISE_UNTIL, LEVEL_UNTIL = 0.05, 0.5  # shares of all steps: the rate rises, is level, then falls
MIN_SUBWORDS = 257  # every byte, and the document separator
ORDER = 5  # of an n-gram model, if the training does not say it
RNN_TYPES = {  # an `rnn_type` → a key of `network.LAYER_TYPES`
    "lstm": "LSTM",
    "gru": "GRU",
    "srnn": "RNN_TANH",  # the paper's name for it
    "srnn-relu": "RNN_RELU",
}
TABLES: Mapping[str, Any] = tomllib.loads(
    files(__package__).joinpath("trainings.toml").read_text(encoding="utf-8")
)
TRAININGS: Mapping[str, Mapping[str, Any]] = {
    name: {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
    for name, table in TABLES["trainings"].items()
}
"""Name of a training → its settings for all kinds of models"""
SIZES: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    kind: TABLES[kind] for kind in ("recurrent", "causal")
}
"""Neural kind of model → name of a training → its settings for this kind alone"""
KINDS: Mapping[str, Mapping[str, Sequence[str]]] = TABLES["kinds"]
"""Kind of model, or all → its trainings, and the settings and options that it uses"""
Count = Annotated[int, Ge(1)]


@dataclass(frozen=True, kw_only=True)
class Training(Configuration):
    """Settings of a training, by what a model is like and how long and fast it learns.

    Attributes:
        rnn_type: layers of a recurrent model: lstm, gru, srnn or srnn-relu.
        order: n of an n-gram model (if empty, 5), or of a recurrent one that reads n - 1 words.
        prune: of an n-gram model: n-grams that occur so often or less are dropped, a number for
            each order from 1; the first is 0.
        vocabulary_size: most frequent words of a recurrent model, others are unknown, or subwords
            of a causal one; if empty, its kind decides.
        epochs: at most; if empty, the kind of model decides.
        mixed: products in bfloat16, on a GPU that can; if empty, of causal models.
        accuracy_on: a suite to score after every epoch: a file, or a name in the store.
        width: units of each layer and embedding; if empty, the kind of model decides.
        n_layers: number of layers; if empty, the kind of model decides.
        n_heads: heads of attention of a causal model.
        n_positions: subwords that a causal model can read at once.
        dropout: share of activations that are dropped; if empty, the kind of model decides.
        tied: whether input and output embeddings of a recurrent model are one.
        n_rows: sentences, or parallel streams, in a batch.
        chunk: words of a stream that a recurrent model learns from at once; if empty, it learns
            from sentences.
        n_threads: threads of a CPU; if empty, 1 for tiny models, else as many as torch chooses.
        optimiser: of a recurrent model: adam or sgd.
        patience: epochs in a row without a better held-out loss that end the training; if empty,
            3 for small models, else it never ends early.
        rate: the highest learning rate; if empty, the kind of model decides.
        falls: how the rate falls: steadily, or by quarters after an epoch that is no better.
        clip: the norm that gradients are cut to.
        held_out: one sentence in so many is held out; if empty, one in 20, until 2,000 are.

    >>> Training(extends="gulordava2018").rate, Training(epochs=3).label
    (20.0, 'tiny~543da7')
    """

    FILES = ("accuracy_on",)
    NOUN = "training"
    DEFAULT = "tiny"
    NAMED = TRAININGS

    rnn_type: Literal["lstm", "gru", "srnn", "srnn-relu"] | None = None
    order: Annotated[int, Ge(2)] | None = None
    prune: tuple[Annotated[int, Ge(0)], ...] | None = None
    vocabulary_size: Count | None = None
    epochs: Count | None = None
    mixed: bool | None = None
    accuracy_on: str | None = None
    width: Count | None = None
    n_layers: Count | None = None
    n_heads: Count | None = None
    n_positions: Count | None = None
    dropout: Annotated[float, Ge(0), Lt(1)] | None = None
    tied: bool | None = None
    n_rows: Count | None = None
    chunk: Count | None = None
    n_threads: Count | None = None
    optimiser: Literal["adam", "sgd"] | None = None
    patience: Count | None = None
    rate: Annotated[float, Gt(0)] | None = None
    falls: Literal["steadily", "by quarters"] | None = None
    clip: Annotated[float, Gt(0)] | None = None
    held_out: Annotated[int, Ge(2)] | None = None

    def conflicts(self) -> Iterable[InputError]:
        """Yield an error if the numbers of `prune` do not start with 0, if one is lower than the
        number before it, or if there are more than the order."""
        prune, order = self.prune or (), self.order or ORDER
        is_first_zero = not prune or prune[0] == 0
        if len(prune) > order or not is_first_zero or list(prune) != sorted(prune):
            right = f"up to {order} numbers, the first 0 and none smaller than the one before"
            yield InputError("prune", " ".join(map(str, prune)), right, kind="value")

    @property
    def identity(self) -> str:
        """A label of the settings that change the trained model, which are all but
        `accuracy_on`."""
        differing = self.differing()
        differing.pop("accuracy_on", None)
        return self.extends + digest_suffix(differing)


@dataclass(frozen=True, slots=True)
class Schedule:
    """The schedule of a training: how fast and how long a network learns.

    Attributes:
        n_epochs: at most.
        patience: training ends after this many epochs in a row without a better held-out loss.
        rate: the highest learning rate.
        falls: `steadily` or `by quarters`, see `rate_at`.
        clip: the gradient's norm is cut to this.

    >>> schedule = Schedule(8, 3, 0.004, "steadily", 1.0)
    >>> schedule.rate_at(0.025, []), schedule.rate_at(0.5, []), schedule.rate_at(1.0, [])
    (0.002, 0.004, 0.0)
    """

    n_epochs: int
    patience: int
    rate: float
    falls: str
    clip: float

    def rate_at(self, share: float, losses: Sequence[float]) -> float:
        """Return the learning rate after a share (0–1) of all steps, given the held-out losses of
        the epochs so far.

        "steadily": a linear rise over the first twentieth, constant up to the half, then a linear
        fall to 0. A tiny Transformer learns agreement all at once, late in the constant part; if
        the rate fell from the start, it often had not learnt it by the end. "by quarters": divided
        by 4 after each epoch whose loss is not the best so far (src/language_models/main.py).
        """
        if self.falls == "by quarters":
            n_worse = sum(losses[n] >= min(losses[:n]) for n in range(1, len(losses)))
            return self.rate / 4.0**n_worse
        return self.rate * min(share / RISE_UNTIL, 1.0, (1 - share) / (1 - LEVEL_UNTIL))

    def is_over(self, losses: Sequence[float]) -> bool:
        """Return whether training ends now, given the held-out losses of the epochs so far."""
        if not losses:
            return False
        n_since_best = len(losses) - 1 - best_epoch_of(losses)
        return len(losses) >= self.n_epochs or n_since_best >= self.patience


@dataclass(frozen=True, slots=True)
class NetworkSize:
    """All settings of a recurrent network and its training, named as in `Training`."""

    width: int
    n_layers: int
    dropout: float
    tied: bool
    n_rows: int
    chunk: int | None
    n_threads: int | None
    optimiser: str
    schedule: Schedule
    rnn_type: str  # a key of `network.LAYER_TYPES`
    order: int | None
    max_vocabulary: int


@dataclass(frozen=True, slots=True)
class TransformerSize:
    """All settings of a causal Transformer and its training, named as in `Training`."""

    width: int
    n_layers: int
    n_heads: int
    n_positions: int
    n_subwords: int
    dropout: float
    n_rows: int
    n_threads: int | None
    schedule: Schedule


def check_training(kind: str, training: Training, options: Iterable[str] = ()) -> None:
    """Raise `InputError` if there is no such kind of model, if it has no training of this name, or
    if it does not use one of the settings or of `options`, names of options given to `train`."""
    of_kind = look_up(KINDS, kind, "MODEL")
    if training.extends not in of_kind["trainings"]:
        wrong = f"colorless train {kind} has no {training.extends!r}"
        right = f"one of {', '.join(of_kind['trainings'])}"
        raise InputError("training", wrong, right, kind="unknown")
    for name in (*training.differing(), *options):
        if name not in of_kind["settings"]:
            kinds = [other for other, uses in KINDS.items() if name in uses["settings"]]
            wrong = f"colorless train {kind} has no such setting"
            raise InputError(name, wrong, f"{name} with {', '.join(kinds)}", kind="unknown")


def size_of(kind: str, training: Training) -> NetworkSize | TransformerSize:
    """Return the full settings of a recurrent network or causal Transformer, with the defaults of
    its kind and training filled in.

    Args:
        kind: `recurrent` or `causal`.
        training: the settings that were asked for.

    Returns:
        The settings of the network, or of the Transformer.

    Raises:
        InputError: for a vocabulary with fewer entries than bytes, and a width that the number of
            heads does not divide.
    """
    settings = training.contents()
    given = {name: value for name, value in settings.items() if value is not None}
    values: dict[str, Any] = {**settings, **SIZES[kind].get(training.extends, {}), **given}
    vocabulary_size, n_epochs = values["vocabulary_size"], values["epochs"]
    patience = values["patience"] or n_epochs  # if it is empty, training never ends early
    values["schedule"] = Schedule(
        n_epochs, patience, values["rate"], values["falls"], values["clip"]
    )
    if kind == "recurrent":
        values |= {"rnn_type": RNN_TYPES[values["rnn_type"]], "max_vocabulary": vocabulary_size}
        return NetworkSize(**{entry.name: values[entry.name] for entry in fields(NetworkSize)})
    if vocabulary_size < MIN_SUBWORDS:
        right = f"{MIN_SUBWORDS} or more: every byte, and the end of a text"
        raise InputError("vocabulary_size", f"{vocabulary_size} subwords", right, kind="value")
    if values["width"] % values["n_heads"]:
        wrong = f"{values['n_heads']} heads share a width of {values['width']}"
        raise InputError("n_heads", wrong, "a divisor of the width", kind="conflict")
    values["n_subwords"] = vocabulary_size
    return TransformerSize(**{entry.name: values[entry.name] for entry in fields(TransformerSize)})


TRAINERS: Mapping[str, Any] = {
    "unigram": ngram.train_unigram,
    "ngram": ngram.train,
    "recurrent": ".scoring.training.recurrent:train",
    "causal": ".scoring.training.causal:train",
}


def train_one(
    kind: str,
    text: TrainingText,
    folder: Path,
    training: Training | None = None,
    *,
    seed: int = 0,
    device: str = "auto",
    resume: bool = False,
    quiz: EpochSuite | None = None,
    progress: Progress = silent,
) -> ModelFolder:
    """Train one model.

    Args:
        kind: a key of TRAINERS.
        text: the sentences to learn from, and those that are held out; only an n-gram model can be
            made of a text that is not in memory.
        folder: the folder to write to; it is made if it does not exist.
        training: the settings; None stands for the default ones.
        seed: the seed of a neural model; it changes nothing in other models.
        device: the device on which a neural model is trained.
        resume: a neural training that was interrupted goes on from its last whole epoch; one that
            is finished is returned as it is.
        quiz: the suite that a neural model is scored on after every epoch, for its curve.
        progress: called with (task, done, total) as the work proceeds.

    Returns:
        The folder of the trained model; of a neural model the weights of its best epoch.

    Raises:
        InputError: the kind does not exist, or does not use one of the settings.

    >>> from colorless_green.scoring import Line, split_lines
    >>> text = split_lines([Line((f"w{n}",), f"w{n}") for n in range(100)], "text")
    >>> train_one("unigram", text, Path("model")).card["n_sentences"]
    93
    """
    training = training or Training()
    check_training(kind, training)
    trainer = load(TRAINERS, kind, "MODEL", "")
    options: dict[str, Any] = {"seed": seed, "progress": progress}
    if kind in SIZES:
        options |= {"training": training, "device": device, "resume": resume, "quiz": quiz}
    if kind == "ngram":
        options |= {"order": training.order or ORDER, "prune": training.prune or ()}
    trained: ModelFolder = trainer(text, folder, **options)
    return trained
