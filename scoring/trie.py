"""Sequences that begin alike as one row: every distinct beginning is read once.

    The keys to the cabinet are       node    0    1     2   3    4        5   6
    The keys to the cabinet is        reads   The  keys  to  the  cabinet  on  top
    The keys on top are               depth   0    1     2   3    4        2   3
                                      end     6    6     4   4    4        6   6

The nodes of a trie stand in depth-first order, each with its depth, which is its position in its
own text, and its end: the last node below it. Node i reads node j exactly if j ≤ i ≤ end of j. The
rule holds for several tries in a row too, for no end reaches over into the next one.
"""

from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from colorless_green.scoring.align import common_length
from colorless_green.scoring.batches import Chain

LOOK_BACK = 512  # sequences a stretch is tried with; more never paid, in time or in nodes
NARROW, PART = 64, 1 / 16  # a row's width: attention then costs a sixteenth of the rest


@dataclass(frozen=True, slots=True)
class Grove:
    """One or more tries in a row, depth first. All tuples but `wanted` have one entry a node."""

    ids: tuple[int, ...]
    depths: tuple[int, ...]
    ends: tuple[int, ...]
    wanted: tuple[tuple[int, int], ...]  # (node, id or set wanted after it); sorted


@dataclass(frozen=True, slots=True)
class Planting:
    """The groves that answer some chains."""

    groves: tuple[Grove, ...]
    places: tuple[tuple[tuple[int, int], ...], ...]
    """For each chain and each thing it wants: the grove, and the place in its `wanted`"""


def plant(chains: Sequence[Chain], crossover: float, widest: int) -> Planting:
    """The groves in which all chains are read, each distinct beginning asked at one node only.

    `crossover` is the width of a row at which attention, which grows with the square of it, costs
    as much as all the rest: it decides how much may be read twice to keep rows short. No row is
    wider than `widest` but for a single longer text.
    """
    reads = [each.read() for each in chains]
    sequences, home = distinct(reads)
    shared = [0, *(common_length(one, other) for one, other in pairwise(sequences))]
    stretches = list(rows_of(sequences, shared, crossover, widest))
    width = min(max(NARROW, crossover * PART), widest)
    groves: list[Grove] = []
    own: dict[int, tuple[int, tuple[int, ...]]] = {}  # of each sequence: its grove and its nodes
    for row in filled([n for _, _, n in stretches], width):
        members = [n for each in row for n in range(*stretches[each][:2])]
        grove, paths = grow([sequences[n] for n in members])
        own.update((n, (len(groves), path)) for n, path in zip(members, paths, strict=True))
        groves.append(grove)
    at: list[list[tuple[int, int]]] = []  # for each sequence and index in it: grove and node
    for n in range(len(sequences)):
        nth, path = own[n]
        before = at[-1][: shared[n]] if at else []
        at.append([*before, *((nth, node) for node in path[shared[n] :])])
    asked: list[dict[tuple[int, int], None]] = [{} for _ in groves]
    questions = [
        [(*at[home[read]][index], what) for index, what in chain.wanted()]
        for chain, read in zip(chains, reads, strict=True)
    ]
    for grove_index, node, what in (each for question in questions for each in question):
        asked[grove_index][node, what] = None
    ordered = [sorted(every) for every in asked]
    slots = [{pair: slot for slot, pair in enumerate(every)} for every in ordered]
    return Planting(
        tuple(
            Grove(grove.ids, grove.depths, grove.ends, tuple(wanted))
            for grove, wanted in zip(groves, ordered, strict=True)
        ),
        tuple(tuple((nth, slots[nth][node, what]) for nth, node, what in q) for q in questions),
    )


def distinct(
    reads: Sequence[tuple[int, ...]],
) -> tuple[list[tuple[int, ...]], dict[tuple[int, ...], int]]:
    """The sequences that begin no other one, sorted, and for each of `reads` one it begins.

    In sorted order whatever begins with a sequence stands right behind it, so each needs to be
    compared with its neighbour only. Empty ones are left out.
    """
    ordered = sorted({each for each in reads if each})
    kept: list[tuple[int, ...]] = []
    home: dict[tuple[int, ...], int] = {}
    for ids, following in pairwise([*ordered, ()]):
        home[ids] = len(kept)
        if following[: len(ids)] != ids:
            kept.append(ids)
    return kept, home


def rows_of(
    sequences: Sequence[tuple[int, ...]], shared: Sequence[int], crossover: float, widest: int
) -> Iterator[tuple[int, int, int]]:
    """Sorted sequences in stretches, as (start, end, number of nodes): the cheapest way to cut.

    `shared` is how many ids each has in common with the one before it. A stretch of n nodes costs
    n + n² / `crossover`; where it ends, what the two neighbours share is read again. By dynamic
    programming over the places of the cuts.
    """
    n_sequences = len(sequences)
    lengths = np.array([len(each) for each in sequences], dtype=np.int64)
    again = np.array(shared[:n_sequences], dtype=np.int64)
    total = np.concatenate([[0], np.cumsum(lengths - again)])
    cheapest = np.zeros(n_sequences + 1)
    cut = np.zeros(n_sequences + 1, dtype=np.int64)
    for end in range(1, n_sequences + 1):
        first = max(0, end - LOOK_BACK)
        n_nodes = total[end] - total[first:end] + again[first:end]
        costs = cheapest[first:end] + n_nodes + n_nodes**2 / crossover
        costs[:-1][n_nodes[:-1] > widest] = np.inf
        best = int(costs.argmin())
        cheapest[end], cut[end] = costs[best], first + best
    borders = [n_sequences]
    while borders[-1]:
        borders.append(int(cut[borders[-1]]))
    for start, end in pairwise(reversed(borders)):
        yield start, end, int(total[end] - total[start] + again[start])


def filled(sizes: Sequence[int], width: float) -> list[list[int]]:
    """Indices of `sizes` in rows of at most `width` together, or of one that is larger.

    Best fit, largest first: rows of one width, so that there is little padding between them.
    """
    rows: list[list[int]] = []
    room: list[tuple[float, int]] = []  # what is left in each row that is not full, sorted
    for index in sorted(range(len(sizes)), key=lambda each: -sizes[each]):
        fit = bisect_left(room, (sizes[index], -1))
        if fit < len(room):
            left, row = room.pop(fit)
            rows[row].append(index)
        else:
            left, row = width, len(rows)
            rows.append([index])
        if left > sizes[index]:
            insort(room, (left - sizes[index], row))
    return [sorted(row) for row in rows]


def grow(sequences: Sequence[tuple[int, ...]]) -> tuple[Grove, list[tuple[int, ...]]]:
    """The grove of sorted sequences, nothing wanted yet, and the nodes of each sequence."""
    ids: list[int] = []
    depths: list[int] = []
    ends: list[int] = []
    paths: list[tuple[int, ...]] = []
    for sequence in sequences:
        before = paths[-1] if paths else ()
        shared = common_length(sequence, [ids[node] for node in before])
        for node in before[shared:]:
            ends[node] = len(ids) - 1
        paths.append((*before[:shared], *range(len(ids), len(ids) + len(sequence) - shared)))
        ids.extend(sequence[shared:])
        depths.extend(range(shared, len(sequence)))
        ends.extend([-1] * (len(sequence) - shared))
    for node in paths[-1] if paths else ():
        ends[node] = len(ids) - 1
    return Grove(tuple(ids), tuple(depths), tuple(ends), ()), paths
