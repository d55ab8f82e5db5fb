"""Which device the neural models run on, and what a signature says of it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from colorless_green.data.errors import InputError

if TYPE_CHECKING:
    import torch

OPTION = "--device"
CUDA = re.compile(r"cuda(?::(0|[1-9][0-9]*))?")


def resolved(asked: str, n_cuda: int) -> str:
    """What was asked for, as "cpu" or "cuda:n", where torch sees `n_cuda` devices.

    "auto" is the first CUDA device where there is one, else the CPU; "cuda" is "cuda:0". Raises
    `InputError` for a device that is unknown or absent: nothing falls back in silence.
    """
    if asked == "cpu" or (asked == "auto" and n_cuda == 0):
        return "cpu"
    if asked == "auto":
        return "cuda:0"
    match = CUDA.fullmatch(asked)
    if match is None:
        raise InputError(OPTION, f"no such device {asked!r}", "auto, cpu, cuda or cuda:N")
    if n_cuda == 0:
        raise InputError(OPTION, f"{asked!r} is asked for, but torch sees no GPU", "auto or cpu")
    index = int(match[1] or 0)
    if index >= n_cuda:
        known = ", ".join(f"cuda:{n}" for n in range(n_cuda))
        raise InputError(OPTION, f"{asked!r} is asked for, but there is none", f"one of {known}")
    return f"cuda:{index}"


def choose(asked: str) -> "torch.device":
    """The device for `asked` ("auto", "cpu", "cuda" or "cuda:n") on this machine."""
    import torch

    return torch.device(resolved(asked, torch.cuda.device_count()))


def describe(device: "torch.device") -> str:
    """What a signature says: "cpu", or "cuda" with the GPU's name, whichever its index.

    Numbers differ in the last bits between kinds of device, not between two of one kind.
    """
    import torch

    return f"cuda {torch.cuda.get_device_name(device)}" if device.type == "cuda" else "cpu"


@contextmanager
def full_precision() -> Iterator[None]:
    """Within it, float32 products on a GPU keep all 24 bits; the settings come back after.

    By default cuDNN computes recurrent layers in TF32, whose 11 bits move log-probabilities by
    1e-3 and more (PyTorch notes, "CUDA semantics: TensorFloat-32").
    """
    import torch

    places: tuple[Any, ...] = (
        torch.backends.cuda.matmul,
        torch.backends.cudnn.rnn,
        torch.backends.cudnn.conv,  # type: ignore[attr-defined]  # unused here, but torch wants both parts of cuDNN alike
    )
    before = [place.fp32_precision for place in places]
    try:
        for place in places:
            place.fp32_precision = "ieee"
        yield
    finally:
        for place, value in zip(places, before, strict=True):
            place.fp32_precision = value
