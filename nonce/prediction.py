"""Predictions: inequalities over region surprisals, parsed once into a small tree.

The language is that of SyntaxGym (Hu et al. 2020, §3): `(region;%condition%)` is the surprisal of
a region (`*`: of the whole sentence), joined by `+ -` and numbers, compared by `< > =`, combined by
`& |` and brackets. `&` binds before `|`.
"""

import itertools
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from colorless_green.data.errors import InputError

TIE_BITS = 1e-9  # sums of the same floats in another order differ by less

Cell = tuple[str, str]
"""(condition, region)"""
Values = Mapping[Cell, float]


@dataclass(frozen=True, slots=True)
class Sum:
    """Terms with signs, and a constant: everything that can stand beside `<`."""

    terms: tuple[tuple[int, Cell], ...]
    constant: float = 0.0

    def value(self, values: Values) -> float:
        return math.fsum([sign * values[cell] for sign, cell in self.terms] + [self.constant])


@dataclass(frozen=True, slots=True)
class Comparison:
    """`left OP right`; its margin is how far it is from failing, in bits."""

    left: Sum
    operator: str  # "<", ">" or "="
    right: Sum

    def margin(self, values: Values) -> float:
        """Positive where the inequality holds; for `=` minus the absolute difference."""
        difference = self.right.value(values) - self.left.value(values)
        if self.operator == "=":
            return -abs(difference)
        return difference if self.operator == "<" else -difference

    def holds(self, values: Values) -> bool:
        """Strictly; values nearer than TIE_BITS are equal."""
        margin = self.margin(values)
        return margin >= -TIE_BITS if self.operator == "=" else margin > TIE_BITS


@dataclass(frozen=True, slots=True)
class Combination:
    """Comparisons joined by `&` (all) or `|` (any)."""

    operator: str
    parts: tuple["Formula", ...]

    def margin(self, values: Values) -> float:
        margins = [part.margin(values) for part in self.parts]
        return min(margins) if self.operator == "&" else max(margins)

    def holds(self, values: Values) -> bool:
        results = [part.holds(values) for part in self.parts]
        return all(results) if self.operator == "&" else any(results)


Formula = Comparison | Combination


@dataclass(frozen=True, slots=True)
class Prediction:
    """A named formula over a suite's conditions and regions."""

    name: str
    source: str  # the formula as written
    formula: Formula

    def cells(self) -> tuple[Cell, ...]:
        """Every (condition, region) the formula asks for, each once, in order of appearance."""
        return tuple(dict.fromkeys(_cells(self.formula)))


def comparisons(formula: Formula) -> Iterator[Comparison]:
    """The inequalities of a formula, in the order written."""
    if isinstance(formula, Comparison):
        yield formula
    else:
        for part in formula.parts:
            yield from comparisons(part)


def _cells(formula: Formula) -> Iterator[Cell]:
    for comparison in comparisons(formula):
        for side in (comparison.left, comparison.right):
            yield from (cell for _, cell in side.terms)


def has_arithmetic(formula: Formula) -> bool:
    """Whether some side of a comparison is more than one surprisal."""
    return any(
        len(side.terms) != 1 or side.terms[0][0] != 1 or side.constant != 0
        for comparison in comparisons(formula)
        for side in (comparison.left, comparison.right)
    )


def has_tie(formula: Formula, values: Values) -> bool:
    """Whether two sides that are compared by `<` or `>` are equal within TIE_BITS."""
    return any(
        comparison.operator != "=" and abs(comparison.margin(values)) <= TIE_BITS
        for comparison in comparisons(formula)
    )


def credit(formula: Formula, values: Values) -> float:
    """1, 0, or the share of orderings of the tied values under which the formula holds.

    1/2 for a tied pair, 1/3 for the best of three equal ones. A formula with arithmetic gets no
    share: there a tie is false.
    """
    if has_arithmetic(formula) or not has_tie(formula, values):
        return float(formula.holds(values))
    groups = _tied_groups(sorted(values.items(), key=lambda pair: (pair[1], pair[0])))
    outcomes = [
        formula.holds({cell: float(rank) for rank, cell in enumerate(order)})
        for order in _orderings(groups)
    ]
    return sum(outcomes) / len(outcomes)


