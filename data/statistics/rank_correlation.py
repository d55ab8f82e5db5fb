"""Spearman's rank correlation of items that come in clusters: its test and its interval.

The items of a cluster resemble one another, so that they are worth fewer independent items. That
number follows from the intraclass correlations of both sides' ranks; the test is Student's t for so
many items. Another question is whether there is an association *within* clusters: whether among the
nonce variants of one original those that people find harder also have smaller margins. Its test
permutes values within their cluster.
"""

import math
from collections.abc import Sequence

import numpy as np
import polars as pl

from ..arrays import Floats, Integers
from .intervals import MATRIX_ENTRIES, RESAMPLES, SEED, Interval, Name, bootstrap, number_clusters
from .significance import two_sided_p

PERMUTATIONS = 5_000  # number of random permutations within clusters
MIN_DEVIATION = 1e-9  # a smaller sum of squared deviations means that the values are constant


def mid_ranks(values: Sequence[float] | Floats) -> Floats:
    """Return the rank of each value, from 1; equal values have the mean of their ranks."""
    _, group_of_value, sizes = np.unique(  # a group has all equal values
        np.asarray(values, dtype=float), return_inverse=True, return_counts=True
    )
    rank_of_group = np.cumsum(sizes) - (sizes - 1) / 2
    result: Floats = rank_of_group[group_of_value]
    return result


def row_ranks(values: Floats) -> Floats:
    """Return the `mid_ranks` within each row of an array (rows, items); the rank of NaN is NaN."""
    table = pl.DataFrame(values.T).fill_nan(None).select(pl.all().rank("average"))
    return table.fill_null(math.nan).to_numpy().T


def pearson(x: Sequence[float] | Floats, y: Sequence[float] | Floats) -> float | None:
    """Return Pearson's r of two lists of numbers; None if a list is empty or does not vary."""
    if not len(x):
        return None
    a, b = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    a, b = a - a.mean(), b - b.mean()
    scale = math.sqrt(math.fsum(a * a) * math.fsum(b * b))
    return math.fsum(a * b) / scale if scale > MIN_DEVIATION else None


def spearman(x: Sequence[float] | Floats, y: Sequence[float] | Floats) -> float | None:
    """Compute Spearman's rho, with mid-ranks for ties.

    Args:
        x: numbers.
        y: as many numbers.

    Returns:
        Rho, -1 to 1; None if a side is empty or does not vary.

    >>> round(spearman([8, 10, 4, 2], [1.5, 0.7, 0.2, -1.0]), 3)
    0.8
    """
    return pearson(mid_ranks(x), mid_ranks(y))


def row_spearman(x: Floats, y: Floats) -> Floats:
    """Return Spearman's rho of each row of `x` with the same row of `y`.

    Both have the shape (rows, items), the result (rows,). Items with NaN on either side are left
    out. Rho is NaN if a side does not vary or fewer than two items are left.
    """
    present = ~(np.isnan(x) | np.isnan(y))
    # the ranks of both sides; items left out have rank 0, which adds nothing to the sums
    a, b = (np.nan_to_num(row_ranks(np.where(present, side, np.nan))) for side in (x, y))
    n = present.sum(axis=1)
    sums = (np.einsum("ij,ij->i", u, v) for u, v in ((a, a), (b, b), (a, b)))  # of u · v by row
    return _rho_of_sums(n.astype(float), *sums)


def _rho_of_sums(n: Floats, squares_a: Floats, squares_b: Floats, products: Floats) -> Floats:
    """Return Spearman's rho of several samples; NaN if a side does not vary.

    `n` is the size of each sample; the others are sums over its mid-ranks a and b: of a², of b²,
    and of a · b. The mean of mid-ranks is (n + 1) / 2, and all these sums are exact.
    """
    middle = n * (n + 1) ** 2 / 4  # n times the squared mean
    scale = np.sqrt((squares_a - middle) * (squares_b - middle))
    joint = products - middle
    rhos: Floats = np.full_like(joint, np.nan)
    np.divide(joint, scale, out=rhos, where=scale > MIN_DEVIATION)
    return rhos


