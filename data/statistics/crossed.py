"""Accuracies of people, with intervals for other people and other items.

People and the *sources* of items (the originals that items are made of) are both samples, and every
person answers items of several sources. The residual of an answer counts for its person and for its
source. The weighted residuals, summed by person and by source, give the two variances of the mean;
their sum has Satterthwaite's degrees of freedom. If only one person answered, or only totals are
known, sources alone are a sample, and the interval is for *these people*.
"""

import math
from typing import NamedTuple

import numpy as np

from ..arrays import Floats, Integers, Truths
from .differences import Difference
from .intervals import (
    COVERAGE,
    ROUNDING,
    SOURCES_T,
    Proportion,
    accuracy_interval,
    proportion,
    satterthwaite,
)
from .significance import critical_t, two_sided_p

OVER_BOTH = "Wilson over sources and people"
THESE_PEOPLE = "Wilson over sources, these people"
PEOPLE_T = "Student's t over sources and people"


class Answers(NamedTuple):
    """Numbers of answers by person and item.

    Attributes:
        right: number of right answers, of shape (people, items). The credits of a model are one
            row.
        total: number of all answers, of the same shape.
        owner: number of each item's source (the mined sentence it is made of), from 0; shape
            (items,).
    """

    right: Floats
    total: Floats
    owner: Integers

    def only(self, items: Truths) -> "Answers":
        """Return the answers to the items for which `items` is true.

        People without an answer to any of them are left out, and sources are numbered anew.
        """
        right, total = self.right[:, items], self.total[:, items]
        has_answered = total.any(axis=1)
        _, owner = np.unique(self.owner[items], return_inverse=True)
        return Answers(right[has_answered], total[has_answered], owner.astype(np.int64))

    @property
    def n_people(self) -> int:
        """The number of people."""
        return len(self.total)


class _MeanVariance(NamedTuple):
    """The variance of a weighted mean of answers, by people and by sources (originals of items)."""

    people: float  # variance over people
    n_people: float  # number of equally weighted people that they are worth
    sources: float  # variance over sources
    n_sources: float  # number of equally weighted sources that they are worth
    both: float  # the part of the variance that `people` and `sources` both contain


def _mean_variance(residuals: Floats, shares: Floats, owner: Integers) -> _MeanVariance:
    """Return the parts of the variance of a weighted mean that people and sources cause.

    Residuals are summed by person, by source and by both, and squared. The first two are corrected
    by n / (n − 1), where n is the number of people, or sources, that the weights are worth (Kish).

    Args:
        residuals: the weighted residuals of answers, of shape (people, items).
        shares: the absolute weights of answers, of the same shape.
        owner: the number of each item's source, from 0.
    """
    n_sources = int(owner.max()) + 1
    order = np.argsort(owner, kind="stable")
    starts = np.searchsorted(owner[order], np.arange(n_sources))
    by_source = np.add.reduceat(residuals[:, order], starts, axis=1)  # (people, sources)
    source_shares = np.bincount(owner, shares.sum(axis=0), n_sources)
    person_shares = shares.sum(axis=1)
    total = source_shares.sum()
    # the numbers of people and of sources of equal weight that these are worth
    worth_people = float(total**2 / (person_shares**2).sum())
    worth_sources = float(total**2 / (source_shares**2).sum())

    def variance(sums: Floats, worth: float) -> float:
        """Return the corrected sum of squares; 0 if a single person, or source, is all there is."""
        return float((sums**2).sum()) * worth / (worth - 1) if worth > 1 + ROUNDING else 0.0

    return _MeanVariance(
        people=variance(by_source.sum(axis=1), worth_people),
        n_people=worth_people,
        sources=variance(by_source.sum(axis=0), worth_sources),
        n_sources=worth_sources,
        both=float((by_source**2).sum()),
    )


def people_accuracy(answers: Answers) -> Proportion | None:
    """Return people's accuracy with its 95 % interval over people and sources.

    It is the share of right answers to an item, averaged over items.

    Args:
        answers: answers to items, at least one to each; a single row if only totals are known.

    Returns:
        The mean and its interval; None if the sources are worth fewer than two of equal weight.

    >>> right, total = np.array([[1, 1, 0, 1], [1, 0, 1, 1.0]]), np.ones((2, 4))
    >>> found = people_accuracy(Answers(right, total, np.array([0, 0, 1, 2])))
    >>> found.mean, found.method
    (0.75, 'Wilson over sources and people')
    """
    n_answers = answers.total.sum(axis=0)
    weights = 1.0 / (len(n_answers) * n_answers)
    mean = float((answers.right.sum(axis=0) * weights).sum())
    residuals = (answers.right - mean * answers.total) * weights
    found = _mean_variance(residuals, answers.total * weights, answers.owner)
    if found.n_sources < 2 - ROUNDING:
        return None
    are_people_sampled = answers.n_people > 1
    method = OVER_BOTH if are_people_sampled else THESE_PEOPLE
    if found.people + found.sources <= ROUNDING**2:  # nothing varies
        n = min(found.n_people, found.n_sources) if are_people_sampled else found.n_sources
        return proportion(round(mean, 12), n, n - 1, method)
    variances = found.people, found.sources  # that over people is 0 if there is only one
    df = satterthwaite(variances, (found.n_people - 1, found.n_sources - 1))
    n = min(float(n_answers.sum()), mean * (1 - mean) / sum(variances))
    return proportion(mean, n, df, method)


