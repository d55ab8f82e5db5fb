"""Figure: success by what is not grammar: length, probability, confidence (Warstadt et al. 2020,
Figure 2)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from colorless_green.data.tables import Row
from colorless_green.humans.collection.shallow import PREDICTORS
from colorless_green.humans.report import svg
from colorless_green.humans.report.material import Suites
from colorless_green.humans.report.numbers import (
    NONE,
    count,
    limits,
    number,
    percent,
    signed,
    text,
    whole,
)
from colorless_green.humans.report.parts import Cell, Figure, Panel, Table, heading
from colorless_green.humans.report.raters import Rater

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME = "shallow-figure"
TITLE = "What else goes with success"
WIDTH, HEIGHT = 360.0, 280.0
SPREAD = 0.3


def figure(suites: Suites, raters: Sequence[Rater]) -> Figure | None:
    """A panel for each predictor, a line for each rater that has it; None without any."""
    by_name = {rater.name: rater for rater in raters}
    rows = [row for row in suites.shallow if text(row, "rater") in by_name]
    if not rows:
        return None
    panels = []
    for place, predictor in enumerate(PREDICTORS):
        own = [row for row in rows if text(row, "predictor") == predictor]
        if own:
            notes = tuple(
                f"{by_name[text(row, 'rater')].label}: r = {_r(number(row, 'correlation'))},"
                f" n = {count(whole(row, 'n_items'))}"
                for row in own
                if not text(row, "bin")
            )
            drawing = ""
            if svg.available():
                drawing = _draw(own, by_name, f"{NAME}-{place}", predictor, " ".join(notes))
            panels.append(Panel(f"{predictor}: {PREDICTORS[predictor]}", drawing, notes))
    if not svg.available():
        panels = []
    return Figure(
        name=NAME,
        title=TITLE,
        caption=(
            "All items by quantiles of a predictor, from the lowest values to the highest; equal"
            " values stand together, so that there may be fewer than ten. Lines are 95 % intervals"
            " over items; r is the point-biserial correlation. Probabilities are there where whole"
            " sentences were scored (--method sentence, or --surprisals)."
        ),
        panels=tuple(panels),
        legend=tuple(
            rater for rater in raters if any(text(r, "rater") == rater.name for r in rows)
        ),
        data=_table(rows, by_name),
    )


def _draw(
    rows: Sequence[Row], raters: dict[str, Rater], name: str, predictor: str, notes: str
) -> str:
    bins = [row for row in rows if text(row, "bin")]
    last = max(whole(row, "bin") for row in bins)
    present = [rater for key, rater in raters.items() if any(text(r, "rater") == key for r in bins)]
    with svg.canvas(WIDTH, HEIGHT) as (figure, axes):
        axes.set_xlim(0.5, last + 0.5)
        axes.set_ylim(0, 102)
        axes.set_xticks(range(1, last + 1))
        axes.set_xlabel(f"{predictor}, from low to high")
        axes.set_ylabel("right, per cent")
        axes.grid(axis="y", zorder=0)
        for line, rater in enumerate(present):
            shift = SPREAD * (line / (len(present) - 1) - 0.5) if len(present) > 1 else 0.0
            _line(axes, [row for row in bins if text(row, "rater") == rater.name], rater, shift)
        return svg.inline(figure, name, f"{TITLE}: {predictor}", notes)


def _line(axes: "Axes", rows: Sequence[Row], rater: Rater, shift: float) -> None:
    colour = svg.colour(rater.colour)
    places = [whole(row, "bin") + shift for row in rows]
    shares = [100 * (number(row, "accuracy") or 0.0) for row in rows]
    axes.plot(places, shares, color=colour, linewidth=1.2, zorder=2)
    for x, row in zip(places, rows, strict=True):
        low, high = number(row, "low"), number(row, "high")
        if low is not None and high is not None:
            axes.plot([x, x], [100 * low, 100 * high], color=colour, linewidth=1.6, zorder=2)
    axes.plot(
        places,
        shares,
        linestyle="none",
        marker=svg.MARKERS[rater.shape],
        markersize=svg.SIZES.get(rater.shape, svg.SIZE) - 1,
        color=colour,
        markeredgecolor=svg.PAPER,
        markeredgewidth=0.8,
        zorder=3,
        clip_on=False,
    )


def _r(value: float | None) -> str:
    return NONE if value is None else signed(value, 2)


def _table(rows: Sequence[Row], raters: dict[str, Rater]) -> Table:
    return Table(
        name=f"{NAME}-data",
        title=f"{TITLE}: the numbers in the figure",
        columns=(
            heading("predictor"),
            heading("rater"),
            heading("values", "number"),
            heading("items", "number"),
            heading("right, %", "number"),
            heading("95 % interval", "number"),
            heading("r", "number"),
        ),
        rows=tuple(
            (
                Cell(text(row, "predictor"), sort="short"),
                Cell(raters[text(row, "rater")].label),
                Cell(_values(row), sort="number"),
                Cell(count(whole(row, "n_items")), sort="number"),
                Cell(percent(number(row, "accuracy")), sort="number"),
                Cell(limits(number(row, "low"), number(row, "high")), sort="number"),
                Cell("" if text(row, "bin") else _r(number(row, "correlation")), sort="number"),
            )
            for row in rows
        ),
    )


def _values(row: Row) -> str:
    start, end = number(row, "from"), number(row, "to")
    if start is None or end is None:
        return "all"
    return f"{_value(start)} to {_value(end)}"


def _value(value: float) -> str:
    return f"{value:,.1f}".removesuffix(".0").replace("-", "−")
