"""Figure: accuracy of each construction, originals and nonce variants side by side.

One line a rater under the name of the construction, so that the names take no width and the
drawing fits a telephone.
"""

from collections.abc import Sequence

from colorless_green.humans.page import svg
from colorless_green.humans.page.blocks import Block, Mark, drawing
from colorless_green.humans.page.marginals import (
    Point,
    best_guess,
    marginal,
    methods,
    panel_name,
)
from colorless_green.humans.page.material import Material
from colorless_green.humans.page.numbers import THIN, percent
from colorless_green.humans.page.parts import Cell, Figure, Panel, Table, heading
from colorless_green.humans.page.raters import Rater
from colorless_green.humans.page.values import INTERVAL, counted, interval, share

NAME = "constructions-figure"
MOST = 40  # constructions drawn; the table has them all
CHANCE = 0.5
ALL = "all constructions"


def figure(material: Material, raters: Sequence[Rater]) -> Figure | None:
    """The dot plot; None where nothing was scored or judged."""
    found = [*marginal(material, raters), *marginal(material, raters, "construction")]
    if not found:
        return None
    rows = _rows(found)
    panels = list(dict.fromkeys(point.panel for point in found))
    left_out = len(rows) - MOST
    caption = (
        "Share of items for which the right form won: of people the mean over items of the share of"
        f" right answers. Lines are 95{THIN}% intervals ({methods(found) or 'none here'}). The"
        f" dashed line is chance, 50{THIN}%. All are on the items that all could answer."
    )
    best = {
        kind: guess
        for kind, shared in material.common.items()
        if (guess := best_guess(material, shared.items)) is not None
    }
    if best:
        told = [f"{percent(each.accuracy)}{THIN}% ({each.name}, {panel_name(kind)})" for kind, each
                in best.items()]  # fmt: skip
        caption += f" The best baseline without grammar reaches {', '.join(told)}."
    if left_out > 0:
        caption += f" The {left_out} constructions with the fewest items are only in the table."
    kept = rows[:MOST]
    drawn = [
        Panel(panel, _drawing([p for p in found if p.panel == panel], kept, raters, place))
        for place, panel in enumerate(panels)
        if svg.available()
    ]
    shown = {point.rater.name for point in found}
    return Figure(
        name=NAME,
        title="Accuracy by construction",
        caption=caption,
        panels=tuple(drawn),
        legend=tuple(rater for rater in raters if rater.name in shown),
        data=_table(found),
    )


def _rows(found: Sequence[Point]) -> list[str]:
    """Values of the marginal, the total first; if they are too many, the largest come first."""
    values = list(dict.fromkeys(point.value for point in found))
    if len(values) > MOST:
        size = dict.fromkeys(values, 0)
        for point in found:
            size[point.value] = max(size[point.value], point.n_items)
        values.sort(key=lambda value: (value != "", -size[value]))
    return values


def _drawing(
    found: Sequence[Point], rows: Sequence[str], raters: Sequence[Rater], place: int
) -> svg.Drawing:
    at = {(point.value, point.rater.name): point for point in found}
    drawn = [
        Block(
            row or ALL,
            tuple(
                Mark(rater, point.accuracy, point.low, point.high, point.n_items)
                for rater in raters
                if (point := at.get((row, rater.name))) is not None
            ),
            chance=CHANCE,
        )
        for row in rows
    ]
    return drawing(
        [block for block in drawn if block.marks],
        f"{NAME}-{place}",
        f"Accuracy by construction, {found[0].panel}",
        "right, per cent of items",
    )


def _table(found: Sequence[Point]) -> Table:
    return Table(
        name=f"{NAME}-data",
        title="Accuracy by construction: the numbers in the figure",
        columns=(
            heading("construction"),
            heading("sentences"),
            heading("rater"),
            heading("items", "number"),
            heading("right, %", "number"),
            *INTERVAL,
        ),
        rows=tuple(
            (
                Cell(point.value or ALL, sort="code" if point.value else "text"),
                Cell(point.panel, sort="short"),
                Cell(point.rater.label),
                counted(point.n_items),
                share(point.accuracy),
                *interval(point.low, point.high),
            )
            for point in found
        ),
    )
