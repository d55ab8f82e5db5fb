"""Laplace's approximation to the likelihood of a logit mixed model, with its slope.

With effects b = Λu, u ~ N(0, I), of people and sources, and M = ZΛ,

    −2 log L(β, Λ) ≈ D = −2 log p(y | û) + ‖û‖² + log det H,    H = MᵀWM + I,

at the û that minimises the first two terms; W holds the variances μ(1 − μ) there. Of H the part of
the grouping with most members consists of a small block for each of them. It is eliminated, so that
what is factored is as large as the other groupings together. Groupings stand here with that one
first.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from colorless_green.data.arrays import Floats
from colorless_green.humans.coding import FitData

Indices: TypeAlias = NDArray[np.intp]

CLOSE = 1e-9  # Newton's last step; its square is what is then lacking
MOST_STEPS, MOST_HALVINGS = 200, 40


@dataclass(frozen=True, slots=True)
class LaplaceProblem:
    """Answers, and what they may depend on. A *slot* is one effect of one grouping: its intercept,
    or a slope. Effects of all members stand in one row: `columns` says where each row's are."""

    correct: Floats  # (rows,): 0 or 1
    fixed: Floats  # (rows, coefficients): the intercept first
    multiplied: tuple[Floats, ...]  # by grouping, (rows, slots): 1, then the slopes' variables
    sizes: tuple[int, ...]  # by grouping: members
    columns: Indices  # (rows, slots of all groupings)

    @property
    def widths(self) -> tuple[int, ...]:
        """Slots of each grouping."""
        return tuple(matrix.shape[1] for matrix in self.multiplied)

    @property
    def n_eliminated(self) -> int:
        """Effects of the first grouping."""
        return self.sizes[0] * self.widths[0]

    @property
    def n_effects(self) -> int:
        """Effects of all members of all groupings."""
        return sum(size * width for size, width in zip(self.sizes, self.widths, strict=True))

    def factors(self, values: Floats) -> list[Floats]:
        """Λ's lower triangles, one for each grouping, of the parameters (coefficients, then the
        triangles row by row)."""
        triangles, start = [], self.fixed.shape[1]
        for width in self.widths:
            factor = np.zeros((width, width))
            rows, places = np.tril_indices(width)
            factor[rows, places] = values[start : start + len(rows)]
            start += len(rows)
            triangles.append(factor)
        return triangles


def problem_of(design: FitData) -> tuple[LaplaceProblem, tuple[int, ...]]:
    """The design as numbers, and which of its groupings stands at each place."""
    sizes = [1 + max(members) for members in design.members]
    order = tuple(sorted(range(len(sizes)), key=lambda place: -sizes[place]))
    multiplied, columns, start = [], [], 0
    for place in order:
        members = np.array(design.members[place])
        matrix = np.column_stack([np.ones(len(members)), design.slopes[place].values])
        width = matrix.shape[1]
        multiplied.append(matrix)
        columns.append(start + members[:, None] * width + np.arange(width))
        start += sizes[place] * width
    problem = LaplaceProblem(
        correct=design.correct,
        fixed=np.column_stack([np.ones(len(design.correct)), design.fixed.values]),
        multiplied=tuple(multiplied),
        sizes=tuple(sizes[place] for place in order),
        columns=np.concatenate(columns, axis=1),
    )
    return problem, order


@dataclass(frozen=True, slots=True)
class Deviance:
    """D at some parameters, its slope along them, and the û it was found at."""

    deviance: float
    slope: Floats  # (parameters,)
    modes: Floats  # (effects,)


def deviance_at(problem: LaplaceProblem, values: Floats, start: Floats) -> Deviance:
    """D at `values`; `start` is where the search for û begins (zeros, or the modes found nearby).

    The slope is exact: û moves with the parameters, and with it W and log det H.
    """
    factors = problem.factors(values)
    loaded = np.concatenate(
        [matrix @ factor for matrix, factor in zip(problem.multiplied, factors, strict=True)],
        axis=1,
    )
    eta = problem.fixed @ values[: problem.fixed.shape[1]]
    modes, curved = _modes(problem, loaded, eta, start)
    mu = _logistic(eta + _of_rows(problem, loaded, modes))
    weights, residuals = mu * (1 - mu), problem.correct - mu
    reach = curved.reach(problem, loaded)
    drift = weights * (1 - 2 * mu) * (loaded * reach).sum(axis=1)  # of log det H along η
    moved = curved.solve(_of_effects(problem, loaded, drift))
    along = -2 * residuals + drift - weights * _of_rows(problem, loaded, moved)
    slots = (
        along[:, None] * modes[problem.columns]
        + 2 * weights[:, None] * reach
        + residuals[:, None] * moved[problem.columns]
    )
    slope = [problem.fixed.T @ along]
    begin = 0
    for matrix, width in zip(problem.multiplied, problem.widths, strict=True):
        slope.append((matrix.T @ slots[:, begin : begin + width])[np.tril_indices(width)])
        begin += width
    deviance = _penalised(problem, loaded, eta, modes) + curved.log_determinant
    return Deviance(deviance, np.concatenate(slope), modes)


