"""Accuracies and their intervals; means by level.

Three accuracies go by one name in papers: the mean over items (Gulordava et al. 2018, "micro
average"), all answers pooled, and the mean over constructions. They differ, so each has a function.

Two figures go by the name of how far people share the judgment that the makers of the items
intended (Warstadt et al. 2020, §3.4). *Individual*: the share of single judgments that are the
intended one, which can be averaged over items, over constructions (BLiMP's 88.6) or over nothing
(pooled). *Majority*: the share of items of which more people judge right than wrong (BLiMP's 96.4).
With five items a construction the second can only be 80 or 100 % for those that were kept, so both
are told.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import stdev

from ...data.registry import counted
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
    groups = _by_construction(tallies)
    means = [mean for group in groups if (mean := item_accuracy(group)) is not None]
    return math.fsum(means) / len(means) if means else None


def _by_construction(tallies: Iterable[Tally]) -> list[list[Tally]]:
    groups: dict[str, list[Tally]] = {}
    for tally in tallies:
        groups.setdefault(tally.construction, []).append(tally)
    return [*groups.values()]


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


NEEDED, OF = 4, 5  # BLiMP kept a paradigm with the right majority in 4 of its 5 items


@dataclass(frozen=True, slots=True)
class IntendedAgreement:
    """The shares of intended judgments, over the items that have judgments.

    Shares are from 0 to 1 (Warstadt et al. 2020, §3.4).

    Attributes:
        n_judgments: single judgments.
        n_items: items with at least one judgment.
        n_constructions: constructions that these items are of.
        by_item: the share of intended judgments of an item, averaged over items.
        by_construction: the share over all judgments of a construction, averaged over
            constructions.
        pooled: the share over all judgments.
        n_right: items with more right than wrong judgments.
        n_ties: items with as many right as wrong judgments; they are not in `n_right`.
        n_passed: constructions in which at least 4/5 of the items are in `n_right`.
    """

    n_judgments: int
    n_items: int
    n_constructions: int
    by_item: float
    by_construction: float
    pooled: float
    n_right: int
    n_ties: int
    n_passed: int

    @property
    def majority(self) -> float:
        """The share of items with the right majority."""
        return self.n_right / self.n_items

    @property
    def majority_with_half_ties(self) -> float:
        """The same, where a tie counts half."""
        return (self.n_right + self.n_ties / 2) / self.n_items


def agreement_of(tallies: Iterable[Tally]) -> IntendedAgreement | None:
    """Compute how far people share the intended judgment: individual and majority agreement.

    Args:
        tallies: one per item; items with a total of 0 are left out. Items of one construction have
            the same `construction`; those with an empty one are one construction.

    Returns:
        The figures; None where no item has a judgment.

    >>> from colorless_green.humans import Tally
    >>> found = agreement_of([Tally("i1", "s1", "nsubj", "nonce", right=9, total=10),
    ...                       Tally("i2", "s2", "nsubj", "nonce", right=4, total=10)])
    >>> found.by_item, found.majority
    (0.65, 0.5)
    """
    answered = [tally for tally in tallies if tally.total]
    if not answered:
        return None
    groups = _by_construction(answered)
    return IntendedAgreement(
        n_judgments=sum(tally.total for tally in answered),
        n_items=len(answered),
        n_constructions=len(groups),
        by_item=item_accuracy(answered) or 0.0,
        by_construction=math.fsum(pooled_accuracy(group) or 0.0 for group in groups) / len(groups),
        pooled=pooled_accuracy(answered) or 0.0,
        n_right=_n_right(answered),
        n_ties=sum(tally.majority == 0.5 for tally in answered),
        n_passed=sum(OF * _n_right(group) >= NEEDED * len(group) for group in groups),
    )


def sentences(figures: IntendedAgreement) -> Iterator[str]:
    """Yield the figures in words, each with the name that tells which of the two it is."""
    yield (
        f"intended judgment, individual: {figures.by_item:.2%} "
        f"(mean over {counted(figures.n_items, 'item')}), {figures.by_construction:.2%} "
        f"(over {counted(figures.n_constructions, 'construction')}), {figures.pooled:.2%} "
        f"(pooled over {counted(figures.n_judgments, 'judgment')})"
    )
    yield (
        f"intended judgment, majority: {figures.n_right:,} of {counted(figures.n_items, 'item')} "
        f"({figures.majority:.2%}); ties, counted as not right: {figures.n_ties:,} "
        f"(as half: {figures.majority_with_half_ties:.2%}); {figures.n_passed:,} of "
        f"{counted(figures.n_constructions, 'construction')} with it in at least "
        f"{NEEDED / OF:.0%} of the items"
    )


def _n_right(members: list[Tally]) -> int:
    return sum(tally.majority == 1 for tally in members)
