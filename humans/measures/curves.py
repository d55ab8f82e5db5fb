"""Accuracy against attractors and distance, as Gulordava et al. 2018 plot it (Figure 2)."""

from collections.abc import Iterator, Mapping

from colorless_green.humans.measures.measure import Cell, Evidence, Measure, totals
from colorless_green.humans.observation import levels
from colorless_green.humans.rated import HUMANS, Credits
from colorless_green.humans.statistics import curve
from colorless_green.humans.tally import tallied
from colorless_green.nonce.item import Item

LAST_ATTRACTOR, LAST_GAP = 3, 10  # these and more are one point
FEW_ITEMS = 5
BY_ATTRACTORS, BY_GAP = "accuracy by attractors", "accuracy by gap"
SE = "se over items"


def measures(evidence: Evidence) -> Iterator[Measure]:
    """People, then each model, by kind; a model on the items that people judged."""
    for cell in totals(evidence):
        if not cell.kind:
            continue
        people = {each.item: each.right / each.total for each in cell.tallies}
        for statistic, known, last in _known(cell, evidence.items):
            yield from _points(cell, statistic, HUMANS, known, people, last)
            yield from _of_models(evidence.outcomes, cell, statistic, known, last)


def of_models(items: Mapping[str, Item], outcomes: Mapping[str, Credits]) -> Iterator[Measure]:
    """Each model on all of its items, by kind: where nobody was asked."""
    for kind in levels(each.kind for each in items.values()):
        tallies = tuple(tallied(each, 0, 0) for each in items.values() if each.kind == kind)
        cell = Cell(kind, "", tallies)
        for statistic, known, last in _known(cell, items):
            yield from _of_models(outcomes, cell, statistic, known, last)


def _known(cell: Cell, items: Mapping[str, Item]) -> Iterator[tuple[str, Mapping[str, int], int]]:
    """(statistic, item → its number, where numbers are pooled) for each curve."""
    attractors = {
        each.item: each.n_attractors for each in cell.tallies if each.n_attractors is not None
    }
    yield BY_ATTRACTORS, attractors, LAST_ATTRACTOR
    gaps = {
        each.item: item.agreement.gap
        for each in cell.tallies
        if (item := items.get(each.item)) is not None and item.agreement is not None
    }
    yield BY_GAP, gaps, LAST_GAP


def _of_models(
    outcomes: Mapping[str, Credits],
    cell: Cell,
    statistic: str,
    known: Mapping[str, int],
    last: int,
) -> Iterator[Measure]:
    for model, credits in outcomes.items():
        own = {item: credit for item, (credit, _) in credits.items() if credit is not None}
        yield from _points(cell, statistic, model, known, own, last)


def _points(
    cell: Cell,
    statistic: str,
    rater: str,
    known: Mapping[str, int],
    values: Mapping[str, float],
    last: int,
) -> Iterator[Measure]:
    both = [item for item in known if item in values]
    for each in curve([known[item] for item in both], [values[item] for item in both], last=last):
        few = f", only {each.n_items} items" if each.n_items < FEW_ITEMS else ""
        yield Measure(
            statistic,
            each.mean,
            cell.kind,
            "",
            rater,
            each.level,
            each.n_items,
            each.se,
            note=f"{SE}{few}",
        )
