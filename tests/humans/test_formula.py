"""A component oracle of the formulas of mixed models: what is written is read again, or refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.humans.formula import (
    GROUPINGS,
    VARIABLES,
    Grouping,
    MixedFormula,
    default,
    parse,
    without,
)
from tests.builders import mistake

RANDOM = (Grouping("participant"), Grouping("source"))
BRACKETS = "(1 | participant) + (1 | source)"


@st.composite
def formulas(draw: st.DrawFn) -> MixedFormula:
    names = draw(st.lists(st.sampled_from(VARIABLES), unique=True, max_size=4))
    terms = [(name,) for name in names]
    terms += draw(st.lists(st.sampled_from(_pairs(names)), unique=True)) if len(names) > 1 else []
    groupings = draw(st.lists(st.sampled_from(GROUPINGS), unique=True, min_size=1))
    slopes = st.lists(st.sampled_from(names), unique=True) if names else st.just([])
    return MixedFormula(
        tuple(terms), tuple(Grouping(each, tuple(draw(slopes))) for each in groupings)
    )


def _pairs(names: list[str]) -> list[tuple[str, ...]]:
    ordered = sorted(names, key=VARIABLES.index)
    return [(a, b) for k, a in enumerate(ordered) for b in ordered[k + 1 :]]


@given(formulas())
def test_a_formula_that_is_written_is_read_again(formula: MixedFormula) -> None:
    assert parse(str(formula)) == formula


@given(formulas(), st.sampled_from(VARIABLES))
def test_without_a_variable_no_term_has_it_and_all_others_stay(
    formula: MixedFormula, name: str
) -> None:
    smaller = without(formula, name)
    assert {term for term in formula.terms if name in term}.isdisjoint(smaller.terms)
    assert [term for term in formula.terms if name not in term] == list(smaller.terms)
    assert smaller.groupings == formula.groupings


@pytest.mark.parametrize(
    "text",
    [
        f"condition * attractors + {BRACKETS}",
        f"correct ~ condition + attractors + condition:attractors + {BRACKETS}",
        f"attractors:condition + condition + attractors + condition + {BRACKETS}",
        f"  correct~1+condition*attractors+{BRACKETS} ",
    ],
)
def test_a_product_stands_for_its_parts_and_their_interaction(text: str) -> None:
    terms = {("condition",), ("attractors",), ("condition", "attractors")}
    found = parse(text)
    assert set(found.terms) == terms
    assert len(found.terms) == 3
    assert found.groupings == RANDOM


def test_three_factors_interact_in_every_way() -> None:
    found = parse(f"condition * gap * attractors + {BRACKETS}")
    assert len(found.terms) == 7
    assert found.terms[-1] == ("condition", "attractors", "gap")


def test_an_intercept_alone_and_slopes_with_or_without_their_one() -> None:
    assert parse("1 + (1 | item)") == MixedFormula((), (Grouping("item"),))
    for inner in ("condition", "1 + condition", "condition + 1"):
        found = parse(f"condition + ({inner} | source)")
        assert found.groupings == (Grouping("source", ("condition",)),)
    assert str(parse("(1|item)")) == "correct ~ 1 + (1 | item)"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "condition +",
        "condition",  # no random effect
        "colour + (1 | source)",  # no such variable
        "(1 | verb)",  # no such grouping
        "gap + (gap)",  # no |
        "rt ~ gap + (1 | item)",  # something else is explained
        "(1 | item) + (1 | item)",  # a grouping twice
        "(gap | item)",  # slopes without a fixed term
        'gap + (1 | item); system("x")',
    ],
)
def test_what_cannot_be_read_is_refused(text: str) -> None:
    with mistake("value", f"--formula {text!r}"):
        parse(text)


@pytest.mark.parametrize("text", ["gap + (gap | item)", "gap + (1 | item)", "1 + (1 | item)"])
def test_next_to_what_is_refused_there_is_what_can_be_read(text: str) -> None:
    assert parse(f"correct ~ {text}") == parse(text)


@given(st.text(alphabet="(|)+*: ~1condtinaprs", max_size=40))
def test_any_text_is_a_formula_or_an_error(text: str) -> None:
    try:
        found = parse(text)
    except InputError:
        return
    assert parse(str(found)) == found


def test_the_default_asks_of_what_varies() -> None:
    assert str(default(["gap"], several_items=False)) == f"correct ~ 1 + {BRACKETS}"
    assert str(default(["attractors", "condition"], several_items=True)) == (
        f"correct ~ condition + attractors + condition:attractors + {BRACKETS} + (1 | item)"
    )
