"""Tests of differences between accuracies, each with an interval by the same test.

So the 95 % interval contains 0 if and only if p is not below .05.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from .intervals import (
    COVERAGE,
    DECIMALS,
    MATRIX_ENTRIES,
    SEED,
    Interval,
    Proportion,
    number_clusters,
)

MAX_EXACT_SOURCES = 14  # clusters of which all sign vectors (2^14) are fewer than SIGN_FLIPS
SIGN_FLIPS = 20_000  # number of random sign vectors
LEVEL = 1 - COVERAGE  # significance level of the tests
NOISE = 1e-12  # the same sum added up in another order differs by less
LEAST_P = 1e-15  # where the search for p ends
SQUARE_AND_ADD = "square-and-add of both intervals"
FLIPS = "sign flips over sources"


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference of two means, with its test.

    Attributes:
        value: the difference.
        limits: the range of differences that the test does not reject at 5 %; None without a test,
            and if there are too few sources to reject any.
        p: two-sided p of no difference; None without a test.
        method: name of the test.
        floor: the smallest p that is possible with so few sources; None if p has no such bound.
    """

    value: float
    limits: Interval | None
    p: float | None
    method: str
    floor: float | None = None

    @staticmethod
    def between(value: float, low: float, high: float, p: float, method: str) -> "Difference":
        """Return a difference of two shares, its limits cut off at −1 and 1."""
        ends = round(max(-1.0, low), DECIMALS), round(min(1.0, high), DECIMALS)
        return Difference(value, Interval(*ends), p, method)

    @property
    def sign(self) -> int:
        """1 if the interval lies above 0, −1 if below, else 0."""
        if self.limits is None or self.limits.low <= 0 <= self.limits.high:
            return 0
        return 1 if self.value > 0 else -1

    @property
    def low(self) -> float | None:
        """The lower end of the interval."""
        return self.limits.low if self.limits else None

    @property
    def high(self) -> float | None:
        """The upper end of the interval."""
        return self.limits.high if self.limits else None


def square_and_add(first: Proportion, second: Proportion) -> Difference:
    """Compare two independent proportions by means of the interval of each (Newcombe 1998; Zou &
    Donner 2008).

    Args:
        first: a proportion, such as people's accuracy.
        second: another one, such as a model's accuracy.

    Returns:
        The first minus the second; p is the level at which the interval reaches 0.
    """
    value = first.mean - second.mean

    def limits(alpha: float) -> tuple[float, float]:
        """Return the interval of the difference with coverage 1 − `alpha`."""
        (low, high), (other_low, other_high) = first.limits(alpha), second.limits(alpha)
        below = math.hypot(first.mean - low, other_high - second.mean)
        above = math.hypot(high - first.mean, second.mean - other_low)
        return value - below, value + above

    def nearer_limit(log_alpha: float) -> float:
        """Return the limit on the side of 0, with the opposite sign if the value is negative: it
        rises with alpha, and is 0 where the interval reaches 0."""
        low, high = limits(math.exp(log_alpha))
        return low if value > 0 else -high

    log_p = _root(nearer_limit, math.log(LEAST_P)) if abs(value) > NOISE else 0.0
    return Difference.between(value, *limits(LEVEL), math.exp(log_p), SQUARE_AND_ADD)


def _root(rising: Callable[[float], float], low: float, high: float = 0.0) -> float:
    """Return the argument between `low` and `high` at which a rising function is 0.

    If it is not negative at `low`, `low` is returned. The method is regula falsi (Illinois).
    """
    at_low, at_high = rising(low), rising(high)
    if at_low >= 0:
        return low
    last_moved = 0  # -1: `low`, 1: `high`; if the same end moves twice, the other value is halved
    for _ in range(100):
        x = (low * at_high - high * at_low) / (at_high - at_low)  # where the chord crosses 0
        y = rising(x)
        if y < 0:
            low, at_low = x, y
            at_high = at_high / 2 if last_moved < 0 else at_high
            last_moved = -1
        else:
            high, at_high = x, y
            at_low = at_low / 2 if last_moved > 0 else at_low
            last_moved = 1
        if high - low < 1e-9 or abs(y) < 1e-13:
            break
    return x


