"""Component oracle. Scores over suites: what counts once, means, and intervals over items and over
suites."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data import Item, Suite
from colorless_green.data.statistics.intervals import accuracy_interval
from colorless_green.scoring.outcomes.collection import (
    by_circuit,
    by_modifier,
    mean_of,
    unit_scores,
    units_of,
)
from tests.humans.suites_material import ONE, item, suite

shares = st.floats(0, 1, allow_nan=False)


def credits_for(*suites: Suite, value: float = 1.0) -> dict[tuple[str, str], float | None]:
    return {(each.name, one.item_id): value for each in suites for one in each.items}


def test_a_suite_of_one_construction_is_one_unit_under_its_name() -> None:
    (unit,) = units_of([suite("number_prep", 3)])
    assert (unit.name, unit.circuit, len(unit.items)) == ("number_prep", "Made-up", 3)
    assert unit.chance == 0.25


def test_each_construction_of_a_suite_with_several_is_a_unit_of_its_phenomenon() -> None:
    items = (
        item("blimp", 1, construction="", uid="passive_1", phenomenon="argument_structure"),
        item("blimp", 2, construction="", uid="animate_subject_trans", phenomenon="s-selection"),
        item("blimp", 3, construction="", uid="passive_1", phenomenon="argument_structure"),
    )
    found = units_of([replace(suite("blimp"), items=items)])
    assert [(unit.name, unit.circuit, len(unit.items)) for unit in found] == [
        ("passive_1", "argument_structure", 2),
        ("animate_subject_trans", "argument_structure", 1),
    ]


def test_constructions_of_one_name_in_two_suites_are_told_apart() -> None:
    items: tuple[Item, ...] = (item("x", 1, construction="A"), item("x", 2, construction="B"))
    one, two = (replace(suite(name), items=items) for name in ("first", "second"))
    assert [unit.name for unit in units_of([one, two])] == [
        "first: A", "first: B", "second: A", "second: B",
    ]  # fmt: skip


@given(st.lists(st.lists(shares, min_size=1, max_size=6), min_size=1, max_size=5))
def test_a_score_is_the_plain_mean_of_the_suites_means(groups: list[list[float]]) -> None:
    suites = [suite(f"s{n}", len(group)) for n, group in enumerate(groups)]
    credits: dict[tuple[str, str], float | None] = {
        (own.name, each.item_id): value
        for own, group in zip(suites, groups, strict=True)
        for each, value in zip(own.items, group, strict=True)
    }
    mean = mean_of(unit_scores(units_of(suites), credits))
    assert mean is not None
    assert mean.accuracy == pytest.approx(np.mean([np.mean(group) for group in groups]))
    assert (mean.n_units, mean.n_items) == (len(groups), sum(map(len, groups)))
    for limits in (mean.items, mean.units):
        if limits is not None:
            assert -1e-12 <= limits.low <= limits.high <= 1 + 1e-12


@given(st.lists(shares, min_size=2, max_size=20))
def test_the_interval_of_one_suite_is_that_of_its_accuracy(values: list[float]) -> None:
    own = suite("s", len(values))
    credits: dict[tuple[str, str], float | None] = {
        ("s", each.item_id): value for each, value in zip(own.items, values, strict=True)
    }
    mean = mean_of(unit_scores(units_of([own]), credits))
    assert mean is not None
    assert mean.items == accuracy_interval(values, own.table.clusters)


def test_items_without_a_credit_count_nowhere_and_a_unit_without_any_is_not_there() -> None:
    one, two = suite("one", 4), suite("two", 2)
    credits = credits_for(one)
    credits["one", one.items[0].item_id] = None
    found = unit_scores(units_of([one, two]), credits)
    assert [(each.unit.name, each.n_items) for each in found] == [("one", 3)]
    assert mean_of(()) is None


def test_the_interval_over_suites_widens_with_their_spread_alone() -> None:
    suites = [suite(f"s{n}", 5) for n in range(4)]
    credits: dict[tuple[str, str], float | None] = {}
    for number, own in enumerate(suites):
        credits |= credits_for(own, value=float(number % 2))
    mean = mean_of(unit_scores(units_of(suites), credits))
    assert mean is not None
    assert mean.items is not None
    assert mean.units is not None
    credits = dict.fromkeys(credits, 0.5)
    alike = mean_of(unit_scores(units_of(suites), credits))
    assert alike is not None
    assert alike.items is not None
    assert alike.units is not None
    assert alike.items.low == pytest.approx(mean.items.low)
    assert alike.units.high - alike.units.low < mean.units.high - mean.units.low


def test_chance_is_the_mean_of_the_suites_and_none_where_one_has_none() -> None:
    one, two = suite("one", 2), suite("two", 2, ONE, "ab")
    scaled = suite("three", 2, "(2;%a%) < 5", "ab")
    found = unit_scores(units_of([one, two, scaled]), credits_for(one, two, scaled))
    without, every = mean_of(found[:2]), mean_of(found)
    assert without is not None
    assert every is not None
    assert without.chance == 0.375
    assert every.chance is None


def test_circuits_and_modifiers_take_the_suites_that_belong_to_them() -> None:
    suites = [
        suite("cleft", 2, construction="Long"),
        suite("cleft_modifier", 2, construction="Long"),
        suite("number", 2, construction="Agreement"),
        suite("mvrr_mod", 2, construction="Garden"),
    ]
    scores = unit_scores(units_of(suites), credits_for(*suites))
    circuits = {name: [s.unit.name for s in own] for name, own in by_circuit(scores).items()}
    assert circuits == {
        "Agreement": ["number"], "Garden": ["mvrr_mod"], "Long": ["cleft", "cleft_modifier"],
    }  # fmt: skip
    modifiers = {name: [s.unit.name for s in own] for name, own in by_modifier(scores).items()}
    assert modifiers == {"without modifier": ["cleft"], "with modifier": ["cleft_modifier"]}
    assert by_modifier(scores[2:]) == {}
