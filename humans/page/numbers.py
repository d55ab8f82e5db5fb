"""Numbers as a reader wants them: shares as percent, missing as a dash, p-values with their floor.

Records hold shares from 0 to 1; percent is made here and nowhere else.
"""

from colorless_green.data.tables import Cell, Row

NONE = "–"
THIN = "\u202f"  # narrow no-break space: "94.5 %" stays on one line


def percent(share: float | None) -> str:
    """`0.9452` as `94.5`, without the sign."""
    return NONE if share is None else f"{100 * share:.1f}"


def limits(low: float | None, high: float | None) -> str:
    """`92.3–96.3`; a dash where there is no interval."""
    return NONE if low is None or high is None else f"{percent(low)}–{percent(high)}"


def points(difference: float | None) -> str:
    """A difference of shares in percentage points, always with its sign."""
    return NONE if difference is None else signed(100 * difference, 1)


def signed(value: float, decimals: int) -> str:
    """With sign (a true minus), and no `−0.0`."""
    text = f"{abs(value):.{decimals}f}"
    if float(text) == 0:
        return text
    return f"+{text}" if value > 0 else f"−{text}"


def p_value(p: float | None) -> str:
    """Three decimals; `< 0.001` below."""
    if p is None:
        return NONE
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def count(value: int | float | None) -> str:
    """`12,544`"""
    return NONE if value is None else f"{value:,.0f}"


def text(row: Row, column: str) -> str:
    """A cell as text; missing is empty."""
    value = row.get(column)
    return "" if value is None else str(value)


def number(row: Row, column: str) -> float | None:
    """A cell as a number; tables that were read from a file have it as text."""
    value: Cell = row.get(column)
    return None if value is None or value == "" else float(value)


def whole(row: Row, column: str) -> int:
    """A count; missing is 0."""
    return int(number(row, column) or 0)
