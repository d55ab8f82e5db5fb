"""All drawings: what stands where, in which shape and colour, and what a pointer over it is told.

Five forms serve every figure: names with marks under them (`blocks`), marks side by side over
places of an axis (`lines`), items as a cloud (`cloud`), fields with numbers in them (`fields`), and
boxes of quantiles (`boxes`).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from colorless_green.humans.page import svg
from colorless_green.humans.page.parts import Drawing, Figure, Panel
from colorless_green.humans.page.raters import Rater
from colorless_green.humans.page.tables import Table, count, limits, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DASHES = (0, (4, 3))
WIDTH, HEIGHT = 360.0, 310.0
NAME_HEIGHT, MARK_HEIGHT, GAP, SCALE_HEIGHT = 20.0, 15.0, 12.0, 46.0  # of blocks, in pixels
FIELD_HEIGHT, HEAD = 20.0, 24.0  # of fields
BOX = 16.0
DARKEST = 0.6  # share of colour in a field of 1: letters on it stay readable
LETTER = 7.5  # pixels: the width of a figure under the axis
SHAPES = {"original": "D", "nonce": "o", "composed": "P", "template": "s", "suite": "^"}


def figure(
    name: str,
    title: str,
    caption: str,
    panels: Sequence[Panel],
    legend: Sequence[Rater],
    data: tuple[Table, ...] = (),
) -> Figure:
    """A figure, without its drawings where Matplotlib is not installed."""
    drawn = tuple(panels) if svg.available() else ()
    return Figure(name, title, caption, drawn, tuple(legend), data)


def _mark(
    axes: "Axes", x: float, y: float, rater: Rater, says: str, *, hollow: bool = False,
    smaller: float = 0.0,
) -> None:  # fmt: skip
    colour = svg.colour(rater.colour)
    (drawn,) = axes.plot(
        [x],
        [y],
        linestyle="none",
        marker=svg.MARKERS[rater.shape],
        markersize=svg.SIZES.get(rater.shape, svg.SIZE) - smaller,
        color=svg.PAPER if hollow else colour,
        markeredgecolor=colour if hollow else svg.PAPER,
        markeredgewidth=1.6 if hollow else 0.8,
        zorder=3,
        clip_on=False,
    )
    svg.tell(drawn, [says])


def _whisker(
    axes: "Axes", xs: Sequence[float], ys: Sequence[float], rater: Rater, width: float = 2.0
) -> None:
    """A line in the rater's colour, under the marks."""
    axes.plot(xs, ys, color=svg.colour(rater.colour), linewidth=width, zorder=2, clip_on=False)


@dataclass(frozen=True, slots=True)
class Mark:
    """One share with its interval."""

    rater: Rater
    accuracy: float
    low: float | None
    high: float | None
    n_items: int
    hollow: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """Marks under one name; a dashed stretch is chance, a grey bar the best baseline."""

    name: str
    marks: tuple[Mark, ...]
    chance: float | None = None
    baseline: tuple[str, float] | None = None

    @property
    def height(self) -> float:
        """In pixels."""
        return NAME_HEIGHT + MARK_HEIGHT * len(self.marks) + GAP

    def says(self, each: Mark) -> str:
        """What one of its marks is."""
        within = "" if each.low is None else f" [{limits(each.low, each.high)}]"
        return (
            f"{self.name}, {each.rater.label}: {percent(each.accuracy)} %{within},"
            f" n = {count(each.n_items)}"
        )


def blocks(
    shown: Sequence[Block], name: str, title: str, scale: str = "right, per cent"
) -> Drawing:
    """The blocks from top to bottom on one scale from 0 to 100. The name of a block stands above
    its marks, so that it takes no width and the drawing fits a telephone."""
    height = sum(block.height for block in shown)

    def paint(axes: "Axes") -> None:
        axes.set_xlim(0, 100)
        axes.set_ylim(height, -2)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.set_xticks([0, 25, 50, 75, 100])
        axes.set_xlabel(scale)
        axes.grid(axis="x", zorder=0)
        top = 0.0
        for block in shown:
            if top:
                axes.axhline(top - GAP / 2, color=svg.RULE, linewidth=1)
            axes.text(0, top + NAME_HEIGHT / 2, block.name, va="center")
            ends = [top + NAME_HEIGHT, top + NAME_HEIGHT + MARK_HEIGHT * len(block.marks)]
            if block.chance is not None:
                x = [100 * block.chance] * 2
                axes.plot(x, ends, color=svg.INK, linewidth=1.4, linestyle=DASHES, zorder=1)
            if block.baseline is not None:
                x = [100 * block.baseline[1]] * 2
                axes.plot(x, ends, color=svg.SOFT, linewidth=4, alpha=0.55, zorder=1,
                          solid_capstyle="butt")  # fmt: skip
            for line, each in enumerate(block.marks):
                y = top + NAME_HEIGHT + MARK_HEIGHT * (line + 0.5)
                if each.low is not None and each.high is not None:
                    _whisker(axes, [100 * each.low, 100 * each.high], [y, y], each.rater)
                says = block.says(each)
                _mark(axes, 100 * each.accuracy, y, each.rater, says, hollow=each.hollow)
            top += block.height

    parts = [block.says(each) for block in shown for each in block.marks]
    parts += [
        f"{block.name}, best baseline ({block.baseline[0]}): {percent(block.baseline[1])} %"
        for block in shown
        if block.baseline is not None
    ]
    return Drawing(name, title, "; ".join(parts), WIDTH, height + SCALE_HEIGHT, paint)


