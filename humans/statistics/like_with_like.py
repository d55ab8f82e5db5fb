"""People and a model compared by measures of the same kind.

A model's choice of the more probable form has no noise; a person's answer has. So the choice is
held against the *majority* of people, and people's share of right answers against the share of the
probability of both forms that the model gives to the right one. The first understates people, the
more so the fewer they are; the second changes with a model's temperature although no choice does.
What both say is concluded, and nothing else; a share is never held against choices.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ...data.statistics.crossed import Answers, majority_accuracy, people_accuracy
from ...data.statistics.differences import Difference, square_and_add
from ...data.statistics.intervals import Proportion, accuracy_interval

MAJORITY, SHARE = "majority − choice", "share − choice share"
FEW_RATERS = 5  # with fewer an item, a majority says little
PEOPLE, MODEL = "people", "model"  # that are better


@dataclass(frozen=True, slots=True)
class LikeWithLike:
    """People minus a model, by both measures, where there are both.

    Attributes:
        raters: answers an item, in the mean.
        majority: share of items of which most people are right minus that of which the model is.
        share: people's share of right answers minus the model's choice share.
    """

    raters: float
    majority: Difference | None
    share: Difference | None

    @property
    def measure(self) -> str:
        """The measure of the headline: `MAJORITY`, of few raters `SHARE`; empty without any."""
        order = [(MAJORITY, self.majority), (SHARE, self.share)]
        if self.raters < FEW_RATERS:
            order.reverse()
        return next((name for name, difference in order if difference is not None), "")

    @property
    def headline(self) -> Difference | None:
        """The difference by the measure of the headline."""
        return self.majority if self.measure == MAJORITY else self.share

    @property
    def better(self) -> str:
        """`PEOPLE` or `MODEL` where both intervals are on one side of 0; else empty."""
        if self.majority is None or self.share is None or self.majority.sign != self.share.sign:
            return ""
        return {1: PEOPLE, -1: MODEL}.get(self.share.sign, "")


def choice_share(margin: float) -> float:
    """Return the share of the right form in the probability of both, by its margin in bits.

    >>> choice_share(1.0)
    0.6666666666666666
    """
    if margin < -1_000:
        return 0.0
    return 1.0 / (1.0 + math.pow(2.0, -margin))


def choice_interval(shares: Sequence[float], sources: Sequence[str]) -> Proportion | None:
    """Return the mean choice share with its interval over sources: shares vary less than
    choices."""
    return accuracy_interval(shares, sources, least_effect=0.0)


@dataclass(frozen=True, slots=True)
class PeopleFigures:
    """People's accuracies on some items, by both measures.

    Attributes:
        raters: answers an item, in the mean.
        majority: share of items of which most people are right, ties half.
        share: share of right answers within an item, averaged over items.
    """

    raters: float
    majority: Proportion | None
    share: Proportion | None

    @staticmethod
    def of(answers: Answers) -> "PeopleFigures":
        """Return the figures of answers to items each of which has one."""
        raters = float(answers.total.sum()) / answers.total.shape[1]
        return PeopleFigures(raters, majority_accuracy(answers), people_accuracy(answers))

    def minus(self, accuracy: Proportion | None, choices: Proportion | None) -> LikeWithLike:
        """Compare people with a model on the same items.

        Args:
            accuracy: the model's.
            choices: its mean choice share, where it is known.
        """
        majority, share = (
            square_and_add(own, other) if own is not None and other is not None else None
            for own, other in ((self.majority, accuracy), (self.share, choices))
        )
        return LikeWithLike(self.raters, majority, share)