def sign_flip(
    differences: Sequence[float] | Floats,
    clusters: Sequence[str],
    weights: Sequence[float] | Floats | None = None,
) -> Difference | None:
    """Test whether a mean of differences is 0, by flipping the signs of whole clusters.

    Cluster k has M_k values with the sum x_k. If the true mean is δ, then x_k − δ M_k is as likely
    with the opposite sign. Let A = Σ x_k and n = Σ M_k, and for a vector of signs s let a = Σ s_k
    x_k and b = Σ s_k M_k. The flipped sum is at least as far from 0 as the real one, |a − δb| ≥
    |A − δn|, for every δ between (A − a)/(n − b) and (A + a)/(n + b). All these intervals contain
    the mean A/n. So p(δ) falls on both sides of the mean, and the δ that are not rejected lie
    between two order statistics of the intervals' ends.

    Args:
        differences: the difference of each item.
        clusters: the cluster of each item, by name.
        weights: the weight of each difference in the mean; None: all weigh the same.

    Returns:
        The mean with its test; None without items. p is the share of sign vectors whose sum is at
        least as far from 0: of all vectors up to `MAX_EXACT_SOURCES` clusters, else of `SIGN_FLIPS`
        random ones, with 1 added to numerator and denominator. The floor of p is 2^(1 − clusters),
        or that of the sampling.
    """
    if not len(differences):
        return None
    names, cluster = number_clusters(clusters)
    n_clusters = len(names)
    weight = np.ones(len(cluster)) if weights is None else np.asarray(weights, dtype=float)
    # x and M of the docstring, and their sums A and n
    sums = np.bincount(cluster, weight * np.asarray(differences, dtype=float), n_clusters)
    sizes = np.bincount(cluster, weight, n_clusters)
    total, n = float(sums.sum()), float(sizes.sum())
    is_exact = n_clusters <= MAX_EXACT_SOURCES
    blocks = [all_signs(n_clusters)] if is_exact else _random_signs(n_clusters)
    flipped = [(signs @ sums, signs @ sizes) for signs in blocks]
    a, b = (np.concatenate(column) for column in zip(*flipped, strict=True))
    n_flips = len(a)
    n_extreme = int((np.abs(a) >= abs(total) - NOISE * n).sum())
    if is_exact:
        p, floor = n_extreme / n_flips, 2.0 ** (1 - n_clusters)
        rank = math.ceil(LEVEL * n_flips - NOISE)  # of the order statistics that are the limits
    else:
        p, floor = (1 + n_extreme) / (1 + n_flips), 1 / (1 + n_flips)
        rank = math.ceil(LEVEL * (1 + n_flips) - NOISE) - 1
    bounded = np.abs(b) < n * (1 - NOISE)  # flips of no and of all clusters reject no δ
    ends = np.full((2, n_flips), np.inf)
    a, b = a[bounded], b[bounded]
    ends[:, bounded] = np.stack([(total - a) / (n - b), (total + a) / (n + b)])
    lows = np.where(bounded, ends.min(axis=0), -np.inf)
    # Below the mean a flip accepts δ from its lower end on, above the mean up to its upper end.
    low = float(np.partition(lows, rank - 1)[rank - 1])
    high = -float(np.partition(-ends.max(axis=0), rank - 1)[rank - 1])
    is_finite = math.isfinite(low) and math.isfinite(high)
    interval = Interval(round(low, DECIMALS), round(high, DECIMALS)) if is_finite else None
    return Difference(total / n, interval, p, FLIPS, floor)


def all_signs(n: int) -> Floats:
    """Return every vector of n signs (1 and −1), of shape (2^n, n)."""
    bits = (np.arange(1 << n)[:, None] >> np.arange(n)[None, :]) & 1  # of each number below 2^n
    result: Floats = 1.0 - 2.0 * bits.astype(float)
    return result


def _random_signs(n: int) -> Iterator[Floats]:
    """Yield `SIGN_FLIPS` random vectors of n signs (1 and −1), in blocks of shape (vectors, n)."""
    rows = max(1, MATRIX_ENTRIES // n)
    for start in range(0, SIGN_FLIPS, rows):
        bits = np.unpackbits(_random_bits(n)[start : start + rows], axis=1, count=n)
        signs = bits.astype(np.float64)
        yield 2.0 * signs - 1.0


@lru_cache(maxsize=16)
def _random_bits(n: int) -> NDArray[np.uint8]:
    """Return `SIGN_FLIPS` random vectors of n signs, eight signs a byte, a bit 1 for +.

    They are the same in every test with n clusters.
    """
    stream = np.random.PCG64(SEED)
    rows = max(1, MATRIX_ENTRIES // n)
    sizes = [min(rows, SIGN_FLIPS - start) for start in range(0, SIGN_FLIPS, rows)]
    return np.concatenate([
        # a sign is the highest bit of a random number
        np.packbits(stream.random_raw(size * n).reshape(size, n) >= np.uint64(1 << 63), axis=1)
        for size in sizes
    ])  # fmt: skip
