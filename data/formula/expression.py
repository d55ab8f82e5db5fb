"""Formulas over region surprisals as a small tree; `evaluation` says what they make of values.

Numbers are bits. A value may be infinite, and it may be NaN where a region has none (the mean of a
region without tokens): a formula that meets such a value is undefined, which is to say that it does
not hold and has no margin.

A formula as text to its tree, with the column of whatever does not fit.

    formula    := comparison (("&" | "|") comparison)*   from left to right, neither binds tighter
    comparison := sum (("<" | ">" | "=") sum)?           the whole must compare, and only once
    sum        := atom (("+" | "-") atom)*               from left to right
    atom       := region | number | "(" formula ")" | "[" formula "]"
    region     := "(" (NUMBER | NAME | "*") ";%" NAME "%" ")"

Both dialects of SyntaxGym are this one language: the released suites group with `[ ]`, the
reference parser (syntaxgym-core, `prediction.py`) with `( )`; here each bracket ends with its own
kind. A NAME is letters, digits, `_` and `-`. A region by name is ours; the reference knows numbers.
What the reference takes and this refuses: a second comparison (`1 < 2 < 0`, of which it drops the
third number), a formula that is a number, and truth values that are added or compared.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..errors import InputError

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


NAME = r"[\w-]+"
CELL = re.compile(
    rf"\(\s*(?P<region>\*|{NAME})\s*;%\s*(?P<condition>{NAME})\s*%\s*\)"  # no blank within `;%`
)
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
CLOSING = {"(": ")", "[": "]"}
DEEPEST = 50  # brackets within each other; released formulas have three

REGION = "a region like (3;%condition%), a number or a bracket"
LIKE = "a region like (3;%condition%), its names of letters, digits, _ and -"
MIXED = "& and | without brackets bind alike, from left to right"


def parse_formula(source: str, location: str) -> tuple[Formula, tuple[str, ...]]:
    """Return the formula, and a warning for each place where it may be read in two ways.

    Raises `InputError` with the column (from 1) of the first character that does not fit.
    """
    reader = _Reader(source, location)
    part = reader.joined()
    if reader.symbol():
        is_number = isinstance(part.value, Sum)
        raise reader.fault(reader.position, "+, -, <, > or =" if is_number else "& or | or the end")
    return reader.truth(part), tuple(reader.warnings)


@dataclass(frozen=True, slots=True)
class _Part:
    """A number or truth value that was read from `start` on."""

    start: int
    value: Sum | Formula


class _Reader:
    """Recursive descent over one formula; `position` is the index of the next character."""

    def __init__(self, source: str, location: str) -> None:
        self.source, self.location = source, location
        self.position = 0
        self.depth = 0
        self.warnings: list[str] = []

    def joined(self) -> _Part:
        first_part = self.comparison()
        value, turns = first_part.value, 0
        parts: list[Formula] = []
        operator = ""
        while (symbol := self.symbol()) in ("&", "|"):
            parts = parts or [self.truth(first_part)]
            if operator and symbol != operator:
                parts = [Combination(operator, tuple(parts))]
                turns += 1
                if turns == 1:
                    self.warnings.append(f"column {self.position + 1}: {MIXED}")
                if turns > DEEPEST:
                    raise self.fault(self.position, f"at most {DEEPEST} turns from & to | and back")
            operator = symbol
            self.position += 1
            parts.append(self.truth(self.comparison()))
        if parts:
            value = Combination(operator, tuple(parts))
        return _Part(first_part.start, value)

    def comparison(self) -> _Part:
        left = self.sum()
        operator = self.symbol()
        if operator not in ("<", ">", "="):
            return left
        left_sum = self.number(left)
        self.position += 1
        right_sum = self.number(self.sum())
        written = " ".join(self.source[left.start : self.position].split())
        if self.symbol() in ("<", ">", "="):
            raise self.fault(self.position, "one comparison, or several joined by & or |")
        return _Part(left.start, Comparison(left_sum, operator, right_sum, written))

    def sum(self) -> _Part:
        first_atom = self.atom()
        value = first_atom.value
        while (symbol := self.symbol()) in ("+", "-"):
            total = self.number(_Part(first_atom.start, value))
            self.position += 1
            addend, sign = self.number(self.atom()), 1 if symbol == "+" else -1
            terms = tuple((sign * factor, cell) for factor, cell in addend.terms)
            value = Sum(total.terms + terms, total.constant + sign * addend.constant)
        return _Part(first_atom.start, value)

    def atom(self) -> _Part:
        self.symbol()
        start = self.position
        if match := CELL.match(self.source, start):
            self.position = match.end()
            region = match["region"]  # a number without leading zeros, as suites have it
            region = str(int(region)) if re.fullmatch("[0-9]{1,18}", region) else region
            return _Part(start, Sum(((1, (match["condition"], region)),)))
        if match := NUMBER.match(self.source, start):
            constant = float(match[0])
            if math.isinf(constant):
                raise self.fault(start, "a number that a float can hold")
            self.position = match.end()
            return _Part(start, Sum((), constant))
        closing = CLOSING.get(self.symbol())
        if closing is None:
            raise self.fault(start, REGION)
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.fault(start, f"at most {DEEPEST} brackets within each other")
        self.position += 1
        inner = self.joined()
        if (symbol := self.symbol()) != closing:
            raise self.fault(self.position, LIKE if symbol == ";" else repr(closing))
        self.position += 1
        self.depth -= 1
        return _Part(start, inner.value)

    def number(self, part: _Part) -> Sum:
        if not isinstance(part.value, Sum):
            raise self.fault(part.start, "a number, which a comparison is not")
        return part.value

    def truth(self, part: _Part) -> Formula:
        if isinstance(part.value, Sum):
            raise self.fault(part.start, "a comparison with <, > or =")
        return part.value

    def symbol(self) -> str:
        """Move to the next character that is no blank and return it; "" at the end."""
        while self.position < len(self.source) and self.source[self.position].isspace():
            self.position += 1
        return self.source[self.position : self.position + 1]

    def fault(self, position: int, right: str) -> InputError:
        remainder = self.source[position : position + 12]
        text = repr(remainder) if remainder else "the end"
        return InputError(
            f"{self.location}: column {position + 1}", f"{text} in a formula", right, kind="format"
        )
