"""The device that neural models run on, its precision, and the size of batches."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import torch

from ...data.device import resolve_device
from ...data.errors import InputError

T = TypeVar("T")
CPU_BATCH_IDS = 1_024  # enough for fast products, while caches still hold a layer
MIN_CUDA_BATCH_IDS, MAX_CUDA_BATCH_IDS = 1_024, 65_536
BATCH_SHARE = 0.4  # of the free memory; the rest is for logits and for other processes
WIDTHS_PER_ID = 24  # floats that a layer needs per id, in model widths: states, q, k, v, 2·4
MAX_LOGITS = {"cpu": 1 << 25, "cuda": 1 << 27}  # floats in their buffer: 128 and 512 MiB
OUT_OF_MEMORY = ("out of memory", "can't allocate memory", "not enough memory")  # in messages


def choose_device(requested: str) -> torch.device:
    """Return the device for `requested` ("auto", "cpu", "cuda" or "cuda:n") on this machine."""
    return torch.device(resolve_device(requested, torch.cuda.device_count()))


def device_kind(device: torch.device) -> str:
    """Return the name of a device for a signature: "cpu", or "cuda" with the name of the GPU's
    model, without its index.

    Numbers differ in the last bits between kinds of device, not between two of one kind.
    """
    return f"cuda {torch.cuda.get_device_name(device)}" if device.type == "cuda" else "cpu"


def to_device(values: torch.Tensor, device: torch.device) -> torch.Tensor:
    """Return a tensor copied to `device`. A copy to a GPU goes through pinned memory, so that it
    does not wait for the work that the GPU is doing."""
    if device.type != "cuda":
        return values.to(device)
    return values.pin_memory().to(device, non_blocking=True)


@contextmanager
def full_precision() -> Iterator[None]:
    """Compute float32 products on a GPU with all 24 bits within the block; settings are restored.

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
    """Limits of a batch: ids to read, and states (rows) to project onto the vocabulary, at once.
    They are halved when memory does not suffice."""

    def __init__(self, n_ids: int, n_rows: int) -> None:
        self.n_ids, self.n_rows = n_ids, n_rows
        self.buffer: torch.Tensor | None = None  # for logits, reused

    def halve_ids(self) -> None:
        """Halve the number of ids in a batch."""
        self.n_ids = max(1, self.n_ids // 2)

    def halve_rows(self) -> None:
        """Halve the number of states projected at once."""
        self.n_rows, self.buffer = max(1, self.n_rows // 2), None

    def logits(self, n: int, weight: torch.Tensor) -> torch.Tensor:
        """Return an uninitialised tensor `(n, vocabulary)` for logits, of the number type of the
        head's `weight` `(vocabulary, width)`. Every call returns the same memory again."""
        if self.buffer is None or len(self.buffer) < n:
            self.buffer = weight.new_empty((n, len(weight)))
        return self.buffer[:n]


def ids_at_once(model: Any, device: torch.device) -> int:
    """Return an estimate of how many ids a batch may hold on `device`."""
    if device.type != "cuda":
        return CPU_BATCH_IDS
    free_bytes, _ = torch.cuda.mem_get_info(device)
    config = model.config.get_text_config()
    bytes_per_id = WIDTHS_PER_ID * int(config.hidden_size) * model.dtype.itemsize
    n_ids = int(BATCH_SHARE * free_bytes / bytes_per_id)
    return min(max(n_ids, MIN_CUDA_BATCH_IDS), MAX_CUDA_BATCH_IDS)


def in_fitting_batches(
    n: int, end_of: Callable[[int], int], work: Callable[[int, int], T], shrink: Callable[[], None]
) -> Iterator[T]:
    """Process items 0 to `n` in batches and yield the result of `work(start, end)` for each batch;
    `end_of(start)` returns the end of the batch that begins at `start`.

    If memory does not suffice for a batch, `shrink` is called to lower the limits, and a smaller
    batch is tried; finished batches are kept. Raises `InputError` if a single item is too large.
    """
    start = 0
    while start < n:
        end = end_of(start)
        results: list[T] = []  # none if memory does not suffice; frees that of the batch before
        try:
            results.append(work(start, end))
        except (RuntimeError, MemoryError) as error:
            message = str(error).lower()
            is_memory = isinstance(error, MemoryError) or any(s in message for s in OUT_OF_MEMORY)
            if not is_memory:
                raise
        if results:
            yield from results
            start = end
            continue
        if torch.cuda.is_available():  # not above: in the clause the traceback holds the tensors
            torch.cuda.empty_cache()
        if end - start == 1:
            wrong = "its memory does not hold one text, or one row of logits"
            right = "shorter texts, or another device"
            raise InputError("device", wrong, right, kind="resources")
        shrink()
