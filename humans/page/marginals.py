"""Accuracies of people, models and baselines along one dimension: what figures plot and tables
print. Within a kind everybody stands on the items that all of them could answer."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from colorless_green.data.tables import Row
from colorless_green.humans.common import Common, common
from colorless_green.humans.page.material import Material
from colorless_green.humans.page.numbers import number, text
from colorless_green.humans.page.raters import Rater
from colorless_green.humans.rated import HUMANS
from colorless_green.humans.statistics import Limits, mean_interval, people_limits
from colorless_green.nonce.audit.baselines import CUE_FINDERS
from colorless_green.nonce.intervals import BOOTSTRAP, WILSON, cluster_interval
from colorless_green.nonce.item import KINDS, factors_of
from colorless_green.nonce.prediction import TIE_BITS
from colorless_green.scoring.accuracy import JOINT, RunLabel, accuracy_frame, factors_frame
from colorless_green.scoring.outcome import Outcome, outcomes_frame

NAMES = {
    "original": "originals",
    "nonce": "nonce variants",
    "composed": "composed sets",
    "template": "templates",
    "suite": "suite",
}
ALL_ITEMS = "all items"


@dataclass(frozen=True, slots=True)
class Point:
    """One rater in one cell of a marginal."""

    panel: str  # "originals", "nonce variants", …; of a rater apart with its name
    kind: str  # of the items; empty for sets
    value: str  # of the dimension; empty for the whole panel
    rater: Rater
    n_items: int
    n_sources: int
    accuracy: float
    limits: Limits | None  # 95 %
    n_ties: int = 0

    @property
    def low(self) -> float | None:
        """The lower end of the interval."""
        return self.limits.low if self.limits else None

    @property
    def high(self) -> float | None:
        """The upper end of the interval."""
        return self.limits.high if self.limits else None


@dataclass(frozen=True, slots=True)
class Guess:
    """A baseline of the audit on some items."""

    name: str
    n_items: int
    accuracy: float
    limits: Limits | None

    @property
    def finds_cue(self) -> bool:
        """Whether it is right by the way the items are made."""
        return self.name in CUE_FINDERS


def marginal(material: Material, raters: Sequence[Rater], dimension: str = "") -> list[Point]:
    """Every rater's accuracies by kind and, if given, by one more factor of items.

    Ordered by panel (kinds as in `KINDS`), then by value (numbers as numbers, else as the table has
    them), then by rater. Within a panel and value all have the same items; a rater that has too few
    of them in common with the others has a panel of its own. Where items stand in sets, each kind
    has a further panel for the sets, of models alone.
    """
    found: list[Point] = []
    for kind, shared in material.common.items():
        for rater in raters:
            if rater.name in shared.own:
                name = panel_of(kind, shared, rater)
                found += _points(material, rater, name, kind, dimension, shared.of(rater.name))
        found += _joint(material, [each for each in raters if each.name != HUMANS], kind, dimension)
    panels = list(dict.fromkeys(point.panel for point in found))
    panels.sort(key=kind_rank)  # stable
    values = _ordered(dict.fromkeys(point.value for point in found), material)
    order = {rater.name: place for place, rater in enumerate(raters)}
    return sorted(
        found,
        key=lambda point: (
            panels.index(point.panel),
            values.index(point.value),
            order[point.rater.name],
        ),
    )


def panel_of(kind: str, shared: Common[str], rater: Rater) -> str:
    """The kind's, or that of a rater that stands apart on its own items."""
    return panel_name(kind) + (f" · {rater.label} alone" if rater.name in shared.apart else "")


def credits_of(material: Material, rater: str) -> Mapping[str, float]:
    """Item → what the rater earned; of people the share of right answers."""
    if rater == HUMANS:
        return {each.item: each.right / each.total for each in material.tallies if each.total}
    own = material.outcomes.get(rater, {})
    return {item: credit for item, (credit, _) in own.items() if credit is not None}


def _points(
    material: Material,
    rater: Rater,
    panel: str,
    kind: str,
    dimension: str,
    items: Collection[str],
) -> Iterator[Point]:
    cells: dict[str, list[str]] = {}
    for item_id, item in material.items.items():
        if item_id in items:
            value = factors_of(item)[dimension] if dimension else ""
            if value or not dimension:
                cells.setdefault(value, []).append(item_id)
    credits = credits_of(material, rater.name)
    margins = material.outcomes.get(rater.name, {})
    for value, own in cells.items():
        earned = [credits[item] for item in own]
        sources = [material.items[item].cluster_id for item in own]
        yield Point(
            panel=panel,
            kind=kind,
            value=value,
            rater=rater,
            n_items=len(own),
            n_sources=len(set(sources)),
            accuracy=math.fsum(earned) / len(earned),
            limits=limits_on(material, rater.name, own),
            n_ties=sum(
                margin is not None and abs(margin) <= TIE_BITS
                for item in own
                for _, margin in [margins.get(item, (None, None))]
            ),
        )


