"""Intervals of means whose items come in clusters.

Items that share an original are often right or wrong together, so that intervals for independent
items are far too narrow. An accuracy has Wilson's interval for the number of independent cases that
its items are worth: their number divided by a design effect. The design effect is estimated from
the clusters; if there are few errors, it is drawn towards that of a moderate correlation (the error
rates of the procedure are simulated by `bench/calibration.py`). The method also works at 0 and
100 %, and for clusters of one item it is exactly Wilson's.

Means of other values (ratings, surprisals) have Student's t over clusters. Rank correlations have a
percentile bootstrap over whole clusters (95 %, 2,000 resamples, fixed seed).

The same input always gives the same limits. Draws are made from the raw stream of PCG64, which
NumPy promises to keep (it does not promise the methods of its `Generator`, NEP 19). Clusters are
taken in the order of their names, never of the rows. Limits are rounded to 12 decimals, since other
processors may add the same floats in another order.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import variance
from typing import TypeAlias, TypeVar

import numpy as np

from ..arrays import Floats, Integers
from .significance import critical_t, wilson_limits

Clustered: TypeAlias = tuple[Floats, Floats]
"""The sum, and the number, of the values of each cluster: two arrays of shape (clusters,)"""

Name = TypeVar("Name", str, int)
"""The name of a cluster"""

RESAMPLES = 2_000  # of a bootstrap
SEED = 2018
COVERAGE = 0.95
LIMIT_QUANTILES = ((1 - COVERAGE) / 2, 1 - (1 - COVERAGE) / 2)
DECIMALS = 12  # of the limits of intervals
ROUNDING = 1e-9  # numbers that differ by less count as equal

MATRIX_ENTRIES = 1 << 21  # most entries of a matrix in memory at a time: 16 MiB
# The design effect is drawn towards that of this intraclass correlation, as if so many errors had
# shown it:
PRIOR_ERRORS, PRIOR_ICC = 5, 0.3
OVER_SOURCES = "Wilson with a design effect of sources"
SOURCES_T = "Student's t over sources"


@dataclass(frozen=True, slots=True)
class Interval:
    """The two limits of an interval.

    Attributes:
        low: lower limit, rounded to 12 decimals; the 2.5 % quantile of a bootstrap.
        high: upper limit, rounded to 12 decimals; the 97.5 % quantile of a bootstrap.
    """

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Limits(Interval):
    """A 95 % interval and the name of the method that gave it.

    Attributes:
        method: name of the method, as `OVER_SOURCES`.
    """

    method: str


@dataclass(frozen=True, slots=True)
class Proportion(Limits):
    """A mean of shares, such as an accuracy, with Wilson's 95 % interval.

    Attributes:
        mean: the mean, 0 to 1.
        n: the number of independent cases that it is worth.
        df: degrees of freedom of Student's t, which is used instead of the normal distribution.
    """

    mean: float
    n: float
    df: float

    def limits(self, alpha: float) -> tuple[float, float]:
        """Return the limits of the interval of the mean with coverage 1 − `alpha`."""
        return wilson_limits(self.mean, self.n, critical_t(alpha, self.df))


def proportion(mean: float, n: float, df: float, method: str) -> Proportion:
    """Return a mean of shares that is worth `n` independent cases, with Wilson's 95 % interval.

    `df` are the degrees of freedom of Student's t, `method` names the method.
    """
    mean = min(1.0, max(0.0, mean))
    low, high = wilson_limits(mean, n, critical_t(1 - COVERAGE, df))
    return Proportion(round(low, DECIMALS), round(high, DECIMALS), method, mean, n, df)


def satterthwaite(variances: Sequence[float], dfs: Sequence[float]) -> float:
    """Return the degrees of freedom of a sum of variances (Satterthwaite 1946).

    `dfs` are the degrees of freedom of each. Variances of 0 do not count.
    """
    parts = [(variance, df) for variance, df in zip(variances, dfs, strict=True) if variance > 0]
    scale = sum(variance * variance / df for variance, df in parts)
    return sum(variance for variance, _ in parts) ** 2 / scale if scale > 0 else math.inf


def cluster_interval(values: Sequence[float] | Floats, clusters: Sequence[Name]) -> Limits | None:
    """Return the 95 % interval of a mean of values in clusters, by Student's t over clusters.

    The mean is over values, not over clusters: a cluster with more values weighs more. The order of
    the values does not matter. For accuracies, use `accuracy_interval`.

    Args:
        values: any numbers.
        clusters: the cluster of each value, by name; as many as values.

    Returns:
        The interval; None if the clusters are worth fewer than two of equal size, since then the
        variance over clusters is unknown.

    >>> cluster_interval([1, 0, 1, 1], ["a", "a", "b", "c"])
    Limits(low=-0.265160277358, high=1.765160277358, method="Student's t over sources")
    """
    names, cluster_of_value = number_clusters(clusters)
    numbers, n = np.asarray(values, dtype=float), len(values)
    sizes = np.bincount(cluster_of_value, minlength=len(names)).astype(float)
    n_worth = n**2 / float((sizes**2).sum()) if n else 0.0  # number of clusters of equal size
    if n_worth < 2 - ROUNDING:
        return None
    mean = math.fsum(numbers) / n
    residual_sums = np.bincount(cluster_of_value, numbers - mean, len(names))
    variance_of_mean = float((residual_sums**2).sum()) * n_worth / (n_worth - 1) / n**2
    half = critical_t(1 - COVERAGE, n_worth - 1) * math.sqrt(variance_of_mean)
    return Limits(round(mean - half, DECIMALS), round(mean + half, DECIMALS), SOURCES_T)


def clustered(
    values: Sequence[float] | Floats,
    clusters: Integers,
    groups: Integers | None = None,
    n_groups: int = 1,
) -> list[Clustered]:
    """Sum values up by group and cluster, as input of `accuracy_intervals`.

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
    # a code is the pair (group, cluster) as one number
    codes, code_of_value = np.unique(
        clusters if groups is None else groups * n_clusters + clusters, return_inverse=True
    )
    credits = np.asarray(values, dtype=float)
    sums: Floats = np.bincount(code_of_value, credits, len(codes)).astype(float)
    sizes = np.bincount(code_of_value, minlength=len(codes)).astype(float)
    bounds = np.searchsorted(codes, np.arange(n_groups + 1) * n_clusters).tolist()  # of the groups
    return [(sums[start:end], sizes[start:end]) for start, end in pairwise(bounds)]


