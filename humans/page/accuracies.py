"""Tables: accuracies of all raters on the items that all could answer, in all and along each
dimension, and what guesses that know no grammar make of the same items."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from colorless_green.humans.collection.scores import standard_deviation
from colorless_green.humans.page.answer import said_of
from colorless_green.humans.page.marginals import (
    Guess,
    Point,
    best_guess,
    credits_of,
    guesses,
    limits_on,
    marginal,
    panel_name,
)
from colorless_green.humans.page.material import Material
from colorless_green.humans.page.numbers import NONE, count, limits, percent, points, text, whole
from colorless_green.humans.page.parts import Cell, Table, heading
from colorless_green.humans.page.raters import Rater, labels_of, people
from colorless_green.humans.page.values import INTERVAL, counted, interval, share
from colorless_green.humans.rated import HUMANS
from colorless_green.humans.statistics import BY_BOTH, pooled_accuracy
from colorless_green.nonce.item import Item, factors_of
from colorless_green.scoring.accuracy import JOINT

BY = {
    "value": "value of the feature",
    "n_attractors": "number of attractors",
    "construction": "construction",
}
SPLITS = ("level", "construction", "value", "n_attractors")
BEST = "best baseline, %"


def tables(material: Material, raters: Sequence[Rater]) -> list[Table]:
    """One table of totals (every model, single seeds too), one of baselines, then one for each
    dimension, constructions last."""
    found = [_totals(material, raters), _baselines(material)]
    for dimension in BY:
        cells = [point for point in marginal(material, raters, dimension) if point.value != ""]
        found.append(_pivot(material, cells, raters, dimension) if cells else None)
    return [each for each in found if each is not None]


def _totals(material: Material, raters: Sequence[Rater]) -> Table | None:
    """Models in the order of their runs, each kind below the other; groups, then people."""
    every = list(_everybody(material))
    shown = marginal(material, every)
    order = [rater.name for rater in every]
    shown.sort(key=lambda point: order.index(point.rater.name))  # stable
    if not shown:
        return None
    more = any(len(_own(material, point)) > point.n_items for point in shown if point.kind)
    with_best = bool(material.baselines)
    told = [said_of(material, kind, raters) for kind in material.common]
    both = any(point.limits and point.limits.method == BY_BOTH for point in shown)
    notes = [
        *filter(None, told),
        *(["Unanswered: items of the kind that the rater has no answer to."] if any(told) else []),
        *(["Right on all it answered is of each rater over its own items: such figures do not"
           " compare."] if more else []),
        "OOV are items one of whose target forms a word-level model's vocabulary lacks; they are"
        " left out unless the run was told to keep them. Pooled: all right answers of people over"
        " all their answers, whatever the item.",
        *(["People's interval is over originals and people, drawn anew independently of each"
           " other."] if both else []),
    ]  # fmt: skip
    return Table(
        name="accuracy",
        title="Accuracy",
        columns=(
            heading("rater"),
            heading("sentences"),
            heading("items", "number"),
            heading("originals", "number"),
            heading("right, %", "number"),
            *INTERVAL,
            *([heading(BEST, "number")] if with_best else []),
            *([heading("right on all it answered, %", "number")] if more else []),
            heading("ties", "number"),
            heading("OOV", "number"),
        ),
        rows=tuple(_row(material, point, more, with_best) for point in shown),
        note=" ".join(notes),
    )


def _everybody(material: Material) -> Iterator[Rater]:
    """Every model, then groups of several, then people: a table has room for single seeds."""
    labels = labels_of(material, list(material.outcomes))
    for name in material.outcomes:
        yield Rater(name, labels[name], "", 0)
    asked = people(material)
    if asked is not None:
        yield asked


def _own(material: Material, point: Point) -> frozenset[str]:
    return material.common[point.kind].own.get(point.rater.name, frozenset())


def _row(material: Material, point: Point, more: bool, with_best: bool) -> tuple[Cell, ...]:
    name, is_human = point.rater.name, point.rater.name == HUMANS
    members = [run.model for run in material.runs if run.group == name and run.model != name]
    items = material.common[point.kind].of(name) if point.kind else frozenset()
    below = ""
    if is_human:
        own = [tally for tally in material.tallies if tally.item in items]
        below = f"pooled {percent(pooled_accuracy(own))}"
    elif members and point.kind:
        sd = standard_deviation([_mean(material, each, items) for each in members])
        below = f"sd {points(sd).removeprefix('+')}" if sd is not None else ""
    guess = best_guess(material, items)
    return (
        Cell(point.rater.label, "mean of its models" if members else ""),
        Cell(point.panel, sort="short"),
        replace(counted(point.n_items), below=_unanswered(material, point)),
        counted(point.n_sources),
        replace(share(point.accuracy), below=below),
        *interval(point.low, point.high),
        *([_guess(guess)] if with_best else []),
        *([_on_all(material, point)] if more else []),
        Cell(NONE, sort="number") if is_human else counted(point.n_ties),
        Cell(NONE, sort="number") if is_human else counted(_n_oov(material, point)),
    )


def _mean(material: Material, rater: str, items: frozenset[str]) -> float:
    credits = credits_of(material, rater)
    return math.fsum(credits[item] for item in items) / len(items)


def _unanswered(material: Material, point: Point) -> str:
    """How many there were that it could not answer."""
    if not point.kind:
        return ""
    n_items = material.common[point.kind].n_items
    n_lacking = n_items - len(_own(material, point))
    return f"{count(n_lacking)} unanswered" if n_lacking else ""


def _on_all(material: Material, point: Point) -> Cell:
    """The rater's figure on all that it answered, where that is more."""
    own = _own(material, point) if point.kind else frozenset()
    if len(own) <= point.n_items:
        return Cell(NONE, sort="number")
    found = limits_on(material, point.rater.name, sorted(own))
    within = f"{limits(found.low, found.high)}, " if found else ""
    return replace(
        share(_mean(material, point.rater.name, own)), below=f"{within}n {count(len(own))}"
    )


