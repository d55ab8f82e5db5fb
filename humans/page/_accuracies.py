"""Accuracies of people, models and rules: the numbers in the answer, the figures and the tables.

This module has the accuracies of agreement items by kind (original, nonce variant, composed); those
over suites are in `_suites`. All raters of a kind are compared on the items that all of them
answered. A rater that has too few such items is *apart*: it has a panel of its own.
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
from ..statistics.shared_items import SharedItems, common_items, comparison_notes
from . import _parts as fmt
from ._parts import NO_NUMBER, Rater, Record, TableCell
from ._report_data import ReportData

CHANCE = 0.5
OVER_VALUES = ("nonce", COMPOSED)  # kinds whose headline is the mean over the feature's values
# dimension → number from which on all items are one point of a curve
LAST_CURVE_POINT = {"n_attractors": LAST_ATTRACTOR, "gap": LAST_GAP}
BETWEEN = {  # value of the nouns between head and target of a composed item, beside the head's
    "none": "nothing between",
    "same": "same value between",
    "opposite": "opposite value between",
}
FIRST_NOUNS = {  # value of the first noun of the item
    "none": "head first",
    "same": "first noun the same",
    "opposite": "first noun opposite",
}
CELL_NAMES = [*BETWEEN.values()]  # of composed sets: nouns between, and first noun
CELL_NAMES += [f"{nouns}, {first}" for first in FIRST_NOUNS.values() for nouns in BETWEEN.values()]


@dataclass(frozen=True, slots=True)
class Rule(Estimate):
    """A rule that knows no syntax (a baseline of `audit`), with its accuracy on the items that
    raters are compared on. The head is the noun that the target must agree with."""

    name: str
    n_items: int
    accuracy: float
    limits: Interval | None
    sees_head: bool  # true if the way the items are made shows it the word to agree with
    headline: Proportion | None = None  # mean over feature values, if raters' headline is one

    @property
    def strength(self) -> float:
        """The accuracy (0 to 1) by which rules are ordered: the headline's, if there is one."""
        return self.headline.mean if self.headline else self.accuracy

    @property
    def phrase(self) -> str:
        """The rule in words."""
        return BASELINES[self.name].phrase if self.name in BASELINES else self.name


class PageScores(Protocol):
    """The accuracies of one page: by kind of items, or over suites.

    The parameter `kind` is a kind of items or, over suites, the name of a score. A dimension is a
    property by which items are split, such as the construction.

    Attributes:
        material: the data of the page.
        headlines: the kinds that the answer is about, the main one first.
        in_answer: dimensions in the first figure, beside all items.
        in_results: dimensions with a table in the section of results.
        in_detail: dimensions in a section of their own.
    """

    material: ReportData
    in_answer: tuple[str, ...]
    in_results: tuple[str, ...]
    in_detail: tuple[str, ...]

    @property
    def headlines(self) -> Sequence[str]: ...

    @property
    def rules(self) -> Mapping[str, Sequence[Rule]]:
        """Kind → the rules that can judge all its items, the strongest first. Of equally strong
        rules, those that do not see the head come first."""

    def points(self, dimension: str = "") -> list[dict[str, Any]]:
        """Return points, which are records of one rater's accuracy on some items: on each kind of
        items or, with a dimension, on the items of each kind and value."""

    def totals(self) -> list[dict[str, Any]]:
        """Return a record for each rater and each member of a group: its accuracy on the compared
        items, the number of items it left out and, if it answered more items, its accuracy on all
        of these."""

    def headline(self, kind: str) -> list[dict[str, Any]]:
        """Return a record of each compared model's accuracy on a kind, as the answer at the top of
        the page states it; models that are apart are left out. `over_values` are the values of the
        feature that `accuracy` is a mean over, if there are any; `over_items` is the mean over
        items."""
        return [
            {**point, "over_values": (), "over_items": point["accuracy"]}
            for point in self.points()
            if point["kind"] == kind and point["rater"] != HUMANS and not point["is_apart"]
        ]

    def difference(self, rater: str, other: str, kind: str) -> Difference | None:
        """Return a rater's headline accuracy minus another's, with its test; None if untested."""

    def above(self, rater: str, rule: Rule, kind: str) -> str:
        """Tell if a rater is more accurate than a rule: `yes`, `no`, or `unclear` if it is more
        accurate, but the test says that the difference may be chance."""

    def rule_accuracy(self, rule: Rule, point: Record) -> float | None:
        """Return a rule's accuracy on the items of a point; None if it is not known."""

    def shared(self, kind: str) -> SharedItems[Any]:
        """Return the items of a kind on which raters are compared, and who these raters are."""

    def strongest(self, kind: str, *, blind: bool = False) -> Rule | None:
        """Return the strongest rule, with `blind` the strongest that does not see the head. Return
        None if there is none."""
        rules = (rule for rule in self.rules.get(kind, ()) if not (blind and rule.sees_head))
        return next(rules, None)

    def rule_cell(self, point: Record, *, blind: bool = False) -> TableCell:
        """Return a table cell with a rule's accuracy on the items of a point. The rule is the one
        that is strongest on all items of the kind; with `blind`, the strongest that does not see
        the head. The cell is a dash if there is no such rule, or if both are the same rule."""
        rule = None if point["is_apart"] else self.strongest(point["kind"], blind=blind)
        if rule is None or (blind and rule == self.strongest(point["kind"])):
            return NO_NUMBER
        share = self.rule_accuracy(rule, point)
        return NO_NUMBER if share is None else fmt.share(share, rule.name)

    def with_rules(self, points: Iterable[Record]) -> list[Record]:
        """Return copies of points with two more fields, both table cells: `rule` has the strongest
        rule's accuracy, `blind` that of the strongest rule which does not see the head."""
        return [
            {
                **point,
                "rule": self.rule_cell(point),
                "blind": self.rule_cell(point, blind=True),
            }
            for point in points
        ]


