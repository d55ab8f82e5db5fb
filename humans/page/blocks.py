"""Drawing: names with marks under them, on one scale from 0 to 100 per cent.

The name of a block stands above its marks, so that it takes no width and the drawing fits a
telephone. A dashed stretch is the block's chance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from colorless_green.humans.page import svg
from colorless_green.humans.page.marks import DASHES, mark, whisker
from colorless_green.humans.page.numbers import NONE, count, limits, percent
from colorless_green.humans.page.raters import Rater

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
    n_items: int
    hollow: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """Marks under one name."""

    name: str
    marks: tuple[Mark, ...]
    chance: float | None = None


def drawing(
    blocks: Sequence[Block], name: str, title: str, scale: str = "right, per cent"
) -> svg.Drawing:
    """The blocks from top to bottom; the description has every number. `scale` is the axis's
    label."""
    height = sum(map(_height, blocks))
    return svg.Drawing(
        name=name,
        title=title,
        description="; ".join(
            f"{block.name}, {each.rater.label}: {percent(each.accuracy)} percent"
            for block in blocks
            for each in block.marks
        ),
        width=WIDTH,
        height=height + SCALE_HEIGHT,
        paint=partial(_paint, blocks=blocks, height=height, scale=scale),
    )


def _height(block: Block) -> float:
    return NAME_HEIGHT + MARK_HEIGHT * len(block.marks) + GAP


def _paint(axes: "Axes", blocks: Sequence[Block], height: float, scale: str) -> None:
    _frame(axes, height, scale)
    top = 0.0
    for block in blocks:
        if top:
            axes.axhline(top - GAP / 2, color=svg.RULE, linewidth=1)
        axes.text(0, top + NAME_HEIGHT / 2, block.name, va="center")
        _chance(axes, block, top + NAME_HEIGHT)
        for line, each in enumerate(block.marks):
            y = top + NAME_HEIGHT + MARK_HEIGHT * (line + 0.5)
            if each.low is not None and each.high is not None:
                whisker(axes, [100 * each.low, 100 * each.high], [y, y], each.rater)
            title = _title(block, each)
            mark(axes, 100 * each.accuracy, y, each.rater, title, hollow=each.hollow)
        top += _height(block)


def _frame(axes: "Axes", height: float, scale: str) -> None:
    axes.set_xlim(0, 100)
    axes.set_ylim(height, -2)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xticks([0, 25, 50, 75, 100])
    axes.set_xlabel(scale)
    axes.grid(axis="x", zorder=0)


def _chance(axes: "Axes", block: Block, top: float) -> None:
    if block.chance is not None:
        x, bottom = 100 * block.chance, top + MARK_HEIGHT * len(block.marks)
        axes.plot([x, x], [top, bottom], color=svg.INK, linewidth=1.4, linestyle=DASHES, zorder=1)


def _title(block: Block, each: Mark) -> str:
    interval = limits(each.low, each.high)
    within = "" if interval == NONE else f" [{interval}]"
    return (
        f"{block.name}, {each.rater.label}: {percent(each.accuracy)} %{within},"
        f" n = {count(each.n_items)}"
    )
