"""A component oracle: Laplace's approximation written out with dense matrices, slowly.

−2 log L(β, Λ) ≈ −2 log p(y | û) + ‖û‖² + log det(ΛᵀZᵀWZΛ + I) at the û that maximises the first
two; W holds the variances μ(1 − μ) at û.
"""

from collections.abc import Sequence

import numpy as np

from colorless_green.data.arrays import Floats
from colorless_green.humans.coding import FitData
from colorless_green.humans.mixed import Fit


def parameters(fit: Fit) -> Floats:
    """Coefficients, then the rows of each grouping's Cholesky factor up to the diagonal."""
    values = [each.estimate for each in fit.coefficients]
    for grouping in fit.formula.groupings:
        own = [each for each in fit.spreads if each.grouping == grouping.name]
        correlation = np.eye(len(own))
        for row, each in enumerate(own):
            correlation[row, :row] = correlation[:row, row] = each.correlations
        sds = np.array([each.sd for each in own])
        factor = np.linalg.cholesky(np.outer(sds, sds) * correlation)
        values += [factor[row, column] for row in range(len(own)) for column in range(row + 1)]
    return np.array(values)


def deviance(design: FitData, values: Floats) -> float:
    """At parameters in the order of `parameters`."""
    n_fixed = 1 + len(design.fixed.names)
    eta = np.column_stack([np.ones(len(design.correct)), design.fixed.values]) @ values[:n_fixed]
    loaded = _loaded(design, values[n_fixed:])
    u, mu = np.zeros(loaded.shape[1]), 1 / (1 + np.exp(-eta))
    for _ in range(100):
        gradient = loaded.T @ (design.correct - mu) - u
        curvature = (loaded.T * (mu * (1 - mu))) @ loaded + np.eye(len(u))
        step = np.linalg.solve(curvature, gradient)
        u = u + step
        mu = 1 / (1 + np.exp(-(eta + loaded @ u)))
        if np.abs(step).max() < 1e-12:
            break
    curvature = (loaded.T * (mu * (1 - mu))) @ loaded + np.eye(len(u))
    likelihood = np.log(np.where(design.correct == 1, mu, 1 - mu)).sum()
    return float(-2 * likelihood + u @ u + np.linalg.slogdet(curvature)[1])


def _loaded(design: FitData, factors: Floats) -> Floats:
    """ZΛ, of shape (rows, all random effects)."""
    blocks: list[Floats] = []
    start = 0
    for members, slopes in zip(design.members, design.slopes, strict=True):
        effects = np.column_stack([np.ones(len(members)), slopes.values])
        width = effects.shape[1]
        factor = np.zeros((width, width))
        for row in range(width):
            factor[row, : row + 1] = factors[start : start + row + 1]
            start += row + 1
        own = np.eye(1 + max(members))[list(members)]
        blocks += [own * column[:, None] for column in (effects @ factor).T]
    return np.concatenate(blocks, axis=1)


def gradient(design: FitData, values: Floats, step: float = 1e-4) -> Floats:
    """By central differences."""
    shifts = np.eye(len(values)) * step
    return np.array(
        [
            (deviance(design, values + each) - deviance(design, values - each)) / (2 * step)
            for each in shifts
        ]
    )


def standard_errors(design: FitData, values: Floats, step: float = 1e-3) -> Sequence[float]:
    """Of the coefficients, from half the second differences of the deviance over everything."""
    shifts = np.eye(len(values)) * step
    hessian = np.array(
        [
            (gradient(design, values + each, step) - gradient(design, values - each, step))
            / (2 * step)
            for each in shifts
        ]
    )
    covariance = np.linalg.inv((hessian + hessian.T) / 4)
    n_fixed = 1 + len(design.fixed.names)
    return [float(each) for each in np.sqrt(np.diag(covariance)[:n_fixed])]
