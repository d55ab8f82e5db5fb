"""From hidden states to log-probabilities: only where wanted, and without a second matrix.

Logits go into a buffer that is used again and again, and the log-sum-exp of a few rows at a time
overwrites them. On a CPU that is 1.05 times the bare product, where `log_softmax` of fresh logits
takes 1.25 times (512 rows, 50,257 columns: `bench/scoring.py`).
"""

from dataclasses import dataclass

import torch

from .torch_device import MemoryBudget

LOGITS = {"cpu": 1 << 25, "cuda": 1 << 27}  # floats in the buffer: 128 and 512 MiB
TOGETHER = {"cpu": 1 << 19, "cuda": 1 << 27}  # logits overwritten at once: what a cache holds


@dataclass(frozen=True, slots=True)
class OutputHead:
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
            logits = torch.mm(hidden, self.weight.T, out_dtype=torch.float32)
        else:
            logits = torch.mm(hidden, self.weight.T, out=out)
        if self.bias is not None:
            logits += self.bias
        if self.scale != 1.0:
            logits *= self.scale
        return logits if self.cap is None else logits.div_(self.cap).tanh_().mul_(self.cap)


def projected(
    head: OutputHead | None,
    sets: torch.Tensor | None,
    memory: MemoryBudget,
    hidden: torch.Tensor,
    rows: torch.Tensor,
    targets: torch.Tensor,
) -> torch.Tensor:
    """ln p of `targets` after the states `rows` of `hidden`: ids, or below 0 sets.

    Without a head the states are logits already. `sets` is `(vocabulary, n)` of zeros and ones:
    its columns are the sets numbered −1, −2, ….
    """
    if head is None:
        logits = hidden.float().clone()
    elif head.weight.dtype.itemsize < 4:
        logits = head.logits(hidden)
    else:
        logits = head.logits(hidden, out=memory.logits(len(hidden), head.weight))
    chosen = logits[rows, targets if sets is None else targets.clamp(min=0)]
    normaliser, masses = normalise(logits, sets, TOGETHER[logits.device.type])
    if masses is not None:
        chosen = torch.where(targets < 0, masses[rows, (-1 - targets).clamp(min=0)], chosen)
    return chosen.double() - normaliser[rows].double()


def normalise(
    logits: torch.Tensor, sets: torch.Tensor | None, together: int
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Return the log-sum-exp of every row, and those over each of `sets`. Overwrites `logits`.

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
