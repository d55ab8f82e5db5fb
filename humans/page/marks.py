"""Marks: a rater's shape at a place, and the line of its interval; everywhere the same."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from colorless_green.humans.page import svg
from colorless_green.humans.page.raters import Rater

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DASHES = (0, (4, 3))


def mark(
    axes: "Axes",
    x: float,
    y: float,
    rater: Rater,
    title: str,
    *,
    hollow: bool = False,
    smaller: float = 0.0,  # points
) -> None:
    """The rater's shape. `title` is what it is, for a pointer over it."""
    colour = svg.colour(rater.colour)
    (drawn,) = axes.plot(
        [x],
        [y],
        linestyle="none",
        marker=svg.MARKERS[rater.shape],
        markersize=svg.SIZES.get(rater.shape, svg.SIZE) - smaller,
        color=svg.PAPER if hollow else colour,
        markeredgecolor=colour if hollow else svg.PAPER,
        markeredgewidth=1.6 if hollow else 0.8,
        zorder=3,
        clip_on=False,
    )
    svg.tell(drawn, [title])


def whisker(
    axes: "Axes", xs: Sequence[float], ys: Sequence[float], rater: Rater, width: float = 2.0
) -> None:
    """A line in the rater's colour, under the marks."""
    axes.plot(xs, ys, color=svg.colour(rater.colour), linewidth=width, zorder=2, clip_on=False)


def beside(place: int, n: int, spread: float) -> float:
    """How far from the middle the mark of rater `place` (from 0) of `n` stands, so that they stand
    side by side over `spread`."""
    return spread * (place / (n - 1) - 0.5) if n > 1 else 0.0
