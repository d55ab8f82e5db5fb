"""Figure: how sure people are of an item against how sure a model is (the paper's §5), with their
correlation and how much of it people's own noise leaves to be found."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from colorless_green.data.seeds import generator
from colorless_green.humans.judgment import Tally
from colorless_green.humans.lookup import forms, prefix
from colorless_green.humans.measures.correlations import ANSWERS, NO_VARIATION, SHARES, of_cell
from colorless_green.humans.measures.measure import Cell as Items
from colorless_green.humans.measures.measure import Measure
from colorless_green.humans.measures.repeatability import CEILING, OF_CEILING
from colorless_green.humans.observation import levels
from colorless_green.humans.page import svg
from colorless_green.humans.page.examples import direction
from colorless_green.humans.page.marginals import panel_name
from colorless_green.humans.page.marks import DASHES
from colorless_green.humans.page.material import Material
from colorless_green.humans.page.numbers import NONE, THIN, count, signed
from colorless_green.humans.page.parts import Cell, Figure, Panel, Table, heading
from colorless_green.humans.page.raters import Rater
from colorless_green.humans.page.values import counted, decimal, share
from colorless_green.humans.statistics import FREE, PERMUTATIONS
from colorless_green.nonce.item import Item

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME = "people-figure"
WIDTH, HEIGHT = 360.0, 320.0
SEED = 0
ISOLATE, END_OF_ISOLATE = "\u2068", "\u2069"  # Unicode's: a stretch with a direction of its own
SHAPES = {"original": "D", "nonce": "o", "composed": "P", "template": "s", "suite": "^"}
SHOWN_PREFIX = 56  # letters of a prefix that a mark tells, the last ones
MOST_QUOTED = 6000  # marks; of more the texts would be most of the page, and only ids are told


@dataclass(frozen=True, slots=True)
class _Point:
    tally: Tally
    margin_bits: float
    text: str  # the end of its prefix, and both forms

    @property
    def difference(self) -> int:
        """Right answers minus wrong ones."""
        return 2 * self.tally.right - self.tally.total

    @property
    def share(self) -> float:
        """Of right answers, in per cent."""
        return 100 * self.tally.right / self.tally.total


@dataclass(frozen=True, slots=True)
class _Side:
    """What is drawn upwards."""

    statistic: str  # its correlation
    label: str
    jitter: float  # over which marks are moved up or down, so that fewer hide each other


DIFFERENCE = _Side(ANSWERS, "right − wrong answers", 0.6)
SHARE = _Side(SHARES, "right answers, per cent", 3.0)
SIDES = (DIFFERENCE, SHARE)


def figure(material: Material, raters: Sequence[Rater]) -> Figure | None:
    """For each model with outcomes on items that people answered a drawing of their difference and
    one of their share of right answers; where every item has as many answers the two would be one,
    and the first stands alone. None without such items."""
    found = {rater: points for rater in raters if (points := list(_points(material, rater)))}
    if not found:
        return None
    sides = _sides(chain.from_iterable(found.values()))
    quoted = len(sides) * sum(map(len, found.values())) <= MOST_QUOTED
    panels: list[Panel] = []
    for rater, points in found.items():
        own = _measures(material, rater, points)
        for side in sides:
            notes = tuple(_note(own, kind, side, side is sides[-1]) for kind in _kinds(points))
            drawing = None
            if svg.available():
                name, says = f"{NAME}-{len(panels)}", " ".join(notes)
                paint = partial(_paint, points=points, rater=rater, side=side, quoted=quoted)
                title = f"People's {side.label} against log-odds of {rater.label}"
                drawing = svg.Drawing(name, title, says, WIDTH, HEIGHT, paint)
            panels.append(Panel(f"{rater.label}: {side.label}", drawing, notes))
    return Figure(
        name=NAME,
        title="Simulated judgments and models, item by item"
        if material.simulated
        else "People and models, item by item",
        caption=_caption(material, sides),
        panels=tuple(panels),
        legend=(),
        data=_table(material, list(found)),
    )


def _sides(points: Iterable[_Point]) -> tuple[_Side, ...]:
    return SIDES if len({point.tally.total for point in points}) > 1 else SIDES[:1]


def _caption(material: Material, sides: Sequence[_Side]) -> str:
    answers = "simulated answers" if material.simulated else "people's answers"
    whose = "Their" if material.simulated else "People's"
    alone = len(sides) == 1
    share = (
        "; every item has as many answers, so that the share of right ones would look the same"
        if alone
        else ", once as the share of right ones, which does not grow with the number of people"
    )
    moved = f"{DIFFERENCE.jitter / 2:.1f} answers"
    return (
        f"Each mark is an item: {answers} against the model's log-odds (how many bits less"
        f" surprising the right form is), {'' if alone else 'once '}as right minus wrong answers"
        f" (as in Gulordava et al. 2018){share}."
        " Diamonds are originals, circles nonce variants. Marks are moved up or down, each always"
        f" the same way (seed {SEED}), by less than"
        f" {moved if alone else f'{moved} or {SHARE.jitter / 2:.1f} points'},"
        " so that fewer hide each other. ρ is Spearman's rank"
        f" correlation with a 95{THIN}% interval (bootstrap over sources), p from"
        f" {count(PERMUTATIONS)} permutations. {whose} own"
        " noise bounds ρ: the noise ceiling is what a model that knew the truth would be expected"
        " to reach."
    )


def _points(material: Material, rater: Rater) -> Iterator[_Point]:
    outcomes = material.outcomes.get(rater.name, {})
    for tally in material.tallies:
        _, margin = outcomes.get(tally.item, (None, None))
        shared = material.common.get(tally.condition)
        if shared is None or tally.item not in shared.of(rater.name):
            continue
        if tally.total and margin is not None and math.isfinite(margin):
            yield _Point(tally, margin, _text(material.items.get(tally.item)))


def _text(item: Item | None) -> str:
    """`… the end of its prefix: right / wrong`, kept apart from what stands beside it where it runs
    from right to left; empty where the item is not known."""
    pair = forms(item) if item is not None else None
    if item is None or pair is None:
        return ""
    before = prefix(item)
    if len(before) > SHOWN_PREFIX:
        before = f"… {before[-SHOWN_PREFIX:].partition(' ')[2]}"
    text = f"{before}: {' / '.join(pair)}" if before else " / ".join(pair)
    return text if direction(item.language) == "ltr" else f"{ISOLATE}{text}{END_OF_ISOLATE}"


def _kinds(points: Sequence[_Point]) -> tuple[str, ...]:
    return levels(point.tally.condition for point in points)


def _measures(
    material: Material, rater: Rater, points: Sequence[_Point]
) -> Mapping[tuple[str, str], list[Measure]]:
    """(statistic, kind) → what the analysis has of this model, and of people's noise. Of several
    suites together there is no analysis: the correlations alone are worked out here."""
    known = [
        each
        for each in material.people.measures
        if not each.construction and (each.rater == rater.name or each.statistic == CEILING)
    ]
    if not any(each.statistic == side.statistic for each in known for side in SIDES):
        margins = {point.tally.item: point.margin_bits for point in points}
        for kind in _kinds(points):
            own = tuple(point.tally for point in points if point.tally.condition == kind)
            known += of_cell(Items(kind, "", own), rater.name, margins, (FREE,))
    found: dict[tuple[str, str], list[Measure]] = {}
    for each in known:
        found.setdefault((each.statistic, each.kind), []).append(each)
    return found


def _note(
    found: Mapping[tuple[str, str], list[Measure]], kind: str, side: _Side, with_ceiling: bool
) -> str:
    """The correlation in words."""
    rows, name = found[side.statistic, kind], panel_name(kind)
    first = rows[0]
    if first.value is None:
        return f"{name}: n = {count(first.n)}, {NO_VARIATION}, so no correlation."
    interval = "" if first.low is None else f" [{_rho(first.low)}, {_rho(first.high)}]"
    ps = "".join(f", {_p(each)}" for each in rows if each.p is not None)
    ceiling = _ceiling(found, kind) if with_ceiling else ""
    return f"{name}: ρ = {_rho(first.value)}{interval}{ps}, n = {count(first.n)}{ceiling}."


def _p(each: Measure) -> str:
    """`p = 0.012 (items permuted)`; the smallest there is as a bound."""
    assert each.p is not None
    how, _, is_floor = each.note.partition(", ")
    return f"p {'≤' if is_floor else '='} {each.p:.{4 if is_floor else 3}f} ({how})"


def _ceiling(found: Mapping[tuple[str, str], list[Measure]], kind: str) -> str:
    """The noise ceiling, from splitting people where they can be told apart, and ρ's share."""
    rows = found.get((CEILING, kind), [])
    if not rows:
        return ""
    ceiling = rows[0]
    shares = [each for each in found.get((OF_CEILING, kind), []) if each.note == ceiling.note]
    if ceiling.value is None or not shares:
        return f"; no noise ceiling ({ceiling.note})"
    return (
        f"; noise ceiling {_rho(ceiling.value)} ({ceiling.note}),"
        f" ρ / ceiling = {_rho(shares[0].value)}"
    )


