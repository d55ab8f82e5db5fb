"""Figure: how often each person was right, the least often first, and who was left out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from colorless_green.humans.page import svg
from colorless_green.humans.page.marks import DASHES, mark, whisker
from colorless_green.humans.page.material import Material
from colorless_green.humans.page.numbers import THIN, count, limits, percent
from colorless_green.humans.page.parts import Cell, Figure, Panel, Table, heading
from colorless_green.humans.page.raters import Rater
from colorless_green.humans.page.values import INTERVAL, counted, interval, share
from colorless_green.humans.statistics import spread, wilson
from colorless_green.humans.stored import Answers, recorded

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME = "participants-figure"
TITLE = "Accuracy by participant"
WIDTH, HEIGHT = 360.0, 280.0
PANELS = {"target": "target sentences", "filler": "fillers"}
COUNTS = Rater("counts", "answers count", "circle", 0)
LEFT_OUT = Rater("left out", "left out", "cross", 2)
CROWD = 40  # people; of more, the marks are smaller


@dataclass(frozen=True, slots=True)
class _Person:
    """What somebody answered on one kind of trial."""

    name: str
    kind: str  # of PANELS
    right: int
    total: int
    counts: bool  # some of what they did
    place: int = 0  # from 1

    @property
    def accuracy(self) -> float:
        """The share of right answers."""
        return self.right / self.total

    @property
    def limits(self) -> tuple[float, float]:
        """Wilson's 95 % interval."""
        found = wilson(self.right, self.total)
        assert found is not None  # who has no answers is not drawn
        return found.low, found.high

    @property
    def rater(self) -> Rater:
        """How the person is drawn."""
        return COUNTS if self.counts else LEFT_OUT


def figure(material: Material, raters: Sequence[Rater]) -> Figure | None:
    """A panel for target sentences and one for fillers, if there are; None where single answers
    that can be right are not known."""
    answers = material.people.answers
    found = _placed(list(_people(answers)))
    if not found:
        return None
    kinds = [kind for kind in PANELS if any(each.kind == kind for each in found)]
    panels = [
        Panel(PANELS[kind], _drawing([p for p in found if p.kind == kind], kind, answers))
        for kind in kinds
        if svg.available()
    ]
    legend = [each for each in (COUNTS, LEFT_OUT) if any(p.rater == each for p in found)]
    bounds = _bounds(answers)
    return Figure(
        name=NAME,
        title=TITLE,
        caption=(
            "People stand from the least to the greatest accuracy on target sentences, in all"
            f" panels in this order. Lines are 95{THIN}% intervals (Wilson: treats answers as"
            " independent)."
            + (" Crosses are people whose answers do not count." if LEFT_OUT in legend else "")
            + (
                " The dashed line is the fewest fillers right that were asked for."
                if bounds
                else ""
            )
        ),
        panels=tuple(panels),
        legend=tuple(legend),
        data=_table(found),
    )


def _people(answers: Answers) -> Iterator[_Person]:
    """Everybody on each kind of trial that they answered; no trial twice."""
    counted_people = {each.participant for each in answers.counted}
    right: dict[tuple[str, str], list[int]] = {}
    for each in recorded(answers):
        if each.kind in PANELS and each.correct is not None:
            right.setdefault((each.participant, each.kind), []).append(each.correct)
    for (name, kind), own in right.items():
        yield _Person(name, kind, sum(own), len(own), name in counted_people)


def _placed(people: Sequence[_Person]) -> list[_Person]:
    """By accuracy on targets; those without come first, by name."""
    at = {each.name: each.accuracy for each in people if each.kind == "target"}
    names = sorted({each.name for each in people}, key=lambda name: (at.get(name, -1.0), name))
    places = {name: place for place, name in enumerate(names, start=1)}
    found = [_Person(p.name, p.kind, p.right, p.total, p.counts, places[p.name]) for p in people]
    return sorted(found, key=lambda each: (list(PANELS).index(each.kind), each.place))


def _bounds(answers: Answers) -> list[float]:
    """The shares of fillers that people must have right, as the imports' rules have them."""
    asked = (each.rules.get("max_filler_errors") for each in answers.imports)
    return sorted({1 - float(errors) for errors in asked if errors is not None})


def _drawing(people: Sequence[_Person], kind: str, answers: Answers) -> svg.Drawing:
    bounds = _bounds(answers) if kind == "filler" else []
    return svg.Drawing(
        name=f"{NAME}-{kind}",
        title=f"{TITLE}: {PANELS[kind]}",
        description=_described(people),
        width=WIDTH,
        height=HEIGHT,
        paint=partial(_paint, people=people, bounds=bounds),
    )


def _described(people: Sequence[_Person]) -> str:
    """Everybody's numbers; of a crowd how they spread."""
    if len(people) <= CROWD:
        return "; ".join(map(_said, people))
    found = spread([each.accuracy for each in people])
    assert found is not None  # there are people
    least, greatest = (f([each.accuracy for each in people]) for f in (min, max))
    quartiles = ", ".join(map(percent, (found.p25, found.p50, found.p75)))
    n_out = sum(not each.counts for each in people)
    return (
        f"{count(len(people))} people, {count(n_out)} of them left out; accuracy from"
        f" {percent(least)} to {percent(greatest)} %, quartiles {quartiles} %"
    )


def _said(each: _Person) -> str:
    return (
        f"{each.name}: {percent(each.accuracy)} % [{limits(*each.limits)}],"
        f" {count(each.right)} of {count(each.total)} right, {each.rater.label}"
    )


def _paint(axes: "Axes", people: Sequence[_Person], bounds: Sequence[float]) -> None:
    from matplotlib.ticker import MaxNLocator

    last = max(each.place for each in people)
    axes.set_xlim(0.5, last + 0.5)
    axes.set_ylim(0, 102)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axes.set_xlabel("people, by accuracy on target sentences")
    axes.set_ylabel("right, per cent of answers")
    axes.grid(axis="y", zorder=0)
    for bound in bounds:
        axes.axhline(100 * bound, color=svg.INK, linewidth=1.4, linestyle=DASHES, zorder=1)
    for each in people:
        low, high = each.limits
        whisker(axes, [each.place] * 2, [100 * low, 100 * high], each.rater, 1.2)
        smaller = 0.0 if last <= CROWD else 3.0
        mark(axes, each.place, 100 * each.accuracy, each.rater, _said(each), smaller=smaller)


def _table(people: Sequence[_Person]) -> Table:
    return Table(
        name=f"{NAME}-data",
        title=f"{TITLE}: the numbers in the figure",
        columns=(
            heading("participant", "code"),
            heading("place", "number"),
            heading("trials"),
            heading("answers"),
            heading("right", "number"),
            heading("of", "number"),
            heading("right, %", "number"),
            *INTERVAL,
        ),
        rows=tuple(
            (
                Cell(each.name, sort="code"),
                counted(each.place),
                Cell(PANELS[each.kind]),
                Cell("count" if each.counts else "left out", sort="yes" if each.counts else "no"),
                counted(each.right),
                counted(each.total),
                share(each.accuracy),
                *interval(*each.limits),
            )
            for each in people
        ),
    )
