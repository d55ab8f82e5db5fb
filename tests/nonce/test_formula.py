"""Formulas over region surprisals: against a reading of their own, the reference's cases, and the
counts of the papers' formulas; what a tie is worth, and where a fault stands."""

import csv
import json
import math
import re
from collections.abc import Mapping
from fractions import Fraction
from itertools import permutations
from operator import gt, lt
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data import (
    Formula,
    Prediction,
    chance,
    conjunction,
    inequalities,
    parse_prediction,
    read_suite,
)
from colorless_green.data.errors import InputError
from tests.builders import mistake, shared
from tests.nonce.of_one_item import credit, has_tie, holds, margin, undefined

Values = Mapping[tuple[str, str], float]
NAMES = ("a", "b", "c", "d")
levels = st.fixed_dictionaries({(name, "1"): st.sampled_from([1.0, 2.0, 3.0]) for name in NAMES})
blanks = st.sampled_from(("", " ", "\n ", "\t"))


def formula(source: str) -> Formula:
    return parse_prediction(source, "p", "here").formula


def values(**given: float) -> dict[tuple[str, str], float]:
    return {(name, "1"): value for name, value in given.items()}


@st.composite
def numbers(draw: st.DrawFn, depth: int = 2) -> tuple[str, str]:
    """Return a number as a formula writes it, and as Python does."""
    shape = draw(st.sampled_from(("cell", "number", "sum", "bracket") if depth else ("cell",)))
    if shape == "cell":
        name, gap = draw(st.sampled_from(NAMES)), draw(blanks)
        return f"({gap}1{gap};%{name}{gap}%)", f"v['{name}', '1']"
    if shape == "number":
        return (text := draw(st.sampled_from(("0", "2", "-1", "+.5", "1.", "25e-1")))), f"({text})"
    one, other = draw(numbers(depth - 1)), draw(numbers(depth - 1))
    if shape == "bracket":
        opening, closing = draw(st.sampled_from((("(", ")"), ("[", "]"))))
        return f"{opening}{one[0]}{closing}", f"({one[1]})"
    sign, gap = draw(st.sampled_from("+-")), draw(blanks)
    # a sum on the right needs brackets, or it would be read from the left
    return f"{one[0]}{gap}{sign}{gap}[{other[0]}]", f"(({one[1]}) {sign} ({other[1]}))"


@st.composite
def truths(draw: st.DrawFn, depth: int = 2) -> tuple[str, str]:
    """Return a truth value as a formula writes it, and as Python does, all of it in brackets."""
    if not depth or draw(st.booleans()):
        (one, left), (other, right) = draw(numbers()), draw(numbers())
        sign = draw(st.sampled_from("<>"))
        sides = f"({left}) {sign} ({right}) and abs(({left}) - ({right})) > 1e-9"
        return f"{one}{sign}{other}", f"({sides})"
    source, meaning = draw(truths(depth - 1))
    opening, closing = draw(st.sampled_from((("(", ")"), ("[", "]"))))
    written = f"{opening}{source}{closing}"
    for joined in draw(st.lists(truths(depth - 1), max_size=3)):
        sign, gap = draw(st.sampled_from("&|")), draw(blanks)
        written += f"{gap}{sign}{gap}({joined[0]})"
        meaning = f"({meaning} {'and' if sign == '&' else 'or'} {joined[1]})"
    return written, meaning


@given(truths(), levels)
def test_a_formula_means_what_it_says_from_left_to_right(
    written: tuple[str, str], found: Values
) -> None:
    source, meaning = written
    assert holds(formula(source), found) == eval(meaning, {"v": found, "abs": abs})


@given(truths(), levels)
def test_a_formula_without_equality_holds_where_its_margin_is_positive(
    written: tuple[str, str], found: Values
) -> None:
    assert holds(formula(written[0]), found) == (margin(formula(written[0]), found) > 1e-9)


@given(st.lists(truths(1), min_size=1, max_size=3), levels)
def test_a_conjunction_is_a_formula_of_its_own(
    written: list[tuple[str, str]], found: Values
) -> None:
    parts = [parse_prediction(source, f"p{n}", "here") for n, (source, _) in enumerate(written)]
    whole = conjunction(parts)
    again = parse_prediction(whole.source, "all", "here")
    assert whole.name == "all"
    assert holds(whole.formula, found) == all(holds(part.formula, found) for part in parts)
    assert holds(again.formula, found) == holds(whole.formula, found)
    assert margin(whole.formula, found) == margin(again.formula, found)
    assert margin(whole.formula, found) == min(margin(part.formula, found) for part in parts)


