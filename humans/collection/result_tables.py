"""Everything that is computed of suites with answers to them, each table when it is asked for."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl

from ...data import schema
from ...data.store import Store, open_store
from ...data.tables import Row, frame
from ...scoring.outcomes.asking import recalled
from ..statistics.shared_items import compared
from .collect import CollectedAnswers, SuiteResults
from .regions import MOST_UNITS, region_rows
from .suite_scores import correlation_rows, paired_rows, score_rows

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
