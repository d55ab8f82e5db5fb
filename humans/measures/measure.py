"""Figures of an analysis, with all that is needed to read them, and the data they are drawn
from."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import polars as pl

from ...data import schema
from ...data.items.item import Entry, Item
from ...data.statistics.intervals import Interval, Limits
from ..collection.collect import SuiteResults
from ..judgments.judgment import Tally, levels
from ..statistics.accuracy_estimates import Estimate
from ..statistics.people import AnswerTable
from ..statistics.rater_accuracy import HUMANS, Credits

COLUMNS = schema.MEASURES
RATING = "rating"  # a task


@dataclass(frozen=True, slots=True)
class Measure(Estimate):
    """A figure. Empty `kind` or `construction`: all of them. None: undefined, and `note` why."""

    statistic: str
    value: float | None
    kind: str = ""
    construction: str = ""
    rater: str = HUMANS  # or a model
    level: str = ""  # of a curve, a coefficient, a coding
    n: int | None = None  # items, unless `note` says otherwise
    se: float | None = None
    limits: Interval | None = None  # 95 %, by the method in `note`
    p: float | None = None
    note: str = ""


@dataclass(frozen=True)
class AnalysisData:
    """The data of an analysis: one suite, who answered, and what models did."""

    suite: str
    items: Mapping[str, Item]
    tallies: tuple[Tally, ...]  # of items with answers or without
    trials: pl.DataFrame  # that count; empty where only totals are known
    outcomes: Mapping[str, Credits]  # by model
    entries: tuple[Entry, ...] = ()  # the items, with the clusters that intervals are over
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # by name: seeds of a model
    scale: str = ""  # of ratings, as study files say; empty where that is not known of all

    @property
    def is_answered(self) -> bool:
        """True where somebody gave an answer that is right or wrong and counts."""
        return any(tally.total for tally in self.tallies)

    @cached_property
    def answers(self) -> AnswerTable:
        """The judgments that are right or wrong, counted by person and item."""
        return AnswerTable.of(self.trials)


def evidence_of(results: SuiteResults) -> AnalysisData:
    """Return the data of an analysis: a suite, the answers that count, and every model (and group
    of models) on it. The scale is that of the study files of all imports but those of another task;
    empty where one names none, or they differ."""
    studies = (batch.study for batch in results.judged.imports)
    scales = {str(s.get("scale", "")) for s in studies if s.get("task", RATING) == RATING}
    return AnalysisData(
        suite=results.suite.name,
        items={item.item_id: item for item in results.suite.items},
        tallies=results.judged.tallies,
        trials=results.judged.trials,
        outcomes=results.outcomes(),
        entries=tuple(results.suite.table.entries()),
        groups=results.groups(),
        scale=scales.pop() if len(scales) == 1 else "",
    )


@dataclass(frozen=True, slots=True)
class Stratum:
    """The answered items of a kind and construction; empty names are all."""

    kind: str
    construction: str
    tallies: tuple[Tally, ...]


def totals(evidence: AnalysisData) -> Iterator[Stratum]:
    """Yield the answered items of each kind."""
    answered = tuple(tally for tally in evidence.tallies if tally.total)
    for kind in levels(tally.condition for tally in answered):
        yield Stratum(kind, "", tuple(tally for tally in answered if tally.condition == kind))


def constructions(evidence: AnalysisData) -> Iterator[Stratum]:
    """Yield each kind's constructions, by name."""
    for cell in totals(evidence):
        if cell.kind:
            for name in sorted({tally.construction for tally in cell.tallies} - {""}):
                tallies = tuple(tally for tally in cell.tallies if tally.construction == name)
                yield Stratum(cell.kind, name, tallies)


def method(limits: Limits | None) -> str:
    """Return the name of the method of an interval; empty without one."""
    return limits.method if limits else ""