def _n_oov(material: Material, point: Point) -> int:
    """Of all its items of this kind, as the accuracies of the run have it."""
    return max(
        (
            whole(row, "n_oov")
            for row in material.accuracy
            if text(row, "model") == point.rater.name
            and point.panel.startswith(panel_name(text(row, "kind")))
            and text(row, "prediction").startswith(JOINT) == (not point.kind)
            and not any(text(row, name) for name in SPLITS)
        ),
        default=0,
    )


def _guess(guess: Guess | None) -> Cell:
    if guess is None:
        return Cell(NONE, sort="number")
    return replace(share(guess.accuracy), below=guess.name)


def _baselines(material: Material) -> Table | None:
    """What each guess makes of the items that raters are compared on; None without any."""
    by_kind = {
        kind: {each.name: each for each in guesses(material, shared.items)}
        for kind, shared in material.common.items()
    }
    by_kind = {kind: own for kind, own in by_kind.items() if own}
    if not by_kind:
        return None
    names = [name for name in material.baselines if any(name in own for own in by_kind.values())]
    lacking = [name for name in material.baselines if name not in names]
    return Table(
        name="baselines",
        title="What needs no grammar",
        columns=(
            heading("baseline"),
            heading("finds the cue"),
            *(heading(f"{panel_name(kind)}, %", "number") for kind in by_kind),
        ),
        rows=tuple(
            (
                Cell(name, sort="code"),
                Cell(
                    "yes" if any(own[name].finds_cue for own in by_kind.values() if name in own)
                    else "no", sort="short",
                ),
                *(_baseline(own.get(name)) for own in by_kind.values()),
            )
            for name in names
        ),
        note=(
            "The audit's guesses, on the items that models and people are compared on; below each"
            " its 95 % interval and the number of items. Those that find the cue by the way the"
            " items are made are right for a good reason, and are no measure of what needs no"
            " grammar."
            + (f" Left out, since they cannot judge all items: {', '.join(lacking)}." if lacking
               else "")
        ),
    )  # fmt: skip


def _baseline(guess: Guess | None) -> Cell:
    if guess is None:
        return Cell(NONE, sort="number")
    within = f"{limits(guess.limits.low, guess.limits.high)}, " if guess.limits else ""
    return replace(share(guess.accuracy), below=f"{within}n {count(guess.n_items)}")


def _pivot(
    material: Material, cells: Sequence[Point], raters: Sequence[Rater], dimension: str
) -> Table:
    """A row for each panel and value, a column for each rater, and one for the best baseline."""
    shown = [rater for rater in raters if any(cell.rater == rater for cell in cells)]
    values = dict.fromkeys(cell.value for cell in cells)
    panels = {cell.panel: cell.kind for cell in cells}
    at = {(cell.value, cell.panel, cell.rater.name): cell for cell in cells}
    sort = "code" if dimension == "construction" else "text"
    with_best = bool(material.baselines)
    return Table(
        name=f"by-{dimension.replace('_', '-')}",
        title=f"Accuracy by {BY[dimension]}",
        columns=(
            heading(BY[dimension]),
            heading("sentences"),
            *(heading(rater.label, "number") for rater in shown),
            *([heading(BEST, "number")] if with_best else []),
        ),
        rows=tuple(
            (
                Cell(value, sort=sort),
                Cell(panel, sort="short"),
                *(_cell(at.get((value, panel, rater.name))) for rater in shown),
                *([_best_here(material, kind, dimension, value)] if with_best else []),
            )
            for value in values
            for panel, kind in panels.items()
            if any(cell.value == value and cell.panel == panel for cell in cells)
        ),
        note="Per cent right; below it the 95 % interval and the number of items, which are the"
        " same for all of a row.",
    )


def _best_here(material: Material, kind: str, dimension: str, value: str) -> Cell:
    """In this cell, the baseline that is best over all items of the kind."""
    shared = material.common.get(kind)
    best = best_guess(material, shared.items) if shared else None
    if shared is None or best is None:
        return Cell(NONE, sort="number")
    here = [each for each in shared.items if _is(material.items[each], dimension, value)]
    found = next((each for each in guesses(material, here) if each.name == best.name), None)
    return _guess(found)


def _is(item: Item, dimension: str, value: str) -> bool:
    return factors_of(item)[dimension] == value


def _cell(point: Point | None) -> Cell:
    if point is None:
        return Cell(NONE, sort="number")
    within = f"{limits(point.low, point.high)}, " if point.low is not None else ""
    return replace(share(point.accuracy), below=f"{within}n {count(point.n_items)}")
