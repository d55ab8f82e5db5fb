"""Formulas over region surprisals, as a small tree that answers whether it holds, and by how much.

Numbers are bits. A value may be infinite, and it may be NaN where a region has none (the mean of a
region without tokens): a formula that meets such a value is undefined, which is to say that it does
not hold and has no margin.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

TIE_BITS = 1e-9  # sums of the same floats in another order differ by less

# what syntaxgym-core takes for equal (`prediction.py`, by `numpy.isclose`): not symmetric
EQUAL_BITS = 1e-3
EQUAL_SHARE = 1e-5  # of the right side

Cell = tuple[str, str]
"""(condition, region)"""
Values = Mapping[Cell, float]


@dataclass(frozen=True, slots=True)
class Sum:
    """Terms with signs, and a constant: everything that can stand beside `<`."""

    terms: tuple[tuple[int, Cell], ...]
    constant: float = 0.0

    def value(self, values: Values) -> float:
        """NaN where a term is, and where infinities cancel out."""
        numbers = [sign * values[cell] for sign, cell in self.terms] + [self.constant]
        if all(map(math.isfinite, numbers)):
            return math.fsum(numbers)
        return sum(numbers)  # `fsum` raises where plain addition says NaN


@dataclass(frozen=True, slots=True)
class Comparison:
    """`left OP right`; its margin is how far it is from failing, in bits."""

    left: Sum
    operator: str  # "<", ">" or "="
    right: Sum
    source: str = field(default="", compare=False)  # as written, without brackets around it

    def margin(self, values: Values) -> float:
        """Positive where `<` or `>` holds, 0 for equal sides; for `=` what the tolerance leaves,
        0 or more where it holds. NaN if a side is."""
        left, right = self.left.value(values), self.right.value(values)
        if math.isnan(left) or math.isnan(right):
            return math.nan
        difference = 0.0 if left == right else right - left  # infinities equal themselves
        if self.operator != "=":
            return difference if self.operator == "<" else -difference
        if math.isinf(difference):
            return -math.inf
        return EQUAL_BITS + EQUAL_SHARE * abs(right) - abs(difference)

    def holds(self, values: Values) -> bool:
        """`<` and `>` strictly: values nearer than TIE_BITS are equal. `=` within |left − right| ≤
        EQUAL_BITS + EQUAL_SHARE · |right|."""
        margin = self.margin(values)
        return margin >= 0 if self.operator == "=" else margin > TIE_BITS


@dataclass(frozen=True, slots=True)
class Combination:
    """Formulas joined by `&` (all) or `|` (any)."""

    operator: str
    parts: tuple["Formula", ...]

    def margin(self, values: Values) -> float:
        """The weakest part of `&`, the strongest of `|`; NaN if any part has none."""
        margins = [part.margin(values) for part in self.parts]
        if any(map(math.isnan, margins)):
            return math.nan
        return min(margins) if self.operator == "&" else max(margins)

    def holds(self, values: Values) -> bool:
        if math.isnan(self.margin(values)):
            return False
        results = [part.holds(values) for part in self.parts]
        return all(results) if self.operator == "&" else any(results)


Formula = Comparison | Combination


def comparisons(formula: Formula) -> Iterator[Comparison]:
    """The comparisons of a formula, in the order written."""
    if isinstance(formula, Comparison):
        yield formula
    else:
        for part in formula.parts:
            yield from comparisons(part)


def cells_of(formula: Formula) -> tuple[Cell, ...]:
    """Every (condition, region) the formula asks for, each once, in order of appearance."""
    sides = (side for each in comparisons(formula) for side in (each.left, each.right))
    return tuple(dict.fromkeys(cell for side in sides for _, cell in side.terms))


def has_arithmetic(formula: Formula) -> bool:
    """Whether some side of a comparison is anything else than one surprisal."""
    return any(
        len(side.terms) != 1 or side.terms[0][0] != 1 or side.constant != 0
        for comparison in comparisons(formula)
        for side in (comparison.left, comparison.right)
    )
