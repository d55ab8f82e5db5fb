"""Tables: accuracies of all raters, in all and along each dimension, with ties and OOV counts."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from colorless_green.data.tables import Row
from colorless_green.humans.measures.accuracies import BY_BOTH
from colorless_green.humans.page.marginals import (
    Point,
    kind_rank,
    limits_of,
    marginal,
    panel_name,
)
from colorless_green.humans.page.material import Material
from colorless_green.humans.page.numbers import (
    NONE,
    count,
    limits,
    number,
    percent,
    points,
    text,
    whole,
)
from colorless_green.humans.page.parts import Cell, Table, heading
from colorless_green.humans.page.raters import Rater, people, short_labels
from colorless_green.humans.page.values import INTERVAL, counted, interval, share
from colorless_green.humans.statistics import pooled_accuracy

BY = {
    "construction": "construction",
    "n_attractors": "number of attractors",
    "value": "value of the feature",
}
SECOND_LINE = (
    "Second line of people's interval: originals and people were drawn anew, independently of each"
    " other."
)
SPLITS = ("level", "construction", "value", "n_attractors")


def tables(material: Material, raters: Sequence[Rater]) -> list[Table]:
    """One table of totals (every model, single seeds too), then one for each dimension."""
    totals = (*_models(material), *_people(material))
    both = any(each.note == BY_BOTH for each in material.people.measures)
    found = [_totals(totals, with_both=both)] if totals else []
    for dimension in BY:
        cells = [point for point in marginal(material, raters, dimension) if point.value != ""]
        if cells:
            found.append(_pivot(cells, raters, dimension))
    return found


def _totals(rows: tuple[tuple[Cell, ...], ...], *, with_both: bool) -> Table:
    return Table(
        name="accuracy",
        title="Accuracy",
        columns=(
            heading("rater"),
            heading("sentences"),
            heading("items", "number"),
            heading("originals", "number"),
            heading("right, %", "number"),
            *INTERVAL,
            heading("ties", "number"),
            heading("OOV", "number"),
        ),
        rows=rows,
        note=(
            "OOV are items one of whose target forms a word-level model's vocabulary lacks; they"
            " are left out of its accuracy unless the run was told to keep them. Pooled: all right"
            " answers of people over all their answers, whatever the item."
            + (f" {SECOND_LINE}" if with_both else "")
        ),
    )


def _models(material: Material) -> Iterator[tuple[Cell, ...]]:
    """Rows of the accuracy table without a split but by kind, in their order."""
    chosen = [row for row in material.accuracy if not any(text(row, name) for name in SPLITS)]
    several = [
        column
        for column in ("suite", "prediction", "method")
        if len({text(row, column) for row in chosen}) > 1
    ]
    labels = short_labels(list(dict.fromkeys(_name(row) for row in chosen)))
    models = [_name(row) for row in chosen]
    chosen.sort(key=lambda row: (models.index(_name(row)), kind_rank(_panel(row))))
    for row in chosen:
        sd, found = number(row, "sd"), limits_of(row)
        is_mean = not text(row, "model")
        yield (
            Cell(labels[_name(row)], "mean of its models" if is_mean else ""),
            Cell(
                _panel(row),
                " · ".join(text(row, column) for column in several),
                sort="short",
            ),
            counted(whole(row, "n_items")),
            counted(whole(row, "n_clusters")),
            replace(
                share(number(row, "accuracy")),
                below=f"sd {points(sd).removeprefix('+')}" if sd is not None and is_mean else "",
            ),
            *interval(found.low if found else None, found.high if found else None),
            counted(whole(row, "n_ties")),
            counted(whole(row, "n_oov")),
        )


def _panel(row: Row) -> str:
    return panel_name(text(row, "kind"))


def _name(row: Row) -> str:
    return text(row, "model") or text(row, "group")


def _people(material: Material) -> Iterator[tuple[Cell, ...]]:
    asked = people(material)
    for point in marginal(material, [asked]) if asked else []:
        own = [
            tally
            for tally in material.tallies
            if tally.total and panel_name(tally.condition) == point.panel
        ]
        yield (
            Cell(point.rater.label),
            Cell(point.panel, sort="short"),
            counted(point.n_items),
            counted(len({tally.source for tally in own})),
            replace(share(point.accuracy), below=f"pooled {percent(pooled_accuracy(own))}"),
            *_both(material, point),
            Cell(NONE, sort="number"),
            Cell(NONE, sort="number"),
        )


def _both(material: Material, point: Point) -> tuple[Cell, Cell]:
    """The interval over originals; below it that over originals and people, where it is known."""
    low, high = interval(point.low, point.high)
    for each in material.people.measures:
        if each.note == BY_BOTH and each.kind and panel_name(each.kind) == point.panel:
            return replace(low, below=percent(each.low)), replace(high, below=percent(each.high))
    return low, high


def _pivot(cells: Sequence[Point], raters: Sequence[Rater], dimension: str) -> Table:
    """A row for each panel and value, a column for each rater."""
    shown = [rater for rater in raters if any(cell.rater == rater for cell in cells)]
    values = dict.fromkeys(cell.value for cell in cells)
    panels = dict.fromkeys(cell.panel for cell in cells)
    at = {(cell.value, cell.panel, cell.rater.name): cell for cell in cells}
    sort = "code" if dimension == "construction" else "text"
    return Table(
        name=f"by-{dimension.replace('_', '-')}",
        title=f"Accuracy by {BY[dimension]}",
        columns=(
            heading(BY[dimension]),
            heading("sentences"),
            *(heading(rater.label, "number") for rater in shown),
        ),
        rows=tuple(
            (
                Cell(value, sort=sort),
                Cell(panel, sort="short"),
                *(_cell(at.get((value, panel, rater.name))) for rater in shown),
            )
            for value in values
            for panel in panels
            if any(cell.value == value and cell.panel == panel for cell in cells)
        ),
        note="Per cent right; below it the 95 % interval and the number of items.",
    )


def _cell(point: Point | None) -> Cell:
    if point is None:
        return Cell(NONE, sort="number")
    within = f"{limits(point.low, point.high)}, " if point.low is not None else ""
    return replace(share(point.accuracy), below=f"{within}n {count(point.n_items)}")
