"""What `humans analyse` tells, one kind of measure a file: a suite's results in, figures out."""

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
    """The answered items of a kind."""

    kind: str
    tallies: tuple[Tally, ...]


def totals(results: SuiteResults) -> Iterator[Stratum]:
    """Yield the answered items of each kind."""
    answered = tuple(tally for tally in results.tallies if tally.total)
    for kind in levels(tally.condition for tally in answered):
        yield Stratum(kind, tuple(tally for tally in answered if tally.condition == kind))


def method(limits: Limits | None) -> str:
    """Return the name of the method of an interval; empty without one."""
    return limits.method if limits else ""
