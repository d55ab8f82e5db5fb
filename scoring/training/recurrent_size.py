"""The recurrent networks that can be trained: sizes of ours, and published settings."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from colorless_green.data.errors import InputError
from colorless_green.data.registry import named
from colorless_green.scoring.training.request import SIZE, Request
from colorless_green.scoring.training.schedule import Schedule, lasting
from colorless_green.scoring.training.sizes import NetworkSize

VOCABULARY = 50_000  # most frequent words; the paper's (supplement, "Hyperparameters")
PRESET_SHARE = 9  # one sentence in so many is held out for a preset: the paper's 8 : 1


TINY = Schedule(8, 8, 8e-3, "steadily", 1.0)
SMALL = Schedule(8, 3, 4e-3, "steadily", 1.0)
PAPER = Schedule(20, 3, 1e-3, "steadily", 1.0)
SIZES: Mapping[str, NetworkSize] = {  # tiny learns the embedded sample's grammar in ten seconds
    "tiny": NetworkSize(128, 1, 0.1, True, 32, None, 1, "adam", TINY),
    "small": NetworkSize(200, 1, 0.3, True, 32, None, None, "adam", SMALL),
    "paper": NetworkSize(650, 2, 0.2, True, 64, None, None, "adam", PAPER),  # the paper's width
}
GULORDAVA = Schedule(40, 40, 20.0, "by quarters", 0.25)
GULORDAVA_SRNN = Schedule(60, 60, 1.0, "by quarters", 0.25)
GULORDAVA_NGRAM = Schedule(40, 40, 10.0, "by quarters", 0.25)
PRESETS: Mapping[str, NetworkSize] = {
    # Gulordava et al. 2018, src/language_models/{main,ngram_lstm}.py and supplement: settings
    # among the best five of each family in most languages (Tables 1–3)
    "gulordava2018": NetworkSize(650, 2, 0.2, False, 128, 35, None, "sgd", GULORDAVA),
    "gulordava2018-srnn": NetworkSize(
        650, 2, 0.0, False, 64, 35, None, "sgd", GULORDAVA_SRNN, rnn_type="RNN_TANH"
    ),
    "gulordava2018-5gram": NetworkSize(
        650, 2, 0.2, False, 1024, None, None, "sgd", GULORDAVA_NGRAM, order=5
    ),
}
TYPES = {  # `--rnn-type` → a key of `network.CELLS`
    "lstm": "LSTM",
    "gru": "GRU",
    "srnn": "RNN_TANH",  # the paper's name for it
    "srnn-relu": "RNN_RELU",
}


@dataclass(frozen=True, slots=True)
class Setting:
    """What a training was asked for, beside text and seed."""

    size: NetworkSize
    max_vocabulary: int
    mixed: bool  # products in bfloat16 on a GPU, all else in float32

    def options(self) -> dict[str, object]:
        """As `model.json` has them."""
        return {
            "max_vocabulary": self.max_vocabulary,
            "mixed": self.mixed,
            **asdict(self.size),
        }


def setting(request: Request) -> Setting:
    """The network that is asked for. Raises `InputError` for a name that does not exist."""
    if isinstance(request.size, str) and request.size in PRESETS:
        wrong, right = f"{request.size!r} is a published setting", f"--preset {request.size}"
        raise InputError("--size", wrong, right, kind="value")
    if request.preset is not None:
        size = named(PRESETS, request.preset, "--preset")
    elif isinstance(request.size, NetworkSize):
        size = request.size
    else:
        size = named(SIZES, str(request.size or SIZE), "--size")
    if request.rnn_type is not None:
        size = replace(size, rnn_type=named(TYPES, request.rnn_type, "--rnn-type"))
    if request.order is not None:
        size = replace(size, order=request.order)
    if request.n_epochs is not None:
        size = replace(size, schedule=lasting(size.schedule, request.n_epochs))
    return Setting(size, request.vocabulary_size or VOCABULARY, request.mixed)
