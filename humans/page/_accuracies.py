"""Accuracies of people, models and baselines: what the answer says, figures plot and tables print.

Within a kind everybody stands on the items that all of them could answer; a rater that has too few
of them in common with the others stands apart, under its own name.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from ...data.formula.expression import TIE_BITS
from ...data.items.item import KINDS, Item, factors_of
from ...data.statistics.differences import sign_flip
from ...data.statistics.intervals import OVER_SOURCES, Limits, accuracy_interval
from ...nonce.audit.baselines import BASELINES, CUE_FINDERS
from ...scoring.outcomes.accuracy import (
    COMPOSED,
    FIRST_NOUN,
    JOINT,
    RELATION,
    accuracy_frame,
    factors_frame,
)
from ...scoring.outcomes.run import Run
from ..statistics.accuracy_estimates import Estimate, item_interval
from ..statistics.people import AnswerTable
from ..statistics.rater_accuracy import HUMANS, credits_in
from ..statistics.shared_items import common
from ._constructions import ACCEPTED
from ._parts import (
    ALL_ITEMS,
    NAMES,
    NO_NUMBER,
    Rater,
    TableCell,
    count,
    enumeration,
    panel_name,
    share,
)
from ._report_data import ReportData, labels_of, toys

CHANCE = 0.5
RELATIONS = {
    "none": "nothing between",
    "same": "same value between",
    "opposite": "opposite value between",
}  # of the nouns between head and target of a composed item
FIRST_NOUNS = {"same": ", first noun the same", "opposite": ", first noun opposite"}


@dataclass(frozen=True, slots=True)
class AccuracyPoint(Estimate):
    """One rater in one cell of a dimension."""

    panel: str  # "originals", "nonce variants", …; of a rater apart with its name
    kind: str  # of the items; empty for sets
    dimension: str  # of items; empty for the whole panel
    value: str  # of the dimension; empty for the whole panel
    rater: Rater
    n_items: int
    n_sources: int
    accuracy: float
    limits: Limits | None  # 95 %
    n_ties: int = 0
    apart: bool = False  # on its own items, which are not those of the others


@dataclass(frozen=True, slots=True)
class BaselineEstimate(Estimate):
    """A baseline of the audit on some items."""

    name: str
    n_items: int
    accuracy: float
    limits: Limits | None


class Accuracies:
    """The accuracies of one page, each worked out once."""

    def __init__(
        self, material: ReportData, raters: Sequence[Rater], earlier: "Accuracies | None" = None
    ) -> None:
        self.material = material
        self.raters = raters
        self._limits: dict[tuple[str, frozenset[str]], Limits | None] = (
            earlier._limits if earlier else {}
        )
        self._values: dict[str, dict[str, str]] = earlier._values if earlier else {}
        self._factors: dict[str, pl.DataFrame] = earlier._factors if earlier else {}
        self._points: dict[str, list[AccuracyPoint]] = {}

    @cached_property
    def credits(self) -> Mapping[str, Mapping[str, float]]:
        """Rater → item → what it earned; of people the share of right answers."""
        of_models = {
            model: credits_in(answers) for model, answers in self.material.outcomes.items()
        }
        tallies = self.material.tallies
        return {**of_models, HUMANS: {e.item: e.share for e in tallies if e.total}}

    @cached_property
    def _answers(self) -> AnswerTable:
        return AnswerTable.of(self.material.people.answers.counted)

    def by(self, dimension: str) -> list[AccuracyPoint]:
        """Every rater's accuracies by kind and one more factor of items, none for "".

        Ordered by panel (kinds as in `KINDS`), then by value (numbers as numbers, else as the
        treebank's table has them), then by rater. Where items stand in sets, each kind has a
        further panel for the sets, of models alone.
        """
        if dimension not in self._points:
            self._points[dimension] = self._ordered(
                [
                    point
                    for kind in self.material.common
                    for point in (*self._of_kind(kind, dimension), *self._joint(kind, dimension))
                ]
            )
        return self._points[dimension]

    def _of_kind(self, kind: str, dimension: str) -> Iterator[AccuracyPoint]:
        shared = self.material.common[kind]
        for rater in self.raters:
            if rater.name not in shared.answered:
                continue
            items, credits = shared.of(rater.name), self.credits[rater.name]
            cells: dict[str, list[str]] = {}
            for item_id, value in self.values(dimension).items():
                if item_id in items and (value or not dimension):
                    cells.setdefault(value, []).append(item_id)
            margins = self.material.outcomes.get(rater.name, {})
            for value, item_ids in cells.items():
                yield AccuracyPoint(
                    panel=panel_name(kind)
                    + (f" · {rater.label} alone" if rater.name in shared.apart else ""),
                    kind=kind,
                    dimension=dimension,
                    value=value,
                    rater=rater,
                    n_items=len(item_ids),
                    n_sources=len({self.material.clusters[item] for item in item_ids}),
                    accuracy=math.fsum(credits[item] for item in item_ids) / len(item_ids),
                    limits=self.limits(rater.name, item_ids),
                    n_ties=sum(
                        margin is not None and abs(margin) <= TIE_BITS
                        for item in item_ids
                        for _, margin in [margins.get(item, (None, None))]
                    ),
                    apart=rater.name in shared.apart,
                )

    def values(self, dimension: str) -> Mapping[str, str]:
        """Item → what it has for a dimension; "" where it has nothing."""

        def value(item: Item) -> str:
            if dimension == "cell":  # composed sets have a cell for each kind of modifier
                if item.kind != COMPOSED:
                    return item.cell
                between = RELATIONS.get(item.facts.get(RELATION, ""), "")
                return between + FIRST_NOUNS.get(item.facts.get(FIRST_NOUN, ""), "")
            return factors_of(item)[dimension] if dimension else ""

        if dimension not in self._values:
            items = self.material.items
            self._values[dimension] = {item_id: value(items[item_id]) for item_id in items}
        return self._values[dimension]

    def limits(self, rater: str, items: Sequence[str]) -> Limits | None:
        """Return the interval of a rater's accuracy on some items: over sources, of people over
        sources and people both, as far as it is known who answered."""
        key = rater, frozenset(items)
        if key not in self._limits:
            interval: Limits | None
            if rater == HUMANS:
                tallies = [tally for tally in self.material.tallies if tally.item in key[1]]
                interval = item_interval(tallies, self._answers)
            else:
                interval = self._interval([self.credits[rater][item] for item in items], items)
            self._limits[key] = interval
        return self._limits[key]

    def _interval(self, earned: Sequence[float], items: Sequence[str]) -> Limits | None:
        return accuracy_interval(earned, [self.material.clusters[item] for item in items])

    def _joint(self, kind: str, dimension: str) -> Iterator[AccuracyPoint]:
        """Sets of items all of which are right, on the sets that every model could answer."""
        items = [item for item in self.material.items.values() if item.kind == kind]
        if not any(item.set_id for item in items) or dimension == "cell":
            return
        models = [rater for rater in self.raters if rater.name != HUMANS]
        shared = common({rater.name: [item.item_id for item in items
                                      if item.item_id in self.credits.get(rater.name, {})]
                         for rater in models})  # fmt: skip
        together = {rater.name: rater for rater in models if rater.name in shared.together}
        if kind not in self._factors:
            self._factors[kind] = factors_frame(items)
        runs = []
        for name in together:
            answers = (self.material.outcomes[name].get(e.item_id, (None, None)) for e in items)
            credits, margins = zip(*answers, strict=True)
            outcomes = {
                "item_id": [item.item_id for item in items],
                "credit": [
                    credit if item.item_id in shared.items else None
                    for item, credit in zip(items, credits, strict=True)
                ],
                "tie": [margin is not None and abs(margin) <= TIE_BITS for margin in margins],
            }
            blank = {"prediction": pl.lit("one by one"), "note": pl.lit("")}
            frame = pl.DataFrame(outcomes, schema_overrides={"credit": pl.Float64})
            runs.append(Run(model=name, outcomes=frame.with_columns(**blank)))
        table = accuracy_frame(self._factors[kind], runs, ((dimension,) if dimension else (),))
        table = table.filter(pl.col("prediction") == JOINT, pl.col("n_items") > 0)
        for row in table.iter_rows(named=True):
            has_limits = row["low"] is not None and row["high"] is not None
            yield AccuracyPoint(
                panel=f"{panel_name(kind)} · {JOINT}",
                kind="",
                dimension=dimension,
                value=row[dimension] if dimension else "",
                rater=together[row["model"]],
                n_items=row["n_items"],
                n_sources=row["n_clusters"],
                accuracy=row["accuracy"],
                limits=Limits(row["low"], row["high"], OVER_SOURCES) if has_limits else None,
                n_ties=row["n_ties"],
            )

    def _ordered(self, points: list[AccuracyPoint]) -> list[AccuracyPoint]:
        names = [ALL_ITEMS, *(NAMES.get(kind, kind) for kind in KINDS)]
        firsts = ("", *FIRST_NOUNS.values())
        value_order = [f"{relation}{first}" for first in firsts for relation in RELATIONS.values()]
        value_order += [row["construction"] for row in self.material.constructions]

        def kind_rank(panel: str) -> int:
            kind = panel.partition(" · ")[0]
            return names.index(kind) if kind in names else len(names)

        def rank(value: str) -> tuple[int, float, str]:
            if value.isdecimal():
                return 0, float(value), value
            return (1, value_order.index(value), "") if value in value_order else (2, 0, value)

        panels = list(dict.fromkeys(point.panel for point in points))
        panels.sort(key=kind_rank)  # stable
        order = {rater.name: index for index, rater in enumerate(self.raters)}
        return sorted(
            points, key=lambda p: (panels.index(p.panel), rank(p.value), order[p.rater.name])
        )

    def guesses(self, items: Collection[str]) -> list[BaselineEstimate]:
        """The audit's baselines on these items, as far as they can judge them all."""
        item_ids = [item for item in self.material.items if item in items]
        earned = {
            name: [credits[item] for item in item_ids]
            for name, credits in self.material.baselines.items()
            if item_ids and all(item in credits for item in item_ids)
        }
        return [
            BaselineEstimate(
                name,
                len(item_ids),
                math.fsum(values) / len(values),
                self._interval(values, item_ids),
            )
            for name, values in earned.items()
        ]

    @cached_property
    def baselines(self) -> Mapping[str, list[BaselineEstimate]]:
        """Kind → the baselines on the items in common."""
        return {kind: self.guesses(shared.items) for kind, shared in self.material.common.items()}

    def best(self, kind: str) -> BaselineEstimate | None:
        """The best of those that do not find the cue by the way the items are made."""
        blind = [guess for guess in self.baselines.get(kind, ()) if guess.name not in CUE_FINDERS]
        if kind == COMPOSED:  # what looks at the words before the target finds the head in `none`
            blind = [guess for guess in blind if not BASELINES[guess.name].reach]
        return max(blind, key=lambda guess: guess.accuracy, default=None)

    def best_in(self, kind: str, dimension: str, value: str) -> BaselineEstimate | None:
        """In a cell, the baseline that is best over all items of the kind."""
        best = self.best(kind)
        if best is None or not dimension:
            return best
        shared, credits = self.material.common[kind], self.material.baselines[best.name]
        values = self.values(dimension)
        items = [item for item in shared.items if values[item] == value]
        return BaselineEstimate(
            best.name, len(items), math.fsum(map(credits.__getitem__, items)) / len(items), None
        )

    def above(self, rater: str, guess: BaselineEstimate, kind: str) -> str:
        """Return `yes`, `no`, or `unclear` where the test of the difference does not reject 0."""
        earned, guessed = self.credits[rater], self.material.baselines[guess.name]
        shared = self.material.common[kind].items
        chosen = [item for item in self.material.items if item in shared]
        differences = [earned[item] - guessed[item] for item in chosen]
        if math.fsum(differences) <= 0:
            return "no"
        test = sign_flip(differences, [self.material.clusters[item] for item in chosen])
        return "yes" if test is not None and test.low is not None and test.low > 0 else "unclear"

    def mean(self, rater: str, items: Collection[str]) -> float:
        """A rater's accuracy on items that it has answers to."""
        return math.fsum(self.credits[rater][item] for item in items) / len(items)


def methods(points: Iterable[AccuracyPoint]) -> str:
    """How the intervals of some points were made, in words; empty where none has one."""
    return "; ".join(dict.fromkeys(point.limits.method for point in points if point.limits))


def compared_on(material: ReportData, kind: str, raters: Sequence[Rater]) -> str:
    """Say how many items the raters have in common and how many each answered; empty where
    everybody answered everything."""
    shared = material.common[kind]
    labels = {rater.name: rater.label for rater in raters}
    sizes = {labels[name]: len(items) for name, items in shared.answered.items() if name in labels}
    if len(shared.answered) < 2 or all(n == shared.n_items for n in sizes.values()):
        return ""
    counts = enumeration([f"{label} {count(n)}" for label, n in sizes.items()])
    alone = enumeration([labels[rater] for rater in shared.apart if rater in labels])
    return (
        f"{count(len(shared.items))} of {count(shared.n_items)} {panel_name(kind)} were answered by"
        f" all who are compared. Answered by each: {counts}."
        + (f" Too few in common, and so on items of their own: {alone}." if alone else "")
    )


def policies(material: ReportData) -> str:
    """How the models were asked, those alike together."""
    by_policy: dict[str, dict[str, None]] = {}
    labels = labels_of(material, list(dict.fromkeys(run.model for run in material.runs)))
    for run in material.runs:
        by_policy.setdefault(run.how_asked, {})[labels[run.model]] = None
    return " ".join(f"{enumeration(list(names))}: {policy}." for policy, names in by_policy.items())


def guess_cell(guess: BaselineEstimate | None) -> TableCell:
    """A baseline's share, its name below."""
    if guess is None:
        return NO_NUMBER
    return share(guess.accuracy, guess.name)


def answer(accuracies: Accuracies) -> Mapping[str, Any]:
    """Of agreement items. A toy is never the best."""
    material = accuracies.material
    points = [point for point in accuracies.by("") if point.kind]
    models = [p for p in points if p.rater.name != HUMANS and not p.apart]
    kind = "nonce" if any(p.kind == "nonce" for p in models) else models[0].kind if models else ""
    small = toys(material)
    main = [point for point in models if point.kind == kind]
    grown = [point for point in main if point.rater.name not in small]
    best = max(grown, key=lambda point: point.accuracy, default=None)
    guess = accuracies.best(kind) if best else None
    people = [point for point in points if point.rater.name == HUMANS]
    weakest = min(grown, key=lambda point: point.accuracy, default=None)
    accepted = [row for row in material.constructions if row["verdict"] == ACCEPTED]
    return {
        "kind": kind,
        "best": best,
        "n_models": len(grown),
        "beside_chance": "worse"
        if best and best.high is not None and best.high < CHANCE
        else "alike"
        if best and best.low is not None and best.low <= CHANCE
        else "",
        "guess": guess,
        "above": accuracies.above(best.rater.name, guess, kind) if best and guess else "",
        "values": _by_value(accuracies, best) if best else [],
        "compared_on": compared_on(material, kind, accuracies.raters) if main else "",
        "originals": next(
            (p for p in models if best and p.rater == best.rater and p.kind == "original" != kind),
            None,
        ),
        "weakest": weakest if best and weakest and weakest.rater != best.rater else None,
        "people": next((p for p in people if p.kind == kind), people[0] if people else None),
        "toys": [point for point in main if point.rater.name in small],
        "why_toys": list(filter(None, dict.fromkeys(small.get(p.rater.name, "") for p in main))),
        "n_accepted": len(accepted),
        "n_originals": sum(row["n_originals"] for row in accepted),
    }


def _by_value(
    accuracies: Accuracies, best: AccuracyPoint
) -> list[tuple[AccuracyPoint, float | None]]:
    """The best model by value of the feature, each beside the best baseline there."""
    points = [
        point
        for point in accuracies.by("value")
        if point.rater == best.rater and point.kind == best.kind and not point.apart
    ]
    guesses = [accuracies.best_in(point.kind, "value", point.value) for point in points]
    pairs = [(p, g.accuracy if g else None) for p, g in zip(points, guesses, strict=True)]
    return pairs if len(pairs) > 1 else []
