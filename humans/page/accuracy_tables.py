"""Tables of accuracies: in all and along each dimension, and what needs no grammar."""

from collections.abc import Callable, Iterable, Iterator

from colorless_green.humans.collection.scores import standard_deviation
from colorless_green.humans.page.accuracies import (
    Accuracies,
    Point,
    compared_on,
    guess_cell,
    policies,
)
from colorless_green.humans.page.constructions import in_words
from colorless_green.humans.page.material import labels_of, people
from colorless_green.humans.page.parts import (
    NONE,
    Cell,
    Rater,
    Table,
    code,
    count,
    counted,
    interval,
    panel_name,
    percent,
    points,
    share,
    short,
    table,
)
from colorless_green.humans.rated import HUMANS
from colorless_green.humans.statistics import BY_BOTH, pooled_accuracy
from colorless_green.nonce.audit.baselines import CUE_FINDERS
from colorless_green.nonce.item import Item

BY = {
    "value": "value of the feature",
    "cell": "cell of the set",
    "n_attractors": "number of attractors",
    "construction": "construction",
}
BEST = "best baseline, %"


def accuracy_tables(found: Accuracies) -> Iterator[Table]:
    """Totals (every model, single seeds too), then a table for each dimension, constructions last,
    then the baselines."""
    yield from _totals(found)
    for dimension in BY:
        yield from _pivot(found, dimension)
    yield from _baselines(found)


def _totals(found: Accuracies) -> Iterable[Table]:
    """Models in the order of their runs, each kind below the other; groups, then people."""
    material = found.material
    labels, asked = labels_of(material, list(material.outcomes)), people(material)
    every = [Rater(name, labels[name], "", 0) for name in material.outcomes]
    every += [asked] if asked else []
    order = [rater.name for rater in every]
    shown = sorted(
        Accuracies(material, every, found).by(""), key=lambda p: order.index(p.rater.name)
    )
    unknown = {run.model: run.unknown for run in material.runs}
    members = {
        name: [run.model for run in material.runs if run.group == name and run.model != name]
        for name in order
    }

    def own(point: Point) -> frozenset[str]:
        return material.common[point.kind].own.get(point.rater.name, frozenset())

    def below(point: Point) -> str:
        items = material.common[point.kind].of(point.rater.name) if point.kind else frozenset()
        if point.rater.name == HUMANS:
            tallies = [tally for tally in material.tallies if tally.item in items]
            return f"pooled {percent(pooled_accuracy(tallies))}"
        if members[point.rater.name] and point.kind:
            sd = standard_deviation([found.mean(e, items) for e in members[point.rater.name]])
            return f"sd {points(sd).removeprefix('+')}" if sd is not None else ""
        return ""

    def unanswered(point: Point) -> str:
        n = material.common[point.kind].n_items - len(own(point)) if point.kind else 0
        why = "not asked" if point.rater.name == HUMANS else "unanswered"
        return f"{count(n)} {why}" if n else ""

    def best(point: Point) -> Cell:
        return guess_cell(None if point.apart else found.best(point.kind))

    def on_all(point: Point) -> Cell:
        items = own(point) if point.kind else frozenset()
        if len(items) <= point.n_items:
            return Cell(NONE, sort="number")
        limits = found.limits(point.rater.name, sorted(items))
        low, high = (limits.low, limits.high) if limits else (None, None)
        return share(found.mean(point.rater.name, items), interval(low, high, len(items)))

    def of_model(n: int, point: Point) -> Cell:
        return Cell(NONE, sort="number") if point.rater.name == HUMANS else counted(n)

    def n_unknown(point: Point) -> int:
        ids = unknown.get(point.rater.name, frozenset())
        return sum(material.items[item].kind == point.kind for item in ids)

    more = any(len(own(point)) > point.n_items for point in shown if point.kind)
    told = [compared_on(material, kind, found.raters) for kind in material.common]
    both = any(point.limits and point.limits.method == BY_BOTH for point in shown)
    notes = [
        *filter(None, told),
        *(["Right on all it answered is of each rater over its own items: such figures do not"
           " compare."] if more else []),
        "OOV: items with a scored word that a model's vocabulary lacks; they are left out unless"
        " the run was told to keep them. Pooled: all right answers over all answers.",
        *(["People's interval is over originals and people, drawn anew independently of each"
           " other."] if both else []),
        policies(material),
    ]  # fmt: skip
    return table(
        "accuracy",
        "Accuracy, on the same items",
        shown,
        {
            "rater": lambda p: Cell(
                p.rater.label, "mean of its models" if members[p.rater.name] else ""
            ),
            "sentences": "panel short",
            "items": lambda p: counted(p.n_items, unanswered(p)),
            "originals": "n_sources count",
            "right, %": lambda p: share(p.accuracy, below(p)),
            "95 % low": "low share",
            "95 % high": "high share",
            BEST: best if material.baselines else None,
            "right on all it answered, %": on_all if more else None,
            "ties": lambda p: of_model(p.n_ties, p),
            "OOV": lambda p: of_model(n_unknown(p), p),
        },
        " ".join(filter(None, notes)),
    )