def _rho(value: float | None) -> str:
    return NONE if value is None else signed(value, 2).removeprefix("+")


def _paint(axes: "Axes", points: Sequence[_Point], rater: Rater, side: _Side, quoted: bool) -> None:
    middle = 0 if side is DIFFERENCE else 50
    axes.axvline(0, color=svg.SOFT, linewidth=1.4, linestyle=DASHES, zorder=1)
    axes.axhline(middle, color=svg.SOFT, linewidth=1.4, linestyle=DASHES, zorder=1)
    axes.grid(zorder=0)
    axes.set_xlabel("model: log-odds of the right form, bits")
    axes.set_ylabel(side.label)
    for kind in reversed(_kinds(points)):  # originals, the fewer, on top
        own = [point for point in points if point.tally.condition == kind]
        colour, full = svg.colour(rater.colour), kind == "original"
        (marks,) = axes.plot(
            [point.margin_bits for point in own],
            [_height(point, side) for point in own],
            linestyle="none",
            marker=SHAPES.get(kind, "o"),
            markersize=6.5 if full else 5,
            color=colour if full else "none",
            markeredgecolor=svg.PAPER if full else colour,
            markeredgewidth=0.8,
        )
        svg.tell(marks, [_title(point, quoted=quoted) for point in own])


def _height(point: _Point, side: _Side) -> float:
    value = point.difference if side is DIFFERENCE else point.share
    return value + side.jitter * (generator(SEED, point.tally.item).random() - 0.5)


