"""How sure a mean is when its items come in clusters: a percentile bootstrap over the clusters.

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
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]

RESAMPLES = 2_000
SEED = 2018
COVERAGE = 0.95
DECIMALS = 12

MANY = 10_000
QUANTILE = 1.959963984540054  # of the normal distribution, for COVERAGE
BLOCK = 1 << 21  # cells of a matrix of weights held at once: 16 MiB


@dataclass(frozen=True, slots=True)
class Interval:
    """Lower and upper limit of the middle `COVERAGE` of the resamples."""

    low: float
    high: float


def cluster_interval(
    values: Sequence[float],
    clusters: Sequence[str],
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Interval | None:
    """The interval of the mean of `values`, the i-th of which belongs to `clusters[i]`.

    The mean is over values, not over clusters: a cluster with more values weighs more. `None`
    where there are fewer than two clusters, which say nothing about how much clusters differ.
    The order of the pairs does not matter.
    """
    names, owner = numbered(clusters)
    sums: Floats = np.bincount(owner, np.asarray(values, dtype=float), len(names)).astype(float)
    sizes = np.bincount(owner, minlength=len(names)).astype(float)
    if len(names) > MANY:
        return _normal(sums, sizes)

    def means(weights: Floats) -> Floats:
        # Products and sums one by one: the result must not hang on how BLAS splits its work.
        result: Floats = (weights * sums).sum(axis=1) / (weights * sizes).sum(axis=1)
        return result

    return bootstrap(means, len(names), resamples=resamples, seed=seed)


def _normal(sums: Floats, sizes: Floats) -> Interval:
    mean = float(sums.sum() / sizes.sum())
    error = float(np.sqrt(((sums - mean * sizes) ** 2).sum()) / sizes.sum())
    low, high = mean - QUANTILE * error, mean + QUANTILE * error
    return Interval(round(low, DECIMALS), round(high, DECIMALS))


def bootstrap(
    statistic: Callable[[Floats], Floats],
    n_clusters: int,
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Interval | None:
    """The interval of any statistic that can be had from how often each cluster was drawn.

    `statistic` maps weights of shape (draws, n_clusters) to values of shape (draws,), with NaN
    where it is undefined for a draw (all values alike, say); such draws are left out. `None` where
    there are fewer than two clusters, or where more than half of the draws are undefined.
    """
    if n_clusters < 2:
        return None
    values = np.concatenate([statistic(block) for block in draws(n_clusters, resamples, seed)])
    defined = values[~np.isnan(values)]
    if 2 * len(defined) < resamples:
        return None
    tail = (1 - COVERAGE) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return Interval(round(float(low), DECIMALS), round(float(high), DECIMALS))


def draws(n_clusters: int, resamples: int, seed: int) -> Iterator[Floats]:
    """How often each cluster is drawn in each resample, as blocks of shape (draws, n_clusters).

    Every row sums to `n_clusters`. Two statistics that are handed the same arguments see the same
    resamples, so that their difference is a paired one.
    """
    stream = np.random.PCG64(seed)
    rows = max(1, BLOCK // n_clusters)
    for start in range(0, resamples, rows):
        n_rows = min(rows, resamples - start)
        drawn = _below(stream, n_clusters, n_rows * n_clusters)
        drawn += np.repeat(np.arange(n_rows, dtype=np.int64) * n_clusters, n_clusters)
        counts = np.bincount(drawn, minlength=n_rows * n_clusters)
        yield counts.reshape(n_rows, n_clusters).astype(float)


def uniform(stream: np.random.PCG64, size: int) -> Floats:
    """`size` numbers in [0, 1) from the promised raw stream: its upper 53 bits."""
    raw = np.asarray(stream.random_raw(size), dtype=np.uint64)
    result: Floats = (raw >> np.uint64(11)).astype(float) * 2.0**-53
    return result


def _below(stream: np.random.PCG64, limit: int, size: int) -> Integers:
    result: Integers = (uniform(stream, size) * limit).astype(np.int64)
    return result


def numbered(clusters: Sequence[str]) -> tuple[list[str], Integers]:
    """The names of the clusters, sorted, and for each value the index of its own."""
    names = sorted(set(clusters))
    index = {name: number for number, name in enumerate(names)}
    return names, np.array([index[name] for name in clusters], dtype=np.int64)
