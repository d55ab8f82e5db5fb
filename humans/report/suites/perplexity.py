"""Figure: score against perplexity (Hu et al. 2020, Figure 2)."""

import math
from collections.abc import Sequence

from colorless_green.data.tables import Row
from colorless_green.humans.collection.scores import SCORE
from colorless_green.humans.report import svg
from colorless_green.humans.report.material import Material, Suites
from colorless_green.humans.report.numbers import NONE, limits, number, percent, text
from colorless_green.humans.report.parts import Cell, Figure, Panel, Table, heading
from colorless_green.humans.report.raters import Rater
from colorless_green.humans.report.suites.blocks import of_level

NAME = "perplexity-figure"
TITLE = "Score and perplexity"
WIDTH, HEIGHT = 360.0, 310.0


def figure(material: Material, suites: Suites, raters: Sequence[Rater]) -> Figure | None:
    """A mark for each model with a perplexity, a line for each other; None where no model has
    one."""
    found = {run.model: run.perplexity for run in material.runs if run.perplexity is not None}
    rows = {text(row, "rater"): row for row in of_level(suites.scores, SCORE, raters)}
    shown = [rater for rater in raters if rater.name in rows]
    if not any(rater.name in found for rater in shown):
        return None
    drawing = _draw(shown, rows, found) if svg.available() else ""
    return Figure(
        name=NAME,
        title=TITLE,
        caption=(
            "The score over all suites against perplexity on each model's own held-out text, on a"
            " logarithmic scale; lower is better. Perplexities compare only between models with the"
            " same text and the same units. Dashed lines are raters without one."
        ),
        panels=(Panel("", drawing),) if drawing else (),
        legend=tuple(shown),
        data=_table(shown, rows, found),
    )


def _draw(raters: Sequence[Rater], rows: dict[str, Row], found: dict[str, float]) -> str:
    with svg.canvas(WIDTH, HEIGHT) as (figure, axes):
        axes.set_ylim(0, 102)
        axes.set_xlabel("perplexity")
        axes.set_ylabel("score, per cent")
        axes.grid(zorder=0)
        own = [math.log10(found[rater.name]) for rater in raters if rater.name in found]
        axes.set_xlim(min(own) - 0.15, max(own) + 0.15)
        places = _round_numbers(min(own) - 0.15, max(own) + 0.15)
        axes.set_xticks([math.log10(value) for value in places], [f"{v:,}" for v in places])
        for rater in raters:
            colour, row = svg.colour(rater.colour), rows[rater.name]
            score = 100 * (number(row, "accuracy") or 0.0)
            if rater.name not in found:
                axes.axhline(score, color=colour, linewidth=1.6, linestyle=(0, (4, 3)), zorder=1)
                continue
            x = math.log10(found[rater.name])
            low, high = number(row, "low"), number(row, "high")
            if low is not None and high is not None:
                axes.plot([x, x], [100 * low, 100 * high], color=colour, linewidth=2, zorder=2)
            axes.plot(
                [x],
                [score],
                linestyle="none",
                marker=svg.MARKERS[rater.shape],
                markersize=svg.SIZES.get(rater.shape, svg.SIZE),
                color=colour,
                markeredgecolor=svg.PAPER,
                markeredgewidth=0.8,
                zorder=3,
                clip_on=False,
            )
        description = "; ".join(
            f"{rater.label}: perplexity {_shown(found.get(rater.name))}, score "
            f"{percent(number(rows[rater.name], 'accuracy'))} percent"
            for rater in raters
        )
        return svg.inline(figure, NAME, TITLE, description)


def _round_numbers(low: float, high: float) -> list[int]:
    """1, 2 and 5 times the powers of ten whose logarithm lies between."""
    numbers = [step * 10**power for power in range(8) for step in (1, 2, 5)]
    return [each for each in numbers if low <= math.log10(each) <= high]


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
            heading("95 % interval", "number"),
        ),
        rows=tuple(
            (
                Cell(rater.label),
                Cell(_shown(found.get(rater.name)), sort="number"),
                Cell(percent(number(rows[rater.name], "accuracy")), sort="number"),
                Cell(
                    limits(number(rows[rater.name], "low"), number(rows[rater.name], "high")),
                    sort="number",
                ),
            )
            for rater in raters
        ),
    )
