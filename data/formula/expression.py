"""Formulas over surprisals of regions: syntax trees, and a parser from text to tree.

Numbers are bits. A value may be infinite, or NaN if a region has no value (the mean of a region
without tokens). A formula with a NaN is undefined: it does not hold and has no margin. The module
`evaluation` evaluates formulas.

The grammar of the text:

    formula    := comparison (("&" | "|") comparison)*   from left to right, neither binds tighter
    comparison := sum (("<" | ">" | "=") sum)?           a formula needs one, and not two in a row
    sum        := atom (("+" | "-") atom)*               from left to right
    atom       := region | number | "(" formula ")" | "[" formula "]"
    region     := "(" (NUMBER | NAME | "*") ";%" NAME "%" ")"

It covers both dialects of SyntaxGym: the released suites group with `[ ]`, the reference parser
(syntaxgym-core, `prediction.py`) with `( )`. Here a bracket must be closed by its own kind. A NAME
is letters, digits, `_` and `-`. Names of regions are our addition; the reference knows numbers. The
reference accepts, and this parser refuses: a second comparison (`1 < 2 < 0`, of which it drops the
third number), a formula that is a number, and truth values that are added or compared.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..errors import InputError

TIE_BITS = 1e-9  # values that differ by no more are equal, since sums of floats are not exact

# The tolerance of `=` in syntaxgym-core (`prediction.py`, `numpy.isclose`). It is not symmetric.
EQUAL_BITS = 1e-3
EQUAL_SHARE = 1e-5  # of the right side

RegionKey = tuple[str, str]
"""(condition, region)"""


@dataclass(frozen=True, slots=True)
class Sum:
    """A side of a comparison: a sum of surprisals with signs, and a constant."""

    terms: tuple[tuple[int, RegionKey], ...]  # (sign, (condition, region)) as written
    constant: float = 0.0


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison `left OPERATOR right`.

    `<` and `>` do not hold for values that differ by no more than TIE_BITS. `=` holds if |left −
    right| ≤ EQUAL_BITS + EQUAL_SHARE · |right|.
    """

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


def sides_of(formula: Formula) -> Iterator[Sum]:
    """Yield both sides of each comparison of a formula, in the order written."""
    for comparison in comparisons(formula):
        yield from (comparison.left, comparison.right)


def cells_of(formula: Formula) -> tuple[RegionKey, ...]:
    """Return every (condition, region) in a formula, each once, in order of appearance."""
    return tuple(dict.fromkeys(cell for side in sides_of(formula) for _, cell in side.terms))


def has_arithmetic(formula: Formula) -> bool:
    """Return whether any side of a comparison is anything but one surprisal, such as a sum."""
    return any(
        [sign for sign, _ in side.terms] != [1] or side.constant for side in sides_of(formula)
    )


def plus(left: Sum, right: Sum, sign: int) -> Sum:
    """Return the sum of two sums, the terms and the constant of the second times `sign`."""
    signed_terms = tuple((sign * factor, cell) for factor, cell in right.terms)
    return Sum(left.terms + signed_terms, left.constant + sign * right.constant)


NAME = r"[\w-]+"
REGION = re.compile(
    rf"\(\s*(?P<region>\*|{NAME})\s*;%\s*(?P<condition>{NAME})\s*%\s*\)"  # no blank within `;%`
)
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
CLOSING = {"(": ")", "[": "]"}
MAX_DEPTH = 50  # of brackets within each other; released formulas have three

# Texts of messages:
ATOM_EXPECTED = "a region like (3;%condition%), a number or a bracket"
REGION_EXPECTED = "a region like (3;%condition%), its names of letters, digits, _ and -"
MIXED_WARNING = "& and | without brackets bind alike, from left to right"


def parse_formula(source: str, location: str) -> tuple[Formula, tuple[str, ...]]:
    """Return the syntax tree of a formula, and a warning for each place where it may be misread.

    Raises `InputError` with the column (from 1) of the first character that does not fit.
    """
    parser = _Parser(source, location)
    part = parser.joined()
    if parser.symbol():
        is_number = isinstance(part.value, Sum)
        raise parser.fault(parser.position, "+, -, <, > or =" if is_number else "& or | or the end")
    return parser.as_formula(part), tuple(parser.warnings)


@dataclass(frozen=True, slots=True)
class _Parsed:
    """A part of the text that has been read: a number (Sum) or a truth value (Formula)."""

    start: int  # index of its first character
    value: Sum | Formula


