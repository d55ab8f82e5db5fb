"""All drawings, made with Matplotlib: positions, shapes, colours, and the text that a mark shows to
a pointer. `_svg` turns them into SVG.

There are two forms of drawing: blocks of marks under names (`block_panel`), and marks along an axis
(`mark_panel`).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _parts as fmt
from ._parts import Panel, Rater, Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = {  # variable of the style sheet → the colour that stands for it in Matplotlib's SVG
    name: f"#0a0c{number:02x}"
    for number, name in enumerate(("ink", "soft", "rule", "paper", *(f"r{n}" for n in range(8))))
}
INK, SOFT, RULE, PAPER, *RATERS = COLOURS.values()  # RATERS[n]: of a rater whose `colour` is n
TEXT_START = "\u2028"  # character before the text of each mark; no text contains it
MARKERS = {
    **{"star": "*", "square": "s", "triangle": "^", "diamond": "D", "circle": "o"},
    **{"plus": "P", "down": "v", "cross": "X", "pentagon": "p"},
}
SIZES = {**dict.fromkeys(MARKERS, 8.5), "star": 13.0, "diamond": 7.5}  # points
FONT_SIZE = 13.0  # units of the drawing, which are CSS pixels at its natural size
WIDTH, HEIGHT = 360.0, 310.0
NAME_HEIGHT, MARK_HEIGHT, GAP, SCALE_HEIGHT = 20.0, 15.0, 12.0, 46.0  # of blocks, in pixels
DIGIT_WIDTH, UP_AXIS_WIDTH = 7.5, 60  # pixels: of a digit under an axis; of the vertical axis
DASHES: dict[str, Any] = {"linewidth": 1.4, "linestyle": (0, (4, 3)), "zorder": 1}


@dataclass(frozen=True, slots=True)
class PlotMark:
    """A mark in a drawing: a value with the ends of its interval, in the units of the axis."""

    rater: Rater
    value: float
    low: float | None
    high: float | None
    alt: str  # the text that the mark shows to a pointer
    x: float = 0.0  # place on the other axis
    hollow: bool = False


def share_mark(
    rater: Rater, share: float, low: float | None, high: float | None, alt: str, x: float = 0.0,
    *, hollow: bool = False,
) -> PlotMark:  # fmt: skip
    """Return a mark for a share (0 to 1) and its interval, converted to per cent for the axis."""
    low, high = (None if end is None else 100 * end for end in (low, high))
    return PlotMark(rater, 100 * share, low, high, alt, x, hollow)


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of a drawing. Matplotlib chooses ticks and ends that are None from the data."""

    label: str
    ticks: Mapping[float, str] | None = None  # place → text
    ends: tuple[float, float] | None = None


PER_CENT = Axis("right, per cent of items", ends=(0, 102))


def _set_up(axes: "Axes", across: Axis, up: Axis | None, grid: Any, height: float = 0.0) -> None:
    """Give Matplotlib's axes their labels, ticks, ends and `grid` ("x" or "y"). If `up` is None,
    the vertical axis is hidden and counts pixels from 0 at the top down to `height`."""
    for axis, drawn_axis, limit in (
        (across, axes.xaxis, axes.set_xlim), (up, axes.yaxis, axes.set_ylim),
    ):  # fmt: skip
        if axis is None:
            limit(height, -2)  # two pixels are left free above the first line
            drawn_axis.set_ticks([])
            axes.spines["left"].set_visible(False)
            continue
        drawn_axis.set_label_text(axis.label)
        if axis.ticks is not None:
            drawn_axis.set_ticks(list(axis.ticks), labels=list(axis.ticks.values()))
        if axis.ends is not None:
            limit(*axis.ends)
    axes.grid(axis=grid, zorder=0)


def _stroke(axes: "Axes", ends: Iterable[tuple[float, float, float, float]], **look: Any) -> None:
    """Draw straight lines in one style. Each of `ends` is (x, y, x, y): where a line starts and
    where it stops."""
    gap = math.nan, math.nan  # Matplotlib draws no line to or from such a point
    points = [
        point
        for start_x, start_y, stop_x, stop_y in ends
        for point in ((start_x, start_y), (stop_x, stop_y), gap)
    ]
    if points:
        axes.plot(*zip(*points, strict=True), clip_on=False, **look)


