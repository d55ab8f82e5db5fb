"""From hidden states to log-probabilities: only where wanted, and without a second matrix.

The rows that are wanted are collected over many batches, so that the product with the vocabulary
is one of many rows. Its logits go into a buffer that is used again and again, and the log-sum-exp
of a few rows at a time overwrites them. On a CPU that is 1.05 times the bare product, where
`log_softmax` of fresh logits takes 1.25 times (512 rows, 50,257 columns: `bench/scoring.py`).
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from colorless_green.scoring.device import sent
from colorless_green.scoring.memory import Memory, within
from colorless_green.scoring.ragged import Integers

LOGITS = {"cpu": 1 << 25, "cuda": 1 << 27}  # floats in the buffer: 128 and 512 MiB
TOGETHER = {"cpu": 1 << 19, "cuda": 1 << 27}  # logits overwritten at once: what a cache holds


@dataclass(frozen=True, slots=True)
class Head:
    """A linear map onto the vocabulary and what some models do with its logits.

    cap · tanh(scale · (W h + b) / cap), or without the tanh where there is no cap: Gemma 2 has a
    cap (`final_logit_softcapping`), Cohere and Granite a scale. Weights of half precision are
    multiplied as such and added up in float32, which only GPUs do.
    """

    weight: torch.Tensor  # (vocabulary, width)
    bias: torch.Tensor | None
    scale: float = 1.0
    cap: float | None = None

    def logits(self, hidden: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
        """`(n, vocabulary)` for `(n, width)`, float32 or wider; in `out` if there is one."""
        hidden = hidden.to(self.weight.dtype)
        if self.weight.dtype.itemsize < 4:
            found = torch.mm(hidden, self.weight.T, out_dtype=torch.float32)
        else:
            found = torch.mm(hidden, self.weight.T, out=out)
        if self.bias is not None:
            found += self.bias
        if self.scale != 1.0:
            found *= self.scale
        return found if self.cap is None else found.div_(self.cap).tanh_().mul_(self.cap)


class Projection:
    """Collects hidden states and answers what is wanted of them, many at a time.

    Without a head the states are logits already. `sets` is `(vocabulary, n)` of zeros and ones:
    its columns are the sets numbered −1, −2, …. Answers are logarithms of probabilities.
    """

    def __init__(
        self,
        head: Head | None,
        sets: torch.Tensor | None,
        memory: Memory,
        device: torch.device,
        firsts: Integers,
        whats: NDArray[np.int64],
    ) -> None:
        """Of state n, in the order in which states are added, `whats[firsts[n] : firsts[n + 1]]`
        is wanted: ids, or below 0 sets."""
        self.head, self.sets, self.memory, self.device = head, sets, memory, device
        rows = np.repeat(np.arange(len(firsts) - 1), np.diff(firsts))
        self._firsts = firsts
        self._rows, self._whats = sent(torch.from_numpy(np.stack([rows, whats])), device)
        self.answers = torch.empty(len(whats), dtype=torch.float64, device=device)
        self._hidden: list[torch.Tensor] = []
        self._n_done = self._n_waiting = 0
        self._buffer: torch.Tensor | None = None

    def add(self, hidden: torch.Tensor) -> None:
        """The next states, `(n, width)`. Answered when there are enough."""
        self._hidden.append(hidden)
        self._n_waiting += len(hidden)
        if self._n_waiting >= self.memory.n_rows:
            self.flush()

    def flush(self) -> None:
        """Answers all that has been added."""
        if not self._n_waiting:
            return
        hidden, done, n = torch.cat(self._hidden), self._n_done, self._n_waiting

        def work(start: int, end: int) -> None:
            self._project(hidden[start:end], done + start, done + end)

        for _ in within(n, lambda start: min(n, start + self.memory.n_rows), work, self._less):
            pass
        self._hidden, self._n_done, self._n_waiting = [], done + n, 0

    def _less(self) -> None:
        self._buffer = None
        self.memory.project_less()

    def _project(self, hidden: torch.Tensor, start: int, end: int) -> None:
        logits = self._logits(hidden)
        own = slice(int(self._firsts[start]), int(self._firsts[end]))
        rows, whats = self._rows[own] - start, self._whats[own]
        chosen = logits[rows, whats if self.sets is None else whats.clamp(min=0)]
        normaliser, masses = normalise(logits, self.sets, TOGETHER[self.device.type])
        if masses is not None:
            chosen = torch.where(whats < 0, masses[rows, (-1 - whats).clamp(min=0)], chosen)
        self.answers[own] = chosen.double() - normaliser[rows].double()

    def _logits(self, hidden: torch.Tensor) -> torch.Tensor:
        if self.head is None:
            return hidden.float().clone()
        weight = self.head.weight
        if weight.dtype.itemsize < 4:
            return self.head.logits(hidden)
        if self._buffer is None or len(self._buffer) < len(hidden):
            self._buffer = weight.new_empty((len(hidden), len(weight)))
        return self.head.logits(hidden, out=self._buffer[: len(hidden)])


def normalise(
    logits: torch.Tensor, sets: torch.Tensor | None, together: int
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """The log-sum-exp of every row, and those over each of `sets`. Overwrites `logits`.

    Every entry of a row counts, rows beyond the tokenizer's entries and the end-of-text id
    included: that is the model's own distribution.
    """
    normalisers: list[torch.Tensor] = []
    masses: list[torch.Tensor] = []
    n = max(1, together // logits.shape[-1])
    for start in range(0, len(logits), n):
        block = logits[start : start + n]
        highest = block.amax(-1, keepdim=True)
        block.sub_(highest).exp_()
        normalisers.append(block.sum(-1).log() + highest[:, 0])
        if sets is not None:
            masses.append((block @ sets).log() + highest)
    return torch.cat(normalisers), torch.cat(masses) if sets is not None else None