def _title(point: _Point, *, quoted: bool) -> str:
    what = point.text if quoted and point.text else point.tally.item
    return (
        f"{what} · {point.tally.right} of {point.tally.total} right"
        f" · {signed(point.margin_bits, 1)} bits"
    )


def _table(material: Material, raters: Sequence[Rater]) -> Table:
    return Table(
        name=f"{NAME}-data",
        title="People and models: the numbers in the figure",
        columns=(
            heading("item"),
            heading("kind"),
            heading("construction"),
            heading("right", "number"),
            heading("wrong", "number"),
            heading("right − wrong", "number"),
            heading("right, %", "number"),
            *(heading(f"{rater.label}, bits", "number") for rater in raters),
        ),
        rows=tuple(_rows(material, raters)),
    )


def _rows(material: Material, raters: Sequence[Rater]) -> Iterator[tuple[Cell, ...]]:
    for tally in material.tallies:
        margins = [
            material.outcomes.get(rater.name, {}).get(tally.item, (None, None))[1]
            for rater in raters
        ]
        if tally.total and any(margin is not None for margin in margins):
            yield (
                Cell(tally.item, sort="code"),
                Cell(tally.condition),
                Cell(tally.construction, sort="code"),
                counted(tally.right),
                counted(tally.total - tally.right),
                decimal(2 * tally.right - tally.total, 0),
                share(tally.right / tally.total),
                *(decimal(margin, 2) for margin in margins),
            )
