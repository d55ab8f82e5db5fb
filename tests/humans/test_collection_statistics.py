"""Several suites: who is a rater, tests between raters, correlations, shallow predictors."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.humans.collection import correlations, paired, shallow
from colorless_green.humans.collection.gathered import collected
from colorless_green.humans.collection.paired import flipped
from colorless_green.humans.collection.scores import COLLECTION_COLUMNS, LEVELS, score_rows
from colorless_green.humans.collection.shallow import binned
from colorless_green.humans.statistics import sign_flip
from colorless_green.scoring.collection import mean_of
from tests.humans.suites_material import LEVELS as MODELS
from tests.humans.suites_material import NAMES, many, margins, results, run, suite

COLLECTION = collected(many())
ROWS = list(score_rows(COLLECTION))


def test_people_come_first_and_a_group_stands_for_its_models() -> None:
    assert COLLECTION.raters == ("humans", *MODELS, "seeds")
    assert COLLECTION.shown == ("humans", "good", "fair", "seeds")
    assert COLLECTION.groups == {"seeds": ("seed-1", "seed-2")}


def test_a_group_has_the_mean_credit_of_its_models_item_by_item() -> None:
    first, second, group = (COLLECTION.answers[name] for name in ("seed-1", "seed-2", "seeds"))
    for key, (credit, _) in group.items():
        one, two = first[key][0], second[key][0]
        assert one is not None
        assert two is not None
        assert credit == (one + two) / 2


def test_rows_are_told_by_level_and_hold_what_the_units_say() -> None:
    assert list(dict.fromkeys(row["level"] for row in ROWS)) == list(LEVELS)
    assert all(set(row) == set(COLLECTION_COLUMNS) for row in ROWS)
    (score,) = [r for r in ROWS if (r["level"], r["rater"]) == ("score", "good")]
    own = [r["accuracy"] for r in ROWS if (r["level"], r["rater"]) == ("suite", "good")]
    assert len(own) == len(NAMES)
    assert score["accuracy"] == pytest.approx(np.mean([float(each or 0) for each in own]))
    (people,) = [r for r in ROWS if (r["level"], r["rater"]) == ("score", "humans")]
    assert people["accuracy"] == pytest.approx(0.7)  # 9, 8, 7, 6 and 5 of 10


def test_the_sd_of_a_group_is_that_of_its_models_scores() -> None:
    models = [mean_of(COLLECTION.scores[each]) for each in ("seed-1", "seed-2")]
    values = [each.accuracy for each in models if each is not None]
    (group,) = [r for r in ROWS if (r["level"], r["rater"]) == ("score", "seeds")]
    assert group["sd"] == pytest.approx(np.std(values, ddof=1))


def test_ties_and_unknown_words_are_counted_where_they_are() -> None:
    own = suite("s", 6)
    ids = [each.item_id for each in own.items]
    found = dict(zip(ids, [1.0, 0.0, -1.0, None, 0.0, 2.0], strict=True))
    (row,) = [
        row for row in score_rows(collected([results(own, [run(own, "m", found)])]))
        if row["level"] == "suite"
    ]  # fmt: skip
    assert (row["n_items"], row["n_ties"], row["n_oov"]) == (5, 2, 1)
    assert row["accuracy"] == 3 / 5


@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=1, max_size=10))
def test_flips_of_right_and_wrong_are_the_exact_test_over_all_signs(found: list[float]) -> None:
    names = [f"c{number}" for number in range(len(found))]
    signs = itertools.product([-1, 1], repeat=len(found))
    totals = [sum(s * d for s, d in zip(each, found, strict=True)) for each in signs]
    expected = sum(abs(t) >= abs(sum(found)) - 1e-9 for t in totals) / len(totals)
    test = flipped(found, names)
    assert test is not None
    assert test.p == pytest.approx(expected)
    plain = sign_flip(found, names)
    assert plain is not None
    assert test.p == pytest.approx(plain.p)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=8))
def test_other_differences_are_flipped_as_ever(found: list[float]) -> None:
    names = [f"c{number}" for number in range(len(found))]
    one, other = flipped(found, names), sign_flip(found, names)
    assert one is not None
    assert other is not None
    assert one.p == pytest.approx(other.p)


def test_pairs_are_compared_on_the_items_that_both_have() -> None:
    own = suite("s", 5)
    ids = [each.item_id for each in own.items]
    first = run(own, "one", dict(zip(ids, [1.0, 1.0, 1.0, -1.0, None], strict=True)))
    second = run(own, "two", dict(zip(ids, [-1.0, 1.0, None, -1.0, 1.0], strict=True)), number=2)
    (only,) = paired.paired(collected([results(own, [first, second])]))
    assert (only.name, only.n_items, only.accuracy, only.other_accuracy) == ("s", 3, 2 / 3, 1 / 3)
    assert only.difference == pytest.approx(1 / 3)
    assert (only.p, only.p_floor) == (1.0, 1.0)  # one item differs: a coin says no less


def test_over_suites_the_difference_is_that_of_the_scores_and_suites_are_flipped() -> None:
    found = paired.paired(COLLECTION)
    over = [each for each in found if not each.name]
    assert len(over) == 6  # pairs of four raters
    assert all(each.p_floor == 2.0 ** (1 - len(NAMES)) for each in over)
    (best,) = [each for each in over if (each.rater, each.other) == ("good", "fair")]
    one, other = (mean_of(COLLECTION.scores[each]) for each in ("good", "fair"))
    assert one is not None
    assert other is not None
    assert best.difference == pytest.approx(one.accuracy - other.accuracy)
    within = [each for each in found if each.name]
    assert len(within) == 6 * len(NAMES)
    for family in (over, within):
        assert all((each.p_holm or 0) >= (each.p or 0) for each in family)


def test_correlations_are_over_the_suites_that_both_have() -> None:
    found = {(each.rater, each.other): each for each in correlations.correlations(COLLECTION)}
    accuracies = {
        rater: [each.accuracy for each in COLLECTION.scores[rater]] for rater in COLLECTION.shown
    }
    pair = found["humans", "good"]
    r = np.corrcoef(accuracies["humans"], accuracies["good"])[0, 1]
    assert pair.n_suites == len(NAMES)
    assert pair.pearson == pytest.approx(r)
    flat = collected(many(people=False)[:2])
    assert correlations.correlations(flat) == ()  # two suites always lie on a line


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=60), st.integers(1, 10))
def test_bins_keep_the_order_of_values_and_equal_ones_together(
    values: list[float], n_bins: int
) -> None:
    owner = binned(values, n_bins)
    assert 0 <= min(owner) <= max(owner) < n_bins
    for (one, a), (two, b) in itertools.combinations(zip(values, owner, strict=True), 2):
        assert (one < two) <= (a <= b)
        assert (one == two) <= (a == b)


@given(st.integers(2, 10), st.integers(1, 9))
def test_bins_of_different_values_are_of_equal_size(n_bins: int, size: int) -> None:
    owner = binned([float(each) for each in range(n_bins * size)], n_bins)
    counts = [owner.count(number) for number in range(n_bins)]
    assert sum(counts) == n_bins * size
    assert max(counts) - min(counts) <= 1


def test_confidence_is_the_margin_without_its_sign_and_length_is_in_words() -> None:
    own = suite("s", 40)
    found = margins(own, "m")
    made = shallow.shallow(collected([results(own, [run(own, "m", found)])]), {})
    by_name = {each.predictor: each for each in made}
    assert set(by_name) == {"length", "confidence"}  # nobody scored whole sentences
    confidence = by_name["confidence"]
    sizes = [abs(each or 0.0) for each in found.values()]
    credits = [float((each or 0.0) > 0) for each in found.values()]
    assert confidence.correlation == pytest.approx(np.corrcoef(sizes, credits)[0, 1])
    assert len(confidence.bins) == 4
    assert confidence.bins[0].start == pytest.approx(min(sizes))
    assert confidence.bins[-1].end == pytest.approx(max(sizes))
    total = sum(each.n_items * each.accuracy for each in confidence.bins)
    assert total == pytest.approx(math.fsum(credits))
    assert [(each.start, each.end) for each in by_name["length"].bins] == [(3.0, 3.0)]
    assert by_name["length"].correlation is None


def test_rows_of_a_predictor_are_its_correlation_and_then_its_bins() -> None:
    rows = list(shallow.rows(shallow.shallow(COLLECTION, {})))
    assert all(set(row) <= set(shallow.SHALLOW_COLUMNS) for row in rows)
    good = [r for r in rows if (r["rater"], r["predictor"]) == ("good", "confidence")]
    assert "bin" not in good[0]
    assert [row["bin"] for row in good[1:]] == list(range(1, len(good)))
    assert sum(int(row["n_items"] or 0) for row in good[1:]) == good[0]["n_items"]
    assert "seeds" not in {row["rater"] for row in rows}
