"""Columns that say the same, and answers that a logistic model explains without error.

If some direction b of the coefficients never lowers a right answer's log-odds nor raises a wrong
one's, and changes at least one of them, the likelihood grows along b without end (Albert and
Anderson 1984); random effects do not stop it. A cell in which everybody is right is the usual case.
Whether there is such a b is a linear programme (Konis 2007).
"""

import numpy as np

from colorless_green.humans.coding import INTERCEPT, Coded
from colorless_green.nonce.intervals import Floats

MOVES = 1e-6  # coefficients of the programme lie in [−1, 1]; below is the solver's rounding


def aliased(coded: Coded) -> tuple[str, ...]:
    """Fixed columns that the intercept and the columns before them already give."""
    kept: list[Floats] = [np.ones(len(coded.correct))]
    found = []
    for name, column in zip(coded.fixed.names, coded.fixed.values.T, strict=True):
        if np.linalg.matrix_rank(np.stack([*kept, column])) == len(kept):
            found.append(name)
        else:
            kept.append(column)
    return tuple(found)


def separating(coded: Coded) -> tuple[str, ...]:
    """The coefficients that run away, in their order; empty if all have finite estimates.

    `coded` has no aliased column.
    """
    from scipy.optimize import linprog

    matrix = np.column_stack([np.ones(len(coded.correct)), coded.fixed.values])
    towards = np.unique(matrix * (2 * coded.correct - 1)[:, None], axis=0)
    found = linprog(
        -towards.sum(axis=0), A_ub=-towards, b_ub=np.zeros(len(towards)), bounds=(-1, 1)
    )
    assert found.x is not None  # 0 is a solution, and the box bounds it
    assert found.fun is not None
    if -found.fun <= MOVES:
        return ()
    names = (INTERCEPT, *coded.fixed.names)
    return tuple(name for name, value in zip(names, found.x, strict=True) if abs(value) > MOVES)
