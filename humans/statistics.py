"""The statistics of models beside people; NumPy only, seeded, vectorised over resamples.

Everything here takes plain numbers. `None` stands for "undefined": a correlation with a constant
is none, not 0.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from colorless_green.humans.judgment import Tally
from colorless_green.nonce.intervals import (
    RESAMPLES,
    SEED,
    Floats,
    Integers,
    Interval,
    bootstrap,
    cluster_interval,
    numbered,
    uniform,
)

PERMUTATIONS = 5_000
EXACT_SOURCES = 14  # 2^14 sign vectors are fewer than the random ones
SIGN_FLIPS = 20_000
Z_95 = 1.959964  # 97.5 % quantile of the normal distribution
SAME = 1e-12  # two sums of the same differences in another order differ by less
BLOCK = 1 << 21  # cells of a matrix held at once


def item_accuracy(tallies: Sequence[Tally]) -> float | None:
    """The paper's accuracy: the share of right answers of each item, averaged over items.

    Items without answers are left out; None where no item has any (Gulordava et al. 2018, §5).
    """
    shares = [each.right / each.total for each in tallies if each.total]
    return math.fsum(shares) / len(shares) if shares else None


def pooled_accuracy(tallies: Sequence[Tally]) -> float | None:
    """All right answers over all answers; None without answers. Items with more people weigh more,
    so it differs from `item_accuracy` where their number varies."""
    total = sum(each.total for each in tallies)
    return sum(each.right for each in tallies) / total if total else None


def item_interval(tallies: Sequence[Tally]) -> Interval | None:
    """Cluster bootstrap of `item_accuracy` over sources."""
    answered = [each for each in tallies if each.total]
    shares = [each.right / each.total for each in answered]
    return cluster_interval(shares, [each.source for each in answered]) if answered else None


def wilson(right: int, total: int) -> Interval | None:
    """95 % interval of a proportion (Wilson 1927); treats judgments as independent, which those of
    one item or one source are not. None for a total of 0."""
    if total == 0:
        return None
    share, z = right / total, Z_95
    scale = 1 + z * z / total
    centre = (share + z * z / (2 * total)) / scale
    half = z / scale * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return Interval(max(0.0, centre - half), min(1.0, centre + half))


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
    if rho is None:
        return None
    limits = spearman_interval(x, y, clusters, seed=seed)
    return Correlation(
        rho=rho,
        p=permutation_p(x, y, seed=seed),
        low=limits.low if limits else None,
        high=limits.high if limits else None,
        n_items=len(x),
    )


def mid_ranks(values: Sequence[float]) -> Floats:
    """Ranks from 1, shape (len(values),); equal values share the mean of theirs."""
    array = np.asarray(values, dtype=float)
    _, group, sizes = np.unique(array, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    result: Floats = (last - (sizes - 1) / 2)[group]
    return result


def spearman(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Spearman's rho with mid-ranks for ties; None where either side is empty or does not vary."""
    if not len(x):
        return None
    a, b = _centred(mid_ranks(x)), _centred(mid_ranks(y))
    scale = math.sqrt(math.fsum(a * a) * math.fsum(b * b))
    return math.fsum(a * b) / scale if scale > 0 else None


