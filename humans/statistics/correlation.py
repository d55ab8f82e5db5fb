"""Spearman's rho of people with a model: what it is, whether chance would do it, how sure it is.

A p-value by permutation says what was permuted. The schemes are named:

- `free`: any item's value may go to any other: is there any association at all?
- `within`: values change places inside their source: do the nonce variants of one original that
  people find harder have smaller margins, too?
- `sources`: whole sources change places, each with its items in their order (only with sources of
  as many items): are the hard originals hard for both?

Doubled mid-ranks are whole numbers, so sums of their products are exact in whatever order they are
formed; permutations and resamples are products of matrices.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
import polars as pl

from ...data.arrays import Floats, Integers
from ...data.statistics.intervals import BLOCK, RESAMPLES, SEED, Interval, bootstrap, numbered

PERMUTATIONS = 5_000
"""Random permutations of `permutation_p`."""
VARIES = 1e-9  # a sum of squared deviations below this is rounding of a constant
FREE, WITHIN, SOURCES = "free", "within", "sources"

Shuffles: TypeAlias = Callable[[Integers, int, np.random.PCG64], Integers]
"""(source of each item, how many, stream) → indices of shape (how many, items): row by row, whose
value each item gets."""


def mid_ranks(values: Sequence[float] | Floats) -> Floats:
    """Ranks from 1, shape (len(values),); equal values share the mean of theirs."""
    _, group, sizes = np.unique(
        np.asarray(values, dtype=float), return_inverse=True, return_counts=True
    )
    result: Floats = (np.cumsum(sizes) - (sizes - 1) / 2)[group]
    return result


def row_ranks(values: Floats) -> Floats:
    """`mid_ranks` of each row; shape (rows, items). NaN has rank NaN."""
    table = pl.DataFrame(values.T).fill_nan(None).select(pl.all().rank("average"))
    return table.fill_null(math.nan).to_numpy().T


def pearson(x: Sequence[float] | Floats, y: Sequence[float] | Floats) -> float | None:
    """Pearson's r; None where either side is empty or does not vary."""
    if not len(x):
        return None
    a, b = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    a, b = a - a.mean(), b - b.mean()
    scale = math.sqrt(math.fsum(a * a) * math.fsum(b * b))
    return math.fsum(a * b) / scale if scale > VARIES else None


def spearman(x: Sequence[float] | Floats, y: Sequence[float] | Floats) -> float | None:
    """Computes Spearman's rho, with mid-ranks for ties.

    Args:
        x: numbers.
        y: as many numbers.

    Returns:
        From -1 to 1; None where either side is empty or does not vary.

    >>> round(spearman([8, 10, 4, 2], [1.5, 0.7, 0.2, -1.0]), 3)
    0.8
    """
    return pearson(mid_ranks(x), mid_ranks(y))


def row_spearman(x: Floats, y: Floats) -> Floats:
    """Spearman's rho of each row, shape (rows,), over the items that neither side has NaN for.

    NaN where a side does not vary or fewer than two items are left. `x` and `y`: (rows, items).
    """
    present = ~(np.isnan(x) | np.isnan(y))
    a, b = (np.nan_to_num(row_ranks(np.where(present, side, np.nan))) for side in (x, y))
    n = present.sum(axis=1)
    moments = (np.einsum("ij,ij->i", u, v) for u, v in ((a, a), (b, b), (a, b)))
    return _rho(n.astype(float), *moments)


def _rho(n: Floats, of_a: Floats, of_b: Floats, of_both: Floats) -> Floats:
    """Rho of n mid-ranks a and b by their sums of squares and of products; NaN without variation.
    The mean of mid-ranks is (n + 1) / 2, and all the sums are exact."""
    middle = n * (n + 1) ** 2 / 4
    scale = np.sqrt((of_a - middle) * (of_b - middle))
    top = of_both - middle
    result: Floats = np.divide(top, scale, out=np.full_like(top, np.nan), where=scale > VARIES)
    return result


def permutation_p(
    x: Sequence[float],
    y: Sequence[float],
    clusters: Sequence[str],
    *,
    scheme: str = FREE,
) -> float | None:
    """Computes the two-sided p of Spearman's rho by permutation.

    p = (1 + number of permutations with |rho*| ≥ |rho|) / (PERMUTATIONS + 1), where rho* is that of
    `y` permuted.

    Args:
        x: numbers, one per item.
        y: as many numbers.
        clusters: the source of each item.
        scheme: free (all items), within (items within their source), or sources (whole sources of
            equal size).

    Returns:
        p; None where a side does not vary, or where the scheme can move nothing (each source has
        one item; no two sources have as many).

    >>> people, margins = [8, 10, 4, 2, 6, 9], [1.5, 1.7, 0.2, -1.0, 0.5, 1.1]
    >>> round(permutation_p(people, margins, ["a", "a", "b", "b", "c", "c"]), 2)
    0.02
    """
    return permutation_ps(x, [y], clusters, scheme=scheme)[0]


