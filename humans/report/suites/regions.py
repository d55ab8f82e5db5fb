"""Figures: surprisal by region and condition, one a suite, the prediction's regions marked."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from colorless_green.data.tables import Row
from colorless_green.humans.collection.scores import SCORE
from colorless_green.humans.report import svg
from colorless_green.humans.report.material import Suites
from colorless_green.humans.report.numbers import NONE, count, number, text, whole
from colorless_green.humans.report.parts import Cell, Figure, Panel, Table, heading
from colorless_green.humans.report.raters import N_COLOURS, SHAPES, Rater
from colorless_green.humans.report.suites.blocks import of_level
from colorless_green.nonce.formats.pairs import SENTENCE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME = "regions-figure"
WIDTH, HEIGHT = 400.0, 300.0
SPREAD = 0.3  # of the distance between two regions, over which conditions stand side by side
LONGEST = 14  # letters of a region's name


def figures(suites: Suites, raters: Sequence[Rater]) -> list[Figure]:
    """A figure for each suite whose regions are known, a panel for each model; of several suites
    the model with the best score alone. Whole sentences have no regions to tell apart."""
    known = [
        rater for rater in raters if any(text(r, "rater") == rater.name for r in suites.regions)
    ]
    names = list(dict.fromkeys(text(row, "suite") for row in suites.regions))
    shown = known if len(names) == 1 else _best(suites, known)
    formulas = {each.suite: each.prediction for each in suites.predicted}
    found = []
    for number_, name in enumerate(names):
        rows = [row for row in suites.regions if text(row, "suite") == name]
        if any(text(row, "region") != SENTENCE for row in rows):
            found.append(_figure(name, f"{NAME}-{number_}", rows, shown, formulas.get(name, "")))
    return found


def _best(suites: Suites, raters: Sequence[Rater]) -> list[Rater]:
    by_name = {rater.name: rater for rater in raters}
    rows = of_level(suites.scores, SCORE, raters)
    rows.sort(key=lambda row: -(number(row, "accuracy") or 0.0))
    return [by_name[text(row, "rater")] for row in rows[:1]]


def _figure(
    suite: str, name: str, rows: Sequence[Row], raters: Sequence[Rater], formula: str
) -> Figure:
    conditions = list(dict.fromkeys(text(row, "condition") for row in rows))
    legend = tuple(
        Rater(each, each, SHAPES[place % len(SHAPES)], 1 + place % N_COLOURS)
        for place, each in enumerate(conditions)
    )
    chosen = {rater.name for rater in raters}
    drawn = [
        Panel(rater.label, _draw(own, legend, f"{name}-{place}", f"{suite}, {rater.label}"))
        for place, rater in enumerate(raters)
        if (own := [row for row in rows if text(row, "rater") == rater.name]) and svg.available()
    ]
    return Figure(
        name=name,
        title=suite,
        caption=(
            "Mean surprisal over items, with 95 % intervals. Grey: regions of the prediction"
            + (f", {formula}." if formula else ".")
        ),
        panels=tuple(drawn),
        legend=legend,
        data=_table(suite, name, [row for row in rows if text(row, "rater") in chosen], raters),
    )


def _draw(rows: Sequence[Row], conditions: Sequence[Rater], name: str, title: str) -> str:
    places = sorted({whole(row, "position") for row in rows})
    labels = {whole(row, "position"): _short(text(row, "region")) for row in rows}
    marked = {whole(row, "position") for row in rows if whole(row, "predicted")}
    with svg.canvas(WIDTH, HEIGHT) as (figure, axes):
        axes.set_xlim(places[0] - 0.5, places[-1] + 0.5)
        axes.set_xticks(places, [labels[place] for place in places])
        if max(len(labels[place]) for place in places) * len(places) > 40:
            axes.tick_params(axis="x", labelrotation=40)
            for label in axes.get_xticklabels():
                label.set_horizontalalignment("right")
                label.set_rotation_mode("anchor")
        axes.set_ylabel("surprisal, bits")
        axes.grid(axis="y", zorder=0)
        for place in marked:
            axes.axvspan(place - 0.5, place + 0.5, color=svg.RULE, alpha=0.6, linewidth=0, zorder=0)
        for line, condition in enumerate(conditions):
            own = [row for row in rows if text(row, "condition") == condition.name]
            shift = SPREAD * (line / (len(conditions) - 1) - 0.5) if len(conditions) > 1 else 0.0
            _line(axes, own, condition, shift)
        axes.set_ylim(bottom=0)
        description = "; ".join(
            f"{text(row, 'condition')}, {text(row, 'region')}: "
            f"{number(row, 'surprisal_bits') or 0.0:.2f} bits"
            for row in rows
        )
        return svg.inline(figure, name, f"Surprisal by region: {title}", description)


def _line(axes: "Axes", rows: Sequence[Row], condition: Rater, shift: float) -> None:
    colour = svg.colour(condition.colour)
    ordered = sorted(rows, key=lambda row: whole(row, "position"))
    places = [whole(row, "position") + shift for row in ordered]
    bits = [number(row, "surprisal_bits") or 0.0 for row in ordered]
    axes.plot(places, bits, color=colour, linewidth=1.2, zorder=2)
    for x, row in zip(places, ordered, strict=True):
        low, high = number(row, "low"), number(row, "high")
        if low is not None and high is not None:
            axes.plot([x, x], [low, high], color=colour, linewidth=1.6, zorder=2)
    axes.plot(
        places,
        bits,
        linestyle="none",
        marker=svg.MARKERS[condition.shape],
        markersize=svg.SIZES.get(condition.shape, svg.SIZE) - 1.5,
        color=colour,
        markeredgecolor=svg.PAPER,
        markeredgewidth=0.8,
        zorder=3,
    )


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def _table(suite: str, name: str, rows: Sequence[Row], raters: Sequence[Rater]) -> Table:
    labels = {rater.name: rater.label for rater in raters}
    return Table(
        name=f"{name}-data",
        title=f"Surprisal by region, {suite}: the numbers in the figure",
        columns=(
            heading("condition"),
            heading("region"),
            heading("model"),
            heading("in the prediction"),
            heading("items", "number"),
            heading("bits", "number"),
            heading("95 % interval", "number"),
        ),
        rows=tuple(
            (
                Cell(text(row, "condition"), sort="code"),
                Cell(text(row, "region"), sort="short"),
                Cell(labels[text(row, "rater")]),
                Cell("yes" if whole(row, "predicted") else ""),
                Cell(count(whole(row, "n_items")), sort="number"),
                Cell(_bits(number(row, "surprisal_bits")), sort="number"),
                Cell(_limits(row), sort="number"),
            )
            for row in rows
        ),
    )


def _bits(value: float | None) -> str:
    return NONE if value is None else f"{value:.2f}"


def _limits(row: Row) -> str:
    low, high = number(row, "low"), number(row, "high")
    return NONE if low is None or high is None else f"{_bits(low)}–{_bits(high)}"
