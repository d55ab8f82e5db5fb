"""A logit mixed model whose coefficients have a weak prior: finite where answers are separated.

The prior is normal around 0, with one standard deviation for every coefficient but the intercept,
on the predictors as they are coded (a margin is standardised; a condition is a difference between
two). What is maximised is Laplace's approximation (`laplace.py`) plus the prior's log-density: the
mode of the posterior for given coefficients and spreads, as `blme` has it (Chung et al. 2013; the
scale 2.5 is that of Gelman et al. 2008).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from colorless_green.data.arrays import Floats
from colorless_green.humans.coding import FitData
from colorless_green.humans.laplace import Indices, LaplaceProblem, deviance_at, problem_of

MOST_ITERATIONS = 1_000
STEP = 1e-4  # of central differences of an exact slope: second derivatives are good to 1e-6
FLAT = 0.01  # the slope of a stop that counts as a minimum; likelihoods then agree to 1e-5
NOTHING = 1e-3  # a factor of a random effect is 0 if it is below and the fit loses less than LOST
LOST = 1e-6

Criterion: TypeAlias = Callable[[Floats], tuple[float, Floats]]
"""Parameters → what is to be made small, and its slope."""


@dataclass(frozen=True, slots=True)
class Estimates:
    """What a fit finds, whoever fits. Groupings stand as in the design."""

    coefficients: tuple[float, ...]  # the intercept first
    covariance: tuple[tuple[float, ...], ...]  # of the coefficients
    spreads: tuple[tuple[float, ...], ...]  # by grouping: standard deviations
    correlations: tuple[tuple[tuple[float, ...], ...], ...]  # by grouping and effect, with the
    # effects before it; nan where one of the two does not vary
    log_likelihood: float
    n_parameters: int
    singular: bool
    converged: bool


def penalised(design: FitData, sd: float) -> Estimates:
    """The fit under a prior with standard deviation `sd`, in log-odds.

    The log-likelihood is Laplace's at these estimates, without the prior: a little below the
    largest there is. The covariance is the inverse of half the second derivatives over all
    parameters, the prior's included. `design` has no aliased column, and right answers as well as
    wrong ones.
    """
    problem, order = problem_of(design)
    criterion = _criterion(problem, sd)
    values = _without_nothing(problem, _minimum(problem, criterion), criterion)
    free = _free(problem, values)
    hessian = _second_derivatives(criterion, values, free)
    n_fixed = problem.fixed.shape[1]
    covariance = np.linalg.pinv(hessian / 2, hermitian=True)[:n_fixed, :n_fixed]
    factors = problem.factors(values)
    in_order = [factors[order.index(place)] for place in range(len(order))]
    reached, slope = criterion(values)
    return Estimates(
        coefficients=tuple(map(float, values[:n_fixed])),
        covariance=tuple(tuple(map(float, row)) for row in covariance),
        spreads=tuple(tuple(map(float, np.linalg.norm(factor, axis=1))) for factor in in_order),
        correlations=tuple(map(_correlations, in_order)),
        log_likelihood=(_penalty(values, n_fixed, sd)[0] - reached) / 2,
        n_parameters=len(values),
        singular=any(bool(np.abs(np.diag(factor)).min() < NOTHING) for factor in factors),
        converged=bool(np.linalg.eigvalsh(hessian).min() > 0 and np.abs(slope[free]).max() < FLAT),
    )


def _criterion(problem: LaplaceProblem, sd: float) -> Criterion:
    """−2 log-likelihood − 2 log-density of the prior (but for a constant). The search for the modes
    of random effects goes on from where the last one ended."""
    latest = np.zeros(problem.n_effects)
    n_fixed = problem.fixed.shape[1]

    def at(values: Floats) -> tuple[float, Floats]:
        nonlocal latest
        fit = deviance_at(problem, values, latest)
        latest = fit.modes
        added, slope = _penalty(values, n_fixed, sd)
        return fit.deviance + added, fit.slope + slope

    return at


def _penalty(values: Floats, n_fixed: int, sd: float) -> tuple[float, Floats]:
    """Σ β²/sd² over coefficients but the intercept, and its slope along all parameters."""
    slope = np.zeros_like(values)
    slope[1:n_fixed] = 2 * values[1:n_fixed] / sd**2
    return float(values @ slope) / 2, slope


def _minimum(problem: LaplaceProblem, criterion: Criterion) -> Floats:
    """Where the criterion is least, from the share of right answers and spreads of 1."""
    from scipy.optimize import minimize

    share = float(problem.correct.mean())
    start = [np.log(share / (1 - share)), *[0.0] * (problem.fixed.shape[1] - 1)]
    for width in problem.widths:
        start += list(np.eye(width)[np.tril_indices(width)])
    optimum = minimize(
        criterion,
        np.array(start),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": MOST_ITERATIONS, "ftol": 1e-14, "gtol": 1e-5, "maxcor": 30},
    )
    return np.asarray(optimum.x)


def _without_nothing(problem: LaplaceProblem, values: Floats, criterion: Criterion) -> Floats:
    """Random effects that have come next to 0 set to 0 where nothing is lost by it. The sign of a
    factor's column says nothing, so there is no bound at 0 that a search could stick to."""
    for places in _columns(problem):
        if np.abs(values[places]).max() < NOTHING:
            other = values.copy()
            other[places] = 0.0
            if criterion(other)[0] <= criterion(values)[0] + LOST:
                values = other
    return values


def _columns(problem: LaplaceProblem) -> Sequence[Indices]:
    """By grouping and effect: the places among the parameters of what multiplies its u."""
    places, start = [], problem.fixed.shape[1]
    for width in problem.widths:
        columns = np.tril_indices(width)[1]
        places += [start + np.flatnonzero(columns == column) for column in range(width)]
        start += len(columns)
    return places


def _free(problem: LaplaceProblem, values: Floats) -> Indices:
    """The places of parameters that can move: not those of random effects that are 0."""
    still = [place for places in _columns(problem) if not values[places].any() for place in places]
    return np.setdiff1d(np.arange(len(values)), still)


def _second_derivatives(criterion: Criterion, values: Floats, free: Indices) -> Floats:
    """Of the criterion along the free parameters, by central differences of its slope."""
    shifts = np.eye(len(values))[free] * STEP
    rows = [criterion(values + shift)[1] - criterion(values - shift)[1] for shift in shifts]
    hessian = np.array(rows)[:, free] / (2 * STEP)
    result: Floats = (hessian + hessian.T) / 2
    return result


def _correlations(factor: Floats) -> tuple[tuple[float, ...], ...]:
    """Of each effect with those before it."""
    covariance = factor @ factor.T
    deviations = np.sqrt(np.diag(covariance))
    with np.errstate(invalid="ignore"):
        correlations = covariance / np.outer(deviations, deviations)
    return tuple(tuple(map(float, row[:place])) for place, row in enumerate(correlations))
