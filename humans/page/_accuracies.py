"""Accuracies of people, models and rules: the numbers of the answer, of figures and of tables.

Agreement items have accuracies by kind. Within a kind everybody is on the items that all of them
could answer; a rater that has too few of them in common with the others is apart, under its own
name.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

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
from ..statistics.shared_items import SharedItems, common, comparison_notes
from . import _parts as form
from ._parts import NO_NUMBER, Rater, Record, TableCell
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
    """A baseline of the audit, on the items that raters are compared on."""

    name: str
    n_items: int
    accuracy: float
    limits: Interval | None
    sees_head: bool  # by the way the items are made
    headline: Proportion | None = None  # as of raters in the headline, where that is another mean

    @property
    def strength(self) -> float:
        """The figure by which rules are ordered: that of the headline."""
        return self.headline.mean if self.headline else self.accuracy

    @property
    def phrase(self) -> str:
        """The words by which it guesses."""
        return BASELINES[self.name].phrase if self.name in BASELINES else self.name


class PageScores(Protocol):
    """The accuracies of one page, of kinds of items or over suites. What is compared has one name:
    a kind, or of suites the name of their score.

    Attributes:
        material: what they are made from.
        headlines: what the answer is about, the first first.
        in_answer: dimensions whose values are drawn with the answer.
        in_results: dimensions that have a table among the results.
        in_detail: dimensions that have a section of their own.
    """

    material: ReportData
    in_answer: tuple[str, ...]
    in_results: tuple[str, ...]
    in_detail: tuple[str, ...]

    @property
    def headlines(self) -> Sequence[str]: ...

    @property
    def rules(self) -> Mapping[str, Sequence[Rule]]:
        """The audit's baselines on the items in common, as far as they can judge them all, the
        strongest first; of equals one that does not see the head."""

    def points(self, dimension: str = "") -> list[dict[str, Any]]:
        """Return every rater's accuracies along a dimension, none for ""."""

    def totals(self) -> list[dict[str, Any]]:
        """Return the accuracies of all raters, members of groups too, with counts of items left
        out and the figure on all that a rater answered where that is more."""

    def headline(self, kind: str) -> list[dict[str, Any]]:
        """Return the models' points in the headline, without those apart."""

    def minus(self, rater: str, other: str, kind: str) -> Difference | None:
        """Return a rater's accuracy in the headline minus another's, with its test."""

    def above(self, rater: str, rule: Rule, kind: str) -> str:
        """Return `yes`, `no`, or `unclear` where the test of the difference does not reject 0."""

    def share_of(self, rule: Rule, point: Record) -> float | None:
        """Return the accuracy of a rule on the items of a point."""

    def shared(self, kind: str) -> SharedItems[Any]:
        """Return the items on which raters are compared."""

    def strongest(self, kind: str, *, blind: bool = False) -> Rule | None:
        """Return the strongest rule; with `blind`, of those that do not see the head by the way the
        items are made."""
        rules = (rule for rule in self.rules.get(kind, ()) if not (blind and rule.sees_head))
        return next(rules, None)

    def cell_of_rule(self, point: Record, *, blind: bool = False) -> TableCell:
        """Return the accuracy, at a point, of the rule that is strongest over all; a dash where
        there is none."""
        rule = None if point["is_apart"] else self.strongest(point["kind"], blind=blind)
        if rule is None or (blind and rule == self.strongest(point["kind"])):
            return NO_NUMBER
        share = self.share_of(rule, point)
        return NO_NUMBER if share is None else form.share(share, rule.name)

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


