"""Component oracle: what a formula makes of the values of one item, number by number."""

import math
from collections.abc import Mapping

from colorless_green.data import Formula
from colorless_green.data.formula.expression import Combination, Sum

Values = Mapping[tuple[str, str], float]


def _value(side: Sum, values: Values) -> float:
    """NaN where a term is, and where infinities cancel out."""
    numbers = [sign * values[cell] for sign, cell in side.terms] + [side.constant]
    if all(map(math.isfinite, numbers)):
        return math.fsum(numbers)
    return sum(numbers)  # `fsum` raises where plain addition says NaN


def margin(formula: Formula, values: Values) -> float:
    """Return the weakest part of `&`, the strongest of `|`; NaN if any part has none. Of a
    comparison how far it is from failing: 0 for equal sides; for `=` what syntaxgym-core's
    tolerance leaves."""
    if isinstance(formula, Combination):
        margins = [margin(part, values) for part in formula.parts]
        if any(map(math.isnan, margins)):
            return math.nan
        return min(margins) if formula.operator == "&" else max(margins)
    left, right = _value(formula.left, values), _value(formula.right, values)
    if math.isnan(left) or math.isnan(right):
        return math.nan
    difference = 0.0 if left == right else right - left  # infinities equal themselves
    if formula.operator != "=":
        return difference if formula.operator == "<" else -difference
    if math.isinf(difference):
        return -math.inf
    return 1e-3 + 1e-5 * abs(right) - abs(difference)


def holds(formula: Formula, values: Values) -> bool:
    """`<` and `>` strictly: values nearer than 1e-9 are equal."""
    found = margin(formula, values)
    if isinstance(formula, Combination):
        if math.isnan(found):
            return False
        results = [holds(part, values) for part in formula.parts]
        return all(results) if formula.operator == "&" else any(results)
    return found >= 0 if formula.operator == "=" else found > 1e-9
