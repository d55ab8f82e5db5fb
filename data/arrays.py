"""Types of arrays, and functions for *ragged* rows: rows of unequal length in one flat array.

The entries of all rows stand one row after the other; `offsets` has the index at which each row
begins, and the end of the last row.
"""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Codes: TypeAlias = NDArray[np.int32]
Truths: TypeAlias = NDArray[np.bool_]
BLOCK_SIZE = 1 << 16  # entries that `blocks` yields at a time


def blocks(rows: Integers) -> Iterator[Integers]:
    """Yield an array in blocks of BLOCK_SIZE, so that few numbers become Python objects at once."""
    return (rows[start : start + BLOCK_SIZE] for start in range(0, len(rows), BLOCK_SIZE))


def range_indices(starts: Integers, lengths: Integers) -> Integers:
    """Return consecutive indices for each row, the rows one after the other in one flat array.

    A row begins with the index in `starts` and has as many indices as `lengths` says.

    >>> range_indices(np.array([5, 0]), np.array([3, 2]))
    array([5, 6, 7, 0, 1])
    """
    ends = np.cumsum(lengths)  # of the rows in the result
    n_indices = int(ends[-1]) if len(ends) else 0
    shifts = starts - (ends - lengths)  # from an index's place in the result to the index
    return np.repeat(shifts, lengths) + np.arange(n_indices)


def offsets_of(lengths: Integers | Truths | Sequence[int]) -> Integers:
    """Return the offsets of ragged rows: the index at which each row begins, and the end of the
    last row.

    `lengths` has the number of entries of each row.

    >>> offsets_of(np.array([3, 2]))
    array([0, 3, 5])
    """
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def entries_of(offsets: Integers, rows: Integers) -> tuple[Integers, Integers]:
    """Return the indices of the entries of some rows, and the offsets of these rows among them.

    `offsets` are those of all rows; `rows` are the indices of some rows, in any order.

    >>> entries_of(np.array([0, 3, 5]), np.array([1, 0]))
    (array([3, 4, 0, 1, 2]), array([0, 2, 5]))
    """
    lengths = np.diff(offsets)[rows]
    return range_indices(offsets[:-1][rows], lengths), offsets_of(lengths)


def shared_prefix_lengths(ids: Codes, left: Integers, right: Integers, limit: Integers) -> Integers:
    """Count the ids that two rows of `ids` share at their start, for each of several pairs of rows.

    `left` and `right` are the indices in `ids` at which the rows of each pair begin; a count is at
    most the `limit` of its pair. All three have the shape (pairs,), and so has the result.

    >>> ids = np.array([7, 8, 9, 7, 8, 1], np.int32)
    >>> left, right, limit = np.array([0, 0]), np.array([3, 0]), np.array([3, 2])
    >>> shared_prefix_lengths(ids, left, right, limit)
    array([2, 2])
    """
    # the ids to compare of all pairs, one pair after the other; `unequal` are indices among them
    unequal = np.flatnonzero(ids[range_indices(left, limit)] != ids[range_indices(right, limit)])
    offsets = offsets_of(limit)
    # the first unequal index from a pair's beginning on; it may lie in a later pair
    first_unequal = np.append(unequal, offsets[-1])[np.searchsorted(unequal, offsets[:-1])]
    return np.minimum(first_unequal - offsets[:-1], limit)
