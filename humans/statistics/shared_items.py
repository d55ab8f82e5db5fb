"""The items on which raters are compared: those that all of them could answer.

Models do not know some words, people were asked about some items, a run may cover only a part. A
figure of one on its own items beside a figure of another on others compares nothing; so whoever
stands beside others stands on the items that all have an answer to.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic

from ...data.items.item import Entry, Item
from ..judgments.judgment import Tally, levels
from .accuracy_estimates import NO_ONE
from .people import AnswerTable, Judged
from .rater_accuracy import HUMANS, Credits, ItemKey, RaterAccuracy, adjusted, credits_in, rated

FEWEST = 10  # items in common, or half of the largest set where that is less; fewer are no basis


@dataclass(frozen=True, slots=True)
class SharedItems(Generic[ItemKey]):
    """The raters that can be compared, and the items on which they are.

    Attributes:
        items: that all raters in `together` answered.
        together: raters that are compared, in the order given.
        answered: rater with answers → all items that it answered.
        n_items: items that could be answered.
    """

    items: frozenset[ItemKey]
    together: tuple[str, ...]
    answered: Mapping[str, frozenset[ItemKey]]
    n_items: int

    @property
    def apart(self) -> tuple[str, ...]:
        """Raters that have too few items in common with the others to be compared with them."""
        return tuple(rater for rater in self.answered if rater not in self.together)

    def of(self, rater: str) -> frozenset[ItemKey]:
        """Return the items that a rater's figure is over: the common ones, of one apart its own."""
        return self.items if rater in self.together else self.answered.get(rater, frozenset())


def common(answered: Mapping[str, Collection[ItemKey]], n_items: int = 0) -> SharedItems[ItemKey]:
    """Find the items that all raters answered; raters without answers are ignored.

    Where these are fewer than ten (or than half of the largest set), the rater with the fewest
    answers is set apart (the first of several), until the others have enough in common.

    Args:
        answered: rater → the items that it answered.
        n_items: items that could be answered.

    Returns:
        The items in common, and which raters they are common to.

    >>> found = common({"humans": "abc", "one": "abcd", "two": "bcd"})
    >>> sorted(found.items), found.together
    (['b', 'c'], ('humans', 'one', 'two'))
    """
    by_rater = {rater: frozenset(items) for rater, items in answered.items() if items}
    together = dict(by_rater)
    enough = min(FEWEST, (max(map(len, by_rater.values()), default=0) + 1) // 2)
    while len(together) > 1 and len(_shared(together.values())) < enough:
        del together[min(together, key=lambda rater: len(together[rater]))]
    return SharedItems(_shared(together.values()), tuple(together), by_rater, n_items)


def _shared(sets: Iterable[frozenset[ItemKey]]) -> frozenset[ItemKey]:
    item_sets = list(sets)
    return frozenset.intersection(*item_sets) if item_sets else frozenset()


def common_by_kind(
    items: Iterable[Item | Entry], tallies: Iterable[Tally], outcomes: Mapping[str, Credits]
) -> dict[str, SharedItems[str]]:
    """Return, by kind, what people and models have in common of its items; people come first."""
    kinds = {item.item_id: item.kind for item in items}
    judged = {tally.item for tally in tallies if tally.total}
    credited = {model: credits_in(credits).keys() for model, credits in outcomes.items()}
    by_kind = {}
    for kind in levels(kinds.values()):
        of_kind = {item for item, item_kind in kinds.items() if item_kind == kind}
        answered = {
            HUMANS: of_kind & judged,
            **{name: of_kind & ids for name, ids in credited.items()},
        }
        by_kind[kind] = common(answered, len(of_kind))
    return by_kind


def on_common(
    shared: Mapping[str, SharedItems[str]],
    tallies: Sequence[Tally],
    outcomes: Mapping[str, Credits],
) -> tuple[tuple[Tally, ...], dict[str, Credits]]:
    """Return tallies and outcomes of the items in common; of a rater apart its own."""
    judged = frozenset[str]().union(*(basis.of(HUMANS) for basis in shared.values()))
    matched: dict[str, Credits] = {}
    for model, credits in outcomes.items():
        item_ids = frozenset[str]().union(*(basis.of(model) for basis in shared.values()))
        matched[model] = {item: answer for item, answer in credits.items() if item in item_ids}
    return tuple(tally for tally in tallies if tally.item in judged), matched


def compared(
    suite: str,
    items: Sequence[Item | Entry],
    tallies: Sequence[Tally],
    outcomes: Mapping[str, Credits],
    judgments: Judged = NO_ONE,
    groups: Mapping[str, Sequence[str]] | None = None,
) -> tuple[RaterAccuracy, ...]:
    """Compute accuracies as `rated` does, with all raters on the same items within a kind.

    Args:
        suite: the suite's name, for the rows.
        items: its items.
        tallies: people's answers by item; empty: models alone.
        outcomes: model → item id → (credit, margin in bits), None where left out.
        judgments: single answers, if known, for an interval over people and sources.
        groups: group among the models → its members among them.

    Returns:
        The rows of `rated`. A rater with too few items in common with the others (`common`) is
        rated on its own items, without a difference, and its note says so.

    >>> from pathlib import Path
    >>> from colorless_green.humans import read_items, tallied
    >>> _ = Path("items.csv").write_text(
    ...     "item,prefix,correct_form,wrong_form\\ni1,the keys,are,is\\ni2,the key,is,are\\n")
    >>> items = read_items(Path("items.csv"), "en").items
    >>> people = [tallied(items[0], right=9, total=10), tallied(items[1], right=7, total=10)]
    >>> rows = compared("keys", items, people, {"lstm": {"i1": (1.0, 3.2), "i2": (None, 0.1)}})
    >>> [(row.rater, row.n_items, row.accuracy) for row in rows]
    [('humans', 1, 0.9), ('lstm', 1, 1.0)]
    """
    rows: list[RaterAccuracy] = []
    answers = AnswerTable.of(judgments)
    order = [HUMANS, *outcomes]
    for kind, shared in common_by_kind(items, tallies, outcomes).items():
        of_kind = [item for item in items if item.kind == kind]
        people, models = on_common({kind: shared}, tallies, outcomes)
        cells: list[RaterAccuracy] = []
        for raters in (shared.together, *((rater,) for rater in shared.apart)):
            subset = {name: earned for name, earned in models.items() if name in raters}
            inside = {name: g for name, g in (groups or {}).items() if {name, *g} <= subset.keys()}
            scored = rated(
                suite, of_kind, people if HUMANS in raters else (), subset, answers, inside
            )
            if raters != shared.together:
                note = f"on its own {len(shared.of(raters[0]))} items, too few of them the others'"
                scored = tuple(replace(row, note=note) for row in scored)
            cells += scored
        rows += sorted(cells, key=lambda row: (row.construction, order.index(row.rater)))
    return adjusted(rows)


def comparison_notes(kind: str, shared: SharedItems[str], labels: Mapping[str, str]) -> str:
    """Say how many items a comparison is over, how many each rater answered, and who is apart;
    empty where everybody answered everything."""
    sizes = {rater: len(items) for rater, items in shared.answered.items()}
    if len(sizes) < 2 or min(sizes.values()) == shared.n_items:
        return ""
    parts = [f"{labels[rater]} {n:,}" for rater, n in sizes.items()]
    text = f"{kind}: compared on the {len(shared.items):,} items that all could answer"
    text += f"; of all {shared.n_items:,}, answered by {', '.join(parts)}"
    if shared.apart:
        text += f"; apart, on their own items: {', '.join(labels[rater] for rater in shared.apart)}"
    return text
