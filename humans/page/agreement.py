"""Figures of the page on agreement items: the answer at a glance, accuracy by attractors and by
distance, and by construction."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from colorless_green.humans.measures.accuracies import (
    BY_ATTRACTORS,
    BY_GAP,
    FEW_ITEMS,
    LAST_ATTRACTOR,
    LAST_GAP,
    curves_of,
)
from colorless_green.humans.measures.measure import Measure
from colorless_green.humans.page import svg
from colorless_green.humans.page.accuracies import (
    Accuracies,
    Point,
    guess_cell,
    methods,
    panel_name,
    policies,
)
from colorless_green.humans.page.drawings import (
    PER_CENT,
    Axis,
    Block,
    Mark,
    Spot,
    blocks,
    figure,
    lines,
)
from colorless_green.humans.page.parts import Drawing, Figure, Panel
from colorless_green.humans.page.raters import Rater
from colorless_green.humans.page.tables import (
    THIN,
    Cell,
    code,
    count,
    counted,
    percent,
    share,
    short,
    table,
)

MOST = 40  # constructions drawn; the table has them all
MOST_VALUES = 6  # of a dimension that the first figure shows
CHANCE = 0.5
ALL = {"construction": "all constructions", "": "all items"}


def answer_figure(found: Accuracies) -> Iterator[Figure]:
    """All items, then each value of the feature and each cell of the sets: people, models and the
    best baseline; nothing where nobody answered."""
    points = list(found.by(""))
    for dimension in ("value", "cell"):
        values = dict.fromkeys(p.value for p in found.by(dimension))
        if 1 < len(values) <= MOST_VALUES * (1 + (dimension == "cell")):
            points += found.by(dimension)
    points = [point for point in points if point.kind]
    if points:
        yield _blocks(
            found,
            points,
            "answer-figure",
            "People, models and what needs no grammar, on the same items",
            "Of people the mean over items of the share of right answers."
            f" {policies(found.material)}",
        )


def construction_figure(found: Accuracies) -> Iterator[Figure]:
    """One line a rater under the name of the construction; if these are too many, the largest."""
    points = [*found.by(""), *found.by("construction")]
    sizes: dict[str, int] = {}
    for point in points:
        sizes[point.value] = max(sizes.get(point.value, 0), point.n_items)
    names = list(sizes)
    if len(names) > MOST:
        names.sort(key=lambda name: (name != "", -sizes[name]))
    more = len(names) - MOST
    if points:
        yield _blocks(
            found,
            points,
            "constructions-figure",
            "Accuracy by construction",
            f"The {more} constructions with the fewest items are only in the table."
            if more > 0
            else "",
            names[:MOST],
        )


def _blocks(
    found: Accuracies,
    points: Sequence[Point],
    name: str,
    title: str,
    caption: str,
    values: Sequence[str] | None = None,
) -> Figure:
    """A panel for each kind of sentences, a block for each value of a dimension."""
    shown = list(dict.fromkeys(p.value for p in points)) if values is None else values
    at = {(point.panel, point.value, point.rater.name): point for point in points}
    panels = list(dict.fromkeys(point.panel for point in points))
    whole = ALL["construction" if name.startswith("construction") else ""]
    best = {}
    for point in points:
        if point.kind and not point.apart:
            guess = found.best_in(point.kind, point.dimension, point.value)
            if guess is not None:
                best[point.panel, point.value] = guess

    def block(panel: str, value: str) -> Block:
        marks = (at.get((panel, value, rater.name)) for rater in found.raters)
        guess = best.get((panel, value))
        return Block(
            value or whole,
            tuple(Mark(p.rater, p.accuracy, p.low, p.high, p.n_items) for p in marks if p),
            CHANCE,
            (guess.name, guess.accuracy) if guess else None,
        )

    drawn = []
    for n, panel in enumerate(panels):
        own = [each for value in shown if (each := block(panel, value)).marks]
        drawn.append(
            Panel(
                panel, blocks(own, f"{name}-{n}", f"{title}, {panel}", "right, per cent of items")
            )
        )
    bar = " The grey bar is the best of the baselines that do not find the cue." if best else ""
    return figure(
        name,
        title,
        f"Share of items for which the right form won. Lines are 95{THIN}% intervals"
        f" ({methods(points) or 'none here'}); the dashed line is chance, 50{THIN}%.{bar}"
        f" All are on the items that all could answer.{' ' if caption else ''}{caption}",
        drawn,
        [rater for rater in found.raters if any(point.rater == rater for point in points)],
        table(
            f"{name}-data",
            f"{title}: the numbers in the figure",
            points,
            {
                "construction" if whole == ALL["construction"] else "items that are": lambda p: (
                    code(p.value) if p.value else Cell(whole)
                ),
                "sentences": lambda p: short(p.panel),
                "rater": lambda p: Cell(p.rater.label),
                "items": lambda p: counted(p.n_items),
                "right, %": lambda p: share(p.accuracy),
                "95 % low": lambda p: share(p.low),
                "95 % high": lambda p: share(p.high),
                "best baseline, %": lambda p: guess_cell(best.get((p.panel, p.value))),
            },
        ),
    )


@dataclass(frozen=True, slots=True)
class _Curve:
    """What is on the axis of a curve (Gulordava et al. 2018, Figure 2)."""

    name: str  # of the figure
    statistic: str
    last: int  # this and more are one point
    what: str  # one of them
    title: str
    caption: str


CURVES = (
    _Curve(
        "attractors-figure",
        BY_ATTRACTORS,
        LAST_ATTRACTOR,
        "attractors",
        "Accuracy by number of attractors",
        "Attractors are words between cue and target with the cue's part of speech and another"
        " value of the feature.",
    ),
    _Curve(
        "distance-figure",
        BY_GAP,
        LAST_GAP,
        "tokens between",
        "Accuracy by distance",
        "Distance is the number of tokens between cue and target.",
    ),
)


def curves(found: Accuracies) -> Iterator[Figure]:
    """The curve over attractors and that over distance, each only where there are two points."""
    material, by_name = found.material, {rater.name: rater for rater in found.raters}
    measures = list(curves_of(material.items, material.tallies, material.outcomes))
    for which in CURVES:
        own = [m for m in measures if m.statistic == which.statistic and m.rater in by_name]
        if len({point.level for point in own}) > 1:
            yield _curve(which, own, by_name)


def _curve(which: _Curve, own: Sequence[Measure], by_name: dict[str, Rater]) -> Figure:
    kinds = list(dict.fromkeys(point.kind for point in own))
    panels = [
        Panel(panel_name(kind), _drawn(which, [m for m in own if m.kind == kind], by_name, n))
        for n, kind in enumerate(kinds)
    ]
    has_error = any(each.se is not None for each in own)
    return figure(
        which.name,
        which.title,
        f"{which.caption} {which.last} and more are one point. Points from fewer than {FEW_ITEMS}"
        " items are hollow."
        + (" Lines are one standard error over items to each side, as in Gulordava et al. 2018,"
           " Figure 2." if has_error else "")
        + f" All are on the items that all could answer. The dashed line is chance, 50{THIN}%.",
        panels,
        [rater for name, rater in by_name.items() if any(m.rater == name for m in own)],
        table(
            f"{which.name}-data",
            f"{which.title}: the numbers in the figure",
            own,
            {
                which.what: lambda m: Cell(m.level),
                "sentences": lambda m: short(panel_name(m.kind)),
                "rater": lambda m: Cell(by_name[m.rater].label),
                "items": lambda m: counted(m.n),
                "right, %": lambda m: share(m.value),
                "standard error": lambda m: share(m.se),
                "minus one": lambda m: share(_moved(m, -1)),
                "plus one": lambda m: share(_moved(m, 1)),
            },
        ),
    )  # fmt: skip


def _moved(each: Measure, side: int) -> float | None:
    """One standard error to a side."""
    return None if each.value is None or each.se is None else each.value + side * each.se


def _drawn(which: _Curve, own: Sequence[Measure], by_name: dict[str, Rater], place: int) -> Drawing:
    levels = sorted({each.level for each in own}, key=_number)
    sizes = {level: {each.n or 0 for each in own if each.level == level} for level in levels}
    spots = []
    for each in own:
        low, high = _moved(each, -1), _moved(each, 1)
        error = f" ± {percent(each.se)}" if each.se is not None else ""
        spots.append(
            Spot(
                by_name[each.rater],
                _number(each.level),
                100 * (each.value or 0.0),
                None if low is None else 100 * low,
                None if high is None else 100 * high,
                f"{by_name[each.rater].label}, {each.level} {which.what}: {percent(each.value)}"
                f"{error} %, n = {count(each.n)}",
                (each.n or 0) < FEW_ITEMS,
            )
        )
    ticks = {float(_number(level)): f"{level}\n{_span(sizes[level])}" for level in levels}
    across = Axis(
        f"{which.what} (below: number of items)", ticks, (min(ticks) - 0.5, max(ticks) + 0.5)
    )
    return lines(
        spots,
        f"{which.name}-{place}",
        f"{which.title}, {panel_name(own[0].kind)}",
        across,
        PER_CENT,
        spread=0.36,
        levels=[(50, svg.SOFT)],
    )


def _number(level: str) -> int:
    return int(level.removesuffix("+"))


def _span(sizes: set[int]) -> str:
    """`85`, or `80–85` where raters have different numbers of items."""
    low, high = min(sizes), max(sizes)
    return count(low) + (f"–{count(high)}" if low < high else "")
