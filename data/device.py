"""The device that a neural model (a scorer, a parser) runs on."""

import re

from .errors import InputError

OPTION = "device"
CUDA = re.compile(r"cuda:(?:0|[1-9][0-9]*)")


def resolve_device(requested: str, n_cuda: int) -> str:
    """Return the device that a user asks for, as "cpu" or "cuda:N".

    Args:
        requested: "auto" (the first CUDA device if there is one, else the CPU), "cpu", "cuda" (the
            first CUDA device) or "cuda:N".
        n_cuda: the number of CUDA devices that PyTorch finds.

    Raises `InputError` for a device that is unknown or absent: it never falls back silently.
    """
    devices = ("cpu", *(f"cuda:{n}" for n in range(n_cuda)))
    automatic = "cuda:0" if n_cuda else "cpu"
    device = {"auto": automatic, "cuda": "cuda:0"}.get(requested, requested)
    if device in devices:
        return device
    if CUDA.fullmatch(device) is None:
        wrong = f"no such device {requested!r}"
        raise InputError(OPTION, wrong, "auto, cpu, cuda or cuda:N", kind="unknown")
    wrong = f"{requested!r} was requested, but PyTorch finds no such GPU"
    raise InputError(OPTION, wrong, f"one of auto, {', '.join(devices)}", kind="unsupported")
