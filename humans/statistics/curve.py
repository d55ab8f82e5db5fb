"""Accuracy against a number that an item has: its attractors, or the distance it bridges."""

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The items that have one value."""

    level: str  # "0", "1", …; "3+" for that many or more
    n_items: int
    mean: float
    se: float | None  # standard error over items, sd (n − 1) / √n; None for a single item


def curve(levels: Sequence[int], values: Sequence[float], *, last: int) -> tuple[CurvePoint, ...]:
    """Means of `values` for each of `levels`, in rising order; those from `last` on are one point.

    The standard error is that of Gulordava et al. 2018, Figure 2: over items, as if those of one
    source were independent. A level without items has no point.
    """
    groups: dict[int, list[float]] = {}
    for level, value in zip(levels, values, strict=True):
        groups.setdefault(min(level, last), []).append(value)
    return tuple(
        CurvePoint(
            level=f"{level}+" if level == last else str(level),
            n_items=len(own),
            mean=math.fsum(own) / len(own),
            se=_standard_error(own),
        )
        for level, own in sorted(groups.items())
    )


def _standard_error(values: Sequence[float]) -> float | None:
    n = len(values)
    if n < 2:
        return None
    mean = math.fsum(values) / n
    return math.sqrt(math.fsum((each - mean) ** 2 for each in values) / (n - 1) / n)
