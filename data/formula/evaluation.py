"""Evaluate formulas for all items of a suite at once, and compute how often they hold by chance.

Values are surprisals in bits; a *cell* is the (condition, region) that a value belongs to. A *tie*
is two values that are equal although the formula compares them by `<` or `>`.

The credit of a tie is found by counting. Equal values could have fallen in any order; the credit is
the share of these orders under which the formula holds. This works for formulas without arithmetic,
whose inequalities depend only on the order of the values. An `=` depends on the values themselves:
it is evaluated once and is the same under every order. A tie between sums has a credit, too, if the
formula treats both sums alike: they have the same shape, and share no cell with each other or with
another sum.

Chance is found in the same way, as the share of all orders of all values. The values of an item are
taken to be independent draws from one continuous distribution, so that all orders are equally
likely and no two values are equal. Hu et al. 2020 give other figures for two kinds of formula (5/32
for the polarity suites, less than a quarter for the garden paths); by counting, they are 5/24 and
7/24.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import accumulate, chain, groupby, permutations, product
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Truths
from ..statistics.intervals import uniform
from .expression import (
    EQUAL_BITS,
    EQUAL_SHARE,
    TIE_BITS,
    Comparison,
    Formula,
    RegionKey,
    Sum,
    cells_of,
    comparisons,
    has_arithmetic,
    plus,
    sides_of,
)

K = TypeVar("K")

MAX_ORDERS = math.factorial(8)  # with more orders, chance is simulated
N_DRAWS = 100_000  # of each value in a simulation
SEED = 2020

NetSum: TypeAlias = tuple[tuple[tuple[RegionKey, int], ...], float]
"""A side of a comparison after terms have cancelled out: ((condition, region), factor) of each,
sorted, and the constant"""

Groups: TypeAlias = tuple[tuple[NetSum, ...], ...]
"""The sides of a formula's comparisons by rising value; a group holds those with equal values"""


@dataclass(frozen=True, slots=True, eq=False)
class FormulaResult:
    """The result of a formula for each item, as columns of the shape (items,).

    Attributes:
        credit: 1 if the formula holds, 0 if it does not or is undefined, between 0 and 1 for a tie.
        margin: number of bits by which the formula holds, negative if it fails; NaN if undefined.
        tie: whether two sides that are compared by `<` or `>` are equal.
        undefined: whether a value in the formula is NaN.
        unshared: whether a tie counts as false because the formula does not treat its sides alike.
    """

    credit: Floats
    margin: Floats
    tie: Truths
    undefined: Truths
    unshared: Truths