class KindAccuracies(PageScores):
    """The accuracies of agreement items by kind, each computed once."""

    in_answer = (RELATION, "cell", "value")
    in_results = ("cell", "value")
    in_detail = ("construction",)

    def __init__(self, material: ReportData) -> None:
        self.material = material
        self._points: dict[str, list[dict[str, Any]]] = {}
        self._by_item: dict[str, dict[str, str]] = {}

    @cached_property
    def headlines(self) -> Sequence[str]:
        """Nonce variants and composed items; without them the first kind that a model answered."""
        kinds = [p["kind"] for p in self.points() if p["rater"] != HUMANS and not p["is_apart"]]
        return [kind for kind in OVER_VALUES if kind in kinds] or kinds[:1] or [""]

    @cached_property
    def credits(self) -> Mapping[str, Mapping[str, float]]:
        """Rater → item → what it earned; of people the share of right answers."""
        models = {name: credits_in(answers) for name, answers in self.material.outcomes.items()}
        return {**models, HUMANS: {e.item: e.share for e in self.material.tallies if e.total}}

    @cached_property
    def guesses(self) -> Mapping[str, Mapping[str, float]]:
        """Baseline of the audit → item → credit."""
        guesses: dict[str, dict[str, float]] = {}
        for by_name in self.material.guesses.values():
            for name, credits in by_name.items():
                guesses.setdefault(name, {}).update(credits)
        return guesses

    def points(self, dimension: str = "") -> list[dict[str, Any]]:
        """Return accuracies by kind and a factor of items: by panel (originals first), then by
        value, then by rater."""
        if dimension not in self._points:
            self._points[dimension] = list(self._rows(dimension, self.material.raters))
        return [*self._points[dimension]]

    def _rows(self, dimension: str, raters: Sequence[Rater]) -> Iterator[dict[str, Any]]:
        values = self._values(dimension)
        for kind, shared in self.material.common.items():
            together = [rater for rater in raters if rater.name in shared.together]
            apart = [rater for rater in raters if rater.name in shared.apart]
            for panel in (together, *([rater] for rater in apart)):
                cells: dict[str, list[str]] = {}
                items = shared.of(panel[0].name) if panel else ()
                for item_id, value in values.items():
                    if item_id in items and (value or not dimension):
                        cells.setdefault(value, []).append(item_id)
                for value in sorted(cells, key=self._rank):
                    for rater in panel:
                        yield {
                            "panel": form.kind_name(kind)
                            + (f" · {rater.label} alone" if rater in apart else ""),
                            "kind": kind,
                            "dimension": dimension,
                            "value": value,
                            "is_apart": rater in apart,
                            **self._point(rater, cells[value]),
                        }

    def _rank(self, value: str) -> tuple[int, int, str]:
        """Order numbers as numbers, other values as the treebank's table has them."""
        number = value.removesuffix("+")
        if number.isdecimal():
            return 0, int(number), ""
        names = [*CELLS, *(str(row["construction"]) for row in self.material.constructions)]
        return 1, names.index(value) if value in names else len(names), value

    def _point(self, rater: Rater, items: Sequence[str]) -> dict[str, Any]:
        """Return the accuracy of a rater on some items."""
        limits = self._interval(rater.name, items)
        margins = self.material.outcomes.get(rater.name, {})
        bits = [margins[item][1] for item in items if item in margins]
        return {
            "rater": rater.name,
            "label": rater.label,
            "n_items": len(items),
            "n_sources": len({self.material.clusters[item] for item in items}),
            "accuracy": self._mean(rater.name, items),
            "low": limits.low if limits else None,
            "high": limits.high if limits else None,
            "method": getattr(limits, "method", ""),
            "chance": CHANCE,
            "n_ties": sum(m is not None and abs(m) <= TIE_BITS for m in bits),
        }

    def _values(self, dimension: str) -> dict[str, str]:
        """Return the value of each item for a dimension; "" where it has none."""
        if dimension in self._by_item:
            return self._by_item[dimension]

        def value(item: Item) -> str:
            if dimension in LAST:
                n = factors_of(item)["n_attractors"]
                if dimension == "gap":
                    n = str(item.agreement.gap) if item.agreement else ""
                return f"{LAST[dimension]}+" if n and int(n) >= LAST[dimension] else n
            if dimension not in ("cell", RELATION):
                return factors_of(item)[dimension] if dimension else ""
            if item.kind != COMPOSED:
                return item.cell if dimension == "cell" else ""
            return between(item, with_first=dimension == "cell")

        found = {item_id: value(item) for item_id, item in self.material.items.items()}
        return self._by_item.setdefault(dimension, found)

    def _interval(self, rater: str, items: Sequence[str]) -> Interval | None:
        """Return the interval of a rater's accuracy on some items: over sources, of people over
        sources and people both, as far as it is known who answered."""
        if rater == HUMANS:
            own = set(items)
            tallies = [tally for tally in self.material.tallies if tally.item in own]
            return item_interval(tallies, self.material.answers)
        return self._over_sources(self.credits[rater], items)

    def _over_sources(
        self, credits: Mapping[str, float], items: Sequence[str]
    ) -> Proportion | None:
        clusters = [self.material.clusters[item] for item in items]
        return accuracy_interval([credits[item] for item in items], clusters)

    def headline(self, kind: str) -> list[dict[str, Any]]:
        """Return the models' points of a kind; of variants and composed items as the mean over the
        values of the feature, by which what always prefers one value gains nothing."""
        values = self._headline_values(kind)
        points = [
            {**point, "over_values": values, "over_items": point["accuracy"]}
            for point in self.points()
            if point["kind"] == kind and point["rater"] != HUMANS and not point["is_apart"]
        ]
        items = self._common_items(kind)
        for point in points:
            if mean := self._over_values(self.credits[point["rater"]], sorted(items)):
                point |= {"accuracy": mean.mean, "low": mean.low, "high": mean.high}
        return points

    def _headline_values(self, kind: str) -> tuple[str, ...]:
        """Return the values over which the headline of a kind is a mean; none where it is the mean
        over items."""
        values = self._values("value")
        found = tuple(dict.fromkeys(values[item] for item in sorted(self._common_items(kind))))
        return found if kind in OVER_VALUES and "" not in found and len(found) > 1 else ()

    def _over_values(self, credits: Mapping[str, float], items: Sequence[str]) -> Proportion | None:
        """Return the mean over values on items of one kind; None where the headline is another."""
        kind = self.material.items[items[0]].kind if items else ""
        if not kind or not self._headline_values(kind):
            return None
        clusters, values = self.material.clusters, self._values("value")
        return accuracy_interval(
            [credits[item] for item in items],
            [clusters[item] for item in items],
            strata=[values[item] for item in items],
        )

    def _common_items(self, kind: str) -> list[str]:
        """Return the items of a kind that raters are compared on, in their order."""
        shared = self.material.common
        return [i for i in self.material.items if kind in shared and i in shared[kind].items]

    def totals(self) -> list[dict[str, Any]]:
        """Return accuracies by kind, of people also the pooled one, of a mean its spread. Members
        of groups have rows of their own; people are last."""
        material = self.material
        unknown: dict[str, set[str]] = {}
        for result in material.results:
            for run in result.runs:
                unknown.setdefault(run.model, set()).update(run.unknown)
        people = [rater for rater in material.raters if rater.name == HUMANS]
        models = [Rater(name, material.labels[name], "", 0) for name in material.outcomes]
        order = [rater.name for rater in (*models, *people)]
        rows = list(self._rows("", (*models, *people)))
        for row in rows:
            shared, name = material.common[row["kind"]], row["rater"]
            items, answered = shared.of(name), shared.answered[name]
            n_out, is_more = shared.n_items - len(answered), len(answered) > row["n_items"]
            bounds = self._interval(name, sorted(answered)) if is_more else None
            members = [run.model for run in material.runs if run.group == name != run.model]
            means = [self._mean(model, items) for model in members]
            row |= {
                "left_out": "",
                "detail": form.spread(standard_deviation(means)),
                "of_group": "mean of its models" if members else "",
                "all": self._mean(name, answered) if is_more else None,
                "all_low": bounds.low if bounds else None,
                "all_high": bounds.high if bounds else None,
                "all_n": len(answered) if is_more else None,
                "n_oov": sum(
                    material.items[item].kind == row["kind"] for item in unknown.get(name, ())
                ),
            }
            if n_out:
                why = "not asked" if name == HUMANS else "unanswered"
                row["left_out"] = f"{form.count(n_out)} {why}"
            if name == HUMANS:
                tallies = [tally for tally in material.tallies if tally.item in items]
                row["detail"] = f"pooled {form.percent(pooled_accuracy(tallies))}"
                row["n_ties"] = row["n_oov"] = None
        return sorted(rows, key=lambda row: order.index(row["rater"]))

    def _mean(self, rater: str, items: Collection[str]) -> float:
        return math.fsum(self.credits[rater][item] for item in items) / len(items)

    @cached_property
    def rules(self) -> Mapping[str, Sequence[Rule]]:
        """Kind → the audit's baselines, the strongest first."""
        rules: dict[str, list[Rule]] = {}
        for kind in self.material.common:
            items = self._common_items(kind)
            for name, credits in self.guesses.items():
                if items and all(item in credits for item in items):
                    earned = [credits[item] for item in items]
                    limits = self._over_sources(credits, items)
                    # What looks at words before the target has the head of a bare composed item.
                    reach = kind == COMPOSED and bool(BASELINES[name].reach)
                    sees = name in CUE_FINDERS or reach
                    mean, headline = (
                        math.fsum(earned) / len(earned),
                        self._over_values(credits, items),
                    )
                    rules.setdefault(kind, []).append(
                        Rule(name, len(items), mean, limits, sees, headline)
                    )
        return {kind: strongest_first(of_kind) for kind, of_kind in rules.items()}

    def share_of(self, rule: Rule, point: Record) -> float | None:
        """Return the accuracy of a rule on the items in common that have the point's value."""
        credits, values = self.guesses[rule.name], self._values(point["dimension"])
        shared = self.material.common[point["kind"]].items
        earned = [credits[item] for item in shared if values[item] == point["value"]]
        return math.fsum(earned) / len(earned)

    def minus(self, rater: str, other: str, kind: str) -> Difference | None:
        """Return the test by flipping signs of sources."""
        return self._minus(rater, self.credits[other], kind)

    def _minus(self, rater: str, other: Mapping[str, float], kind: str) -> Difference | None:
        items, earned = self._common_items(kind), self.credits[rater]
        clusters = [self.material.clusters[item] for item in items]
        weights = None
        if self._headline_values(kind):
            values = [self._values("value")[item] for item in items]
            sizes = Counter(values)
            weights = [1 / sizes[value] for value in values]
        return sign_flip([earned[item] - other[item] for item in items], clusters, weights)

    def above(self, rater: str, rule: Rule, kind: str) -> str:
        """Return whether a rater is above a rule by the same test."""
        test = self._minus(rater, self.guesses[rule.name], kind)
        if test is None or test.value <= 0:
            return "no"
        return "yes" if test.low is not None and test.low > 0 else "unclear"

    def shared(self, kind: str) -> SharedItems[str]:
        """Return the items of a kind; of none none."""
        return self.material.common.get(kind) or common({})


