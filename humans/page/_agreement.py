"""The page on agreement items: tables of accuracies, and figures: the answer at a glance, accuracy
by attractors and by distance, and by construction."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...data.items.item import Item
from ...data.statistics.crossed import OVER_BOTH
from ...nonce.audit.baselines import CUE_FINDERS
from ..collection.suite_scores import standard_deviation
from ..measures.accuracies import (
    BY_ATTRACTORS,
    BY_GAP,
    FEW_ITEMS,
    LAST_ATTRACTOR,
    LAST_GAP,
    curves_of,
)
from ..measures.measure import Measure
from ..statistics.accuracy_estimates import pooled_accuracy
from ..statistics.rater_accuracy import HUMANS
from ._accuracies import (
    CHANCE,
    Accuracies,
    AccuracyPoint,
    compared_on,
    guess_cell,
    methods,
    policies,
)
from ._constructions import in_words
from ._drawings import SOFT, Axis, MarkGroup, MarkStyle, blocks, lines, share_mark, share_text
from ._parts import (
    NO_NUMBER,
    RIGHT,
    THIN,
    Figure,
    Panel,
    Rater,
    Table,
    TableCell,
    code,
    count,
    count_cell,
    figure,
    interval,
    panel_name,
    percent,
    points,
    share,
    short,
    table,
)
from ._report_data import labels_of, people

MOST = 40  # constructions drawn; the table has them all
MOST_VALUES = 6  # of a dimension that the first figure shows
SAME_ITEMS = "All raters stand on the items that all of them could answer."
ALL = {"construction": "all constructions", "": "all items"}


def answer_figure(accuracies: Accuracies) -> Iterator[Figure]:
    """All items, then each value of the feature and each cell of the sets: people, models and the
    best baseline; nothing where nobody answered."""
    points = list(accuracies.by(""))
    for dimension in ("value", "cell"):
        values = dict.fromkeys(p.value for p in accuracies.by(dimension))
        if 1 < len(values) <= MOST_VALUES * (1 + (dimension == "cell")):
            points += accuracies.by(dimension)
    points = [point for point in points if point.kind]
    subject = "People, models" if HUMANS in {point.rater.name for point in points} else "Models"
    if points:
        yield _blocks(
            accuracies,
            points,
            "answer-figure",
            f"{subject} and the best baseline, on the same items",
            "For people it is the mean over items of the share of right answers. "
            * (subject != "Models")
            + policies(accuracies.material),
        )


def construction_figure(accuracies: Accuracies) -> Iterator[Figure]:
    """One line a rater under the name of the construction; if these are too many, the largest."""
    points = [*accuracies.by(""), *accuracies.by("construction")]
    sizes: dict[str, int] = {}
    for point in points:
        sizes[point.value] = max(sizes.get(point.value, 0), point.n_items)
    names = list(sizes)
    if len(names) > MOST:
        names.sort(key=lambda name: (name != "", -sizes[name]))
    more = len(names) - MOST
    if points:
        yield _blocks(
            accuracies,
            points,
            "constructions-figure",
            "Accuracy by construction",
            f"The {more} constructions with the fewest items are only in the table."
            if more > 0
            else "",
            names[:MOST],
        )


def _blocks(
    accuracies: Accuracies,
    points: Sequence[AccuracyPoint],
    name: str,
    title: str,
    caption: str,
    values: Sequence[str] | None = None,
) -> Figure:
    """A panel for each kind of sentences, a block for each value of a dimension."""
    order = list(dict.fromkeys(p.value for p in points)) if values is None else values
    by_cell = {(point.panel, point.value, point.rater.name): point for point in points}
    panels = list(dict.fromkeys(point.panel for point in points))
    all_label = ALL["construction" if name.startswith("construction") else ""]
    best = {}
    for point in points:
        if point.kind and not point.apart:
            guess = accuracies.best_in(point.kind, point.dimension, point.value)
            if guess is not None:
                best[point.panel, point.value] = guess

    def block(panel: str, value: str) -> MarkGroup:
        name, guess = value or all_label, best.get((panel, value))
        cells = (by_cell.get((panel, value, rater.name)) for rater in accuracies.raters)
        marks = (
            share_mark(p.rater, *(ends := (p.accuracy, p.low, p.high)),
                       share_text(name, p.rater.label, *ends, p.n_items))
            for p in cells if p
        )  # fmt: skip
        return MarkGroup(
            name, tuple(marks), CHANCE, (guess.name, guess.accuracy) if guess else None
        )

    bar = " The grey bar is the best baseline without grammar." if best else ""
    return figure(
        name,
        title,
        f"Share of items for which the right form won. Lines are 95{THIN}% intervals"
        f" ({methods(points) or 'none here'}); the dashed line is chance, 50{THIN}%.{bar}"
        f" {SAME_ITEMS}{' ' if caption else ''}{caption}",
        [
            blocks(panel, [b for value in order if (b := block(panel, value)).marks],
                   "right, per cent of items")
            for panel in panels
        ],
        [rater for rater in accuracies.raters if any(point.rater == rater for point in points)],
        points,
        {
            "construction" if all_label == ALL["construction"] else "items that are": lambda p: (
                code(p.value) if p.value else TableCell(all_label)
            ),
            "sentences": "panel short",
            "rater": lambda p: TableCell(p.rater.label),
            "items": "n_items count",
            **RIGHT,
            "best baseline, %": lambda p: guess_cell(best.get((p.panel, p.value))),
        },
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Curve:
    """What is on the axis of a curve (Gulordava et al. 2018, Figure 2)."""

    name: str  # of the figure
    statistic: str
    limit: int  # this and more are one point
    unit: str  # one of them
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


def curves(accuracies: Accuracies) -> Iterator[Figure]:
    """The curve over attractors and that over distance, each only where there are two points."""
    material, by_name = accuracies.material, {rater.name: rater for rater in accuracies.raters}
    measures = list(curves_of(material.items, material.tallies, material.outcomes))
    for which in CURVES:
        selected = [m for m in measures if m.statistic == which.statistic and m.rater in by_name]
        if len({point.level for point in selected}) > 1:
            yield _curve(which, selected, by_name)


def _curve(which: _Curve, measures: Sequence[Measure], by_name: dict[str, Rater]) -> Figure:
    has_error = any(point.se is not None for point in measures)
    return figure(
        which.name,
        which.title,
        f"{which.caption} {which.limit} and more are one point. Points from fewer than {FEW_ITEMS}"
        " items are hollow."
        + (" Lines are one standard error over items to each side, as in Gulordava et al. 2018,"
           " Figure 2." if has_error else "")
        + f" {SAME_ITEMS} The dashed line is chance, 50{THIN}%.",
        [
            _curve_panel(which, kind, [m for m in measures if m.kind == kind], by_name)
            for kind in dict.fromkeys(point.kind for point in measures)
        ],
        [rater for name, rater in by_name.items() if any(m.rater == name for m in measures)],
        measures,
        {
            which.unit: "level",
            "sentences": "kind panel",
            "rater": lambda m: TableCell(by_name[m.rater].label),
            "items": "n count",
            "right, %": "value share",
            "standard error": "se share",
            "minus one": lambda m: share(_bound(m, -1)),
            "plus one": lambda m: share(_bound(m, 1)),
        },
    )  # fmt: skip


def _bound(point: Measure, side: int) -> float | None:
    """One standard error to a side."""
    return None if point.value is None or point.se is None else point.value + side * point.se


def _curve_panel(
    which: _Curve, kind: str, measures: Sequence[Measure], by_name: dict[str, Rater]
) -> Panel:
    sizes: dict[str, set[int]] = {}
    marks = []
    for mean in measures:
        sizes.setdefault(mean.level, set()).add(mean.n or 0)  # raters can have different numbers
        error = f" ± {percent(mean.se)}" if mean.se is not None else ""
        alt = (
            f"{by_name[mean.rater].label}, {mean.level} {which.unit}: {percent(mean.value)}"
            f"{error} %, n = {count(mean.n)}"
        )
        marks.append(
            share_mark(by_name[mean.rater], mean.value or 0.0, _bound(mean, -1), _bound(mean, 1),
                       alt, _number(mean.level), hollow=(mean.n or 0) < FEW_ITEMS)
        )  # fmt: skip
    ticks = {
        float(_number(level)): f"{level}\n{'–'.join(map(count, sorted({min(own_n), max(own_n)})))}"
        for level, own_n in sorted(sizes.items(), key=lambda pair: _number(pair[0]))
    }
    across = Axis(
        f"{which.unit} (below: number of items)", ticks, (min(ticks) - 0.5, max(ticks) + 0.5)
    )
    return lines(panel_name(kind), marks, across, style=MarkStyle(spread=0.36), levels=[(50, SOFT)])


def _number(level: str) -> int:
    return int(level.removesuffix("+"))


BY = {
    "value": "value of the feature",
    "cell": "cell of the set",
    "n_attractors": "number of attractors",
    "construction": "construction",
}
BEST = "best baseline, %"


def accuracy_tables(accuracies: Accuracies) -> Iterator[Table]:
    """Totals (every model, single seeds too), then a table for each dimension, constructions last,
    then the baselines."""
    yield from _totals(accuracies)
    for dimension in BY:
        yield from _pivot(accuracies, dimension)
    yield from _baselines(accuracies)


class TotalCells:
    """The cells of the table of accuracies; a row is a rater and a kind of item."""

    def __init__(self, accuracies: Accuracies, raters: Sequence[Rater]) -> None:
        self.accuracies, self.material = accuracies, accuracies.material
        runs = self.material.runs
        self.unknown = {run.model: run.unknown for run in runs}
        self.members = {
            rater.name: [run.model for run in runs if run.group == rater.name != run.model]
            for rater in raters
        }

    def best(self, point: AccuracyPoint) -> TableCell:
        """Return the best baseline on the same items."""
        return guess_cell(None if point.apart else self.accuracies.best(point.kind))

    def answered(self, point: AccuracyPoint) -> frozenset[str]:
        """Return the items of a kind that a rater answered."""
        answered = self.material.common[point.kind].answered if point.kind else {}
        return answered.get(point.rater.name, frozenset())

    def n_items(self, point: AccuracyPoint) -> TableCell:
        """Return the number of items, and of how many there is no answer."""
        n = self.material.common[point.kind].n_items if point.kind else 0
        n -= len(self.answered(point))
        why = "not asked" if point.rater.name == HUMANS else "unanswered"
        return count_cell(point.n_items, f"{count(n)} {why}" if n else "")

    def accuracy(self, point: AccuracyPoint) -> TableCell:
        """Return the accuracy: of people also the pooled one, of a mean its spread."""
        kind, name, detail = point.kind, point.rater.name, ""
        items = self.material.common[kind].of(name) if kind else frozenset()
        if name == HUMANS:
            tallies = [tally for tally in self.material.tallies if tally.item in items]
            detail = f"pooled {percent(pooled_accuracy(tallies))}"
        elif self.members[name] and kind:
            means = [self.accuracies.mean(member, items) for member in self.members[name]]
            sd = standard_deviation(means)
            detail = f"sd {points(sd).removeprefix('+')}" if sd is not None else ""
        return share(point.accuracy, detail)

    def on_all(self, point: AccuracyPoint) -> TableCell:
        """Return the accuracy on all that a rater answered, where these are more."""
        items, name = self.answered(point), point.rater.name
        if len(items) <= point.n_items:
            return NO_NUMBER
        bounds = self.accuracies.limits(name, sorted(items))
        low, high = (bounds.low, bounds.high) if bounds else (None, None)
        return share(self.accuracies.mean(name, items), interval(low, high, len(items)))

    def oov(self, point: AccuracyPoint) -> TableCell:
        """Return the number of items with a scored word that a model does not know."""
        if point.rater.name == HUMANS:
            return NO_NUMBER
        ids, items = self.unknown.get(point.rater.name, frozenset()), self.material.items
        return count_cell(sum(items[item].kind == point.kind for item in ids))


def _totals(accuracies: Accuracies) -> Iterable[Table]:
    """Models in the order of their runs, each kind below the other; groups, then people."""
    material = accuracies.material
    labels, humans = labels_of(material, list(material.outcomes)), people(material)
    raters = [Rater(name, labels[name], "", 0) for name in material.outcomes]
    raters += [humans] if humans else []
    order = [rater.name for rater in raters]
    rows = sorted(
        Accuracies(material, raters, accuracies).by(""), key=lambda p: order.index(p.rater.name)
    )
    cells = TotalCells(accuracies, raters)
    more = any(len(cells.answered(point)) > point.n_items for point in rows)
    compared = [compared_on(material, kind, accuracies.raters) for kind in material.common]
    by_both = any(point.limits and point.limits.method == OVER_BOTH for point in rows)
    notes = [
        *filter(None, compared),
        *(["“Right on all it answered” is each rater's share over its own items; such figures"
           " cannot be compared with each other."] if more else []),
        "OOV: items with a scored word that a model's vocabulary lacks; they are left out unless"
        " the run was told to keep them. Pooled: all right answers over all answers.",
        *(["People's interval is over sources and people: it asks what others would answer, too."]
          if by_both else []),
        policies(material),
    ]  # fmt: skip
    return table(
        "accuracy",
        "Accuracy, on the same items",
        rows,
        {
            "rater": lambda p: TableCell(
                p.rater.label, "mean of its models" if cells.members[p.rater.name] else ""
            ),
            "sentences": "panel short",
            "items": cells.n_items,
            "originals": "n_sources count",
            "right, %": cells.accuracy,
            "95 % low": "low share",
            "95 % high": "high share",
            BEST: cells.best if material.baselines else None,
            "right on all it answered, %": cells.on_all if more else None,
            "ties": lambda p: NO_NUMBER if p.rater.name == HUMANS else count_cell(p.n_ties),
            "OOV": cells.oov,
        },
        " ".join(filter(None, notes)),
    )


def _pivot(accuracies: Accuracies, dimension: str) -> Iterable[Table]:
    """A row for each value and panel, a column for each rater, and one for the best baseline."""
    cells = [point for point in accuracies.by(dimension) if point.value != ""]
    by_cell = {(cell.value, cell.panel, cell.rater.name): cell for cell in cells}
    kinds = {cell.panel: "" if cell.apart else cell.kind for cell in cells}
    values = dict.fromkeys(cell.value for cell in cells)
    if dimension == "construction":  # with an example each
        examples: dict[str, Item] = {}
        for item in accuracies.material.items.values():
            if item.agreement is not None:
                examples.setdefault(item.agreement.construction, item)
        words = {value: in_words(value, examples.get(value)) for value in values}
    rows = [
        (value, panel)
        for value in values
        for panel in kinds
        if any((value, panel, rater.name) in by_cell for rater in accuracies.raters)
    ]

    def of_rater(rater: Rater) -> Callable[[tuple[str, str]], TableCell]:
        def cell(row: tuple[str, str]) -> TableCell:
            point = by_cell.get((*row, rater.name))
            if point is None:
                return NO_NUMBER
            return share(point.accuracy, interval(point.low, point.high, point.n_items))

        return cell

    present = [rater for rater in accuracies.raters if any(cell.rater == rater for cell in cells)]
    return table(
        f"by-{dimension.replace('_', '-')}",
        f"Accuracy by {BY[dimension]}",
        rows,
        {
            BY[dimension]: lambda row: (
                code(row[0], words[row[0]]) if dimension == "construction" else TableCell(row[0])
            ),
            "sentences": lambda row: short(row[1]),
            **{rater.label: of_rater(rater) for rater in present},
            BEST: (lambda row: guess_cell(accuracies.best_in(kinds[row[1]], dimension, row[0])))
            if accuracies.material.baselines
            else None,
        },
        "Per cent right; below it the 95 % interval and the number of items, which are the same"
        " for all of a row.",
    )


def _baselines(accuracies: Accuracies) -> Iterable[Table]:
    """What each guess makes of the items that raters are compared on."""
    by_kind = {
        kind: {guess.name: guess for guess in guesses}
        for kind, guesses in accuracies.baselines.items()
        if guesses
    }
    names = [
        name for name in accuracies.material.baselines if any(name in o for o in by_kind.values())
    ]
    lacking = [name for name in accuracies.material.baselines if name not in names]

    def of_kind(kind: str) -> Callable[[str], TableCell]:
        def cell(name: str) -> TableCell:
            guess = by_kind[kind].get(name)
            if guess is None:
                return NO_NUMBER
            return share(guess.accuracy, interval(guess.low, guess.high, guess.n_items))

        return cell

    return table(
        "baselines",
        "Baselines",
        names,
        {
            "baseline": code,
            "finds the cue": lambda name: short("yes" if name in CUE_FINDERS else "no"),
            **{f"{panel_name(kind)}, %": of_kind(kind) for kind in by_kind},
        },
        "The audit's guesses, on the items that models and people are compared on; below each its"
        " 95 % interval and the number of items. Those that find the cue by the way the items are"
        " made are right for a good reason, and do not measure what is possible without grammar."
        + (f" They cannot judge all items, and are left out: {', '.join(lacking)}." if lacking
           else ""),
        folded=True,
    )  # fmt: skip