def spearman_p(
    x: Sequence[float] | Floats, y: Sequence[float] | Floats, clusters: Sequence[Name]
) -> float | None:
    """Return the two-sided p of Spearman's rho, by Student's t for the number of independent items
    that the items are worth.

    Args:
        x: numbers, one per item.
        y: as many numbers.
        clusters: the cluster of each item, by name.

    Returns:
        p; None if a side does not vary, or if the items are worth no more than two.

    >>> people, margins = [8, 10, 4, 2, 6, 9], [1.5, 1.7, 0.2, -1.0, 0.5, 1.1]
    >>> round(spearman_p(people, margins, ["a", "a", "b", "b", "c", "c"]), 3)
    0.068
    """
    rho = spearman(x, y)
    if rho is None:
        return None
    _, cluster = number_clusters(clusters)
    sizes = np.bincount(cluster)
    correlation = math.prod(intraclass(mid_ranks(side), cluster) for side in (x, y))
    mean_size = float((sizes**2).sum()) / len(x)  # mean over items of the size of their cluster
    n = len(x) / (1 + (mean_size - 1) * correlation)  # independent items
    if n <= 2:
        return None
    unexplained = 1 - rho * rho
    return two_sided_p(rho * math.sqrt((n - 2) / unexplained), n - 2) if unexplained > 0 else 0.0


def intraclass(values: Floats, owner: Integers) -> float:
    """Return the intraclass correlation of values by a one-way analysis of variance, from 0 to 1.

    Args:
        values: shape (n,).
        owner: the number of each value's class, from 0; shape (n,).

    Returns:
        1 if values differ only between classes; 0 if no class has two values.

    >>> intraclass(np.array([1.0, 1.0, 2.0, 2.0]), np.array([0, 0, 1, 1]))
    1.0
    """
    sizes = np.bincount(owner)
    n, n_classes = len(values), len(sizes)
    if not 1 < n_classes < n:
        return 0.0
    means = np.bincount(owner, values) / sizes
    between = float((sizes * (means - values.mean()) ** 2).sum()) / (n_classes - 1)
    within = float(((values - means[owner]) ** 2).sum()) / (n - n_classes)
    size = (n - float((sizes**2).sum()) / n) / (n_classes - 1)
    scale = between + (size - 1) * within
    return min(1.0, max(0.0, (between - within) / scale)) if scale > 0 else 0.0


