"""Whether a mean of paired differences is 0: sign flips over sources, with the interval of the same
test, and Holm's adjustment over several tests.

Under a hypothesised mean δ the differences x_i − δ of the m sources are as likely with the other
sign. With A = Σ x_i, and a = Σ s_i x_i and b = Σ s_i of a vector of signs s, the flipped sum is as
far from 0 as the real one, |a − δb| ≥ |A − δm|, for every δ between (A − a)/(m − b) and
(A + a)/(m + b), whichever is larger. All these intervals hold the mean A/m, so p(δ) falls on both
sides of it, and the δ that are not rejected lie between two order statistics of those ends.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ...data.arrays import Floats
from ...data.statistics.intervals import BLOCK, COVERAGE, DECIMALS, SEED, Interval, numbered
from .accuracy_estimates import Estimate

EXACT_SOURCES = 14  # 2^14 sign vectors are fewer than the random ones
SIGN_FLIPS = 20_000
LEVEL = 1 - COVERAGE
SAME = 1e-12  # two sums of the same differences in another order differ by less


@dataclass(frozen=True, slots=True)
class SignFlip(Estimate):
    """A test of whether a mean of differences is 0, by flipping the sign of whole sources.

    Attributes:
        p: two-sided.
        floor: the smallest p that is possible with so many sources.
        mean: over sources, which all weigh the same.
        limits: the means that the test does not reject at 5 %, which do not include 0 if and only
            if p < .05; None where so few sources reject nothing.
    """

    p: float
    floor: float
    mean: float = 0.0
    limits: Interval | None = None


def sign_flip(differences: Sequence[float], sources: Sequence[str]) -> SignFlip | None:
    """Tests T = mean over sources of the mean difference within a source; None without items.

    p is the share of sign vectors with |T*| ≥ |T|: all of them up to `EXACT_SOURCES` sources, else
    `SIGN_FLIPS` random ones, with 1 added above and below. Its floor is 2^(1 − sources), or that of
    the sampling.
    """
    if not differences:
        return None
    names, owner = numbered(sources)
    m = len(names)
    sums = np.bincount(owner, weights=np.asarray(differences, dtype=float), minlength=m)
    means = sums / np.bincount(owner, minlength=m)
    real = float(means.sum())
    blocks = [all_signs(m)] if m <= EXACT_SOURCES else _random_signs(m)
    flipped = [(signs @ means, signs.sum(axis=1)) for signs in blocks]
    a, b = (np.concatenate(column) for column in zip(*flipped, strict=True))
    n_extreme = int((np.abs(a) >= abs(real) - SAME * m).sum())
    if m <= EXACT_SOURCES:
        p, floor, needed = n_extreme / len(a), 2.0 ** (1 - m), math.ceil(LEVEL * len(a) - SAME)
    else:
        p, floor = (1 + n_extreme) / (1 + len(a)), 1 / (1 + len(a))
        needed = math.ceil(LEVEL * (1 + len(a)) - SAME) - 1
    bounded = np.abs(b) < m  # the flips of none and of all sources reject no mean
    ends = np.full((2, len(a)), np.inf)
    a, b = a[bounded], b[bounded]
    ends[:, bounded] = np.stack([(real - a) / (m - b), (real + a) / (m + b)])
    lows = np.where(bounded, ends.min(axis=0), -np.inf)
    # Below the mean a flip accepts δ from its lower end on, above it up to its upper end.
    low = float(np.partition(lows, needed - 1)[needed - 1])
    high = -float(np.partition(-ends.max(axis=0), needed - 1)[needed - 1])
    finite = math.isfinite(low) and math.isfinite(high)
    interval = Interval(round(low, DECIMALS), round(high, DECIMALS)) if finite else None
    return SignFlip(p, floor, real / m, interval)


def all_signs(n: int) -> Floats:
    """Return every vector of signs, of shape (2^n, n)."""
    bits = (np.arange(1 << n)[:, None] >> np.arange(n)[None, :]) & 1
    result: Floats = 1.0 - 2.0 * bits.astype(float)
    return result


def _random_signs(n: int) -> Iterator[Floats]:
    """`SIGN_FLIPS` random vectors of signs, as blocks of shape (flips, n)."""
    rows = max(1, BLOCK // n)
    for start in range(0, SIGN_FLIPS, rows):
        bits = np.unpackbits(_random_bits(n)[start : start + rows], axis=1, count=n)
        signs = bits.astype(np.float64)
        yield 2.0 * signs - 1.0


@lru_cache(maxsize=16)
def _random_bits(n: int) -> NDArray[np.uint8]:
    """The same for every test of n sources: a bit a sign, 1 for +; n / 8 columns, rounded up."""
    stream = np.random.PCG64(SEED)
    rows = max(1, BLOCK // n)
    sizes = [min(rows, SIGN_FLIPS - start) for start in range(0, SIGN_FLIPS, rows)]
    return np.concatenate([
        np.packbits(stream.random_raw(size * n).reshape(size, n) >= np.uint64(1 << 63), axis=1)
        for size in sizes
    ])  # fmt: skip


def holm(ps: Sequence[float | None]) -> tuple[float | None, ...]:
    """p-values adjusted for how many there are (Holm 1979), in the order given; None stays None.

    Sorted, the k-th of m (from 1) is multiplied by m − k + 1, then made no smaller than the one
    before and no larger than 1.
    """
    ranked = sorted((p, index) for index, p in enumerate(ps) if p is not None)
    adjusted: list[float | None] = [None] * len(ps)
    highest = 0.0
    for rank, (p, index) in enumerate(ranked):
        highest = max(highest, min(1.0, p * (len(ranked) - rank)))
        adjusted[index] = highest
    return tuple(adjusted)
