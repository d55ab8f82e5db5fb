"""Formulas over columns of values: all items of a suite at once.

What a formula earns where values are equal is a count of orderings. The values that are equal (for
chance: all of them) could have fallen in any order; the share of orders under which the formula
holds is its credit (for chance: its chance). That is defined for formulas without arithmetic, which
know of the values only how they are ordered. An `=` knows more, and is what the values make it, in
whatever order the inequalities see them. A tie of sums earns its share too, where the formula could
not tell the sums apart: each is a value of its own, made alike and of cells of its own.

Chance takes the values of an item to be independent draws from one continuous distribution, so that
every order of them is as likely as any other and no two are equal. Hu et al. 2020 give other
figures for two kinds of formula (5/32 for the polarity suites, less than a quarter for the garden
paths); counted, they are 5/24 and 7/24.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import accumulate, groupby, permutations, product
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Truths
from ..statistics.intervals import uniform
from .expression import (
    EQUAL_BITS,
    EQUAL_SHARE,
    TIE_BITS,
    Combination,
    Comparison,
    Formula,
    RegionKey,
    Sum,
    cells_of,
    comparisons,
    has_arithmetic,
)

MOST_ORDERS = math.factorial(8)
N_DRAWS = 100_000
SEED = 2020

Groups: TypeAlias = tuple[tuple[RegionKey, ...], ...]
"""Cells by rising value, those of one value together"""

Net: TypeAlias = tuple[frozenset[tuple[RegionKey, int]], float]
"""A sum without what cancels out: cells with their factors, and the constant"""


@dataclass(frozen=True, slots=True, eq=False)
class FormulaResult:
    """The values of a formula for each item: columns in the order of the items, shape (items,).

    Attributes:
        credit: 1 where it holds, 0 where it does not or is undefined; a share for a tie.
        margin: bits by which it is from failing, if negative from holding; NaN where undefined.
        tie: whether two sides that are compared by `<` or `>` are equal.
        undefined: whether the formula meets a value that is NaN.
        unshared: whether a tie counts as false since the formula tells the tied sides apart.
    """

    credit: Floats
    margin: Floats
    tie: Truths
    undefined: Truths
    unshared: Truths


def judge(
    formula: Formula, values: Mapping[RegionKey, Floats], *, ties: str = "share"
) -> FormulaResult:
    """Evaluate a formula for each item: whether it holds, by how much, and what it earns.

    Args:
        formula: of a prediction.
        values: bits of every (condition, region) that it asks for, shape (items,); without any
            values, there is one item.
        ties: `share` gives a tie the share of orderings of the tied sides under which the formula
            holds, if it is symmetric in them: their sums are made alike and share no cell, neither
            with each other nor with any other side. A tie of other sides is false, and `unshared`.
            `wrong` counts all ties as false.

    Returns:
        Columns in the order of the items.

    >>> from colorless_green.data import parse_prediction
    >>> sums = parse_prediction("(1;%a%) + (2;%a%) < (1;%b%) + (2;%b%)", "p", "here").formula
    >>> bits = {("a", "1"): [1, 1], ("a", "2"): [2, 5], ("b", "1"): [3, 3], ("b", "2"): [0, 4]}
    >>> found = judge(sums, {cell: np.array(each, float) for cell, each in bits.items()})
    >>> found.credit.tolist(), found.margin.tolist()
    ([0.5, 1.0], [0.0, 1.0])
    """
    compared = list(comparisons(formula))
    n = len(next(iter(values.values()), (0.0,)))
    sums = {
        side: _value(side, values, n)
        for comparison in compared
        for side in (comparison.left, comparison.right)
    }
    margins = [_margin(comparison, sums) for comparison in compared]
    margin = _combined(formula, iter(margins))
    undefined = np.isnan(margin)
    tie, unshared = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    holds, equals = [], []
    for comparison, difference in zip(compared, margins, strict=True):
        if comparison.operator == "=":
            holds.append(difference >= 0)
            equals.append(holds[-1])
        else:
            holds.append(difference > TIE_BITS)
            tie |= np.abs(difference) <= TIE_BITS
    credit = (_combined(formula, iter(holds)) & ~undefined).astype(np.float64)
    rows = np.flatnonzero(tie & ~undefined)
    if ties == "share" and len(rows):
        tied = {side: column[rows] for side, column in sums.items()}
        shares = _shares(formula, tied, [column[rows] for column in equals])
        unshared[rows] = np.isnan(shares)
        credit[rows] = np.where(np.isnan(shares), credit[rows], shares)
    return FormulaResult(credit, margin, tie, undefined, unshared)


def _value(side: Sum, values: Mapping[RegionKey, Floats], n: int) -> Floats:
    """Return a sum for each item: rounded once, as `fsum` does, where no term is infinite or
    NaN."""
    terms = [sign * values[cell] for sign, cell in side.terms]
    if side.constant or not terms:
        terms.append(np.full(n, side.constant))
    with np.errstate(invalid="ignore"):
        total: Floats = reduce(np.add, terms)
    if len(terms) > 2:
        finite = np.isfinite(total)
        exact = map(math.fsum, zip(*(term[finite].tolist() for term in terms), strict=True))
        total[finite] = list(exact)
    return total


def _margin(comparison: Comparison, sums: Mapping[Sum, Floats]) -> Floats:
    """Return the bits by which a comparison is from failing: positive where `<` or `>` holds, 0 for
    equal sides; for `=` what the tolerance leaves, 0 or more where it holds. NaN if a side is."""
    left, right = sums[comparison.left], sums[comparison.right]
    with np.errstate(invalid="ignore"):
        difference = np.where(left == right, 0.0, right - left)  # infinities equal themselves
        if comparison.operator != "=":
            return difference if comparison.operator == "<" else -difference
        near = EQUAL_BITS + EQUAL_SHARE * np.abs(right) - np.abs(difference)
    return np.where(np.isinf(difference), -np.inf, near)


def _combined(formula: Formula, columns: Iterator[NDArray[Any]]) -> NDArray[Any]:
    """Return the columns of the comparisons as one: the least of `&`, the most of `|`; NaN if one
    is."""
    if isinstance(formula, Comparison):
        return next(columns)
    pick = np.minimum if formula.operator == "&" else np.maximum
    return reduce(pick, [_combined(part, columns) for part in formula.parts])


def _shares(formula: Formula, sums: Mapping[Sum, Floats], equals: Sequence[Truths]) -> Floats:
    """Return the share of orderings of the equal sides under which the formula holds, for each
    item; NaN where it tells the tied sides apart. `equals`: what its comparisons by `=` are."""
    nets: dict[Sum, Net] = {}
    names: dict[Sum, RegionKey] = {}
    for side in sums:
        factors, constant = net_of(side, Sum(()))
        nets[side] = frozenset(factors.items()), constant
        is_cell = constant == 0 and list(factors.values()) == [1]
        # a side that is one surprisal has its cell's name, another one what no cell is called
        names[side] = (
            next(iter(factors)) if is_cell else (f"{sorted(factors.items())} {constant}", "")
        )
    cells = sorted(set(names.values()))
    unfair = [
        (names[comparison.left], names[comparison.right])
        for comparison in comparisons(formula)
        if comparison.operator != "=" and not _is_symmetric(comparison, nets)
    ]
    ordered = _over_sides(formula, names)
    columns = {names[side]: column for side, column in sums.items()}
    ranks = _ranks(np.column_stack([columns[cell] for cell in cells]))
    patterns, pattern_of = np.unique(np.column_stack([ranks, *equals]), axis=0, return_inverse=True)
    shares = []
    for pattern in patterns.tolist():
        rank = dict(zip(cells, pattern, strict=False))
        if any(rank[left] == rank[right] for left, right in unfair):
            shares.append(math.nan)
            continue
        by_rank = groupby(sorted(cells, key=lambda cell: (rank[cell], cell)), key=rank.__getitem__)
        groups = tuple(tuple(group) for _, group in by_rank)
        shares.append(share_of_orders(ordered, groups, tuple(map(bool, pattern[len(cells) :]))))
    return np.array(shares)[pattern_of.reshape(-1)]


def _is_symmetric(comparison: Comparison, nets: Mapping[Sum, Net]) -> bool:
    """Return whether its sides could change places: made alike, and no other side has a cell of
    theirs. So could those of a side with itself."""
    left, right = nets[comparison.left], nets[comparison.right]
    if left == right:
        return True
    shapes = [(sorted(factor for _, factor in factors), c) for factors, c in (left, right)]
    cells = _cells([left, right])
    apart = not _cells([left]) & _cells([right])
    return (
        shapes[0] == shapes[1] and apart and not cells & _cells(set(nets.values()) - {left, right})
    )


def _cells(sides: Iterable[Net]) -> set[RegionKey]:
    return {cell for factors, _ in sides for cell, _ in factors}


def _over_sides(formula: Formula, names: Mapping[Sum, RegionKey]) -> Formula:
    """Return the formula as one of values that its sides are, without arithmetic."""
    if isinstance(formula, Combination):
        parts = tuple(_over_sides(part, names) for part in formula.parts)
        return Combination(formula.operator, parts)
    left, right = (Sum(((1, names[side]),)) for side in (formula.left, formula.right))
    return Comparison(left, formula.operator, right)


def _ranks(table: Floats) -> NDArray[np.int16]:
    """Return the order of the values of each row, and which are equal: equal ones have one rank."""
    order = np.argsort(table, axis=1, kind="stable")
    rising = np.take_along_axis(table, order, axis=1)
    low, high = rising[:, :-1], rising[:, 1:]
    with np.errstate(invalid="ignore"):
        steps = (low != high) & ~(high - low <= TIE_BITS)
    ranks = np.zeros(table.shape, dtype=np.int16)
    np.put_along_axis(ranks, order[:, 1:], np.cumsum(steps, axis=1, dtype=np.int16), axis=1)
    return ranks


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


def net(comparison: Comparison) -> tuple[Mapping[RegionKey, int], float]:
    """Return what of a comparison by `<` or `>` must be positive."""
    low, high = comparison.left, comparison.right
    if comparison.operator == ">":
        low, high = high, low
    return net_of(high, low)


def net_of(high: Sum, low: Sum) -> tuple[Mapping[RegionKey, int], float]:
    """Return one sum minus another, without the terms that cancel out."""
    factors: dict[RegionKey, int] = {}
    for side, sign in ((high, 1), (low, -1)):
        for factor, cell in side.terms:
            factors[cell] = factors.get(cell, 0) + sign * factor
    return {cell: n for cell, n in factors.items() if n}, high.constant - low.constant
