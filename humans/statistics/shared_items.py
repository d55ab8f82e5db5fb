"""The items on which raters (people and models) are compared: those that all of them answered.

Models don't know some words, people are asked about some items only, and a run may cover a part of
a suite. Accuracies on different items can't be compared, so all raters in a comparison are rated on
the items that every one of them answered.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic

from ...data.items.item import Entry, Item
from ..judgments.judgment import Tally, levels
from .accuracy_estimates import NO_ANSWERS
from .people import AnswerTable, Judged
from .rater_accuracy import (
    HUMANS,
    Credits,
    ItemKey,
    RaterAccuracy,
    add_holm_p,
    credits_in,
    rater_accuracies,
)

MIN_SHARED_ITEMS = (
    10  # items in common that a comparison needs, or half of the largest set if that is less
)


@dataclass(frozen=True, slots=True)
class SharedItems(Generic[ItemKey]):
    """The raters that can be compared, and the items on which they are compared.

    Attributes:
        items: the items that all raters in `together` answered.
        together: the raters that are compared, in the order given.
        answered: rater → all items that it answered; raters without answers are left out.
        n_items: number of items that could be answered.
    """

    items: frozenset[ItemKey]
    together: tuple[str, ...]
    answered: Mapping[str, frozenset[ItemKey]]
    n_items: int

    @property
    def apart(self) -> tuple[str, ...]:
        """Raters that have too few items in common with the others to be compared with them."""
        return tuple(rater for rater in self.answered if rater not in self.together)

    def items_of(self, rater: str) -> frozenset[ItemKey]:
        """Return the items that a rater is rated on: the shared ones if it is in `together`, else
        all that it answered."""
        return self.items if rater in self.together else self.answered.get(rater, frozenset())


def common_items(
    answered: Mapping[str, Collection[ItemKey]], n_items: int = 0
) -> SharedItems[ItemKey]:
    """Find the items that all raters answered; raters without answers are ignored.

    If these are fewer than ten, or than half of the largest set if that is less, the rater with the
    fewest answers (the first one, if several have so few) is set apart, until the others have
    enough items in common.

    Args:
        answered: rater → the items that it answered.
        n_items: number of items that could be answered.

    Returns:
        The items in common, and the raters that have them in common.

    >>> found = common_items({"humans": "abc", "one": "abcd", "two": "bcd"})
    >>> sorted(found.items), found.together
    (['b', 'c'], ('humans', 'one', 'two'))
    """
    by_rater = {rater: frozenset(items) for rater, items in answered.items() if items}
    together = dict(by_rater)
    largest = max(map(len, by_rater.values()), default=0)
    needed = min(MIN_SHARED_ITEMS, (largest + 1) // 2)  # half is rounded up
    while len(together) > 1 and len(_intersection(together.values())) < needed:
        del together[min(together, key=lambda rater: len(together[rater]))]
    return SharedItems(_intersection(together.values()), tuple(together), by_rater, n_items)


def _intersection(sets: Iterable[frozenset[ItemKey]]) -> frozenset[ItemKey]:
    """Return the items that are in all sets; the empty set if there are no sets."""
    item_sets = list(sets)
    return frozenset.intersection(*item_sets) if item_sets else frozenset()


def common_by_kind(
    items: Iterable[Item | Entry], tallies: Iterable[Tally], outcomes: Mapping[str, Credits]
) -> dict[str, SharedItems[str]]:
    """Find the ids of the items that people and models share, separately for each kind of item.

    Return kind (original, nonce, …) → shared items; people are the first rater.
    """
    kind_of = {item.item_id: item.kind for item in items}
    judged = {tally.item for tally in tallies if tally.total}
    credited = {model: credits_in(credits).keys() for model, credits in outcomes.items()}
    by_kind = {}
    for kind in levels(kind_of.values()):
        item_ids = {item for item, item_kind in kind_of.items() if item_kind == kind}
        answered = {
            HUMANS: item_ids & judged,
            **{model: item_ids & scored for model, scored in credited.items()},
        }
        by_kind[kind] = common_items(answered, len(item_ids))
    return by_kind


def answers_on_common_items(
    shared: Mapping[str, SharedItems[str]],
    tallies: Sequence[Tally],
    outcomes: Mapping[str, Credits],
) -> tuple[tuple[Tally, ...], dict[str, Credits]]:
    """Keep only what is about the items that a rater is rated on: people's tallies and each model's
    outcomes.

    `shared` is kind of item → shared items. A rater that is not compared keeps all its items.
    """

    def rated_items(rater: str) -> frozenset[str]:
        """Return the items of all kinds that a rater is rated on."""
        return frozenset[str]().union(*(of_kind.items_of(rater) for of_kind in shared.values()))

    matched: dict[str, Credits] = {}
    for model, credits in outcomes.items():
        item_ids = rated_items(model)
        matched[model] = {item: answer for item, answer in credits.items() if item in item_ids}
    judged = rated_items(HUMANS)
    return tuple(tally for tally in tallies if tally.item in judged), matched


def compared_accuracies(
    suite: str,
    items: Sequence[Item | Entry],
    tallies: Sequence[Tally],
    outcomes: Mapping[str, Credits],
    judgments: Judged = NO_ANSWERS,
    groups: Mapping[str, Sequence[str]] | None = None,
) -> tuple[RaterAccuracy, ...]:
    """Compute accuracies as `rater_accuracies` does, with all raters on the same items of a kind.

    Args:
        suite: the suite's name, for the rows.
        items: the suite's items.
        tallies: number of people's right answers and of all answers for each item; empty to rate
            only models.
        outcomes: model → item id → (credit from 0 to 1, margin in bits), both None for an item that
            was left out.
        judgments: people's single answers, if known, for an interval over people and sources.
        groups: name of a group → the models in it, which differ only in their seed. Both the group
            and these models are keys of `outcomes`.

    Returns:
        The rows of `rater_accuracies`. A rater with too few items in common with the others (see
        `common_items`) is rated on its own items, without a difference from people, and its note
        says so.

    >>> from pathlib import Path
    >>> from colorless_green.humans import read_items, tally_of
    >>> _ = Path("items.csv").write_text(
    ...     "item,prefix,correct_form,wrong_form\\ni1,the keys,are,is\\ni2,the key,is,are\\n")
    >>> items = read_items(Path("items.csv"), "en").items
    >>> people = [tally_of(items[0], right=9, total=10), tally_of(items[1], right=7, total=10)]
    >>> lstm = {"i1": (1.0, 3.2), "i2": (None, 0.1)}
    >>> rows = compared_accuracies("keys", items, people, {"lstm": lstm})
    >>> [(row.rater, row.n_items, row.accuracy) for row in rows]
    [('humans', 1, 0.9), ('lstm', 1, 1.0)]
    """
    rows: list[RaterAccuracy] = []
    answers = AnswerTable.of(judgments)
    order = [HUMANS, *outcomes]
    for kind, shared in common_by_kind(items, tallies, outcomes).items():
        of_kind = [item for item in items if item.kind == kind]
        people, models = answers_on_common_items({kind: shared}, tallies, outcomes)
        kind_rows: list[RaterAccuracy] = []
        for raters in (shared.together, *((rater,) for rater in shared.apart)):
            chosen = {model: credits for model, credits in models.items() if model in raters}
            whole_groups = {
                group: members
                for group, members in (groups or {}).items()
                if {group, *members} <= chosen.keys()
            }
            tallied = people if HUMANS in raters else ()
            rated_rows = rater_accuracies(suite, of_kind, tallied, chosen, answers, whole_groups)
            if raters != shared.together:
                (rater,) = raters
                note = (
                    f"on its own {len(shared.items_of(rater))} items, too few of them the others'"
                )
                rated_rows = tuple(replace(row, note=note) for row in rated_rows)
            kind_rows += rated_rows
        rows += sorted(kind_rows, key=lambda row: (row.construction, order.index(row.rater)))
    return add_holm_p(rows)


def comparison_notes(kind: str, shared: SharedItems[str], labels: Mapping[str, str]) -> str:
    """Say on how many items of a kind raters are compared, how many items each rater answered, and
    which raters are not compared; "" if all raters answered all items."""
    sizes = {rater: len(items) for rater, items in shared.answered.items()}
    if len(sizes) < 2 or min(sizes.values()) == shared.n_items:
        return ""
    parts = [f"{labels[rater]} {n:,}" for rater, n in sizes.items()]
    text = f"{kind}: compared on the {len(shared.items):,} items that all could answer"
    text += f"; of all {shared.n_items:,}, answered by {', '.join(parts)}"
    if shared.apart:
        text += f"; apart, on their own items: {', '.join(labels[rater] for rater in shared.apart)}"
    return text
