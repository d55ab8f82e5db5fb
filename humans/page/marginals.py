"""Accuracies of people and models along one dimension: what figures plot and tables print."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from colorless_green.data.tables import Row
from colorless_green.humans.judgment import Tally
from colorless_green.humans.page.material import Material
from colorless_green.humans.page.numbers import number, text, whole
from colorless_green.humans.page.raters import Rater
from colorless_green.humans.rated import HUMANS
from colorless_green.humans.statistics import Limits, item_accuracy, item_interval
from colorless_green.nonce.intervals import BOOTSTRAP, WILSON
from colorless_green.nonce.item import KINDS

DIMENSIONS = ("kind", "level", "construction", "value", "n_attractors")
NAMES = {
    "original": "originals",
    "nonce": "nonce variants",
    "template": "templates",
    "suite": "suite",
}

ALL_ITEMS = "all items"


@dataclass(frozen=True, slots=True)
class Point:
    """One rater in one cell of a marginal."""

    panel: (
        str  # "originals", "nonce variants", …; with suite and prediction where there are several
    )
    value: str  # of the dimension; empty for the whole panel
    rater: Rater
    n_items: int
    accuracy: float
    limits: Limits | None  # 95 %

    @property
    def low(self) -> float | None:
        """The lower end of the interval."""
        return self.limits.low if self.limits else None

    @property
    def high(self) -> float | None:
        """The upper end of the interval."""
        return self.limits.high if self.limits else None


def marginal(material: Material, raters: Sequence[Rater], dimension: str = "") -> list[Point]:
    """Every rater's accuracies by kind and, if given, by one more of `DIMENSIONS`.

    Ordered by panel (kinds as in `KINDS`), then by value (numbers as numbers, else as the table has
    them), then by rater.
    """
    named = {rater.name: rater for rater in raters}
    found = [*_of_models(material.accuracy, named, dimension)]
    if HUMANS in named:
        found += _of_people(material.tallies, named[HUMANS], dimension)
    panels = list(dict.fromkeys(point.panel for point in found))
    panels.sort(key=kind_rank)  # stable: suites stay in their order
    values = _ordered(dict.fromkeys(point.value for point in found), material)
    order = {rater.name: place for place, rater in enumerate(raters)}
    return sorted(
        found,
        key=lambda point: (
            panels.index(point.panel),
            values.index(point.value),
            order[point.rater.name],
        ),
    )


def _of_models(rows: Sequence[Row], named: dict[str, Rater], dimension: str) -> Iterator[Point]:
    wanted = {"kind", dimension} - {""}
    chosen = [row for row in rows if _given(row) == wanted]
    if not chosen:  # a table without a split by kind
        chosen = [row for row in rows if _given(row) == wanted - {"kind"}]
    several = [
        column
        for column in ("suite", "prediction", "method")
        if len({text(row, column) for row in chosen}) > 1
    ]
    for row in chosen:
        rater = named.get(text(row, "model") or text(row, "group"))
        accuracy = number(row, "accuracy")
        if rater is None or accuracy is None:
            continue
        kind = text(row, "kind")
        parts = [panel_name(kind), *(text(row, column) for column in several)]
        yield Point(
            panel=" · ".join(part for part in parts if part),
            value=text(row, dimension) if dimension else "",
            rater=rater,
            n_items=whole(row, "n_items"),
            accuracy=accuracy,
            limits=limits_of(row),
        )


def limits_of(row: Row) -> Limits | None:
    """The interval of a row of accuracy.tsv."""
    low, high = number(row, "low"), number(row, "high")
    if low is None or high is None:
        return None
    return Limits(low, high, WILSON if number(row, "accuracy") in (0.0, 1.0) else BOOTSTRAP)


def methods(points: Iterable[Point]) -> str:
    """How the intervals of some points were made, in words; empty where none has one."""
    return "; ".join(dict.fromkeys(each.limits.method for each in points if each.limits))


def _given(row: Row) -> set[str]:
    return {name for name in DIMENSIONS if text(row, name) != ""}


def _of_people(tallies: Sequence[Tally], people: Rater, dimension: str) -> Iterator[Point]:
    if dimension not in ("", "construction", "n_attractors"):
        return  # tallies know no more
    cells: dict[tuple[str, str], list[Tally]] = {}
    for tally in tallies:
        value = getattr(tally, dimension) if dimension else ""
        if tally.total and value is not None and (value != "" or not dimension):
            cells.setdefault((tally.condition, str(value)), []).append(tally)
    for (kind, value), own in cells.items():
        accuracy = item_accuracy(own)
        assert accuracy is not None  # every tally here has answers
        yield Point(
            panel=panel_name(kind),
            value=value,
            rater=people,
            n_items=len(own),
            accuracy=accuracy,
            limits=item_interval(own),
        )


def kind_rank(panel: str) -> int:
    """Where the kind that a panel's name begins with stands: all items, then as in `KINDS`."""
    names = [ALL_ITEMS, *(NAMES[kind] for kind in KINDS)]
    first = panel.partition(" · ")[0]
    return names.index(first) if first in names else len(names)


def panel_name(kind: str) -> str:
    """What sentences of a kind are called on the page; an empty kind is all of them."""
    return NAMES.get(kind, kind) or ALL_ITEMS


def _ordered(values: Iterable[str], material: Material) -> list[str]:
    """Numbers in rising order; constructions as in the table of constructions, others after."""
    known = [text(row, "construction") for row in material.constructions]

    def rank(value: str) -> tuple[int, float, str]:
        if value.isdecimal():
            return 0, float(value), value
        return (1, known.index(value), "") if value in known else (2, 0, value)

    return sorted(values, key=rank)
