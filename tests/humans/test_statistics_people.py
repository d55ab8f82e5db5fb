"""A component oracle of what is known because it is known who answered: intervals over people and
halves of people, against resamples and halves written out, and SciPy; and of agreement."""

import itertools
import math
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from colorless_green.data.statistics.crossed import OVER_BOTH, THESE_PEOPLE
from colorless_green.data.statistics.intervals import Proportion, draws
from colorless_green.data.statistics.rank_correlation import spearman
from colorless_green.humans import Tally
from colorless_green.humans.measures.consistency import kappas
from colorless_green.humans.measures.correlations import majority_of
from colorless_green.humans.statistics.accuracy_estimates import item_interval
from colorless_green.humans.statistics.people import (
    SPLITS,
    AnswerTable,
    Reliability,
    rater_agreement,
    split_by_people,
)
from tests.humans.answer_material import answer, answers
from tests.humans.trial_records import Judgment, trials_of


def shares(judgments: list[Judgment]) -> dict[str, float]:
    found: dict[str, list[int]] = {}
    for each in judgments:
        if each.correct is not None:
            found.setdefault(each.item, []).append(each.correct)
    return {item: sum(own) / len(own) for item, own in found.items()}


def counted(judgments: list[Judgment]) -> list[Tally]:
    found: dict[str, list[int]] = {}
    for each in judgments:
        if each.kind == "target" and each.correct is not None:
            found.setdefault(each.item, []).append(each.correct)
    return [
        Tally(item, item.partition("/")[0], "", "nonce", sum(own), len(own))
        for item, own in found.items()
    ]


def halves(judgments: list[Judgment], **options: int) -> Reliability | None:
    return split_by_people(trials_of(judgments), **options)


def people_interval(judgments: list[Judgment]) -> Proportion | None:
    return item_interval(counted(judgments), AnswerTable.of(trials_of(judgments)))


@given(st.integers(0, 6))
def test_counts_of_a_resample_are_those_of_its_people_written_out(seed: int) -> None:
    judgments = answers(5, 4, n_items=2, seed=seed)[:-3]  # the last person skipped some
    table = AnswerTable.of(trials_of(judgments))
    said: dict[str, dict[str, int | None]] = {each.participant: {} for each in judgments}
    for each in judgments:
        said[each.participant][each.item] = each.correct
    names = sorted(said, key=lambda name: sorted(said[name].items()))
    for row in next(draws(len(names), 4, seed)):
        (right,), (total,) = table.by_item(row[None, :])
        drawn = [
            each
            for name, times in zip(names, row, strict=True)
            for each in judgments
            for _ in range(int(times) if each.participant == name else 0)
        ]
        items = sorted({each.item for each in judgments})
        for place, item in enumerate(items):
            own = [each.correct for each in drawn if each.item == item]
            assert (right[place], total[place]) == (sum(map(int, map(bool, own))), len(own))


def test_only_answered_targets_count() -> None:
    extra = [
        answer("p0", "s0", None, item="unanswered"),
        answer("p0", "s0", 0, item="filler", kind="filler"),
    ]
    judgments = answers(4, 5)
    assert people_interval([*judgments, *extra]) == people_interval(judgments)


def test_answers_that_are_not_all_known_by_person_are_of_these_people() -> None:
    judgments = answers(6, 8)
    people = counted(judgments)
    known, fewer = (
        item_interval(people, AnswerTable.of(trials_of(given)))
        for given in (judgments, judgments[:-1])
    )
    assert known is not None
    assert fewer is not None
    assert (known.method, fewer.method) == (OVER_BOTH, THESE_PEOPLE)
    assert known.mean == pytest.approx(fewer.mean)


def test_one_source_gives_no_interval_and_one_person_no_halves() -> None:
    assert people_interval(answers(9, 1)) is None
    assert halves(answers(1, 9)) is None
    assert people_interval([]) is None