def accuracy_intervals(groups: Sequence[Clustered]) -> list[Proportion | None]:
    """Return the accuracy of each group of items with its 95 % interval over clusters.

    Args:
        groups: the groups, as returned by `clustered`; their values are from 0 to 1.

    Returns:
        For each group the result of `accuracy_interval`; None for one without items.

    >>> found = accuracy_intervals(clustered([1, 0, 1, 1], np.array([0, 0, 1, 2])))
    >>> [(round(each.mean, 3), each.low, each.high) for each in found]
    [(0.75, 0.067437999803, 0.992029072552)]
    """
    intervals: list[Proportion | None] = []
    for sums, sizes in groups:
        if len(sums):
            mean = float(sums.sum() / sizes.sum())
            intervals.append(_mean_over_clusters(mean, sums - mean * sizes, sizes))
        else:
            intervals.append(None)
    return intervals


def accuracy_interval(
    values: Sequence[float] | Floats,
    clusters: Sequence[Name],
    *,
    strata: Sequence[str] | None = None,
    seeds: Sequence[float] = (),
    least_effect: float = 1.0,
) -> Proportion | None:
    """Return the mean of credits from 0 to 1, such as an accuracy, with its 95 % interval over
    clusters.

    Args:
        values: the credit of each item.
        clusters: the cluster of each item, by name; as many as values.
        strata: the stratum of each item; the mean is then the mean of the strata's means, however
            many items they have. None: all are in one.
        seeds: if `values` are mean credits of several models that differ only in their seed, the
            accuracies of these models; the interval is then also over other seeds.
        least_effect: smallest design effect: 1 for credits that are 0 or 1; for credits that are
            shares, which vary less, it may be 0.

    Returns:
        The mean and its interval; None if the clusters are worth fewer than two of equal size.

    >>> found = accuracy_interval([1, 1, 1, 1], ["a", "a", "b", "c"])
    >>> found.mean, found.high
    (1.0, 1.0)
    """
    if not len(values):
        return None
    names, cluster = number_clusters(clusters)
    credits = np.asarray(values, dtype=float)
    stratum = np.zeros_like(cluster) if strata is None else number_clusters(strata)[1]
    n_items = np.bincount(stratum)  # of each stratum
    weights = 1.0 / n_items[stratum]
    weights *= weights.sum() / (weights**2).sum()  # their sum: what the items are worth
    means = np.bincount(stratum, credits) / n_items
    residuals = weights * (credits - means[stratum])
    residual_sums = np.bincount(cluster, residuals, len(names)).astype(float)
    sizes = np.bincount(cluster, weights, len(names)).astype(float)
    mean = math.fsum(means) / len(means)
    return _mean_over_clusters(mean, residual_sums, sizes, seeds=seeds, least_effect=least_effect)