def _modes(
    problem: LaplaceProblem, loaded: Floats, eta: Floats, start: Floats
) -> tuple[Floats, "Curvature"]:
    """û by Newton's method, with steps halved where they overshoot, and H there."""
    modes = start
    for _ in range(MOST_STEPS):
        mu = _logistic(eta + _of_rows(problem, loaded, modes))
        curved = _curvature(problem, loaded, mu * (1 - mu))
        step = curved.solve(_of_effects(problem, loaded, problem.correct - mu) - modes)
        if np.abs(step).max() < CLOSE:
            break
        before = _penalised(problem, loaded, eta, modes)
        for _ in range(MOST_HALVINGS):
            if _penalised(problem, loaded, eta, modes + step) <= before:
                break
            step = step / 2
        modes = modes + step
    return modes, curved


def _penalised(problem: LaplaceProblem, loaded: Floats, eta: Floats, modes: Floats) -> float:
    """−2 log p(y | u) + ‖u‖²."""
    log_odds = eta + _of_rows(problem, loaded, modes)
    losses = np.logaddexp(0.0, (1 - 2 * problem.correct) * log_odds)
    return float(2 * losses.sum() + modes @ modes)


def _of_rows(problem: LaplaceProblem, loaded: Floats, effects: Floats) -> Floats:
    """M · effects, of shape (rows,)."""
    result: Floats = (loaded * effects[problem.columns]).sum(axis=1)
    return result


def _of_effects(problem: LaplaceProblem, loaded: Floats, rows: Floats) -> Floats:
    """Mᵀ · rows, of shape (effects,)."""
    weights = (loaded * rows[:, None]).ravel()
    return np.bincount(problem.columns.ravel(), weights, problem.n_effects).astype(float)


def _logistic(log_odds: Floats) -> Floats:
    result: Floats = np.exp(-np.logaddexp(0.0, -log_odds))
    return result


@dataclass(frozen=True, slots=True)
class Curvature:
    """H, factored: blocks of the first grouping, and Schur's complement of the others."""

    inverse: Floats  # (members, slots, slots): of each block of the first grouping
    hung: Floats  # (effects of the first, of the others): the blocks' inverse times their side of H
    rest: Floats  # the inverse of Schur's complement
    log_determinant: float

    def solve(self, effects: Floats) -> Floats:
        """H⁻¹ · effects."""
        n, (size, width, _) = len(self.hung), self.inverse.shape
        others = self.rest @ (effects[n:] - self.hung.T @ effects[:n])
        first = (self.inverse @ effects[:n].reshape(size, width, 1)).ravel() - self.hung @ others
        return np.concatenate([first, others])

    def reach(self, problem: LaplaceProblem, loaded: Floats) -> Floats:
        """H⁻¹Mᵀ at each row's own slots, of shape (rows, slots)."""
        n, (size, width, _) = len(self.hung), self.inverse.shape
        across = self.hung @ self.rest
        blocks = self.inverse + across.reshape(size, width, -1) @ self.hung.reshape(
            size, width, -1
        ).transpose(0, 2, 1)
        product = np.zeros_like(loaded)
        for one in range(loaded.shape[1]):
            for other in range(loaded.shape[1]):
                a, b = problem.columns[:, one], problem.columns[:, other]
                if one < width and other < width:
                    entry = blocks[a // width, one, other]
                elif one < width:
                    entry = -across[a, b - n]
                elif other < width:
                    entry = -across[b, a - n]
                else:
                    entry = self.rest[a - n, b - n]
                product[:, one] += entry * loaded[:, other]
        return product


def _curvature(problem: LaplaceProblem, loaded: Floats, weights: Floats) -> Curvature:
    """H where W holds `weights`."""
    n, width = problem.n_eliminated, problem.widths[0]
    q = problem.n_effects - n
    first, others = problem.columns[:, :width], problem.columns[:, width:] - n
    of_first, of_others = loaded[:, :width], loaded[:, width:]
    blocks = _sums(first, first % width, of_first, of_first, weights, n, width)
    blocks = blocks.reshape(problem.sizes[0], width, width) + np.eye(width)
    side = _sums(first, others, of_first, of_others, weights, n, q)
    corner = _sums(others, others, of_others, of_others, weights, q, q) + np.eye(q)
    inverse = np.linalg.inv(blocks).astype(float)
    hung = (inverse @ side.reshape(problem.sizes[0], width, q)).reshape(n, q)
    lower = np.linalg.cholesky(corner - side.T @ hung)
    back = np.linalg.inv(lower)
    determinant = np.linalg.slogdet(blocks)[1].sum() + 2 * np.log(np.diag(lower)).sum()
    return Curvature(inverse, hung, back.T @ back, float(determinant))


def _sums(
    rows: Indices,
    columns: Indices,
    left: Floats,
    right: Floats,
    weights: Floats,
    n_rows: int,
    n_columns: int,
) -> Floats:
    """A matrix: for each answer and pair of slots, the weighted product of what is left and right,
    added up where `rows` and `columns` say."""
    sums = np.zeros(n_rows * n_columns)
    for one in range(left.shape[1]):
        for other in range(right.shape[1]):
            places = rows[:, one] * n_columns + columns[:, other]
            products = weights * left[:, one] * right[:, other]
            sums += np.bincount(places, products, n_rows * n_columns)
    return sums.reshape(n_rows, n_columns)
