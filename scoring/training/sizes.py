"""What is asked of a training: sizes, published settings, options, and how long and fast it learns.

The presets are those of Gulordava et al. (2018), src/language_models/{main,ngram_lstm}.py and
supplement: settings among the best five of each family in most languages (Tables 1–3).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

from ...data.errors import InputError
from ...data.registry import look_up

WARM, LEVEL = 0.05, 0.5  # shares of all steps up to which the rate rises, stays
VOCABULARY = 50_000  # most frequent words; the paper's (supplement, "Hyperparameters")
FEWEST = 257  # subwords: every byte, and the document separator


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

    def lasting(self, n_epochs: int) -> "Schedule":
        """With another number of epochs; one that never ended early still never does."""
        patience = self.patience if self.patience < self.n_epochs else n_epochs
        return replace(self, n_epochs=n_epochs, patience=patience)

    def rate_at(self, share: float, losses: Sequence[float]) -> float:
        """The learning rate when `share` (0–1) of all steps is done and the epochs so far had these
        held-out losses.

        "steadily": up in a straight line over the first twentieth, level up to the half, then down
        to 0. A tiny Transformer finds agreement all at once, late in the level half; with a fall
        from the start it often had not when the rate was gone. "by quarters": divided by 4 after
        each epoch whose loss is not the best so far (src/language_models/main.py).
        """
        if self.falls == "by quarters":
            worse = sum(losses[n] >= min(losses[:n]) for n in range(1, len(losses)))
            return self.rate / 4.0**worse
        return self.rate * min(share / WARM, 1.0, (1 - share) / (1 - LEVEL))

    def is_over(self, losses: Sequence[float]) -> bool:
        """Return whether training ends after epochs with these held-out losses."""
        out_of_patience = bool(losses) and len(losses) - 1 - best(losses) >= self.patience
        return len(losses) >= self.n_epochs or out_of_patience


def best(losses: Sequence[float]) -> int:
    """The epoch (from 0) of the lowest loss, the first of equal ones."""
    return min(range(len(losses)), key=lambda epoch: losses[epoch])


@dataclass(frozen=True, slots=True)
class NetworkSize:
    """A recurrent network and how it is trained.

    Attributes:
        width: of embedding and layers alike.
        n_layers: layers.
        dropout: share of activations that are dropped, 0 to 1.
        tied: whether input and output embeddings are one.
        n_rows: sentences, or parallel streams, in a batch.
        chunk: words of a stream that are learned from at once; `None`: by sentences.
        n_threads: on a CPU; `None`: torch's choice.
        optimiser: `adam` or `sgd`.
        schedule: how fast and how long it learns.
        rnn_type: cell of the layers, as `LSTM` or `RNN_TANH`.
        order: n of an n-gram network; else `None`.
        max_vocabulary: most frequent words that it knows.
    """

    width: int
    n_layers: int
    dropout: float
    tied: bool
    n_rows: int
    chunk: int | None
    n_threads: int | None
    optimiser: str
    schedule: Schedule
    rnn_type: str = "LSTM"
    order: int | None = None
    max_vocabulary: int = VOCABULARY


@dataclass(frozen=True, slots=True)
class TransformerSize:
    """A causal Transformer and how it is trained.

    Attributes:
        width: of its layers.
        n_layers: layers.
        n_heads: heads of attention.
        n_positions: subwords it can read at once.
        n_subwords: of the BPE at most; a small text gives fewer.
        dropout: share of activations that are dropped, 0 to 1.
        n_rows: sentences in a batch.
        n_threads: on a CPU; `None`: torch's choice.
        schedule: how fast and how long it learns.
    """

    width: int
    n_layers: int
    n_heads: int
    n_positions: int
    n_subwords: int
    dropout: float
    n_rows: int
    n_threads: int | None
    schedule: Schedule


def _steady(n_epochs: int, patience: int, rate: float) -> Schedule:
    return Schedule(n_epochs, patience, rate, "steadily", 1.0)


def _quartered(n_epochs: int, rate: float) -> Schedule:
    return Schedule(n_epochs, n_epochs, rate, "by quarters", 0.25)


# tiny learns the embedded sample's grammar, recurrent in ten seconds, causal in half a minute;
# paper has the paper's width; base is as wide and deep as GPT-2, and fewer sentences than its would
# leave a GPU waiting
SIZES: Mapping[str, Mapping[str, NetworkSize | TransformerSize]] = {
    "recurrent": {
        "tiny": NetworkSize(128, 1, 0.1, True, 32, None, 1, "adam", _steady(8, 8, 8e-3)),
        "small": NetworkSize(200, 1, 0.3, True, 32, None, None, "adam", _steady(8, 3, 4e-3)),
        "paper": NetworkSize(650, 2, 0.2, True, 64, None, None, "adam", _steady(20, 3, 1e-3)),
    },
    "causal": {
        "tiny": TransformerSize(64, 2, 4, 512, 2_000, 0.0, 32, 1, _steady(8, 8, 4e-3)),
        "small": TransformerSize(128, 4, 4, 1_024, 4_000, 0.1, 32, None, _steady(10, 3, 2e-3)),
        "medium": TransformerSize(256, 6, 8, 1_024, 8_000, 0.1, 64, None, _steady(20, 3, 1e-3)),
        "base": TransformerSize(768, 12, 12, 1_024, 32_000, 0.1, 256, None, _steady(20, 3, 6e-4)),
    },
}
PRESETS: Mapping[str, NetworkSize] = {
    "gulordava2018": NetworkSize(650, 2, 0.2, False, 128, 35, None, "sgd", _quartered(40, 20.0)),
    "gulordava2018-srnn": NetworkSize(
        650, 2, 0.0, False, 64, 35, None, "sgd", _quartered(60, 1.0), rnn_type="RNN_TANH"
    ),
    "gulordava2018-5gram": NetworkSize(
        650, 2, 0.2, False, 1024, None, None, "sgd", _quartered(40, 10.0), order=5
    ),
}
PRESET_SHARE = 9  # one sentence in nine is held out for a preset: the paper's 8 : 1
TYPES = {  # `--rnn-type` → a key of `network.CELLS`
    "lstm": "LSTM",
    "gru": "GRU",
    "srnn": "RNN_TANH",  # the paper's name for it
    "srnn-relu": "RNN_RELU",
}

SIZE = "tiny"  # where neither size nor preset is named
OWN = "own"  # the name of a size that is not one of ours
ORDER = 5  # of an n-gram model, where none is named
LOOKED_AT = ("--epochs", "--mixed", "--seeds", "--accuracy-on", "--vocabulary-size")
LEARNS = ("--size", "--device", "--resume")
OPTIONS: Mapping[str, tuple[str, ...]] = {  # of each kind; all others are refused
    "all": LEARNS,
    "unigram": (),
    "ngram": ("--order", "--prune"),
    "recurrent": (*LEARNS, *LOOKED_AT, "--preset", "--rnn-type", "--order"),
    "causal": (*LEARNS, *LOOKED_AT),
}


@dataclass(frozen=True, slots=True)
class TrainRequest:
    """A request for a model; `None` where its kind, size or preset decides.

    Attributes:
        size: one of ours, by name; or one of one's own.
        preset: a published setting, by name.
        rnn_type: `lstm`, `gru`, `srnn` or `srnn-relu`.
        order: n of an n-gram model, or of a network that reads n − 1 words.
        prune: for each order from 1, n-grams that occur so often or less are dropped; the first is
            0, since words are all kept.
        vocabulary_size: most frequent words, or subwords, that it knows.
        mixed: products in bfloat16 on a GPU; `None`: of a causal model, if it can.
        n_epochs: at most.

    >>> TrainRequest(size="small", n_epochs=3).given()
    {'--size': 'small', '--epochs': 3}
    """

    size: str | NetworkSize | TransformerSize | None = None
    preset: str | None = None
    rnn_type: str | None = None
    order: int | None = None
    prune: tuple[int, ...] | None = None
    vocabulary_size: int | None = None
    mixed: bool | None = None
    n_epochs: int | None = None

    @property
    def name(self) -> str:
        """Name of the preset or size; `own` for a size of one's own."""
        size_name = self.size if self.size is None or isinstance(self.size, str) else OWN
        return self.preset or size_name or SIZE

    def given(self) -> dict[str, object]:
        """The options of the command line that were given, with their values."""
        options = {
            "--" + field.name.removeprefix("n_").replace("_", "-"): getattr(self, field.name)
            for field in fields(self)
        }
        return {option: value for option, value in options.items() if value not in (None, False)}


