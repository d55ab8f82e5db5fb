"""Groves as the tensors a Transformer reads: ids, positions, and who may look at whom.

The mask is one of floats that is added to the scores: 0 where a node may look, the lowest finite
number where not. A boolean mask would be added as 0 and 1 by eager attention and so hide nothing;
−inf would make NaN of a row that sees nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from colorless_green.scoring.device import sent
from colorless_green.scoring.trie import Grove


@dataclass(frozen=True, slots=True)
class Packed:
    """A batch of groves. Padding stands on the right and sees itself alone."""

    ids: torch.Tensor  # (batch, node)
    positions: torch.Tensor  # (batch, node), from 0
    mask: torch.Tensor  # (batch, 1, node, node): what a node (third) sees of another (fourth)


def pack(groves: Sequence[Grove], dtype: torch.dtype, device: torch.device) -> Packed:
    """The batch of `groves`, its mask in `dtype`, the model's own."""
    width = max(len(grove.ids) for grove in groves)
    ids = np.zeros((len(groves), width), dtype=np.int64)
    depths = np.zeros_like(ids)
    ends = np.tile(np.arange(width), (len(groves), 1))
    for row, grove in enumerate(groves):
        ids[row, : len(grove.ids)] = grove.ids
        depths[row, : len(grove.ids)] = grove.depths
        ends[row, : len(grove.ids)] = grove.ends
    seen = visible(sent(torch.from_numpy(ends), device))
    mask = torch.zeros(seen.shape, dtype=dtype, device=device)
    mask.masked_fill_(~seen, torch.finfo(dtype).min)
    positions = sent(torch.from_numpy(depths), device)
    return Packed(sent(torch.from_numpy(ids), device), positions, mask[:, None])


def visible(ends: torch.Tensor) -> torch.Tensor:
    """`(batch, node, node)`: node i sees node j exactly if j ≤ i ≤ end of j."""
    index = torch.arange(ends.shape[1], device=ends.device)
    return (index[None, None, :] <= index[None, :, None]) & (
        index[None, :, None] <= ends[:, None, :]
    )
