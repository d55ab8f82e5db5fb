"""Which device the neural models run on, how exactly, and how much they read at once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import torch

from ...data.device import resolved
from ...data.errors import InputError

T = TypeVar("T")
ON_CPU = 1_024  # ids a batch: the products are at their full rate, and caches still hold a layer
ON_CUDA = (1_024, 65_536)  # at least and at most
SHARE = 0.4  # of what is free; the rest is for the logits, and for what else happens there
WIDTHS_AN_ID = 24  # floats of one layer alive at once, in widths of the model: states, q, k, v, 2·4
LOGITS = {"cpu": 1 << 25, "cuda": 1 << 27}  # floats in the buffer: 128 and 512 MiB
SAYINGS = ("out of memory", "can't allocate memory", "not enough memory")


def choose(requested: str) -> torch.device:
    """Return the device for `requested` ("auto", "cpu", "cuda" or "cuda:n") on this machine."""
    return torch.device(resolved(requested, torch.cuda.device_count()))


def describe(device: torch.device) -> str:
    """Describe a device for a signature: "cpu", or "cuda" with the GPU's name, whichever its index.

    Numbers differ in the last bits between kinds of device, not between two of one kind.
    """
    return f"cuda {torch.cuda.get_device_name(device)}" if device.type == "cuda" else "cpu"


def to_device(values: torch.Tensor, device: torch.device) -> torch.Tensor:
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
    backends: tuple[Any, ...] = (
        torch.backends.cuda.matmul,
        torch.backends.cudnn.rnn,
        torch.backends.cudnn.conv,  # type: ignore[attr-defined]  # unused here, but torch wants both parts of cuDNN alike
    )
    previous = [backend.fp32_precision for backend in backends]
    try:
        for backend in backends:
            backend.fp32_precision = "ieee"
        yield
    finally:
        for backend, value in zip(backends, previous, strict=True):
            backend.fp32_precision = value


class MemoryBudget:
    """The number of ids to read and of states to project at once; both only ever shrink."""

    def __init__(self, n_ids: int, n_rows: int) -> None:
        self.n_ids, self.n_rows = n_ids, n_rows
        self.buffer: torch.Tensor | None = None  # for logits, again and again

    def halve_ids(self) -> None:
        """Half as many ids a batch."""
        self.n_ids = max(1, self.n_ids // 2)

    def halve_rows(self) -> None:
        """Half as many states at once."""
        self.n_rows, self.buffer = max(1, self.n_rows // 2), None

    def logits(self, n: int, weight: torch.Tensor) -> torch.Tensor:
        """Room for `(n, vocabulary)` logits."""
        if self.buffer is None or len(self.buffer) < n:
            self.buffer = weight.new_empty((n, len(weight)))
        return self.buffer[:n]


def ids_at_once(model: Any, device: torch.device) -> int:
    """Return how many ids a batch may hold on `device`, as far as can be said beforehand."""
    if device.type != "cuda":
        return ON_CPU
    free, _ = torch.cuda.mem_get_info(device)
    config = model.config.get_text_config()
    an_id = WIDTHS_AN_ID * int(config.hidden_size) * model.dtype.itemsize
    return int(min(max(SHARE * free / an_id, ON_CUDA[0]), ON_CUDA[1]))


def batched(
    n: int, end_of: Callable[[int], int], work: Callable[[int, int], T], shrink: Callable[[], None]
) -> Iterator[T]:
    """Yield the results of `work(start, end)` on 0 to `n` in batches; `end_of` says where one ends.

    If a batch is too large for the memory, `shrink` lowers the limits and it is cut anew; what is
    done stays done. Raises `InputError` if a single item is too large.
    """
    start = 0
    while start < n:
        end, result = end_of(start), None
        try:
            result = (work(start, end),)
        except (RuntimeError, MemoryError) as error:
            message = str(error).lower()
            if not isinstance(error, MemoryError) and not any(hint in message for hint in SAYINGS):
                raise
        if result is not None:
            yield result[0]
            start = end
            continue
        if torch.cuda.is_available():  # not in the clause: there the traceback holds the tensors
            torch.cuda.empty_cache()
        if end - start == 1:
            wrong = "its memory does not hold one text, or one row of logits"
            right = "shorter texts, or another device"
            raise InputError("device", wrong, right, kind="resources")
        shrink()
