"""Figures by cell: intervals as everywhere, columns, and the order of the items."""

import random
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data import Item
from colorless_green.data.statistics.intervals import accuracy_interval
from colorless_green.nonce import audit_items
from tests.builders import few_examples, mistake
from tests.nonce.audit_material import agreeing_pair, sentences

MATERIAL = st.lists(
    st.tuples(
        st.sampled_from("abcdef"),
        st.sampled_from(["original", "nonce", "suite"]),
        st.sampled_from(["Sing", "Plur"]),
        st.lists(st.sampled_from(["the", "old", "key"]), min_size=1, max_size=4),
    ),
    min_size=1,
    max_size=12,
)


def items(rows: list[tuple[str, str, str, list[str]]]) -> list[Item]:
    """Pairs of agreement, and mere sentences (`suite`), which some baselines pass over."""
    return [
        sentences(f"{' '.join(words)} {n} x", f"{n} {value}", cluster=cluster)
        if kind == "suite"
        else agreeing_pair(
            f"{' '.join(words)} {n} {'opens' if value == 'Sing' else 'open'}/{value}",
            "open" if value == "Sing" else "opens",
            cluster=cluster,
            kind=kind,
        )
        for n, (cluster, kind, value, words) in enumerate(rows)
    ]


@few_examples
@given(MATERIAL, st.randoms(use_true_random=False))
def test_the_order_of_the_items_does_not_matter(
    rows: list[tuple[str, str, str, list[str]]], rng: random.Random
) -> None:
    given_items = items(rows)
    other = rng.sample(given_items, len(given_items))
    one, two = (audit_items(each) for each in (given_items, other))
    assert one.figures == two.figures
    assert one.hard_by_cell == two.hard_by_cell
    assert {item.item_id for item in one.hard} == {item.item_id for item in two.hard}


@given(MATERIAL)
def test_the_whole_is_the_mean_of_its_cells_by_their_size(
    rows: list[tuple[str, str, str, list[str]]],
) -> None:
    result = audit_items(items(rows), by=("kind",))
    for whole in (figure for figure in result.figures if not figure.cell):
        parts = [each for each in result.figures if each.cell and each.baseline == whole.baseline]
        assert sum(each.n_items for each in parts) == whole.n_items
        mean = sum(each.accuracy * each.n_items for each in parts) / whole.n_items
        assert mean == pytest.approx(whole.accuracy)


Credits = Mapping[str, Mapping[str, float]]
"""Item id → baseline → what it is worth there."""


def credits_of(given_items: list[Item]) -> Credits:
    """Of each item, by an audit in which it is a cell of its own."""
    result = audit_items([replace(item, cell=item.item_id) for item in given_items], by=("cell",))
    found: dict[str, dict[str, float]] = {item.item_id: {} for item in given_items}
    for figure in result.figures:
        if figure.cell:
            found[str(figure.cell[0])][figure.baseline] = figure.accuracy
    return found


@few_examples
@given(MATERIAL)
def test_intervals_are_those_of_accuracies_everywhere(
    rows: list[tuple[str, str, str, list[str]]],
) -> None:
    given_items = items(rows)
    credits = credits_of(given_items)
    for figure in audit_items(given_items, by=("kind",)).figures:
        own = [
            item
            for item in given_items
            if figure.cell in ((), (item.kind,)) and figure.baseline in credits[item.item_id]
        ]
        values = [credits[item.item_id][figure.baseline] for item in own]
        clusters = [item.cluster_id for item in own]
        expected = accuracy_interval(values, clusters)
        assert (figure.interval is None) == (expected is None)
        if figure.interval and expected:
            found = figure.interval.low, figure.interval.high
            assert found == pytest.approx((expected.low, expected.high), abs=1e-9)
        assert (figure.n_items, figure.n_clusters) == (len(own), len(set(clusters)))
        assert figure.accuracy == pytest.approx(sum(values) / len(values))


@given(MATERIAL, st.sampled_from([(), ("words",), ("shorter_in_letters", "majority_value")]))
def test_hard_are_the_items_on_which_no_baseline_is_better_than_undecided(
    rows: list[tuple[str, str, str, list[str]]], against: tuple[str, ...]
) -> None:
    given_items = items(rows)
    credits = credits_of(given_items)
    hard = [
        item
        for item in given_items
        if all(
            credit <= 0.5
            for baseline, credit in credits[item.item_id].items()
            if not against or baseline in against
        )
    ]
    result = audit_items(given_items, by=("kind",), against=against)
    assert list(result.hard) == hard
    assert result.hard_by_cell[()] == (len(hard), len({item.cluster_id for item in hard}))


def test_mined_items_stand_by_construction_value_and_kind_others_by_their_construction() -> None:
    mined, other = agreeing_pair("a b/Sing", "c"), sentences("a", "b", construction="subj_rel")
    for given_items, columns in (
        ([mined], ("construction", "value", "kind")),
        (
            [sentences("a", "b", uid="passive_1", phenomenon="argument_structure")],
            ("construction",),
        ),
        ([sentences("a", "b", phenomenon="argument_structure")], ("phenomenon",)),
        ([sentences("a", "b", author="x")], ()),
        ([mined, replace(other, language="fr")], ("language", "construction", "value", "kind")),
    ):
        assert audit_items(given_items).columns == columns


def sizes(given_items: list[Item], *by: str) -> dict[tuple[str | None, ...], int]:
    """How many items each cell has, as a baseline that judges all of them sees them."""
    figures = audit_items(given_items, by=by).figures
    return {each.cell: each.n_items for each in figures if each.baseline == "shorter_in_words"}


def test_any_fact_can_make_a_cell_and_none_the_whole_alone() -> None:
    mined = agreeing_pair("a b/Sing", "c")
    others = [sentences("a", "b", author="x"), sentences("c", "d")]
    cells = sizes([mined, *others], "n_attractors", "author")
    assert cells == {(): 3, ("", ""): 1, ("", "x"): 1, ("0", ""): 1}
    assert list(cells) == sorted(cells)
    assert sizes(others) == {(): 2}


def test_a_column_that_no_item_has_is_told() -> None:
    with mistake("unknown", "by"):
        audit_items([sentences("a", "b", uid="x")], by=("colour",))


def test_a_warning_in_a_cell_of_one_value_names_the_value() -> None:
    rows = [agreeing_pair(f"a{n} opens/Sing", "open") for n in range(5)]
    rows += [agreeing_pair(f"b{n} open/Plur", "opens") for n in range(2)]
    for given_items, told in (
        (rows, {(): False, ("Plur",): False, ("Sing",): True}),
        (rows[:5], {(): False, ("Sing",): False}),
    ):
        figures = audit_items(given_items, by=("value",)).figures
        majority = [each for each in figures if each.baseline == "majority_value"]
        assert {each.cell: "Sing" in each.warning for each in majority} == told
        assert all(each.warning for each in majority) == (len(given_items) == 5)