def _pivot(found: Accuracies, dimension: str) -> Iterable[Table]:
    """A row for each value and panel, a column for each rater, and one for the best baseline."""
    cells = [point for point in found.by(dimension) if point.value != ""]
    at = {(cell.value, cell.panel, cell.rater.name): cell for cell in cells}
    kinds = {cell.panel: "" if cell.apart else cell.kind for cell in cells}
    values = dict.fromkeys(cell.value for cell in cells)
    if dimension == "construction":  # with an example each
        examples: dict[str, Item] = {}
        for item in found.material.items.values():
            if item.agreement is not None:
                examples.setdefault(item.agreement.construction, item)
        words = {value: in_words(value, examples.get(value)) for value in values}
    rows = [
        (value, panel)
        for value in values
        for panel in kinds
        if any((value, panel, rater.name) in at for rater in found.raters)
    ]

    def of_rater(rater: Rater) -> Callable[[tuple[str, str]], Cell]:
        def cell(row: tuple[str, str]) -> Cell:
            point = at.get((*row, rater.name))
            if point is None:
                return Cell(NONE, sort="number")
            return share(point.accuracy, interval(point.low, point.high, point.n_items))

        return cell

    shown = [rater for rater in found.raters if any(cell.rater == rater for cell in cells)]
    return table(
        f"by-{dimension.replace('_', '-')}",
        f"Accuracy by {BY[dimension]}",
        rows,
        {
            BY[dimension]: lambda row: (
                code(row[0], words[row[0]]) if dimension == "construction" else Cell(row[0])
            ),
            "sentences": lambda row: short(row[1]),
            **{rater.label: of_rater(rater) for rater in shown},
            BEST: (lambda row: guess_cell(found.best_in(kinds[row[1]], dimension, row[0])))
            if found.material.baselines
            else None,
        },
        "Per cent right; below it the 95 % interval and the number of items, which are the same"
        " for all of a row.",
    )


def _baselines(found: Accuracies) -> Iterable[Table]:
    """What each guess makes of the items that raters are compared on."""
    by_kind = {
        kind: {each.name: each for each in own} for kind, own in found.baselines.items() if own
    }
    names = [name for name in found.material.baselines if any(name in o for o in by_kind.values())]
    lacking = [name for name in found.material.baselines if name not in names]

    def of_kind(kind: str) -> Callable[[str], Cell]:
        def cell(name: str) -> Cell:
            guess = by_kind[kind].get(name)
            if guess is None:
                return Cell(NONE, sort="number")
            low, high = (guess.limits.low, guess.limits.high) if guess.limits else (None, None)
            return share(guess.accuracy, interval(low, high, guess.n_items))

        return cell

    return table(
        "baselines",
        "What needs no grammar",
        names,
        {
            "baseline": code,
            "finds the cue": lambda name: short("yes" if name in CUE_FINDERS else "no"),
            **{f"{panel_name(kind)}, %": of_kind(kind) for kind in by_kind},
        },
        "The audit's guesses, on the items that models and people are compared on; below each its"
        " 95 % interval and the number of items. Those that find the cue by the way the items are"
        " made are right for a good reason, and are no measure of what needs no grammar."
        + (f" They cannot judge all items, and are left out: {', '.join(lacking)}." if lacking
           else ""),
        folded=True,
    )  # fmt: skip