@dataclass(frozen=True, slots=True)
class Spot:
    """A mark over a place of the axis, with the ends of its line."""

    rater: Rater
    x: float
    y: float
    low: float | None
    high: float | None
    says: str
    hollow: bool = False


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis says: its label, its ticks, and its ends where they are not the data's."""

    label: str
    ticks: Mapping[float, str] | None = None
    ends: tuple[float, float] | None = None


PER_CENT = Axis("right, per cent of items", ends=(0, 102))


def lines(
    spots: Sequence[Spot],
    name: str,
    title: str,
    across: Axis,
    up: Axis = PER_CENT,
    *,
    joined: bool = True,
    spread: float = 0.3,
    thick: float = 2.0,
    smaller: float = 0.0,
    levels: Sequence[tuple[float, str]] = (),
    shaded: Sequence[float] = (),
    description: str = "",
) -> Drawing:
    """Marks over places, those of one rater joined.

    Args:
        spots: the marks.
        name: of the drawing.
        title: of the drawing.
        across: the axis of places.
        up: the axis of values.
        joined: by a thin line, rater by rater.
        spread: over how much of the distance between two places raters stand side by side.
        thick: of the line of an interval.
        smaller: by how many points marks are.
        levels: dashed lines at values, each with the name of its colour.
        shaded: places that are marked as such.
        description: instead of what every mark says.
    """
    raters = list(dict.fromkeys(spot.rater for spot in spots))
    moved = {
        rater: spread * (n / (len(raters) - 1) - 0.5) if joined and len(raters) > 1 else 0.0
        for n, rater in enumerate(raters)
    }

    def paint(axes: "Axes") -> None:
        for axis, place in ((across, axes.xaxis), (up, axes.yaxis)):
            if axis.ticks is not None:
                place.set_ticks(list(axis.ticks), labels=list(axis.ticks.values()))
            place.set_label_text(axis.label)
        if across.ends is not None:
            axes.set_xlim(*across.ends)
        if up.ends is not None:
            axes.set_ylim(*up.ends)
        if across.ticks is None:
            from matplotlib.ticker import MaxNLocator

            axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        else:
            _fit_labels(axes, list(across.ticks.values()))
        axes.grid(axis="y", zorder=0)
        for value, colour in levels:
            axes.axhline(value, color=colour, linewidth=1.4, linestyle=DASHES, zorder=1)
        for at in shaded:
            axes.axvspan(at - 0.5, at + 0.5, color=svg.RULE, alpha=0.6, linewidth=0, zorder=0)
        for rater in raters:
            own = [spot for spot in spots if spot.rater == rater]
            if joined:
                xs = [spot.x + moved[rater] for spot in own]
                _whisker(axes, xs, [spot.y for spot in own], rater, 1.2)
            for spot in own:
                x = spot.x + moved[rater]
                if spot.low is not None and spot.high is not None:
                    _whisker(axes, [x, x], [spot.low, spot.high], rater, thick)
                _mark(axes, x, spot.y, rater, spot.says, hollow=spot.hollow, smaller=smaller)

    told = description or "; ".join(spot.says for spot in spots)
    return Drawing(name, title, told, WIDTH, HEIGHT, paint)


def _fit_labels(axes: "Axes", labels: Sequence[str]) -> None:
    """Names that have no room side by side stand aslant; several lines upright."""
    longest = max(len(line) for label in labels for line in label.split("\n"))
    if (longest + 1) * LETTER * len(labels) <= WIDTH - 60:
        return
    if "\n" in labels[0]:
        axes.set_xticklabels(
            ["   ".join(reversed(each.split("\n"))) for each in labels], rotation=90
        )
        return
    axes.tick_params(axis="x", labelrotation=40)
    for label in axes.get_xticklabels():
        label.set_horizontalalignment("right")
        label.set_rotation_mode("anchor")


@dataclass(frozen=True, slots=True)
class Dot:
    """An item of a cloud."""

    kind: str
    x: float
    y: float
    says: str  # empty: nothing


