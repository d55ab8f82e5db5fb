"""Sentences as one array of ids, and the batches that are cut from it.

Three ways: sentences of about the same length side by side; parallel streams of text cut into
chunks, through which the state is carried; and, for n-gram networks, windows that move along such
streams. The last two are those of colorlessgreenRNNs (src/language_models/{main,ngram_lstm}.py).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from ...data.seeds import generator, shuffled
from ..models.torch_device import to_device

POOL = 50  # batches that are sorted by length together: little padding, yet no two epochs alike
MOST = 16_384  # ids in a batch, for its memory; a batch has one sentence at least


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch: what a model reads, and what it is to predict."""

    ids: torch.Tensor  # in the shape the model reads
    targets: torch.Tensor  # int64 (n,)
    rows: torch.Tensor | slice  # of the targets, in what the model says after each of the ids
    goes_on: bool = False  # whether it continues the batch before it


Batches = tuple[int, Iterable[Batch]]
"""How many, and each in turn."""


@dataclass(frozen=True, slots=True)
class SentenceArray:
    """Sentences as one array, with a separator before, between and behind them."""

    ids: torch.Tensor  # int32 (n,)
    starts: torch.Tensor  # int64 (n_sentences + 1,): the separators

    @classmethod
    def of(
        cls, ids: NDArray[np.int32], lengths: NDArray[np.int64], separator: int
    ) -> "SentenceArray":
        """From the ids of all sentences, and how many each one has."""
        starts = np.concatenate([[0], np.cumsum(lengths + 1)])
        padded = np.full(starts[-1] + 1, separator, dtype=np.int32)
        inside = np.ones(len(padded), dtype=bool)
        inside[starts] = False
        padded[inside] = ids
        return cls(torch.from_numpy(padded), torch.from_numpy(starts))

    def lengths(self, cap: int) -> list[int]:
        """Count what to predict of each sentence: its ids and a separator, `cap` at most."""
        lengths: list[int] = self.starts.diff().clamp(max=cap).tolist()
        return lengths

    def batches(
        self, orders: Sequence[Sequence[int]], cap: int, device: torch.device, time_first: bool
    ) -> Batches:
        """Return the sentences of each order side by side, `(batch, time)`, each cut after `cap`
        ids; behind the end of one stands anything."""

        def batch(which: Sequence[int]) -> Batch:
            chosen = torch.tensor(which)
            starts = self.starts[chosen]
            ends = torch.minimum(self.starts[chosen + 1], starts + cap)
            index = starts[:, None] + torch.arange(int((ends - starts).max()))
            inside = index < ends[:, None]
            if time_first:
                index, inside = index.T, inside.T
            rows = inside.flatten().nonzero().squeeze(1)
            targets = self.ids[index.flatten()[rows] + 1].long()
            ids = self.ids[index.clamp(max=len(self.ids) - 1)]
            return Batch(
                to_device(ids, device), to_device(targets, device), to_device(rows, device)
            )

        return len(orders), map(batch, orders)


def by_length(lengths: Sequence[int], n_rows: int, seed: int, epoch: int) -> list[list[int]]:
    """All indices, in random batches of `n_rows` whose lengths are alike; in smaller ones where
    they would have more than `MOST` ids."""
    rng = generator(seed, f"order {epoch}")
    order, pool = shuffled(rng, range(len(lengths))), POOL * n_rows
    pools = (order[start : start + pool] for start in range(0, len(order), pool))
    return shuffled(rng, [batch for indices in pools for batch in ranked(lengths, indices, n_rows)])


def ranked(lengths: Sequence[int], which: Iterable[int], n_rows: int) -> list[list[int]]:
    """Yield some indices, in batches by their lengths."""
    batches: list[list[int]] = [[]]
    for index in sorted(which, key=lengths.__getitem__):
        n = len(batches[-1])
        if n == n_rows or (n and (n + 1) * lengths[index] > MOST):
            batches.append([])
        batches[-1].append(index)
    return batches


def _columns(text: torch.Tensor, n_rows: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return a text cut into `n_rows` equal streams, `(length, n_rows)`, and what follows each
    word.

    Words that do not fill the last place of every stream are left out, as in the paper's script;
    a text with fewer words than streams becomes fewer streams.
    """
    n_rows = min(n_rows, len(text) - 1)
    length = (len(text) - 1) // n_rows
    ids = text[: n_rows * length].view(n_rows, length).T.contiguous()
    return ids, text[1 : n_rows * length + 1].view(n_rows, length).T.long().contiguous()


def streams(text: torch.Tensor, n_rows: int, chunk: int) -> Batches:
    """Yield a text `(n,)` as `n_rows` parallel streams, `chunk` words of each a batch."""
    ids, targets = _columns(text, n_rows)
    starts = range(0, len(ids), chunk)
    parts = ((start, slice(start, start + chunk)) for start in starts)
    return len(starts), (
        Batch(ids[part], targets[part].flatten(), slice(None), goes_on=start > 0)
        for start, part in parts
    )


def windows(text: torch.Tensor, n_rows: int, order: int) -> Batches:
    """Every window of a text `(n,)` that an n-gram network of `order` reads, `n_rows` a batch: its
    last word is what is learned. The next batch stands one word further on.

    Windows reach across the ends of sentences, and none is shorter, as in the paper's script.
    """
    reach = order - 1
    longest = (len(text) - 1) // reach  # so that a stream holds a window at least
    ids, targets = _columns(text, max(1, min(n_rows, longest)))
    final = slice((reach - 1) * ids.shape[1], None)
    n = max(0, len(ids) - reach + 1)
    return n, (Batch(ids[row : row + reach], targets[row + reach - 1], final) for row in range(n))
