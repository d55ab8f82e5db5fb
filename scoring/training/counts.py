"""Counting n-grams of a text of any size: one table on disk for each order, in suffix order.

As in Heafield et al. 2013 ("Scalable Modified Kneser-Ney Language Model Estimation", §3.1 and 3.2),
every word and sentence end gives one n-gram of the highest order, with as many `<s>` in front as it
takes; equal ones are added up while they are sorted. In suffix order n-grams with the same end
stand together, so that one pass over a table gives the table of the order below:

    <s> <s> the  2        <s> the  2
    <s> and the  1   →    and the  1   →   the  4, after three different words
    for all the  1        all the  1

Rows with more than one `<s>` are no n-grams of a model. They stay in the tables, so that every row
of one table is a group of rows in the next; who counts or writes leaves them out.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from colorless_green.data.errors import InputError
from colorless_green.data.progress import Progress, silent
from colorless_green.scoring.training.kneser_ney import (
    END_ID,
    START_ID,
    Discounts,
    Ids,
    counts_of_counts,
    discounts_of,
    thresholds_of,
    vocabulary_of,
)
from colorless_green.scoring.training.packing import Packing, packing_of
from colorless_green.scoring.training.runs import (
    Rows,
    Runs,
    Scratch,
    Table,
    added_up,
    merged,
    rows_in,
    sorted_runs,
    whole_groups,
)
from colorless_green.scoring.words import SPECIAL


@dataclass(frozen=True, slots=True)
class Numbered:
    """A text as numbers on disk: each word's, in the order in which they came up, then `END_ID`."""

    table: Table  # one column
    vocabulary: tuple[str, ...]  # <unk>, <s>, </s>, then every word of the text, sorted
    final: Ids  # index in the vocabulary of each number
    n_sentences: int
    n_words: int
    longest: int  # words of the longest sentence


@dataclass(frozen=True, slots=True)
class Level:
    """The n-grams of one order, in suffix order, as rows of a table: the n-gram packed, how often
    it is in the text, its adjusted count. `threshold`: so often or less, and it is dropped."""

    order: int
    packing: Packing
    table: Table
    threshold: int
    discount: Discounts
    n_kept: int

    @property
    def n_keys(self) -> int:
        return self.packing.n_numbers(self.order)

    def words(self, rows: Rows) -> list[NDArray[np.uint64]]:
        """The columns of words, the first word of the n-grams first."""
        return [self.packing.word(rows, index) for index in range(self.order - 1, -1, -1)]

    def raw(self, rows: Rows) -> Ids:
        return rows[:, -2].view(np.int64)

    def adjusted(self, rows: Rows) -> Ids:
        return rows[:, -1].view(np.int64)

    def kept(self, rows: Rows) -> NDArray[np.bool_]:
        """Which n-grams are frequent enough."""
        return self.raw(rows) > self.threshold

    def suffixes(self, rows: Rows) -> Rows:
        """The key of each n-gram without its first word."""
        return self.packing.leading(rows, self.order - 1)


@dataclass(frozen=True, slots=True)
class Counts:
    """All that a model is made from."""

    vocabulary: tuple[str, ...]
    levels: tuple[Level, ...]  # order 1 first; only those of which n-grams are kept
    n_sentences: int
    n_words: int
    scratch: Scratch


@contextmanager
def counted_on_disk(
    sentences: Iterable[Sequence[str]],
    order: int,
    prune: Sequence[int],
    folder: Path,
    memory: int,
    progress: Progress = silent,
) -> Iterator[Counts]:
    """The n-grams of `sentences`, which are read once, up to `order`, as long as the context lasts.

    `memory` is in bytes; beside it the vocabulary is kept, and as much again for each word as a row
    takes. Files without names in `folder` take some 100 to 200 bytes for each different n-gram of
    the highest order. Raises `InputError` as `kneser_ney.estimate` does, and where `folder` cannot
    be written or is full.
    """
    with ExitStack() as stack:
        scratch = Scratch(folder, memory, stack)
        text = _numbered(sentences, scratch)
        order = min(order, text.longest + 2)  # <s> and </s>: no n-gram is longer
        packing = packing_of(len(text.vocabulary))
        runs = _highest(text, order, packing, scratch, progress)
        levels = _levels(runs, order, packing, thresholds_of(prune, order), scratch, progress)
        lowest = levels[0]
        vocabulary = text.vocabulary
        levels[0] = Level(1, packing, lowest.table, 0, lowest.discount, len(vocabulary))
        kept = tuple(level for level in levels if level.n_kept)
        yield Counts(vocabulary, kept, text.n_sentences, text.n_words, scratch)


