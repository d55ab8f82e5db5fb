"""Which device the neural models run on, and what a signature says of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from colorless_green.data.device import resolved

if TYPE_CHECKING:
    import torch


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


def sent(values: "torch.Tensor", device: "torch.device") -> "torch.Tensor":
    """`values` of this machine's memory on `device`; to a GPU without waiting for it to be done
    with what it has, which only pages that are pinned allow."""
    if device.type != "cuda":
        return values.to(device)
    return values.pin_memory().to(device, non_blocking=True)


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
