"""A component oracle of models beside people: the items of a cell, and what its numbers are."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from colorless_green.data import Interval
from colorless_green.data.statistics.differences import Difference
from colorless_green.humans import HUMANS, Credits, RaterAccuracy, rater_accuracies, tally_of
from colorless_green.humans.statistics.rater_accuracy import (
    MAJORITY,
    SHARE,
    LikeWithLike,
    average_runs,
    margins_of,
    ties_wrong,
)
from tests.humans.report_material import items, outcomes, tallies

SUITE = items(n_originals=6, n_variants=3)
MODELS = outcomes(SUITE)
PEOPLE = tallies(SUITE)


def cell(
    rows: tuple[RaterAccuracy, ...], kind: str, construction: str, rater: str
) -> RaterAccuracy:
    (found,) = [
        row
        for row in rows
        if (row.kind, row.construction, row.rater) == (kind, construction, rater)
    ]
    return found


def p_of(row: RaterAccuracy) -> float | None:
    headline = row.compared.headline if row.compared is not None else None
    return headline.p if headline is not None else None


def test_rows_stand_by_kind_construction_and_rater() -> None:
    rows = rater_accuracies("s", SUITE, PEOPLE, MODELS)
    assert list(dict.fromkeys(row.kind for row in rows)) == ["original", "nonce"]
    originals = [row for row in rows if row.kind == "original"]
    names = list(dict.fromkeys(row.construction for row in originals))
    assert names == ["", *sorted(names[1:])]
    assert [row.rater for row in originals[:5]] == [HUMANS, *MODELS]


def test_a_difference_is_of_the_items_that_both_have() -> None:
    one, two, three = SUITE[:3]
    people = [tally_of(one, 8, 10), tally_of(two, 4, 10), tally_of(three, 0, 0)]
    credits: Credits = {
        one.item_id: (1.0, 2.0),
        two.item_id: (None, None),
        three.item_id: (0.0, -1.0),
    }
    same_kind = [replace(each, kind="nonce") for each in (one, two, three)]
    rows = rater_accuracies("s", same_kind, people, {"m": credits})
    model = cell(rows, "nonce", "", "m")
    assert model.n_items == 1
    assert model.compared is not None
    assert model.compared.raters == 10
    human = cell(rows, "nonce", "", HUMANS)
    assert human.n_items == 2
    assert human.accuracy == pytest.approx(0.6)
    assert human.majority == 0.5


def test_without_people_models_stand_on_all_their_items() -> None:
    rows = rater_accuracies("s", SUITE, (), MODELS)
    assert HUMANS not in {row.rater for row in rows}
    for row in rows:
        assert (row.compared, row.p_holm, row.spearman) == (None, None, None)
    credits = MODELS["ngram:models/ngram"]
    nonce = [item for item in SUITE if item.kind == "nonce"]
    mean = sum(credits[item.item_id][0] or 0.0 for item in nonce) / len(nonce)
    assert cell(rows, "nonce", "", "ngram:models/ngram").accuracy == pytest.approx(mean)


def test_people_who_all_agree_leave_no_correlation_and_not_a_zero() -> None:
    unanimous = [tally_of(item, 10, 10) for item in SUITE]
    rows = rater_accuracies("s", SUITE, unanimous, MODELS)
    assert all(row.spearman is None for row in rows)
    assert all(p_of(row) is not None for row in rows if row.rater != HUMANS and row.limits)


def test_holms_family_is_the_constructions_of_one_model_without_totals() -> None:
    rows = rater_accuracies("s", SUITE, PEOPLE, MODELS)
    for model in MODELS:
        own = [row for row in rows if row.rater == model]
        single = [row for row in own if row.construction]
        assert all(row.p_holm is None for row in own if not row.construction)
        ps = [p for row in single if (p := p_of(row)) is not None]
        smallest = min(row.p_holm for row in single if row.p_holm is not None)
        assert smallest == pytest.approx(min(1.0, min(ps) * len(ps)))


def test_a_model_as_good_as_people_on_every_item_differs_by_nothing() -> None:
    people = [tally_of(item, 10, 10) for item in SUITE]
    perfect: Credits = {item.item_id: (1.0, 3.0) for item in SUITE}
    for row in rater_accuracies("s", SUITE, people, {"m": perfect}):
        if row.rater == "m":
            assert row.compared is not None
            for difference in (row.compared.majority, row.compared.share):
                if difference is not None:
                    assert not difference.sign
            if row.compared.majority is not None:
                assert (row.compared.majority.value, row.compared.majority.p) == (0, 1)


@pytest.mark.slow
@settings(max_examples=10)
@given(st.permutations(range(len(SUITE))))
def test_the_order_of_people_and_items_does_not_matter(order: list[int]) -> None:
    first = {"m": MODELS["causal:someone/small-model@main"]}
    rows = rater_accuracies("s", SUITE, PEOPLE, first)
    other = rater_accuracies("s", [SUITE[i] for i in order], [PEOPLE[i] for i in order], first)
    for row, again in zip(rows, other, strict=True):
        assert (row.kind, row.construction, row.rater) == (
            again.kind,
            again.construction,
            again.rater,
        )
        assert row.accuracy == pytest.approx(again.accuracy, abs=1e-12)
        assert (row.low, row.high) == (again.low, again.high)
        assert p_of(row) == (None if (p := p_of(again)) is None else pytest.approx(p))


def test_a_tie_is_wrong_where_the_paper_counts() -> None:
    credits: Credits = {"a": (0.5, 0.0), "b": (1.0, 1e-12), "c": (1.0, 0.1), "d": (None, None)}
    assert {item: credit for item, (credit, _) in ties_wrong(credits).items()} == {
        "a": 0.0,
        "b": 0.0,
        "c": 1.0,
        "d": None,
    }


def test_like_is_compared_with_like() -> None:
    """Majority with choice, share with choice share; better by both, or not said to be better."""
    own = [replace(each, kind="nonce") for each in SUITE[:12]]
    people = [tally_of(item, 8, 10) for item in own]
    credits: Credits = {item.item_id: (float(n % 3 > 0), n - 4.0) for n, item in enumerate(own)}
    entries = [replace(item, cluster_id=item.item_id) for item in own]
    row = cell(rater_accuracies("s", entries, people, {"m": credits}), "nonce", "", "m")
    assert row.compared is not None
    majority, share = row.compared.majority, row.compared.share
    assert majority is not None
    assert share is not None
    assert row.compared.measure == MAJORITY
    assert majority.value == pytest.approx(1.0 - row.accuracy)
    assert row.choice_share is not None
    assert row.choice_share == pytest.approx(
        sum(1 / (1 + 2.0**-margin) for _, margin in credits.values() if margin is not None) / 12
    )
    assert share.value == pytest.approx(0.8 - row.choice_share)
    few = [tally_of(item, 3, 4) for item in own]
    row = cell(rater_accuracies("s", entries, few, {"m": credits}), "nonce", "", "m")
    assert row.compared is not None
    assert (row.compared.measure, row.compared.headline) == (SHARE, row.compared.share)


@given(st.sampled_from([-1, 0, 1]), st.sampled_from([-1, 0, 1]))
def test_nobody_is_better_unless_both_measures_say_so(first: int, second: int) -> None:
    both = (
        Difference(0.2 * sign or 0.1, Interval(0.2 * sign - 0.1, 0.2 * sign + 0.1), 0.5, "")
        for sign in (first, second)
    )
    better = {(1, 1): "people", (-1, -1): "model"}.get((first, second), "")
    assert LikeWithLike(9.0, *both).better == better


def test_what_one_seed_excludes_and_another_is_sure_of_has_no_mean() -> None:
    first: Credits = {"a": (1.0, math.inf), "b": (1.0, math.inf), "c": (0.0, -math.inf)}
    second: Credits = {"a": (0.0, -math.inf), "b": (1.0, 3.0), "c": (0.0, -1.0)}
    assert average_runs([first, second]) == {
        "a": (0.5, None),
        "b": (1.0, math.inf),
        "c": (0.0, -math.inf),
    }


def test_an_item_that_was_left_out_has_no_margin_to_correlate() -> None:
    found: Credits = {"a": (1.0, 2.0), "b": (None, 3.0), "c": (None, None), "d": (0.5, 0.0)}
    assert margins_of(found) == {"a": 2.0, "d": 0.0}


def test_seeds_of_one_setting_are_averaged_before_they_are_tested() -> None:
    first: Credits = {"a": (1.0, 3.0), "b": (0.0, -1.0), "c": (1.0, 1.0)}
    second: Credits = {"a": (1.0, 1.0), "b": (1.0, 2.0), "c": (None, None)}
    assert average_runs([first, second]) == {"a": (1.0, 2.0), "b": (0.5, 0.5), "c": (None, None)}
    assert average_runs([first]) == first