def test_inequalities_are_named_as_they_are_written() -> None:
    source = "[(1;%a%) <\n (1;%b%)] & [[(1;%a%) - (1;%b%)] > [(1;%c%)]] | ((1;%a%) < (1;%b%))"
    parts = inequalities(parse_prediction(source, "p", "here"))
    assert [(each.name, each.source) for each in parts] == [
        ("p: (1;%a%) < (1;%b%)", "(1;%a%) < (1;%b%)"),
        ("p: [(1;%a%) - (1;%b%)] > [(1;%c%)]", "[(1;%a%) - (1;%b%)] > [(1;%c%)]"),
    ]
    assert [parse_prediction(each.source, each.name, "x").formula for each in parts] == [
        each.formula for each in parts
    ]


orders = st.lists(
    st.tuples(
        st.sampled_from(NAMES),
        st.sampled_from("<>="),
        st.sampled_from(NAMES),
        st.sampled_from("&|"),
    ).filter(lambda part: part[0] != part[2]),
    min_size=1,
    max_size=4,
)


def as_source(parts: list[tuple[str, str, str, str]]) -> str:
    written = ""
    for left, sign, right, joint in parts:
        comparison = f"(1;%{left}%) {sign} (1;%{right}%)"
        written = f"{written} {joint} {comparison}" if written else comparison
    return written


def holds_of(
    parts: list[tuple[str, str, str, str]], ranks: dict[str, int], found: dict[str, float]
) -> bool:
    """Return what the parts are, from left to right: inequalities of ranks, equality of values."""
    result: bool | None = None
    for left, sign, right, joint in parts:
        if sign == "=":
            this = found[left] == found[right]
        else:
            this = (lt if sign == "<" else gt)(ranks[left], ranks[right])
        result = this if result is None else result and this if joint == "&" else result or this
    return bool(result)


@given(orders, levels)
def test_credit_is_the_share_of_the_orders_that_the_values_leave_open(
    parts: list[tuple[str, str, str, str]], found: Values
) -> None:
    plain = {name: found[name, "1"] for name in NAMES}
    open_orders = [
        {name: rank for rank, name in enumerate(order)}
        for order in permutations(NAMES)
        if sorted(order, key=plain.__getitem__) == list(order)
    ]
    wins = [holds_of(parts, ranks, plain) for ranks in open_orders]
    assert credit(formula(as_source(parts)), found) == pytest.approx(sum(wins) / len(wins))


@given(orders)
def test_chance_is_the_credit_of_values_that_are_all_equal(
    parts: list[tuple[str, str, str, str]],
) -> None:
    unequal = [part for part in parts if part[1] != "="] or [("a", "<", "b", "&")]
    prediction = parse_prediction(as_source(unequal), "p", "here")
    if has_tie(prediction.formula, dict.fromkeys(prediction.cells(), 5.0)):
        equal = credit(prediction.formula, dict.fromkeys(prediction.cells(), 5.0))
        assert chance(prediction).value == pytest.approx(equal)


def test_more_ties_than_can_be_counted_are_drawn_from() -> None:
    pairs = [(f"x{n}", f"y{n}") for n in range(5)]
    any_of = parse_prediction(" | ".join(f"(1;%{x}%) < (1;%{y}%)" for x, y in pairs), "p", "here")
    assert credit(any_of.formula, dict.fromkeys(any_of.cells(), 0.0)) == pytest.approx(
        1 - 1 / 2**5, abs=0.005
    )
    below = values(**dict.fromkeys([x for x, _ in pairs], 1.0)) | values(
        **dict.fromkeys([y for _, y in pairs], 0.0)
    )
    assert credit(any_of.formula, below) == 0


# the formulas of Hu et al. 2020, counted over all orders of four values
AGREEMENT = "[(6;%a%) < (6;%b%)] & [(6;%c%) < (6;%d%)]"
POLARITY = "[(8;%a%) < (8;%c%)] & [(8;%d%) < (8;%b%)] & [(8;%a%) < (8;%b%)]"
GARDEN_PATH = "[(5;%a%)>(5;%b%)] & [(5;%a%)>(5;%c%)] & [[(5;%a%)-(5;%b%)]>[(5;%c%)-(5;%d%)]]"
CENTER = "[ (6;%a%) + (7;%a%) ] < [ (6;%b%) + (7;%b%) ]"
CLEFT = "[(6;%a%)-(6;%b%)]+[[(5;%c%)+(6;%c%)]-[(5;%d%)+(6;%d%)]]>0"  # three against three
DRAWS = {100_000, 2020}  # how many, and their seed


def numbers_in(how: str) -> set[int]:
    """Return the figures that the way to a chance is told with."""
    return {int(number.replace(",", "")) for number in re.findall("[0-9][0-9,]*", how)}


