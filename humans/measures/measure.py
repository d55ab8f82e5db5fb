"""Figures of an analysis, with all that is needed to read them, and the data they are drawn
from."""

from collections.abc import Iterator
from dataclasses import dataclass

from ...data import schema
from ...data.statistics.intervals import Interval, Limits
from ..collection.collect import SuiteResults
from ..judgments.judgment import Tally, levels
from ..statistics.accuracy_estimates import Estimate
from ..statistics.rater_accuracy import HUMANS

COLUMNS = schema.MEASURES


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


@dataclass(frozen=True, slots=True)
class Stratum:
    """The answered items of a kind and construction; empty names are all."""

    kind: str
    construction: str
    tallies: tuple[Tally, ...]


def totals(results: SuiteResults) -> Iterator[Stratum]:
    """Yield the answered items of each kind."""
    answered = tuple(tally for tally in results.tallies if tally.total)
    for kind in levels(tally.condition for tally in answered):
        yield Stratum(kind, "", tuple(tally for tally in answered if tally.condition == kind))


def constructions(results: SuiteResults) -> Iterator[Stratum]:
    """Yield each kind's constructions, by name."""
    for cell in totals(results):
        if cell.kind:
            for name in sorted({tally.construction for tally in cell.tallies} - {""}):
                tallies = tuple(tally for tally in cell.tallies if tally.construction == name)
                yield Stratum(cell.kind, name, tallies)


def method(limits: Limits | None) -> str:
    """Return the name of the method of an interval; empty without one."""
    return limits.method if limits else ""
