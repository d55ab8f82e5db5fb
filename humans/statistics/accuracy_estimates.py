"""Accuracies and their intervals; means by level.

Three accuracies go by one name in papers: the mean over items (Gulordava et al. 2018, "micro
average"), all answers pooled, and the mean over constructions. They differ, so each has a function.

Two numbers measure how often people give the judgment that the makers of the items intended
(Warstadt et al. 2020, §3.4). *Individual agreement* is the share of single judgments that are the
intended one; it can be averaged over items, averaged over constructions (88.6 % in BLiMP), or
computed over all judgments at once (pooled). *Majority agreement* is the share of items that more
people judge right than wrong (96.4 % in BLiMP). BLiMP has five items per construction, so that the
majority agreement of a construction that was kept can only be 80 or 100 %: we report both.
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
    """The base of records that have a 95 % interval (or None) and can be a row of a table."""

    __slots__ = ()
    limits: Interval | None

    @property
    def low(self) -> float | None:
        """The lower end of the 95 % interval; None without an interval."""
        return self.limits.low if self.limits else None

    @property
    def high(self) -> float | None:
        """The upper end of the 95 % interval; None without an interval."""
        return self.limits.high if self.limits else None

    def as_row(self, columns: Iterable[str]) -> Row:
        """Return the record as a row: column → the value of the attribute with that name."""
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
    """Compute `item_accuracy` for each construction and average the results over constructions.

    Rare constructions weigh as much as frequent ones. Items without a construction count together
    as one construction. The mean is None if no item has an answer.
    """
    groups = _by_construction(tallies)
    means = [mean for group in groups if (mean := item_accuracy(group)) is not None]
    return math.fsum(means) / len(means) if means else None


def _by_construction(tallies: Iterable[Tally]) -> list[list[Tally]]:
    """Return the tallies (counts of answers to an item) in groups, one for each construction."""
    groups: dict[str, list[Tally]] = {}
    for tally in tallies:
        groups.setdefault(tally.construction, []).append(tally)
    return [*groups.values()]


NO_ANSWERS = AnswerTable.of(no_rows(TRIALS))  # the table of nobody's answers


def item_interval(tallies: Sequence[Tally], answers: AnswerTable = NO_ANSWERS) -> Proportion | None:
    """Compute the 95 % interval of `item_accuracy`: Wilson's, over people and sources.

    Args:
        tallies: one per item; items without answers are left out.
        answers: every single answer. Without them the interval is over sources only and holds for
            these people alone.

    Returns:
        The mean and its interval; None if, weighted by their sizes, there are effectively fewer
        than two sources.

    >>> from colorless_green.humans import Tally
    >>> tallies = [Tally("i1", "s1", "nsubj", "nonce", right=9, total=10),
    ...            Tally("i2", "s2", "nsubj", "nonce", right=2, total=4)]
    >>> found = item_interval(tallies)
    >>> round(found.mean, 3), found.method
    (0.7, 'Wilson over sources, these people')
    """
    answered = [tally for tally in tallies if tally.total]
    return people_accuracy(answers.answers_to(answered)) if answered else None


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A point of a curve: the mean over all items with the same level, such as two attractors."""

    level: str  # "0", "1", …; "3+" means 3 or more
    n_items: int
    mean: float
    se: float | None  # standard error of the mean over items; None for a single item


def curve(levels: Sequence[int], values: Sequence[float], *, limit: int) -> tuple[CurvePoint, ...]:
    """Average the values of items by level, such as their accuracies by number of attractors.

    `levels` and `values` have one entry per item. The points come in rising order of level; all
    levels from `limit` on make one point, and a level without items has none. The standard error is
    that of Gulordava et al. 2018, Figure 2: it treats items of one source as independent.
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


# BLiMP kept a paradigm if most people were right on at least 4 of its 5 items
MIN_RIGHT, PER_PARADIGM = 4, 5


@dataclass(frozen=True, slots=True)
class IntendedAgreement:
    """The frequency with which people give the intended judgment (Warstadt et al. 2020, §3.4).

    All shares are from 0 to 1 and cover only the items that have judgments.

    Attributes:
        n_judgments: single judgments.
        n_items: items with at least one judgment.
        n_constructions: constructions of these items.
        by_item: the share of intended judgments on each item, averaged over items.
        by_construction: the share of intended judgments on each construction, averaged over
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
        """The share of items on which most people give the intended judgment."""
        return self.n_right / self.n_items

    @property
    def majority_with_half_ties(self) -> float:
        """The share of items on which most people give the intended judgment; a tie counts half."""
        return (self.n_right + self.n_ties / 2) / self.n_items


def agreement_of(tallies: Iterable[Tally]) -> IntendedAgreement | None:
    """Compute how often people give the intended judgment: individual and majority agreement.

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
        n_passed=sum(PER_PARADIGM * _n_right(group) >= MIN_RIGHT * len(group) for group in groups),
    )


def agreement_sentences(agreement: IntendedAgreement) -> Iterator[str]:
    """Yield two sentences for the user: one on individual agreement, one on majority agreement."""
    items = counted(agreement.n_items, "item")
    constructions = counted(agreement.n_constructions, "construction")
    yield (
        f"intended judgment, individual: {agreement.by_item:.2%} (mean over {items}), "
        f"{agreement.by_construction:.2%} (over {constructions}), {agreement.pooled:.2%} "
        f"(pooled over {counted(agreement.n_judgments, 'judgment')})"
    )
    yield (
        f"intended judgment, majority: {agreement.n_right:,} of {items} "
        f"({agreement.majority:.2%}); ties, counted as not right: {agreement.n_ties:,} "
        f"(as half: {agreement.majority_with_half_ties:.2%}); {agreement.n_passed:,} of "
        f"{constructions} with it in at least {MIN_RIGHT / PER_PARADIGM:.0%} of the items"
    )


def _n_right(tallies: list[Tally]) -> int:
    """Count the items on which right answers outnumber wrong ones."""
    return sum(tally.majority == 1 for tally in tallies)
