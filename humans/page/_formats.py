"""Formats of the page: how numbers and names are written, in sentences and in cells of tables.

A cell has the text that a reader sees and the number behind it, unrounded, for sorting and for the
table's file. Shares are 0 to 1 in frames and per cent on the page.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

NONE = "–"
THIN = "\u202f"  # narrow no-break space: "94.5 %" stays on one line
NAMES = {
    "original": "originals",
    "nonce": "nonce variants",
    "composed": "composed items",
    "template": "templates",
    "suite": "items",
}
ALL_ITEMS = "all items"


@dataclass(frozen=True, slots=True)
class TableCell:
    """One cell of a table. `sort` says how it is set."""

    text: str
    below: str = ""  # a smaller second line
    sort: str = "text"  # "text", "short" (never broken), "number", "code", "yes" or "no"
    value: float | None = None  # the number unrounded
    language: str = ""  # BCP-47, of a stretch of a stimulus; empty: the page's own


NO_NUMBER = TableCell(NONE, sort="number")
Format = Callable[..., TableCell]
"""A function of the values of a column's fields, in their order"""


# How texts and numbers are written


def signed(value: float, decimals: int) -> str:
    """Return a number with its sign (a true minus), and no `−0.0`."""
    text = f"{abs(value):,.{decimals}f}"
    if float(text.replace(",", "")) == 0:
        return text
    return f"+{text}" if value > 0 else f"−{text}"


def percent(share: float | None) -> str:
    """Return `0.9452` as `94.5`, without the sign."""
    return NONE if share is None else f"{100 * share:.1f}"


def limits(low: float | None, high: float | None) -> str:
    """Return `92.3–96.3`; a dash where there is no interval."""
    return NONE if low is None or high is None else f"{percent(low)}–{percent(high)}"


def points(difference: float | None) -> str:
    """Return a difference of shares in percentage points, with its sign."""
    return NONE if difference is None else signed(100 * difference, 1)


def count(value: float | None) -> str:
    """Return `12,544`."""
    return NONE if value is None else f"{value:,.0f}"


def plural(n: int, name: str) -> str:
    """Return `1 item`, `1,071 items`."""
    return f"{count(n)} {name if n == 1 else f'{name}s'}"


def enumeration(parts: Iterable[str]) -> str:
    """Return `a`, `a and b`, `a, b and c`."""
    *others, last = [*parts] or [""]
    return f"{', '.join(others)} and {last}" if others else last


def interval(low: float | None, high: float | None, n: int | None = None) -> str:
    """Return `82.4–90.5, n 120`: the second line of a share."""
    bounds = "" if low is None else limits(low, high)
    return ", ".join(filter(None, [bounds, "" if n is None else f"n {count(n)}"]))


def kind_name(kind: str) -> str:
    """Return the name of sentences of a kind; an empty kind is all of them."""
    return NAMES.get(kind, kind) or ALL_ITEMS


# Formats of columns


def text(value: object, below: str | None = "") -> TableCell:
    """Format words."""
    return TableCell("" if value is None else str(value), below or "")


def short(value: object, below: str | None = "") -> TableCell:
    """Format a few words that stay on one line."""
    return replace(text(value, below), sort="short")


def code(value: object, below: str | None = "") -> TableCell:
    """Format a name that programs use."""
    return replace(text(value, below), sort="code")


def kind_cell(value: str) -> TableCell:
    """Format a kind of sentences."""
    return short(kind_name(value))


def count_cell(value: float | None, below: str | None = "") -> TableCell:
    """Format a count."""
    return TableCell(count(value), below or "", "number", value)


def share(value: float | None, below: str | None = "") -> TableCell:
    """Format a share from 0 to 1 as per cent."""
    number = None if value is None else 100 * value
    return TableCell(percent(value), below or "", "number", number)


def estimate(
    value: float | None, low: float | None = None, high: float | None = None, n: int | None = None
) -> TableCell:
    """Format a share, with its interval and number of items below."""
    return share(value, interval(low, high, n))


def difference(value: float | None, low: float | None, high: float | None) -> TableCell:
    """Format a difference of shares in points, with its interval below."""
    below = "" if low is None or high is None else f"{points(low)} to {points(high)}"
    return replace(share(value, below), text=points(value))


def decimals(digits: int, missing: str = NONE) -> Format:
    """Return a format of numbers with so many decimals, and of an interval below them."""

    def decimal(
        value: float | None, low: float | None = None, high: float | None = None
    ) -> TableCell:
        shown = [signed(v, digits).removeprefix("+") for v in (low, high) if v is not None]
        number = missing if value is None else signed(value, digits).removeprefix("+")
        return TableCell(number, " to ".join(shown), "number", value)

    return decimal


def p_value(p: float | None) -> TableCell:
    """Format a p-value with three decimals; `< 0.001` below."""
    shown = NONE if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"
    return TableCell(shown, "", "number", p)


def yes_no(value: bool, below: str | None = "") -> TableCell:
    """Format a yes or no."""
    answer = "yes" if value else "no"
    return TableCell(answer, below or "", answer)