def _draw_marks(
    axes: "Axes", points: Sequence[tuple[float, float, PlotMark]], smaller: float = 0.0
) -> None:
    """Draw marks at points (x, y, mark), `smaller` points smaller than usual. Marks of one rater
    that look alike are one Matplotlib artist, whose id holds the texts of all its marks."""
    looks: dict[tuple[Rater, bool], list[tuple[float, float, PlotMark]]] = {}
    for x, y, mark in points:
        looks.setdefault((mark.rater, mark.hollow), []).append((x, y, mark))
    for (rater, hollow), group in looks.items():
        colour = RATERS[rater.colour]
        (artist,) = axes.plot(
            [x for x, _, _ in group],
            [y for _, y, _ in group],
            linestyle="none",
            marker=MARKERS[rater.shape],
            markersize=SIZES[rater.shape] - smaller,
            color=PAPER if hollow else colour,
            markeredgecolor=colour if hollow else PAPER,
            markeredgewidth=1.6 if hollow else 0.8,
            zorder=3,
            clip_on=False,
        )
        if any(mark.alt for _, _, mark in group):
            artist.set_gid(_joined_texts(mark.alt for _, _, mark in group))


def _joined_texts(texts: Iterable[str]) -> str:
    """Join the texts of marks to one string, each after `TEXT_START`. Matplotlib writes the string
    into the SVG as an id; `_svg` splits it again into titles of marks."""
    return "".join(TEXT_START + " ".join(text.split()) for text in texts)


def block_panel(
    heading: str, rows: Sequence[Record], raters: Sequence[Rater], scale: str = "right, per cent"
) -> Panel:
    """Return a drawing of accuracies on one scale from 0 to 100 per cent, in blocks from top to
    bottom. The name of a block stands above its marks, so that the drawing fits a telephone.

    Args:
        heading: heading of the drawing.
        rows: records with `block` (its name), `rater`, `label`, `accuracy`, `low`, `high`,
            `n_items`, `chance` (a dashed line), and `rule`, the cell with the accuracy of the
            strongest rule (a grey bar).
        raters: raters with marks.
        scale: label of the scale.
    """
    by_name = {rater.name: rater for rater in raters}
    groups: dict[str, list[PlotMark]] = {}
    chance_of: dict[str, float | None] = {}  # block → accuracy by chance, per cent
    rule_of: dict[str, float | None] = {}  # block → accuracy of the strongest rule, per cent
    rule_texts = []
    for row in rows:
        name, rule = row["block"], row.get("rule")
        share, low, high = row["accuracy"], row["low"], row["high"]
        limits = "" if low is None else f" [{fmt.limits(low, high)}]"
        alt = f"{name}, {row['label']}: {fmt.percent(share)} %{limits}"
        alt += f", n = {fmt.count(row['n_items'])}"
        mark = share_mark(by_name[row["rater"]], share, low, high, alt)
        groups.setdefault(name, []).append(mark)
        if name not in rule_of:  # they are the same in all rows of a block
            chance_of[name] = None if row["chance"] is None else 100 * row["chance"]
            rule_of[name] = None if rule is None else rule.value
            if rule is not None and rule.value is not None:
                rule_texts.append(f"{name}, strongest rule ({rule.below}): {rule.text} %")
    alts = [*(mark.alt for marks in groups.values() for mark in marks), *rule_texts]
    height = sum(NAME_HEIGHT + MARK_HEIGHT * len(marks) + GAP for marks in groups.values())

    def paint(axes: "Axes") -> None:
        """Draw all blocks on Matplotlib's axes, from top to bottom."""
        across = Axis(scale, {n: str(n) for n in (0, 25, 50, 75, 100)}, (0, 100))
        _set_up(axes, across, None, "x", height)
        placed: list[tuple[float, float, PlotMark]] = []
        separators, top = [], 0.0
        chance_lines: list[tuple[float, float, float, float]] = []
        rule_bars: list[tuple[float, float, float, float]] = []
        for name, marks in groups.items():
            if top:
                separators.append((0.0, top - GAP / 2, 100.0, top - GAP / 2))
            axes.text(0, top + NAME_HEIGHT / 2, name, va="center")
            start = top + NAME_HEIGHT
            end = start + MARK_HEIGHT * len(marks)
            for strokes, x in ((chance_lines, chance_of[name]), (rule_bars, rule_of[name])):
                if x is not None:
                    strokes.append((x, start, x, end))
            ys = (start + MARK_HEIGHT * (line + 0.5) for line in range(len(marks)))
            placed += [(mark.value, y, mark) for mark, y in zip(marks, ys, strict=True)]
            top = end + GAP
        _stroke(axes, separators, color=RULE, linewidth=1)
        _stroke(axes, chance_lines, color=INK, **DASHES)
        _stroke(axes, rule_bars, color=SOFT, linewidth=4, alpha=0.55, zorder=1)
        _whiskers(axes, [(mark, (mark.low, y, mark.high, y)) for _, y, mark in placed])
        _draw_marks(axes, placed)

    return Panel(heading, paint, "; ".join(alts), height + SCALE_HEIGHT)


