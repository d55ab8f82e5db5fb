"""The causal Transformers that can be trained: sizes of ours."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from colorless_green.data.errors import InputError
from colorless_green.data.registry import named
from colorless_green.scoring.training.request import SIZE, Request
from colorless_green.scoring.training.schedule import Schedule, lasting
from colorless_green.scoring.training.sizes import TransformerSize

FEWEST = 257  # subwords: every byte, and the document separator


TINY = Schedule(8, 8, 4e-3, "steadily", 1.0)
SMALL = Schedule(10, 3, 2e-3, "steadily", 1.0)
MEDIUM = Schedule(20, 3, 1e-3, "steadily", 1.0)
BASE = Schedule(20, 3, 6e-4, "steadily", 1.0)
SIZES: Mapping[str, TransformerSize] = {
    # tiny learns the embedded sample's grammar in half a minute; base is as wide as GPT-2
    "tiny": TransformerSize(64, 2, 4, 512, 2_000, 0.0, 32, 1, TINY),
    "small": TransformerSize(128, 4, 4, 1_024, 4_000, 0.1, 32, None, SMALL),
    "medium": TransformerSize(256, 6, 8, 1_024, 8_000, 0.1, 32, None, MEDIUM),
    "base": TransformerSize(768, 12, 12, 1_024, 32_000, 0.1, 32, None, BASE),
}


@dataclass(frozen=True, slots=True)
class Setting:
    """What a training was asked for, beside text and seed."""

    name: str  # of its size
    size: TransformerSize
    mixed: bool  # products in bfloat16 on a GPU, all else in float32

    def parts(self) -> tuple[object, ...]:
        """What its identity is made of; a training in float32 has the one it always had."""
        return (self.name, self.size, *(["mixed"] if self.mixed else []))

    def options(self) -> dict[str, object]:
        """As `model.json` has them."""
        return {**asdict(self.size), **({"mixed": True} if self.mixed else {})}


def setting(request: Request) -> Setting:
    """The Transformer that is asked for. Raises `InputError` for a size that does not exist and
    for a vocabulary too small for the bytes."""
    own = request.size
    size = own if isinstance(own, TransformerSize) else named(SIZES, str(own or SIZE), "--size")
    n_subwords = request.vocabulary_size
    if n_subwords is not None:
        if n_subwords < FEWEST:
            right = f"{FEWEST} or more: every byte, and the end of a text"
            raise InputError("--vocabulary-size", f"{n_subwords} subwords", right, kind="value")
        size = replace(size, n_subwords=n_subwords)
    if request.n_epochs is not None:
        size = replace(size, schedule=lasting(size.schedule, request.n_epochs))
    return Setting(request.name, size, request.mixed)
