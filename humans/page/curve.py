"""Figures: accuracy by what stands between cue and target: attractors (Gulordava et al. 2018,
Figure 2), and words."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from colorless_green.humans.measures.curves import (
    BY_ATTRACTORS,
    BY_GAP,
    FEW_ITEMS,
    LAST_ATTRACTOR,
    LAST_GAP,
    SE,
    of_all,
)
from colorless_green.humans.measures.measure import Measure
from colorless_green.humans.page import svg
from colorless_green.humans.page.marginals import panel_name
from colorless_green.humans.page.marks import DASHES, beside, mark, whisker
from colorless_green.humans.page.material import Material
from colorless_green.humans.page.numbers import THIN, count, percent
from colorless_green.humans.page.parts import Cell, Figure, Panel, Table, heading
from colorless_green.humans.page.raters import Rater
from colorless_green.humans.page.values import counted, share

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 360.0, 310.0
SPREAD = 0.36  # of the distance between two numbers, over which raters stand side by side
LETTER = 7.5  # pixels: the width of a figure under the axis
METHODS = {SE: "one standard error over items to each side"}


@dataclass(frozen=True, slots=True)
class _Curve:
    """What is on the axis."""

    name: str  # of the figure
    statistic: str
    last: int  # this and more are one point
    what: str  # one of them
    title: str
    caption: str


ATTRACTORS = _Curve(
    name="attractors-figure",
    statistic=BY_ATTRACTORS,
    last=LAST_ATTRACTOR,
    what="attractors",
    title="Accuracy by number of attractors",
    caption=(
        "Attractors are words between cue and target with the cue's part of speech and another"
        " value of the feature."
    ),
)
DISTANCE = _Curve(
    name="distance-figure",
    statistic=BY_GAP,
    last=LAST_GAP,
    what="tokens between",
    title="Accuracy by distance",
    caption="Distance is the number of tokens between cue and target.",
)


def figures(material: Material, raters: Sequence[Rater]) -> list[Figure]:
    """The curve over attractors and that over distance, each only where there are two points."""
    found = list(of_all(material.items, material.tallies, material.outcomes))
    made = (_figure(which, found, raters) for which in (ATTRACTORS, DISTANCE))
    return [each for each in made if each is not None]


def _figure(which: _Curve, measures: Sequence[Measure], raters: Sequence[Rater]) -> Figure | None:
    by_name = {rater.name: rater for rater in raters}
    found = [m for m in measures if m.statistic == which.statistic and m.rater in by_name]
    if len({point.level for point in found}) < 2:
        return None
    kinds = list(dict.fromkeys(point.kind for point in found))
    present = [rater for rater in raters if any(point.rater == rater.name for point in found)]
    drawn = [
        Panel(panel_name(kind), _drawing(which, [p for p in found if p.kind == kind], present, n))
        for n, kind in enumerate(kinds)
        if svg.available()
    ]
    return Figure(
        name=which.name,
        title=which.title,
        caption=_caption(which, found),
        panels=tuple(drawn),
        legend=tuple(present),
        data=_table(which, found, by_name),
    )


def _caption(which: _Curve, found: Sequence[Measure]) -> str:
    intervals = dict.fromkeys(each.note.partition(",")[0] for each in found if each.se is not None)
    lines = "; ".join(METHODS.get(each, each) for each in intervals)
    return (
        f"{which.caption} {which.last} and more are one point. Points"
        f" from fewer than {FEW_ITEMS} items are hollow."
        + (f" Lines are {lines}, as in Gulordava et al. 2018, Figure 2." if lines else "")
        + " All are on the items that all could answer."
        + f" The dashed line is chance, 50{THIN}%."
    )


def _drawing(
    which: _Curve, found: Sequence[Measure], raters: Sequence[Rater], place: int
) -> svg.Drawing:
    return svg.Drawing(
        name=f"{which.name}-{place}",
        title=f"{which.title}, {panel_name(found[0].kind)}",
        description="; ".join(
            _said(which, each, rater) for rater in raters for each in found
            if each.rater == rater.name
        ),
        width=WIDTH,
        height=HEIGHT,
        paint=partial(_paint, which=which, found=found, raters=raters),
    )  # fmt: skip


def _said(which: _Curve, each: Measure, rater: Rater) -> str:
    error = f" ± {percent(each.se)}" if each.se is not None else ""
    return (
        f"{rater.label}, {each.level} {which.what}: {percent(each.value)}{error} %,"
        f" n = {count(each.n)}"
    )


def _paint(axes: "Axes", which: _Curve, found: Sequence[Measure], raters: Sequence[Rater]) -> None:
    present = [rater for rater in raters if any(each.rater == rater.name for each in found)]
    levels = sorted({each.level for each in found}, key=_number)
    places = {level: _number(level) for level in levels}
    axes.set_xlim(min(places.values()) - 0.5, max(places.values()) + 0.5)
    axes.set_ylim(0, 102)
    _scale(axes, which, places, found)
    axes.set_ylabel("right, per cent of items")
    axes.grid(axis="y", zorder=0)
    axes.axhline(50, color=svg.SOFT, linewidth=1.4, linestyle=DASHES, zorder=1)
    for line, rater in enumerate(present):
        own = [each for each in found if each.rater == rater.name]
        _line(axes, which, own, rater, beside(line, len(present), SPREAD))


def _number(level: str) -> int:
    return int(level.removesuffix("+"))


def _scale(axes: "Axes", which: _Curve, places: dict[str, int], found: Sequence[Measure]) -> None:
    """Numbers with the number of items under each; upright where there is no room."""
    sizes = {level: _sizes([e.n or 0 for e in found if e.level == level]) for level in places}
    slot = (WIDTH - 60) / (max(places.values()) - min(places.values()) + 1)
    narrow = (max(len(each) for each in sizes.values()) + 1) * LETTER > slot
    axes.set_xticks(list(places.values()), [f"{level}\n{sizes[level]}" for level in places])
    if narrow:
        axes.set_xticklabels([f"{sizes[level]}   {level}" for level in places], rotation=90)
    axes.set_xlabel(f"{which.what} ({'first' if narrow else 'below'}: number of items)")


def _sizes(found: Sequence[int]) -> str:
    """`85`, or `80–85` where raters have different numbers of items."""
    low, high = min(found), max(found)
    return count(low) + (f"–{count(high)}" if low < high else "")


def _line(
    axes: "Axes", which: _Curve, points: Sequence[Measure], rater: Rater, shift: float
) -> None:
    places = [_number(each.level) + shift for each in points]
    shares = [100 * (each.value or 0.0) for each in points]
    whisker(axes, places, shares, rater, 1.2)
    for x, y, each in zip(places, shares, points, strict=True):
        if each.se is not None:
            whisker(axes, [x, x], [y - 100 * each.se, y + 100 * each.se], rater)
        few = (each.n or 0) < FEW_ITEMS
        mark(axes, x, y, rater, _said(which, each, rater), hollow=few)


def _table(which: _Curve, found: Sequence[Measure], raters: dict[str, Rater]) -> Table:
    return Table(
        name=f"{which.name}-data",
        title=f"{which.title}: the numbers in the figure",
        columns=(
            heading(which.what),
            heading("sentences"),
            heading("rater"),
            heading("items", "number"),
            heading("right, %", "number"),
            heading("standard error", "number"),
            heading("minus one", "number"),
            heading("plus one", "number"),
        ),
        rows=tuple(
            (
                Cell(each.level),
                Cell(panel_name(each.kind), sort="short"),
                Cell(raters[each.rater].label),
                counted(each.n),
                share(each.value),
                share(each.se),
                *_limits(each),
            )
            for each in found
        ),
    )


def _limits(each: Measure) -> tuple[Cell, Cell]:
    if each.value is None or each.se is None:
        return share(None), share(None)
    return share(each.value - each.se), share(each.value + each.se)