def within_ps(
    x: Sequence[float], ys: Sequence[Sequence[float]], clusters: Sequence[str]
) -> list[float | None]:
    """Return the two-sided p of Spearman's rho of `x` with each of `ys`, by permutation within
    clusters.

    p = (1 + number of permutations with |rho*| ≥ |rho|) / (PERMUTATIONS + 1), where rho* is the rho
    after permutation. The permutations are the same for all of `ys`, since drawing them takes long.
    Doubled mid-ranks are whole numbers, so the sums of their products are exact in any order.

    Args:
        x: numbers, one per item.
        ys: lists of as many numbers.
        clusters: the cluster of each item, by name.

    Returns:
        p for each of `ys`; None if a side does not vary, or if each cluster has one item.

    >>> people, margins = [8, 10, 4, 2, 6, 9], [1.5, 1.7, 0.2, -1.0, 0.5, 1.1]
    >>> [round(p, 2) for p in within_ps(people, [margins], ["a", "a", "b", "b", "c", "c"])]
    [0.13]
    """
    ps: list[float | None] = [None] * len(ys)
    varying = [index for index, y in enumerate(ys) if spearman(x, y) is not None]
    n, (names, cluster) = len(x), number_clusters(clusters)
    if not varying or len(names) == n:
        return ps
    a, b = 2 * mid_ranks(x), np.stack([2 * mid_ranks(ys[index]) for index in varying])
    middle = n * (n + 1.0) ** 2  # expected sum of products; |sum − middle| rises with |rho|
    real = np.abs(b @ a - middle)
    stream = np.random.PCG64(SEED)
    order = np.argsort(cluster, kind="stable")
    step, n_extreme = max(1, MATRIX_ENTRIES // n), np.zeros(len(varying), dtype=np.int64)
    for start in range(0, PERMUTATIONS, step):
        permutations = _permutations_within(min(step, PERMUTATIONS - start), cluster, stream)
        # the values of `a`, cluster by cluster, are put at the permuted places of their cluster
        moved = np.empty(permutations.shape)
        np.put_along_axis(moved, permutations, a[None, order], axis=1)
        n_extreme += (np.abs(moved @ b.T - middle) >= real).sum(axis=0)
    for index, n_more in zip(varying, n_extreme.tolist(), strict=True):
        ps[index] = (1 + n_more) / (PERMUTATIONS + 1)
    return ps


def _permutations_within(n_rows: int, owner: Integers, stream: np.random.PCG64) -> Integers:
    """Return `n_rows` permutations of the indices of values within their clusters, (n_rows, n).

    In each row the indices of one cluster come before those of the next. It sorts random numbers
    that have the cluster in their highest bits and the index in their lowest, which is some ten
    times as fast as sorting indices by random numbers. `owner` is the cluster of each value.
    """
    n, n_cluster_bits = len(owner), int(owner.max()).bit_length()
    index_bits = np.uint64((1 << max(11, (n - 1).bit_length())) - 1)  # a mask of the lowest bits
    keys = np.asarray(stream.random_raw(n_rows * n), dtype=np.uint64).reshape(n_rows, n)
    keys >>= np.uint64(n_cluster_bits)
    if n_cluster_bits:  # else there is one cluster
        keys |= owner.astype(np.uint64) << np.uint64(64 - n_cluster_bits)
    keys = (keys & ~index_bits) | np.arange(n, dtype=np.uint64)
    keys.sort(axis=1)
    return (keys & index_bits).astype(np.int64)


def spearman_interval(
    x: Sequence[float],
    y: Sequence[float],
    clusters: Sequence[str],
    *,
    resamples: int = RESAMPLES,
    cells: int = MATRIX_ENTRIES,
) -> Interval | None:
    """Compute the 95 % interval of Spearman's rho: a percentile bootstrap over clusters.

    Ranks are computed anew in each resample; resamples in which a side does not vary are left out.

    Args:
        x: numbers, one per item.
        y: as many numbers.
        clusters: the cluster of each item, by name.
        resamples: number of resamples.
        cells: most entries of a matrix in memory; the result does not depend on it.

    Returns:
        The interval; None with fewer than two clusters, or if most resamples were left out.

    >>> people, margins = [8, 10, 4, 2, 6, 9], [1.5, 1.7, 0.2, -1.0, 0.5, 1.1]
    >>> found = spearman_interval(people, margins, ["a", "a", "b", "b", "c", "c"])
    >>> round(found.low, 2), round(found.high, 2)
    (0.82, 1.0)
    """
    names, cluster = number_clusters(clusters)
    # the distinct values of each side, and for each item the index of its value among them
    (x_values, x_index), (y_values, y_index) = (
        np.unique(side, return_inverse=True) for side in (x, y)
    )
    order = np.argsort(y_index, kind="stable")  # of the items; memory is read faster in this order
    # how many items of a cluster have a value: (clusters, distinct values) for each side
    x_counts, y_counts = (np.zeros((len(names), len(values))) for values in (x_values, y_values))
    np.add.at(x_counts, (cluster, x_index), 1.0)
    np.add.at(y_counts, (cluster, y_index), 1.0)

    def rhos(weights: Floats) -> Floats:
        """Return rho of each resample; its row in `weights` counts the draws of each cluster."""
        rows = max(1, cells // len(cluster))
        parts = (weights[start : start + rows] for start in range(0, len(weights), rows))
        return np.concatenate([weighted_rhos(part) for part in parts])

    def weighted_rhos(weights: Floats) -> Floats:
        """Return rho of each resample, for a few of them at a time."""
        # how often each value was drawn, and the mid-rank that it has in the resample
        x_drawn, y_drawn = weights @ x_counts, weights @ y_counts
        a, b = (np.cumsum(drawn, axis=1) - (drawn - 1) / 2 for drawn in (x_drawn, y_drawn))
        squares_a = np.einsum("ij,ij,ij->i", x_drawn, a, a)
        squares_b = np.einsum("ij,ij,ij->i", y_drawn, b, b)
        # of each item in each resample: how often it was drawn, and its two ranks
        drawn, x_ranks = weights[:, cluster[order]], a[:, x_index[order]]
        products = np.einsum("ij,ij,ij->i", drawn, x_ranks, b[:, y_index[order]])
        n_drawn = weights @ np.bincount(cluster).astype(float)
        return _rho_of_sums(n_drawn, squares_a, squares_b, products)

    return bootstrap(rhos, len(names), resamples=resamples)
