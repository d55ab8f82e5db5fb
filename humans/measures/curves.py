"""Accuracy against attractors and distance, as Gulordava et al. 2018 plot it (Figure 2)."""

from collections.abc import Iterator, Mapping, Sequence

from colorless_green.humans.common import common_by_kind
from colorless_green.humans.judgment import Tally
from colorless_green.humans.measures.measure import Cell, Evidence, Measure
from colorless_green.humans.rated import HUMANS, Credits, credits_in
from colorless_green.humans.statistics import curve
from colorless_green.humans.tally import tallied
from colorless_green.nonce.item import Item

LAST_ATTRACTOR, LAST_GAP = 3, 10  # these and more are one point
FEW_ITEMS = 5
BY_ATTRACTORS, BY_GAP = "accuracy by attractors", "accuracy by gap"
SE = "se over items"


def measures(evidence: Evidence) -> Iterator[Measure]:
    """People, then each model, by kind, on the items that all have."""
    yield from of_all(evidence.items, evidence.tallies, evidence.outcomes)


def of_all(
    items: Mapping[str, Item], tallies: Sequence[Tally], outcomes: Mapping[str, Credits]
) -> Iterator[Measure]:
    """As `measures`; a rater that has too few items in common with the others has no curve."""
    shares = {each.item: each.right / each.total for each in tallies if each.total}
    for kind, found in common_by_kind(items.values(), tallies, outcomes).items():
        own = tuple(tallied(items[item], 0, 0) for item in items if item in found.items)
        cell = Cell(kind, "", own)
        for statistic, known, last in _known(cell, items):
            for rater in found.together:
                values = shares if rater == HUMANS else credits_in(outcomes[rater])
                yield from _points(cell, statistic, rater, known, values, last)


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
