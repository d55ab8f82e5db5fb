"""Accuracies and their intervals; means by level.

Three accuracies go by one name in papers: the mean over items (Gulordava et al. 2018, "micro
average"), all answers pooled, and the mean over constructions. They differ, so each has a function.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import stdev

from ...data.statistics.crossed import people_accuracy
from ...data.statistics.intervals import Interval, Proportion
from ...data.tables import Row
from ..judgments.judgment import TRIALS, Tally, no_rows
from .people import AnswerTable


class Estimate:
    """A figure with a 95 % interval, where there is one, and a row of a table."""

    __slots__ = ()
    limits: Interval | None

    @property
    def low(self) -> float | None:
        """The lower end of the interval."""
        return self.limits.low if self.limits else None

    @property
    def high(self) -> float | None:
        """The upper end of the interval."""
        return self.limits.high if self.limits else None

    def as_row(self, columns: Iterable[str]) -> Row:
        """Return the values of these columns."""
        return {name: getattr(self, name) for name in columns}


def item_accuracy(tallies: Sequence[Tally]) -> float | None:
    """Compute the share of right answers of each item, averaged over items.

    This is the accuracy of Gulordava et al. 2018, §5.

    Args:
        tallies: one per item; items without answers are left out.

    Returns:
        From 0 to 1; None where no item has an answer.

    >>> from colorless_green.humans import Tally
    >>> tallies = [Tally("i1", "s1", "nsubj", "nonce", right=9, total=10),
    ...            Tally("i2", "s2", "nsubj", "nonce", right=2, total=4)]
    >>> item_accuracy(tallies)
    0.7
    """
    shares = [tally.share for tally in tallies if tally.total]
    return math.fsum(shares) / len(shares) if shares else None


def pooled_accuracy(tallies: Sequence[Tally]) -> float | None:
    """Compute the share of right answers among all answers.

    Items with more answers weigh more, so it differs from `item_accuracy` where their number
    varies.

    Args:
        tallies: one per item.

    Returns:
        From 0 to 1; None without answers.

    >>> from colorless_green.humans import Tally
    >>> tallies = [Tally("i1", "s1", "nsubj", "nonce", right=9, total=10),
    ...            Tally("i2", "s2", "nsubj", "nonce", right=2, total=4)]
    >>> round(pooled_accuracy(tallies), 3)
    0.786
    """
    total = sum(tally.total for tally in tallies)
    return sum(tally.right for tally in tallies) / total if total else None


def construction_accuracy(tallies: Sequence[Tally]) -> float | None:
    """Return the mean over constructions of their `item_accuracy`; None without answers.

    Rare constructions weigh as much as frequent ones. Items without a construction make one.
    """
    by_name: dict[str, list[Tally]] = {}
    for tally in tallies:
        by_name.setdefault(tally.construction, []).append(tally)
    means = [mean for group in by_name.values() if (mean := item_accuracy(group)) is not None]
    return math.fsum(means) / len(means) if means else None


NO_ONE = AnswerTable.of(no_rows(TRIALS))


def item_interval(tallies: Sequence[Tally], answers: AnswerTable = NO_ONE) -> Proportion | None:
    """Compute the 95 % interval of `item_accuracy`: Wilson's, over people and sources.

    Args:
        tallies: one per item; items without answers are left out.
        answers: the single answers, if they are known; else the interval is over sources, of these
            people.

    Returns:
        The mean and its interval; None where the sources are worth fewer than two of one size.

    >>> from colorless_green.humans import Tally
    >>> tallies = [Tally("i1", "s1", "nsubj", "nonce", right=9, total=10),
    ...            Tally("i2", "s2", "nsubj", "nonce", right=2, total=4)]
    >>> found = item_interval(tallies)
    >>> round(found.mean, 3), found.method
    (0.7, 'Wilson over sources, these people')
    """
    answered = [tally for tally in tallies if tally.total]
    return people_accuracy(answers.to(answered)) if answered else None


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The items that have one value."""

    level: str  # "0", "1", …; "3+" for that many or more
    n_items: int
    mean: float
    se: float | None  # standard error over items, sd (n − 1) / √n; None for a single item


def curve(levels: Sequence[int], values: Sequence[float], *, limit: int) -> tuple[CurvePoint, ...]:
    """Return means of `values` for each of `levels`, in rising order; those from `limit` on are one
    point.

    The standard error is that of Gulordava et al. 2018, Figure 2: over items, as if those of one
    source were independent. A level without items has no point.
    """
    groups: dict[int, list[float]] = {}
    for level, value in zip(levels, values, strict=True):
        groups.setdefault(min(level, limit), []).append(value)
    return tuple(
        CurvePoint(
            level=f"{level}+" if level == limit else str(level),
            n_items=len(group),
            mean=math.fsum(group) / len(group),
            se=stdev(group) / math.sqrt(len(group)) if len(group) > 1 else None,
        )
        for level, group in sorted(groups.items())
    )