def _mean_over_clusters(
    mean: float,
    residuals: Floats,
    sizes: Floats,
    *,
    seeds: Sequence[float] = (),
    least_effect: float = 1.0,
) -> Proportion | None:
    """Return a mean with its 95 % interval over clusters.

    `residuals` is the sum of its items' residuals in each cluster, `sizes` the number of items in
    each; both have the shape (clusters,). The other parameters are as for `accuracy_interval`.
    """
    n = float(sizes.sum())
    size = float((sizes**2).sum()) / n  # mean over items of the size of their cluster
    n_worth = n / size  # number of clusters of equal size that the clusters are worth
    if n_worth < 2 - ROUNDING:
        return None
    binomial = n * mean * (1 - mean)  # variance of the sum of independent items
    correction = n_worth * (n - 1) / ((n_worth - 1) * n)
    observed = float((residuals**2).sum()) * correction  # variance of the sum of these items
    # the design effect is `observed / binomial`, drawn towards that of PRIOR_ICC
    effect = (observed + PRIOR_ERRORS * (1 + PRIOR_ICC * (size - 1))) / (binomial + PRIOR_ERRORS)
    effect, df = min(max(effect, least_effect), size), n_worth - 1
    if size < 1 + ROUNDING:  # each cluster is one item
        effect, df = 1.0, math.inf
    if len(seeds) > 1 and binomial:  # the variances of the mean over clusters and over seeds
        variances = binomial * effect / n**2, variance(seeds) / len(seeds)
        df = satterthwaite(variances, (df, len(seeds) - 1))
        return proportion(mean, mean * (1 - mean) / sum(variances), df, OVER_SOURCES)
    return proportion(mean, n / effect, df, OVER_SOURCES)


def wilson(right: int, total: int) -> Interval | None:
    """Return Wilson's 95 % interval (1927) of a proportion of independent cases.

    Items made of one mined sentence, and judgments of one item, are not independent.

    Args:
        right: number of cases that are counted.
        total: number of all cases.

    Returns:
        The interval; None for a total of 0.

    >>> wilson(8, 10)
    Interval(low=0.490162471537, high=0.943317848546)
    """
    if total == 0:
        return None
    return _rounded_interval(*wilson_limits(right / total, total))


def _rounded_interval(low: float, high: float) -> Interval:
    """Return an interval with rounded limits."""
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
        statistic: a function from resamples, given as the number of times each cluster was drawn,
            shape (resamples, n_clusters), to the statistic's values, shape (resamples,). A NaN,
            where it is undefined, is left out.
        n_clusters: number of clusters.
        resamples: number of resamples.
        seed: seed of the draws.

    Returns:
        The interval; None for fewer than two clusters, or if more than half of the values are NaN.

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
    return _rounded_interval(*np.quantile(defined, LIMIT_QUANTILES))


def draws(n_clusters: int, resamples: int, seed: int) -> Iterator[Floats]:
    """Yield resamples of clusters, as the number of times that each cluster was drawn.

    The same arguments give the same resamples, so that the difference of two statistics is paired.

    Args:
        n_clusters: number of clusters, and of draws (with replacement) in each resample.
        resamples: number of resamples.
        seed: seed of the draws.

    Yields:
        Blocks of shape (some resamples, n_clusters), with `resamples` rows in all, each of which
        sums to `n_clusters`.

    >>> next(draws(3, 2, seed=0)).tolist()
    [[2.0, 1.0, 0.0], [1.0, 0.0, 2.0]]
    """
    stream = np.random.PCG64(seed)
    max_rows = max(1, MATRIX_ENTRIES // n_clusters)
    for start in range(0, resamples, max_rows):
        n_rows = min(max_rows, resamples - start)
        picks = (uniform(stream, n_rows * n_clusters) * n_clusters).astype(np.int64)
        # each row gets numbers of its own for the clusters, so that one `bincount` counts all rows
        shifted = picks + np.repeat(np.arange(n_rows) * n_clusters, n_clusters)
        counts = np.bincount(shifted, minlength=len(shifted))
        yield counts.reshape(n_rows, n_clusters).astype(float)


def uniform(stream: np.random.PCG64, size: int) -> Floats:
    """Return random numbers from the raw stream of PCG64, which NumPy promises to keep (NEP 19).

    Args:
        stream: the stream, which moves on.
        size: the number of random numbers.

    Returns:
        Numbers in [0, 1), shape (size,), made of the upper 53 bits of each number in the stream.

    >>> uniform(np.random.PCG64(0), 2).round(3).tolist()
    [0.637, 0.27]
    """
    raw = np.asarray(stream.random_raw(size), dtype=np.uint64)
    result: Floats = (raw >> np.uint64(11)).astype(float) * 2.0**-53
    return result


def number_clusters(clusters: Sequence[Name]) -> tuple[list[Name], Integers]:
    """Return the distinct names of clusters, sorted, and for each value its cluster's index among
    them."""
    names = sorted(set(clusters))
    index = {name: number for number, name in enumerate(names)}
    return names, np.array([index[name] for name in clusters], dtype=np.int64)