def permutation_p(x: Sequence[float], y: Sequence[float], *, seed: int = SEED) -> float:
    """Two-sided p of Spearman's rho: (1 + #{|rho*| ≥ |rho|}) / (PERMUTATIONS + 1).

    rho* is that of `y` permuted over all items, which asks whether any association at all is there
    (not whether it holds within or between sources). Both sides must vary.
    """
    a, b = _centred(mid_ranks(x)), _centred(mid_ranks(y))
    observed = abs(float((a * b).sum()))
    limit = observed - SAME * max(1.0, observed)
    stream = np.random.PCG64(seed)
    rows = max(1, BLOCK // len(a))
    n_extreme = 0
    for start in range(0, PERMUTATIONS, rows):
        n_rows = min(rows, PERMUTATIONS - start)
        keys = uniform(stream, n_rows * len(b)).reshape(n_rows, len(b))
        shuffled = b[np.argsort(keys, axis=1, kind="stable")]
        n_extreme += int((np.abs((shuffled * a).sum(axis=1)) >= limit).sum())
    return (1 + n_extreme) / (PERMUTATIONS + 1)


def spearman_interval(
    x: Sequence[float],
    y: Sequence[float],
    clusters: Sequence[str],
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Interval | None:
    """Percentile bootstrap of Spearman's rho over clusters, ranks taken anew in each resample.

    Resamples in which a side does not vary are left out; None where that is most of them, or with
    fewer than two clusters.
    """
    names, owner = numbered(clusters)
    left, right = _Ties.of(x), _Ties.of(y)

    def rhos(weights: Floats) -> Floats:
        rows = max(1, BLOCK // len(owner))
        parts = [weights[start : start + rows] for start in range(0, len(weights), rows)]
        return np.concatenate([by_item(part[:, owner]) for part in parts])

    def by_item(drawn: Floats) -> Floats:
        return _weighted_correlation(left.ranks(drawn), right.ranks(drawn), drawn)

    return bootstrap(rhos, len(names), resamples=resamples, seed=seed)


@dataclass(frozen=True, slots=True)
class _Ties:
    """Which items have equal values, in rising order of the values."""

    order: Integers  # (items,): indices of the items, sorted by value
    starts: Integers  # (groups,): where in `order` each run of equal values begins
    group: Integers  # (items,): the run that an item belongs to

    @staticmethod
    def of(values: Sequence[float]) -> "_Ties":
        array = np.asarray(values, dtype=float)
        _, starts, group = np.unique(np.sort(array), return_index=True, return_inverse=True)
        order = np.argsort(array, kind="stable")
        back = np.empty_like(group)
        back[order] = group
        return _Ties(order, starts, back)

    def ranks(self, weights: Floats) -> Floats:
        """Mid-ranks of a sample that has item i `weights[:, i]` times; shape as `weights`."""
        sizes = np.add.reduceat(weights[:, self.order], self.starts, axis=1)
        result: Floats = (np.cumsum(sizes, axis=1) - (sizes - 1) / 2)[:, self.group]
        return result


def _weighted_correlation(a: Floats, b: Floats, weights: Floats) -> Floats:
    """Pearson's r by row, of shape (draws,); NaN where a side does not vary. (draws, items)."""
    total = weights.sum(axis=1, keepdims=True)
    from_a: Floats = a - (weights * a).sum(axis=1, keepdims=True) / total
    from_b: Floats = b - (weights * b).sum(axis=1, keepdims=True) / total
    of_a, of_b = (weights * from_a**2).sum(axis=1), (weights * from_b**2).sum(axis=1)
    scale = np.sqrt(of_a * of_b)
    top: Floats = (weights * from_a * from_b).sum(axis=1)
    result: Floats = np.divide(top, scale, out=np.full_like(top, np.nan), where=scale > 1e-9)
    return result


def _centred(values: Floats) -> Floats:
    result: Floats = values - values.mean()
    return result


@dataclass(frozen=True, slots=True)
class SignFlip:
    """Whether a mean of differences is 0, by flipping the sign of whole sources."""

    p: float  # two-sided
    floor: float  # the smallest p that so many sources can give
    exact: bool  # all sign vectors, not a random sample of them


def sign_flip(
    differences: Sequence[float], sources: Sequence[str], *, seed: int = SEED
) -> SignFlip | None:
    """Tests T = mean over sources of the mean difference within a source; None without items.

    p is the share of sign vectors with |T*| ≥ |T|: all of them up to `EXACT_SOURCES` sources, else
    `SIGN_FLIPS` random ones, with 1 added above and below. Its floor is 2^(1 − sources), or that of
    the sampling.
    """
    if not differences:
        return None
    names, owner = numbered(sources)
    sums = np.bincount(owner, weights=np.asarray(differences, dtype=float), minlength=len(names))
    means = sums / np.bincount(owner, minlength=len(names))
    limit = abs(float(means.sum())) - SAME * len(names)
    exact = len(names) <= EXACT_SOURCES
    signs = [_all_signs(len(names))] if exact else _random_signs(len(names), seed)
    blocks: Iterable[Floats] = signs
    n_extreme = sum(int((np.abs((block * means).sum(axis=1)) >= limit).sum()) for block in blocks)
    if exact:
        return SignFlip(n_extreme / (1 << len(names)), 2.0 ** (1 - len(names)), True)
    return SignFlip((1 + n_extreme) / (1 + SIGN_FLIPS), 1 / (1 + SIGN_FLIPS), False)


def _all_signs(n: int) -> Floats:
    """Every vector of signs, of shape (2^n, n)."""
    bits = (np.arange(1 << n)[:, None] >> np.arange(n)[None, :]) & 1
    result: Floats = 1.0 - 2.0 * bits.astype(float)
    return result


def _random_signs(n: int, seed: int) -> Iterator[Floats]:
    """`SIGN_FLIPS` random vectors of signs, as blocks of shape (flips, n)."""
    stream = np.random.PCG64(seed)
    rows = max(1, BLOCK // n)
    for start in range(0, SIGN_FLIPS, rows):
        n_rows = min(rows, SIGN_FLIPS - start)
        numbers = uniform(stream, n_rows * n).reshape(n_rows, n)
        yield np.where(numbers < 0.5, -1.0, 1.0)


def holm(ps: Sequence[float | None]) -> tuple[float | None, ...]:
    """p-values adjusted for how many there are (Holm 1979), in the order given; None stays None.

    Sorted, the k-th of m (from 1) is multiplied by m − k + 1, then made no smaller than the one
    before and no larger than 1.
    """
    ranked = sorted((p, place) for place, p in enumerate(ps) if p is not None)
    adjusted: list[float | None] = [None] * len(ps)
    highest = 0.0
    for rank, (p, place) in enumerate(ranked):
        highest = max(highest, min(1.0, p * (len(ranked) - rank)))
        adjusted[place] = highest
    return tuple(adjusted)
