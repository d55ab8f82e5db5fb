"""Figure: which raters find the same suites hard (Warstadt et al. 2020, Figure 1)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from colorless_green.data.tables import Row
from colorless_green.humans.report import svg
from colorless_green.humans.report.material import Suites
from colorless_green.humans.report.numbers import NONE, count, number, signed, text, whole
from colorless_green.humans.report.parts import Cell, Figure, Panel, Table, heading
from colorless_green.humans.report.raters import Rater

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME = "correlations-figure"
TITLE = "Who finds the same suites hard"
FIELD = 44.0  # pixels of a side
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
        Panel(label, _draw(shown, at, measure, f"{NAME}-{measure}"))
        for measure, label in MEASURES.items()
        if svg.available()
    ]
    return Figure(
        name=NAME,
        title=TITLE,
        caption=(
            "Correlation of two raters' accuracies over the suites (or paradigms) that both have."
            " Blue fields are positive, orange ones negative; a dash is no variation."
        ),
        panels=tuple(drawn),
        legend=tuple(shown),
        data=_table(suites.correlations, {rater.name: rater.label for rater in raters}),
    )


def _draw(raters: Sequence[Rater], at: dict[tuple[str, str], Row], measure: str, name: str) -> str:
    side = FIELD * (len(raters) + 1)
    with svg.canvas(max(side, 180.0), max(side, 180.0)) as (figure, axes):
        axes.set_xlim(0, max(side, 180.0))
        axes.set_ylim(max(side, 180.0), 0)
        axes.set_axis_off()
        for line, rater in enumerate(raters):
            centre = FIELD * (line + 1.5)
            for x, y in ((centre, FIELD / 2), (FIELD / 2, centre)):
                axes.plot(
                    [x], [y],
                    marker=svg.MARKERS[rater.shape],
                    markersize=svg.SIZES.get(rater.shape, svg.SIZE),
                    color=svg.colour(rater.colour),
                    markeredgecolor=svg.PAPER,
                )  # fmt: skip
            for column, other in enumerate(raters):
                if line != column:
                    row = at.get((rater.name, other.name))
                    value = None if row is None else number(row, measure)
                    x, y = FIELD * (column + 1), FIELD * (line + 1)
                    _field(axes, x, y, value)
        description = "; ".join(
            f"{one.label} and {two.label}: {_shown(number(at[one.name, two.name], measure))}"
            for place, one in enumerate(raters)
            for two in raters[place + 1 :]
            if (one.name, two.name) in at
        )
        return svg.inline(figure, name, f"{TITLE}: {MEASURES[measure]}", description)


def _field(axes: "Axes", x: float, y: float, value: float | None) -> None:
    from matplotlib.patches import Rectangle

    colour = svg.colour(1 if (value or 0.0) >= 0 else 2)
    field = Rectangle(
        (x, y), FIELD - 2, FIELD - 2,
        facecolor=colour, alpha=DARKEST * abs(value or 0.0), linewidth=0,
    )  # fmt: skip
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
                Cell(count(whole(row, "n_suites")), sort="number"),
                *(Cell(_shown(number(row, measure)), sort="number") for measure in MEASURES),
            )
            for row in rows
        ),
    )
