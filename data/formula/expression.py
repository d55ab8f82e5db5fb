"""Formulas over region surprisals as a small tree; `evaluation` says what they make of values.

Numbers are bits. A value may be infinite, and it may be NaN where a region has none (the mean of a
region without tokens): a formula that meets such a value is undefined, which is to say that it does
not hold and has no margin.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

TIE_BITS = 1e-9  # sums of the same floats in another order differ by less

# what syntaxgym-core takes for equal (`prediction.py`, by `numpy.isclose`): not symmetric
EQUAL_BITS = 1e-3
EQUAL_SHARE = 1e-5  # of the right side

RegionKey = tuple[str, str]
"""(condition, region)"""


@dataclass(frozen=True, slots=True)
class Sum:
    """Terms with signs, and a constant: everything that can stand beside `<`."""

    terms: tuple[tuple[int, RegionKey], ...]
    constant: float = 0.0


@dataclass(frozen=True, slots=True)
class Comparison:
    """`left OP right`. `<` and `>` hold strictly: values nearer than TIE_BITS are equal; `=` holds
    within |left − right| ≤ EQUAL_BITS + EQUAL_SHARE · |right|."""

    left: Sum
    operator: str  # "<", ">" or "="
    right: Sum
    source: str = field(default="", compare=False)  # as written, without brackets around it


@dataclass(frozen=True, slots=True)
class Combination:
    """Formulas joined by `&` (all) or `|` (any)."""

    operator: str
    parts: tuple["Formula", ...]


Formula = Comparison | Combination
"""One comparison, or several combined"""


def comparisons(formula: Formula) -> Iterator[Comparison]:
    """Yield the comparisons of a formula, in the order written."""
    if isinstance(formula, Comparison):
        yield formula
    else:
        for part in formula.parts:
            yield from comparisons(part)


def cells_of(formula: Formula) -> tuple[RegionKey, ...]:
    """Return every (condition, region) the formula asks for, each once, in order of appearance."""
    sides = (
        side for comparison in comparisons(formula) for side in (comparison.left, comparison.right)
    )
    return tuple(dict.fromkeys(cell for side in sides for _, cell in side.terms))


def has_arithmetic(formula: Formula) -> bool:
    """Return whether some side of a comparison is anything else than one surprisal."""
    return any(
        len(side.terms) != 1 or side.terms[0][0] != 1 or side.constant != 0
        for comparison in comparisons(formula)
        for side in (comparison.left, comparison.right)
    )