def majority_credits(right: Floats, total: Floats) -> Floats:
    """Return the credit of the majority for each item: 1 if most answers are right, ½ for a tie,
    else 0; NaN without answers."""
    credits: Floats = np.where(total > 0, (np.sign(2 * right - total) + 1) / 2, np.nan)
    return credits


def majority_accuracy(answers: Answers) -> Proportion | None:
    """Return the share of items that the majority of people answers rightly, a tie counting ½, with
    its 95 % interval over people and sources.

    The share grows with the number of people per item, so it should be reported with that number.

    Args:
        answers: as for `people_accuracy`.

    >>> right, total = np.array([[9, 2, 5, 10.0]]), np.full((1, 4), 10.0)
    >>> majority_accuracy(Answers(right, total, np.array([0, 0, 1, 2]))).mean
    0.625
    """
    right, total = answers.right.sum(axis=0), answers.total.sum(axis=0)
    found = accuracy_interval(majority_credits(right, total), answers.owner.tolist())
    n_people = answers.n_people
    if found is None or n_people < 2 or found.mean in (0.0, 1.0):
        return found
    # the variance over people is a jackknife: the accuracy is computed without each person
    without_person = majority_credits(right - answers.right, total - answers.total)
    deviations = np.nanmean(without_person, axis=1) - found.mean
    spread = found.mean * (1 - found.mean)
    variances = spread / found.n, (n_people - 1) / n_people * float((deviations**2).sum())
    df = satterthwaite(variances, (found.df, n_people - 1))
    return proportion(found.mean, spread / sum(variances), df, OVER_BOTH)


def condition_difference(answers: Answers, is_second: Truths) -> Difference | None:
    """Compare the accuracies in two conditions within sources, such as mined and nonce items.

    Args:
        answers: answers of people, or the credits of a model in one row.
        is_second: whether an item is in the second condition; shape (items,).

    Returns:
        The accuracy in the first condition minus that in the second, averaged over the sources that
        have items in both, with Student's t over sources and people. None without such sources; it
        has no interval and no p if nothing varies or there is only one source.

    >>> right, total = np.array([[1, 0, 1, 1], [1, 1, 1, 0.0]]), np.ones((2, 4))
    >>> found = condition_difference(
    ...     Answers(right, total, np.array([0, 0, 1, 1])), np.array([False, True, False, True]))
    >>> found.value
    0.5
    """
    n_sources = int(answers.owner.max(initial=-1)) + 1
    n_answers = answers.total.sum(axis=0)
    counts = np.stack([  # answered items by condition and source
        np.bincount(answers.owner, (n_answers > 0) & (is_second == condition), n_sources)
        for condition in (False, True)
    ])  # fmt: skip
    compared: Truths = np.asarray((counts > 0).all(axis=0))  # sources with items in both conditions
    kept = compared[answers.owner] & (n_answers > 0)
    if not kept.any():
        return None
    condition = is_second[kept].astype(np.int64)  # 0 first, 1 second
    n_in_source = counts[condition, answers.owner[kept]]  # items of the same source and condition
    weights = 1.0 / (compared.sum() * n_answers[kept] * n_in_source)
    answers = answers.only(kept)
    means = np.bincount(condition, answers.right.sum(axis=0) * weights, 2)
    signed = weights * (1 - 2 * condition)  # the second condition is subtracted
    residuals = (answers.right - means[condition] * answers.total) * signed
    found = _mean_variance(residuals, answers.total * weights, answers.owner)
    first_mean, second_mean = means
    value = float(first_mean - second_mean)
    variance, df, method = found.sources, found.n_sources - 1, SOURCES_T
    if answers.n_people > 1:
        both = found.people + found.sources - found.both  # what both contain is counted once
        variance, method = max(both, found.people, found.sources), PEOPLE_T
        df = min(found.n_people, found.n_sources) - 1
    if variance <= ROUNDING**2 or df < ROUNDING:
        return Difference(value, None, None, method)
    error = math.sqrt(variance)
    half = critical_t(1 - COVERAGE, df) * error
    return Difference.between(value, value - half, value + half, two_sided_p(value / error, df),
                              method)  # fmt: skip
