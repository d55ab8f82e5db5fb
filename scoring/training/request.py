"""What a training is asked for, beside text and seed; and which kind of model can serve it."""

from collections.abc import Mapping
from dataclasses import dataclass

from colorless_green.data.errors import InputError
from colorless_green.scoring.training.sizes import NetworkSize, TransformerSize

SIZE = "tiny"  # where neither size nor preset is named
OWN = "own"  # the name of a size that is not one of ours
ORDER = 5  # of an n-gram model, where none is named
LOOKED_AT = ("--epochs", "--mixed", "--seeds", "--accuracy-on", "--vocabulary-size")
NEURAL = ("--size", "--device", "--resume")
OPTIONS: Mapping[str, tuple[str, ...]] = {  # of each kind; all others are refused
    "all": NEURAL,
    "unigram": (),
    "ngram": ("--order", "--prune"),
    "recurrent": (*NEURAL, *LOOKED_AT, "--preset", "--rnn-type", "--order"),
    "causal": (*NEURAL, *LOOKED_AT),
}


@dataclass(frozen=True, slots=True)
class Request:
    """What a model shall be like; None where its kind, size or preset decides."""

    size: str | NetworkSize | TransformerSize | None = None  # ours, by name; or one of one's own
    preset: str | None = None  # a published setting, by name
    rnn_type: str | None = None
    order: int | None = None  # n of an n-gram model, or of a network that reads n − 1 words
    prune: tuple[int, ...] | None = None  # see `ngram.train`
    vocabulary_size: int | None = None  # most frequent words, or subwords, that it knows
    n_epochs: int | None = None  # at most
    mixed: bool = False  # products in bfloat16 on a GPU, all else in float32

    @property
    def name(self) -> str:
        """Of the size or preset."""
        named = self.size if self.size is None or isinstance(self.size, str) else OWN
        return self.preset or named or SIZE

    def given(self) -> dict[str, object]:
        """The options of the command line that were given, with their values."""
        every = {
            "--size": self.size,
            "--preset": self.preset,
            "--rnn-type": self.rnn_type,
            "--order": self.order,
            "--prune": self.prune,
            "--vocabulary-size": self.vocabulary_size,
            "--epochs": self.n_epochs,
            "--mixed": self.mixed,
        }
        return {option: value for option, value in every.items() if value not in (None, False)}


def check_request(kind: str, request: Request, others: Mapping[str, object]) -> None:
    """Raises `InputError` for options that the kind cannot serve, and for two that exclude each
    other. `others` are options beside the request, with false values where they were not given."""
    given = {**request.given(), **{option: each for option, each in others.items() if each}}
    for option in given:
        if option not in OPTIONS[kind]:
            serving = [each for each, known in OPTIONS.items() if option in known]
            wrong = f"colorless train {kind} has no such option"
            raise InputError(option, wrong, f"{option} with {', '.join(serving)}", kind="unknown")
    for option in ("--size", "--rnn-type", "--order"):
        if request.preset is not None and option in given:
            wrong = f"{request.preset} is a published setting, which {option} would change"
            raise InputError("--preset", wrong, f"{option} or --preset", kind="conflict")