def limits_on(material: Material, rater: str, items: Sequence[str]) -> Limits | None:
    """The interval of a rater's accuracy on some items: over sources, of people over sources and
    people both, as far as it is known who answered; Wilson's at 0 and 1."""
    if rater == HUMANS:
        wanted = set(items)
        own = [each for each in material.tallies if each.item in wanted]
        return people_limits(own, material.people.answers.counted)
    credits = credits_of(material, rater)
    sources = [material.items[item].cluster_id for item in items]
    return mean_interval([credits[item] for item in items], sources)


def _joint(
    material: Material, models: Sequence[Rater], kind: str, dimension: str
) -> Iterator[Point]:
    """Sets of items all of which are right, on the sets that every model could answer."""
    items = [item for item in material.items.values() if item.kind == kind]
    if not any(item.set_id for item in items):
        return
    own = {rater.name: material.outcomes.get(rater.name, {}) for rater in models}
    credited = {
        name: [item.item_id for item in items if _credit(each, item.item_id) is not None]
        for name, each in own.items()
    }
    shared = common(credited)
    marginal = (dimension,) if dimension else ()
    for rater in models:
        if rater.name not in shared.together:
            continue
        answers = own[rater.name]
        outcomes = []
        for item in items:
            margin = answers.get(item.item_id, (None, None))[1]
            credit = _credit(answers, item.item_id) if item.item_id in shared.items else None
            tie = margin is not None and abs(margin) <= TIE_BITS
            outcomes.append(Outcome(item.item_id, "one by one", credit, margin, tie, False))
        label = RunLabel("", rater.name, "", "", "")
        table = accuracy_frame(
            factors_frame(items), [(label, outcomes_frame(outcomes))], (marginal,)
        )
        for row in table.filter(pl.col("prediction") == JOINT).to_dicts():
            if row["n_items"]:
                yield Point(
                    panel=f"{panel_name(kind)} · {JOINT}",
                    kind="",
                    value=row[dimension] if dimension else "",
                    rater=rater,
                    n_items=row["n_items"],
                    n_sources=row["n_clusters"],
                    accuracy=row["accuracy"],
                    limits=limits_of(row),
                    n_ties=row["n_ties"],
                )


def _credit(credits: Mapping[str, tuple[float | None, float | None]], key: str) -> float | None:
    return credits.get(key, (None, None))[0]


def guesses(material: Material, items: Collection[str]) -> list[Guess]:
    """The audit's baselines on these items, as far as they can judge them all."""
    found = []
    for name, credits in material.baselines.items():
        if items and all(item in credits for item in items):
            own = [item for item in material.items if item in items]
            earned = [credits[item] for item in own]
            limits = mean_interval(earned, [material.items[item].cluster_id for item in own])
            found.append(Guess(name, len(own), math.fsum(earned) / len(earned), limits))
    return found


def best_guess(material: Material, items: Collection[str]) -> Guess | None:
    """The best of those that do not find the cue by the way the items are made."""
    blind = [each for each in guesses(material, items) if not each.finds_cue]
    return max(blind, key=lambda each: each.accuracy, default=None)


SAID = {  # of a guess that knows no grammar, by `above`
    "yes": "which is less",
    "no": "so that this figure alone is no sign of grammar",
    "unclear": "which the model cannot be told from",
}


def above(material: Material, rater: str, guess: Guess, items: Collection[str]) -> str:
    """`yes`, `no`, or `unclear` where the interval of the difference has 0 in it."""
    own, other = credits_of(material, rater), material.baselines[guess.name]
    chosen = [item for item in material.items if item in items]
    differences = [own[item] - other[item] for item in chosen]
    if math.fsum(differences) <= 0:
        return "no"
    limits = cluster_interval(differences, [material.items[i].cluster_id for i in chosen])
    return "unclear" if limits is None or limits.low <= 0 else "yes"


def limits_of(row: Row) -> Limits | None:
    """The interval of a row of accuracy.tsv."""
    low, high = number(row, "low"), number(row, "high")
    if low is None or high is None:
        return None
    return Limits(low, high, WILSON if number(row, "accuracy") in (0.0, 1.0) else BOOTSTRAP)


def methods(points: Iterable[Point]) -> str:
    """How the intervals of some points were made, in words; empty where none has one."""
    return "; ".join(dict.fromkeys(each.limits.method for each in points if each.limits))


def kind_rank(panel: str) -> int:
    """Where the kind that a panel's name begins with stands: all items, then as in `KINDS`."""
    names = [ALL_ITEMS, *(NAMES.get(kind, kind) for kind in KINDS)]
    first = panel.partition(" · ")[0]
    return names.index(first) if first in names else len(names)


def panel_name(kind: str) -> str:
    """What sentences of a kind are called on the page; an empty kind is all of them."""
    return NAMES.get(kind, kind) or ALL_ITEMS


def _ordered(values: Iterable[str], material: Material) -> list[str]:
    """Numbers in rising order; constructions as in the table of constructions, others after."""
    known = [text(row, "construction") for row in material.constructions]

    def rank(value: str) -> tuple[int, float, str]:
        if value.isdecimal():
            return 0, float(value), value
        return (1, known.index(value), "") if value in known else (2, 0, value)

    return sorted(values, key=rank)