def compared_on(scores: PageScores, kind: str) -> str:
    """Say how many items the raters have in common and how many each answered; empty where
    everybody answered everything."""
    shown, shared = {rater.name for rater in scores.material.raters}, scores.shared(kind)
    answered = {rater: items for rater, items in shared.answered.items() if rater in shown}
    shared = replace(shared, answered=answered)
    note = comparison_notes(form.kind_name(kind), shared, scores.material.labels)
    return f"{note[:1].upper()}{note[1:]}." if note else ""


def strongest_first(rules: Sequence[Rule]) -> list[Rule]:
    """Sort rules by their strength; of equals one that does not see the head comes first."""
    return sorted(rules, key=lambda rule: (-rule.strength, rule.sees_head))


def between(item: Item, *, with_first: bool = True) -> str:
    """Say what is between head and target of a composed item, and what its first noun is."""
    relation = item.facts.get(RELATION, "")
    first = FIRST_NOUNS.get(item.facts.get(FIRST_NOUN, "none"), "")
    nouns = BETWEEN.get(relation, "")
    return f"{nouns}, {first}" if with_first and relation not in ("", "none") else nouns


def policies(material: ReportData) -> str:
    """Say how the models were asked, those alike together."""
    by_policy: dict[str, dict[str, None]] = {}
    for run in material.runs:
        by_policy.setdefault(run.how_asked, {})[material.labels[run.model]] = None
    return " ".join(
        f"{form.enumeration(list(names))}: {policy}." for policy, names in by_policy.items()
    )