class KindAccuracies(PageScores):
    """The accuracies of agreement items by kind, for a page that is not over suites. Points are
    kept, so that each is computed once."""

    in_answer = (RELATION, "cell", "value")
    in_results = ("cell", "value")
    in_detail = ("construction",)

    def __init__(self, material: ReportData) -> None:
        self.material = material
        self._points: dict[str, list[dict[str, Any]]] = {}
        self._item_values: dict[str, dict[str, str]] = {}  # dimension → item id → value

    @cached_property
    def headlines(self) -> Sequence[str]:
        """The kinds that the answer is about: nonce variants and composed items. If models answered
        neither, it is the first kind that they answered, or "" if they answered nothing."""
        by_models = [point for point in self.points() if point["rater"] != HUMANS]
        kinds = [point["kind"] for point in by_models if not point["is_apart"]]
        return [kind for kind in OVER_VALUES if kind in kinds] or kinds[:1] or [""]

    @cached_property
    def credits(self) -> Mapping[str, Mapping[str, float]]:
        """Rater → item id → credit from 0 to 1. People's credit is the share of right answers."""
        models = {name: credits_in(answers) for name, answers in self.material.outcomes.items()}
        people = {tally.item: tally.share for tally in self.material.tallies if tally.total}
        return {**models, HUMANS: people}

    @cached_property
    def guesses(self) -> Mapping[str, Mapping[str, float]]:
        """Baseline (a rule of `audit` that knows no syntax) → item id → credit from 0 to 1."""
        return {
            name: {item: credit for (_, item), credit in credits.items()}
            for name, credits in self.material.guesses.items()
        }

    def points(self, dimension: str = "") -> list[dict[str, Any]]:
        """Return accuracies by kind of items and value of a dimension, ordered by panel (originals
        first), then value, then rater."""
        if dimension not in self._points:
            self._points[dimension] = list(self._rows(dimension, self.material.raters))
        return [*self._points[dimension]]

    def _rows(self, dimension: str, raters: Sequence[Rater]) -> Iterator[dict[str, Any]]:
        """Yield the points (accuracy records) of some raters along a dimension; "" stands for no
        split. Raters that are compared share a panel for each kind; a rater that is apart has a
        panel of its own."""
        values = self._values_by_item(dimension)
        for kind, shared in self.material.common.items():
            together = [rater for rater in raters if rater.name in shared.together]
            apart = [rater for rater in raters if rater.name in shared.apart]
            for panel in (together, *([rater] for rater in apart)):
                by_value: dict[str, list[str]] = {}
                # all raters of a panel have the same items
                items = shared.items_of(panel[0].name) if panel else ()
                for item_id, value in values.items():
                    if item_id in items and (value or not dimension):
                        by_value.setdefault(value, []).append(item_id)
                for value in sorted(by_value, key=self._value_sort_key):
                    for rater in panel:
                        yield {
                            "panel": fmt.kind_name(kind)
                            + (f" · {rater.label} alone" if rater in apart else ""),
                            "kind": kind,
                            "dimension": dimension,
                            "value": value,
                            "is_apart": rater in apart,
                            **self._point(rater, by_value[value]),
                        }

    def _value_sort_key(self, value: str) -> tuple[int, int, str]:
        """Return a key that sorts the values of a dimension: first numbers by size, then cells of
        composed sets and constructions in the order of their lists, then others by name."""
        number = value.removesuffix("+")
        if number.isdecimal():
            return 0, int(number), ""
        names = [*CELL_NAMES, *(str(row["construction"]) for row in self.material.constructions)]
        return 1, names.index(value) if value in names else len(names), value

    def _point(self, rater: Rater, items: Sequence[str]) -> dict[str, Any]:
        """Return the fields of a point: a rater's accuracy on some items, its 95 % interval, and
        the numbers of items, sources and ties (margins of almost 0 bits)."""
        limits = self._interval(rater.name, items)
        margins = self.material.outcomes.get(rater.name, {})
        bits = [margin for item in items if item in margins for _, margin in [margins[item]]]
        return {
            "rater": rater.name,
            "label": rater.label,
            "n_items": len(items),
            "n_sources": len({self.material.clusters[item] for item in items}),
            "accuracy": mean_credit(self.credits[rater.name], items),
            "low": limits.low if limits else None,
            "high": limits.high if limits else None,
            "method": getattr(limits, "method", ""),
            "chance": CHANCE,
            "n_ties": sum(margin is not None and abs(margin) <= TIE_BITS for margin in bits),
        }

    def _values_by_item(self, dimension: str) -> dict[str, str]:
        """Return item id → the item's value of a dimension; "" for an item without one."""
        if dimension not in self._item_values:
            self._item_values[dimension] = {
                item_id: value_of(item, dimension) for item_id, item in self.material.items.items()
            }
        return self._item_values[dimension]

    def _interval(self, rater: str, items: Sequence[str]) -> Interval | None:
        """Return the 95 % interval of a rater's accuracy on some items, or None. A model's interval
        is over the items' sources; people's is over sources and people, if it is known who gave
        which answer."""
        if rater == HUMANS:
            own = set(items)
            tallies = [tally for tally in self.material.tallies if tally.item in own]
            return item_interval(tallies, self.material.answers)
        return self._over_sources(self.credits[rater], items)

    def _over_sources(
        self,
        credits: Mapping[str, float],
        items: Sequence[str],
        strata: Sequence[str] | None = None,
    ) -> Proportion | None:
        """Return the mean credit (0 to 1) on some items, with its 95 % interval over their sources;
        None if there is no interval. With a stratum for each item it is the mean over strata."""
        clusters = [self.material.clusters[item] for item in items]
        return accuracy_interval([credits[item] for item in items], clusters, strata=strata)

    def headline(self, kind: str) -> list[dict[str, Any]]:
        """Return a record of each compared model's accuracy on a kind of items. For nonce variants
        and composed items it is the mean over the values of the feature (singular, plural), so
        that a model gains nothing by always preferring one value."""
        points = super().headline(kind)
        for point in points:
            point["over_values"] = self._headline_values(kind)
            if mean := self._over_values(kind, self.credits[point["rater"]]):
                point |= {"accuracy": mean.mean, "low": mean.low, "high": mean.high}
        return points

    def _headline_values(self, kind: str) -> tuple[str, ...]:
        """Return the values of the feature (singular, plural) over which the headline averages; an
        empty tuple if it averages over items."""
        values = self._values_by_item("value")
        known = tuple(dict.fromkeys(values[item] for item in sorted(self._common_items(kind))))
        return known if kind in OVER_VALUES and "" not in known and len(known) > 1 else ()

    def _over_values(self, kind: str, credits: Mapping[str, float]) -> Proportion | None:
        """Return the accuracy on the compared items of a kind as the mean over the values of the
        feature (singular, plural), with its interval; None if the headline averages over items."""
        if not self._headline_values(kind):
            return None
        items, values = self._common_items(kind), self._values_by_item("value")
        return self._over_sources(credits, items, [values[item] for item in items])

    def _common_items(self, kind: str) -> list[str]:
        """Return the ids of the items of a kind on which raters are compared, in suite order."""
        shared = self.shared(kind).items
        return [item_id for item_id in self.material.items if item_id in shared]

    def totals(self) -> list[dict[str, Any]]:
        """Return a record for each kind and rater, as the protocol says; models in a group have
        records of their own, and people come last. `detail` has people's pooled accuracy, or a
        group's standard deviation over its models."""
        material = self.material
        unknown: dict[str, set[str]] = {}
        for result in material.results:
            for run in result.runs:
                unknown.setdefault(run.model, set()).update(run.unknown_items)
        people = [rater for rater in material.raters if rater.name == HUMANS]
        models = [Rater(name, material.labels[name], "", 0) for name in material.outcomes]
        order = [rater.name for rater in (*models, *people)]
        rows = list(self._rows("", (*models, *people)))
        for row in rows:
            shared, name = material.common[row["kind"]], row["rater"]
            items, answered = shared.items_of(name), shared.answered[name]
            n_left_out = shared.n_items - len(answered)
            has_more = len(answered) > row["n_items"]
            bounds = self._interval(name, sorted(answered)) if has_more else None
            # the models of the group `name`; none if `name` is a model
            in_group = (run.model for run in material.runs if run.group == name)
            members = [model for model in in_group if model != name]
            means = [mean_credit(self.credits[model], items) for model in members]
            row |= {
                "left_out": "",
                "detail": fmt.spread(standard_deviation(means)),
                "of_group": "mean of its models" if members else "",
                "all": mean_credit(self.credits[name], answered) if has_more else None,
                "all_low": bounds.low if bounds else None,
                "all_high": bounds.high if bounds else None,
                "all_n": len(answered) if has_more else None,
                "n_oov": sum(
                    material.items[item].kind == row["kind"] for item in unknown.get(name, ())
                ),
            }
            if n_left_out:
                reason = "not asked" if name == HUMANS else "unanswered"
                row["left_out"] = f"{fmt.count(n_left_out)} {reason}"
            if name == HUMANS:
                tallies = [tally for tally in material.tallies if tally.item in items]
                row["detail"] = f"pooled {fmt.percent(pooled_accuracy(tallies))}"
                row["n_ties"] = row["n_oov"] = None
        return sorted(rows, key=lambda row: order.index(row["rater"]))

    @cached_property
    def rules(self) -> Mapping[str, Sequence[Rule]]:
        """Kind → the rules that can judge all items that raters are compared on, the strongest
        first."""
        rules: dict[str, list[Rule]] = {}
        for kind in self.material.common:
            items = self._common_items(kind)
            for name, credits in self.guesses.items():
                if items and all(item in credits for item in items):
                    # In a short composed item the words right before the target are the head.
                    reads_last_words = kind == COMPOSED and bool(BASELINES[name].reach)
                    rule = Rule(
                        name,
                        len(items),
                        accuracy=mean_credit(credits, items),
                        limits=self._over_sources(credits, items),
                        sees_head=name in CUE_FINDERS or reads_last_words,
                        headline=self._over_values(kind, credits),
                    )
                    rules.setdefault(kind, []).append(rule)
        return {kind: strongest_first(of_kind) for kind, of_kind in rules.items()}

    def rule_accuracy(self, rule: Rule, point: Record) -> float | None:
        """Return a rule's accuracy (0 to 1) on the compared items that have the point's value."""
        credits, values = self.guesses[rule.name], self._values_by_item(point["dimension"])
        shared = self.material.common[point["kind"]].items
        return mean_credit(credits, [item for item in shared if values[item] == point["value"]])

    def difference(self, rater: str, other: str, kind: str) -> Difference | None:
        """Return a rater's headline accuracy minus another's, tested by sign flips of sources."""
        return self._difference(rater, self.credits[other], kind)

    def _difference(self, rater: str, other: Mapping[str, float], kind: str) -> Difference | None:
        """Return a rater's headline accuracy minus that of `other` (item id → credit of a rater or
        rule), tested by flipping the signs of the differences, source by source."""
        items, earned = self._common_items(kind), self.credits[rater]
        clusters = [self.material.clusters[item] for item in items]
        weights = None
        if self._headline_values(kind):
            values = [self._values_by_item("value")[item] for item in items]
            sizes = Counter(values)  # weights: each value of the feature counts the same in all
            weights = [1 / sizes[value] for value in values]
        return sign_flip([earned[item] - other[item] for item in items], clusters, weights)

    def above(self, rater: str, rule: Rule, kind: str) -> str:
        """Tell if a rater is more accurate than a rule: `yes`, `no`, or `unclear` if the interval
        of the difference includes 0."""
        test = self._difference(rater, self.guesses[rule.name], kind)
        if test is None or test.value <= 0:
            return "no"
        return "yes" if test.low is not None and test.low > 0 else "unclear"

    def shared(self, kind: str) -> SharedItems[str]:
        """Return the items of a kind on which raters are compared, and these raters; both are empty
        for an unknown kind."""
        return self.material.common.get(kind) or common_items({})


