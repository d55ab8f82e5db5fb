"""Drawing: names with marks under them, on one scale from 0 to 100 per cent.

The name of a block stands above its marks, so that it takes no width and the drawing fits a
telephone. A dashed stretch is the block's chance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from colorless_green.data.tables import Row
from colorless_green.humans.report import svg
from colorless_green.humans.report.numbers import count, limits, number, percent, text, whole
from colorless_green.humans.report.parts import Cell, Table, heading
from colorless_green.humans.report.raters import Rater

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH = 360.0
NAME_HEIGHT, MARK_HEIGHT, GAP = 20.0, 15.0, 12.0  # of a block, in pixels
SCALE_HEIGHT = 46.0


@dataclass(frozen=True, slots=True)
class Mark:
    """One share with its interval."""

    rater: Rater
    accuracy: float
    low: float | None
    high: float | None
    hollow: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """Marks under one name."""

    name: str
    marks: tuple[Mark, ...]
    chance: float | None = None


def mark(row: Row, rater: Rater, *, hollow: bool = False) -> Mark:
    """The mark of a row of collection.tsv."""
    return Mark(
        rater, number(row, "accuracy") or 0.0, number(row, "low"), number(row, "high"), hollow
    )


def draw(blocks: Sequence[Block], name: str, title: str) -> str:
    """The drawing as an SVG element; its description has every number."""
    tops: list[float] = []
    top = 0.0
    for block in blocks:
        tops.append(top)
        top += NAME_HEIGHT + MARK_HEIGHT * len(block.marks) + GAP
    with svg.canvas(WIDTH, top + SCALE_HEIGHT) as (figure, axes):
        _frame(axes, top)
        for block, start in zip(blocks, tops, strict=True):
            if start:
                axes.axhline(start - GAP / 2, color=svg.RULE, linewidth=1)
            axes.text(0, start + NAME_HEIGHT / 2, block.name, va="center")
            _chance(axes, block, start + NAME_HEIGHT)
            for line, each in enumerate(block.marks):
                _mark(axes, each, start + NAME_HEIGHT + MARK_HEIGHT * (line + 0.5))
        description = "; ".join(
            f"{block.name}, {each.rater.label}: {percent(each.accuracy)} percent"
            for block in blocks
            for each in block.marks
        )
        return svg.inline(figure, name, title, description)


def _frame(axes: "Axes", height: float) -> None:
    axes.set_xlim(0, 100)
    axes.set_ylim(height, -2)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xticks([0, 25, 50, 75, 100])
    axes.set_xlabel("right, per cent")
    axes.grid(axis="x", zorder=0)


def _chance(axes: "Axes", block: Block, top: float) -> None:
    if block.chance is not None:
        x, bottom = 100 * block.chance, top + MARK_HEIGHT * len(block.marks)
        style = (0, (4, 3))
        axes.plot([x, x], [top, bottom], color=svg.INK, linewidth=1.4, linestyle=style, zorder=1)


def _mark(axes: "Axes", each: Mark, y: float) -> None:
    colour = svg.colour(each.rater.colour)
    if each.low is not None and each.high is not None:
        axes.plot([100 * each.low, 100 * each.high], [y, y], color=colour, linewidth=2, zorder=2)
    axes.plot(
        [100 * each.accuracy],
        [y],
        linestyle="none",
        marker=svg.MARKERS[each.rater.shape],
        markersize=svg.SIZES.get(each.rater.shape, svg.SIZE),
        color=svg.PAPER if each.hollow else colour,
        markeredgecolor=colour if each.hollow else svg.PAPER,
        markeredgewidth=1.6 if each.hollow else 0.8,
        zorder=3,
        clip_on=False,
    )


def data(name: str, title: str, what: str, rows: Sequence[Row], labels: dict[str, str]) -> Table:
    """The numbers of a drawing: rows of collection.tsv, by name and rater."""
    return Table(
        name=f"{name}-data",
        title=title,
        columns=(
            heading(what),
            heading("rater"),
            heading("suites", "number"),
            heading("items", "number"),
            heading("right, %", "number"),
            heading("95 % interval", "number"),
            heading("chance, %", "number"),
        ),
        rows=tuple(
            (
                Cell(text(row, "name") or "all suites"),
                Cell(labels[text(row, "rater")]),
                Cell(count(whole(row, "n_suites")), sort="number"),
                Cell(count(whole(row, "n_items")), sort="number"),
                Cell(percent(number(row, "accuracy")), sort="number"),
                Cell(limits(number(row, "low"), number(row, "high")), sort="number"),
                Cell(percent(number(row, "chance")), sort="number"),
            )
            for row in rows
        ),
    )


def of_level(rows: Sequence[Row], level: str, raters: Sequence[Rater]) -> list[Row]:
    """The rows of collection.tsv of one level, those of the raters that are shown."""
    names = [rater.name for rater in raters]
    return [row for row in rows if text(row, "level") == level and text(row, "rater") in names]
