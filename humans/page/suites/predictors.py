"""Figure: success by what is not grammar: length, probability, confidence (Warstadt et al. 2020,
Figure 2)."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from colorless_green.data.tables import Row
from colorless_green.humans.collection.shallow import PREDICTORS
from colorless_green.humans.page import svg
from colorless_green.humans.page.marks import beside, mark, whisker
from colorless_green.humans.page.material import Suites
from colorless_green.humans.page.numbers import (
    NONE,
    THIN,
    count,
    number,
    percent,
    signed,
    text,
    whole,
)
from colorless_green.humans.page.parts import Cell, Figure, Panel, Table, heading
from colorless_green.humans.page.raters import Rater
from colorless_green.humans.page.values import INTERVAL, counted, decimal, interval, share

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
            drawing = _drawing(own, by_name, f"{NAME}-{place}", predictor, " ".join(notes))
            panels.append(Panel(f"{predictor}: {PREDICTORS[predictor]}", drawing, notes))
    if not svg.available():
        panels = []
    return Figure(
        name=NAME,
        title=TITLE,
        caption=(
            "All items by quantiles of a predictor, from the lowest values to the highest; equal"
            f" values stand together, so that there may be fewer than ten. Lines are 95{THIN}%"
            " intervals over items; r is the point-biserial correlation, of people Pearson's with"
            " the share of right answers. Probabilities are there where whole sentences were scored"
            " (--method sentence, or --surprisals)."
        ),
        panels=tuple(panels),
        legend=tuple(
            rater for rater in raters if any(text(r, "rater") == rater.name for r in rows)
        ),
        data=_table(rows, by_name),
    )


def _drawing(
    rows: Sequence[Row], raters: dict[str, Rater], name: str, predictor: str, notes: str
) -> svg.Drawing:
    bins = [row for row in rows if text(row, "bin")]
    paint = partial(_paint, bins=bins, raters=raters, predictor=predictor)
    return svg.Drawing(name, f"{TITLE}: {predictor}", notes, WIDTH, HEIGHT, paint)


def _paint(axes: "Axes", bins: Sequence[Row], raters: dict[str, Rater], predictor: str) -> None:
    last = max(whole(row, "bin") for row in bins)
    present = [rater for key, rater in raters.items() if any(text(r, "rater") == key for r in bins)]
    axes.set_xlim(0.5, last + 0.5)
    axes.set_ylim(0, 102)
    axes.set_xticks(range(1, last + 1))
    axes.set_xlabel(f"{predictor}, from low to high")
    axes.set_ylabel("right, per cent")
    axes.grid(axis="y", zorder=0)
    for line, rater in enumerate(present):
        own = [row for row in bins if text(row, "rater") == rater.name]
        _line(axes, own, rater, beside(line, len(present), SPREAD))


def _line(axes: "Axes", rows: Sequence[Row], rater: Rater, shift: float) -> None:
    places = [whole(row, "bin") + shift for row in rows]
    shares = [100 * (number(row, "accuracy") or 0.0) for row in rows]
    whisker(axes, places, shares, rater, 1.2)
    for x, y, row in zip(places, shares, rows, strict=True):
        low, high = number(row, "low"), number(row, "high")
        if low is not None and high is not None:
            whisker(axes, [x, x], [100 * low, 100 * high], rater, 1.6)
        title = (
            f"{rater.label}, {text(row, 'predictor')} {_values(row)}: {percent(y / 100)} %,"
            f" n = {count(whole(row, 'n_items'))}"
        )
        mark(axes, x, y, rater, title, smaller=1)


def _r(value: float | None) -> str:
    return NONE if value is None else signed(value, 2)


def _table(rows: Sequence[Row], raters: dict[str, Rater]) -> Table:
    return Table(
        name=f"{NAME}-data",
        title=f"{TITLE}: the numbers in the figure",
        columns=(
            heading("predictor"),
            heading("rater"),
            heading("quantile", "number"),
            heading("from", "number"),
            heading("to", "number"),
            heading("items", "number"),
            heading("right, %", "number"),
            *INTERVAL,
            heading("r", "number"),
        ),
        rows=tuple(
            (
                Cell(text(row, "predictor"), sort="short"),
                Cell(raters[text(row, "rater")].label),
                counted(whole(row, "bin")) if text(row, "bin") else Cell("all", sort="number"),
                _end(row, "from"),
                _end(row, "to"),
                counted(whole(row, "n_items")),
                share(number(row, "accuracy")),
                *interval(number(row, "low"), number(row, "high")),
                decimal(None if text(row, "bin") else number(row, "correlation"), 2),
            )
            for row in rows
        ),
    )


def _values(row: Row) -> str:
    start, end = number(row, "from"), number(row, "to")
    if start is None or end is None:
        return "all"
    return f"{_value(start)} to {_value(end)}"


def _end(row: Row, which: str) -> Cell:
    value = number(row, which)
    return Cell(NONE if value is None else _value(value), sort="number", value=value)


def _value(value: float) -> str:
    return f"{value:,.1f}".removesuffix(".0").replace("-", "−")
