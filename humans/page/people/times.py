"""Section: how long answers took, right and wrong ones apart; and how long words were read."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from colorless_green.humans.judgment import Judgment, answered
from colorless_green.humans.observation import levels
from colorless_green.humans.page import svg
from colorless_green.humans.page.marginals import panel_name
from colorless_green.humans.page.marks import DASHES
from colorless_green.humans.page.material import Material
from colorless_green.humans.page.numbers import count
from colorless_green.humans.page.parts import Cell, Figure, Panel, Section, Table, heading
from colorless_green.humans.page.people import word_times
from colorless_green.humans.page.raters import Rater
from colorless_green.humans.page.values import counted
from colorless_green.humans.statistics import Spread, spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME = "times-figure"
TITLE = "Time taken for an answer"
SLOW_MS = 20_000  # beyond it people did something else (facts of the project, §3.8)
WIDTH = 360.0
MARGIN = 0.1  # of the scale on both sides, in decimal logarithms
BLOCK, NAME_HEIGHT, BOX, SCALE_HEIGHT = 48.0, 20.0, 16.0, 46.0  # pixels
QUANTILES = ("5 %", "25 %", "median", "75 %", "95 %")
ANSWERS = {1: "right", 0: "wrong", None: "given"}  # what is neither right nor wrong is a rating
TICKS_MS = tuple(step * 10**power for power in range(1, 7) for step in (1, 2, 5))


@dataclass(frozen=True, slots=True)
class _Group:
    """Answers of one sort on one kind of sentence."""

    kind: str
    correct: int | None
    found: Spread  # ms
    n_slow: int
    n_unknown: int  # without a time

    @property
    def name(self) -> str:
        """What stands over the box."""
        return f"{panel_name(self.kind)}, {ANSWERS[self.correct]} answers"

    @property
    def quantiles(self) -> tuple[float, ...]:
        """In the order of QUANTILES, ms."""
        own = self.found
        return own.p05, own.p25, own.p50, own.p75, own.p95


def section(material: Material, raters: Sequence[Rater]) -> Section | None:
    """None where no time is known."""
    groups = list(_groups(material))
    words = word_times.figure(material)
    figures = ([_figure(groups)] if groups else []) + ([words] if words else [])
    if not figures:
        return None
    return Section(
        name="times",
        title="How long people took",
        text=tuple(_text(groups)),
        figures=tuple(figures),
    )


def _text(groups: Sequence[_Group]) -> Iterator[str]:
    if groups:
        n, slow = sum(each.found.n for each in groups), sum(each.n_slow for each in groups)
        unknown = sum(each.n_unknown for each in groups)
        yield (
            f"Of {count(n)} answers to target sentences that count, {count(slow)} took longer than"
            f" {SLOW_MS // 1000} seconds; they are among the numbers below."
            + (f" Of {count(unknown)} more no time is known." if unknown else "")
        )


def _groups(material: Material) -> Iterator[_Group]:
    """Right before wrong answers, kind by kind, of those that count."""
    own = [e for e in material.people.answers.counted if e.kind == "target" and answered(e)]
    for kind in levels(each.condition for each in own):
        for correct in ANSWERS:
            same = [e for e in own if e.condition == kind and e.correct == correct]
            times = [time for each in same if (time := _time(each)) is not None]
            found = spread(times)
            if found is not None:
                n_slow = sum(time > SLOW_MS for time in times)
                yield _Group(kind, correct, found, n_slow, len(same) - len(times))


def _time(each: Judgment) -> float | None:
    """What has a place on a logarithmic scale; no answer takes no time."""
    return each.rt_ms if each.rt_ms is not None and 0 < each.rt_ms < math.inf else None


def _figure(groups: Sequence[_Group]) -> Figure:
    panels = (Panel("", _drawing(groups)),) if svg.available() else ()
    return Figure(
        name=NAME,
        title=TITLE,
        caption=(
            "On a logarithmic scale: the box holds the middle half of the answers, the line in it"
            " is the median, and the thin line holds nine in ten. Boxes of wrong answers are empty."
            + (f" The dashed line is {SLOW_MS // 1000} seconds." if _has_slow(groups) else "")
        ),
        panels=panels,
        legend=(),
        data=_table(groups),
    )


def _drawing(groups: Sequence[_Group]) -> svg.Drawing:
    return svg.Drawing(
        name=NAME,
        title=TITLE,
        description="; ".join(map(_said, groups)),
        width=WIDTH,
        height=BLOCK * len(groups) + SCALE_HEIGHT,
        paint=partial(_paint, groups=groups),
    )


def _said(each: _Group) -> str:
    own = each.found
    return (
        f"{each.name}: median {count(own.p50)} ms, half between {count(own.p25)} and"
        f" {count(own.p75)} ms, n = {count(own.n)}"
    )


def _span(groups: Sequence[_Group]) -> tuple[float, float]:
    """Both ends of the scale, as decimal logarithms of ms."""
    low, high = min(each.found.p05 for each in groups), max(each.found.p95 for each in groups)
    return math.log10(low) - MARGIN, math.log10(high) + MARGIN


def _has_slow(groups: Sequence[_Group]) -> bool:
    low, high = _span(groups)
    return low < math.log10(SLOW_MS) < high


def _paint(axes: "Axes", groups: Sequence[_Group]) -> None:
    low, high = _span(groups)
    axes.set_xlim(low, high)
    axes.set_ylim(BLOCK * len(groups), -2)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    ticks = [each for each in TICKS_MS if low <= math.log10(each) <= high]
    axes.set_xticks([math.log10(each) for each in ticks], [f"{t / 1000:g}" for t in ticks])
    axes.set_xlabel("seconds")
    axes.grid(axis="x", zorder=0)
    if _has_slow(groups):
        axes.axvline(math.log10(SLOW_MS), color=svg.SOFT, linewidth=1.4, linestyle=DASHES)
    for place, each in enumerate(groups):
        top = BLOCK * place
        axes.text(low, top + NAME_HEIGHT / 2, each.name, va="center")
        _box(axes, each, top + NAME_HEIGHT + BOX / 2)


def _box(axes: "Axes", each: _Group, y: float) -> None:
    from matplotlib.patches import Rectangle

    p05, p25, p50, p75, p95 = map(math.log10, each.quantiles)
    colour, top = svg.colour(0), y - BOX / 2
    axes.plot([p05, p25], [y, y], color=colour, linewidth=1.6)
    axes.plot([p75, p95], [y, y], color=colour, linewidth=1.6)
    fill = "none" if each.correct == 0 else svg.RULE
    box = Rectangle(
        (p25, top), p75 - p25, BOX, facecolor=fill, edgecolor=colour, linewidth=1.6, zorder=2
    )
    svg.tell(box, [_said(each)])
    axes.add_patch(box)
    axes.plot([p50, p50], [top, top + BOX], color=colour, linewidth=3.2, zorder=3)


def _table(groups: Sequence[_Group]) -> Table:
    return Table(
        name=f"{NAME}-data",
        title=f"{TITLE}, ms: the numbers in the figure",
        columns=(
            heading("sentences"),
            heading("answers"),
            heading("n", "number"),
            *(heading(each, "number") for each in QUANTILES),
            heading(f"over {SLOW_MS // 1000} s", "number"),
            heading("no time", "number"),
        ),
        rows=tuple(
            (
                Cell(panel_name(each.kind), sort="short"),
                Cell(ANSWERS[each.correct]),
                counted(each.found.n),
                *(Cell(count(value), sort="number", value=value) for value in each.quantiles),
                counted(each.n_slow),
                counted(each.n_unknown),
            )
            for each in groups
        ),
    )
