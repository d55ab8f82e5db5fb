"""The measures that `humans analyse` reports, a module for each sort.

Each module has functions from the results of one suite to `Measure` records.
"""

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
    """The value of one statistic for one rater (people or a model) on some items."""

    statistic: str  # its name
    value: float | None  # None: undefined, and `note` says why
    kind: str = ""  # kind of the items; "" for all kinds
    construction: str = ""  # construction of the items; "" for all constructions
    rater: str = HUMANS  # or a model's name
    level: str = ""  # point of a curve, scale of ratings, or coding of answers
    n: int | None = None  # number of items, unless `note` says of what
    se: float | None = None  # standard error
    limits: Interval | None = None  # 95 % interval, by the method in `note`
    p: float | None = None
    note: str = ""


def tallies_by_kind(results: SuiteResults) -> dict[str, list[Tally]]:
    """Return kind of item (original, nonce, …) → the items of it that people answered."""
    answered = [tally for tally in results.tallies if tally.total]
    return {
        kind: [tally for tally in answered if tally.condition == kind]
        for kind in levels(tally.condition for tally in answered)
    }


def method_name(limits: Limits | None) -> str:
    """Return the name of the method that gave an interval; "" if there is no interval."""
    return limits.method if limits else ""
