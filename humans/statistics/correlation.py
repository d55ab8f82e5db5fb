"""Spearman's rho of people with a model: what it is, whether chance would do it, how sure it is.

A p-value by permutation says what was permuted. The schemes are named:

- `free`: any item's value may go to any other: is there any association at all?
- `within`: values change places inside their source: do the nonce variants of one original that
  people find harder have smaller margins, too?
- `sources`: whole sources change places, each with its items in their order (only with sources of
  as many items): are the hard originals hard for both?
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from colorless_green.humans.statistics import rank
from colorless_green.humans.statistics.rank import (
    Ties,
    centred,
    mid_ranks,
    spearman,
    weighted_correlation,
)
from colorless_green.nonce.intervals import (
    RESAMPLES,
    SEED,
    Floats,
    Integers,
    Interval,
    bootstrap,
    numbered,
    uniform,
)

PERMUTATIONS = 5_000
SAME = 1e-12  # two sums of the same differences in another order differ by less
FREE, WITHIN, SOURCES = "free", "within", "sources"

Shuffles: TypeAlias = Callable[[Integers, int, np.random.PCG64], Integers]
"""(source of each item, how many, stream) → indices of shape (how many, items): row by row, whose
value each item gets."""


@dataclass(frozen=True, slots=True)
class Correlation:
    """Spearman's rho between two columns of items, with what it is worth."""

    rho: float
    p: float  # two-sided, by permutation of items; never below 1 / (PERMUTATIONS + 1)
    low: float | None  # cluster bootstrap; None with fewer than two clusters
    high: float | None
    n_items: int


def correlation(
    x: Sequence[float], y: Sequence[float], clusters: Sequence[str], *, seed: int = SEED
) -> Correlation | None:
    """Spearman's rho with permutation p and cluster-bootstrap interval; None for "no variation".

    The i-th item has values `x[i]` and `y[i]` and belongs to `clusters[i]`.
    """
    rho = spearman(x, y)
    p = permutation_p(x, y, clusters, seed=seed)
    if rho is None or p is None:
        return None
    limits = spearman_interval(x, y, clusters, seed=seed)
    return Correlation(
        rho=rho,
        p=p,
        low=limits.low if limits else None,
        high=limits.high if limits else None,
        n_items=len(x),
    )


def permutation_p(
    x: Sequence[float],
    y: Sequence[float],
    clusters: Sequence[str],
    *,
    scheme: str = FREE,
    permutations: int = PERMUTATIONS,
    seed: int = SEED,
) -> float | None:
    """Two-sided p of Spearman's rho: (1 + #{|rho*| ≥ |rho|}) / (permutations + 1).

    rho* is that of `y` permuted by `scheme`. None where a side does not vary, or where the scheme
    leaves every value in its place (each source has one item; no two sources are of one size).
    """
    if spearman(x, y) is None:
        return None
    a, b = centred(mid_ranks(x)), centred(mid_ranks(y))
    _, owner = numbered(clusters)
    if not _moves(owner, scheme):
        return None
    observed = abs(float((a * b).sum()))
    limit = observed - SAME * max(1.0, observed)
    stream = np.random.PCG64(seed)
    n_extreme = 0
    for n_rows in _rows(permutations, len(a)):
        permuted = b[SCHEMES[scheme](owner, n_rows, stream)]
        n_extreme += int((np.abs((permuted * a).sum(axis=1)) >= limit).sum())
    return (1 + n_extreme) / (permutations + 1)


def _moves(owner: Integers, scheme: str) -> bool:
    sizes = np.bincount(owner)
    if scheme == WITHIN:
        return bool((sizes > 1).any())
    if scheme == SOURCES:
        return len(set(sizes.tolist())) < len(sizes)
    return len(owner) > 1


def _rows(n_rows: int, width: int) -> Iterator[int]:
    """`n_rows` in blocks that fit in memory."""
    step = max(1, rank.BLOCK // width)
    for start in range(0, n_rows, step):
        yield min(step, n_rows - start)


def _free(owner: Integers, n_rows: int, stream: np.random.PCG64) -> Integers:
    keys = uniform(stream, n_rows * len(owner)).reshape(n_rows, len(owner))
    result: Integers = np.argsort(keys, axis=1, kind="stable")
    return result


def _within(owner: Integers, n_rows: int, stream: np.random.PCG64) -> Integers:
    """Sorted by source and then by chance, the items of a source take one another's places."""
    order = np.argsort(owner, kind="stable")
    keys = uniform(stream, n_rows * len(owner)).reshape(n_rows, len(owner))
    result = np.empty((n_rows, len(owner)), dtype=np.int64)
    result[:, order] = np.argsort(owner + keys, axis=1, kind="stable")
    return result


def _whole(owner: Integers, n_rows: int, stream: np.random.PCG64) -> Integers:
    """Sources of one size change places; the k-th item of one gets the k-th of the other."""
    result = np.empty((n_rows, len(owner)), dtype=np.int64)
    sizes = np.bincount(owner)
    order = np.argsort(owner, kind="stable")
    starts = np.cumsum(sizes) - sizes
    for size in sorted(set(sizes.tolist()) - {0}):
        blocks = order[starts[sizes == size][:, None] + np.arange(size)]  # (sources, size)
        keys = uniform(stream, n_rows * len(blocks)).reshape(n_rows, len(blocks))
        swapped = np.argsort(keys, axis=1, kind="stable")
        result[:, blocks.ravel()] = blocks[swapped].reshape(n_rows, -1)
    return result


SCHEMES: Mapping[str, Shuffles] = {FREE: _free, WITHIN: _within, SOURCES: _whole}


def spearman_interval(
    x: Sequence[float],
    y: Sequence[float],
    clusters: Sequence[str],
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    cells: int = rank.BLOCK,
) -> Interval | None:
    """Percentile bootstrap of Spearman's rho over clusters, ranks taken anew in each resample.

    Resamples in which a side does not vary are left out; None where that is most of them, or with
    fewer than two clusters. `cells` bounds the matrices that are held at once, and changes nothing.
    """
    names, owner = numbered(clusters)
    left, right = Ties.of(x), Ties.of(y)

    def rhos(weights: Floats) -> Floats:
        rows = max(1, cells // len(owner))
        parts = [weights[start : start + rows] for start in range(0, len(weights), rows)]
        return np.concatenate([by_item(part[:, owner]) for part in parts])

    def by_item(drawn: Floats) -> Floats:
        return weighted_correlation(left.ranks(drawn), right.ranks(drawn), drawn)

    return bootstrap(rhos, len(names), resamples=resamples, seed=seed)
