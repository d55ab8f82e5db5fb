"""Sequences of ids to the rows a neural model reads, and its answers back to the sequences.

A causal model that reads `a b c d` says on its way what follows `a`, `a b` and `a b c`. So the last
id of a sequence is never read; a sequence that begins another one costs nothing (all one-token
continuations of a prefix are one row: the prefix); and only those positions are projected onto the
vocabulary whose next id is wanted. Rows of like length share a batch, padded on the right, where a
causal model cannot see it.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias, TypeVar

if TYPE_CHECKING:
    import torch

from colorless_green.scoring.align import common_length

T = TypeVar("T")
U = TypeVar("U")
LN_2 = math.log(2)


@dataclass(frozen=True, slots=True)
class Chain:
    """Ids of which those from index `first` on are wanted, each given all before it.

    Something must stand before what is wanted: first ≥ 1, unless nothing is. `masses` asks for
    more: (index of the last id read, number of a set of ids), the set numbered downwards from −1;
    its answer is the logarithm of what all ids of the set together have there.
    """

    ids: tuple[int, ...]
    first: int
    masses: tuple[tuple[int, int], ...] = ()

    def wanted(self) -> list[tuple[int, int]]:
        """(index of the last id read, id or set wanted after it), the masses last."""
        following = [(index - 1, self.ids[index]) for index in range(self.first, len(self.ids))]
        return [*following, *self.masses]

    def read(self) -> tuple[int, ...]:
        """What must be read of it: all but the last id, unless a mass is wanted after that."""
        return self.ids[: max((at for at, _ in self.wanted()), default=-1) + 1]


@dataclass(frozen=True, slots=True)
class Row:
    """Ids that a model reads in one go, and what is wanted on the way."""

    ids: tuple[int, ...]
    wanted: tuple[tuple[int, int], ...]  # (index of the last id read, id or set after it); sorted


Answer: TypeAlias = Callable[[Sequence[Row]], Sequence[float]]
"""What a model does with a batch: ln p for each wanted pair of its rows, row after row."""


def log_probabilities(
    chains: Sequence[Chain], answer: Answer, budget: int
) -> list[tuple[float, ...]]:
    """For each chain ln p of each wanted id, in order.

    What several chains want is computed once, so that equal questions get equal answers.
    `budget` is how many ids a batch may hold, padding included; one row always fits.
    """
    rows, places = shared_rows(chains)
    found: dict[int, dict[tuple[int, int], float]] = {}
    for batch in batches([len(row.ids) for row in rows], budget):
        values = iter(answer([rows[index] for index in batch]))
        for index in batch:
            found[index] = {pair: next(values) for pair in rows[index].wanted}
    return [
        tuple(found[row][pair] for row, pair in zip(place, chain.wanted(), strict=True))
        for chain, place in zip(chains, places, strict=True)
    ]


def shared_rows(chains: Sequence[Chain]) -> tuple[list[Row], list[list[int]]]:
    """The rows to be read, and for each chain the row that answers each wanted id.

    No row is the beginning of another, and what rows have in common at their start is asked of one
    of them. In sorted order whatever begins like a sequence stands right behind it, so each needs
    to be compared with one neighbour only.
    """
    kept: list[tuple[int, ...]] = []
    asked: list[list[int]] = []  # for each kept one and each place in it, which one is asked there
    home: dict[tuple[int, ...], int] = {}
    reads = [each.read() for each in chains]
    for ids in sorted({read for read in reads if read}, reverse=True):
        shared = common_length(ids, kept[-1]) if kept else 0
        if not kept or shared < len(ids):
            before = asked[-1][:shared] if kept else []
            asked.append([*before, *[len(kept)] * (len(ids) - shared)])
            kept.append(ids)
        home[ids] = len(kept) - 1
    wanted: list[set[tuple[int, int]]] = [set() for _ in kept]
    places = [
        [asked[home[read]][position] for position, _ in each.wanted()]
        for each, read in zip(chains, reads, strict=True)
    ]
    for chain, place in zip(chains, places, strict=True):
        for row, pair in zip(place, chain.wanted(), strict=True):
            wanted[row].add(pair)
    rows = [Row(ids, tuple(sorted(pairs))) for ids, pairs in zip(kept, wanted, strict=True)]
    return rows, places


def batches(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Indices in batches, longest first: n rows of which the longest has length m, n·m ≤ budget.

    Longest first, so that what does not fit into memory shows at once.
    """
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda each: -lengths[each]):
        if batch and (len(batch) + 1) * lengths[batch[0]] > budget:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def padded(rows: Sequence[Row], device: "torch.device") -> "tuple[torch.Tensor, torch.Tensor]":
    """Ids `(batch, time)`, zeros after each row's end, and a mask of that shape, 1 where ids are.

    The mask goes by the rows' lengths: an id 0 within a row is an id like others.
    """
    import torch

    from colorless_green.scoring.device import sent

    longest = max(len(row.ids) for row in rows)
    ids = [[*row.ids, *[0] * (longest - len(row.ids))] for row in rows]
    mask = [[1] * len(row.ids) + [0] * (longest - len(row.ids)) for row in rows]
    return sent(torch.tensor(ids), device), sent(torch.tensor(mask), device)


