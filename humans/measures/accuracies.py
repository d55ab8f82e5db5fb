"""How often people and models are right, and by how much they differ."""

from collections import Counter
from collections.abc import Iterator

import polars as pl

from colorless_green.humans.common import compared
from colorless_green.humans.measures.measure import Cell, Evidence, Measure, totals
from colorless_green.humans.rated import HUMANS, Rated, credits_in
from colorless_green.humans.statistics import (
    BY_BOTH,
    FEW_SOURCES,
    construction_accuracy,
    item_accuracy,
    item_interval,
    people_limits,
    pooled_accuracy,
    sign_flip,
    wilson,
)

ORIGINAL_MINUS_NONCE = "original − nonce"
SHARED = "accuracy over shared items"  # of people, where models lack some of theirs


def of_people(evidence: Evidence) -> Iterator[Measure]:
    """The accuracies that go by one name, each with its own interval, by kind."""
    for cell in totals(evidence):
        yield from _over_items(evidence, cell)
        yield _pooled(cell)
        if len({each.construction for each in cell.tallies}) > 1:
            mean = construction_accuracy(cell.tallies)
            n = len({each.construction for each in cell.tallies})
            yield Measure(
                "accuracy over constructions", mean, cell.kind, n=n, note="n: constructions"
            )


def _over_items(evidence: Evidence, cell: Cell) -> Iterator[Measure]:
    """With the interval over people and sources where it is known who answered, which asks what
    other people would do, too; then the one over sources alone, as papers have it."""
    limits = people_limits(cell.tallies, evidence.answers)
    every = [limits]
    if limits is not None and limits.method == BY_BOTH:
        every.append(item_interval(cell.tallies))
    n_sources = len({each.source for each in cell.tallies})
    for found in every:
        yield Measure(
            "accuracy over items",
            item_accuracy(cell.tallies),
            cell.kind,
            n=len(cell.tallies),
            low=found.low if found else None,
            high=found.high if found else None,
            note=_method(found.method if found else "", n_sources),
        )


def _pooled(cell: Cell) -> Measure:
    right = sum(each.right for each in cell.tallies)
    total = sum(each.total for each in cell.tallies)
    limits = wilson(right, total)
    return Measure(
        "accuracy pooled",
        pooled_accuracy(cell.tallies),
        cell.kind,
        n=total,
        low=limits.low if limits else None,
        high=limits.high if limits else None,
        note="Wilson: treats judgments as independent; n: judgments",
    )


def beside(evidence: Evidence) -> Iterator[Measure]:
    """People and each model by kind and construction, on the items that all have, and human −
    model."""
    items = list(evidence.items.values())
    answered = Counter(each.condition for each in evidence.tallies if each.total)
    for row in compared(
        evidence.suite, items, evidence.tallies, evidence.outcomes, evidence.answers
    ):
        total = row.rater == HUMANS and not row.construction
        if total and row.n_items == answered[row.kind]:
            continue  # stands in `of_people`
        yield Measure(
            SHARED if total else "accuracy over items",
            row.accuracy,
            row.kind,
            row.construction,
            row.rater,
            n=row.n_items,
            low=row.low,
            high=row.high,
            note=_method(row.interval, row.n_sources),
        )
        if row.difference is not None:
            yield _difference(row)


def original_minus_nonce(evidence: Evidence) -> Iterator[Measure]:
    """Of each rater how much more often originals are right than their nonce variants: the mean
    over sources that have both of the difference of means, with sign flips over these."""
    people = {each.item: each.right / each.total for each in evidence.tallies if each.total}
    for rater, own in {
        HUMANS: people,
        **{m: credits_in(c) for m, c in evidence.outcomes.items()},
    }.items():
        known = [
            (evidence.items[item], value) for item, value in own.items() if item in evidence.items
        ]
        means = (
            pl.DataFrame(
                [(item.cluster_id, item.kind, value) for item, value in known],
                {"source": pl.String, "kind": pl.String, "value": pl.Float64},
                orient="row",
            )
            .group_by("source", "kind")
            .agg(pl.col("value").mean())
            .sort("source")
        )
        original, nonce = (means.filter(kind=kind).drop("kind") for kind in ("original", "nonce"))
        both = original.join(nonce, on="source", suffix="_nonce", maintain_order="left")
        test = sign_flip((both["value"] - both["value_nonce"]).to_list(), both["source"].to_list())
        if test is not None:
            limits = test.interval
            yield Measure(
                ORIGINAL_MINUS_NONCE,
                test.mean,
                rater=rater,
                n=both.height,
                low=limits.low if limits else None,
                high=limits.high if limits else None,
                p=test.p,
                note="sign flips over sources with both; n: sources",
            )


def _difference(row: Rated) -> Measure:
    notes = ["sign flips over sources"]
    if row.p_holm is not None:
        notes.append(f"Holm {row.p_holm:.3g}")
    if row.p_floor is not None and row.n_sources < FEW_SOURCES:
        notes.append(f"p cannot be below {row.p_floor:.3g}")
    return Measure(
        "human − model",
        row.difference,
        row.kind,
        row.construction,
        row.rater,
        n=row.n_items,
        low=row.difference_low,
        high=row.difference_high,
        p=row.p,
        note=", ".join(notes),
    )


def _method(method: str, n_sources: int) -> str:
    if n_sources < FEW_SOURCES:
        return ", ".join(filter(None, [method, f"only {n_sources} sources"]))
    return method
