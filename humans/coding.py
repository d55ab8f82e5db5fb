"""Observations and a formula as numbers: the columns of a model matrix, and who belongs where.

Treatment coding compares each level of a factor with the base. Centred coding gives the
same differences, but what stands beside them (intercept, other terms of an interaction) is the mean
over levels instead of the base: ±1/2 for two levels. Numbers are then centred at their mean. It is
not R's `contr.sum`, which has ±1 for two levels, and half the difference as its coefficient.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from colorless_green.data.errors import InputError
from colorless_green.humans.formula import FACTORS, OPTION, Formula
from colorless_green.humans.observation import Observation, levels
from colorless_green.nonce.intervals import Floats

TREATMENT, CENTRED = "treatment", "centred"
CODINGS = (TREATMENT, CENTRED)
INTERCEPT = "(Intercept)"


@dataclass(frozen=True, slots=True)
class Columns:
    """Named columns, of shape (rows, names)."""

    names: tuple[str, ...]
    variables: tuple[tuple[str, ...], ...]  # by column: what it is made of
    values: Floats


@dataclass(frozen=True, slots=True)
class Coded:
    """What a fit needs, numbers only."""

    correct: Floats  # (rows,): 0 or 1
    fixed: Columns  # without the intercept
    members: tuple[tuple[int, ...], ...]  # by grouping: which member each row is of, from 0
    slopes: tuple[Columns, ...]  # by grouping


def complete(observations: Sequence[Observation], formula: Formula) -> list[Observation]:
    """Those that have a value for every variable and grouping of the formula."""
    names = (*formula.variables, *[grouping.name for grouping in formula.groupings])
    return [
        each
        for each in observations
        if all(getattr(each, name) not in (None, "") for name in names)
    ]


def coded(rows: Sequence[Observation], formula: Formula, coding: str) -> Coded:
    """The model matrix of complete rows. Raises `InputError` where there are none, a variable does
    not vary, or a grouping has fewer than two members."""
    place = f"{OPTION} {str(formula)!r}"
    if not rows:
        right = "variables that items and answers have"
        raise InputError(place, "no answer has all its variables", right, kind="empty")
    columns = {name: _columns(rows, name, coding, place) for name in formula.variables}
    fixed = [reduce(_product, [columns[name] for name in term]) for term in formula.terms]
    return Coded(
        correct=np.array([each.correct for each in rows], dtype=float),
        fixed=_beside(fixed, len(rows)),
        members=tuple(_members(rows, grouping.name, place) for grouping in formula.groupings),
        slopes=tuple(
            _beside([columns[name] for name in grouping.slopes], len(rows))
            for grouping in formula.groupings
        ),
    )


def _columns(rows: Sequence[Observation], name: str, coding: str, place: str) -> Columns:
    values = [getattr(each, name) for each in rows]
    if len(set(values)) < 2:
        wrong = f"{name} is {values[0]!r} in every answer"
        raise InputError(place, wrong, "a variable that varies", kind="unsupported")
    if name in FACTORS:
        return _contrasts(name, values, coding)
    numbers = np.array(values, dtype=float)[:, None]
    if name == "margin":  # bits of one model mean little beside those of another
        numbers = (numbers - numbers.mean()) / numbers.std(ddof=1)
    elif coding == CENTRED:
        numbers = numbers - numbers.mean()
    return Columns((name,), ((name,),), numbers)


def _contrasts(name: str, values: Sequence[str], coding: str) -> Columns:
    """A column for each level but the base."""
    others = levels(values)[1:]
    ones = np.array([[value == other for other in others] for value in values], dtype=float)
    shift = 1 / (1 + len(others)) if coding == CENTRED else 0.0
    names = tuple(f"{name}[{other}]" for other in others)
    return Columns(names, ((name,),) * len(others), ones - shift)


def _product(left: Columns, right: Columns) -> Columns:
    """Every column of one times every column of the other."""
    return Columns(
        tuple(f"{a}:{b}" for b in right.names for a in left.names),
        tuple((*a, *b) for b in right.variables for a in left.variables),
        np.concatenate([left.values * column[:, None] for column in right.values.T], axis=1),
    )


def _beside(columns: Sequence[Columns], n_rows: int) -> Columns:
    none = Columns((), (), np.empty((n_rows, 0)))
    return Columns(
        tuple(name for each in columns for name in each.names),
        tuple(variables for each in columns for variables in each.variables),
        np.concatenate([each.values for each in (none, *columns)], axis=1),
    )


def _members(rows: Sequence[Observation], grouping: str, place: str) -> tuple[int, ...]:
    names = [getattr(each, grouping) for each in rows]
    index = {name: number for number, name in enumerate(sorted(set(names)))}
    if len(index) < 2:
        right = "a grouping with several members"
        raise InputError(place, f"there is only one {grouping}", right, kind="unsupported")
    return tuple(index[name] for name in names)


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

    If some direction b of the coefficients never lowers a right answer's log-odds nor raises a
    wrong one's, and changes at least one of them, the likelihood grows along b without end (Albert
    and Anderson 1984); random effects do not stop it. A cell in which everybody is right is the
    usual case. Whether there is such a b is a linear programme (Konis 2007).

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
