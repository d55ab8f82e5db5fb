"""How values spread, told by what share of them lies below: nothing is assumed of their shape."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import quantiles


@dataclass(frozen=True, slots=True)
class Spread:
    """The values below which 5, 25, 50, 75 and 95 per cent of `n` values lie."""

    n: int
    p05: float
    p25: float
    p50: float
    p75: float
    p95: float


def spread(values: Sequence[float]) -> Spread | None:
    """Quantiles between which one interpolates linearly, the least value at 0 and the greatest at
    1 (type 7 of Hyndman and Fan 1996); None without values."""
    if not values:
        return None
    twentieths = quantiles([*values, *values[: len(values) == 1]], n=20, method="inclusive")
    return Spread(len(values), *(twentieths[place] for place in (0, 4, 9, 14, 18)))
