"""Formulas over columns: what the tree says of each item; ties by brute force over orders."""

import json
import math
from collections.abc import Mapping, Sequence
from itertools import pairwise, permutations
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from colorless_green.data import Formula, Prediction, inequalities, judge, parse_prediction
from colorless_green.data.errors import InputError
from tests.builders import shared
from tests.nonce.formula_oracle import holds, margin

Cell = tuple[str, str]
NAMES = ("a", "b", "c", "d")
N = 40
SHARED_CASES = ("published", "syntaxgym", "formula_cases.json")


def prediction(source: str) -> Prediction:
    return parse_prediction(source, "p", "here")


def formula(source: str) -> Formula:
    return prediction(source).formula


def columns(rows: Sequence[Mapping[Cell, float]]) -> dict[Cell, NDArray[np.float64]]:
    return {cell: np.array([row[cell] for row in rows], dtype=float) for cell in rows[0]}


@st.composite
def numbers(draw: st.DrawFn, depth: int = 2) -> str:
    shape = draw(st.sampled_from(("cell", "cell", "number", "sum") if depth else ("cell",)))
    if shape == "cell":
        return f"({draw(st.sampled_from('12'))};%{draw(st.sampled_from(NAMES))}%)"
    if shape == "number":
        return draw(st.sampled_from(("0", "2", "-1", "25e-1")))
    return f"{draw(numbers(depth - 1))} {draw(st.sampled_from('+-'))} [{draw(numbers(depth - 1))}]"


@st.composite
def truths(draw: st.DrawFn, depth: int = 2) -> str:
    if not depth or draw(st.booleans()):
        return f"{draw(numbers())} {draw(st.sampled_from('<>='))} {draw(numbers())}"
    parts = draw(st.lists(truths(depth - 1), min_size=1, max_size=3))
    opening, closing = draw(st.sampled_from((("(", ")"), ("[", "]"))))  # the two dialects
    bracketed = [f"{opening}{part}{closing}" for part in parts]
    return draw(st.sampled_from("&|")).join(bracketed)


def assert_as_the_tree_says(said: Prediction, rows: Sequence[Mapping[Cell, float]]) -> None:
    """All but the share of ties."""
    one = said.formula
    found = judge(one, columns(rows), ties="wrong")
    margins = [margin(one, row) for row in rows]
    compared = [each.formula for each in inequalities(said) if "=" not in each.source]
    ties = [any(abs(margin(each, row)) <= 1e-9 for each in compared) for row in rows]
    assert np.array_equal(found.margin, margins, equal_nan=True)
    assert found.undefined.tolist() == [math.isnan(each) for each in margins]
    assert found.tie.tolist() == ties
    assert found.credit.tolist() == [float(holds(one, row)) for row in rows]
    assert not found.unshared.any()
    shared_out = judge(one, columns(rows))
    plain = ~found.tie | found.undefined | shared_out.unshared
    assert np.array_equal(shared_out.margin, found.margin, equal_nan=True)
    assert shared_out.credit[plain].tolist() == found.credit[plain].tolist()
    assert ((shared_out.credit >= 0) & (shared_out.credit <= 1)).all()
    assert not (shared_out.unshared & ~(found.tie & ~found.undefined)).any()


@given(truths(), st.randoms(use_true_random=False), st.booleans())
def test_columns_say_of_each_item_what_the_tree_says_of_it(
    source: str, rng: Random, level: bool
) -> None:
    """On values of which many are equal, or nearly, or none, and on others."""
    steps = (0.0, 1.0, 1.0, 2.0, 3.0, 1 + 5e-10, 1 + 1.5e-9, 0.1, math.inf, -math.inf, math.nan)
    one = prediction(source)
    rows = [
        {cell: rng.choice(steps) if level else 9 * rng.random() for cell in one.cells()}
        for _ in range(N)
    ]
    assert_as_the_tree_says(one, rows if rows[0] else rows[:1])


@pytest.mark.shared
def test_columns_say_what_the_tree_says_in_every_case_of_the_reference_parser() -> None:
    told = json.loads(Path(shared(*SHARED_CASES)).read_text("utf-8"))
    cells = told["region_values"]
    known = {(name, str(n)): x for name, own in cells.items() for n, x in enumerate(own, start=1)}
    known.update({(name, "*"): sum(own) for name, own in cells.items()})
    n_read = 0
    for case in told["cases"]:
        try:
            one = prediction(case["expression"])
        except InputError:
            continue
        if known.keys() >= set(one.cells()):
            n_read += 1
            assert_as_the_tree_says(one, [known, known])
    assert n_read > 40


parts_of = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from("<>="), st.sampled_from(NAMES)).filter(
        lambda part: part[0] != part[2]
    ),
    min_size=1,
    max_size=4,
)
levels = st.lists(
    st.fixed_dictionaries({name: st.sampled_from([1.0, 2.0, 3.0]) for name in NAMES}),
    min_size=1,
    max_size=6,
)


def written(parts: Sequence[tuple[str, str, str]], joints: str, side: str) -> str:
    """Comparisons of sides, joined; in `side` NAME stands for the condition."""
    comparisons_ = [
        f"({side.replace('NAME', left)} {sign} {side.replace('NAME', right)})"
        for left, sign, right in parts
    ]
    source = comparisons_[0]
    for comparison, joint in zip(comparisons_[1:], joints, strict=False):
        source = f"({source} {joint} {comparison})"
    return source


