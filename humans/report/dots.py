"""Figure: accuracy of each construction, originals and nonce variants side by side.

One line a rater under the name of the construction, so that the names take no width and the
drawing fits a telephone.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from colorless_green.humans.report import svg
from colorless_green.humans.report.marginals import Point, marginal
from colorless_green.humans.report.material import Material
from colorless_green.humans.report.numbers import count, limits, percent
from colorless_green.humans.report.parts import Cell, Figure, Panel, Table, heading
from colorless_green.humans.report.raters import Rater

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME = "constructions-figure"
MOST = 40  # constructions drawn; the table has them all
WIDTH = 360.0
NAME_HEIGHT, RATER_HEIGHT, GAP = 20.0, 15.0, 12.0  # of a construction's block, in pixels
ALL = "all constructions"


def figure(material: Material, raters: Sequence[Rater]) -> Figure | None:
    """The dot plot; None where nothing was scored or judged."""
    found = [*marginal(material, raters), *marginal(material, raters, "construction")]
    if not found:
        return None
    rows = _rows(found)
    panels = list(dict.fromkeys(point.panel for point in found))
    left_out = len(rows) - MOST
    caption = (
        "Share of items for which the right form won, with 95 % intervals (bootstrap over"
        " originals). The dashed line is chance, 50 %."
    )
    if left_out > 0:
        caption += f" The {left_out} constructions with the fewest items are only in the table."
    kept = rows[:MOST]
    drawn = [
        Panel(panel, _draw([p for p in found if p.panel == panel], kept, raters, place))
        for place, panel in enumerate(panels)
        if svg.available()
    ]
    shown = {point.rater.name for point in found}
    return Figure(
        name=NAME,
        title="Accuracy by construction",
        caption=caption,
        panels=tuple(drawn),
        legend=tuple(rater for rater in raters if rater.name in shown),
        data=_table(found),
    )


def _rows(found: Sequence[Point]) -> list[str]:
    """Values of the marginal, the total first; if they are too many, the largest come first."""
    values = list(dict.fromkeys(point.value for point in found))
    if len(values) > MOST:
        size = dict.fromkeys(values, 0)
        for point in found:
            size[point.value] = max(size[point.value], point.n_items)
        values.sort(key=lambda value: (value != "", -size[value]))
    return values


def _draw(found: Sequence[Point], rows: Sequence[str], raters: Sequence[Rater], place: int) -> str:
    present = [rater for rater in raters if any(p.rater == rater for p in found)]
    shown = [row for row in rows if any(p.value == row for p in found)]
    block = NAME_HEIGHT + RATER_HEIGHT * len(present) + GAP
    height = block * len(shown) + 46
    panel = found[0].panel
    with svg.canvas(WIDTH, height) as (figure, axes):
        _frame(axes, block * len(shown))
        for index, row in enumerate(shown):
            own = {p.rater.name: p for p in found if p.value == row}
            top = block * index
            axes.text(0, top + NAME_HEIGHT / 2, row or ALL, va="center")
            if index:
                axes.axhline(top - GAP / 2, color=svg.RULE, linewidth=1)
            for line, rater in enumerate(present):
                if rater.name in own:
                    _mark(axes, own[rater.name], top + NAME_HEIGHT + RATER_HEIGHT * (line + 0.5))
        description = "; ".join(
            f"{point.value or ALL}, {point.rater.label}: {percent(point.accuracy)} percent"
            for point in found
        )
        return svg.inline(
            figure, f"{NAME}-{place}", f"Accuracy by construction, {panel}", description
        )


def _frame(axes: "Axes", height: float) -> None:
    axes.set_xlim(0, 100)
    axes.set_ylim(height, -2)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xticks([0, 25, 50, 75, 100])
    axes.set_xlabel("right, per cent of items")
    axes.grid(axis="x", zorder=0)
    axes.axvline(50, color=svg.SOFT, linewidth=1.4, linestyle=(0, (4, 3)), zorder=1)


def _mark(axes: "Axes", point: Point, y: float) -> None:
    colour = svg.colour(point.rater.colour)
    if point.low is not None and point.high is not None:
        axes.plot([100 * point.low, 100 * point.high], [y, y], color=colour, linewidth=2, zorder=2)
    axes.plot(
        [100 * point.accuracy],
        [y],
        linestyle="none",
        marker=svg.MARKERS[point.rater.shape],
        markersize=svg.SIZES.get(point.rater.shape, svg.SIZE),
        color=colour,
        markeredgecolor=svg.PAPER,
        markeredgewidth=0.8,
        zorder=3,
        clip_on=False,
    )


def _table(found: Sequence[Point]) -> Table:
    return Table(
        name=f"{NAME}-data",
        title="Accuracy by construction: the numbers in the figure",
        columns=(
            heading("construction"),
            heading("sentences"),
            heading("rater"),
            heading("items", "number"),
            heading("right, %", "number"),
            heading("95 % interval", "number"),
        ),
        rows=tuple(
            (
                Cell(point.value or ALL, sort="code" if point.value else "text"),
                Cell(point.panel, sort="short"),
                Cell(point.rater.label),
                Cell(count(point.n_items), sort="number"),
                Cell(percent(point.accuracy), sort="number"),
                Cell(limits(point.low, point.high), sort="number"),
            )
            for point in found
        ),
    )
