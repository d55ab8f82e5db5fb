"""Figure: score against perplexity (Hu et al. 2020, Figure 2)."""

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from colorless_green.data.tables import Row
from colorless_green.humans.collection.scores import SCORE
from colorless_green.humans.page import svg
from colorless_green.humans.page.marks import DASHES, mark, whisker
from colorless_green.humans.page.material import Material, Suites
from colorless_green.humans.page.numbers import NONE, number, percent, text
from colorless_green.humans.page.parts import Cell, Figure, Panel, Table, heading
from colorless_green.humans.page.raters import Rater
from colorless_green.humans.page.suites.blocks import of_level
from colorless_green.humans.page.values import INTERVAL, interval, share

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME = "perplexity-figure"
TITLE = "Score and perplexity"
WIDTH, HEIGHT = 360.0, 310.0
STEPS = ((1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1,))  # of a scale, from fine to coarse
MOST_TICKS = 6


def figure(material: Material, suites: Suites, raters: Sequence[Rater]) -> Figure | None:
    """A mark for each model with a perplexity, a line for each other; None where no model has
    one."""
    found = {run.model: run.perplexity for run in material.runs if run.perplexity is not None}
    every = of_level(suites.scores, SCORE, raters)
    last = text(every[-1], "name") if every else ""  # of originals and variants the variants'
    rows = {text(row, "rater"): row for row in every if text(row, "name") == last}
    shown = [rater for rater in raters if rater.name in rows]
    if not any(rater.name in found for rater in shown):
        return None
    return Figure(
        name=NAME,
        title=TITLE,
        caption=(
            "The score over all suites against perplexity on each model's own held-out text, on a"
            " logarithmic scale; lower is better. Perplexities compare only between models with the"
            " same text and the same units. Dashed lines are raters without one."
        ),
        panels=(Panel("", _drawing(shown, rows, found)),) if svg.available() else (),
        legend=tuple(shown),
        data=_table(shown, rows, found),
    )


def _drawing(raters: Sequence[Rater], rows: dict[str, Row], found: dict[str, float]) -> svg.Drawing:
    said = {
        rater.name: f"{rater.label}: perplexity {_shown(found.get(rater.name))}, score "
        f"{percent(number(rows[rater.name], 'accuracy'))} percent"
        for rater in raters
    }
    paint = partial(_paint, raters=raters, rows=rows, found=found, said=said)
    return svg.Drawing(NAME, TITLE, "; ".join(said.values()), WIDTH, HEIGHT, paint)


def _paint(
    axes: "Axes",
    raters: Sequence[Rater],
    rows: dict[str, Row],
    found: dict[str, float],
    said: dict[str, str],
) -> None:
    axes.set_ylim(0, 102)
    axes.set_xlabel("perplexity")
    axes.set_ylabel("score, per cent")
    axes.grid(zorder=0)
    own = [math.log10(found[rater.name]) for rater in raters if rater.name in found]
    axes.set_xlim(min(own) - 0.15, max(own) + 0.15)
    places = _round_numbers(min(own) - 0.15, max(own) + 0.15)
    axes.set_xticks([math.log10(value) for value in places], [f"{v:,g}" for v in places])
    for rater in raters:
        row = rows[rater.name]
        score = 100 * (number(row, "accuracy") or 0.0)
        if rater.name not in found:
            colour = svg.colour(rater.colour)
            axes.axhline(score, color=colour, linewidth=1.6, linestyle=DASHES, zorder=1)
            continue
        x = math.log10(found[rater.name])
        low, high = number(row, "low"), number(row, "high")
        if low is not None and high is not None:
            whisker(axes, [x, x], [100 * low, 100 * high], rater)
        mark(axes, x, score, rater, said[rater.name])


def _round_numbers(low: float, high: float) -> list[float]:
    """Round numbers whose logarithms lie between, as many as there is room for."""
    found: list[float] = []
    for steps in STEPS:
        numbers = [step * 10.0**power for power in range(8) for step in steps]
        found = [each for each in numbers if low <= math.log10(each) <= high]
        if len(found) <= MOST_TICKS:
            break
    return found


def _shown(perplexity: float | None) -> str:
    return NONE if perplexity is None else f"{perplexity:,.1f}"


def _table(raters: Sequence[Rater], rows: dict[str, Row], found: dict[str, float]) -> Table:
    return Table(
        name=f"{NAME}-data",
        title=f"{TITLE}: the numbers in the figure",
        columns=(
            heading("rater"),
            heading("perplexity", "number"),
            heading("score, %", "number"),
            *INTERVAL,
        ),
        rows=tuple(
            (
                Cell(rater.label),
                Cell(_shown(known := found.get(rater.name)), sort="number", value=known),
                share(number(rows[rater.name], "accuracy")),
                *interval(number(rows[rater.name], "low"), number(rows[rater.name], "high")),
            )
            for rater in raters
        ),
    )
