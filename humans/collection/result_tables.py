"""All tables that are computed from suites and answers, each when it is first needed.

One of them has the mean surprisal (bits) by region and condition, which shows where in a sentence
the conditions part. A condition is a version of an item, a region a stretch of its sentence.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

from ...data import schema
from ...data.items.item import Item
from ...data.items.suite import Suite
from ...data.records import from_facts
from ...data.statistics.intervals import cluster_interval
from ...data.store import Store, open_store
from ...data.tables import Row, frame
from ...scoring.outcomes.asking import surprisals_from_store
from ...scoring.outcomes.collection import Unit
from ...scoring.outcomes.run import AskedSuite
from ..statistics.shared_items import compared_accuracies
from .collect import CollectedAnswers, SuiteResults
from .suite_scores import correlation_rows, paired_rows, score_rows

MAX_UNITS_WITH_REGIONS = 40  # a suite with more units has no table of regions, such as BLiMP
CELL_COLUMNS: schema.Schema = {
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
    """The tables of some suites. No model is run: surprisals by region are those in the store."""

    store: Store | Path
    results: tuple[SuiteResults, ...]

    @cached_property
    def answers(self) -> CollectedAnswers:
        """The answers of all raters to all suites."""
        return CollectedAnswers(self.results)

    @cached_property
    def cells(self) -> pl.DataFrame:
        """The accuracy of each rater (model, group or people) in each cell: the items of one suite,
        kind and construction. The columns are those of comparison.tsv, and some on how intervals
        were made."""
        rows: list[Row] = []
        for result in self.results:
            answers = result.tallies, result.outcomes, result.answers
            accuracies = compared_accuracies(
                result.suite.name, result.entries, *answers, result.groups
            )
            rows += (accuracy.as_row(CELL_COLUMNS) for accuracy in accuracies)
        return frame(rows, CELL_COLUMNS)

    @cached_property
    def collection(self) -> pl.DataFrame:
        """Each rater's mean accuracies over suites: collection.tsv."""
        return frame(score_rows(self.answers), schema.COLLECTION)

    @cached_property
    def paired(self) -> pl.DataFrame:
        """Tests of differences between two raters' accuracies: paired.tsv."""
        return frame(paired_rows(self.answers), schema.PAIRED)

    @cached_property
    def correlations(self) -> pl.DataFrame:
        """Correlations of two raters' accuracies over suites: correlations.tsv."""
        return frame(correlation_rows(self.answers), schema.CORRELATIONS)

    @cached_property
    def regions(self) -> pl.DataFrame:
        """Mean surprisals in bits by region and condition: regions.tsv. It has no rows for suites
        without predictions or with many units, or where the store lacks surprisals."""
        rows: list[Row] = []
        with open_store(self.store, existing=True) as store:
            for result in self.results:
                units = [unit for unit in self.answers.units if unit.suite == result.suite.name]
                if not result.suite.predictions or len(units) > MAX_UNITS_WITH_REGIONS:
                    continue
                for run in (run for run in result.runs if run.model in self.answers.listed):
                    assert run.run_id is not None
                    if surprisals := surprisals_from_store(store, run.run_id, result.suite):
                        shared = self.answers.units_answered_by(run.model, units)
                        rows += region_rows(result.suite, shared, run.model, surprisals)
        return frame(rows, schema.REGIONS)


def region_rows(
    suite: Suite, units: Sequence[Unit], rater: str, asked: AskedSuite
) -> Iterator[Row]:
    """Yield a row with the mean surprisal (bits) of a model for each unit, condition and region.

    The mean is over items (within an item first over the sentences of a condition), and has an
    interval over clusters. `position` is the region's place in the sentence, from 0; `predicted` is
    1 if the suite's first prediction names the region. Regions that were not scored, or have no
    text in any item, have no row.

    Args:
        suite: suite with a prediction.
        units: parts of the suite, with the items to take the mean over.
        rater: name of the model, for the rows.
        asked: surprisals of all sentences by the model.
    """
    surprisals = _region_surprisals(asked)
    planned = {item.item_id: item for item in asked.plan.table}
    region_meta = from_facts(suite.meta).get("region_meta")  # number → name, from SyntaxGym's files
    names = region_meta if isinstance(region_meta, dict) else {}
    first_prediction, *_ = suite.predictions
    predicted = {region for _, region in first_prediction.cells()}
    for unit in units:
        order = _order_of_regions(
            planned[item.item_id] for item in unit.items if item.item_id in planned
        )
        items = pl.DataFrame(
            {"item": [item.item_id for item in unit.items], "cluster": unit.clusters}
        )
        measured = (  # a row for each condition and region
            items.join(surprisals, on="item", maintain_order="left_right")
            .group_by("condition", "region", maintain_order=True)
            .agg("bits", "cluster")
        )
        # SyntaxGym's regions are numbered; others have a name here
        for condition, number, values, clusters in sorted(
            measured.iter_rows(), key=lambda row: order[row[:2]]
        ):
            _, position = order[condition, number]
            limits = cluster_interval(values, clusters)
            name = names.get(number, number)
            yield {
                "suite": unit.name,
                "rater": rater,
                "condition": condition,
                "position": position,
                "region": name if name == number else f"{number} {name}",
                "predicted": int(number in predicted),
                "n_items": len(values),
                "surprisal_bits": math.fsum(values) / len(values),
                "low": limits.low if limits else None,
                "high": limits.high if limits else None,
            }


def _order_of_regions(items: Iterable[Item]) -> dict[tuple[str, str], tuple[int, int]]:
    """Return (condition, region) → (place of the condition in its item, place of the region in the
    sentence), as in the first item that has them."""
    order: dict[tuple[str, str], tuple[int, int]] = {}
    for item in items:
        for rank, (condition, (wording, *_)) in enumerate(item.conditions.items()):
            for position, region in enumerate(wording):
                order.setdefault((condition, region.region), (rank, position))
    return order


def _region_surprisals(asked: AskedSuite) -> pl.DataFrame:
    """Return a frame with item, condition, region, and bits: the mean surprisal over the sentences
    of the condition. Regions without text, and sentences that the model cannot read, are left
    out."""
    plan, sentences = asked.plan, asked.plan.table.sentences
    is_readable = np.ones(len(plan.sentence), bool)
    is_readable[list(asked.surprisal.refused)] = False
    has_text = plan.end > plan.start
    rows = is_readable[plan.owner] & has_text & ~np.isnan(asked.surprisal.region)
    sentence = plan.owner[rows]
    measured = pl.DataFrame(
        {
            "item": plan.table.frame["item_id"].gather(plan.item[sentence]),
            "condition": pl.Series(sentences.conditions).gather(plan.condition[sentence]),
            "region": pl.Series(sentences.names).gather(plan.name[rows]),
            "bits": asked.surprisal.region[rows],
        }
    )
    return measured.group_by("item", "condition", "region", maintain_order=True).agg(
        pl.col("bits").mean()
    )
