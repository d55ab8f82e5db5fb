"""Formulas over region surprisals: what they mean, what a tie is worth, where a fault stands."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.nonce.prediction import (
    Formula,
    credit,
    has_arithmetic,
    has_tie,
    parse,
)

NAMES = ("a", "b", "c")
surprisals = st.fixed_dictionaries(
    {(name, "1"): st.sampled_from([1.0, 2.0, 3.0]) for name in NAMES}
)


def formula(source: str) -> Formula:
    return parse(source, "p", "here").formula


def cell(name: str) -> str:
    return f"(1;%{name}%)"


@given(surprisals)
def test_a_comparison_and_its_reverse_share_one_credit(
    values: dict[tuple[str, str], float],
) -> None:
    less = formula(f"{cell('a')} < {cell('b')}")
    more = formula(f"{cell('a')} > {cell('b')}")
    assert credit(less, values) + credit(more, values) == 1


@given(surprisals)
def test_the_credit_of_a_tie_is_its_share_of_orderings(
    values: dict[tuple[str, str], float],
) -> None:
    both = formula(f"{cell('a')} < {cell('b')} & {cell('a')} < {cell('c')}")
    ranks = [values[(name, "1")] for name in NAMES]
    wins = total = 0
    for order in itertools.permutations(range(3)):  # every order that agrees with the values
        if all(ranks[x] <= ranks[y] for x, y in itertools.pairwise(order)):
            total += 1
            wins += order.index(0) < order.index(1) and order.index(0) < order.index(2)
    assert credit(both, values) == pytest.approx(wins / total)


def test_three_equal_conditions_give_the_best_a_third() -> None:
    best = formula(f"{cell('a')} < {cell('b')} & {cell('a')} < {cell('c')}")
    assert credit(best, dict.fromkeys([(name, "1") for name in NAMES], 7.0)) == pytest.approx(1 / 3)


def test_values_nearer_than_the_limit_are_equal() -> None:
    less = formula(f"{cell('a')} < {cell('b')}")
    near = {("a", "1"): 1.0, ("b", "1"): 1.0 + 1e-10}
    assert has_tie(less, near)
    assert credit(less, near) == 0.5
    assert credit(less, {("a", "1"): 1.0, ("b", "1"): 1.0 + 1e-8}) == 1.0


def test_with_arithmetic_a_tie_is_false() -> None:
    sums = formula(f"{cell('a')} + {cell('b')} < {cell('c')} + 1")
    assert has_arithmetic(sums)
    assert credit(sums, {("a", "1"): 1.0, ("b", "1"): 1.0, ("c", "1"): 1.0}) == 0.0
    assert credit(sums, {("a", "1"): 1.0, ("b", "1"): 1.0, ("c", "1"): 1.5}) == 1.0


def test_differences_in_brackets_are_subtracted_whole() -> None:
    values = {("a", "1"): 5.0, ("b", "1"): 3.0, ("c", "1"): 1.0}
    inner = formula(f"{cell('a')} - [{cell('b')} - {cell('c')}] > 2.5")
    assert inner.holds(values)
    assert inner.margin(values) == pytest.approx(0.5)


def test_and_and_or_bind_alike_and_brackets_before_both() -> None:
    values = {("a", "1"): 1.0, ("b", "1"): 2.0, ("c", "1"): 3.0}
    true, false = f"{cell('a')}<{cell('b')}", f"{cell('b')}<{cell('a')}"
    assert not formula(f"{true} | {false} & {false}").holds(values)
    assert formula(f"{true} | ({false} & {false})").holds(values)
    assert formula(f"{false} & {true} | {true}").holds(values)


def test_where_and_meets_or_without_brackets_there_is_a_warning() -> None:
    less = f"{cell('a')}<{cell('b')}"
    warned = parse(f"{less} & {less} | {less} & {less}", "p", "here")
    assert warned.warnings == (
        "column 35: & and | without brackets bind alike, from left to right",
    )
    for plain in (f"{less} & {less} & {less}", f"({less} | {less}) & [{less} | {less}]"):
        assert parse(plain, "p", "here").warnings == ()
    inner = parse(f"[{less} & {less} | {less}] & {less}", "p", "here")
    assert [warning[:9] for warning in inner.warnings] == ["column 36"]


def test_the_margin_of_a_conjunction_is_its_weakest_part() -> None:
    values = {("a", "1"): 1.0, ("b", "1"): 2.0, ("c", "1"): 5.0}
    assert formula(f"{cell('a')}<{cell('b')} & {cell('a')}<{cell('c')}").margin(values) == 1.0


def test_cells_are_named_once_in_their_order() -> None:
    prediction = parse("(*;%x-y%) < (2;%z%) & (2;%z%) < (*;%x-y%)", "p", "here")
    assert prediction.cells() == (("x-y", "*"), ("z", "2"))


REGION = "a region like (3;%condition%), a number or a bracket"
LIKE = "a region like (3;%condition%), its names of letters, digits, _ and -"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", f"column 1: the end in a formula; {REGION}"),
        ("(1;%a%) < ", f"column 11: the end in a formula; {REGION}"),
        ("(1;%a%) >= 1", f"column 10: '= 1' in a formula; {REGION}"),
        ("(1;%a%) (2;%b%)", "column 9: '(2;%b%)' in a formula; +, -, <, > or ="),
        ("(1;%a%) < 2 )", "column 13: ')' in a formula; & or | or the end"),
        ("(1;a) < 2", f"column 3: ';a) < 2' in a formula; {LIKE}"),
        ("(1; %a%) < 2", f"column 3: '; %a%) < 2' in a formula; {LIKE}"),
        ("(1;%a b%) < 2", f"column 3: ';%a b%) < 2' in a formula; {LIKE}"),
        ("1 < 2 < 3", "column 7: '< 3' in a formula; one comparison, or several joined by & or |"),
        ("1 < 2 & 3", "column 9: '3' in a formula; a comparison with <, > or ="),
        ("(1 < 2) + 1 = 2", "column 1: '(1 < 2) + 1 ' in a formula; "
         "a number, which a comparison is not"),
        ("1 < (2 < 3)", "column 5: '(2 < 3)' in a formula; a number, which a comparison is not"),
        ("[1 < 2)", "column 7: ')' in a formula; ']'"),
        ("1e999 > 2", "column 1: '1e999 > 2' in a formula; a number that a float can hold"),
        ("(" * 51 + "1", "column 51: '(1' in a formula; at most 50 brackets within each other"),
        ("1<2 & 1<2 | " * 26 + "1<2", "column 311: '| 1<2' in a formula; "
         "at most 50 turns from & to | and back"),
    ],
)  # fmt: skip
def test_a_fault_is_told_with_its_column(source: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(source, "p", "here")
    assert str(caught.value) == f"here: {message}"
