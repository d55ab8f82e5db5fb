"""How often people and models are right, by how much they differ, and with how many attractors.

Curves are as Gulordava et al. 2018 plot them (Figure 2): accuracy against attractors and distance.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from ...data.items.item import Item
from ..judgments.judgment import Tally, tallied
from ..statistics.accuracy_estimates import (
    FEW_SOURCES,
    construction_accuracy,
    curve,
    item_accuracy,
    item_interval,
    pooled_accuracy,
)
from ..statistics.flips import sign_flip
from ..statistics.people import BY_BOTH, people_limits
from ..statistics.rater_accuracy import HUMANS, Credits, credits_in
from ..statistics.shared_items import common_by_kind, compared
from .measure import AnalysisData, Measure, method, totals

ORIGINAL_MINUS_NONCE = "original − nonce"
OVER_ITEMS = "accuracy over items"
SHARED = "accuracy over shared items"  # of people, where models lack some of theirs
BY_ATTRACTORS, BY_GAP = "accuracy by attractors", "accuracy by gap"
LAST_ATTRACTOR, LAST_GAP = 3, 10  # these and more are one point
FEW_ITEMS = 5
SE = "se over items"


def of_people(evidence: AnalysisData) -> Iterator[Measure]:
    """The accuracies that go by one name, each with its own interval, by kind. That over items has
    the interval over people and sources where it is known who answered, which asks what other
    people would do, too; then the one over sources alone, as papers have it."""
    for cell in totals(evidence):
        tallies = cell.tallies
        n_sources = len({tally.source for tally in tallies})
        limits = people_limits(tallies, evidence.answers)
        is_both = limits is not None and limits.method == BY_BOTH
        for interval in (limits, item_interval(tallies)) if is_both else (limits,):
            yield Measure(
                OVER_ITEMS,
                item_accuracy(tallies),
                cell.kind,
                n=len(tallies),
                limits=interval,
                note=method(interval, n_sources),
            )
        yield Measure(
            "accuracy pooled",
            pooled_accuracy(tallies),
            cell.kind,
            n=sum(tally.total for tally in tallies),
            note="n: judgments",
        )
        n = len({tally.construction for tally in tallies})
        if n > 1:
            mean = construction_accuracy(tallies)
            note = "n: constructions"
            yield Measure("accuracy over constructions", mean, cell.kind, n=n, note=note)


def model_accuracies(evidence: AnalysisData) -> Iterator[Measure]:
    """People and each model by kind and construction, on the items that all have, and human −
    model."""
    items = list(evidence.items.values())
    answered = Counter(tally.condition for tally in evidence.tallies if tally.total)
    for row in compared(
        evidence.suite, items, evidence.tallies, evidence.outcomes, evidence.answers
    ):
        total = row.rater == HUMANS and not row.construction
        if total and row.n_items == answered[row.kind]:
            continue  # stands in `of_people`
        names = row.kind, row.construction, row.rater
        note = method(row.limits, row.n_sources)
        statistic = SHARED if total else OVER_ITEMS
        yield Measure(statistic, row.accuracy, *names, n=row.n_items, limits=row.limits, note=note)
        if row.difference is not None:
            notes = ["sign flips over sources"]
            if row.p_holm is not None:
                notes.append(f"Holm {row.p_holm:.3g}")
            if row.p_floor is not None and row.n_sources < FEW_SOURCES:
                notes.append(f"p cannot be below {row.p_floor:.3g}")
            yield Measure(
                "human − model",
                row.difference,
                *names,
                n=row.n_items,
                limits=row.test.limits if row.test else None,
                p=row.p,
                note=", ".join(notes),
            )


def original_minus_nonce(evidence: AnalysisData) -> Iterator[Measure]:
    """Of each rater how much more often originals are right than their nonce variants: the mean
    over sources that have both of the difference of means, with sign flips over these."""
    people = {tally.item: tally.share for tally in evidence.tallies if tally.total}
    models = {model: credits_in(credits) for model, credits in evidence.outcomes.items()}
    for rater, earned in {HUMANS: people, **models}.items():
        rows = [
            (item.cluster_id, item.kind, value)
            for name, value in earned.items()
            if (item := evidence.items.get(name)) is not None
        ]
        schema = {"source": pl.String, "kind": pl.String, "value": pl.Float64}
        means = pl.DataFrame(rows, schema, orient="row").group_by("source", "kind").mean()
        original, nonce = (
            means.filter(kind=kind).drop("kind").sort("source") for kind in ("original", "nonce")
        )
        both = original.join(nonce, on="source", suffix="_nonce", maintain_order="left")
        test = sign_flip((both["value"] - both["value_nonce"]).to_list(), both["source"].to_list())
        if test is not None:
            yield Measure(
                ORIGINAL_MINUS_NONCE,
                test.mean,
                rater=rater,
                n=both.height,
                limits=test.limits,
                p=test.p,
                note="sign flips over sources with both; n: sources",
            )


def curves_of(
    items: Mapping[str, Item], tallies: Sequence[Tally], outcomes: Mapping[str, Credits]
) -> Iterator[Measure]:
    """People, then each model, by kind, on the items that all have; a rater that has too few of
    them in common with the others has no curve."""
    credits = {model: credits_in(answers) for model, answers in outcomes.items()}
    credits[HUMANS] = {tally.item: tally.share for tally in tallies if tally.total}
    for kind, shared in common_by_kind(items.values(), tallies, outcomes).items():
        shared_items = [item for name, item in items.items() if name in shared.items]
        attractors = {item.item_id: tallied(item, 0, 0).n_attractors for item in shared_items}
        gaps = {
            item.item_id: item.agreement.gap for item in shared_items if item.agreement is not None
        }
        for statistic, by_item, limit in (
            (BY_ATTRACTORS, {k: n for k, n in attractors.items() if n is not None}, LAST_ATTRACTOR),
            (BY_GAP, gaps, LAST_GAP),
        ):
            for rater in shared.together:
                values = [credits[rater][item] for item in by_item]
                for point in curve(list(by_item.values()), values, limit=limit):
                    few = f", only {point.n_items} items" if point.n_items < FEW_ITEMS else ""
                    names = kind, "", rater, point.level
                    note = f"{SE}{few}"
                    yield Measure(statistic, point.mean, *names, point.n_items, point.se, note=note)
