"""Tests of differences, each with the interval of the same test: an interval holds 0 if and only if
p is not below .05."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from .intervals import BLOCK, COVERAGE, DECIMALS, SEED, Interval, Proportion, numbered

EXACT_SOURCES = 14  # 2^14 sign vectors are fewer than the random ones
SIGN_FLIPS = 20_000
LEVEL = 1 - COVERAGE
SAME = 1e-12  # two sums of the same differences in another order differ by less
LEAST_P = 1e-15
SQUARE_AND_ADD = "square-and-add of both intervals"
FLIPS = "sign flips over sources"


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference with its test.

    Attributes:
        value: of the two means.
        limits: the differences that the test does not reject at 5 %; None where there is no test,
            or where so few sources reject nothing.
        p: two-sided, of no difference; None where there is no test.
        method: of the test.
        floor: the smallest p that is possible with so few sources, where there is one.
    """

    value: float
    limits: Interval | None
    p: float | None
    method: str
    floor: float | None = None

    @staticmethod
    def between(value: float, low: float, high: float, p: float, method: str) -> "Difference":
        """Return a difference of shares, whose limits are within −1 and 1."""
        ends = round(max(-1.0, low), DECIMALS), round(min(1.0, high), DECIMALS)
        return Difference(value, Interval(*ends), p, method)

    @property
    def sign(self) -> int:
        """1 or −1 where the interval is above or below 0, else 0."""
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
    """Compare two independent proportions by their own intervals (Newcombe 1998; Zou & Donner
    2008).

    Args:
        first: as people's accuracy.
        second: as a model's.

    Returns:
        The first minus the second. p is the level at which the interval reaches 0.
    """
    value = first.mean - second.mean

    def limits(alpha: float) -> tuple[float, float]:
        """Return the interval with coverage 1 − `alpha`."""
        (low, high), (other_low, other_high) = first.limits(alpha), second.limits(alpha)
        below = math.hypot(first.mean - low, other_high - second.mean)
        above = math.hypot(high - first.mean, second.mean - other_low)
        return value - below, value + above

    end, sign = (0, 1.0) if value > 0 else (1, -1.0)
    log_p = 0.0
    if abs(value) > SAME:
        log_p = _root(lambda log_alpha: sign * limits(math.exp(log_alpha))[end], math.log(LEAST_P))
    return Difference.between(value, *limits(LEVEL), math.exp(log_p), SQUARE_AND_ADD)


def _root(rising: Callable[[float], float], low: float, high: float = 0.0) -> float:
    """Return where a rising function is 0, by regula falsi (Illinois); the end where it is not."""
    at_low, at_high = rising(low), rising(high)
    if at_low >= 0:
        return low
    side = 0
    for _ in range(100):
        x = (low * at_high - high * at_low) / (at_high - at_low)
        y = rising(x)
        if y < 0:
            low, at_low = x, y
            at_high = at_high / 2 if side < 0 else at_high
            side = -1
        else:
            high, at_high = x, y
            at_low = at_low / 2 if side > 0 else at_low
            side = 1
        if high - low < 1e-9 or abs(y) < 1e-13:
            break
    return x


def sign_flip(
    differences: Sequence[float] | Floats,
    clusters: Sequence[str],
    weights: Sequence[float] | Floats | None = None,
) -> Difference | None:
    """Test whether a mean of differences is 0, by flipping the sign of whole clusters.

    Under a hypothesised mean δ the sums x_k − δ M_k of the clusters, of M_k values, are as likely
    with the other sign. With A = Σ x_k and n = Σ M_k, and a = Σ s_k x_k and b = Σ s_k M_k of a
    vector of signs s, the flipped sum is as far from 0 as the real one, |a − δb| ≥ |A − δn|, for
    every δ between (A − a)/(n − b) and (A + a)/(n + b), whichever is larger. All these intervals
    hold the mean A/n, so p(δ) falls on both sides of it, and the δ that are not rejected lie
    between two order statistics of those ends.

    Args:
        differences: of items.
        clusters: the cluster of each, by name.
        weights: of each difference in the mean; None: all weigh the same.

    Returns:
        The mean with its test; None without items. p is the share of sign vectors with as large a
        sum: all of them up to `EXACT_SOURCES` clusters, else `SIGN_FLIPS` random ones, with 1 added
        above and below. Its floor is 2^(1 − clusters), or that of the sampling.
    """
    if not len(differences):
        return None
    names, owner = numbered(clusters)
    k = len(names)
    weighing = np.ones(len(owner)) if weights is None else np.asarray(weights, dtype=float)
    sums = np.bincount(owner, weighing * np.asarray(differences, dtype=float), k)
    sizes = np.bincount(owner, weighing, k)
    n, real = float(sizes.sum()), float(sums.sum())
    blocks = [all_signs(k)] if k <= EXACT_SOURCES else _random_signs(k)
    flipped = [(signs @ sums, signs @ sizes) for signs in blocks]
    a, b = (np.concatenate(column) for column in zip(*flipped, strict=True))
    n_extreme = int((np.abs(a) >= abs(real) - SAME * n).sum())
    if k <= EXACT_SOURCES:
        p, floor, needed = n_extreme / len(a), 2.0 ** (1 - k), math.ceil(LEVEL * len(a) - SAME)
    else:
        p, floor = (1 + n_extreme) / (1 + len(a)), 1 / (1 + len(a))
        needed = math.ceil(LEVEL * (1 + len(a)) - SAME) - 1
    bounded = np.abs(b) < n * (1 - SAME)  # the flips of none and of all reject no mean
    ends = np.full((2, len(a)), np.inf)
    a, b = a[bounded], b[bounded]
    ends[:, bounded] = np.stack([(real - a) / (n - b), (real + a) / (n + b)])
    lows = np.where(bounded, ends.min(axis=0), -np.inf)
    # Below the mean a flip accepts δ from its lower end on, above it up to its upper end.
    low = float(np.partition(lows, needed - 1)[needed - 1])
    high = -float(np.partition(-ends.max(axis=0), needed - 1)[needed - 1])
    finite = math.isfinite(low) and math.isfinite(high)
    interval = Interval(round(low, DECIMALS), round(high, DECIMALS)) if finite else None
    return Difference(real / n, interval, p, FLIPS, floor)


def all_signs(n: int) -> Floats:
    """Return every vector of signs, of shape (2^n, n)."""
    bits = (np.arange(1 << n)[:, None] >> np.arange(n)[None, :]) & 1
    result: Floats = 1.0 - 2.0 * bits.astype(float)
    return result


def _random_signs(n: int) -> Iterator[Floats]:
    """Yield `SIGN_FLIPS` random vectors of signs, as blocks of shape (flips, n)."""
    rows = max(1, BLOCK // n)
    for start in range(0, SIGN_FLIPS, rows):
        bits = np.unpackbits(_random_bits(n)[start : start + rows], axis=1, count=n)
        signs = bits.astype(np.float64)
        yield 2.0 * signs - 1.0


@lru_cache(maxsize=16)
def _random_bits(n: int) -> NDArray[np.uint8]:
    """Return the bits of the signs of every test of n clusters, 1 for +; n / 8 columns, rounded
    up."""
    stream = np.random.PCG64(SEED)
    rows = max(1, BLOCK // n)
    sizes = [min(rows, SIGN_FLIPS - start) for start in range(0, SIGN_FLIPS, rows)]
    return np.concatenate([
        np.packbits(stream.random_raw(size * n).reshape(size, n) >= np.uint64(1 << 63), axis=1)
        for size in sizes
    ])  # fmt: skip
