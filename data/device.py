"""The device that a neural model (a scorer, a parser) runs on."""

import re

from .errors import InputError

OPTION = "device"
CUDA = re.compile(r"cuda(?::(0|[1-9][0-9]*))?")


def resolved(requested: str, n_cuda: int) -> str:
    """Return the device that was asked for, as "cpu" or "cuda:n"; torch sees `n_cuda` of them.

    "auto" is the first CUDA device if there is one, else the CPU; "cuda" is "cuda:0". Raises
    `InputError` for a device that is unknown or absent: it never falls back silently.
    """
    if requested == "cpu" or (requested == "auto" and n_cuda == 0):
        return "cpu"
    if requested == "auto":
        return "cuda:0"
    match = CUDA.fullmatch(requested)
    if match is None:
        raise InputError(
            OPTION, f"no such device {requested!r}", "auto, cpu, cuda or cuda:N", kind="unknown"
        )
    if n_cuda == 0:
        raise InputError(
            OPTION,
            f"{requested!r} was requested, but PyTorch finds no GPU",
            "auto or cpu",
            kind="unsupported",
        )
    index = int(match[1] or 0)
    if index >= n_cuda:
        devices = ", ".join(f"cuda:{n}" for n in range(n_cuda))
        raise InputError(
            OPTION,
            f"{requested!r} was requested, but does not exist",
            f"one of {devices}",
            kind="unsupported",
        )
    return f"cuda:{index}"
