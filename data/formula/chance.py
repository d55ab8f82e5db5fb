"""What chance gives a formula: the share of orders of its values under which it holds.

Chance takes the values of an item to be independent draws from one continuous distribution, so that
every order of them is as likely as any other and no two are equal. Hu et al. 2020 give other
figures for two kinds of formula (5/32 for the polarity suites, less than a quarter for the garden
paths); counted, they are 5/24 and 7/24.
"""

import math
from dataclasses import dataclass

import numpy as np

from ._orders import MOST_ORDERS, N_DRAWS, SEED, held, net, normal_values, share_of_orders
from .evaluation import judge
from .expression import Comparison, Formula, cells_of, comparisons, has_arithmetic


@dataclass(frozen=True, slots=True)
class Chance:
    """The probability that a formula holds, and how it was found."""

    value: float | None  # 0–1; None where it hangs on how large surprisals are
    how: str


def chance_of(formula: Formula) -> Chance:
    """Return the chance: counted over all orders where there is no arithmetic (and no more than
    MOST_ORDERS of them); 1/2 for one inequality whose sides change places when values do; else
    simulated.

    An `=` never holds, unless both its sides are one. An inequality that compares values with a
    number, or more values with fewer, has no chance of its own: it hangs on their size.
    """
    nets = {comparison: net(comparison) for comparison in comparisons(formula)}
    for comparison, (factors, constant) in nets.items():
        if comparison.operator != "=" and factors and (constant or sum(factors.values())):
            return Chance(None, "none: it hangs on the size of the values")
    equals = tuple(
        not net(comparison)[0] and _holds_of_zeros(comparison)
        for comparison in comparisons(formula)
        if comparison.operator == "="
    )
    cells = cells_of(formula)
    if not cells:
        return Chance(float(_holds_of_zeros(formula)), "certain: no value in it")
    n = math.factorial(len(cells))
    if not has_arithmetic(formula) and n <= MOST_ORDERS:
        return Chance(share_of_orders(formula, (cells,), equals), f"counted over {n:,} orders")
    if isinstance(formula, Comparison) and formula.operator != "=":
        factors_up = sorted(nets[formula][0].values())
        if factors_up and factors_up == sorted(-factor for factor in factors_up):
            return Chance(0.5, "by symmetry")
    value = float(held(formula, normal_values(cells), iter(equals)).mean())
    return Chance(value, f"simulated: {N_DRAWS:,} draws of normal values, seed {SEED}")


def _holds_of_zeros(formula: Formula) -> bool:
    zeros = {cell: np.zeros(1) for cell in cells_of(formula)}
    return bool(judge(formula, zeros, ties="wrong").credit[0])
