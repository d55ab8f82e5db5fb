"""Student's t, with any number of degrees of freedom above 0. Standard library alone; the tests
hold it equal to SciPy."""

import math
from functools import lru_cache
from statistics import NormalDist

NORMAL = NormalDist()
TINY = 1e-300
STEPS = 300  # of the continued fraction; some twenty are needed


def two_sided_p(t: float, df: float = math.inf) -> float:
    """Return P(|T| ≥ |t|) of Student's t; of infinitely many degrees of freedom of the normal."""
    if not math.isfinite(df):
        return math.erfc(abs(t) / math.sqrt(2))
    if t == 0:
        return 1.0
    square = t * t
    return _incomplete_beta(df / 2, 0.5, df / (df + square), square / (df + square))


def _incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b), `rest` being 1 − x, by Lentz's
    continued fraction (Press et al. 2007, §6.4)."""
    if x > (a + 1) / (a + b + 2):
        return 1.0 - _incomplete_beta(b, a, rest, x)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) - math.log(a)
    log_front += a * math.log(x) + b * math.log(rest) if x > 0 else -math.inf
    c, d = 1.0, 1.0 / _nonzero(1.0 - (a + b) * x / (a + 1))
    fraction = d
    for m in range(1, STEPS):
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
    return value if abs(value) > TINY else TINY


@lru_cache(maxsize=1 << 14)
def critical_t(alpha: float, df: float = math.inf) -> float:
    """Return the t that |T| exceeds with probability `alpha`, which is above 0.

    Newton's steps on the logarithms of both: there the tail is nearly straight.
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
