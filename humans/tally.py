"""Judgments counted up by item, and what a tally needs to know of its item."""

from collections.abc import Iterable, Mapping

from colorless_green.humans.judgment import Judgment, Tally
from colorless_green.nonce.item import Item, factors_of


def tallies(judgments: Iterable[Judgment], items: Mapping[str, Item]) -> tuple[Tally, ...]:
    """One tally for each item with a target trial, in order of the items' first appearance.

    Fillers, checks, practice and ratings are left out, and so are missing answers: an item whose
    every answer is missing has a total of 0. `items` maps item ids to items.
    """
    counts: dict[str, list[int]] = {}
    for judgment in judgments:
        if judgment.kind != "target" or not (judgment.correct_form or judgment.chosen):
            continue
        count = counts.setdefault(judgment.item, [0, 0])
        if judgment.correct is not None:
            count[0] += judgment.correct
            count[1] += 1
    return tuple(tallied(items[item], right, total) for item, (right, total) in counts.items())


def tallied(item: Item, right: int, total: int) -> Tally:
    """The tally of an item that `right` of `total` people answered correctly."""
    factors = factors_of(item)
    return Tally(
        item=item.item_id,
        source=item.cluster_id,
        construction=factors["construction"],
        condition=item.kind,
        right=right,
        total=total,
        n_attractors=int(factors["n_attractors"]) if factors["n_attractors"] else None,
    )


def construction(item: Item) -> str:
    """The item's construction; the circuit or phenomenon of a published suite; else empty."""
    return factors_of(item)["construction"]
