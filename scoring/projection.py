"""From hidden states to log-probabilities: only where wanted, and without a second matrix.

The rows that are wanted are collected over many batches, so that the product with the vocabulary
is one of many rows. Its logits go into a buffer that is used again and again, and the log-sum-exp
of a few rows at a time overwrites them. On a CPU that is 1.05 times the bare product, where
`log_softmax` of fresh logits takes 1.25 times (512 rows, 50,257 columns: `bench/scoring.py`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import torch

from colorless_green.scoring.memory import Memory, within

LOGITS = {"cpu": 1 << 25, "cuda": 1 << 27}  # floats in the buffer: 128 and 512 MiB
TOGETHER = {"cpu": 1 << 19, "cuda": 1 << 27}  # logits overwritten at once: what a cache holds


@dataclass(frozen=True, slots=True)
class Head:
    """A linear map onto the vocabulary and what some models do with its logits.

    cap · tanh(scale · (W h + b) / cap), or without the tanh where there is no cap: Gemma 2 has a
    cap (`final_logit_softcapping`), Cohere and Granite a scale.
    """

    weight: torch.Tensor  # (vocabulary, width), float32
    bias: torch.Tensor | None
    scale: float = 1.0
    cap: float | None = None

    def logits(self, hidden: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
        """`(n, vocabulary)` for `(n, width)`, in `out` if there is one."""
        found = torch.mm(hidden.to(self.weight.dtype), self.weight.T, out=out)
        if self.bias is not None:
            found += self.bias
        if self.scale != 1.0:
            found *= self.scale
        return found if self.cap is None else found.div_(self.cap).tanh_().mul_(self.cap)


Questions: TypeAlias = Sequence[tuple[int, tuple[int, int]]]
"""What is wanted of one state: an id, or below 0 a set; and the key of the answer"""


class Projection:
    """Collects hidden states and answers what is wanted of them, many at a time.

    Without a head the states are logits already. `sets` is `(vocabulary, n)` of zeros and ones:
    its columns are the sets numbered −1, −2, …. Answers are logarithms of probabilities, by key.
    """

    def __init__(
        self, head: Head | None, sets: torch.Tensor | None, memory: Memory, device: torch.device
    ) -> None:
        self.head, self.sets, self.memory, self.device = head, sets, memory, device
        self.answers: dict[tuple[int, int], float] = {}
        self._hidden: list[torch.Tensor] = []
        self._asked: list[Questions] = []
        self._buffer: torch.Tensor | None = None

    def add(self, hidden: torch.Tensor, asked: Sequence[Questions]) -> None:
        """States `(n, width)` and what is wanted of each. Answered when there are enough."""
        self._hidden.append(hidden)
        self._asked.extend(asked)
        if len(self._asked) >= self.memory.n_rows:
            self.flush()

    def flush(self) -> None:
        """Answers all that has been added."""
        if not self._asked:
            return
        hidden, asked = torch.cat(self._hidden), self._asked
        self._hidden, self._asked = [], []

        def batched(rows: Sequence[int]) -> Iterator[list[int]]:
            n = self.memory.n_rows
            return (list(rows[start : start + n]) for start in range(0, len(rows), n))

        def work(rows: Sequence[int]) -> None:
            self._project(hidden[rows[0] : rows[-1] + 1], asked[rows[0] : rows[-1] + 1])

        for _ in within(range(len(asked)), batched, work, self._less):
            pass

    def _less(self) -> None:
        self._buffer = None
        self.memory.project_less()

    def _project(self, hidden: torch.Tensor, asked: Sequence[Questions]) -> None:
        logits = self._logits(hidden)
        questions = [(row, what, key) for row, every in enumerate(asked) for what, key in every]
        rows = torch.tensor([row for row, _, _ in questions], device=self.device)
        whats = torch.tensor([what for _, what, _ in questions], device=self.device)
        chosen = logits[rows, whats.clamp(min=0)]
        normaliser, masses = normalise(logits, self.sets, TOGETHER[self.device.type])
        if masses is not None:
            chosen = torch.where(whats < 0, masses[rows, (-1 - whats).clamp(min=0)], chosen)
        values = (chosen.double() - normaliser[rows].double()).tolist()
        for (_, _, key), value in zip(questions, values, strict=True):
            self.answers[key] = value

    def _logits(self, hidden: torch.Tensor) -> torch.Tensor:
        if self.head is None:
            return hidden.float().clone()
        if self._buffer is None or len(self._buffer) < len(hidden):
            weight = self.head.weight
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