@settings(max_examples=5)
@given(st.randoms(use_true_random=False))
def test_the_order_of_judgments_does_not_matter(random: Random) -> None:
    judgments = answers(6, 8, n_items=2)
    other = judgments[:]
    random.shuffle(other)
    assert people_interval(other) == people_interval(judgments)
    assert halves(other, splits=20) == halves(judgments, splits=20)


@given(st.permutations("abcdefgh"))
def test_nothing_hangs_on_the_pseudonyms_that_people_were_given(names: list[str]) -> None:
    judgments = answers(8, 6, n_items=2, seed=4)
    people = list(dict.fromkeys(each.participant for each in judgments))
    new = dict(zip(people, names, strict=True))
    renamed = [replace(each, participant=new[each.participant]) for each in judgments]
    assert people_interval(renamed) == people_interval(judgments)
    assert halves(renamed, splits=20) == halves(judgments, splits=20)


def test_halves_do_not_depend_on_how_much_fits_in_memory() -> None:
    judgments = answers(6, 8)
    assert halves(judgments, cells=100) == halves(judgments)


def test_halves_of_people_are_those_of_all_ways_to_halve_them() -> None:
    """Four people: three ways to make two pairs, each as likely."""
    judgments = answers(4, 12, spread=2.0, seed=4)
    ways = []
    for half in ({"p0", "p1"}, {"p0", "p2"}, {"p0", "p3"}):
        first = shares([each for each in judgments if each.participant in half])
        second = shares([each for each in judgments if each.participant not in half])
        rho = spearman([first[item] for item in first], [second[item] for item in first])
        assert rho is not None
        ways.append(rho)
    found = halves(judgments)
    assert found is not None
    error = 4 * float(np.std(ways)) / math.sqrt(SPLITS)
    assert found.halves == pytest.approx(sum(ways) / 3, abs=error)


def test_spearman_brown_takes_halves_to_wholes_and_its_root_is_the_ceiling() -> None:
    found = halves(answers(20, 40, spread=1.0))
    assert found is not None
    assert found.corrected is not None
    assert found.corrected == pytest.approx(2 * found.halves / (1 + found.halves))
    assert found.ceiling == pytest.approx(math.sqrt(found.corrected))


def test_people_who_guess_have_no_ceiling() -> None:
    """Item accuracies that repeat worse than by chance: no root of what is not above 0."""
    judgments = [answer(f"p{p}", f"s{s}", (p + s) % 2) for p in range(2) for s in range(10)]
    found = halves(judgments)
    assert found is not None
    assert (found.halves, found.corrected, found.ceiling) == (-1.0, None, None)


def test_people_who_all_agree_say_nothing_of_reliability() -> None:
    unanimous = [answer(f"p{p}", f"s{s}", 1) for p in range(6) for s in range(10)]
    assert halves(unanimous) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_people", "n_sources"),
    [(25, 20), (20, 100), pytest.param(58, 118, marks=pytest.mark.thorough)],
)
def test_the_interval_over_people_and_sources_covers_the_truth(
    n_people: int, n_sources: int
) -> None:
    """400 made-up studies each: spreads of 0.80 and 0.73 log-odds, as in the data lme4 was run on.
    Over sources alone the three cover 85, 73 and 57 %."""
    rng = np.random.default_rng(1)
    spread = rng.standard_normal((200_000, 2)) * [0.8, 0.73]
    truth = float(np.mean(1 / (1 + np.exp(-2.0 - spread.sum(axis=1)))))
    covered = 0
    for _ in range(400):
        people, sources = 0.8 * rng.standard_normal(n_people), 0.73 * rng.standard_normal(n_sources)
        chances = 1 / (1 + np.exp(-2.0 - people[:, None] - sources[None, :]))
        right = rng.random((n_people, n_sources)) < chances
        judgments = [
            answer(f"p{p}", f"s{s}", int(right[p, s]), item=f"i{s}")
            for p in range(n_people)
            for s in range(n_sources)
        ]
        limits = people_interval(judgments)
        assert limits is not None
        covered += limits.low <= truth <= limits.high
    assert covered / 400 >= 0.93


