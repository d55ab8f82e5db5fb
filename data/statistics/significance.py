"""The exact binomial test, adjustments for several tests, Wilson's interval, and Student's t.

Student's t may have any number of degrees of freedom above 0. All use the standard library alone;
our tests compare them with SciPy.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist

Z_95 = 1.959963984540054  # 97.5 % point of the normal distribution


def upper_tail(n_hits: int, n: int, rate: float) -> float:
    """Return the p of the one-sided exact binomial test: the probability of at least `n_hits` hits
    in `n` trials, each with the probability `rate`."""
    if n_hits <= 0:
        return 1.0
    if rate <= 0 or n_hits > n:
        return 0.0
    if rate >= 1:
        return 1.0
    if n_hits > n * rate:
        return min(1.0, _sum_tail(n_hits, n, rate))
    # below the mean the other tail is summed: at least n − n_hits + 1 misses
    return max(0.0, 1.0 - _sum_tail(n - n_hits + 1, n, 1 - rate))


def _sum_tail(start: int, n: int, rate: float) -> float:
    """Return the binomial probability of at least `start` hits in `n` trials, as a sum of terms.

    `start` must lie above the mean, so that the terms fall.
    """
    log_first = (
        math.lgamma(n + 1)
        - math.lgamma(start + 1)
        - math.lgamma(n - start + 1)
        + start * math.log(rate)
        + (n - start) * math.log1p(-rate)
    )
    terms = [1.0]
    odds = rate / (1 - rate)
    for k in range(start, n):
        terms.append(terms[-1] * (n - k) / (k + 1) * odds)
        if terms[-1] < 1e-18:  # too small to change the sum
            break
    return math.exp(log_first + math.log(math.fsum(terms)))


def fdr_adjusted(p_values: Sequence[float]) -> list[float]:
    """Return the q-value of each p (Benjamini & Hochberg 1995), in the order given.

    It is the smallest false-discovery rate at which the hypothesis would be rejected.
    """
    n = len(p_values)
    order = sorted(range(n), key=lambda index: p_values[index], reverse=True)
    q_values = [1.0] * n
    lowest = 1.0
    for rank, index in enumerate(order):
        lowest = min(lowest, p_values[index] * n / (n - rank))
        q_values[index] = lowest
    return q_values


def holm(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Return p-values adjusted for their number (Holm 1979), in the order given; None stays None.

    The k-th smallest of m is multiplied by m − k + 1, then raised to the one before it if it is
    smaller, and cut off at 1.
    """
    ranked = sorted((p, index) for index, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, index) in enumerate(ranked):
        highest = max(highest, min(1.0, p * (len(ranked) - rank)))
        adjusted[index] = highest
    return tuple(adjusted)


def wilson_limits(mean: float, n: float, quantile: float = Z_95) -> tuple[float, float]:
    """Return the limits of Wilson's score interval (1927) of a mean of `n` cases, between 0 and 1.

    It is valid near 0 and 1, too. `quantile` is that of the standardised error; the default gives
    95 % coverage.
    """
    spread = quantile / n * quantile  # in this order a huge quantile does not overflow
    middle = (mean + spread / 2) / (1 + spread)
    half = math.sqrt(mean * (1 - mean) * spread + spread / 4 * spread) / (1 + spread)
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return 0.0 if mean == 0 else low, 1.0 if mean == 1 else high


NORMAL = NormalDist()
TINY = 1e-300  # stands for 0 as a divisor
MAX_TERMS = 300  # of the continued fraction; some twenty are needed


def two_sided_p(t: float, df: float = math.inf) -> float:
    """Return P(|T| ≥ |t|) for Student's T with `df` degrees of freedom (infinite: the normal)."""
    if not math.isfinite(df):
        return math.erfc(abs(t) / math.sqrt(2))
    if t == 0:
        return 1.0
    square = t * t
    return _incomplete_beta(df / 2, 0.5, df / (df + square), square / (df + square))


def _incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b); `rest` must be 1 − x.

    It is computed by Lentz's continued fraction (Press et al. 2007, §6.4).
    """
    if x > (a + 1) / (a + b + 2):  # by symmetry; the fraction converges slowly there
        return 1.0 - _incomplete_beta(b, a, rest, x)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) - math.log(a)
    log_front += a * math.log(x) + b * math.log(rest) if x > 0 else -math.inf
    c, d = 1.0, 1.0 / _nonzero(1.0 - (a + b) * x / (a + 1))
    fraction = d
    for m in range(1, MAX_TERMS):
        for factor in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1.0 / _nonzero(1.0 + factor * d)
            c = _nonzero(1.0 + factor / c)
            fraction *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return math.exp(log_front) * fraction


def _nonzero(value: float) -> float:
    """Return the value, or TINY if it is so near 0 that dividing by it could overflow."""
    return value if abs(value) > TINY else TINY


@lru_cache(maxsize=1 << 14)
def critical_t(alpha: float, df: float = math.inf) -> float:
    """Return the t that |T| exceeds with probability `alpha`, for Student's T and `alpha` > 0.

    It is found by Newton's method on the logarithms of t and of the probability, where the tail is
    nearly a straight line.
    """
    if alpha >= 1.0:
        return 0.0
    t = -NORMAL.inv_cdf(alpha / 2)
    if not math.isfinite(df):
        return t
    if df > 4:  # the first terms of Cornish and Fisher
        t += (t**3 + t) / (4 * df) + (5 * t**5 + 16 * t**3 + 3 * t) / (96 * df**2)
    log_scale = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - math.log(df * math.pi) / 2
    for _ in range(200):
        p = two_sided_p(t, df)
        density = math.exp(log_scale - (df + 1) / 2 * math.log1p(t * t / df))
        step = (math.log(p) - math.log(alpha)) * p / (2 * density * t)
        t *= math.exp(min(step, 20.0))
        if abs(step) < 1e-10 or t > 1e100:
            break
    return t
