"""What a formula earns where values are equal: counts of orderings.

The values that are equal (for `chance.py`: all of them) could have fallen in any order; the share
of orders under which the formula holds is its credit (for chance: its chance). That is defined for
formulas without arithmetic, which know of the values only how they are ordered. An `=` knows more,
and is what the values make it, in whatever order the inequalities see them.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, permutations, product
from typing import TypeAlias

import numpy as np

from ..arrays import Floats, Truths
from ..statistics.intervals import uniform
from .expression import Comparison, Formula, RegionKey, Sum

MOST_ORDERS = math.factorial(8)
N_DRAWS = 100_000
SEED = 2020

Groups: TypeAlias = tuple[tuple[RegionKey, ...], ...]
"""Cells by rising value, those of one value together"""
Net: TypeAlias = tuple[Mapping[RegionKey, int], float]
"""A sum without what cancels out: cells with their factors, and the constant"""


@lru_cache(maxsize=1024)  # a model that finds all words alike asks the same for every item
def share_of_orders(formula: Formula, groups: Groups, equals: tuple[bool, ...]) -> float:
    """Return the share of orders within `groups` under which a formula without arithmetic holds.
    `equals`: what its comparisons by `=` are, in the order written."""
    cells = sum(groups, ())
    if math.prod(math.factorial(len(group)) for group in groups) <= MOST_ORDERS:
        ends = list(accumulate(map(len, groups)))
        ranks = product(
            *(
                permutations(range(end - len(group), end))
                for group, end in zip(groups, ends, strict=True)
            )
        )
        orders = np.array([sum(order, ()) for order in ranks], dtype=float)
        table = dict(zip(cells, orders.T, strict=True))
    else:
        offsets = {cell: 100.0 * rank for rank, group in enumerate(groups) for cell in group}
        table = {cell: column + offsets[cell] for cell, column in normal_values(cells).items()}
    return float(held(formula, table, iter(equals)).mean())


def normal_values(cells: Sequence[RegionKey]) -> dict[RegionKey, Floats]:
    """Return N_DRAWS independent values for each cell from one normal distribution, the same on
    every call (Box and Muller's transform of PCG64's raw stream, which NumPy promises to keep)."""
    stream = np.random.PCG64(SEED)
    draws = {}
    for cell in cells:
        radius = np.sqrt(-2 * np.log1p(-uniform(stream, N_DRAWS)))
        draws[cell] = radius * np.cos(2 * np.pi * uniform(stream, N_DRAWS))
    return draws


def held(formula: Formula, table: Mapping[RegionKey, Floats], equals: Iterator[bool]) -> Truths:
    """Return for each row of `table` (a column for each cell) whether the formula holds."""
    n = len(next(iter(table.values())))
    if isinstance(formula, Comparison):
        if formula.operator == "=":
            return np.full(n, next(equals))
        factors, constant = net(formula)
        total = np.full(n, constant)
        for cell, factor in factors.items():
            total += factor * table[cell]
        return np.asarray(total > 0)
    results = np.array([held(part, table, equals) for part in formula.parts])
    return np.asarray((np.all if formula.operator == "&" else np.any)(results, axis=0))


def net(comparison: Comparison) -> Net:
    """Return what of a comparison by `<` or `>` must be positive."""
    low, high = comparison.left, comparison.right
    if comparison.operator == ">":
        low, high = high, low
    return net_of(high, low)


def net_of(high: Sum, low: Sum) -> Net:
    """Return one sum minus another, without the terms that cancel out."""
    factors: dict[RegionKey, int] = {}
    for side, sign in ((high, 1), (low, -1)):
        for factor, cell in side.terms:
            factors[cell] = factors.get(cell, 0) + sign * factor
    return {cell: n for cell, n in factors.items() if n}, high.constant - low.constant