class _Parser:
    """A recursive-descent parser of one formula; `position` is the index of the next character."""

    def __init__(self, source: str, location: str) -> None:
        self.source, self.location = source, location
        self.position = 0
        self.depth = 0
        self.warnings: list[str] = []

    def joined(self) -> _Parsed:
        """Read comparisons joined by `&` and `|`, or a sum alone."""
        first_part = self.comparison()
        value, n_changes = first_part.value, 0  # from `&` to `|` or back
        parts: list[Formula] = []
        operator = ""
        while (symbol := self.symbol()) in ("&", "|"):
            parts = parts or [self.as_formula(first_part)]
            if operator and symbol != operator:
                parts = [Combination(operator, tuple(parts))]
                n_changes += 1
                if n_changes == 1:
                    self.warnings.append(f"column {self.position + 1}: {MIXED_WARNING}")
                if n_changes > MAX_DEPTH:
                    right = f"at most {MAX_DEPTH} turns from & to | and back"
                    raise self.fault(self.position, right)
            operator = symbol
            self.position += 1
            parts.append(self.as_formula(self.comparison()))
        if parts:
            value = Combination(operator, tuple(parts))
        return _Parsed(first_part.start, value)

    def comparison(self) -> _Parsed:
        """Read a comparison of two sums, or a sum alone."""
        left = self.sum()
        operator = self.symbol()
        if operator not in ("<", ">", "="):
            return left
        left_sum = self.as_sum(left)
        self.position += 1  # past the operator
        right_sum = self.as_sum(self.sum())
        written = " ".join(self.source[left.start : self.position].split())
        if self.symbol() in ("<", ">", "="):
            raise self.fault(self.position, "one comparison, or several joined by & or |")
        return _Parsed(left.start, Comparison(left_sum, operator, right_sum, written))

    def sum(self) -> _Parsed:
        """Read atoms joined by `+` and `-`, or one atom alone."""
        first_atom = self.atom()
        value = first_atom.value
        while (symbol := self.symbol()) in ("+", "-"):
            total = self.as_sum(_Parsed(first_atom.start, value))
            self.position += 1
            value = plus(total, self.as_sum(self.atom()), 1 if symbol == "+" else -1)
        return _Parsed(first_atom.start, value)

    def atom(self) -> _Parsed:
        """Read a region, a number, or a formula in brackets."""
        self.symbol()  # skips blanks
        start = self.position
        if match := REGION.match(self.source, start):
            self.position = match.end()
            region = match["region"]
            if re.fullmatch("[0-9]{1,18}", region):
                region = str(int(region))  # without leading zeros
            return _Parsed(start, Sum(((1, (match["condition"], region)),)))
        if match := NUMBER.match(self.source, start):
            constant = float(match[0])
            if math.isinf(constant):
                raise self.fault(start, "a number that a float can hold")
            self.position = match.end()
            return _Parsed(start, Sum((), constant))
        closing = CLOSING.get(self.symbol())
        if closing is None:
            raise self.fault(start, ATOM_EXPECTED)
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.fault(start, f"at most {MAX_DEPTH} brackets within each other")
        self.position += 1
        inner = self.joined()
        if (symbol := self.symbol()) != closing:
            raise self.fault(self.position, REGION_EXPECTED if symbol == ";" else repr(closing))
        self.position += 1
        self.depth -= 1
        return _Parsed(start, inner.value)

    def as_sum(self, part: _Parsed) -> Sum:
        """Return the value of a part that must be a number: a sum of surprisals.

        Raises `InputError` if it is a truth value.
        """
        if not isinstance(part.value, Sum):
            raise self.fault(part.start, "a number, which a comparison is not")
        return part.value

    def as_formula(self, part: _Parsed) -> Formula:
        """Return the value of a part that must be a truth value: a comparison, or several joined.

        Raises `InputError` if it is a number.
        """
        if isinstance(part.value, Sum):
            raise self.fault(part.start, "a comparison with <, > or =")
        return part.value

    def symbol(self) -> str:
        """Skip blanks and return the next character without reading it; "" at the end."""
        while self.position < len(self.source) and self.source[self.position].isspace():
            self.position += 1
        return self.source[self.position : self.position + 1]

    def fault(self, position: int, right: str) -> InputError:
        """Return the error for the text at this index, in whose place `right` should stand."""
        remainder = self.source[position : position + 12]
        text = repr(remainder) if remainder else "the end"
        return InputError(
            f"{self.location}: column {position + 1}", f"{text} in a formula", right, kind="format"
        )
