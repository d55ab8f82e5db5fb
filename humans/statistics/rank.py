"""Ranks and Spearman's rho, of one sample and of many resamples at once; ties share a rank."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from colorless_green.nonce.intervals import Floats, Integers

BLOCK = 1 << 21  # cells of a matrix held at once
VARIES = 1e-9  # a sum of squared ranks below this is rounding of a constant


def mid_ranks(values: Sequence[float]) -> Floats:
    """Ranks from 1, shape (len(values),); equal values share the mean of theirs."""
    array = np.asarray(values, dtype=float)
    _, group, sizes = np.unique(array, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    result: Floats = (last - (sizes - 1) / 2)[group]
    return result


def row_ranks(values: Floats) -> Floats:
    """`mid_ranks` of each row; shape (rows, items). NaN ranks last."""
    order = np.argsort(values, axis=1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=1)
    place = np.broadcast_to(np.arange(values.shape[1]), values.shape)
    edge = np.ones_like(values, dtype=bool)
    edge[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    first = np.maximum.accumulate(np.where(edge, place, 0), axis=1)
    edge = np.roll(edge, -1, axis=1)  # now of the last of equal values; the first row cell is one
    behind = np.where(edge, place, values.shape[1])[:, ::-1]
    last = np.minimum.accumulate(behind, axis=1)[:, ::-1]
    ranks = np.empty_like(values)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=1)
    return ranks


def centred(values: Floats) -> Floats:
    """`values` minus their mean."""
    result: Floats = values - values.mean()
    return result


def spearman(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Spearman's rho with mid-ranks for ties; None where either side is empty or does not vary."""
    if not len(x):
        return None
    a, b = centred(mid_ranks(x)), centred(mid_ranks(y))
    scale = math.sqrt(math.fsum(a * a) * math.fsum(b * b))
    return math.fsum(a * b) / scale if scale > 0 else None


def row_spearman(x: Floats, y: Floats) -> Floats:
    """Spearman's rho of each row, shape (rows,), over the items that neither side has NaN for.

    NaN where a side does not vary or fewer than two items are left. `x` and `y`: (rows, items).
    """
    both = ~(np.isnan(x) | np.isnan(y))
    a = row_ranks(np.where(both, x, np.nan))
    b = row_ranks(np.where(both, y, np.nan))
    return weighted_correlation(a, b, both.astype(float))


@dataclass(frozen=True, slots=True)
class Ties:
    """Which items have equal values, in rising order of the values."""

    order: Integers  # (items,): indices of the items, sorted by value
    starts: Integers  # (groups,): where in `order` each run of equal values begins
    group: Integers  # (items,): the run that an item belongs to

    @staticmethod
    def of(values: Sequence[float]) -> "Ties":
        array = np.asarray(values, dtype=float)
        _, starts, group = np.unique(np.sort(array), return_index=True, return_inverse=True)
        order = np.argsort(array, kind="stable")
        back = np.empty_like(group)
        back[order] = group
        return Ties(order, starts, back)

    def ranks(self, weights: Floats) -> Floats:
        """Mid-ranks of a sample that has item i `weights[:, i]` times; shape as `weights`."""
        sizes = np.add.reduceat(weights[:, self.order], self.starts, axis=1)
        result: Floats = (np.cumsum(sizes, axis=1) - (sizes - 1) / 2)[:, self.group]
        return result


def weighted_correlation(a: Floats, b: Floats, weights: Floats) -> Floats:
    """Pearson's r by row, of shape (draws,); NaN where a side does not vary. (draws, items)."""
    total = np.maximum(weights.sum(axis=1, keepdims=True), 1.0)
    from_a: Floats = a - (weights * a).sum(axis=1, keepdims=True) / total
    from_b: Floats = b - (weights * b).sum(axis=1, keepdims=True) / total
    of_a, of_b = (weights * from_a**2).sum(axis=1), (weights * from_b**2).sum(axis=1)
    scale = np.sqrt(of_a * of_b)
    top: Floats = (weights * from_a * from_b).sum(axis=1)
    result: Floats = np.divide(top, scale, out=np.full_like(top, np.nan), where=scale > VARIES)
    return result
