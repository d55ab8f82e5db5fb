"""Products with weights: hidden vectors to log-probabilities, without a matrix of all logits."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray

ROWS, COLUMNS = 256, 8_192  # of logits held at once: 8 MiB, in the cache of a core or near it

Integers: TypeAlias = NDArray[np.int64]
Product: TypeAlias = Callable[[torch.Tensor], torch.Tensor]
"""`(n, width)` to `(n, rows of the weights)`, float32."""


def product(weight: torch.Tensor, bias: torch.Tensor) -> Product:
    """x ↦ x · weightᵀ + bias for `weight` `(rows, width)` and `bias` `(rows,)`, without gradients.

    On a CPU by oneDNN where torch has it: torch's own choice for such products is MKL, which keeps
    to AVX2 on processors that are not Intel's (220 against 95 GFLOP/s a core on an AMD EPYC with
    AVX-512, 256 × 650 × 8,192, torch 2.13). torch.compile calls the same operator for linear
    layers with constant weights.
    """
    weight, bias = weight.detach(), bias.detach()
    by_onednn = getattr(torch.ops.mkldnn, "_linear_pointwise", None)
    if weight.device.type != "cpu" or by_onednn is None:
        return partial(torch.nn.functional.linear, weight=weight, bias=bias)
    return lambda vectors: by_onednn(vectors, weight, bias, "none", [], "")


@dataclass(frozen=True, slots=True)
class Projection:
    """A decoder, in blocks of COLUMNS words, the last one of fewer."""

    n_words: int
    blocks: tuple[Product, ...]

    def log_probabilities(
        self, hidden: torch.Tensor, which: Integers, following: Integers
    ) -> list[float]:
        """ln p of word `following[i]` after row `which[i]` of `hidden` `(rows, nhid)`, for each i.

        `which` never falls. Logits are float32, and a word's is the one that its normaliser was
        made with: p ≤ 1 whatever the size of the logits. The blocks' normalisers are put together
        in float64.
        """
        values: list[float] = []
        for start in range(0, len(hidden), ROWS):
            pairs = slice(*np.searchsorted(which, (start, start + ROWS)))
            words = torch.from_numpy(following[pairs]).to(hidden.device)
            rows = torch.from_numpy(which[pairs] - start).to(hidden.device)
            wanted = hidden.new_zeros(len(words))
            parts = []
            for first, block in zip(range(0, self.n_words, COLUMNS), self.blocks, strict=True):
                logits = block(hidden[start : start + ROWS])
                inside = ((words >= first) & (words < first + COLUMNS)).nonzero().squeeze(1)
                wanted[inside] = logits[rows[inside], words[inside] - first]
                parts.append(logits.logsumexp(-1))
            normalisers = torch.stack(parts).double().logsumexp(0)
            values += (wanted.double() - normalisers[rows]).tolist()
        return values


def projection(decoder: torch.nn.Linear) -> Projection:
    """The projection of a network's decoder; its weights are not copied."""
    starts = range(0, decoder.out_features, COLUMNS)
    parts = [slice(start, start + COLUMNS) for start in starts]
    blocks = tuple(product(decoder.weight[part], decoder.bias[part]) for part in parts)
    return Projection(decoder.out_features, blocks)