def check_request(kind: str, request: TrainRequest, extra: Mapping[str, object]) -> None:
    """Raises `InputError` for options that the kind cannot serve, and for two that exclude each
    other. `extra` are options beside the request, with false values where they were not given."""
    requested = {**request.given(), **{option: value for option, value in extra.items() if value}}
    for option in requested:
        if option not in OPTIONS[kind]:
            serving = [trainer for trainer, options in OPTIONS.items() if option in options]
            wrong = f"colorless train {kind} has no such option"
            raise InputError(option, wrong, f"{option} with {', '.join(serving)}", kind="unknown")
    for option in ("--size", "--rnn-type", "--order"):
        if request.preset is not None and option in requested:
            wrong = f"{request.preset} is a published setting, which {option} would change"
            raise InputError("--preset", wrong, f"{option} or --preset", kind="conflict")


def size_of(kind: str, request: TrainRequest) -> NetworkSize | TransformerSize:
    """The recurrent network or causal Transformer that is asked for.

    Raises:
        InputError: for a size, preset or type that does not exist, and a vocabulary too small for
            the bytes.
    """
    size, n_words = request.size, request.vocabulary_size
    if kind == "recurrent" and isinstance(size, str) and size in PRESETS:
        wrong, right = f"{size!r} is a published setting", f"--preset {size}"
        raise InputError("--size", wrong, right, kind="value")
    if request.preset is not None:
        size = look_up(PRESETS, request.preset, "--preset")
    elif not isinstance(size, type(SIZES[kind][SIZE])):
        size = look_up(SIZES[kind], str(size or SIZE), "--size")
    if isinstance(size, NetworkSize):
        if request.rnn_type is not None:
            size = replace(size, rnn_type=look_up(TYPES, request.rnn_type, "--rnn-type"))
        if request.order is not None:
            size = replace(size, order=request.order)
        size = replace(size, max_vocabulary=n_words or size.max_vocabulary)
    elif n_words is not None:
        if n_words < FEWEST:
            right = f"{FEWEST} or more: every byte, and the end of a text"
            raise InputError("--vocabulary-size", f"{n_words} subwords", right, kind="value")
        size = replace(size, n_subwords=n_words)
    if request.n_epochs is not None:
        size = replace(size, schedule=size.schedule.lasting(request.n_epochs))
    return size
