"""Figures: surprisal by region and condition, one a suite, the prediction's regions marked."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from colorless_green.data.tables import Row
from colorless_green.humans.collection.scores import SCORE
from colorless_green.humans.page import svg
from colorless_green.humans.page.marks import beside, mark, whisker
from colorless_green.humans.page.material import Suites
from colorless_green.humans.page.numbers import THIN, number, text, whole
from colorless_green.humans.page.parts import Cell, Figure, Panel, Table, heading
from colorless_green.humans.page.raters import N_COLOURS, SHAPES, Rater
from colorless_green.humans.page.suites.blocks import of_level
from colorless_green.humans.page.values import counted, decimal
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
        Panel(rater.label, _drawing(own, legend, f"{name}-{place}", f"{suite}, {rater.label}"))
        for place, rater in enumerate(raters)
        if (own := [row for row in rows if text(row, "rater") == rater.name]) and svg.available()
    ]
    return Figure(
        name=name,
        title=suite,
        caption=(
            f"Mean surprisal over items, with 95{THIN}% intervals. Grey: regions of the prediction"
            + (f", {formula}." if formula else ".")
        ),
        panels=tuple(drawn),
        legend=legend,
        data=_table(suite, name, [row for row in rows if text(row, "rater") in chosen], raters),
    )


def _drawing(
    rows: Sequence[Row], conditions: Sequence[Rater], name: str, title: str
) -> svg.Drawing:
    return svg.Drawing(
        name=name,
        title=f"Surprisal by region: {title}",
        description="; ".join(map(_said, rows)),
        width=WIDTH,
        height=HEIGHT,
        paint=partial(_paint, rows=rows, conditions=conditions),
    )


def _said(row: Row) -> str:
    bits = number(row, "surprisal_bits") or 0.0
    return f"{text(row, 'condition')}, {text(row, 'region')}: {bits:.2f} bits"


def _paint(axes: "Axes", rows: Sequence[Row], conditions: Sequence[Rater]) -> None:
    places = sorted({whole(row, "position") for row in rows})
    labels = {whole(row, "position"): _short(text(row, "region")) for row in rows}
    axes.set_xlim(places[0] - 0.5, places[-1] + 0.5)
    axes.set_xticks(places, [labels[place] for place in places])
    if max(len(labels[place]) for place in places) * len(places) > 40:
        axes.tick_params(axis="x", labelrotation=40)
        for label in axes.get_xticklabels():
            label.set_horizontalalignment("right")
            label.set_rotation_mode("anchor")
    axes.set_ylabel("surprisal, bits")
    axes.grid(axis="y", zorder=0)
    for place in sorted({whole(row, "position") for row in rows if whole(row, "predicted")}):
        axes.axvspan(place - 0.5, place + 0.5, color=svg.RULE, alpha=0.6, linewidth=0, zorder=0)
    for line, condition in enumerate(conditions):
        own = [row for row in rows if text(row, "condition") == condition.name]
        _line(axes, own, condition, beside(line, len(conditions), SPREAD))
    axes.set_ylim(bottom=0)


def _line(axes: "Axes", rows: Sequence[Row], condition: Rater, shift: float) -> None:
    ordered = sorted(rows, key=lambda row: whole(row, "position"))
    places = [whole(row, "position") + shift for row in ordered]
    bits = [number(row, "surprisal_bits") or 0.0 for row in ordered]
    whisker(axes, places, bits, condition, 1.2)
    for x, y, row in zip(places, bits, ordered, strict=True):
        low, high = number(row, "low"), number(row, "high")
        if low is not None and high is not None:
            whisker(axes, [x, x], [low, high], condition, 1.6)
        mark(axes, x, y, condition, _said(row), smaller=1.5)


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
            heading("95 % low", "number"),
            heading("95 % high", "number"),
        ),
        rows=tuple(
            (
                Cell(text(row, "condition"), sort="code"),
                Cell(text(row, "region"), sort="short"),
                Cell(labels[text(row, "rater")]),
                Cell("yes" if whole(row, "predicted") else ""),
                counted(whole(row, "n_items")),
                decimal(number(row, "surprisal_bits"), 2),
                decimal(number(row, "low"), 2),
                decimal(number(row, "high"), 2),
            )
            for row in rows
        ),
    )
