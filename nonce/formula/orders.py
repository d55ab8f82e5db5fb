"""What a formula earns where values are equal, and what chance gives it: counts of orderings.

The values that are equal (for chance: all of them) could have fallen in any order; the share of
orders under which the formula holds is its credit (for chance: its chance). That is defined for
formulas without arithmetic, which know of the values only how they are ordered. An `=` knows more,
and is what the values make it, in whatever order the inequalities see them.

Chance takes the values of an item to be independent draws from one continuous distribution, so that
every order of them is as likely as any other and no two are equal. Hu et al. 2020 give other
figures for two kinds of formula (5/32 for the polarity suites, less than a quarter for the garden
paths); counted, they are 5/24 and 7/24.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, permutations, product
from typing import TYPE_CHECKING, TypeAlias

from .tree import Comparison, Formula, RegionKey, Sum, cells_of, comparisons, has_arithmetic

if TYPE_CHECKING:  # numpy takes a tenth of a second, and most formulas never ask for it
    from ...data.arrays import Floats, Truths

MOST_ORDERS = math.factorial(8)
N_DRAWS = 100_000
SEED = 2020

Groups: TypeAlias = tuple[tuple[RegionKey, ...], ...]
"""Cells by rising value, those of one value together"""
Net: TypeAlias = tuple[Mapping[RegionKey, int], float]
"""A sum without what cancels out: cells with their factors, and the constant"""


@dataclass(frozen=True, slots=True)
class Chance:
    """The probability that a formula holds, and how it was found."""

    value: float | None  # 0–1; None where it hangs on how large surprisals are
    how: str


def chance_of(formula: Formula) -> Chance:
    """Counted over all orders where there is no arithmetic (and no more than MOST_ORDERS of them);
    1/2 for one inequality whose sides change places when values do; else simulated.

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
        return Chance(share(formula, (cells,), equals), f"counted over {n:,} orders")
    if isinstance(formula, Comparison) and formula.operator != "=":
        factors_up = sorted(nets[formula][0].values())
        if factors_up and factors_up == sorted(-factor for factor in factors_up):
            return Chance(0.5, "by symmetry")
    value = float(_held(formula, _draws(cells), iter(equals)).mean())
    return Chance(value, f"simulated: {N_DRAWS:,} draws of normal values, seed {SEED}")


@lru_cache(maxsize=1024)  # a model that finds all words alike asks the same for every item
def share(formula: Formula, groups: Groups, equals: tuple[bool, ...]) -> float:
    """The share of the orders within `groups` under which a formula without arithmetic holds.
    `equals`: what its comparisons by `=` are, in the order written."""
    import numpy as np

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
        table = {cell: column + offsets[cell] for cell, column in _draws(cells).items()}
    return float(_held(formula, table, iter(equals)).mean())


def _draws(cells: Sequence[RegionKey]) -> dict[RegionKey, "Floats"]:
    """N_DRAWS independent values for each cell from one normal distribution (Box and Muller's
    transform of the raw stream of PCG64, which NumPy promises to keep); the same on every call."""
    import numpy as np

    from ..intervals import uniform

    stream = np.random.PCG64(SEED)
    draws = {}
    for cell in cells:
        radius = np.sqrt(-2 * np.log1p(-uniform(stream, N_DRAWS)))
        draws[cell] = radius * np.cos(2 * np.pi * uniform(stream, N_DRAWS))
    return draws


def _held(
    formula: Formula, table: Mapping[RegionKey, "Floats"], equals: Iterator[bool]
) -> "Truths":
    """For each row of `table` (a column for each cell) whether the formula holds."""
    import numpy as np

    n = len(next(iter(table.values())))
    if isinstance(formula, Comparison):
        if formula.operator == "=":
            return np.full(n, next(equals))
        factors, constant = net(formula)
        total = np.full(n, constant)
        for cell, factor in factors.items():
            total += factor * table[cell]
        return np.asarray(total > 0)
    results = np.array([_held(part, table, equals) for part in formula.parts])
    return np.asarray((np.all if formula.operator == "&" else np.any)(results, axis=0))


def _holds_of_zeros(formula: Formula) -> bool:
    import numpy as np

    from .columns import judge

    zeros = {cell: np.zeros(1) for cell in cells_of(formula)}
    return bool(judge(formula, zeros, ties="wrong").credit[0])


def net(comparison: Comparison) -> Net:
    """What of a comparison by `<` or `>` must be positive."""
    low, high = comparison.left, comparison.right
    if comparison.operator == ">":
        low, high = high, low
    return net_of(high, low)


def net_of(high: Sum, low: Sum) -> Net:
    """One sum less another, without the terms that cancel out."""
    factors: dict[RegionKey, int] = {}
    for side, sign in ((high, 1), (low, -1)):
        for factor, cell in side.terms:
            factors[cell] = factors.get(cell, 0) + sign * factor
    return {cell: n for cell, n in factors.items() if n}, high.constant - low.constant
