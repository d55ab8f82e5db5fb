"""Accuracies of people and models: by kind and construction, original minus nonce, and as curves.

A curve is accuracy by number of attractors, or by distance, as in Gulordava et al. 2018, Figure 2.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ...data.items.item import Item
from ...data.statistics.crossed import Answers, condition_difference
from ...data.statistics.intervals import number_clusters
from ..collection.collect import SuiteResults
from ..judgments.judgment import Tally, tally_of
from ..statistics.accuracy_estimates import (
    construction_accuracy,
    curve,
    item_accuracy,
    item_interval,
    pooled_accuracy,
)
from ..statistics.rater_accuracy import HUMANS, Credits, credits_in
from ..statistics.shared_items import common_by_kind, compared_accuracies
from . import Measure, method_name, tallies_by_kind

PAIRED = ORIGINAL, NONCE = ("original", "nonce")
ORIGINAL_MINUS_NONCE = "original − nonce"
OVER_ITEMS = "accuracy over items"
SHARED = "accuracy over shared items"  # people's accuracy on the items that models answered too
BY_ATTRACTORS, BY_GAP = "accuracy by attractors", "accuracy by gap"
LAST_ATTRACTOR, LAST_GAP = 3, 10  # a curve's last point is for this number and more
FEW_ITEMS = 5  # the note of a point with fewer items says so
SE = "se over items"


def people_accuracies(results: SuiteResults) -> Iterator[Measure]:
    """Yield people's accuracy on each kind of item, in three ways: averaged over items, pooled over
    all judgments, and averaged over constructions."""
    for kind, tallies in tallies_by_kind(results).items():
        limits = item_interval(tallies, results.answers)
        mean, note = item_accuracy(tallies), method_name(limits)
        yield Measure(OVER_ITEMS, mean, kind, n=len(tallies), limits=limits, note=note)
        pooled, n_judgments = pooled_accuracy(tallies), sum(tally.total for tally in tallies)
        yield Measure("accuracy pooled", pooled, kind, n=n_judgments, note="n: judgments")
        n_constructions = len({tally.construction for tally in tallies})
        if n_constructions > 1:
            mean, note = construction_accuracy(tallies), "n: constructions"
            yield Measure("accuracy over constructions", mean, kind, n=n_constructions, note=note)


def model_accuracies(results: SuiteResults) -> Iterator[Measure]:
    """Yield the accuracies of people and each model by kind and construction, on the items that all
    of them answered. (`compare` reports their differences.)"""
    n_answered = Counter(tally.condition for tally in results.tallies if tally.total)  # by kind
    for row in compared_accuracies(
        results.suite.name,
        results.entries,
        results.tallies,
        results.matched,
        results.answers,
        results.groups,
    ):
        is_people_total = row.rater == HUMANS and not row.construction
        names = row.kind, row.construction, row.rater
        # if all of people's items are shared, `people_accuracies` has this accuracy
        if not (is_people_total and row.n_items == n_answered[row.kind]):
            statistic = SHARED if is_people_total else OVER_ITEMS
            limits, note = row.limits, method_name(row.limits)
            yield Measure(statistic, row.accuracy, *names, n=row.n_items, limits=limits, note=note)


def original_minus_nonce(results: SuiteResults) -> Iterator[Measure]:
    """Yield for each rater its accuracy on originals minus that on their nonce variants, averaged
    over the sources of which it answered both."""
    entries = {entry.item_id: entry for entry in results.entries if entry.kind in PAIRED}
    judged = [tally for tally in results.tallies if tally.total and tally.item in entries]
    answers: dict[str, tuple[list[str], Answers]] = {}
    if judged:
        answers[HUMANS] = [tally.item for tally in judged], results.answers.answers_to(judged)
    for model, outcomes in results.matched.items():
        credits = {name: credit for name, credit in credits_in(outcomes).items() if name in entries}
        _, source_index = number_clusters([entries[name].cluster_id for name in credits])
        earned = np.array([[*credits.values()]], dtype=float)
        # a model is like a single person who answered each item once
        answers[model] = [*credits], Answers(earned, np.ones_like(earned), source_index)
    for rater, (item_ids, rater_answers) in answers.items():
        is_nonce = np.array([entries[name].kind == NONCE for name in item_ids], dtype=bool)
        difference = condition_difference(rater_answers, is_nonce)
        if difference is None:
            continue
        sources = [{entries[name].cluster_id for name in item_ids if entries[name].kind == kind}
                   for kind in PAIRED]  # fmt: skip
        yield Measure(
            ORIGINAL_MINUS_NONCE,
            difference.value,
            rater=rater,
            n=len(set.intersection(*sources)),
            limits=difference.limits,
            p=difference.p,
            note=f"{difference.method}, of sources with both; n: sources",
        )


def curves_of(
    items: Mapping[str, Item], tallies: Sequence[Tally], outcomes: Mapping[str, Credits]
) -> Iterator[Measure]:
    """Yield the points of the curves of accuracy by attractors and by gap, for each kind of item.

    `outcomes` is model → item → (credit, margin in bits). All raters' curves are over the items
    that they all answered; a rater with too few items in common with the others has no curve. The
    gap is the number of tokens between cue and target.
    """
    credits = {model: credits_in(answers) for model, answers in outcomes.items()}
    credits[HUMANS] = {tally.item: tally.share for tally in tallies if tally.total}
    for kind, shared in common_by_kind(items.values(), tallies, outcomes).items():
        shared_items = [item for name, item in items.items() if name in shared.items]
        attractors = {item.item_id: tally_of(item, 0, 0).n_attractors for item in shared_items}
        known_attractors = {item: n for item, n in attractors.items() if n is not None}
        gaps = {
            item.item_id: item.agreement.gap for item in shared_items if item.agreement is not None
        }
        for statistic, by_item, limit in (
            (BY_ATTRACTORS, known_attractors, LAST_ATTRACTOR),
            (BY_GAP, gaps, LAST_GAP),
        ):
            for rater in shared.together:
                values = [credits[rater][item] for item in by_item]
                for point in curve(list(by_item.values()), values, limit=limit):
                    few = f", only {point.n_items} items" if point.n_items < FEW_ITEMS else ""
                    names = kind, "", rater, point.level
                    note = f"{SE}{few}"
                    yield Measure(statistic, point.mean, *names, point.n_items, point.se, note=note)
