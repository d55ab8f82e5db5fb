"""Sentences as one array of ids, and the training batches cut from it.

Batches are made in three ways: sentences of about the same length side by side; parallel streams of
text cut into chunks, whose recurrent state is carried on; and, for n-gram networks, windows that
move along such streams. The last two are those of colorlessgreenRNNs
(src/language_models/{main,ngram_lstm}.py).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from ...data.seeds import generator, shuffled
from ..models.torch_device import to_device

POOL_BATCHES = 50  # batches sorted by length together: little padding, yet random epochs
MAX_BATCH = 16_384  # to limit memory; a batch has at least one sentence, even a longer one


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch: the ids that a model reads, and those that it is to predict."""

    ids: torch.Tensor  # in the shape the model reads
    targets: torch.Tensor  # int64 (n,)
    rows: torch.Tensor | slice  # index of each target's output among the outputs after all ids
    goes_on: bool = False  # whether it continues the text of the batch before it


Batches = tuple[int, Iterable[Batch]]
"""The number of batches, and an iterable of them"""


@dataclass(frozen=True, slots=True)
class SentenceArray:
    """Sentences as one array of ids, with a separator id before the first sentence and after every
    one."""

    ids: torch.Tensor  # int32 (n,)
    starts: torch.Tensor  # int64 (n_sentences + 1,): indices of the separators

    @classmethod
    def of(
        cls, ids: NDArray[np.int32], lengths: NDArray[np.int64], separator: int
    ) -> "SentenceArray":
        """Make the array from the ids of all sentences, one behind the other, and the length of
        each."""
        starts = np.concatenate([[0], np.cumsum(lengths + 1)])
        padded = np.full(starts[-1] + 1, separator, dtype=np.int32)
        inside = np.ones(len(padded), dtype=bool)
        inside[starts] = False
        padded[inside] = ids
        return cls(torch.from_numpy(padded), torch.from_numpy(starts))

    def lengths(self, cap: int) -> list[int]:
        """Return the number of ids that a model predicts in each sentence: its words and the
        separator after them, but at most `cap`."""
        lengths: list[int] = self.starts.diff().clamp(max=cap).tolist()
        return lengths

    def batches(
        self, orders: Sequence[Sequence[int]], cap: int, device: torch.device, time_first: bool
    ) -> Batches:
        """Return the number of batches and an iterable of them: one for each list of sentence
        numbers in `orders`.

        The ids of a batch are `(batch, time)`, or `(time, batch)` if `time_first`. Sentences are
        cut after `cap` ids; what stands after the end of a shorter one is arbitrary and never a
        target.
        """

        def batch(numbers: Sequence[int]) -> Batch:
            """Return the batch of the sentences of these numbers."""
            chosen = torch.tensor(numbers)
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
    """Return all sentence numbers in random batches of `n_rows` sentences of similar lengths; a
    batch has fewer if it would exceed `MAX_BATCH` ids."""
    rng = generator(seed, f"order {epoch}")
    order, pool = shuffled(rng, range(len(lengths))), POOL_BATCHES * n_rows
    pools = (order[start : start + pool] for start in range(0, len(order), pool))
    return shuffled(rng, [batch for indices in pools for batch in ranked(lengths, indices, n_rows)])


def ranked(lengths: Sequence[int], which: Iterable[int], n_rows: int) -> list[list[int]]:
    """Sort the sentences numbered `which` by their lengths, and return their numbers in batches of
    `n_rows`; a batch has fewer if it would exceed `MAX_BATCH` ids."""
    batches: list[list[int]] = [[]]
    for index in sorted(which, key=lengths.__getitem__):
        n = len(batches[-1])
        if n == n_rows or (n and (n + 1) * lengths[index] > MAX_BATCH):
            batches.append([])
        batches[-1].append(index)
    return batches


def _parallel_streams(text: torch.Tensor, n_rows: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Cut a text of ids into `n_rows` streams of equal length, one in each column; return these,
    and an array with the id that follows each of their ids. Both are `(length, n_rows)`.

    Words that do not fill the last place of every stream are left out, as in the paper's script;
    a text with fewer words than streams becomes fewer streams.
    """
    n_rows = min(n_rows, len(text) - 1)
    length = (len(text) - 1) // n_rows
    ids = text[: n_rows * length].view(n_rows, length).T.contiguous()
    return ids, text[1 : n_rows * length + 1].view(n_rows, length).T.long().contiguous()


def streams(text: torch.Tensor, n_rows: int, chunk: int) -> Batches:
    """Return the number of batches of a text of ids `(n,)`, and an iterable of them.

    The text is cut into `n_rows` parallel streams; a batch has the next `chunk` words of each.
    """
    ids, targets = _parallel_streams(text, n_rows)
    starts = range(0, len(ids), chunk)
    parts = ((start, slice(start, start + chunk)) for start in starts)
    return len(starts), (
        Batch(ids[part], targets[part].flatten(), slice(None), goes_on=start > 0)
        for start, part in parts
    )


def windows(text: torch.Tensor, n_rows: int, order: int) -> Batches:
    """Return the number of batches of a text of ids `(n,)`, and an iterable of them, for an n-gram
    network of `order`. Each batch has `n_rows` windows.

    A window has order − 1 words, and the word after it is the target; the next batch is one word
    further on. Windows cross the ends of sentences and all have full length, as in the paper's
    script.
    """
    reach = order - 1
    max_rows = (len(text) - 1) // reach  # so that each stream holds at least one window
    ids, targets = _parallel_streams(text, max(1, min(n_rows, max_rows)))
    final = slice((reach - 1) * ids.shape[1], None)
    n = max(0, len(ids) - reach + 1)
    return n, (Batch(ids[row : row + reach], targets[row + reach - 1], final) for row in range(n))
