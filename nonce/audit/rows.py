"""What an audit found as rows of a table and as messages."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from colorless_green.data.tables import Cell, Row
from colorless_green.nonce.audit.audit import Audit, Figure

FIGURES = ("baseline", "n_items", "n_clusters", "accuracy", "low", "high", "chance", "warning")
HARD = "hard"  # the row that counts the hard items of a cell
COIN = 0.5  # what a fair coin has on a pair, however the pair was selected


def audit_rows(suite: str, found: Audit) -> tuple[list[Row], list[Row]]:
    """Rows to show a person (the whole, warnings, cells with hard items), and the other rows."""
    shown: list[Row] = []
    hidden: list[Row] = []
    by_cell: dict[tuple[str, ...], list[Figure]] = {}
    for figure in found.figures:
        by_cell.setdefault(figure.cell, []).append(figure)
    for cell, figures in by_cell.items():
        place = {"suite": suite, **dict(zip(found.columns, cell, strict=False))}
        for figure in figures:
            rows = shown if not cell or figure.warning else hidden
            rows.append({**place, **_figure_cells(figure)})
        if cell in found.hard_by_cell:
            n_items, n_clusters = found.hard_by_cell[cell]
            rows = shown if not cell or n_items else hidden
            counts = {"n_items": n_items, "n_clusters": n_clusters, "chance": COIN}
            rows.append({**place, "baseline": HARD, **counts})
    return shown, hidden


def _figure_cells(figure: Figure) -> dict[str, Cell]:
    return {
        "baseline": figure.baseline,
        "n_items": figure.n_items,
        "n_clusters": figure.n_clusters,
        "accuracy": figure.accuracy,
        "low": figure.interval.low if figure.interval else None,
        "high": figure.interval.high if figure.interval else None,
        "chance": figure.chance,
        "warning": figure.warning or None,
    }


def left_out_messages(found: Audit, n_items: int) -> Iterator[str]:
    """Items that are no pair, and baselines that could judge none, with the reason."""
    if found.n_pairs < n_items:
        n_left = n_items - found.n_pairs
        yield f"{n_left} of {n_items} items are no right and wrong sentence: left out"
    reasons: dict[str, list[str]] = {}
    for baseline, reason in found.left_out.items():
        reasons.setdefault(reason, []).append(baseline)
    for reason, baselines in reasons.items():
        yield f"{', '.join(baselines)}: left out, {reason}"


def hard_messages(found: Audit, path: Path | None, against: Sequence[str]) -> Iterator[str]:
    """What the hard items are, and what their selection means for chance."""
    if not found.hard_by_cell:
        return
    n_hard = len(found.hard)
    which = f"none of {', '.join(against)}" if against else "no baseline"
    yield f"hard: {n_hard} of {found.n_pairs} items, which {which} gets right"
    if path is None:
        return
    if not n_hard:
        yield f"{path} is not written: there is no hard item; --against names fewer baselines"
        return
    yield (
        f"{path}: {n_hard} items. By selection these baselines have 0 there (ties apart), a coin "
        "has 0.5, and the opposite of any baseline up to 1: report it beside the whole suite"
    )
