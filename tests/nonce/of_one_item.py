"""What `judge` says of one item."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from colorless_green.data import Formula, judge

Values = Mapping[tuple[str, str], float]


def credit(formula: Formula, values: Values) -> float:
    return float(judge(formula, _columns(values)).credit[0])


def holds(formula: Formula, values: Values) -> bool:
    """Whether it holds, a tie counted as false."""
    return bool(judge(formula, _columns(values), ties="wrong").credit[0])


def margin(formula: Formula, values: Values) -> float:
    return float(judge(formula, _columns(values)).margin[0])


def has_tie(formula: Formula, values: Values) -> bool:
    return bool(judge(formula, _columns(values)).tie[0])


def undefined(formula: Formula, values: Values) -> bool:
    return bool(judge(formula, _columns(values)).undefined[0])


def _columns(values: Values) -> dict[tuple[str, str], NDArray[np.float64]]:
    return {cell: np.array([value], float) for cell, value in values.items()}