def cloud(
    dots: Sequence[Dot], rater: Rater, name: str, title: str, description: str,
    across: str, up: str, middle: float,
) -> Drawing:  # fmt: skip
    """Items as marks of their kinds, with lines through 0 and through the middle."""

    def paint(axes: "Axes") -> None:
        axes.axvline(0, color=svg.SOFT, linewidth=1.4, linestyle=DASHES, zorder=1)
        axes.axhline(middle, color=svg.SOFT, linewidth=1.4, linestyle=DASHES, zorder=1)
        axes.grid(zorder=0)
        axes.set_xlabel(across)
        axes.set_ylabel(up)
        kinds = [kind for kind in SHAPES if any(dot.kind == kind for dot in dots)]
        kinds += list(dict.fromkeys(dot.kind for dot in dots if dot.kind not in SHAPES))
        for kind in reversed(kinds):  # originals, the fewer, on top
            own = [dot for dot in dots if dot.kind == kind]
            colour, full = svg.colour(rater.colour), kind == "original"
            (marks,) = axes.plot(
                [dot.x for dot in own],
                [dot.y for dot in own],
                linestyle="none",
                marker=SHAPES.get(kind, "o"),
                markersize=6.5 if full else 5,
                color=colour if full else "none",
                markeredgecolor=svg.PAPER if full else colour,
                markeredgewidth=0.8,
            )
            if any(dot.says for dot in own):
                svg.tell(marks, [dot.says for dot in own])

    return Drawing(name, title, description, WIDTH, HEIGHT, paint)


@dataclass(frozen=True, slots=True)
class Field:
    """A number with the colour that goes with it, from −1 to 1."""

    value: float | None
    shown: str
    says: str


def fields(
    names: Sequence[str], raters: Sequence[Rater], at: Mapping[tuple[str, str], Field],
    name: str, title: str,
) -> Drawing:  # fmt: skip
    """A row of fields under each name, a column for each rater. `at`: (name, rater) → field."""
    wide, step = WIDTH / len(raters), NAME_HEIGHT + FIELD_HEIGHT + 6

    def paint(axes: "Axes") -> None:
        from matplotlib.patches import Rectangle

        axes.set_xlim(0, WIDTH)
        axes.set_ylim(HEAD + step * len(names), 0)
        axes.set_axis_off()
        for column, rater in enumerate(raters):
            _mark(axes, wide * (column + 0.5), HEAD / 2, rater, rater.label)
        for line, each in enumerate(names):
            top = HEAD + step * line
            axes.text(0, top + NAME_HEIGHT / 2, each, va="center", fontsize=svg.FONT_SIZE - 1)
            for column, rater in enumerate(raters):
                field = at.get((each, rater.name))
                if field is None:
                    continue
                corner, size = (wide * column + 1, top + NAME_HEIGHT), (wide - 3, FIELD_HEIGHT)
                value = field.value or 0.0
                colour = svg.colour(1 if value >= 0 else 2)
                axes.add_patch(
                    Rectangle(corner, *size, facecolor=colour, alpha=DARKEST * abs(value),
                              linewidth=0)
                )  # fmt: skip
                frame = Rectangle(corner, *size, facecolor="none", edgecolor=svg.RULE, linewidth=1)
                svg.tell(frame, [field.says])
                axes.add_patch(frame)
                middle = wide * (column + 0.5), corner[1] + FIELD_HEIGHT / 2
                axes.text(*middle, field.shown, ha="center", va="center_baseline")

    told = "; ".join(field.says for field in at.values())
    return Drawing(name, title, told, WIDTH, HEAD + step * len(names), paint)


@dataclass(frozen=True, slots=True)
class Box:
    """Quantiles (5, 25, 50, 75, 95 per cent) under a name."""

    name: str
    quantiles: tuple[float, ...]
    hollow: bool
    says: str


def boxes(
    shown: Sequence[Box], name: str, title: str, label: str, ticks: Mapping[float, str],
    ends: tuple[float, float], dashed: float | None,
) -> Drawing:  # fmt: skip
    """Boxes from top to bottom, on a logarithmic scale (of base 10) between `ends`."""
    step = 2 * NAME_HEIGHT + 8

    def paint(axes: "Axes") -> None:
        from matplotlib.patches import Rectangle

        low, high = map(math.log10, ends)
        axes.set_xlim(low, high)
        axes.set_ylim(step * len(shown), -2)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.set_xticks([math.log10(each) for each in ticks], list(ticks.values()))
        axes.set_xlabel(label)
        axes.grid(axis="x", zorder=0)
        if dashed is not None:
            axes.axvline(math.log10(dashed), color=svg.SOFT, linewidth=1.4, linestyle=DASHES)
        for n, box in enumerate(shown):
            top, colour = step * n, svg.colour(0)
            axes.text(low, top + NAME_HEIGHT / 2, box.name, va="center")
            p05, p25, p50, p75, p95 = map(math.log10, box.quantiles)
            edge, y = top + NAME_HEIGHT, top + NAME_HEIGHT + BOX / 2
            axes.plot([p05, p25], [y, y], color=colour, linewidth=1.6)
            axes.plot([p75, p95], [y, y], color=colour, linewidth=1.6)
            patch = Rectangle(
                (p25, edge), p75 - p25, BOX, facecolor="none" if box.hollow else svg.RULE,
                edgecolor=colour, linewidth=1.6, zorder=2,
            )  # fmt: skip
            svg.tell(patch, [box.says])
            axes.add_patch(patch)
            axes.plot([p50, p50], [edge, edge + BOX], color=colour, linewidth=3.2, zorder=3)

    told = "; ".join(box.says for box in shown)
    return Drawing(name, title, told, WIDTH, step * len(shown) + SCALE_HEIGHT, paint)