def _numbered(sentences: Iterable[Sequence[str]], scratch: Scratch) -> Numbered:
    numbers: defaultdict[str, int] = defaultdict(count(len(SPECIAL)).__next__)
    table = scratch.table(1)
    n_sentences = longest = 0
    pending: list[int] = []
    most = rows_in(scratch.block, 1)
    for words in sentences:
        pending.extend(map(numbers.__getitem__, words))
        pending.append(END_ID)
        n_sentences += 1
        longest = max(longest, len(words))
        if len(pending) >= most:
            table.append(np.array(pending, dtype=np.uint64)[:, None])
            pending.clear()
    table.append(np.array(pending, dtype=np.uint64)[:, None])
    if not n_sentences:
        raise InputError(
            "training text", "there are no sentences", "one sentence or more", kind="empty"
        )
    vocabulary, final = vocabulary_of(numbers)
    final = np.concatenate([np.arange(len(SPECIAL)), final])
    return Numbered(table, vocabulary, final, n_sentences, len(table) - n_sentences, longest)


def _highest(
    text: Numbered, order: int, packing: Packing, scratch: Scratch, progress: Progress
) -> Runs:
    """The n-grams of the highest order that end at each word and sentence end, sorted."""

    def windows() -> Iterator[Rows]:
        before = np.full(order - 1, END_ID, dtype=np.uint64)
        done, total = 0, len(text.table)
        for block in text.table.blocks(scratch.block // order):
            stream = np.concatenate(
                [before, text.final[block[:, 0].view(np.int64)].view(np.uint64)]
            )
            yield _windows(stream, order, packing)
            before = stream[len(stream) - order + 1 :]
            done += len(block)
            progress("sort the n-grams", done, total)

    n_keys = packing.n_numbers(order)
    runs = sorted_runs(windows(), n_keys + 1, n_keys, added_up, scratch)
    text.table.close()
    return runs


def _windows(stream: NDArray[np.uint64], order: int, packing: Packing) -> Rows:
    """The n-grams that end at each position from `order - 1` on, each with the count 1."""
    positions = np.arange(len(stream))
    ends = np.maximum.accumulate(np.where(stream == END_ID, positions, -1))
    last_end = np.concatenate([[-1], ends[:-1]])  # before each position
    here = positions[order - 1 :]
    depth = here - last_end[order - 1 :] - 1  # words before it in its sentence
    words = [
        np.where(depth >= back, stream[here - back], np.uint64(START_ID)) for back in range(order)
    ]
    return np.hstack([packing.packed(words), np.ones((len(here), 1), dtype=np.uint64)])


def _levels(
    runs: Runs,
    order: int,
    packing: Packing,
    thresholds: Sequence[int],
    scratch: Scratch,
    progress: Progress,
) -> list[Level]:
    """From the highest order down, each from the one above; the lowest order first."""
    blocks = _with_raw_as_adjusted(merged(runs, scratch))
    levels: list[Level] = []
    for n in range(order, 0, -1):
        levels.append(_level(blocks, n, packing, thresholds[n - 1], scratch))
        progress("count n-grams", order - n + 1, order)
        if n > 1:
            blocks = _shorter(levels[-1], scratch)
    return levels[::-1]


def _level(
    blocks: Iterable[Rows], n: int, packing: Packing, threshold: int, scratch: Scratch
) -> Level:
    table = scratch.table(packing.n_numbers(n) + 2)
    t = np.zeros(4, dtype=np.int64)
    n_kept = 0
    for rows in blocks:
        table.append(rows)
        real = rows if n == 1 else rows[packing.word(rows, n - 2) != START_ID]
        t += counts_of_counts(real[:, -1].view(np.int64))
        n_kept += int(np.count_nonzero(real[:, -2] > threshold))
    return Level(n, packing, table, threshold, discounts_of(t), n_kept)


def _with_raw_as_adjusted(blocks: Iterable[Rows]) -> Iterator[Rows]:
    for rows in blocks:
        yield np.hstack([rows, rows[:, -1:]])


def _shorter(level: Level, scratch: Scratch) -> Iterator[Rows]:
    """The rows of the order below: Kneser & Ney's counts for all but those that begin with `<s>`,
    which keep theirs."""
    below = level.order - 1
    for rows, starts in whole_groups(level.table.blocks(scratch.block), level.suffixes):
        keys = level.suffixes(rows[starts])
        raw = np.add.reduceat(rows[:, -2], starts)
        n_before = np.diff(starts, append=len(rows)).astype(np.uint64)
        begins = level.packing.word(keys, below - 1) == START_ID
        adjusted = np.where(begins, raw, n_before)
        yield np.hstack([keys, raw[:, None], adjusted[:, None]])
