"""The order of a list: what is never broken, what is given up first, where sides and checks are."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.humans.order import Ordered, Sided, ordered, sided
from colorless_green.humans.stimulus import Stimulus


def stimulus(
    number: int, kind: str = "target", construction: str = "", value: str = "", condition: str = ""
) -> Stimulus:
    return Stimulus(
        kind=kind,
        task="form",
        item=f"{kind}-{number}",
        source=f"{kind}-{number}",
        construction=construction,
        condition=condition,
        prefix="the",
        first="right",
        second="wrong",
        value=value,
        language="en",
        right="right",
    )


def study(n_each: int, n_constructions: int, n_checks: int = 0) -> list[Stimulus]:
    """So many targets of each construction, as many fillers (of another construction each), and
    checks; values and conditions alternate."""
    n_targets = n_each * n_constructions
    targets = [
        stimulus(
            n, "target", f"C{n % n_constructions}", "SP"[n // n_constructions % 2], "on"[n % 2]
        )
        for n in range(n_targets)
    ]
    fillers = [
        stimulus(n, "filler", f"F{n % 3}", "SP"[n % 2], "on"[n % 2]) for n in range(n_targets)
    ]
    return [*targets, *fillers, *(stimulus(n, "check") for n in range(n_checks))]


def shown(found: Ordered) -> list[Sided]:
    return [each for block in found.blocks for each in block]


STUDIES = st.builds(study, st.integers(2, 6), st.integers(3, 6), st.integers(0, 2))


def longest(values: Sequence[object]) -> int:
    return max((len(list(own)) for _, own in groupby(values)), default=0)


@given(STUDIES, st.integers(1, 3), st.integers(0, 99))
def test_an_order_keeps_every_constraint_that_it_does_not_name(
    stimuli: list[Stimulus], n_blocks: int, seed: int
) -> None:
    found = ordered(sided(stimuli, seed, "list 1"), n_blocks, seed, "list 1")
    row = shown(found)
    kinds = [each.stimulus.kind == "target" for each in row]
    runs = {
        "targets": max((len(list(g)) for own, g in groupby(kinds) if own), default=0) <= 2,
        "construction": all(
            one.stimulus.construction != other.stimulus.construction
            for one, other in pairwise(row)
            if one.stimulus.construction
        ),
        "value": longest([each.stimulus.value or n for n, each in enumerate(row)]) <= 3,
        "side": longest([each.right_first for each in row]) <= 3,
        "start": all(
            [each.stimulus.kind for each in block[:2]] == ["filler", "filler"]
            for block in found.blocks
        ),
    }
    assert [name for name, kept in runs.items() if not kept] == [
        name for name in runs if name in found.relaxed
    ]


@given(STUDIES, st.integers(0, 99))
def test_no_two_trials_of_one_construction_in_a_row_where_half_are_fillers_of_others(
    stimuli: list[Stimulus], seed: int
) -> None:
    found = ordered(sided(stimuli, seed, "a"), 1, seed, "a")
    assert "construction" not in found.relaxed
    assert "targets" not in found.relaxed


@given(STUDIES, st.integers(1, 3), st.integers(0, 99))
def test_nothing_is_lost_and_blocks_are_equally_long(
    stimuli: list[Stimulus], n_blocks: int, seed: int
) -> None:
    found = ordered(sided(stimuli, seed, "a"), n_blocks, seed, "a")
    assert sorted(each.stimulus.item for each in shown(found)) == sorted(s.item for s in stimuli)
    sizes = [len([e for e in own if e.stimulus.kind != "check"]) for own in found.blocks]
    assert max(sizes) - min(sizes) <= 1
    for kind in ("target", "filler"):
        numbers = [sum(e.stimulus.kind == kind for e in own) for own in found.blocks]
        assert max(numbers) - min(numbers) <= 1


@given(STUDIES, st.integers(1, 2), st.integers(0, 99))
def test_checks_are_not_among_the_first_three_nor_at_the_ends_of_a_block(
    stimuli: list[Stimulus], n_blocks: int, seed: int
) -> None:
    found = ordered(sided(stimuli, seed, "a"), n_blocks, seed, "a")
    assert all(each.stimulus.kind != "check" for each in shown(found)[:3])
    for block in found.blocks:
        assert "check" not in (block[0].stimulus.kind, block[-1].stimulus.kind)


@given(STUDIES, st.integers(0, 99))
def test_the_right_option_is_first_in_half_of_every_kind_and_condition(
    stimuli: list[Stimulus], seed: int
) -> None:
    sides = sided(stimuli, seed, "a")
    totals: Counter[tuple[str, ...]] = Counter()
    firsts: Counter[tuple[str, ...]] = Counter()
    for each in sides:
        own = each.stimulus
        cells = ((), (own.kind, own.condition), (own.kind, own.condition, own.construction))
        totals.update(cells)
        firsts.update(cells if each.right_first else ())
    for cell, total in totals.items():
        assert abs(2 * firsts[cell] - total) <= 1


def test_the_right_option_stands_where_its_side_says() -> None:
    own = stimulus(1)
    assert Sided(own, True).options == ("right", "wrong")
    assert Sided(own, False).options == ("wrong", "right")


@given(STUDIES, st.integers(0, 9))
def test_the_same_seed_gives_the_same_order_and_another_list_another_one(
    stimuli: list[Stimulus], seed: int
) -> None:
    one = ordered(sided(stimuli, seed, "a"), 2, seed, "a")
    assert ordered(sided(stimuli, seed, "a"), 2, seed, "a") == one
    assert ordered(sided(stimuli, seed, "b"), 2, seed, "b") != one


def test_what_cannot_be_kept_is_given_up_in_the_fixed_order() -> None:
    """With one construction and as many fillers, two fillers at the beginning leave one too few
    between the targets: that is given up, and nothing that stands later."""
    stimuli = [s for s in study(12, 1) if s.kind == "target"]
    stimuli += [stimulus(n, "filler") for n in range(12)]
    found = ordered(sided(stimuli, 0, "a"), 1, 0, "a")
    assert found.relaxed == ("start",)


def test_one_construction_without_fillers_follows_itself_and_says_so() -> None:
    stimuli = [stimulus(n, "target", "C", "SP"[n % 2]) for n in range(12)]
    assert ordered(sided(stimuli, 0, "a"), 1, 0, "a").relaxed == ("construction",)


def test_a_block_too_short_for_its_checks_is_an_error() -> None:
    stimuli = [*(stimulus(n) for n in range(3)), stimulus(0, "check")]
    with pytest.raises(InputError) as error:
        ordered(sided(stimuli, 0, "a"), 1, 0, "a")
    assert str(error.value) == (
        "--checks: 1 checks in a block of 4 trials leave no place for one; fewer checks, fewer "
        "blocks, or more trials"
    )
