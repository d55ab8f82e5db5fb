"""Figures by cell: intervals as the one bootstrap has them, columns, and the order of the items."""

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.nonce.audit.audit import ABOVE, audit
from colorless_green.nonce.audit.baselines import baselines_of
from colorless_green.nonce.audit.cells import cells_of, default_columns
from colorless_green.nonce.audit.resample import intervals
from colorless_green.nonce.intervals import cluster_interval
from colorless_green.nonce.item import Item
from tests.nonce.audit_material import agreeing_pair, audited, sentences

CREDIT = st.sampled_from([0.0, 0.5, 1.0])
ROWS = st.lists(
    st.tuples(st.sampled_from("abcd"), CREDIT, st.sampled_from([None, 0.0, 0.5, 1.0]), CREDIT),
    min_size=1,
    max_size=20,
)


@given(ROWS)
def test_many_intervals_at_once_are_those_of_one_at_a_time(
    rows: list[tuple[str, float, float | None, float]],
) -> None:
    clusters = [row[0] for row in rows]
    credits = np.array([row[1:] for row in rows], dtype=float)
    found = intervals(credits, clusters, seed=7)
    for column in range(3):
        judged = [(row[column + 1], row[0]) for row in rows if row[column + 1] is not None]
        values, own = zip(*judged, strict=True) if judged else ((), ())
        assert found[column] == cluster_interval(values, own, seed=7)


MATERIAL = st.lists(
    st.tuples(
        st.sampled_from("abcdef"),
        st.sampled_from(["original", "nonce"]),
        st.sampled_from(["Sing", "Plur"]),
        st.lists(st.sampled_from(["the", "old", "key"]), min_size=1, max_size=4),
    ),
    min_size=1,
    max_size=12,
)


def items(rows: list[tuple[str, str, str, list[str]]]) -> list[Item]:
    return [
        agreeing_pair(
            f"{' '.join(words)} {n} {'opens' if value == 'Sing' else 'open'}/{value}",
            "open" if value == "Sing" else "opens",
            cluster=cluster,
            kind=kind,
        )
        for n, (cluster, kind, value, words) in enumerate(rows)
    ]


@given(MATERIAL, st.randoms(use_true_random=False))
def test_the_order_of_the_items_does_not_matter(
    rows: list[tuple[str, str, str, list[str]]], rng: random.Random
) -> None:
    pairs = audited(*items(rows))
    other = rng.sample(pairs, len(pairs))
    one, two = (audit(each, baselines_of(each, None)) for each in (pairs, other))
    assert one.figures == two.figures
    assert one.hard_by_cell == two.hard_by_cell
    assert sorted(id(pair) for pair in one.hard) == sorted(id(pair) for pair in two.hard)


@given(MATERIAL)
def test_the_whole_is_the_mean_of_its_cells_by_their_size(
    rows: list[tuple[str, str, str, list[str]]],
) -> None:
    pairs = audited(*items(rows))
    result = audit(pairs, baselines_of(pairs, None))
    for whole in (figure for figure in result.figures if not figure.cell):
        parts = [each for each in result.figures if each.cell and each.baseline == whole.baseline]
        assert sum(each.n_items for each in parts) == whole.n_items
        mean = sum(each.accuracy * each.n_items for each in parts) / whole.n_items
        assert mean == pytest.approx(whole.accuracy)


def test_mined_items_stand_by_construction_value_and_kind_others_by_their_paradigm() -> None:
    assert default_columns(audited(agreeing_pair("a b/Sing", "c"))) == (
        "construction", "value", "kind",
    )  # fmt: skip
    others = audited(sentences("a", "b", uid="passive_1", phenomenon="argument_structure"))
    assert default_columns(others) == ("uid",)
    assert default_columns(audited(sentences("a", "b", author="x"))) == ()


def test_languages_are_apart_where_there_are_several() -> None:
    mined, other = agreeing_pair("a b/Sing", "c"), sentences("a", "b", construction="subj_rel")
    columns = default_columns(audited(mined, replace(other, language="fr")))
    assert columns == ("language", "construction", "value", "kind")


def test_without_columns_there_is_the_whole_alone() -> None:
    pairs = audited(sentences("a", "b"), sentences("c", "d"))
    assert cells_of(pairs, ()) == {(): [0, 1]}


def test_any_fact_can_make_a_cell() -> None:
    pairs = audited(
        agreeing_pair("a b/Sing", "c"), sentences("a", "b", author="x"), sentences("c", "d")
    )
    cells = cells_of(pairs, ("n_attractors", "author"))
    assert cells == {(): [0, 1, 2], ("", ""): [2], ("", "x"): [1], ("0", ""): [0]}


def test_a_column_that_no_item_has_is_told() -> None:
    with pytest.raises(InputError) as caught:
        cells_of(audited(sentences("a", "b", uid="x")), ("colour",))
    assert str(caught.value) == (
        "--by: no item has 'colour'; one of cell, kind, language, licence, set_id, source, uid"
    )


def test_a_warning_in_a_cell_of_one_value_names_the_value() -> None:
    rows = [agreeing_pair(f"a{n} opens/Sing", "open") for n in range(5)]
    rows += [agreeing_pair(f"b{n} open/Plur", "opens") for n in range(2)]
    pairs = audited(*rows)
    result = audit(pairs, baselines_of(pairs, None), by=("value",))
    told = {
        figure.cell: figure.warning
        for figure in result.figures
        if figure.baseline == "majority_value"
    }
    assert told == {(): "", ("Plur",): "", ("Sing",): f"{ABOVE} for Sing"}
    alone = audited(*rows[:5])
    assert {
        figure.warning
        for figure in audit(alone, baselines_of(alone, None), by=("value",)).figures
        if figure.baseline == "majority_value"
    } == {ABOVE}