def mean_credit(credits: Mapping[str, float], items: Collection[str]) -> float:
    """Return the mean credit on some items, at least one: an accuracy from 0 to 1."""
    return math.fsum(credits[item] for item in items) / len(items)


def value_of(item: Item, dimension: str) -> str:
    """Return an item's value of a dimension, "" if it has none. Numbers of attractors from 3 and
    distances from 10 tokens on are one value, `3+` and `10+`."""
    if dimension in LAST_CURVE_POINT:
        number = factors_of(item)["n_attractors"]
        if dimension == "gap":
            number = str(item.agreement.gap) if item.agreement else ""
        last = LAST_CURVE_POINT[dimension]
        return f"{last}+" if number and int(number) >= last else number
    if dimension in ("cell", RELATION):
        if item.kind == COMPOSED:
            return composed_cell(item, with_first=dimension == "cell")
        return item.cell if dimension == "cell" else ""
    return factors_of(item)[dimension] if dimension else ""


def compared_on(scores: PageScores, kind: str) -> str:
    """Return a sentence that says how many items of a kind all raters answered, and how many each
    of them answered; "" if everybody answered everything."""
    on_page, shared = {rater.name for rater in scores.material.raters}, scores.shared(kind)
    answered = {rater: items for rater, items in shared.answered.items() if rater in on_page}
    shared_on_page = replace(shared, answered=answered)
    note = comparison_notes(fmt.kind_name(kind), shared_on_page, scores.material.labels)
    return f"{note[:1].upper()}{note[1:]}." if note else ""


def strongest_first(rules: Sequence[Rule]) -> list[Rule]:
    """Sort rules by their strength; of equally strong ones those first that do not see the head."""
    return sorted(rules, key=lambda rule: (-rule.strength, rule.sees_head))


def composed_cell(item: Item, *, with_first: bool = True) -> str:
    """Name the cell of a composed item: its nouns between head and target and, with `with_first`,
    its first noun, such as `opposite value between, head first`. An item with nothing between is
    named by that alone. Return "" for other items."""
    relation = item.facts.get(RELATION, "")
    first = FIRST_NOUNS.get(item.facts.get(FIRST_NOUN, "none"), "")
    nouns = BETWEEN.get(relation, "")
    return f"{nouns}, {first}" if with_first and relation not in ("", "none") else nouns


def method_sentences(material: ReportData) -> str:
    """Return sentences that say how each model was scored; models that were scored alike share one
    sentence."""
    labels_by_method: dict[str, list[str]] = {}
    for run in material.runs:
        labels_by_method.setdefault(run.how_asked, []).append(material.labels[run.model])
    return " ".join(
        f"{fmt.enumeration(dict.fromkeys(labels))}: {method}."
        for method, labels in labels_by_method.items()
    )
