"""Figure: every suite and every rater, a field each; a panel for each circuit."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from colorless_green.data.tables import Row
from colorless_green.humans.collection.scores import SUITE
from colorless_green.humans.page import svg
from colorless_green.humans.page.marks import mark
from colorless_green.humans.page.material import Suites
from colorless_green.humans.page.numbers import NONE, count, limits, number, percent, text, whole
from colorless_green.humans.page.parts import Cell, Figure, Panel, Table, heading
from colorless_green.humans.page.raters import Rater
from colorless_green.humans.page.values import share

NAME = "suites-figure"
TITLE = "Suites and models"
WIDTH = 360.0
NAME_HEIGHT, FIELD_HEIGHT, GAP, HEAD = 18.0, 20.0, 8.0, 24.0
BLOCK = NAME_HEIGHT + FIELD_HEIGHT + GAP
DARKEST = 0.6  # share of colour in a field of 100 %: letters on it stay readable
MOST_RATERS = 8  # columns that have room for a number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Rows = dict[tuple[str, str], Row]
"""(suite, rater) → its row of collection.tsv"""


def figure(suites: Suites, raters: Sequence[Rater]) -> Figure | None:
    """A panel for each circuit; None where there is but one suite."""
    own = {
        (text(row, "name"), text(row, "rater")): row
        for row in suites.scores
        if text(row, "level") == SUITE
    }
    names = list(dict.fromkeys(name for name, _ in own))
    if len(names) < 2:
        return None
    circuits = {each.suite: each.circuit for each in suites.predicted}
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(circuits.get(name, ""), []).append(name)
    drawn = [
        Panel(circuit, _drawing(members, own, raters[:MOST_RATERS], f"{NAME}-{n}", circuit))
        for n, (circuit, members) in enumerate(groups.items())
        if svg.available()
    ]
    more = len(raters) - MOST_RATERS
    return Figure(
        name=NAME,
        title=TITLE,
        caption=(
            "Per cent of a suite's items for which its prediction holds; the fuller the colour, the"
            " more. Chance differs from suite to suite: the table has it."
            + (f" {more} models are only in the table." if more > 0 else "")
        ),
        panels=tuple(drawn),
        legend=tuple(raters[:MOST_RATERS]),
        data=_table(names, own, raters, circuits),
    )


def _drawing(
    names: Sequence[str], own: Rows, raters: Sequence[Rater], name: str, circuit: str
) -> svg.Drawing:
    return svg.Drawing(
        name=name,
        title=f"{TITLE}: {circuit}",
        description="; ".join(
            f"{suite}, {rater.label}: {percent(number(own[suite, rater.name], 'accuracy'))} percent"
            for suite in names
            for rater in raters
            if (suite, rater.name) in own
        ),
        width=WIDTH,
        height=HEAD + BLOCK * len(names),
        paint=partial(_paint, names=names, own=own, raters=raters),
    )


def _paint(axes: "Axes", names: Sequence[str], own: Rows, raters: Sequence[Rater]) -> None:
    wide = WIDTH / len(raters)
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(HEAD + BLOCK * len(names), 0)
    axes.set_axis_off()
    for column, rater in enumerate(raters):
        mark(axes, wide * (column + 0.5), HEAD / 2, rater, rater.label)
    for line, suite in enumerate(names):
        top = HEAD + BLOCK * line
        axes.text(0, top + NAME_HEIGHT / 2, suite, va="center", fontsize=svg.FONT_SIZE - 1)
        for column, rater in enumerate(raters):
            row = own.get((suite, rater.name))
            _field(axes, (wide * column, top + NAME_HEIGHT, wide), row, f"{suite}, {rater.label}")


def _field(axes: "Axes", at: tuple[float, float, float], row: Row | None, who: str) -> None:
    """A frame at x and y, so wide; in it the colour, and on that the number."""
    from matplotlib.patches import Rectangle

    x, y, width = at
    held = None if row is None else number(row, "accuracy")
    place, size = (x + 1, y), (width - 3, FIELD_HEIGHT)
    shade = DARKEST * (held or 0.0)
    axes.add_patch(Rectangle(place, *size, facecolor=svg.colour(1), alpha=shade, linewidth=0))
    frame = Rectangle(place, *size, facecolor="none", edgecolor=svg.RULE, linewidth=1)
    n = 0 if row is None else whole(row, "n_items")
    svg.tell(frame, [f"{who}: {percent(held)} %, n = {count(n)}"])
    axes.add_patch(frame)
    shown = NONE if held is None else f"{100 * held:.0f}"
    middle = x + width / 2, y + FIELD_HEIGHT / 2
    axes.text(*middle, shown, ha="center", va="center_baseline")


def _table(
    names: Sequence[str], own: Rows, raters: Sequence[Rater], circuits: dict[str, str]
) -> Table:
    rows = []
    for suite in names:
        found = {
            rater.name: own[suite, rater.name] for rater in raters if (suite, rater.name) in own
        }
        chance = next((number(row, "chance") for row in found.values()), None)
        rows.append(
            (
                Cell(suite, sort="code"),
                Cell(circuits.get(suite, "")),
                *(_cell(found.get(rater.name)) for rater in raters),
                share(chance),
            )
        )
    return Table(
        name=f"{NAME}-data",
        title=f"{TITLE}: the numbers in the figure",
        columns=(
            heading("suite"),
            heading("circuit"),
            *(heading(f"{rater.label}, %", "number") for rater in raters),
            heading("chance, %", "number"),
        ),
        rows=tuple(rows),
        note="Below each the 95 % interval over items and the number of items.",
    )


def _cell(row: Row | None) -> Cell:
    if row is None:
        return Cell(NONE, sort="number")
    interval = limits(number(row, "low"), number(row, "high"))
    n = f"n {count(whole(row, 'n_items'))}"
    below = n if interval == NONE else f"{interval}, {n}"
    return replace(share(number(row, "accuracy")), below=below)
