"""Sequences that begin alike as one row: every distinct beginning is read once.

    The keys to the cabinet are       node    0    1     2   3    4        5   6
    The keys to the cabinet is        reads   The  keys  to  the  cabinet  on  top
    The keys on top are               depth   0    1     2   3    4        2   3
                                      end     6    6     4   4    4        6   6

The nodes of a trie stand in depth-first order, each with its depth, which is its position in its
own text, and its end: the last node below it. Node i reads node j exactly if j ≤ i ≤ end of j. The
rule holds for several tries in a row too, for no end reaches over into the next one.

All of it is arithmetic on flat arrays. Sequences are sorted backwards, so that one that begins
another stands right behind it and adds no node. Then (sequence, position) pairs are ordered by
position: what shares a node stands side by side, and the node is that of the first.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...data.arrays import Integers, offsets_of, range_indices, shared_prefix_lengths

NARROW = 64  # a row's width
PART = 8  # the model's width over it: attention then costs 1/16 of the rest


@dataclass(frozen=True, slots=True)
class RowWidths:
    """The widths of rows that sequences are put into."""

    width: int  # rows are filled up to it, and wider only for long beginnings
    widest: int  # what is longer is read alone; 0: everything


@dataclass(frozen=True, slots=True, eq=False)
class PackedRows:
    """Sequences in rows of nodes, the widest row first; rows read alone stand behind the others."""

    offsets: Integers  # (rows + 1,): which nodes are whose
    n_packed: int  # rows that hold tries; each of the others is one sequence
    ids: NDArray[np.int32]  # (nodes,)
    depths: NDArray[np.int32]  # (nodes,)
    ends: NDArray[np.int32]  # (nodes,), counted in the row
    node_starts: Integers  # where in `nodes` each sequence begins
    nodes: Integers
    """For each sequence and position the node that is asked there: of all that read the same
    beginning, the first"""


def packed_rows(
    ids: NDArray[np.int32], starts: Integers, lengths: Integers, shape: RowWidths
) -> PackedRows:
    """Return the rows in which sequences are read, `ids[start : start + length]` each."""
    order = _sorted(ids, starts, lengths)
    node_starts = np.zeros(len(starts), dtype=np.int64)
    starts, lengths = starts[order], lengths[order]
    begins = offsets_of(lengths)  # of each sequence's positions
    node_starts[order] = begins[:-1]
    common = np.zeros(len(order), dtype=np.int64)  # with the sequence before
    common[1:] = shared_prefix_lengths(
        ids, starts[:-1], starts[1:], np.minimum(lengths[:-1], lengths[1:])
    )
    heads = np.array(list(_heads(lengths.tolist(), common.tolist(), shape)), dtype=np.int64)
    reread = common.copy()
    reread[heads] = 0  # a row's first sequence is read from its start
    new = lengths - reread
    offsets, base, n_packed = _ordered(heads, new, lengths, shape.widest)

    sequence = np.repeat(np.arange(len(order)), lengths)
    depth = range_indices(np.zeros_like(lengths), lengths)
    fresh = depth >= reread[sequence]
    node = base[sequence] + depth - reread[sequence]
    by_depth = np.argsort(depth.astype(np.uint16 if depth.max(initial=0) < 1 << 16 else np.int64),
                          kind="stable")  # fmt: skip
    # what shares a node is a run there, whose last sequence is the last below it
    opens = np.flatnonzero(fresh[by_depth])
    final = sequence[by_depth][np.append(opens, len(fresh))[1:] - 1]
    opening = by_depth[opens]
    row_of = np.searchsorted(offsets, node[opening], side="right") - 1
    n_nodes = int(offsets[-1])
    own_ids, depths, ends = (np.zeros(n_nodes, dtype=np.int32) for _ in range(3))
    own_ids[node[opening]] = ids[starts[sequence[opening]] + depth[opening]]
    depths[node[opening]] = depth[opening]
    ends[node[opening]] = base[final] + new[final] - 1 - offsets[row_of]

    nodes = np.empty_like(node)
    opened = (depth >= common[sequence])[by_depth]
    nodes[by_depth] = node[by_depth][opened][np.cumsum(opened) - 1]
    return PackedRows(offsets, n_packed, own_ids, depths, ends, node_starts, nodes)


def _sorted(ids: NDArray[np.int32], starts: Integers, lengths: Integers) -> Integers:
    """Sequences backwards, those without ids left out; as bytes they compare as their ids do."""
    code = ">u2" if ids.max(initial=0) < 1 << 16 else ">u4"
    raw, size = ids.astype(code).tobytes(), np.dtype(code).itemsize
    bounds = zip((starts * size).tolist(), ((starts + lengths) * size).tolist(), strict=True)
    keys = [raw[start:end] for start, end in bounds]
    order = sorted(np.flatnonzero(lengths).tolist(), key=keys.__getitem__, reverse=True)
    return np.array(order, dtype=np.int64)


def _heads(lengths: list[int], common: list[int], shape: RowWidths) -> Iterator[int]:
    """Yield where rows begin. A full row ends, in its last third, where least is read again.

    Beyond its width a row takes another sequence that shares much with the one before and adds
    little: what that costs in attention and padding is less than reading it again from its start.
    """
    n, head, n_nodes, best = 0, -1, 0, -1
    while n < len(lengths):
        length, n_shared = lengths[n], common[n]
        added = length - n_shared
        together = n_nodes + added
        alone = head < 0 or max(length, lengths[head]) > shape.widest
        if added and (
            alone
            or together > shape.widest
            or (
                together > shape.width
                and (n_nodes + together) * added > n_shared * shape.width + length**2
            )
        ):
            if not alone and best > head and common[best] < n_shared:
                n = best
            head, n_nodes, best = n, lengths[n], -1
            yield head
        else:
            if added and 3 * n_nodes > 2 * shape.width and (best < 0 or n_shared <= common[best]):
                best = n
            n_nodes = together
        n += 1


def _ordered(
    heads: Integers, new: Integers, lengths: Integers, widest: int
) -> tuple[Integers, Integers, int]:
    """Rows by width: where each begins among the nodes, the first new node of each sequence, and
    how many rows hold tries."""
    bounds = offsets_of(new)
    widths = bounds[np.append(heads, len(new))[1:]] - bounds[heads]
    alone = lengths[heads] > widest
    order = np.lexsort((-widths, alone))
    offsets = offsets_of(widths[order])
    moved = np.empty_like(heads)
    moved[order] = offsets[:-1]
    base = bounds[:-1] + np.repeat(moved - bounds[heads], np.diff(np.append(heads, len(new))))
    return offsets, base, int((~alone).sum())
