"""What a formula earns where values are equal, and what chance gives it: counts of orderings.

The values that are equal (for chance: all of them) could have fallen in any order; the share of
orders under which the formula holds is its credit (for chance: its chance). That is defined for
formulas without arithmetic, which know of the values only how they are ordered. An `=` knows more,
and is what the values make it, in whatever order the inequalities see them.
"""

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import permutations, product
from typing import TYPE_CHECKING, TypeAlias

from colorless_green.nonce.formula.tree import (
    Cell,
    Combination,
    Comparison,
    Formula,
)

if TYPE_CHECKING:  # numpy takes a tenth of a second, and most formulas never ask for it
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Truths: TypeAlias = NDArray[np.bool_]

MOST_ORDERS = math.factorial(8)
N_DRAWS = 100_000
SEED = 2020

Groups: TypeAlias = tuple[tuple[Cell, ...], ...]
"""Cells by rising value, those of one value together"""


@lru_cache(maxsize=1024)  # a model that finds all words alike asks the same for every item
def share(formula: Formula, groups: Groups, equals: tuple[bool, ...]) -> float:
    """The share of the orders within `groups` under which a formula without arithmetic holds.
    `equals`: what its comparisons by `=` are, in the order written."""
    if n_orders(groups) <= MOST_ORDERS:
        outcomes = [_holds(formula, order, iter(equals)) for order in _orders(groups)]
        return sum(outcomes) / len(outcomes)
    columns = draws(sum(groups, ()))
    offsets = {cell: 100.0 * rank for rank, group in enumerate(groups) for cell in group}
    table = {cell: column + offsets[cell] for cell, column in columns.items()}
    return float(held(formula, table, iter(equals)).mean())


def n_orders(groups: Sequence[Sequence[Cell]]) -> int:
    """In how many orders the cells can stand if those of a group may change places."""
    return math.prod(math.factorial(len(group)) for group in groups)


def _orders(groups: Groups) -> Iterator[dict[Cell, int]]:
    """Each order, as the rank of every cell."""
    for choice in product(*map(permutations, groups)):
        cells = (cell for group in choice for cell in group)
        yield {cell: rank for rank, cell in enumerate(cells)}


def _holds(formula: Formula, ranks: dict[Cell, int], equals: Iterator[bool]) -> bool:
    if isinstance(formula, Combination):
        results = [_holds(part, ranks, equals) for part in formula.parts]
        return all(results) if formula.operator == "&" else any(results)
    if formula.operator == "=":
        return next(equals)
    left, right = ranks[formula.left.terms[0][1]], ranks[formula.right.terms[0][1]]
    return left < right if formula.operator == "<" else left > right


def draws(cells: Sequence[Cell]) -> dict[Cell, "Floats"]:
    """N_DRAWS independent values for each cell from one normal distribution (Box and Muller's
    transform of the raw stream of PCG64, which NumPy promises to keep); the same on every call."""
    import numpy as np

    from colorless_green.nonce.intervals import uniform

    stream = np.random.PCG64(SEED)
    found = {}
    for cell in cells:
        radius = np.sqrt(-2 * np.log1p(-uniform(stream, N_DRAWS)))
        found[cell] = radius * np.cos(2 * np.pi * uniform(stream, N_DRAWS))
    return found


def held(formula: Formula, table: dict[Cell, "Floats"], equals: Iterator[bool]) -> "Truths":
    """For each row of `table` (a column of N_DRAWS for each cell) whether the formula holds."""
    import numpy as np

    if isinstance(formula, Combination):
        results = np.array([held(part, table, equals) for part in formula.parts])
        joined: Truths = (np.all if formula.operator == "&" else np.any)(results, axis=0)
        return joined
    if formula.operator == "=":
        return np.full(N_DRAWS, next(equals))
    found = np.full(N_DRAWS, net(formula)[1])
    for cell, factor in net(formula)[0].items():
        found += factor * table[cell]
    result: Truths = found > 0
    return result


def net(comparison: Comparison) -> tuple[dict[Cell, int], float]:
    """What of a comparison by `<` or `>` must be positive: factors of cells, and a constant. Terms
    that cancel out are left away."""
    low, high = comparison.left, comparison.right
    if comparison.operator == ">":
        low, high = high, low
    factors: dict[Cell, int] = {}
    for side, sign in ((high, 1), (low, -1)):
        for each, cell in side.terms:
            factors[cell] = factors.get(cell, 0) + sign * each
    return {cell: each for cell, each in factors.items() if each}, high.constant - low.constant
