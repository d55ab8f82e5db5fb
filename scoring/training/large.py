"""Kneser–Ney models of text of any size: the estimates of `kneser_ney.py`, to the byte, in bounded
memory.

From tables of counts on disk (`counts.py`), order by order from below:

    1  sort the n-grams by context, the last word counting last; now those that share a context
       stand together, and contexts come in suffix order, as in the table of the order below
    2  in one pass, write each context's back-off weight, and send each n-gram its (a - D) / A(h)
       and gamma(h), sorted back into suffix order
    3  in one more, add gamma(h) p(w|h'): n-grams that share an end h' w stand together, and p of
       the order below comes in the same order; write the lines of the ARPA file, and p for the
       next order

A word that ends a sentence is no context, and every other n-gram in the text is one; those with
`</s>` come first in suffix order. So steps 1 and 3 find what belongs together by counting, and look
nothing up. (Heafield et al. 2013, §3.3 and 3.4, do the same with the same two sorts.)
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from colorless_green.data.progress import Progress, silent
from colorless_green.scoring import arpa
from colorless_green.scoring.training.counts import Counts, Level
from colorless_green.scoring.training.kneser_ney import (
    END_ID,
    START_ID,
    Floats,
    Ids,
    below_words,
    freed,
    interpolated,
    log10_of,
    taken,
    words_alone,
)
from colorless_green.scoring.training.runs import (
    Rows,
    Runs,
    Scratch,
    Table,
    each,
    merged,
    sorted_runs,
    taker,
    whole_groups,
)


@dataclass(frozen=True, slots=True)
class Shares:
    """What the sort by context gives for the n-grams of one order."""

    runs: Runs  # rows: index in the level's table, (a - D) / A(h), gamma(h); in order once merged
    gamma: Table  # of each context in suffix order; the first that of n - 1 `<s>`


def write_arpa(counts: Counts, path: Path, progress: Progress = silent) -> None:
    """The model as an ARPA file, whole or not at all. `counts` can be used once."""
    sizes = [level.n_kept for level in counts.levels]
    done = 0

    def reported(blocks: Iterator[arpa.Section]) -> Iterator[arpa.Section]:
        nonlocal done
        for block in blocks:
            yield block
            done += len(block.words)
            progress("write the model", done, sum(sizes))

    arpa.write_blocks(path, counts.vocabulary, sizes, map(reported, _sections(counts, progress)))


def _sections(counts: Counts, progress: Progress) -> Iterator[Iterator[arpa.Section]]:
    """The n-grams of each order, in blocks. An order must be used up before the next is asked for:
    what it computes is what the next begins with."""
    scratch = counts.scratch
    lowest, *higher = counts.levels

    def sorted_by_context(level: Level | None) -> Shares | None:
        if level is None:
            return None
        shares = _shares(level, scratch)
        progress("sort by context", level.order, len(counts.levels))
        return shares

    shares = sorted_by_context(higher[0] if higher else None)
    p = scratch.table(1)
    yield _words(lowest, len(counts.vocabulary), shares, p)
    for level, above in zip_longest(higher, higher[1:]):
        assert shares is not None
        own, shares = shares, sorted_by_context(above)
        p_lower, p = p, scratch.table(1)
        yield _ngrams(level, own, shares, p_lower, p, scratch)
        for table in (own.gamma, p_lower, level.table):
            table.close()


def _words(level: Level, n_types: int, above: Shares | None, p: Table) -> Iterator[arpa.Section]:
    """The 1-grams, all in one block; to `p` goes what the next order adds."""
    rows = level.table.read(0, len(level.table))
    (words,) = level.words(rows)
    counts, a = np.zeros((2, n_types), dtype=np.int64)
    counts[words], a[words] = level.raw(rows), level.adjusted(rows)
    grams, kept = words_alone(counts), np.ones(n_types, dtype=bool)
    values, _ = interpolated(grams, a, level.discount, kept, below_words(n_types))
    p.append(_numbers(values[words]))
    values[START_ID] = 1  # by convention; it is never predicted
    backoff = np.ones(n_types)
    if above is not None:
        gamma = _column(above.gamma.read(0, len(above.gamma)), 0)
        backoff[START_ID], backoff[words[words != END_ID]] = gamma[0], gamma[1:]
    yield arpa.Section(grams.words, log10_of(values), np.log10(backoff))


def _ngrams(
    level: Level, own: Shares, above: Shares | None, p_lower: Table, p: Table, scratch: Scratch
) -> Iterator[arpa.Section]:
    """The n-grams of an order from 2 on; `p` becomes theirs, also of rows that are not written."""
    take = taker(merged(own.runs, scratch))
    n_lower, n_contexts = 0, 1  # of what is read one after the other; n times `<s>` is no n-gram
    for rows, starts in whole_groups(level.table.blocks(scratch.block), level.suffixes):
        lower = _column(p_lower.read(n_lower, n_lower + len(starts)), 0)
        n_lower += len(starts)
        shared = take(len(rows))
        assert shared[0, 0] + np.uint64(len(rows) - 1) == shared[-1, 0]
        values = _column(shared, 1) + _column(shared, 2) * np.repeat(
            lower, np.diff(starts, append=len(rows))
        )
        words = level.words(rows)
        backoff = np.ones(len(rows))
        if above is not None:
            p.append(_numbers(values))
            contexts = words[-1] != END_ID
            n_more = n_contexts + int(np.count_nonzero(contexts))
            backoff[contexts] = _column(above.gamma.read(n_contexts, n_more), 0)
            n_contexts = n_more
        listed = level.kept(rows) & (words[1] != START_ID)
        grams: Ids = np.column_stack(words)[listed].view(np.int64)
        yield arpa.Section(grams, log10_of(values[listed]), np.log10(backoff[listed]))


def _shares(level: Level, scratch: Scratch) -> Shares:
    """Steps 1 and 2 for an order from 2 on."""
    by_context = sorted_runs(
        _by_context(level, scratch), level.n_keys + 2, level.n_keys, each, scratch
    )
    gamma = scratch.table(1)
    return Shares(
        sorted_runs(_sent_back(level, by_context, gamma, scratch), 3, 1, each, scratch), gamma
    )


def _by_context(level: Level, scratch: Scratch) -> Iterator[Rows]:
    """The n-grams with their last word last; adjusted count, and whether it is kept, in one number;
    index in the level's table."""
    n_rows = 0
    for rows in level.table.blocks(scratch.block):
        *context, last = level.words(rows)
        keys = level.packing.packed([*context[::-1], last])
        a = level.adjusted(rows) << 1 | level.kept(rows)
        index = np.arange(n_rows, n_rows + len(rows))
        n_rows += len(rows)
        yield np.column_stack([keys, a.view(np.uint64), index.view(np.uint64)])