def permutation_ps(
    x: Sequence[float],
    ys: Sequence[Sequence[float]],
    clusters: Sequence[str],
    *,
    scheme: str,
) -> list[float | None]:
    """`permutation_p` of x with each of `ys`, which are permuted alike: drawing is what takes
    long."""
    ps: list[float | None] = [None] * len(ys)
    varying = [index for index, y in enumerate(ys) if spearman(x, y) is not None]
    if not varying:
        return ps
    n, (_, owner) = len(x), numbered(clusters)
    sizes = np.bincount(owner)
    moves = {FREE: n > 1, WITHIN: sizes.max() > 1, SOURCES: len(np.unique(sizes)) < len(sizes)}
    if not moves[scheme]:
        return ps
    a, b = 2 * mid_ranks(x), np.stack([2 * mid_ranks(ys[index]) for index in varying])
    middle = n * (n + 1.0) ** 2
    real = np.abs(b @ a - middle)
    stream = np.random.PCG64(SEED)
    step, n_extreme = max(1, BLOCK // n), np.zeros(len(varying), dtype=np.int64)
    for start in range(0, PERMUTATIONS, step):
        indices = SCHEMES[scheme](owner, min(step, PERMUTATIONS - start), stream)
        moved = np.empty(indices.shape)
        np.put_along_axis(
            moved, indices, a[None, :], axis=1
        )  # x by the places that y is taken from
        n_extreme += (np.abs(moved @ b.T - middle) >= real).sum(axis=0)
    for index, n_more in zip(varying, n_extreme.tolist(), strict=True):
        ps[index] = (1 + n_more) / (PERMUTATIONS + 1)
    return ps


def _shuffled(n_rows: int, n: int, stream: np.random.PCG64, blocks: Integers | None) -> Integers:
    """Indices of n places in random order, shape (n_rows, n); those of a block before those of the
    next. What is sorted are the numbers of the stream with the place in their lowest bits: that is
    some ten times as fast as to sort places by numbers."""
    low = np.uint64((1 << max(11, (n - 1).bit_length())) - 1)
    keys = np.asarray(stream.random_raw(n_rows * n), dtype=np.uint64).reshape(n_rows, n)
    if blocks is not None:
        width = int(blocks.max()).bit_length()
        keys >>= np.uint64(width)
        keys |= blocks.astype(np.uint64) << np.uint64(64 - width) if width else np.uint64(0)
    keys = (keys & ~low) | np.arange(n, dtype=np.uint64)
    keys.sort(axis=1)
    return (keys & low).astype(np.int64)


def _free(owner: Integers, n_rows: int, stream: np.random.PCG64) -> Integers:
    return _shuffled(n_rows, len(owner), stream, None)


def _within(owner: Integers, n_rows: int, stream: np.random.PCG64) -> Integers:
    """Sorted by source and then by chance, the items of a source take one another's places."""
    result = np.empty((n_rows, len(owner)), dtype=np.int64)
    result[:, np.argsort(owner, kind="stable")] = _shuffled(n_rows, len(owner), stream, owner)
    return result


def _whole(owner: Integers, n_rows: int, stream: np.random.PCG64) -> Integers:
    """Sources of one size change places; the k-th item of one gets the k-th of the other."""
    result = np.empty((n_rows, len(owner)), dtype=np.int64)
    sizes = np.bincount(owner)
    order = np.argsort(owner, kind="stable")
    starts = np.cumsum(sizes) - sizes
    for size in sorted(set(sizes.tolist()) - {0}):
        blocks = order[starts[sizes == size][:, None] + np.arange(size)]  # (sources, size)
        swapped = _shuffled(n_rows, len(blocks), stream, None)
        result[:, blocks.ravel()] = blocks[swapped].reshape(n_rows, -1)
    return result


SCHEMES: Mapping[str, Shuffles] = {FREE: _free, WITHIN: _within, SOURCES: _whole}


def spearman_interval(
    x: Sequence[float],
    y: Sequence[float],
    clusters: Sequence[str],
    *,
    resamples: int = RESAMPLES,
    cells: int = BLOCK,
) -> Interval | None:
    """Computes the 95 % interval of Spearman's rho: a percentile bootstrap over clusters.

    Ranks are computed anew in each resample; resamples in which a side does not vary are left out.

    Args:
        x: numbers, one per item.
        y: as many numbers.
        clusters: the source of each item.
        resamples: how many.
        cells: bounds the size of the matrices in memory; the result is the same.

    Returns:
        The limits; None with fewer than two clusters, or where most resamples were left out.

    >>> people, margins = [8, 10, 4, 2, 6, 9], [1.5, 1.7, 0.2, -1.0, 0.5, 1.1]
    >>> found = spearman_interval(people, margins, ["a", "a", "b", "b", "c", "c"])
    >>> round(found.low, 2), round(found.high, 2)
    (0.82, 1.0)
    """
    names, owner = numbered(clusters)
    (values, group), (ys, y_group) = (np.unique(side, return_inverse=True) for side in (x, y))
    order = np.argsort(y_group, kind="stable")
    items = np.zeros((len(names), len(values))), np.zeros((len(names), len(ys)))
    for counts, groups in zip(items, (group, y_group), strict=True):
        np.add.at(counts, (owner, groups), 1.0)

    def rhos(weights: Floats) -> Floats:
        rows = max(1, cells // len(owner))
        parts = (weights[start : start + rows] for start in range(0, len(weights), rows))
        return np.concatenate([weighted_rhos(part) for part in parts])

    def weighted_rhos(weights: Floats) -> Floats:
        """Of samples that have cluster c `weights[:, c]` times."""
        sizes = [weights @ counts for counts in items]
        a, b = (np.cumsum(size, axis=1) - (size - 1) / 2 for size in sizes)  # mid-ranks by value
        of_a, of_b = (np.einsum("ij,ij,ij->i", n, r, r) for n, r in zip(sizes, (a, b), strict=True))
        cross = np.einsum(
            "ij,ij,ij->i", weights[:, owner[order]], a[:, group[order]], b[:, y_group[order]]
        )
        return _rho(weights @ np.bincount(owner).astype(float), of_a, of_b, cross)

    return bootstrap(rhos, len(names), resamples=resamples)
