"""Everything that is computed of suites with answers to them, each table when it is asked for; and
surprisal by region and condition: where in a sentence the conditions part."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

from ...data import schema
from ...data.items.suite import Suite
from ...data.records import from_facts
from ...data.statistics.intervals import cluster_interval
from ...data.store import Store, open_store
from ...data.tables import Row, frame
from ...scoring.outcomes.asking import recalled
from ...scoring.outcomes.collection import Unit
from ...scoring.outcomes.run import Asked
from ..statistics.shared_items import compared
from .collect import CollectedAnswers, SuiteResults
from .suite_scores import correlation_rows, paired_rows, score_rows

MOST_UNITS = 40  # of which regions are told; BLiMP's paradigms have but the target
CELLS: schema.Schema = {
    **schema.COMPARISON,
    **{"n_sources": int, "interval": str},
    **{
        f"{name}_{end}": float
        for name in ("majority", "share")
        for end in ("difference", "difference_low", "difference_high", "p")
    },
}


@dataclass(frozen=True)
class Tables:
    """The tables of some suites. Surprisals of regions are those that the store has; nothing is
    asked of a model."""

    store: Store | Path
    results: tuple[SuiteResults, ...]

    @cached_property
    def gathered(self) -> CollectedAnswers:
        """Everybody's answers, by rater."""
        return CollectedAnswers(self.results)

    @cached_property
    def cells(self) -> pl.DataFrame:
        """Raters by suite, kind and construction: comparison.tsv, and how intervals were made."""
        rows: list[Row] = []
        for result in self.results:
            answers = result.tallies, result.outcomes, result.answers
            rated = compared(result.suite.name, result.entries, *answers, result.groups)
            rows += (row.as_row(CELLS) for row in rated)
        return frame(rows, CELLS)

    @cached_property
    def collection(self) -> pl.DataFrame:
        """Scores over suites."""
        return frame(score_rows(self.gathered), schema.COLLECTION)

    @cached_property
    def paired(self) -> pl.DataFrame:
        """Tests between raters."""
        return frame(paired_rows(self.gathered), schema.PAIRED)

    @cached_property
    def correlations(self) -> pl.DataFrame:
        """Correlations of raters over suites."""
        return frame(correlation_rows(self.gathered), schema.CORRELATIONS)

    @cached_property
    def regions(self) -> pl.DataFrame:
        """Surprisals by region and condition."""
        rows: list[Row] = []
        with open_store(self.store, existing=True) as store:
            for result in self.results:
                units = [unit for unit in self.gathered.units if unit.suite == result.suite.name]
                if not result.suite.predictions or len(units) > MOST_UNITS:
                    continue
                for run in (run for run in result.runs if run.model in self.gathered.listed):
                    assert run.run_id is not None
                    if surprisals := recalled(store, run.run_id, result.suite):
                        shared = self.gathered.shared(run.model, units)
                        rows += region_rows(result.suite, shared, run.model, surprisals)
        return frame(rows, schema.REGIONS)


def region_rows(suite: Suite, units: Sequence[Unit], rater: str, recalled: Asked) -> Iterator[Row]:
    """Yield rows by unit, condition and region: the mean over items (over the sentences of a
    condition first), with an interval over clusters, by the suite's metric.

    `position` is the region's place in the sentence, from 0; `predicted` is 1 where the suite's
    first prediction names the region in some condition. Regions that were not asked for have no
    row, nor have those without text in every item.
    """
    values = _region_values(recalled)
    planned = {item.item_id: item for item in recalled.plan.table}
    meta = from_facts(suite.meta).get("region_meta")  # numbers → names, as in SyntaxGym's files
    names = meta if isinstance(meta, dict) else {}
    predicted = {region for _, region in suite.predictions[0].cells()}
    for unit in units:
        order: dict[tuple[str, str], tuple[int, int]] = {}  # as in the first item that has them
        by_cell: dict[tuple[str, str], list[tuple[float, str]]] = {}
        for item, cluster in zip(unit.items, unit.clusters, strict=True):
            if item.item_id in planned:
                for rank, (name, wordings) in enumerate(planned[item.item_id].conditions.items()):
                    for position, region in enumerate(wordings[0]):
                        order.setdefault((name, region.region), (rank, position))
            for cell, bits in values.get(item.item_id, {}).items():
                by_cell.setdefault(cell, []).append((bits, cluster))
        for condition, number in sorted(by_cell, key=lambda cell: order[cell]):
            measured, clusters = zip(*by_cell[condition, number], strict=True)
            limits = cluster_interval(measured, clusters)
            name = names.get(number, number)
            yield {
                "suite": unit.name,
                "rater": rater,
                "condition": condition,
                "position": order[condition, number][1],
                "region": name if name == number else f"{number} {name}",
                "predicted": int(number in predicted),
                "n_items": len(measured),
                "surprisal_bits": math.fsum(measured) / len(measured),
                "low": limits.low if limits else None,
                "high": limits.high if limits else None,
            }


def _region_values(recalled: Asked) -> dict[str, dict[tuple[str, str], float]]:
    """Return item → (condition, region) → bits, mean over the condition's sentences, where it has
    text."""
    plan, sentences = recalled.plan, recalled.plan.table.sentences
    readable = np.ones(len(plan.sentence), bool)
    readable[list(recalled.surprisal.refused)] = False
    rows = readable[plan.owner] & (plan.end > plan.start) & ~np.isnan(recalled.surprisal.region)
    of = plan.owner[rows]
    means = (
        pl.DataFrame(
            {
                "item": plan.table.frame["item_id"].gather(plan.item[of]),
                "condition": plan.condition[of],
                "region": plan.name[rows],
                "bits": recalled.surprisal.region[rows],
            }
        )
        .group_by("item", "condition", "region", maintain_order=True)
        .agg(pl.col("bits").mean())
    )
    collected: dict[str, dict[tuple[str, str], float]] = {}
    for item, condition, region, bits in means.iter_rows():
        cell = sentences.conditions[condition], sentences.names[region]
        collected.setdefault(item, {})[cell] = bits
    return collected
