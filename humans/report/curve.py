"""Figure: accuracy by the number of attractors between cue and target (the paper's Figure 2)."""

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

NAME = "attractors-figure"
FEW = 5  # items; a point from fewer is hollow
WIDTH, HEIGHT = 360.0, 310.0
SPREAD = 0.36  # of the distance between two numbers, over which raters stand side by side


def figure(material: Material, raters: Sequence[Rater]) -> Figure | None:
    """The curve; None where attractors were not counted."""
    found = [
        point for point in marginal(material, raters, "n_attractors") if point.value.isdecimal()
    ]
    if not found:
        return None
    panels = list(dict.fromkeys(point.panel for point in found))
    drawn = [
        Panel(panel, _draw([point for point in found if point.panel == panel], raters, place))
        for place, panel in enumerate(panels)
        if svg.available()
    ]
    shown = {point.rater.name for point in found}
    return Figure(
        name=NAME,
        title="Accuracy by number of attractors",
        caption=(
            "Attractors are words between cue and target with the cue's part of speech and another"
            f" value of the feature. n is the number of items; points from fewer than {FEW} are"
            " hollow. Lines are 95 % intervals; the dashed line is chance, 50 %."
        ),
        panels=tuple(drawn),
        legend=tuple(rater for rater in raters if rater.name in shown),
        data=_table(found),
    )


def _draw(found: Sequence[Point], raters: Sequence[Rater], place: int) -> str:
    present = [rater for rater in raters if any(point.rater == rater for point in found)]
    numbers = sorted({int(point.value) for point in found})
    with svg.canvas(WIDTH, HEIGHT) as (figure, axes):
        _frame(axes, numbers, found)
        for line, rater in enumerate(present):
            shift = SPREAD * (line / (len(present) - 1) - 0.5) if len(present) > 1 else 0.0
            _line(axes, [point for point in found if point.rater == rater], shift)
        description = "; ".join(
            f"{point.value} attractors, {point.rater.label}: {percent(point.accuracy)} percent"
            f" of {point.n_items} items"
            for point in found
        )
        title = f"Accuracy by number of attractors, {found[0].panel}"
        return svg.inline(figure, f"{NAME}-{place}", title, description)


def _frame(axes: "Axes", numbers: Sequence[int], found: Sequence[Point]) -> None:
    axes.set_xlim(numbers[0] - 0.5, numbers[-1] + 0.5)
    axes.set_ylim(0, 102)
    axes.set_xticks(numbers, [f"{number}\n{_sizes(found, number)}" for number in numbers])
    axes.set_xlabel("attractors, and number of items")
    axes.set_ylabel("right, per cent of items")
    axes.grid(axis="y", zorder=0)
    axes.axhline(50, color=svg.SOFT, linewidth=1.4, linestyle=(0, (4, 3)), zorder=1)


def _sizes(found: Sequence[Point], number: int) -> str:
    """`n 85`, or `n 80–85` where raters have different numbers of items."""
    sizes = sorted({point.n_items for point in found if int(point.value) == number})
    return f"n {count(sizes[0])}" + (f"–{count(sizes[-1])}" if len(sizes) > 1 else "")


def _line(axes: "Axes", points: Sequence[Point], shift: float) -> None:
    colour = svg.colour(points[0].rater.colour)
    places = [int(point.value) + shift for point in points]
    shape = points[0].rater.shape
    axes.plot(places, [100 * p.accuracy for p in points], color=colour, linewidth=1.2, zorder=2)
    for x, point in zip(places, points, strict=True):
        if point.low is not None and point.high is not None:
            axes.plot([x, x], [100 * point.low, 100 * point.high], color=colour, linewidth=2)
        axes.plot(
            [x],
            [100 * point.accuracy],
            linestyle="none",
            marker=svg.MARKERS[shape],
            markersize=svg.SIZES.get(shape, svg.SIZE),
            color=svg.PAPER if point.n_items < FEW else colour,
            markeredgecolor=colour if point.n_items < FEW else svg.PAPER,
            markeredgewidth=1.6 if point.n_items < FEW else 0.8,
            zorder=3,
            clip_on=False,
        )


def _table(found: Sequence[Point]) -> Table:
    return Table(
        name=f"{NAME}-data",
        title="Accuracy by number of attractors: the numbers in the figure",
        columns=(
            heading("attractors"),
            heading("sentences"),
            heading("rater"),
            heading("items", "number"),
            heading("right, %", "number"),
            heading("95 % interval", "number"),
        ),
        rows=tuple(
            (
                Cell(point.value),
                Cell(point.panel, sort="short"),
                Cell(point.rater.label),
                Cell(count(point.n_items), sort="number"),
                Cell(percent(point.accuracy), sort="number"),
                Cell(limits(point.low, point.high), sort="number"),
            )
            for point in found
        ),
    )
