"""How often a formula holds of values that mean nothing.

The values of an item are taken to be independent draws from one continuous distribution, so that
every order of them is as likely as any other and no two are equal. Hu et al. 2020 give other
figures for two kinds of formula (5/32 for the polarity suites, less than a quarter for the garden
paths); counted, they are 5/24 and 7/24.
"""

from dataclasses import dataclass

from colorless_green.nonce.formula.ties import (
    MOST_ORDERS,
    N_DRAWS,
    SEED,
    draws,
    held,
    n_orders,
    net,
    share,
)
from colorless_green.nonce.formula.tree import (
    Comparison,
    Formula,
    cells_of,
    comparisons,
    has_arithmetic,
)


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
    inequalities = [each for each in comparisons(formula) if each.operator != "="]
    if any(not _is_free_of_scale(each) for each in inequalities):
        return Chance(None, "none: it hangs on the size of the values")
    equals = tuple(_is_certain(each) for each in comparisons(formula) if each.operator == "=")
    cells = cells_of(formula)
    if not cells:
        return Chance(float(formula.holds({})), "certain: no value in it")
    n = n_orders((cells,))
    if not has_arithmetic(formula) and n <= MOST_ORDERS:
        return Chance(share(formula, (cells,), equals), f"counted over {n:,} orders")
    if isinstance(formula, Comparison) and inequalities and _is_symmetric(formula):
        return Chance(0.5, "by symmetry")
    value = float(held(formula, draws(cells), iter(equals)).mean())
    return Chance(value, f"simulated: {N_DRAWS:,} draws of normal values, seed {SEED}")


def _is_free_of_scale(comparison: Comparison) -> bool:
    """Whether it asks the same of values that are all larger by a number, or times a number."""
    factors, constant = net(comparison)
    return not factors or (constant == 0 and sum(factors.values()) == 0)


def _is_symmetric(comparison: Comparison) -> bool:
    factors = sorted(net(comparison)[0].values())
    return bool(factors) and factors == sorted(-each for each in factors)


def _is_certain(comparison: Comparison) -> bool:
    """Whether both sides of an `=` are one, whatever the values."""
    return not net(comparison)[0] and comparison.holds(dict.fromkeys(cells_of(comparison), 0.0))