def _tied_groups(ranked: Sequence[tuple[Cell, float]]) -> list[list[Cell]]:
    groups: list[list[Cell]] = []
    previous = -math.inf
    for cell, value in ranked:
        if groups and value - previous <= TIE_BITS:
            groups[-1].append(cell)
        else:
            groups.append([cell])
        previous = value
    return groups


def _orderings(groups: Sequence[Sequence[Cell]]) -> Iterator[list[Cell]]:
    for choice in itertools.product(*(itertools.permutations(group) for group in groups)):
        yield [cell for group in choice for cell in group]


TOKEN = re.compile(
    r"\s*(?:(?P<cell>\(\s*(?P<region>[^;()%]+?)\s*;\s*%(?P<condition>[^%]+)%\s*\))"
    r"|(?P<number>\d+(?:\.\d+)?)|(?P<symbol>[<>=+\-&|()\[\]]))"
)


def parse(source: str, name: str, place: str) -> Prediction:
    """The prediction written in `source`.

    Raises `InputError` with the column (from 1) of the first character that does not fit.
    """
    return Prediction(name, source, _Parser(source, place).whole())


class _Parser:
    """Recursive descent over the tokens of one formula."""

    def __init__(self, source: str, place: str) -> None:
        self.place, self.source = place, source
        self.tokens: list[tuple[int, re.Match[str]]] = []
        position = 0
        while source[position:].strip():
            match = TOKEN.match(source, position)
            if match is None:
                raise self.error(position, "a region, a number or one of < > = + - & | ( ) [ ]")
            self.tokens.append((position, match))
            position = match.end()
        self.next = 0

    def error(self, position: int, right: str) -> InputError:
        start = len(self.source) - len(self.source[position:].lstrip())
        found = repr(self.source[start : start + 12]) if self.source[start:] else "the end"
        return InputError(f"{self.place}: column {start + 1}", f"{found} in a formula", right)

    def symbol(self) -> str | None:
        return self.tokens[self.next][1]["symbol"] if self.next < len(self.tokens) else None

    def fail(self, right: str) -> InputError:
        rest = self.next < len(self.tokens)
        return self.error(self.tokens[self.next][0] if rest else len(self.source), right)

    def whole(self) -> Formula:
        formula = self.joined("|", lambda: self.joined("&", self.part))
        if self.next < len(self.tokens):
            raise self.fail("& or | or the end")
        return formula

    def joined(self, operator: str, part: Callable[[], Formula]) -> Formula:
        parts = [part()]
        while self.symbol() == operator:
            self.next += 1
            parts.append(part())
        return parts[0] if len(parts) == 1 else Combination(operator, tuple(parts))

    def part(self) -> Formula:
        closing = {"(": ")", "[": "]"}.get(self.symbol() or "")
        if closing is None:
            return self.comparison()
        opened = self.next
        try:  # a bracket may hold a whole formula, or only one side of a comparison
            self.next += 1
            formula = self.joined("|", lambda: self.joined("&", self.part))
            if self.symbol() == closing:
                self.next += 1
                return formula
        except InputError:
            pass
        self.next = opened
        return self.comparison()

    def comparison(self) -> Comparison:
        left = self.sum()
        operator = self.symbol()
        if operator not in ("<", ">", "="):
            raise self.fail("<, > or =")
        self.next += 1
        return Comparison(left, operator, self.sum())

    def sum(self) -> Sum:
        terms: list[tuple[int, Cell]] = []
        constant = 0.0
        sign = 1
        while True:
            inner = self.term()
            terms += [(sign * each, cell) for each, cell in inner.terms]
            constant += sign * inner.constant
            symbol = self.symbol()
            if symbol not in ("+", "-"):
                return Sum(tuple(terms), constant)
            sign = 1 if symbol == "+" else -1
            self.next += 1

    def term(self) -> Sum:
        closing = {"(": ")", "[": "]"}.get(self.symbol() or "")
        if closing is not None:
            self.next += 1
            inner = self.sum()
            if self.symbol() != closing:
                raise self.fail(f"{closing!r}")
            self.next += 1
            return inner
        match = self.tokens[self.next][1] if self.next < len(self.tokens) else None
        if match is not None and match["cell"]:
            self.next += 1
            return Sum(((1, (match["condition"], match["region"])),))
        if match is not None and match["number"]:
            self.next += 1
            return Sum((), float(match["number"]))
        raise self.fail("a region like (3;%condition%), a number or a bracket")