def judge(
    formula: Formula, values: Mapping[RegionKey, Floats], *, ties: str = "share"
) -> FormulaResult:
    """Evaluate a formula for each item: whether it holds, by how many bits, and its credit.

    Args:
        formula: the formula of a prediction.
        values: surprisals in bits of every (condition, region) in the formula, each of shape
            (items,); if it has none, there is one item.
        ties: `share` gives a tie the share of orders of the tied sides under which the formula
            holds, if it is symmetric in them: both sums have the same shape, and share
            no (condition, region) with each other or with any other side. A tie of other sides is
            false, and `unshared`. `wrong` counts all ties as false.

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
    n_items = len(next(iter(values.values()), (0.0,)))
    sums = {side: _sum_values(side, values, n_items) for side in sides_of(formula)}
    margins = [_margin(comparison, sums) for comparison in compared]
    margin = _combine(formula, iter(margins))
    undefined = np.isnan(margin)
    tie, unshared = np.zeros((2, n_items), dtype=bool)
    holds, equals = [], []  # of all comparisons, and of those by `=`
    for comparison, difference in zip(compared, margins, strict=True):
        if comparison.operator == "=":
            holds.append(difference >= 0)
            equals.append(holds[-1])
        else:
            holds.append(difference > TIE_BITS)
            tie |= np.abs(difference) <= TIE_BITS
    credit = (_combine(formula, iter(holds)) & ~undefined).astype(np.float64)
    tied_items = np.flatnonzero(tie & ~undefined)
    if ties == "share" and len(tied_items):
        tied_sums = {side: column[tied_items] for side, column in sums.items()}
        shares = _tie_credits(formula, tied_sums, [column[tied_items] for column in equals])
        unshared[tied_items] = np.isnan(shares)
        credit[tied_items] = np.where(np.isnan(shares), credit[tied_items], shares)
    return FormulaResult(credit, margin, tie, undefined, unshared)


def _sum_values(side: Sum, values: Mapping[RegionKey, Floats], n_items: int) -> Floats:
    """Return the value of a sum for each item, in bits; shape (items,).

    A sum of more than two finite terms is rounded only once, as `fsum` does.
    """
    terms = [sign * values[cell] for sign, cell in side.terms]
    if side.constant or not terms:
        terms.append(np.full(n_items, side.constant))
    with np.errstate(invalid="ignore"):
        total: Floats = reduce(np.add, terms)
    if len(terms) > 2:
        finite = np.isfinite(total)
        terms_of_items = zip(*(term[finite].tolist() for term in terms), strict=True)
        total[finite] = [math.fsum(item_terms) for item_terms in terms_of_items]
    return total


def _margin(comparison: Comparison, sums: Mapping[Sum, Floats]) -> Floats:
    """Return the number of bits by which a comparison holds, negative if it fails, for each item.

    For `<` and `>` it is the difference of the sides, 0 if they are equal; for `=` it is the
    tolerance minus the absolute difference. It is NaN if a side is NaN.
    """
    left, right = sums[comparison.left], sums[comparison.right]
    with np.errstate(invalid="ignore"):
        difference = np.where(left == right, 0.0, right - left)  # 0 for equal infinities
        if comparison.operator != "=":
            return difference if comparison.operator == "<" else -difference
        margin = EQUAL_BITS + EQUAL_SHARE * np.abs(right) - np.abs(difference)
    return np.where(np.isinf(difference), -np.inf, margin)


def _combine(formula: Formula, columns: Iterator[NDArray[Any]]) -> NDArray[Any]:
    """Combine the columns of a formula's comparisons, given in the order written, into one.

    `&` takes the minimum and `|` the maximum, of margins as of truth values; NaN if one is NaN.
    """
    if isinstance(formula, Comparison):
        return next(columns)
    pick = np.minimum if formula.operator == "&" else np.maximum
    return reduce(pick, [_combine(part, columns) for part in formula.parts])


def _tie_credits(formula: Formula, sums: Mapping[Sum, Floats], equals: Sequence[Truths]) -> Floats:
    """Return for each item the share of orders of its tied sides under which the formula holds.

    For example, `(1;%a%) < (1;%b%)` holds under one of the two orders of its sides: 1/2. Items
    whose sides have the same ranks have the same share, computed once.

    Args:
        formula: the formula.
        sums: the value of every side of a comparison, of shape (items,).
        equals: whether each comparison by `=` holds, in the order written, of shape (items,).

    Returns:
        Credits of shape (items,); NaN if the formula does not treat the tied sides alike.
    """
    columns = {net(side): column for side, column in sums.items()}
    sides = sorted(columns)
    asymmetric = [
        (net(comparison.left), net(comparison.right))
        for comparison in comparisons(formula)
        if comparison.operator != "=" and not _is_symmetric(comparison, sides)
    ]
    ranks = _ranks_in_rows(np.column_stack([columns[side] for side in sides]))
    # a pattern: the ranks of an item's sides, then the truth of each comparison by `=`
    patterns, pattern_of = np.unique(np.column_stack([ranks, *equals]), axis=0, return_inverse=True)
    shares = []
    for pattern in patterns.tolist():
        side_ranks, truths = pattern[: len(sides)], pattern[len(sides) :]
        rank = dict(zip(sides, side_ranks, strict=True))
        if any(rank[left] == rank[right] for left, right in asymmetric):
            shares.append(math.nan)
            continue
        by_rank = groupby(sorted(sides, key=rank.__getitem__), key=rank.__getitem__)
        groups = tuple(tuple(group) for _, group in by_rank)
        shares.append(share_of_orders(formula, groups, tuple(map(bool, truths))))
    return np.array(shares)[pattern_of.reshape(-1)]


def net(side: Sum) -> NetSum:
    """Return what is left of a sum after terms have cancelled out; equal for equal sums."""
    factors: dict[RegionKey, int] = defaultdict(int)
    for sign, cell in side.terms:
        factors[cell] += sign
    terms = sorted((cell, factor) for cell, factor in factors.items() if factor)
    return tuple(terms), side.constant


def _is_symmetric(comparison: Comparison, sides: Sequence[NetSum]) -> bool:
    """Return whether a formula treats both sides of one of its comparisons alike.

    It does if they have the same factors and constant, share no (condition, region), and no other
    side of the formula has one of theirs. It also does if both sides are the same sum.

    `sides` are all sides of the formula.
    """
    left, right = net(comparison.left), net(comparison.right)
    if left == right:
        return True
    left_shape, right_shape = (
        (sorted(factor for _, factor in terms), constant) for terms, constant in (left, right)
    )
    others = set(sides) - {left, right}
    shares_cells = _cells([left]) & _cells([right]) or _cells([left, right]) & _cells(others)
    return left_shape == right_shape and not shares_cells


def _cells(sides: Iterable[NetSum]) -> set[RegionKey]:
    """Return all cells, (condition, region) pairs, that some sums have."""
    return {cell for terms, _ in sides for cell, _ in terms}


def _ranks_in_rows(table: Floats) -> NDArray[np.int16]:
    """Return the rank of each value within its row, from 0; values that differ by no more than
    TIE_BITS have the same rank."""
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
    """The probability that a formula holds by chance, and how it was found."""

    value: float | None  # 0–1; None if it depends on how large surprisals are
    how: str


def chance_of(formula: Formula) -> Chance:
    """Return the probability that a formula holds for independent values of one distribution.

    Without arithmetic it is counted over all orders of the values, if there are few (MAX_ORDERS).
    For a single inequality between sums of the same shape it is 1/2. For any other formula it is
    simulated. An `=` never holds, unless both sides are the same. If an inequality compares values
    with a number, or more values with fewer, the probability depends on the size of the values, and
    None is returned.
    """
    differences = {part: net(plus(part.left, part.right, -1)) for part in comparisons(formula)}
    for comparison, (terms, constant) in differences.items():
        if comparison.operator != "=" and terms and (constant or sum(n for _, n in terms)):
            return Chance(None, "none: it hangs on the size of the values")
    equals = tuple(  # an `=` holds only if all surprisals cancel out
        not terms and _holds_for_zeros(comparison)
        for comparison, (terms, _) in differences.items()
        if comparison.operator == "="
    )
    cells = cells_of(formula)
    if not cells:
        return Chance(float(_holds_for_zeros(formula)), "certain: no value in it")
    n = math.factorial(len(cells))
    if not has_arithmetic(formula) and n <= MAX_ORDERS:
        sides = tuple(dict.fromkeys(map(net, sides_of(formula))))
        return Chance(share_of_orders(formula, (sides,), equals), f"counted over {n:,} orders")
    if isinstance(formula, Comparison) and formula.operator != "=":
        terms, _ = differences[formula]
        rising = sorted(factor for _, factor in terms)
        if rising and rising == sorted(-factor for factor in rising):
            return Chance(0.5, "by symmetry")  # to swap the sides only turns the sign
    values = normal_values(cells)
    table = {net(side): _sum_values(side, values, N_DRAWS) for side in sides_of(formula)}
    value = float(holds_in_rows(formula, table, iter(equals)).mean())
    return Chance(value, f"simulated: {N_DRAWS:,} draws of normal values, seed {SEED}")


def _holds_for_zeros(formula: Formula) -> bool:
    """Return whether a formula holds if all surprisals are 0."""
    zeros = {cell: np.zeros(1) for cell in cells_of(formula)}
    return bool(judge(formula, zeros, ties="wrong").credit[0])


@lru_cache(maxsize=1024)  # a model with many ties asks the same for every item
def share_of_orders(formula: Formula, groups: Groups, equals: tuple[bool, ...]) -> float:
    """Return the share of orders of its sides under which a formula holds.

    All orders are counted in which the groups stay in their order and the sides within a group take
    any order. `equals` has the truth of each comparison by `=`, in the order written.
    """
    sides = tuple(chain.from_iterable(groups))
    if math.prod(math.factorial(len(group)) for group in groups) <= MAX_ORDERS:
        ends = accumulate(map(len, groups))  # a group of n sides has the n ranks below its end
        orders_by_group = [
            permutations(range(end - len(group), end))
            for group, end in zip(groups, ends, strict=True)
        ]
        orders = [list(chain.from_iterable(ranks)) for ranks in product(*orders_by_group)]
        table = dict(zip(sides, np.array(orders, dtype=float).T, strict=True))
    else:
        # values are drawn; 100 is more than they differ by, so that the groups stay in their order
        offsets = {side: 100.0 * rank for rank, group in enumerate(groups) for side in group}
        table = {side: column + offsets[side] for side, column in normal_values(sides).items()}
    return float(holds_in_rows(formula, table, iter(equals)).mean())


def normal_values(names: Sequence[K]) -> dict[K, Floats]:
    """Draw N_DRAWS independent values for each of some names from one normal distribution.

    They are the same on every call: Box and Muller's transform of PCG64's raw stream, which NumPy
    promises to keep.
    """
    stream = np.random.PCG64(SEED)
    draws = {}
    for name in names:
        radius = np.sqrt(-2 * np.log1p(-uniform(stream, N_DRAWS)))
        draws[name] = radius * np.cos(2 * np.pi * uniform(stream, N_DRAWS))
    return draws


def holds_in_rows(
    formula: Formula, table: Mapping[NetSum, Floats], equals: Iterator[bool]
) -> Truths:
    """Return for each row of `table` (side → values) whether the formula holds.

    `equals` has the truth of each comparison by `=`, in the order written.
    """
    holds = []
    for comparison in comparisons(formula):
        left, right = table[net(comparison.left)], table[net(comparison.right)]
        if comparison.operator == "=":
            holds.append(np.full(len(left), next(equals)))
        else:
            holds.append(left < right if comparison.operator == "<" else left > right)
    return _combine(formula, iter(holds))
