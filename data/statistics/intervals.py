"""Intervals of means whose items come in clusters: a percentile bootstrap over the clusters.

Nonce twins share an original, so they stand or fall together; resampling items as if each were
new evidence gives intervals that are far too narrow. Here whole clusters are drawn with
replacement, each bringing all its items (spec: 95 %, percentile, 2,000 resamples, fixed seed).

Same input, same bytes: the draws are made from the raw stream of PCG64, which NumPy promises to
keep (the methods of its `Generator` are not promised, NEP 19); clusters are taken in the order of
their names, never of the rows; and limits are rounded to 12 decimals, since sums of the same
floats in another order, as another processor may form them, differ by less.

Of more than MANY clusters nothing is drawn: the bootstrap of a mean of so many is the normal
distribution with the standard error of a ratio, to the third decimal of its limits.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from ..arrays import Floats, Integers
from . import significance

Clustered: TypeAlias = tuple[Floats, Floats]
"""The sum and the number of values of each cluster"""

RESAMPLES = 2_000
SEED = 2018
COVERAGE = 0.95
TAILS = ((1 - COVERAGE) / 2, 1 - (1 - COVERAGE) / 2)
DECIMALS = 12

MANY = 10_000
BLOCK = 1 << 21  # cells of a matrix of weights held at once: 16 MiB
BATCH = 1_000  # means that are resampled at once
EXACT = 2.0**10  # sums of such parts are exact


BOOTSTRAP = "bootstrap over sources"
WILSON = "Wilson, one source one case"


@dataclass(frozen=True, slots=True)
class Interval:
    """The two limits of an interval.

    Attributes:
        low: lower limit, rounded to 12 decimals; of a bootstrap the 2.5 % quantile.
        high: upper limit, likewise; the 97.5 % quantile.
    """

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Limits(Interval):
    """A 95 % interval and the name of the method that gave it.

    Attributes:
        method: `BOOTSTRAP` or `WILSON`.
    """

    method: str


def cluster_interval(
    values: Sequence[float],
    clusters: Sequence[str],
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Interval | None:
    """Return the 95 % interval of a mean whose values come in clusters: a percentile bootstrap
    over these.

    The mean is over values, not over clusters: a cluster with more values weighs more. Above `MANY`
    clusters it is the normal approximation with the standard error of a ratio. The order of the
    values does not matter.

    Args:
        values: any numbers.
        clusters: the cluster of each value, by name; as many as values.
        resamples: how many times clusters are drawn, with replacement.
        seed: of the draws.

    Returns:
        The interval; None for fewer than two clusters, which do not tell how clusters differ.

    >>> cluster_interval([1, 0, 1, 1], ["a", "a", "b", "c"])
    Interval(low=0.5, high=1.0)
    """
    groups = clustered(values, numbered(clusters)[1])
    return cluster_intervals(groups, resamples=resamples, seed=seed)[0]


def clustered(
    values: Sequence[float] | Floats,
    clusters: Integers,
    groups: Integers | None = None,
    n_groups: int = 1,
) -> list[Clustered]:
    """Sum values up by cluster, as `cluster_intervals` and `mean_intervals` take them.

    Args:
        values: shape (n,).
        clusters: the number of each value's cluster, from 0; shape (n,).
        groups: the number of each value's group, from 0; shape (n,). None: all are of one group.
        n_groups: how many groups there are.

    Returns:
        For each group, in order, the sum and the number of the values of each of its clusters: two
        arrays of shape (clusters of the group,), in the order of the clusters' numbers.

    >>> clustered([1, 0, 1], np.array([0, 0, 1]))
    [(array([1., 1.]), array([2., 1.]))]
    """
    n_clusters = int(clusters.max(initial=0)) + 1
    cells, cell = np.unique(
        clusters if groups is None else groups * n_clusters + clusters, return_inverse=True
    )
    sums: Floats = np.bincount(cell, np.asarray(values, dtype=float), len(cells)).astype(float)
    sizes = np.bincount(cell, minlength=len(cells)).astype(float)
    ends = np.searchsorted(cells, np.arange(n_groups + 1) * n_clusters).tolist()
    return [(sums[start:end], sizes[start:end]) for start, end in pairwise(ends)]


def cluster_intervals(
    groups: Sequence[Clustered], *, resamples: int = RESAMPLES, seed: int = SEED
) -> list[Interval | None]:
    """Return the intervals of many means at once; each is that of `cluster_interval`.

    Groups with equally many clusters see the same resamples.

    Args:
        groups: as `clustered` makes them.
        resamples: how many times clusters are drawn.
        seed: of the draws.

    Returns:
        An interval for each group, in order; None for fewer than two clusters.

    >>> cluster_intervals(clustered([1, 0, 1, 1], np.array([0, 0, 1, 2])))
    [Interval(low=0.5, high=1.0)]
    """
    results: list[Interval | None] = [None] * len(groups)
    by_size: dict[int, list[int]] = {}
    for index, (sums, sizes) in enumerate(groups):
        if len(sums) > MANY:
            results[index] = _normal(sums, sizes)
        elif len(sums) > 1:
            by_size.setdefault(len(sums), []).append(index)
    for n_clusters, indices in by_size.items():
        for start in range(0, len(indices), BATCH):
            batch = indices[start : start + BATCH]
            sums = np.array([groups[index][0] for index in batch])
            sizes = np.array([groups[index][1] for index in batch])
            blocks = [_means(sums, sizes, w) for w in draws(n_clusters, resamples, seed)]
            intervals = np.quantile(np.hstack(blocks), TAILS, axis=1).T.tolist()
            for index, limits in zip(batch, intervals, strict=True):
                results[index] = _interval(*limits)
    return results


def mean_interval(values: Sequence[float], clusters: Sequence[str]) -> Limits | None:
    """Return the 95 % interval of a mean of shares, as of accuracies, and its method.

    It is that of `cluster_interval`. Where every value is 0, or every value is 1, a bootstrap would
    have no width, and Wilson's interval, with a cluster as one case, takes its place.

    Args:
        values: from 0 to 1.
        clusters: the cluster of each value, by name; as many as values.

    Returns:
        Limits and method; None for fewer than two clusters.

    >>> mean_interval([1, 1, 1, 1], ["a", "a", "b", "c"])
    Limits(low=0.438502968245, high=1.0, method='Wilson, one source one case')
    """
    return mean_intervals(clustered(values, numbered(clusters)[1]))[0]


def mean_intervals(groups: Sequence[Clustered]) -> list[Limits | None]:
    """Return the intervals of many means of shares at once; each is that of `mean_interval`.

    Args:
        groups: as `clustered` makes them.

    Returns:
        Limits and method for each group, in order; None for fewer than two clusters.

    >>> mean_intervals(clustered([1, 0, 1, 1], np.array([0, 0, 1, 2])))
    [Limits(low=0.5, high=1.0, method='bootstrap over sources')]
    """
    results: list[Limits | None] = []
    for (sums, sizes), interval in zip(groups, cluster_intervals(groups), strict=True):
        constant = interval is not None and (not sums.any() or bool((sums == sizes).all()))
        limits = wilson(len(sums) if sums.any() else 0, len(sums)) if constant else interval
        method = WILSON if constant else BOOTSTRAP
        results.append(Limits(limits.low, limits.high, method) if limits else None)
    return results


def wilson(right: int, total: int) -> Interval | None:
    """Return the 95 % interval of a proportion (Wilson 1927).

    It takes cases to be independent, which items of one original, and judgments of one item, are
    not.

    Args:
        right: number of cases that count.
        total: number of all cases.

    Returns:
        The interval; None for a total of 0.

    >>> wilson(8, 10)
    Interval(low=0.490162471537, high=0.943317848546)
    """
    if total == 0:
        return None
    return _interval(*significance.wilson(right, total))


def _means(sums: Floats, sizes: Floats, weights: Floats) -> Floats:
    """Return the mean of each group (rows of `sums` and `sizes`) in each resample. Halves add up
    exactly in whatever order; other sums are formed one by one, since the result must not hang on
    how BLAS splits its work."""
    exact = ((sums * EXACT) % 1 == 0).all(axis=1) & (np.abs(sums).max(axis=1) < MANY * EXACT)
    means = np.empty((len(sums), len(weights)))
    means[exact] = (sums[exact] @ weights.T) / (sizes[exact] @ weights.T)
    for n in np.flatnonzero(~exact).tolist():
        means[n] = (weights * sums[n]).sum(axis=1) / (weights * sizes[n]).sum(axis=1)
    return means


def _normal(sums: Floats, sizes: Floats) -> Interval:
    mean = float(sums.sum() / sizes.sum())
    error = float(np.sqrt(((sums - mean * sizes) ** 2).sum()) / sizes.sum())
    return _interval(mean - significance.Z_95 * error, mean + significance.Z_95 * error)


def _interval(low: float, high: float) -> Interval:
    return Interval(round(float(low), DECIMALS), round(float(high), DECIMALS))


def bootstrap(
    statistic: Callable[[Floats], Floats],
    n_clusters: int,
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Interval | None:
    """Return the 95 % bootstrap interval of any statistic of values that come in clusters.

    Args:
        statistic: from how often each cluster was drawn, shape (draws, n_clusters), to its values,
            shape (draws,); NaN where it is undefined for a draw, which is then left out.
        n_clusters: how many clusters there are.
        resamples: how many times clusters are drawn.
        seed: of the draws.

    Returns:
        The interval; None for fewer than two clusters, or where more than half of the draws are
        undefined.

    >>> credits = np.array([1.0, 0.5, 0.0, 1.0])  # of four clusters
    >>> bootstrap(lambda weights: weights @ credits / 4, 4)
    Interval(low=0.25, high=1.0)
    """
    if n_clusters < 2:
        return None
    values = np.concatenate([statistic(block) for block in draws(n_clusters, resamples, seed)])
    defined = values[~np.isnan(values)]
    if 2 * len(defined) < resamples:
        return None
    return _interval(*np.quantile(defined, TAILS))


def draws(n_clusters: int, resamples: int, seed: int) -> Iterator[Floats]:
    """Yield how often each cluster is drawn in each resample.

    Two statistics on draws with the same arguments see the same resamples, so that their difference
    is a paired one.

    Args:
        n_clusters: how many clusters there are.
        resamples: how many times as many clusters are drawn, with replacement.
        seed: of the draws.

    Yields:
        Blocks of shape (draws, n_clusters), `resamples` rows together, each of which sums to
        `n_clusters`.

    >>> next(draws(3, 2, seed=0)).tolist()
    [[2.0, 1.0, 0.0], [1.0, 0.0, 2.0]]
    """
    stream = np.random.PCG64(seed)
    rows = max(1, BLOCK // n_clusters)
    for start in range(0, resamples, rows):
        n_rows = min(rows, resamples - start)
        picks = (uniform(stream, n_rows * n_clusters) * n_clusters).astype(np.int64)
        cells = picks + np.repeat(np.arange(n_rows) * n_clusters, n_clusters)
        counts = np.bincount(cells, minlength=len(cells))
        yield counts.reshape(n_rows, n_clusters).astype(float)


def uniform(stream: np.random.PCG64, size: int) -> Floats:
    """Return random numbers from the raw stream of PCG64, which NumPy promises to keep (NEP 19).

    Args:
        stream: where they are taken from.
        size: how many.

    Returns:
        Numbers in [0, 1), shape (size,): the upper 53 bits of each of the stream.

    >>> uniform(np.random.PCG64(0), 2).round(3).tolist()
    [0.637, 0.27]
    """
    raw = np.asarray(stream.random_raw(size), dtype=np.uint64)
    result: Floats = (raw >> np.uint64(11)).astype(float) * 2.0**-53
    return result


def numbered(clusters: Sequence[str]) -> tuple[list[str], Integers]:
    """Return the names of the clusters, sorted, and for each value the index of its own."""
    names = sorted(set(clusters))
    index = {name: number for number, name in enumerate(names)}
    return names, np.array([index[name] for name in clusters], dtype=np.int64)