def projected(
    hidden: "torch.Tensor",
    rows: Sequence[Row],
    project: "Callable[[torch.Tensor], torch.Tensor]",
    n_at_once: int,
) -> list[float]:
    """ln p for each wanted pair of `rows`, row after row, from what the model's body says.

    `hidden` is `(batch, time, width)`; `project` makes `(n, width)` into logits `(n, vocabulary)`.
    Only wanted positions are projected, `n_at_once` at a time; the normaliser is a float32
    log-sum-exp over all that `project` returns, rows beyond the tokenizer's entries included,
    for that is the model's own distribution.
    """
    import torch

    places = [(nth, position) for nth, row in enumerate(rows) for position, _ in row.wanted]
    following = [token for row in rows for _, token in row.wanted]
    distinct = {place: index for index, place in enumerate(dict.fromkeys(places))}
    which = [distinct[place] for place in places]  # never falls, since `wanted` is sorted
    at = torch.tensor(list(distinct), device=hidden.device)
    values: list[float] = []
    for start in range(0, len(distinct), n_at_once):
        nth, position = at[start : start + n_at_once].T
        logits = project(hidden[nth, position]).float()
        here = slice(bisect_left(which, start), bisect_left(which, start + n_at_once))
        line = torch.tensor(which[here], device=hidden.device) - start
        column = torch.tensor(following[here], device=hidden.device)
        chosen = logits[line, column].double() - logits.logsumexp(-1)[line].double()
        values.extend(chosen.tolist())
    return values


def bits(nats: Iterable[float]) -> tuple[float, ...]:
    """−log2 p from ln p. Rounding can leave a sure thing just above ln p = 0: that is 0 bits."""
    return tuple(0.0 if each >= 0 else -each / LN_2 for each in nats)


def chunks(values: Iterable[T], n: int) -> Iterator[list[T]]:
    """`values` in lists of `n`, the last one shorter."""
    iterator = iter(values)
    while chunk := list(islice(iterator, n)):
        yield chunk


def ahead(prepare: Callable[[T], U], values: Iterable[T]) -> Iterator[U]:
    """`map(prepare, values)`, each prepared by a thread while the one before it is used.

    An error of `prepare` is raised in its place, after what comes before it.
    """
    iterator = iter(values)
    with ThreadPoolExecutor(1) as pool:
        futures = (pool.submit(prepare, value) for value in iterator)
        waiting = next(futures, None)
        while waiting is not None:
            found = waiting.result()
            waiting = next(futures, None)
            yield found


def weighed(values: Iterable[T], weight: Callable[[T], int], most: int) -> Iterator[list[T]]:
    """`values` in lists that weigh `most` together, or less; one alone may weigh more."""
    some: list[T] = []
    total = 0
    for value in values:
        own = weight(value)
        if some and total + own > most:
            yield some
            some, total = [], 0
        some.append(value)
        total += own
    if some:
        yield some
