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

from ...data.arrays import offsets_of
from ...data.seeds import generator, shuffled
from ..models.torch_device import to_device

POOL_BATCHES = 50  # batches sorted by length together: little padding, yet random epochs
MAX_BATCH = 16_384  # to limit memory; a batch has at least one sentence, even a longer one


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch: the ids that a model reads, and those that it is to predict."""

    ids: torch.Tensor  # in the shape the model reads
    targets: torch.Tensor  # int64 (n,)
    rows: torch.Tensor | slice  # index of each target's output; every id has one output
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
    def from_ids(
        cls, ids: NDArray[np.int32], lengths: NDArray[np.int64], separator: int
    ) -> "SentenceArray":
        """Make the array from the ids of all sentences, one behind the other, and the length of
        each."""
        starts = offsets_of(lengths + 1)
        separated = np.full(starts[-1] + 1, separator, dtype=np.int32)
        is_word = np.ones(len(separated), dtype=bool)
        is_word[starts] = False
        separated[is_word] = ids
        return cls(torch.from_numpy(separated), torch.from_numpy(starts))

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

        def batch_of(numbers: Sequence[int]) -> Batch:
            """Return the batch of the sentences of these numbers."""
            chosen = torch.tensor(numbers)
            starts = self.starts[chosen]
            ends = torch.minimum(self.starts[chosen + 1], starts + cap)
            index = starts[:, None] + torch.arange(int((ends - starts).max()))
            inside = index < ends[:, None]
            if time_first:
                index, inside = index.T, inside.T
            rows = inside.flatten().nonzero().squeeze(1)
            targets = self.ids[index.flatten()[rows] + 1].long()  # the id after each
            ids = self.ids[index.clamp(max=len(self.ids) - 1)]  # beyond a sentence anything will do
            return Batch(
                to_device(ids, device), to_device(targets, device), to_device(rows, device)
            )

        return len(orders), map(batch_of, orders)


def random_batches(lengths: Sequence[int], n_rows: int, seed: int, epoch: int) -> list[list[int]]:
    """Return all sentence numbers in random batches of `n_rows` sentences of similar lengths; a
    batch has fewer if it would exceed `MAX_BATCH` ids."""
    rng = generator(seed, f"order {epoch}")
    order, pool_size = shuffled(rng, range(len(lengths))), POOL_BATCHES * n_rows
    pools = (order[start : start + pool_size] for start in range(0, len(order), pool_size))
    batches = [batch for pool in pools for batch in batches_by_length(lengths, pool, n_rows)]
    return shuffled(rng, batches)


def batches_by_length(
    lengths: Sequence[int], numbers: Iterable[int], n_rows: int
) -> list[list[int]]:
    """Sort the sentences of these numbers by their lengths, and return the numbers in batches of
    `n_rows`; a batch has fewer if it would exceed `MAX_BATCH` ids."""
    batches: list[list[int]] = [[]]
    for number in sorted(numbers, key=lengths.__getitem__):
        n = len(batches[-1])
        if n == n_rows or (n and (n + 1) * lengths[number] > MAX_BATCH):  # the longest comes last
            batches.append([])
        batches[-1].append(number)
    return batches


def _parallel_streams(text: torch.Tensor, n_rows: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Cut a text of ids into `n_rows` streams of equal length, one in each column; return these,
    and an array with the id that follows each of their ids. Both are `(length, n_rows)`.

    Words that do not fill the last place of every stream are left out, as in the paper's script;
    a text with fewer words than streams becomes fewer streams.
    """
    n_targets = len(text) - 1  # all words but the first
    n_rows = min(n_rows, n_targets)
    length = n_targets // n_rows
    n_used = n_rows * length
    ids = text[:n_used].view(n_rows, length).T.contiguous()
    following = text[1 : n_used + 1].view(n_rows, length).T.long().contiguous()
    return ids, following


def stream_batches(text: torch.Tensor, n_rows: int, chunk: int) -> Batches:
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


def window_batches(text: torch.Tensor, n_rows: int, order: int) -> Batches:
    """Return the number of batches of a text of ids `(n,)`, and an iterable of them, for an n-gram
    network of `order`. Each batch has `n_rows` windows.

    A window has order − 1 words, and the word after it is the target; the next batch is one word
    further on. Windows cross the ends of sentences and all have full length, as in the paper's
    script.
    """
    width = order - 1
    max_rows = (len(text) - 1) // width  # so that each stream holds at least one window
    ids, targets = _parallel_streams(text, max(1, min(n_rows, max_rows)))
    length, n_streams = ids.shape
    last_outputs = slice((width - 1) * n_streams, None)  # after the last word of each window
    n_batches = max(0, length - width + 1)
    return n_batches, (
        Batch(ids[start : start + width], targets[start + width - 1], last_outputs)
        for start in range(n_batches)
    )
