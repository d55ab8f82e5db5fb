"""The test of a difference between two conditions in a logit mixed model, for many made-up studies.

The model has an intercept for every person and every source, crossed; sources get a slope of the
difference too where the world has one, for without it their variance would pass for evidence (Barr
et al. 2013). The test is the likelihood ratio on the difference; with slopes Wald's, as in
`mixed.term_tests`.
"""

import math
from dataclasses import dataclass

import numpy as np

from colorless_green.data.arrays import Floats
from colorless_green.humans.coding import Coded, Columns
from colorless_green.humans.laplace import Indices
from colorless_green.humans.mixed import maximised
from colorless_green.humans.penalised import penalised

NAME = "second"
WIDE = 10.0  # SD in log-odds of a prior under which the deviance is within 0.2 of its limit


@dataclass(frozen=True, slots=True)
class Judged:
    """The answers of a study: each right or not, in the second condition or not, by whom, on which
    source. People and sources are numbers in any order, all arrays of shape (answers,)."""

    right: Floats  # 0 or 1
    second: Floats  # 0 or 1
    people: Indices
    sources: Indices


def effect_p(judged: Judged, *, with_slopes: bool) -> float:
    """The p of the difference, two-sided; 1 where there is nothing to compare: one condition, one
    person, one source, or answers that are all alike.

    Where all answers in one condition are alike the difference has no finite estimate, but its
    likelihood ratio has a limit: it is taken under a very wide prior.
    """
    columns = (judged.right, judged.second, judged.people, judged.sources)
    if any(len(np.unique(each)) < 2 for each in columns):
        return 1.0
    separated = any(
        len(np.unique(judged.right[judged.second == condition])) < 2 for condition in (0, 1)
    )
    whole, null = (_coded(judged, tested, with_slopes) for tested in (True, False))
    if separated:
        ratio = penalised(whole, WIDE).log_likelihood - penalised(null, WIDE).log_likelihood
    elif with_slopes:
        found = maximised(whole)
        variance = found.covariance[1][1]
        ratio = found.coefficients[1] ** 2 / variance / 2 if variance > 0 else 0.0
    else:
        ratio = maximised(whole).log_likelihood - maximised(null).log_likelihood
    if not ratio > 0:  # two optimisers' stops, or no likelihood at all: no evidence either way
        return 1.0
    return math.erfc(math.sqrt(ratio))  # of χ² = 2 · ratio with one degree of freedom


def _coded(judged: Judged, tested: bool, with_slopes: bool) -> Coded:
    """The design with or without the difference among its coefficients."""
    none = Columns((), (), np.empty((len(judged.right), 0)))
    second = Columns((NAME,), ((NAME,),), judged.second[:, None])
    return Coded(
        correct=judged.right,
        fixed=second if tested else none,
        members=(_numbered(judged.people), _numbered(judged.sources)),
        slopes=(none, second if with_slopes else none),
    )


def _numbered(members: Indices) -> tuple[int, ...]:
    """From 0, without gaps."""
    return tuple(int(each) for each in np.unique(members, return_inverse=True)[1])