def _whiskers(axes: "Axes", bars: Sequence[tuple[PlotMark, tuple[Any, ...]]]) -> None:
    """Draw the lines of intervals under the marks, in the raters' colours. Each of `bars` is a
    mark and the ends (x, y, x, y) of its line; a mark with a None end gets no line."""
    for rater in dict.fromkeys(mark.rater for mark, _ in bars):
        ends = [end for mark, end in bars if mark.rater == rater and None not in end]
        _stroke(axes, ends, color=RATERS[rater.colour], linewidth=2.0, zorder=2)


@dataclass(frozen=True, slots=True)
class MarkStyle:
    """The looks of marks along an axis."""

    joined: bool = True  # a thin line joins the marks of each rater
    spread: float = 0.3  # width that raters side by side take; 1 is the distance of places
    smaller: float = 0.0  # points by which marks are smaller than usual


def mark_panel(
    heading: str,
    marks: Sequence[PlotMark],
    across: Axis,
    up: Axis = PER_CENT,
    *,
    style: MarkStyle = MarkStyle(),
    levels: Sequence[tuple[float, str]] = (),
    shaded: Sequence[float] = (),
    alt: str = "",
    notes: tuple[str, ...] = (),
) -> Panel:
    """Return a drawing of marks along an axis; the marks of one rater may be joined.

    Args:
        heading: heading of the drawing.
        marks: marks, whose `x` is their place and whose `value` is their height.
        across: axis of the places.
        up: axis of the values.
        style: looks of the marks.
        levels: dashed lines, each a value and a colour.
        shaded: places with a shaded background.
        alt: the drawing in words [default: the texts of all marks].
        notes: lines below the drawing.
    """
    raters = list(dict.fromkeys(mark.rater for mark in marks))
    spread = style.spread if style.joined and len(raters) > 1 else 0.0
    n_steps = max(1, len(raters) - 1)  # from the leftmost to the rightmost rater of a place
    moved = {rater: spread * (n / n_steps - 0.5) for n, rater in enumerate(raters)}

    def paint(axes: "Axes") -> None:
        """Draw lines, shades, intervals and marks on Matplotlib's axes."""
        _set_up(axes, across, up, "y")
        if across.ticks is not None:
            _turn_labels(axes, list(across.ticks.values()))
        for value, colour in levels:
            axes.axhline(value, color=colour, **DASHES)
        for centre in shaded:
            axes.axvspan(centre - 0.5, centre + 0.5, color=RULE, alpha=0.6, linewidth=0, zorder=0)
        shifted = [(mark.x + moved[mark.rater], mark.value, mark) for mark in marks]
        for rater in raters if style.joined else ():
            points = [(x, y) for x, y, mark in shifted if mark.rater == rater]
            look: dict[str, Any] = {"color": RATERS[rater.colour], "linewidth": 1.2}
            axes.plot(*zip(*points, strict=True), zorder=2, clip_on=False, **look)
        ends = [(mark, (x, mark.low, x, mark.high)) for x, _, mark in shifted]
        _whiskers(axes, ends)
        _draw_marks(axes, shifted, style.smaller)

    return Panel(heading, paint, alt or "; ".join(mark.alt for mark in marks), HEIGHT, notes)


def _turn_labels(axes: "Axes", labels: Sequence[str]) -> None:
    """Rotate the labels below an axis if they have no room side by side: by 40 degrees, or by 90
    if they have two lines. Labels that fit stay as they are."""
    longest = max(len(line) for label in labels for line in label.split("\n"))
    if (longest + 1) * DIGIT_WIDTH * len(labels) <= WIDTH - UP_AXIS_WIDTH:
        return
    upright = "\n" in labels[0]
    if upright:  # the two lines become one, which is read from below
        axes.set_xticklabels(["   ".join(reversed(label.split("\n"))) for label in labels])
    axes.tick_params(axis="x", labelrotation=90 if upright else 40)
    for label in axes.get_xticklabels():
        label.set(ha="right", va="center" if upright else "top", rotation_mode="anchor")