@pytest.mark.parametrize(
    ("source", "value", "how"),
    [
        ("(5;%a%) > (5;%b%)", 1 / 2, {2}),  # orders
        (AGREEMENT, 1 / 4, {24}),
        (POLARITY, 5 / 24, {24}),
        ("(1;%a%) < (1;%b%) & (1;%a%) < (1;%c%)", 1 / 3, {6}),
        ("(9;%a%) = (9;%b%) & (6;%c%) = (6;%d%)", 0, {24}),
        ("(9;%a%) = (9;%a%)", 1, {1}),
        ("(9;%a%) + 1 = (9;%b%)", 0, DRAWS),
        (CENTER, 1 / 2, set()),  # by symmetry
        (CLEFT, 1 / 2, set()),
        ("1 < 2", 1, set()),  # certain
    ],
)
def test_chance_is_counted_where_that_can_be_done(source: str, value: float, how: set[int]) -> None:
    found = chance(parse_prediction(source, "p", "here"))
    assert found.value == pytest.approx(value, abs=1e-12)
    assert numbers_in(found.how) == how


def test_chance_with_arithmetic_is_simulated() -> None:
    found = chance(parse_prediction(GARDEN_PATH, "p", "here"))
    assert found.value == pytest.approx(7 / 24, abs=0.005)  # of any symmetric distribution
    assert numbers_in(found.how) == DRAWS
    assert found == chance(parse_prediction(GARDEN_PATH, "q", "there"))


@pytest.mark.parametrize("source", ["(1;%a%) < 5", "(1;%a%) + (1;%b%) > (1;%c%)", "(1;%a%) > 0"])
def test_what_hangs_on_the_size_of_values_has_no_chance(source: str) -> None:
    assert chance(parse_prediction(source, "p", "here")).value is None


def test_values_nearer_than_the_limit_are_equal() -> None:
    less = formula("(1;%a%) < (1;%b%)")
    assert has_tie(less, values(a=1.0, b=1.0 + 1e-10))
    assert credit(less, values(a=1.0, b=1.0 + 1e-10)) == 0.5
    assert credit(less, values(a=1.0, b=1.0 + 1e-8)) == 1.0


def test_with_arithmetic_a_tie_is_false() -> None:
    sums = formula("(1;%a%) + (1;%b%) < (1;%c%) + 1")
    assert credit(sums, values(a=1.0, b=1.0, c=1.0)) == 0.0
    assert credit(sums, values(a=1.0, b=1.0, c=1.5)) == 1.0


def test_where_and_meets_or_without_brackets_there_is_a_warning() -> None:
    less = "(1;%a%)<(1;%b%)"
    for source, columns in (
        (f"{less} & {less} | {less} & {less}", ["35"]),
        (f"[{less} & {less} | {less}] & {less}", ["36"]),
        (f"{less} & {less} & {less}", []),
        (f"({less} | {less}) & [{less} | {less}]", []),
    ):
        warnings = parse_prediction(source, "p", "here").warnings
        assert [re.findall("[0-9]+", warning) for warning in warnings] == [[c] for c in columns]


def test_cells_are_named_once_in_their_order() -> None:
    prediction = parse_prediction("(*;%x-y%) < (2;%z%) & (2;%z%) < (*;%x-y%)", "p", "here")
    assert prediction.cells() == (("x-y", "*"), ("z", "2"))


@pytest.mark.parametrize(
    ("source", "column"),
    [
        ("", 1),
        ("(1;%a%) < ", 11),
        ("(1;%a%) >= 1", 10),
        ("(1;%a%) (2;%b%)", 9),
        ("(1;%a%) < 2 )", 13),
        ("(1;a) < 2", 3),
        ("(1; %a%) < 2", 3),
        ("(1;%a b%) < 2", 3),
        ("1 < 2 < 3", 7),
        ("1 < 2 & 3", 9),
        ("(1 < 2) + 1 = 2", 1),
        ("1 < (2 < 3)", 5),
        ("[1 < 2)", 7),
        ("1e999 > 2", 1),
        ("(" * 51 + "1", 51),
        ("1<2 & 1<2 | " * 26 + "1<2", 311),
    ],
)
def test_a_fault_is_told_with_its_column(source: str, column: int) -> None:
    with mistake("format", f"here: column {column}"):
        parse_prediction(source, "p", "here")


def test_equal_is_within_a_tolerance_that_is_not_symmetric() -> None:
    assert holds(formula("100 = 100.0019"), {})
    assert not holds(formula("100 = 100.0021"), {})
    assert holds(formula("99.999 = 1e2 + .00099"), {})
    edge = 1e-3 + 1e-5 * 1e6
    assert holds(formula("(1;%a%) = 1000000"), values(a=1e6 - edge * 0.999999))
    assert margin(formula("(1;%a%) = 1000000"), values(a=1e6)) == pytest.approx(edge)
    big = values(a=2e5, b=2e5 + 2.001005)  # between the tolerances of the one side and the other
    assert holds(formula("(1;%a%) = (1;%b%)"), big)
    assert not holds(formula("(1;%b%) = (1;%a%)"), big)


