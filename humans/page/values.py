"""Cells with numbers: rounded for the eye, unrounded for the file of the table."""

from colorless_green.humans.page.numbers import NONE, count, percent, signed
from colorless_green.humans.page.parts import Cell, heading

INTERVAL = (heading("95 % low", "number"), heading("95 % high", "number"))
"""Headings of `interval`, whose cells are per cent."""


def share(value: float | None) -> Cell:
    """A share from 0 to 1, as per cent."""
    return Cell(percent(value), sort="number", value=None if value is None else 100 * value)


def interval(low: float | None, high: float | None) -> tuple[Cell, Cell]:
    """Both ends of an interval of a share, as per cent."""
    return share(low), share(high)


def counted(n: int | None) -> Cell:
    """A count."""
    return Cell(count(n), sort="number", value=n)


def decimal(value: float | None, decimals: int) -> Cell:
    """Any number with so many decimals."""
    shown = NONE if value is None else signed(value, decimals).removeprefix("+")
    return Cell(shown, sort="number", value=value)
