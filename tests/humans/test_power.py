"""Component oracle: the power of a design against a second simulation; its level; laws."""

import math
import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data import Item
from colorless_green.data.seeds import generator
from colorless_green.data.statistics.crossed import condition_difference
from colorless_green.humans.judgments.judgment import tallies
from colorless_green.humans.statistics.people import AnswerTable
from colorless_green.humans.study import Version
from colorless_green.humans.study.power import (
    ACCURACY,
    DROPOUT,
    SPREAD_PARTICIPANTS,
    SPREAD_SOURCES,
    ConditionPair,
    _log_odds,
    about_power,
    condition_pair,
    design_power,
)
from tests.builders import few_examples
from tests.humans.report_material import agreement_item
from tests.humans.study_material import bare, item, suite
from tests.humans.trial_records import Judgment, trials_of

STUDIES = 500


def square(n_sources: int, n_versions: int = 2) -> ConditionPair:
    """Return a Latin square: one version of a source is an original, the others are nonce."""
    sources = np.arange(n_sources)
    shown = [n_versions * sources + (sources + n) % n_versions for n in range(n_versions)]
    cells = [2 * source + (n > 0) for source in sources for n in range(n_versions)]
    return ConditionPair(("original", "nonce"), np.array(shown), np.array(cells))


def error(share: float, studies: int = STUDIES) -> float:
    share = min(max(share, 0.01), 0.99)
    return math.sqrt(share * (1 - share) / studies)


@pytest.mark.parametrize("n_versions", [2, 4])
@pytest.mark.parametrize("n_sources", [8, 30])
def test_without_a_difference_the_test_rejects_no_more_often_than_alpha(
    n_sources: int, n_versions: int
) -> None:
    powers = design_power(square(n_sources, n_versions), [20, 60], [0.0], studies=1000)
    assert powers.max() <= 0.05 + 3 * error(0.05, 1000)
    assert n_sources < 30 or powers.min() >= 0.01  # it is on the safe side


@few_examples
@given(st.floats(0.0, 0.2), st.integers(8, 20), st.integers(0, 9))
def test_more_people_and_larger_differences_never_lower_power_by_more_than_noise(
    difference: float, n_sources: int, seed: int
) -> None:
    powers = design_power(
        square(n_sources), [10, 20, 40], [difference, difference + 0.05], studies=200, seed=seed
    )
    noise = 4 * math.sqrt(0.25 / 200)
    assert (np.diff(powers, axis=1) >= -noise).all()
    assert (np.diff(powers, axis=0) >= -noise).all()


def test_the_power_at_a_number_does_not_hang_on_the_other_difference() -> None:
    both = design_power(square(20), [20, 40], [0.05, 0.1], studies=100)
    assert (design_power(square(20), [20, 40], [0.1], studies=100) == both[1:]).all()
    assert (design_power(square(20), [20, 40], [0.05, 0.1], studies=100, seed=1) != both).any()


def made_up(
    n_people: int, lists: Sequence[Sequence[Version]], difference: float, seed: int
) -> float:
    """Return the p of a study that is made up answer by answer and tested by the tool's own
    test."""
    rng = generator(seed, "made-up study")
    first, second = (float(each) for each in _log_odds([ACCURACY, ACCURACY - difference]))
    sources = dict.fromkeys(version.item.cluster_id for version in lists[0])
    levels = {source: rng.gauss(0, SPREAD_SOURCES) for source in sources}
    judgments: list[Judgment] = []
    for person in range(n_people):
        level = rng.gauss(0, SPREAD_PARTICIPANTS)
        if rng.random() < DROPOUT:
            continue
        for version in lists[person % len(lists)]:
            own = version.item
            log_odds = level + levels[own.cluster_id]
            log_odds += second if own.kind == "nonce" else first
            right = rng.random() < 1 / (1 + math.exp(-log_odds))
            judgments.append(
                Judgment(f"p{person}", item=own.item_id, chosen="x", correct=int(right))
            )
    items = {version.item.item_id: version.item for row in lists for version in row}
    people = tallies(trials_of(judgments), items)
    answers = AnswerTable.of(trials_of(judgments)).answers_to(people)
    is_nonce = np.array([tally.condition == "nonce" for tally in people])
    test = condition_difference(answers, is_nonce)
    return 1.0 if test is None or test.p is None else test.p


