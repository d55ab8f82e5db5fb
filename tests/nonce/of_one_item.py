"""What `judge` says of one item."""

import numpy as np

from colorless_green.nonce import Formula, judge
from colorless_green.nonce.formula.columns import Judgment
from colorless_green.nonce.formula.tree import Values


def of_one(formula: Formula, values: Values) -> Judgment:
    return judge(formula, {cell: np.array([value]) for cell, value in values.items()})


def credit(formula: Formula, values: Values) -> float:
    return float(of_one(formula, values).credit[0])


def has_tie(formula: Formula, values: Values) -> bool:
    return bool(of_one(formula, values).tie[0])


def undefined(formula: Formula, values: Values) -> bool:
    return bool(of_one(formula, values).undefined[0])
