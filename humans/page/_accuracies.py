"""Accuracies of people, models and rules: the numbers of the answer, of figures and of tables.

Within a kind everybody is on the items that all of them could answer; a rater that has too few
of them in common with the others is apart, under its own name.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ...data.formula.expression import TIE_BITS
from ...data.items.item import Item, factors_of
from ...data.statistics.differences import Difference, sign_flip
from ...data.statistics.intervals import Interval, Proportion, accuracy_interval
from ...nonce.audit.baselines import BASELINES, CUE_FINDERS
from ...scoring.outcomes.accuracy import COMPOSED, FIRST_NOUN, RELATION
from ..collection.suite_scores import standard_deviation
from ..measures.accuracies import LAST_ATTRACTOR, LAST_GAP
from ..statistics.accuracy_estimates import Estimate, item_interval, pooled_accuracy
from ..statistics.rater_accuracy import HUMANS, credits_in
from ..statistics.shared_items import comparison_notes
from . import _page_table as form
from ._page_table import NO_NUMBER, TableCell
from ._parts import Rater, Record
from ._report_data import ReportData

CHANCE = 0.5
OVER_VALUES = ("nonce", COMPOSED)  # kinds whose headline is the mean over the feature's values
LAST = {"n_attractors": LAST_ATTRACTOR, "gap": LAST_GAP}  # these and more are one point
BETWEEN = {
    "none": "nothing between",
    "same": "same value between",
    "opposite": "opposite value between",
}  # of the nouns between head and target of a composed item
FIRST_NOUNS = {
    "none": "head first",
    "same": "first noun the same",
    "opposite": "first noun opposite",
}
CELLS = [*BETWEEN.values()]
CELLS += [f"{nouns}, {first}" for first in FIRST_NOUNS.values() for nouns in BETWEEN.values()]


@dataclass(frozen=True, slots=True)
class Rule(Estimate):
    """A baseline of the audit, on the items of a kind that raters are compared on."""

    name: str
    n_items: int
    accuracy: float
    limits: Interval | None
    headline: Proportion | None  # as of raters in the headline
    sees_head: bool  # by the way the items are made

    @property
    def strength(self) -> float:
        """The figure by which rules are ordered: that of the headline, if there is one."""
        return self.headline.mean if self.headline else self.accuracy

    @property
    def phrase(self) -> str:
        """The words by which it guesses."""
        return BASELINES[self.name].phrase if self.name in BASELINES else self.name


class Accuracies:
    """The accuracies of one page, each computed once."""

    def __init__(self, material: ReportData) -> None:
        self.material = material
        self.raters = material.raters
        self._limits: dict[tuple[str, frozenset[str]], Interval | None] = {}
        self._points: dict[str, list[dict[str, Any]]] = {}
        self._by_item: dict[str, dict[str, str]] = {}

    @cached_property
    def credits(self) -> Mapping[str, Mapping[str, float]]:
        """Rater → item → what it earned; of people the share of right answers."""
        models = {name: credits_in(answers) for name, answers in self.material.outcomes.items()}
        return {**models, HUMANS: {e.item: e.share for e in self.material.tallies if e.total}}

    def points(self, dimension: str = "") -> list[dict[str, Any]]:
        """Return every rater's accuracies by kind and one more factor of items, none for "".

        Ordered by panel (originals first), then by value (numbers as numbers, else as the
        treebank's table has them), then by rater.
        """
        if dimension not in self._points:
            rows = list(self._rows(dimension, self.raters))
            panels = list(dict.fromkeys(row["panel"] for row in rows))
            order = [rater.name for rater in self.raters]
            values = [*CELLS, *(str(row["construction"]) for row in self.material.constructions)]
            ranks = {value: (1, index, "") for index, value in enumerate(dict.fromkeys(values))}

            def rank(value: str) -> tuple[int, int, str]:
                number = value.removesuffix("+")
                is_number = number.isdecimal()
                return (0, int(number), "") if is_number else ranks.get(value, (2, 0, value))

            rows.sort(key=lambda row: order.index(row["rater"]))
            rows.sort(key=lambda row: (panels.index(row["panel"]), rank(row["value"])))
            self._points[dimension] = rows
        return [*self._points[dimension]]

    def _rows(self, dimension: str, raters: Sequence[Rater]) -> Iterator[dict[str, Any]]:
        material, values = self.material, self._values(dimension)
        for kind, shared in material.common.items():
            for rater in raters:
                items, credits = shared.of(rater.name), self.credits.get(rater.name, {})
                margins = material.outcomes.get(rater.name, {})
                is_apart = rater.name in shared.apart
                cells: dict[str, list[str]] = {}
                for item_id, value in values.items():
                    if item_id in items and (value or not dimension):
                        cells.setdefault(value, []).append(item_id)
                for value, item_ids in cells.items():
                    limits = self.limits(rater.name, item_ids)
                    bits = [margins[item][1] for item in item_ids if item in margins]
                    yield {
                        "panel": form.kind_name(kind)
                        + (f" · {rater.label} alone" if is_apart else ""),
                        "kind": kind,
                        "dimension": dimension,
                        "value": value,
                        "rater": rater.name,
                        "label": rater.label,
                        "n_items": len(item_ids),
                        "n_sources": len({material.clusters[item] for item in item_ids}),
                        "accuracy": math.fsum(credits[item] for item in item_ids) / len(item_ids),
                        "low": limits.low if limits else None,
                        "high": limits.high if limits else None,
                        "method": getattr(limits, "method", ""),
                        "n_ties": sum(m is not None and abs(m) <= TIE_BITS for m in bits),
                        "is_apart": is_apart,
                    }

    def _values(self, dimension: str) -> dict[str, str]:
        """Return the value of each item for a dimension; "" where it has none."""
        if dimension in self._by_item:
            return self._by_item[dimension]

        def at_most(n: int, dimension: str) -> str:
            last = LAST[dimension]
            return f"{last}+" if n >= last else str(n)

        def value(item: Item) -> str:
            if dimension == "gap":
                return at_most(item.agreement.gap, dimension) if item.agreement else ""
            if dimension == "n_attractors":
                n = factors_of(item)[dimension]
                return at_most(int(n), dimension) if n else ""
            if dimension not in ("cell", RELATION):
                return factors_of(item)[dimension] if dimension else ""
            if item.kind != COMPOSED:
                return item.cell if dimension == "cell" else ""
            return between(item, with_first=dimension == "cell")

        found = {item_id: value(item) for item_id, item in self.material.items.items()}
        return self._by_item.setdefault(dimension, found)

    def limits(self, rater: str, items: Sequence[str]) -> Interval | None:
        """Return the interval of a rater's accuracy on some items: over sources, of people over
        sources and people both, as far as it is known who answered."""
        key = rater, frozenset(items)
        if key not in self._limits:
            interval: Interval | None
            if rater == HUMANS:
                tallies = [tally for tally in self.material.tallies if tally.item in key[1]]
                interval = item_interval(tallies, self.material.people.table)
            else:
                interval = self._interval([self.credits[rater][item] for item in items], items)
            self._limits[key] = interval
        return self._limits[key]

    def _interval(self, earned: Sequence[float], items: Sequence[str]) -> Interval | None:
        return accuracy_interval(earned, [self.material.clusters[item] for item in items])

    def headline(self, kind: str) -> list[dict[str, Any]]:
        """Return the models' points of a kind; of variants and composed items as the mean over the
        values of the feature, by which what always prefers one value gains nothing."""
        points = [p for p in self.points() if p["kind"] == kind and p["rater"] != HUMANS]
        values = self.values_of(kind)
        points = [{**p, "over_values": values, "over_items": p["accuracy"]} for p in points]
        for point in points:
            items = sorted(self.material.common[kind].of(point["rater"]))
            if mean := self._over_values(self.credits[point["rater"]], items, kind):
                point |= {"accuracy": mean.mean, "low": mean.low, "high": mean.high}
        return [point for point in points if not point["is_apart"]]

    def values_of(self, kind: str) -> tuple[str, ...]:
        """Return the values over which the headline of a kind is a mean; none where it is the mean
        over items."""
        values = self._values("value")
        found = tuple(dict.fromkeys(values[item] for item in sorted(self._common_items(kind))))
        return found if kind in OVER_VALUES and "" not in found and len(found) > 1 else ()

    def _over_values(
        self, credits: Mapping[str, float], items: Sequence[str], kind: str
    ) -> Proportion | None:
        if not self.values_of(kind):
            return None
        clusters, values = self.material.clusters, self._values("value")
        return accuracy_interval(
            [credits[item] for item in items],
            [clusters[item] for item in items],
            strata=[values[item] for item in items],
        )

    def _common_items(self, kind: str) -> list[str]:
        """Return the items of a kind that raters are compared on, in their order."""
        shared = self.material.common[kind].items
        return [item for item in self.material.items if item in shared]

    def totals(self) -> list[dict[str, Any]]:
        """Return accuracies by kind with more: of people the pooled one, of a mean its spread, the
        accuracy on all that a rater answered where that is more, and counts of items left out.
        Members of groups have rows of their own; people are last."""
        material = self.material
        runs = {run.model: run for run in material.runs}
        people = [rater for rater in self.raters if rater.name == HUMANS]
        models = [Rater(name, material.labels[name], "", 0) for name in material.outcomes]
        order = [rater.name for rater in (*models, *people)]
        rows = list(self._rows("", (*models, *people)))
        for row in rows:
            shared, name = material.common[row["kind"]], row["rater"]
            items, answered = shared.of(name), shared.answered[name]
            n_out, is_more = shared.n_items - len(answered), len(answered) > row["n_items"]
            bounds = self.limits(name, sorted(answered)) if is_more else None
            members = [run.model for run in material.runs if run.group == name != run.model]
            sd = standard_deviation([self.mean(model, items) for model in members])
            row |= {
                "left_out": "",
                "detail": "" if sd is None else f"sd {form.points(sd).removeprefix('+')}",
                "of_group": "mean of its models" if members else "",
                "all": self.mean(name, answered) if is_more else None,
                "all_low": bounds.low if bounds else None,
                "all_high": bounds.high if bounds else None,
                "all_n": len(answered) if is_more else None,
                "ties": row["n_ties"],
                "oov": sum(
                    material.items[item].kind == row["kind"]
                    for item in (runs[name].unknown if name in runs else ())
                ),
            }
            if n_out:
                why = "not asked" if name == HUMANS else "unanswered"
                row["left_out"] = f"{form.count(n_out)} {why}"
            if name == HUMANS:
                tallies = [tally for tally in material.tallies if tally.item in items]
                row["detail"] = f"pooled {form.percent(pooled_accuracy(tallies))}"
                row["ties"] = row["oov"] = None
        return sorted(rows, key=lambda row: order.index(row["rater"]))

    def mean(self, rater: str, items: Collection[str]) -> float:
        """Return a rater's accuracy on items that it has answers to."""
        return math.fsum(self.credits[rater][item] for item in items) / len(items)

    @cached_property
    def rules(self) -> Mapping[str, list[Rule]]:
        """Kind → the audit's baselines on the items in common, as far as they can judge them all,
        the strongest first; of equals one that does not see the head."""
        return {kind: self._rules(kind) for kind in self.material.common}

    def _rules(self, kind: str) -> list[Rule]:
        items = self._common_items(kind)
        rules = []
        for name, credits in self.material.baselines.items():
            if items and all(item in credits for item in items):
                earned = [credits[item] for item in items]
                # What looks at the words before the target has the head of a bare composed item.
                sees = name in CUE_FINDERS or (kind == COMPOSED and bool(BASELINES[name].reach))
                mean = math.fsum(earned) / len(earned)
                limits, headline = (
                    self._interval(earned, items),
                    self._over_values(credits, items, kind),
                )
                rules.append(Rule(name, len(items), mean, limits, headline, sees))
        return sorted(rules, key=lambda rule: (-rule.strength, rule.sees_head))

    def strongest(self, kind: str, *, blind: bool = False) -> Rule | None:
        """Return the strongest rule; with `blind`, of those that do not see the head by the way the
        items are made."""
        rules = (rule for rule in self.rules.get(kind, ()) if not (blind and rule.sees_head))
        return next(rules, None)

    def cell_of_rule(self, point: Record, *, blind: bool = False) -> TableCell:
        """Return the accuracy, in the cell of a point, of the rule that is strongest over all items
        of the kind; a dash where there is none."""
        rule = None if point["is_apart"] else self.strongest(point["kind"], blind=blind)
        if rule is None or (blind and rule == self.strongest(point["kind"])):
            return NO_NUMBER
        credits, values = self.material.baselines[rule.name], self._values(point["dimension"])
        shared = self.material.common[point["kind"]].items
        earned = [credits[item] for item in shared if values[item] == point["value"]]
        return form.share(math.fsum(earned) / len(earned), rule.name)

    def with_rules(self, points: Iterable[Record]) -> list[Record]:
        """Return points with a cell of the strongest rule, and of the strongest that does not see
        the head."""
        return [
            {
                **point,
                "rule": self.cell_of_rule(point),
                "blind": self.cell_of_rule(point, blind=True),
            }
            for point in points
        ]

    def minus(self, rater: str, other: Mapping[str, float], kind: str) -> Difference | None:
        """Return a rater's accuracy in the headline minus another's, with its test."""
        items, earned = self._common_items(kind), self.credits[rater]
        clusters = [self.material.clusters[item] for item in items]
        weights = None
        if self.values_of(kind):
            values = [self._values("value")[item] for item in items]
            sizes = Counter(values)
            weights = [1 / sizes[value] for value in values]
        return sign_flip([earned[item] - other[item] for item in items], clusters, weights)

    def above(self, rater: str, rule: Rule, kind: str) -> str:
        """Return `yes`, `no`, or `unclear` where the test of the difference does not reject 0."""
        test = self.minus(rater, self.material.baselines[rule.name], kind)
        if test is None or test.value <= 0:
            return "no"
        return "yes" if test.low is not None and test.low > 0 else "unclear"


def between(item: Item, *, with_first: bool = True) -> str:
    """Say what is between head and target of a composed item, and what its first noun is."""
    relation = item.facts.get(RELATION, "")
    first = FIRST_NOUNS.get(item.facts.get(FIRST_NOUN, "none"), "")
    nouns = BETWEEN.get(relation, "")
    return f"{nouns}, {first}" if with_first and relation not in ("", "none") else nouns


def compared_on(material: ReportData, kind: str) -> str:
    """Say how many items the raters have in common and how many each answered; empty where
    everybody answered everything."""
    shown = {rater.name for rater in material.raters}
    shared = material.common[kind]
    answered = {rater: items for rater, items in shared.answered.items() if rater in shown}
    shared = replace(shared, answered=answered)
    note = comparison_notes(form.kind_name(kind), shared, material.labels)
    return f"{note[:1].upper()}{note[1:]}." if note else ""


def policies(material: ReportData) -> str:
    """Say how the models were asked, those alike together."""
    by_policy: dict[str, dict[str, None]] = {}
    for run in material.runs:
        by_policy.setdefault(run.how_asked, {})[material.labels[run.model]] = None
    return " ".join(
        f"{form.enumeration(list(names))}: {policy}." for policy, names in by_policy.items()
    )
