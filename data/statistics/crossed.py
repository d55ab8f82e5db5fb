"""Accuracies of people, who answer items of several sources: both are samples.

An answer's residual counts for its person and for the source of its item. Sums of weighted
residuals by person and by source have each the variance of one of the two samples, and
Satterthwaite's degrees of freedom those of their sum. Where one person answered, or nothing but
totals is known, sources alone are a sample: the figures are of *these people*."""

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
    """Answers counted by person and item.

    Attributes:
        right: right answers, of shape (people, items); of a model its credits, in one row.
        total: all answers, of the same shape.
        owner: number of each item's source, from 0.
    """

    right: Floats
    total: Floats
    owner: Integers

    def only(self, items: Truths) -> "Answers":
        """Return the answers to some of the items, and the people who gave them."""
        right, total = self.right[:, items], self.total[:, items]
        people = total.any(axis=1)
        owner = np.unique(self.owner[items], return_inverse=True)[1].astype(np.int64)
        return Answers(right[people], total[people], owner)

    @property
    def n_people(self) -> int:
        """The number of people."""
        return len(self.total)


class _Variance(NamedTuple):
    """The variances of a weighted mean over people and over sources, how many of one weight they
    are worth, and what both have in common."""

    people: float
    n_people: float
    sources: float
    n_sources: float
    both: float


def _variance(residuals: Floats, shares: Floats, owner: Integers) -> _Variance:
    """Return the variances of a mean by its weighted residuals and the absolute weights of answers,
    both of shape (people, items)."""
    n_sources = int(owner.max()) + 1
    order = np.argsort(owner, kind="stable")
    starts = np.searchsorted(owner[order], np.arange(n_sources))
    cells = np.add.reduceat(residuals[:, order], starts, axis=1)
    source_shares = np.bincount(owner, shares.sum(axis=0), n_sources)
    person_shares = shares.sum(axis=1)
    total = source_shares.sum()
    worth_people = float(total**2 / (person_shares**2).sum())
    worth_sources = float(total**2 / (source_shares**2).sum())
    people, sources = (
        float((cells.sum(axis=axis) ** 2).sum()) * worth / (worth - 1)
        if worth > 1 + ROUNDING
        else 0.0
        for axis, worth in ((1, worth_people), (0, worth_sources))
    )
    return _Variance(people, worth_people, sources, worth_sources, float((cells**2).sum()))


def people_accuracy(answers: Answers) -> Proportion | None:
    """Return the share of right answers within an item, averaged over items, with its 95 % interval
    over people and sources.

    Args:
        answers: to items each of which has one; one row where only totals are known.

    Returns:
        The mean and its interval; None where the sources are worth fewer than two of one size.

    >>> right, total = np.array([[1, 1, 0, 1], [1, 0, 1, 1.0]]), np.ones((2, 4))
    >>> found = people_accuracy(Answers(right, total, np.array([0, 0, 1, 2])))
    >>> found.mean, found.method
    (0.75, 'Wilson over sources and people')
    """
    n_answers = answers.total.sum(axis=0)
    weights = 1.0 / (len(n_answers) * n_answers)
    mean = float((answers.right.sum(axis=0) * weights).sum())
    residuals = (answers.right - mean * answers.total) * weights
    found = _variance(residuals, answers.total * weights, answers.owner)
    if found.n_sources < 2 - ROUNDING:
        return None
    is_sample = answers.n_people > 1
    method = OVER_BOTH if is_sample else THESE_PEOPLE
    if found.people + found.sources <= ROUNDING**2:  # all alike
        n = min(found.n_people, found.n_sources) if is_sample else found.n_sources
        return proportion(round(mean, 12), n, n - 1, method)
    variances = found.people, found.sources
    df = satterthwaite(variances, (found.n_people - 1, found.n_sources - 1))
    n = min(float(n_answers.sum()), mean * (1 - mean) / sum(variances))
    return proportion(mean, n, df, method)


def majority_credits(right: Floats, total: Floats) -> Floats:
    """Return 1 where more answers are right than wrong, ½ of ties, 0 of others, NaN of none."""
    credits: Floats = np.where(total > 0, (np.sign(2 * right - total) + 1) / 2, np.nan)
    return credits


def majority_accuracy(answers: Answers) -> Proportion | None:
    """Return the share of items of which most people are right (ties half), with its 95 % interval
    over people and sources.

    It grows with the number of people an item has, so that it is told with that number.

    Args:
        answers: as `people_accuracy` takes them.

    >>> right, total = np.array([[9, 2, 5, 10.0]]), np.full((1, 4), 10.0)
    >>> majority_accuracy(Answers(right, total, np.array([0, 0, 1, 2]))).mean
    0.625
    """
    right, total = answers.right.sum(axis=0), answers.total.sum(axis=0)
    found = accuracy_interval(majority_credits(right, total), answers.owner.tolist())
    n_people = answers.n_people
    if found is None or n_people < 2 or found.mean in (0.0, 1.0):
        return found
    without = majority_credits(right - answers.right, total - answers.total)
    deviations = np.nanmean(without, axis=1) - found.mean
    spread = found.mean * (1 - found.mean)
    variances = spread / found.n, (n_people - 1) / n_people * float((deviations**2).sum())
    df = satterthwaite(variances, (found.df, n_people - 1))
    return proportion(found.mean, spread / sum(variances), df, OVER_BOTH)


def condition_difference(answers: Answers, is_second: Truths) -> Difference | None:
    """Compare two conditions within sources, as originals with their nonce variants.

    Args:
        answers: of people, or the credits of a model in one row.
        is_second: which items are in the second condition; shape (items,).

    Returns:
        The mean over sources with both conditions of the first's accuracy minus the second's, by
        Student's t over sources and people. None without such sources; no interval and no p where
        nothing varies or there is one source.

    >>> right, total = np.array([[1, 0, 1, 1], [1, 1, 1, 0.0]]), np.ones((2, 4))
    >>> found = condition_difference(
    ...     Answers(right, total, np.array([0, 0, 1, 1])), np.array([False, True, False, True]))
    >>> found.value
    0.5
    """
    n_sources = int(answers.owner.max(initial=-1)) + 1
    n_answers = answers.total.sum(axis=0)
    counts = np.stack([
        np.bincount(answers.owner, (n_answers > 0) & (is_second == second), n_sources)
        for second in (False, True)
    ])  # fmt: skip
    compared: Truths = np.logical_and(counts[0] > 0, counts[1] > 0)
    kept = compared[answers.owner] & (n_answers > 0)
    if not kept.any():
        return None
    second = is_second[kept].astype(np.int64)
    per_source = counts[second, answers.owner[kept]]
    weights = 1.0 / (compared.sum() * n_answers[kept] * per_source)
    answers = answers.only(kept)
    means = np.bincount(second, answers.right.sum(axis=0) * weights, 2)
    signed = weights * (1 - 2 * second)
    residuals = (answers.right - means[second] * answers.total) * signed
    found = _variance(residuals, answers.total * weights, answers.owner)
    value = float(means[0] - means[1])
    variance, df, method = found.sources, found.n_sources - 1, SOURCES_T
    if answers.n_people > 1:
        both = found.people + found.sources - found.both
        variance, method = max(both, found.people, found.sources), PEOPLE_T
        df = min(found.n_people, found.n_sources) - 1
    if variance <= ROUNDING**2 or df < ROUNDING:
        return Difference(value, None, None, method)
    error = math.sqrt(variance)
    half = critical_t(1 - COVERAGE, df) * error
    return Difference.between(value, value - half, value + half, two_sided_p(value / error, df),
                              method)  # fmt: skip