def _sent_back(level: Level, runs: Runs, gamma: Table, scratch: Scratch) -> Iterator[Rows]:
    """Rows of `Shares.runs`, in the order of contexts; each context's weight goes to `gamma`."""

    def context(rows: Rows) -> Rows:
        return level.packing.leading(rows, level.order - 1)

    for rows, starts in whole_groups(merged(runs, scratch), context):
        a, kept = (rows[:, -2] >> np.uint64(1)).view(np.int64), rows[:, -2] & np.uint64(1) != 0
        total, weights = _context_sums(a, kept, starts, level)
        gamma.append(_numbers(weights))
        sizes = np.diff(starts, append=len(rows))
        share = (a - taken(a, level.discount)) / np.repeat(total, sizes)
        yield np.hstack([rows[:, -1:], _numbers(share), _numbers(np.repeat(weights, sizes))])


def _context_sums(
    a: Ids, kept: NDArray[np.bool_], starts: NDArray[np.intp], level: Level
) -> tuple[Ids, Floats]:
    """A(h) and gamma(h) of each context."""

    def summed(values: NDArray[np.bool_] | Ids) -> Ids:
        sums: Ids = np.add.reduceat(values.astype(np.int64), starts)
        return sums

    total = summed(a)
    n_by_count = [summed(kept & (a == 1)), summed(kept & (a == 2)), summed(kept & (a > 2))]
    return total, freed(n_by_count, summed(np.where(kept, 0, a)), level.discount) / total


def _numbers(values: Floats) -> Rows:
    """Floating-point numbers as they lie in memory, to be kept in a table."""
    return np.ascontiguousarray(values).view(np.uint64)[:, None]


def _column(rows: Rows, index: int) -> Floats:
    return rows[:, index].view(np.float64)
