"""Figure: how sure people are of an item against how sure a model is (the paper's §5)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from colorless_green.data.seeds import generator
from colorless_green.humans.judgment import Tally
from colorless_green.humans.report import svg
from colorless_green.humans.report.marginals import panel_name
from colorless_green.humans.report.material import Material
from colorless_green.humans.report.numbers import NONE, count, signed
from colorless_green.humans.report.parts import Cell, Figure, Panel, Table, heading
from colorless_green.humans.report.raters import Rater
from colorless_green.humans.statistics import PERMUTATIONS, correlation, spearman
from colorless_green.nonce.item import KINDS

NAME = "people-figure"
WIDTH, HEIGHT = 360.0, 320.0
JITTER = 0.6  # of one answer, so that items with equal counts do not hide each other
SEED = 0
SHAPES = {"original": "D", "nonce": "o", "template": "s", "suite": "^"}


@dataclass(frozen=True, slots=True)
class _Point:
    tally: Tally
    margin_bits: float

    @property
    def difference(self) -> int:
        """Right answers minus wrong ones."""
        return 2 * self.tally.right - self.tally.total


def figure(material: Material, raters: Sequence[Rater]) -> Figure | None:
    """One drawing a model with outcomes on items that people answered; None without such items."""
    axis = "right − wrong answers" + (" (simulated)" if material.simulated else " of people")
    panels: list[Panel] = []
    shown: list[Rater] = []
    for rater in raters:
        points = _points(material, rater)
        if points:
            shown.append(rater)
            notes = tuple(_correlation(points, kind) for kind in _kinds(points))
            drawing = ""
            if svg.available():
                text = " ".join(notes)
                drawing = _draw(points, rater, f"{NAME}-{len(panels)}", text, axis)
            panels.append(Panel(rater.label, drawing, notes))
    if not panels:
        return None
    answers = "simulated answers" if material.simulated else "people's answers"
    return Figure(
        name=NAME,
        title="Simulated judgments and models, item by item"
        if material.simulated
        else "People and models, item by item",
        caption=(
            f"Each mark is an item: {answers} for the right form minus those for the wrong one,"
            " against the model's log-odds (how many bits less surprising the right form is)."
            " Diamonds are originals, circles nonce variants; each is moved up or down by less than"
            " a third of an answer (always the same way), so that fewer hide each other. ρ is"
            " Spearman's rank correlation with a 95 % interval (bootstrap over originals), p from"
            f" {count(PERMUTATIONS)} permutations of the items."
        ),
        panels=tuple(panels),
        legend=(),
        data=_table(material, shown),
    )


def _points(material: Material, rater: Rater) -> list[_Point]:
    outcomes = material.outcomes.get(rater.name, {})
    found = []
    for tally in material.tallies:
        _, margin = outcomes.get(tally.item, (None, None))
        if tally.total and margin is not None and math.isfinite(margin):
            found.append(_Point(tally, margin))
    return found


def _kinds(points: Sequence[_Point]) -> list[str]:
    present = {point.tally.condition for point in points}
    return [kind for kind in KINDS if kind in present] + sorted(present - set(KINDS))


def _correlation(points: Sequence[_Point], kind: str) -> str:
    own = [point for point in points if point.tally.condition == kind]
    name = panel_name(kind)
    margins = [point.margin_bits for point in own]
    found = correlation(
        [float(point.difference) for point in own], margins, [point.tally.source for point in own]
    )
    if found is None:
        return f"{name}: n = {len(own)}, no variation, so no correlation."
    shares = spearman([point.tally.right / point.tally.total for point in own], margins)
    interval = "" if found.low is None else f" [{_rho(found.low)}, {_rho(found.high)}]"
    floor = 1 / (PERMUTATIONS + 1)
    p = f"p < {floor:.4f}" if found.p <= floor else f"p = {found.p:.3f}"
    return (
        f"{name}: ρ = {_rho(found.rho)}{interval}, {p}, n = {count(len(own))}"
        f" (with shares of right answers instead of differences: {_rho(shares)})."
    )


def _rho(value: float | None) -> str:
    return NONE if value is None else signed(value, 2).removeprefix("+")


def _draw(points: Sequence[_Point], rater: Rater, name: str, description: str, axis: str) -> str:
    with svg.canvas(WIDTH, HEIGHT) as (figure, axes):
        axes.axvline(0, color=svg.SOFT, linewidth=1.4, linestyle=(0, (4, 3)), zorder=1)
        axes.axhline(0, color=svg.SOFT, linewidth=1.4, linestyle=(0, (4, 3)), zorder=1)
        axes.grid(zorder=0)
        axes.set_xlabel("model: log-odds of the right form, bits")
        axes.set_ylabel(axis)
        for kind in reversed(_kinds(points)):  # originals, the fewer, on top
            own = [point for point in points if point.tally.condition == kind]
            axes.plot(
                [point.margin_bits for point in own],
                [point.difference + _jitter(point) for point in own],
                linestyle="none",
                marker=SHAPES.get(kind, "o"),
                markersize=7.5 if kind == "original" else 5,
                color=svg.colour(rater.colour) if kind == "original" else "none",
                markeredgecolor=svg.PAPER if kind == "original" else svg.colour(rater.colour),
                markeredgewidth=0.8,
            )
        title = f"Answers of people against log-odds of {rater.label}"
        return svg.inline(figure, name, title, description)


def _jitter(point: _Point) -> float:
    return JITTER * (generator(SEED, point.tally.item).random() - 0.5)


def _table(material: Material, raters: Sequence[Rater]) -> Table:
    rows = []
    for tally in material.tallies:
        margins = [
            material.outcomes.get(rater.name, {}).get(tally.item, (None, None))[1]
            for rater in raters
        ]
        if tally.total and any(margin is not None for margin in margins):
            rows.append(
                (
                    Cell(tally.item, sort="code"),
                    Cell(tally.condition),
                    Cell(tally.construction, sort="code"),
                    Cell(f"{tally.right} of {tally.total}", sort="number"),
                    *(Cell(NONE if m is None else signed(m, 2), sort="number") for m in margins),
                )
            )
    return Table(
        name=f"{NAME}-data",
        title="People and models: the numbers in the figure",
        columns=(
            heading("item"),
            heading("kind"),
            heading("construction"),
            heading("right answers", "number"),
            *(heading(f"{rater.label}, bits", "number") for rater in raters),
        ),
        rows=tuple(rows),
    )