@pytest.mark.parametrize(
    ("a", "b", "less", "equal", "by"),
    [
        (math.inf, math.inf, False, True, 0.0),
        (1.0, math.inf, True, False, math.inf),
        (math.inf, 1.0, False, False, -math.inf),
    ],
)
def test_infinite_surprisals_are_compared(
    a: float, b: float, less: bool, equal: bool, by: float
) -> None:
    found = values(a=a, b=b)
    assert holds(formula("(1;%a%) < (1;%b%)"), found) is less
    assert holds(formula("(1;%a%) = (1;%b%)"), found) is equal
    assert margin(formula("(1;%a%) < (1;%b%)"), found) == by
    assert has_tie(formula("(1;%a%) < (1;%b%)"), found) is equal


@pytest.mark.parametrize(
    "source",
    [
        "(1;%a%) < (1;%b%)",
        "(1;%a%) = (1;%a%)",
        "(1;%b%) < (1;%c%) | (1;%a%) < (1;%b%)",
        "(1;%b%) < (1;%c%) & (1;%a%) + 1 > (1;%b%)",
        "(1;%d%) - (1;%d%) < 1",  # infinite less infinite
    ],
)
def test_a_formula_that_meets_no_value_is_undefined_and_does_not_hold(source: str) -> None:
    found = values(a=math.nan, b=1.0, c=2.0, d=math.inf)
    assert undefined(formula(source), found)
    assert not holds(formula(source), found)
    assert math.isnan(margin(formula(source), found))
    assert credit(formula(source), found) == 0
    assert not undefined(formula("(1;%b%) < (1;%c%)"), found)


OTHERWISE = {  # what the reference makes of it, and what we do
    "[(1;%a%) < (1;%b%)]": True,  # the released suites are written so
    "[(1;%a%) < (1;%b%)] & [(2;%a%) = (2;%b%)]": True,
    "1 < 2 < 3": None,  # it drops the third
    "3 > 2 > 1": None,
    "1 < 2 < 0": None,
    "(1;%a%)": None,  # no truth values
    "(1;%a%) + 1": None,
    "1 & 2": None,
    "(1<2) + 1 = 2": None,  # truth values that are added or compared
    "(1<2) = (3<4)": None,
    "(1<2) > (4<3)": None,
    "(*;%zz%) < 1": None,  # it sums nothing where there is no such condition
}


def prediction_of(path: Path, cells: Mapping[str, list[float]], formula: str) -> Prediction:
    """Return the formula of a suite that has these conditions, as it is read."""
    regions = [{"region_number": n, "content": "w"} for n in (1, 2, 3)]
    conditions = [{"condition_name": name, "regions": regions} for name in cells]
    document = {
        "meta": {"name": "cases", "metric": "sum"},
        "region_meta": {"1": "x", "2": "y", "3": "z"},
        "predictions": [{"type": "formula", "formula": formula}],
        "items": [{"item_number": 1, "conditions": conditions}],
    }
    path.write_text(json.dumps(document), "utf-8")
    return read_suite(path, "syntaxgym").predictions[0]


@pytest.mark.shared
def test_every_case_of_the_reference_parser_comes_out_as_stated(tmp_path: Path) -> None:
    """A case it refuses is refused, in one that fails for want of a condition or region too, when
    the suite is read; where we differ it is in OTHERWISE."""
    told = json.loads(shared("published", "syntaxgym", "formula_cases.json").read_text("utf-8"))
    cells = told["region_values"]
    found = {(name, str(n)): x for name, own in cells.items() for n, x in enumerate(own, start=1)}
    found.update({(name, "*"): sum(own) for name, own in cells.items()})
    assert len(told["cases"]) == 77
    assert OTHERWISE.keys() <= {case["expression"] for case in told["cases"]}
    for case in told["cases"]:
        source = case["expression"]
        refused = case["parse"] == "error" or "evaluation_error" in case
        expected = OTHERWISE.get(source, None if refused else case["value"])
        path = tmp_path / "cases.json"
        if expected is None:
            with pytest.raises(InputError):
                prediction_of(path, cells, source)
        else:
            assert holds(prediction_of(path, cells, source).formula, found) is expected, source


@pytest.mark.shared
def test_the_published_suites_have_the_chances_of_the_table() -> None:
    path = shared("published", "tables", "syntaxgym_suites.csv")
    with path.open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 27
    for row in rows:
        value = chance(parse_prediction(row["formula_as_written"], "p", "here")).value
        expected = float(Fraction(row["chance_iid_symmetric"]))
        assert value == pytest.approx(expected, abs=0.005), row["suite"]
