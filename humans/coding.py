"""Judgments as a mixed model reads them: one answer a row; then a formula's columns as numbers, and
who belongs where.

Treatment coding compares each level of a factor with the base. Centred coding gives the
same differences, but what stands beside them (intercept, other terms of an interaction) is the mean
over levels instead of the base: ±1/2 for two levels. Numbers are then centred at their mean. It is
not R's `contr.sum`, which has ±1 for two levels, and half the difference as its coefficient.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import polars as pl

from colorless_green.data.arrays import Floats
from colorless_green.data.errors import InputError
from colorless_green.humans.formula import FACTORS, OPTION, MixedFormula
from colorless_green.humans.judgment import Judgment, tallied
from colorless_green.nonce.item import KINDS, Item

TREATMENT, CENTRED = "treatment", "centred"
CODINGS = (TREATMENT, CENTRED)
INTERCEPT = "(Intercept)"
SCHEMA = {
    **dict.fromkeys(("participant", "source", "item", "condition", "construction"), pl.String),
    **dict.fromkeys(("attractors", "gap", "position"), pl.Int64),
    **dict.fromkeys(("margin", "rt_ms"), pl.Float64),
    "correct": pl.Int64,
}
"""An answered target a row; null: not known of this item or answer. `gap`: tokens between cue and
target; `position`: from 1, in the session; `margin`: a model's, in bits, how much less surprising
the right form is; `correct`: 0 or 1"""


def observations(
    judgments: Iterable[Judgment],
    items: Mapping[str, Item],
    margins: Mapping[str, float | None],
) -> pl.DataFrame:
    """The answered targets in the order of the judgments, with the columns of `SCHEMA`. `margins`:
    item id → bits, of one model; empty for none."""
    about = {
        name: (
            item.cluster_id,
            item.kind,
            tallied(item, 0, 0).n_attractors,
            item.agreement.gap if item.agreement else None,
            margin if (margin := margins.get(name)) is not None and math.isfinite(margin) else None,
        )
        for name, item in items.items()
    }
    rows = []
    for trial in judgments:
        if trial.kind == "target" and trial.correct is not None:
            source, kind, attractors, gap, margin = about[trial.item]
            rows.append(
                (trial.participant, source, trial.item, trial.condition or kind, trial.construction,
                 attractors, gap, trial.position, margin, trial.rt_ms, trial.correct)
            )  # fmt: skip
    return pl.DataFrame(rows, SCHEMA, orient="row")


def levels(values: Iterable[str]) -> tuple[str, ...]:
    """The levels of a factor, the base first: kinds of item in their own order (so that originals
    are the base), then others by name."""
    seen = set(values)
    return (*[kind for kind in KINDS if kind in seen], *sorted(seen.difference(KINDS)))


@dataclass(frozen=True, slots=True)
class Columns:
    """Named columns, of shape (rows, names)."""

    names: tuple[str, ...]
    variables: tuple[tuple[str, ...], ...]  # by column: what it is made of
    values: Floats


@dataclass(frozen=True, slots=True)
class FitData:
    """What a fit needs, numbers only."""

    correct: Floats  # (rows,): 0 or 1
    fixed: Columns  # without the intercept
    members: tuple[tuple[int, ...], ...]  # by grouping: which member each row is of, from 0
    slopes: tuple[Columns, ...]  # by grouping


def complete(observed: pl.DataFrame, formula: MixedFormula) -> pl.DataFrame:
    """The observations that have a value for every variable and grouping of the formula."""
    names = (*formula.variables, *[grouping.name for grouping in formula.groupings])
    texts = [name for name in names if SCHEMA[name] == pl.String]
    return observed.drop_nulls(names).filter(pl.col(name) != "" for name in texts)


def coded(rows: pl.DataFrame, formula: MixedFormula, coding: str) -> FitData:
    """The model matrix of complete rows. Raises `InputError` where there are none, a variable does
    not vary, or a grouping has fewer than two members."""
    place = f"{OPTION} {str(formula)!r}"
    if rows.is_empty():
        right = "variables that items and answers have"
        raise InputError(place, "no answer has all its variables", right, kind="empty")
    columns = {name: _columns(rows, name, coding, place) for name in formula.variables}
    fixed = [reduce(_product, [columns[name] for name in term]) for term in formula.terms]
    return FitData(
        correct=rows["correct"].to_numpy().astype(float),
        fixed=_beside(fixed, len(rows)),
        members=tuple(_members(rows, grouping.name, place) for grouping in formula.groupings),
        slopes=tuple(
            _beside([columns[name] for name in grouping.slopes], len(rows))
            for grouping in formula.groupings
        ),
    )


def _columns(rows: pl.DataFrame, name: str, coding: str, place: str) -> Columns:
    values = rows[name]
    if values.n_unique() < 2:
        wrong = f"{name} is {values[0]!r} in every answer"
        raise InputError(place, wrong, "a variable that varies", kind="unsupported")
    if name in FACTORS:
        return _contrasts(name, values, coding)
    numbers = values.to_numpy().astype(float)[:, None]
    if name == "margin":  # bits of one model mean little beside those of another
        numbers = (numbers - numbers.mean()) / numbers.std(ddof=1)
    elif coding == CENTRED:
        numbers = numbers - numbers.mean()
    return Columns((name,), ((name,),), numbers)


def _contrasts(name: str, values: pl.Series, coding: str) -> Columns:
    """A column for each level but the base."""
    others = levels(values.unique())[1:]
    indicators = np.column_stack([(values == other).to_numpy() for other in others]).astype(float)
    shift = 1 / (1 + len(others)) if coding == CENTRED else 0.0
    names = tuple(f"{name}[{other}]" for other in others)
    return Columns(names, ((name,),) * len(others), indicators - shift)


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
        tuple(name for block in columns for name in block.names),
        tuple(variables for block in columns for variables in block.variables),
        np.concatenate([block.values for block in (none, *columns)], axis=1),
    )


def _members(rows: pl.DataFrame, grouping: str, place: str) -> tuple[int, ...]:
    names = rows[grouping]
    if names.n_unique() < 2:
        right = "a grouping with several members"
        raise InputError(place, f"there is only one {grouping}", right, kind="unsupported")
    return tuple((names.rank("dense").cast(int) - 1).to_list())


MOVES = 1e-6  # coefficients of the programme lie in [−1, 1]; below is the solver's rounding


def aliased(coded: FitData) -> tuple[str, ...]:
    """Fixed columns that the intercept and the columns before them already give."""
    values = _distinct(coded.fixed.values)
    kept: list[Floats] = [np.ones(len(values))]
    redundant = []
    for name, column in zip(coded.fixed.names, values.T, strict=True):
        if np.linalg.matrix_rank(np.stack([*kept, column])) == len(kept):
            redundant.append(name)
        else:
            kept.append(column)
    return tuple(redundant)


def _distinct(rows: Floats) -> Floats:
    """Each row once, sorted."""
    table = pl.DataFrame(rows, [f"{place}" for place in range(rows.shape[1])])
    return table.unique().sort(table.columns).to_numpy() if table.width else rows[:1]


def separating(coded: FitData) -> tuple[str, ...]:
    """The coefficients that run away, in their order; empty if all have finite estimates.

    If some direction b of the coefficients never lowers a right answer's log-odds nor raises a
    wrong one's, and changes at least one of them, the likelihood grows along b without end (Albert
    and Anderson 1984); random effects do not stop it. A cell in which everybody is right is the
    usual case. Whether there is such a b is a linear programme (Konis 2007).

    `coded` has no aliased column.
    """
    matrix = np.column_stack([np.ones(len(coded.correct)), coded.fixed.values])
    towards = _distinct(matrix * (2 * coded.correct - 1)[:, None] + 0.0)  # no −0
    if np.array_equal(towards, _distinct(0.0 - towards)):  # right and wrong answers in every cell
        return ()
    from scipy.optimize import linprog  # half a second

    solution = linprog(
        -towards.sum(axis=0), A_ub=-towards, b_ub=np.zeros(len(towards)), bounds=(-1, 1)
    )
    assert solution.x is not None  # 0 is a solution, and the box bounds it
    assert solution.fun is not None
    if -solution.fun <= MOVES:
        return ()
    names = (INTERCEPT, *coded.fixed.names)
    return tuple(name for name, value in zip(names, solution.x, strict=True) if abs(value) > MOVES)