def brute(one: Formula, row: Mapping[str, float], of: Mapping[str, Mapping[Cell, float]]) -> float:
    """Return the share of the orders of equal sides, each a little apart from the next, under
    which the tree says that the formula holds. `=` is too coarse to see so little."""
    open_orders = [
        order for order in permutations(row) if all(row[x] <= row[y] for x, y in pairwise(order))
    ]
    wins = 0
    for order in open_orders:
        values: dict[Cell, float] = {}
        for rank, name in enumerate(order):
            first, *others = of[name].items()
            values |= {first[0]: first[1] + 1e-6 * rank, **dict(others)}
        wins += holds(one, values)
    return wins / len(open_orders)


@given(parts_of, st.text("&|", min_size=3, max_size=3), levels)
def test_credit_is_the_share_of_the_orders_that_the_values_leave_open(
    parts: list[tuple[str, str, str]], joints: str, rows: list[dict[str, float]]
) -> None:
    one = formula(written(parts, joints, "(1;%NAME%)"))
    found = judge(one, columns([{(name, "1"): row[name] for name in NAMES} for row in rows]))
    expected = [brute(one, row, {name: {(name, "1"): row[name]} for name in NAMES}) for row in rows]
    assert found.credit.tolist() == pytest.approx(expected)
    assert not found.unshared.any()


SUMS = {
    "(1;%NAME%) + (2;%NAME%)": 1,
    "(1;%NAME%) - (2;%NAME%)": -1,
    "[(1;%NAME%) + (2;%NAME%)] - 3": 1,
}


@given(
    parts_of, st.text("&|", min_size=3, max_size=3), levels, st.sampled_from(list(SUMS)), st.data()
)
def test_sums_made_alike_and_of_cells_of_their_own_are_as_good_as_values(
    parts: list[tuple[str, str, str]],
    joints: str,
    rows: list[dict[str, float]],
    side: str,
    data: st.DataObject,
) -> None:
    one = formula(written(parts, joints, side))
    sign = SUMS[side]
    split = [
        {name: float(data.draw(st.integers(-3, 3), label="second")) for name in NAMES} for _ in rows
    ]
    of = [
        {
            name: {(name, "1"): row[name] - sign * other[name], (name, "2"): other[name]}
            for name in NAMES
        }
        for row, other in zip(rows, split, strict=True)
    ]
    found = judge(
        one, columns([{c: x for own in each.values() for c, x in own.items()} for each in of])
    )
    expected = [brute(one, row, each) for row, each in zip(rows, of, strict=True)]
    assert found.credit.tolist() == pytest.approx(expected)
    assert not found.unshared.any()


A, B, C, D = (f"(1;%{name}%)" for name in NAMES)
E, F = "(2;%a%)", "(2;%b%)"


@pytest.mark.parametrize(
    ("source", "credit", "unshared"),
    [
        (f"{A} + {B} < {C} + {D}", 0.5, False),
        (f"{B} + {A} > {D} + {C}", 0.5, False),
        (f"{A} + {B} + 1 < {C} + {D} + 1", 0.5, False),
        (f"{A} - {B} < {C} - {D}", 0.5, False),
        (f"({A} + {B} < {C} + {D}) & ({E} < {F})", 0.25, False),
        (f"({A} + {B} < {C} + {D}) | ({E} < {F})", 0.75, False),
        (f"({A} + {B} < {C} + {D}) & ({C} + {D} > {B} + {A})", 0.5, False),  # one comparison
        (f"({A} + {B} < {C} + {D}) & ({A} + {B} < {E} + {F})", 1 / 3, False),
        (f"{A} + {B} < {B} + {A}", 0.0, False),  # a sum is never less than itself
        (f"{A} + {B} - {B} < {C}", 0.5, False),  # which is one value
        (f"({A} < {B}) | ({C} - {D} < 0)", 0.0, True),
        (f"{A} - {B} < 0", 0.0, True),  # a sum and a number
        (f"{A} + {B} < {C} + 1", 0.0, True),
        (f"{A} + {B} < {A} + {C}", 0.0, True),  # one cell on both sides
        (f"({A} + {B} < {C} + {D}) & ({A} < 5)", 0.0, True),  # or elsewhere
        (f"{A} + {A} < {C} + {D}", 0.0, True),  # twice one and once two
        (f"{A} + 1 < {B} + 1.0000000001", 0.0, True),
        (f"({A} - {B} < 0) | ({C} < 5)", 1.0, True),  # false, and another part holds
    ],
)
def test_a_tie_earns_its_share_only_where_the_tied_sides_could_change_places(
    source: str, credit: float, unshared: bool
) -> None:
    one = prediction(source)
    found = judge(one.formula, columns([dict.fromkeys(one.cells(), 1.0)] * 2))
    assert found.tie.all()
    assert found.credit.tolist() == pytest.approx([credit] * 2)
    assert found.unshared.tolist() == [unshared] * 2


def test_more_ties_than_can_be_counted_are_drawn_from() -> None:
    pairs = [(f"x{n}", f"y{n}") for n in range(5)]
    one = prediction(" | ".join(f"(1;%{x}%) < (1;%{y}%)" for x, y in pairs))
    found = judge(one.formula, columns([dict.fromkeys(one.cells(), 0.0)]))
    assert found.credit.tolist() == pytest.approx([1 - 1 / 2**5], abs=0.005)


def test_without_values_there_is_one_item() -> None:
    assert judge(formula("1 < 2"), {}).credit.tolist() == [1.0]
    assert judge(formula("1 < 2"), {("a", "1"): np.zeros(3)}).credit.tolist() == [1.0] * 3
