"""An exact binomial test, adjustments for several tests, and the interval of a rate. Standard
library alone; the tests hold them equal to SciPy."""

import math
from collections.abc import Sequence

Z_95 = 1.959963984540054  # 97.5 % point of the normal distribution


def upper_tail(n_hits: int, n: int, rate: float) -> float:
    """Return P(X ≥ n_hits) for X binomial with `n` trials of probability `rate`: the one-sided
    exact test's p. 1 for no hits, 0 where more hits than the rate allows (rate 0, some hits)."""
    if n_hits <= 0:
        return 1.0
    if rate <= 0 or n_hits > n:
        return 0.0
    if rate >= 1:
        return 1.0
    if n_hits > n * rate:
        return min(1.0, _sum_up(n_hits, n, rate))
    return max(0.0, 1.0 - _sum_up(n - n_hits + 1, n, 1 - rate))


def _sum_up(start: int, n: int, rate: float) -> float:
    """Return Σ P(X = k) for k from `start`, which lies above the mean, so that the terms fall."""
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
        if terms[-1] < 1e-18:  # far below what a double can add to the sum
            break
    return math.exp(log_first + math.log(math.fsum(terms)))


def fdr_adjusted(p_values: Sequence[float]) -> list[float]:
    """Return the Benjamini–Hochberg q for each p, in the order given: the smallest false-discovery
    rate at which its hypothesis would be rejected (Benjamini & Hochberg 1995)."""
    n = len(p_values)
    order = sorted(range(n), key=lambda index: p_values[index], reverse=True)
    q_values = [1.0] * n
    lowest = 1.0
    for rank, index in enumerate(order):
        lowest = min(lowest, p_values[index] * n / (n - rank))
        q_values[index] = lowest
    return q_values


def holm(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Return p-values adjusted for how many there are (Holm 1979), in the order given; None stays
    None.

    Sorted, the k-th of m (from 1) is multiplied by m − k + 1, then made no smaller than the one
    before and no larger than 1.
    """
    ranked = sorted((p, index) for index, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, index) in enumerate(ranked):
        highest = max(highest, min(1.0, p * (len(ranked) - rank)))
        adjusted[index] = highest
    return tuple(adjusted)


def wilson_limits(mean: float, n: float, quantile: float = Z_95) -> tuple[float, float]:
    """Return the limits of the score interval of a mean of `n` cases (Wilson 1927), which also
    holds near 0 and 1; `quantile` is that of the standardised error, and by default 95 % are
    covered."""
    spread = quantile / n * quantile  # no overflow, however few the degrees of freedom
    middle = (mean + spread / 2) / (1 + spread)
    half = math.sqrt(mean * (1 - mean) * spread + spread / 4 * spread) / (1 + spread)
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return 0.0 if mean == 0 else low, 1.0 if mean == 1 else high