@pytest.mark.slow
@pytest.mark.parametrize("difference", [0.0, 0.1])
def test_power_is_that_of_studies_made_up_one_by_one(difference: float) -> None:
    """Of a real design: twelve originals, three variants each, four lists."""
    lists = bare(suite((6, 6), 3)).lists
    pair = condition_pair(lists)
    assert pair is not None
    ((power,),) = design_power(pair, [30], [difference], studies=2000).tolist()
    ps = [made_up(30, lists, difference, seed) for seed in range(300)]
    share = sum(p < 0.05 for p in ps) / len(ps)
    assert abs(share - power) <= 3 * (error(power, 300) + error(power, 2000))


@given(st.floats(0.3, 0.98))
def test_people_and_sources_that_differ_are_as_accurate_as_is_assumed(accuracy: float) -> None:
    drawn = np.random.Generator(np.random.PCG64(0)).normal(size=200_000)
    spread = math.hypot(SPREAD_PARTICIPANTS, SPREAD_SOURCES)
    log_odds = _log_odds([accuracy])[0] + spread * drawn
    assert abs(float(np.mean(1 / (1 + np.exp(-log_odds)))) - accuracy) < 3e-3


def with_attractors(number: int) -> list[Item]:
    """Two cells of a source, of one kind: without and with an attractor."""
    plain = agreement_item(f"the keys of {number} are gone", 1, 4, "is", number=number)
    other = agreement_item(
        f"the keys of the box {number} are gone", 1, 6, "is", number=number, attractors=(4,)
    )
    return [replace(plain, cell="a"), replace(other, item_id=f"{plain.item_id}-b", cell="b")]


def cells(number: int) -> list[Item]:
    return [item(number, cell="a"), item(number, variant=1, cell="b")]


@pytest.mark.parametrize(
    ("items", "conditions"),
    [
        (suite((6,), 2), ("original", "nonce")),
        (
            [each for n in range(6) for each in with_attractors(n)],
            ("without attractors", "with attractors"),
        ),
        ([each for n in range(6) for each in cells(n)], ("b", "a")),
        (suite((6,), 0), None),
        ([item(1), item(2, kind="nonce")], None),  # both conditions, but in no source
    ],
    ids=["kinds", "attractors", "cells", "one", "between"],
)
def test_the_conditions_compared_are_those_of_the_design(
    items: Sequence[Item], conditions: tuple[str, str] | None
) -> None:
    pair = condition_pair(bare(items).lists)
    assert (pair and pair.conditions) == conditions
    told = list(about_power(bare(items).lists, "form", None, 0))
    assert (len(told) == 1) == (conditions is None)


def test_sources_without_both_conditions_are_left_out() -> None:
    lists = bare([*suite((6,), 1), item(9)]).lists
    pair = condition_pair(lists)
    assert pair is not None
    assert pair.cells.tolist() == list(range(12))
    assert pair.items.shape == (2, 6)


def test_power_is_told_at_half_the_same_and_double_the_participants_for_both_differences() -> None:
    lists = bare(suite((12,), 1)).lists
    told = list(about_power(lists, "form", 24, 0))
    figures = [re.findall(r"[\d.]+", line) for line in told]
    assert figures[0] == ["12", "24", "48"]
    assert [row[:3] for row in figures[1:3]] == [["5", "94", "89"], ["10", "94", "84"]]
    pair = condition_pair(lists)
    assert pair is not None
    powers = design_power(pair, [12, 24, 48])
    assert [row[3:] for row in figures[1:3]] == [[f"{p:.2f}" for p in row] for row in powers]
    assert {"0.8", "0.73", "10"} <= set(figures[-1])
    heading = next(about_power(lists, "form", None, 0))  # ten people for each of two lists
    assert re.findall(r"\d+", heading) == ["10", "20", "40", "10"]
    assert all(0 <= float(p) <= 1 for p in powers.flat)
    assert len(list(about_power(lists, "rating", 24, 0))) == 1  # nothing is right there
