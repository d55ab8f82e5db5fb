"""Wanted hidden vectors to log-probabilities, without ever holding a matrix of all logits."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from colorless_green.scoring.recurrent.products import Product, product

ROWS, COLUMNS = 256, 8_192  # of logits held at once: 8 MiB, in the cache of a core or near it


@dataclass(frozen=True, slots=True)
class Projection:
    """A decoder, in blocks of `width` words, the last one of fewer."""

    n_words: int
    width: int
    blocks: tuple[Product, ...]

    def log_probabilities(
        self, hidden: torch.Tensor, which: Sequence[int], following: Sequence[int]
    ) -> list[float]:
        """ln p of word `following[i]` after row `which[i]` of `hidden` `(rows, nhid)`, for each i.

        `which` never falls. Logits are float32, and a word's is the one that its normaliser was
        made with: p ≤ 1 whatever the size of the logits.
        """
        words = torch.tensor(following, device=hidden.device)
        rows = torch.tensor(which, device=hidden.device)
        values: list[float] = []
        for start in range(0, len(hidden), ROWS):
            pairs = slice(bisect_left(which, start), bisect_left(which, start + ROWS))
            here = hidden[start : start + ROWS]
            values += self._some(here, rows[pairs] - start, words[pairs]).tolist()
        return values

    def _some(self, hidden: torch.Tensor, rows: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        """ln p `(pairs,)`, float64; the blocks' normalisers are put together in float64 too."""
        wanted = hidden.new_zeros(len(words))
        parts: list[torch.Tensor] = []
        for first, block in zip(range(0, self.n_words, self.width), self.blocks, strict=True):
            logits = block(hidden)
            inside = ((words >= first) & (words < first + self.width)).nonzero().squeeze(1)
            wanted[inside] = logits[rows[inside], words[inside] - first]
            parts.append(logits.logsumexp(-1))
        normalisers = torch.stack(parts).double().logsumexp(0)
        return wanted.double() - normalisers[rows]


def projection(decoder: torch.nn.Linear) -> Projection:
    """The projection of a network's decoder; its weights are not copied."""
    weight, bias = decoder.weight.detach(), decoder.bias.detach()
    blocks = tuple(
        product(weight[start : start + COLUMNS], bias[start : start + COLUMNS])
        for start in range(0, len(bias), COLUMNS)
    )
    return Projection(len(bias), COLUMNS, blocks)