TABLES = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=8
)


def written_out(counts: tuple[int, ...]) -> list[int]:
    return [category for category, n in enumerate(counts) for _ in range(n)]


@given(TABLES)
def test_alpha_is_one_minus_observed_over_expected_disagreement(
    table: list[tuple[int, int, int]],
) -> None:
    """Pairs counted one by one: those of an item weigh 1 / (n − 1), those of all answers 1."""
    own = [written_out(each) for each in table if sum(each) > 1]
    everything = list(itertools.chain(*own))
    n = len(everything)
    differing = sum(a != b for a, b in itertools.permutations(everything, 2))
    found = rater_agreement(table)
    if not own:
        assert found is None
        return
    assert found is not None
    if not differing:
        assert found.alpha is None
        return
    observed = sum(
        sum(a != b for a, b in itertools.permutations(each, 2)) / (len(each) - 1) for each in own
    )
    assert found.alpha == pytest.approx(1 - (observed / n) / (differing / (n * (n - 1))))


@given(TABLES)
def test_pairwise_agreement_is_the_share_of_pairs_that_agree(
    table: list[tuple[int, int, int]],
) -> None:
    own = [list(itertools.combinations(written_out(each), 2)) for each in table if sum(each) > 1]
    found = rater_agreement(table)
    if found is None:
        assert not own
        return
    expected = sum(sum(a == b for a, b in pairs) / len(pairs) for pairs in own) / len(own)
    assert found.pairwise == pytest.approx(expected)
    assert found.n_items == len(own)


def test_perfect_agreement_is_one_and_one_category_is_undefined() -> None:
    split = rater_agreement([(3, 0), (0, 5)])
    assert split is not None
    assert (split.alpha, split.pairwise) == (1.0, 1.0)
    same = rater_agreement([(3, 0), (5, 0)])
    assert same is not None
    assert (same.alpha, same.pairwise) == (None, 1.0)


def test_an_easy_set_agrees_more_and_has_the_lower_alpha() -> None:
    easy = rater_agreement([(9, 1)] * 20)
    mixed = rater_agreement([(9, 1), (1, 9)] * 10)
    assert easy is not None
    assert mixed is not None
    assert easy.pairwise == mixed.pairwise
    assert (easy.alpha or 0.0) < (mixed.alpha or 0.0)


def test_items_with_one_answer_count_nowhere() -> None:
    assert rater_agreement([(3, 1), (0, 1), (2, 2)]) == rater_agreement([(3, 1), (2, 2)])
    assert rater_agreement([(1, 0), (0, 0)]) is None


@given(st.integers(0, 7), st.integers(1, 7), st.data())
def test_a_majority_of_few_is_the_mean_over_all_draws_of_them(
    right: int, q: int, data: st.DataObject
) -> None:
    total = data.draw(st.integers(max(right, q), 8))
    answers = [1] * right + [0] * (total - right)
    draws = [sum(draw) for draw in itertools.combinations(answers, q)]
    expected = sum((2 * k > q) + (2 * k == q) / 2 for k in draws) / len(draws)
    found = majority_of([Tally("i", "s", "", "nonce", right, total)], q)
    assert found == pytest.approx(expected)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_consistency_is_cohens_kappa_of_right_and_wrong(pairs: list[tuple[bool, bool]]) -> None:
    one, other = (np.array(side, dtype=float) for side in zip(*pairs, strict=True))
    sums = [(one == other).sum(), one.sum(), other.sum(), len(pairs)]
    found = kappas(np.array([sums], dtype=float))[0]
    table = np.array([[pairs.count((a, b)) for b in (False, True)] for a in (False, True)])
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / len(pairs)
    if np.trace(expected) == len(pairs):
        assert math.isnan(found)
    else:
        left = len(pairs) - np.trace(expected)
        assert found == pytest.approx((np.trace(table) - np.trace(expected)) / left)
