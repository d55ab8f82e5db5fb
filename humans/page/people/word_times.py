"""Figure: how long the words around the target were read, one by one (self-paced reading)."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING

from colorless_green.humans.judgment import Reading
from colorless_green.humans.lookup import TARGET
from colorless_green.humans.measures.curves import FEW_ITEMS
from colorless_green.humans.observation import levels
from colorless_green.humans.page import svg
from colorless_green.humans.page.marginals import panel_name
from colorless_green.humans.page.marks import beside, mark, whisker
from colorless_green.humans.page.material import Material
from colorless_green.humans.page.numbers import count, signed
from colorless_green.humans.page.parts import Cell, Figure, Panel, Table, heading
from colorless_green.humans.page.raters import N_COLOURS, SHAPES, Rater
from colorless_green.humans.page.values import counted
from colorless_green.humans.statistics import curve
from colorless_green.humans.stored import Answers
from colorless_green.nonce.item import Item, sentence_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME = "reading-figure"
TITLE = "Reading times around the target"
FAST_MS, SLOW_MS = 100, 3000  # of one word; beyond them it was not read (facts, §2.2)
BEFORE, AFTER = 3, 3  # words on either side
WIDTH, HEIGHT = 360.0, 310.0
SPREAD = 0.3
MARGIN = 0.02  # of the scale above and below, in natural logarithms


@dataclass(frozen=True, slots=True)
class _Point:
    """The words in one place, in one version of the sentences of a kind."""

    kind: str
    shown: str  # the version: a condition of the items
    place: int  # 0 is the target
    n_items: int
    n_words: int
    log_ms: float  # the mean over items of the means of natural logarithms
    error: float | None  # one standard error over items

    @property
    def limits(self) -> tuple[float, float] | None:
        """One standard error to each side, ms."""
        if self.error is None:
            return None
        return math.exp(self.log_ms - self.error), math.exp(self.log_ms + self.error)


@dataclass(frozen=True, slots=True)
class _Word:
    """A word that was read, and where it stands."""

    reading: Reading
    kind: str
    place: int


def figure(material: Material) -> Figure | None:
    """A panel for each kind, a line for each version; None where nothing was read word by word, or
    no sentence has a place in which its versions differ."""
    words = list(_words(material))
    good = [each for each in words if _is_read(each.reading)]
    found = list(_points(good))
    if not found:
        return None
    kinds = levels(each.kind for each in found)
    shown = dict.fromkeys(each.shown for each in found)
    versions = [
        Rater(each, each or "sentence", SHAPES[place % len(SHAPES)], 1 + place % N_COLOURS)
        for place, each in enumerate(shown)
    ]
    panels = [
        Panel(panel_name(kind), _drawing(found, kind, versions))
        for kind in kinds
        if svg.available()
    ]
    return Figure(
        name=NAME,
        title=TITLE,
        caption=(
            "Geometric means (of items' means) on a logarithmic scale; lines are one standard error"
            " over items to each side. 0 is the target, or the first word in which an item's"
            f" versions differ. {count(len(words) - len(good))} of {count(len(words))} words are"
            f" left out: faster than {FAST_MS} ms, slower than {count(SLOW_MS)} ms, or without a"
            f" time. Points from fewer than {FEW_ITEMS} items are hollow."
        ),
        panels=tuple(panels),
        legend=tuple(versions),
        data=_table(found),
    )


def _is_read(each: Reading) -> bool:
    return each.rt_ms is not None and FAST_MS <= each.rt_ms <= SLOW_MS


def _words(material: Material) -> Iterator[_Word]:
    """The words near the target of everybody whose answers count."""
    trials: dict[tuple[str, str, str], list[Reading]] = {}
    for each in _counted(material.people.answers):
        if each.kind == "target" and each.item in material.items:
            trials.setdefault((each.participant, each.session, each.trial_id), []).append(each)
    targets: dict[tuple[str, str], int | None] = {}
    for words in trials.values():
        words.sort(key=lambda each: each.word_index)
        item, shown = material.items[words[0].item], words[0].shown
        if (item.item_id, shown) not in targets:
            targets[item.item_id, shown] = target_word(item, shown)
        target = targets[item.item_id, shown]
        if target is not None:
            at = _chunk(words, target)
            near = enumerate(words[max(0, at - BEFORE) : at + AFTER + 1], -min(at, BEFORE))
            yield from (_Word(each, item.kind, place) for place, each in near)


def _counted(answers: Answers) -> Iterator[Reading]:
    people = {each.participant for each in answers.gone if each.level == "person"}
    sessions = {
        (each.participant, each.session) for each in answers.gone if each.level == "session"
    }
    for each in answers.readings:
        if each.participant not in people and (each.participant, each.session) not in sessions:
            yield each


def target_word(item: Item, shown: str) -> int | None:
    """Which word (between blanks, from 0) of the version `shown` holds its target, or is the first
    in which it differs from another version; None where neither is there."""
    if shown not in item.conditions:
        return None
    wording = item.conditions[shown][0]
    names = [region.region for region in wording]
    if names.count(TARGET) == 1:
        before, whole = (sentence_text(wording[: names.index(TARGET) + k]) for k in (0, 1))
        apart = before[-1:].isspace() or whole[len(before) :][:1].isspace() or not before
        return len(before.split()) - (not apart)
    own = sentence_text(wording).split()
    others = [
        sentence_text(each[0]).split() for name, each in item.conditions.items() if name != shown
    ]
    places = [
        place
        for other in others
        for place, (one, two) in enumerate(zip(own, other, strict=False))
        if one != two
    ]
    return min(places, default=None)


def _chunk(words: Sequence[Reading], target: int) -> int:
    """Which of what was shown at once holds the word; several words can be."""
    ends = accumulate(len(each.word.split()) for each in words)
    return next((place for place, end in enumerate(ends) if end > target), len(words))


def _points(words: Iterable[_Word]) -> Iterator[_Point]:
    cells: dict[tuple[str, str, int], dict[str, list[float]]] = {}
    for each in words:
        assert each.reading.rt_ms is not None
        cell = cells.setdefault((each.kind, each.reading.shown, each.place), {})
        cell.setdefault(each.reading.item, []).append(math.log(each.reading.rt_ms))
    kinds = levels(kind for kind, *_ in cells)
    for kind, shown, place in sorted(cells, key=lambda c: (kinds.index(c[0]), c[1], c[2])):
        items = cells[kind, shown, place]
        means = [math.fsum(own) / len(own) for own in items.values()]
        (mean,) = curve([0] * len(means), means, last=1)
        n_words = sum(map(len, items.values()))
        yield _Point(kind, shown, place, len(means), n_words, mean.mean, mean.se)


def _drawing(found: Sequence[_Point], kind: str, versions: Sequence[Rater]) -> svg.Drawing:
    """All kinds on one scale."""
    points = [each for each in found if each.kind == kind]
    ends = [each.log_ms + side * (each.error or 0.0) for each in found for side in (-1, 1)]
    span = min(ends) - MARGIN, max(ends) + MARGIN
    return svg.Drawing(
        name=f"{NAME}-{kind}",
        title=f"{TITLE}: {panel_name(kind)}",
        description="; ".join(map(_said, points)),
        width=WIDTH,
        height=HEIGHT,
        paint=partial(_paint, points=points, versions=versions, span=span),
    )


def _said(each: _Point) -> str:
    return (
        f"{each.shown or 'sentence'}, word {signed(each.place, 0)}: {math.exp(each.log_ms):.0f} ms,"
        f" n = {count(each.n_items)} items"
    )


def _paint(
    axes: "Axes",
    points: Sequence[_Point],
    versions: Sequence[Rater],
    span: tuple[float, float],
) -> None:
    places = sorted({each.place for each in points})
    axes.set_xlim(places[0] - 0.5, places[-1] + 0.5)
    axes.set_xticks(places, [signed(place, 0) if place else "target" for place in places])
    axes.set_ylim(*span)
    axes.set_xlabel("words from the target")
    axes.set_ylabel("ms")
    axes.grid(axis="y", zorder=0)
    by_version: Mapping[str, list[_Point]] = {
        rater.name: [each for each in points if each.shown == rater.name] for rater in versions
    }
    for line, rater in enumerate(versions):
        own, shift = by_version[rater.name], beside(line, len(versions), SPREAD)
        xs = [each.place + shift for each in own]
        whisker(axes, xs, [each.log_ms for each in own], rater, 1.2)
        for x, each in zip(xs, own, strict=True):
            if each.error is not None:
                ends = [each.log_ms - each.error, each.log_ms + each.error]
                whisker(axes, [x, x], ends, rater)
            few = each.n_items < FEW_ITEMS
            mark(axes, x, each.log_ms, rater, _said(each), hollow=few)
    _scale(axes)


def _scale(axes: "Axes") -> None:
    """Round numbers of milliseconds, at most ten of them."""
    low, high = (math.exp(end) for end in axes.get_ylim())
    step = next(step for step in (10, 20, 50, 100, 200, 500, 1000) if (high - low) / step <= 10)
    ticks = [ms for ms in range(0, SLOW_MS + step, step) if low <= ms <= high and ms]
    axes.set_yticks([math.log(ms) for ms in ticks], [count(ms) for ms in ticks])


def _table(points: Sequence[_Point]) -> Table:
    return Table(
        name=f"{NAME}-data",
        title=f"{TITLE}: the numbers in the figure",
        columns=(
            heading("sentences"),
            heading("version"),
            heading("word", "number"),
            heading("items", "number"),
            heading("words read", "number"),
            heading("ms", "number"),
            heading("minus one standard error", "number"),
            heading("plus one", "number"),
        ),
        rows=tuple(
            (
                Cell(panel_name(each.kind), sort="short"),
                Cell(each.shown, sort="code"),
                Cell(signed(each.place, 0), sort="number", value=each.place),
                counted(each.n_items),
                counted(each.n_words),
                _ms(math.exp(each.log_ms)),
                *(_ms(end) for end in each.limits or (None, None)),
            )
            for each in points
        ),
    )


def _ms(value: float | None) -> Cell:
    return Cell(count(value), sort="number", value=value)
