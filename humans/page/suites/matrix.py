"""Figure: which raters find the same suites hard (Warstadt et al. 2020, Figure 1)."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from colorless_green.data.tables import Row
from colorless_green.humans.page import svg
from colorless_green.humans.page.marks import mark
from colorless_green.humans.page.material import Suites
from colorless_green.humans.page.numbers import NONE, number, signed, text, whole
from colorless_green.humans.page.parts import Cell, Figure, Panel, Table, heading
from colorless_green.humans.page.raters import Rater
from colorless_green.humans.page.values import counted, decimal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME = "correlations-figure"
TITLE = "Who finds the same suites hard"
FIELD = 44.0  # pixels of a side
SMALLEST = 180.0  # of the whole
DARKEST = 0.6
MEASURES = {"pearson": "Pearson's r", "spearman": "Spearman's ρ"}


def figure(suites: Suites, raters: Sequence[Rater]) -> Figure | None:
    """A square for each measure; None for fewer than two raters with suites in common."""
    at: dict[tuple[str, str], Row] = {}
    for row in suites.correlations:
        one, other = text(row, "rater"), text(row, "other")
        at[one, other] = at[other, one] = row
    shown = [rater for rater in raters if any(rater.name in pair for pair in at)]
    if len(shown) < 2:
        return None
    drawn = [
        Panel(label, _drawing(shown, at, measure, f"{NAME}-{measure}"))
        for measure, label in MEASURES.items()
        if svg.available()
    ]
    return Figure(
        name=NAME,
        title=TITLE,
        caption=(
            "Correlation of two raters' accuracies over the suites (or paradigms) that all have."
            " Blue fields are positive, orange ones negative; a dash is no variation."
        ),
        panels=tuple(drawn),
        legend=tuple(shown),
        data=_table(suites.correlations, {rater.name: rater.label for rater in raters}),
    )


def _drawing(
    raters: Sequence[Rater], at: dict[tuple[str, str], Row], measure: str, name: str
) -> svg.Drawing:
    side = max(FIELD * (len(raters) + 1), SMALLEST)
    values = {pair: number(row, measure) for pair, row in at.items()}
    return svg.Drawing(
        name=name,
        title=f"{TITLE}: {MEASURES[measure]}",
        description="; ".join(
            f"{one.label} and {two.label}: {_shown(values[one.name, two.name])}"
            for place, one in enumerate(raters)
            for two in raters[place + 1 :]
            if (one.name, two.name) in values
        ),
        width=side,
        height=side,
        paint=partial(_paint, raters=raters, values=values, side=side),
    )


def _paint(
    axes: "Axes", raters: Sequence[Rater], values: dict[tuple[str, str], float | None], side: float
) -> None:
    axes.set_xlim(0, side)
    axes.set_ylim(side, 0)
    axes.set_axis_off()
    for line, rater in enumerate(raters):
        centre = FIELD * (line + 1.5)
        mark(axes, centre, FIELD / 2, rater, rater.label)
        mark(axes, FIELD / 2, centre, rater, rater.label)
        for column, other in enumerate(raters):
            if line != column:
                value = values.get((rater.name, other.name))
                title = f"{rater.label} and {other.label}: {_shown(value)}"
                _field(axes, FIELD * (column + 1), FIELD * (line + 1), value, title)


def _field(axes: "Axes", x: float, y: float, value: float | None, title: str) -> None:
    from matplotlib.patches import Rectangle

    colour = svg.colour(1 if (value or 0.0) >= 0 else 2)
    field = Rectangle(
        (x, y), FIELD - 2, FIELD - 2,
        facecolor=colour, alpha=DARKEST * abs(value or 0.0), linewidth=0,
    )  # fmt: skip
    svg.tell(field, [title])
    axes.add_patch(field)
    middle = FIELD / 2 - 1
    axes.text(x + middle, y + middle, _shown(value), ha="center", va="center_baseline")


def _shown(value: float | None) -> str:
    return NONE if value is None else signed(value, 2).removeprefix("+")


def _table(rows: Sequence[Row], labels: dict[str, str]) -> Table:
    return Table(
        name=f"{NAME}-data",
        title=f"{TITLE}: the numbers in the figure",
        columns=(
            heading("rater"),
            heading("other"),
            heading("suites", "number"),
            *(heading(label, "number") for label in MEASURES.values()),
        ),
        rows=tuple(
            (
                Cell(labels[text(row, "rater")]),
                Cell(labels[text(row, "other")]),
                counted(whole(row, "n_suites")),
                *(decimal(number(row, measure), 2) for measure in MEASURES),
            )
            for row in rows
        ),
    )
