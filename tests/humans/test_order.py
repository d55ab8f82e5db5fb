"""The order of a list: what is never broken, what is given up first, where sides and checks are."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from hypothesis import given
from hypothesis import strategies as st

from colorless_green.humans import StudyDesign, Trial
from tests.builders import few_examples, mistake
from tests.humans.study_material import FILLERS, bare, designed, lists_of, planned, suite

VALUES = {item.item_id: item.facts["value"] for item in (*FILLERS, *suite((6,) * 6, 1))}


@dataclass(frozen=True)
class Shown:
    """A list as somebody goes through it."""

    trials: Sequence[Trial]
    right_first: Sequence[bool]
    relaxed: Sequence[str]

    @property
    def blocks(self) -> list[list[Trial]]:
        return [list(own) for _, own in groupby(self.trials, key=lambda trial: trial.block)]


def shown(made: StudyDesign) -> list[Shown]:
    found = []
    for row, own in zip(made.rows, lists_of(made).values(), strict=True):
        first = [trial.options[0] == trial.right for trial in own]
        assert row["right_first"] == sum(first)
        found.append(Shown(own, first, str(row["relaxed"]).split(", ")))
    return found


def study(
    n_each: int, n_constructions: int, n_checks: int, n_blocks: int, seed: int
) -> StudyDesign:
    """So many targets of each construction, as many fillers (of three others), and checks."""
    plan = planned("form", fillers="pool", checks=n_checks, blocks=n_blocks, seed=seed)
    return designed(suite((n_each,) * n_constructions, 1), plan)


def studies(most_blocks: int) -> st.SearchStrategy[StudyDesign]:
    return st.builds(
        study,
        st.integers(2, 6),
        st.integers(3, 6),
        st.integers(0, 2),
        st.integers(1, most_blocks),
        st.integers(0, 99),
    )


def longest(values: Sequence[object]) -> int:
    return max((len(list(own)) for _, own in groupby(values)), default=0)


@few_examples
@given(studies(3))
def test_an_order_keeps_every_constraint_that_it_does_not_name(made: StudyDesign) -> None:
    for own in shown(made):
        others = enumerate(own.trials)
        targets = [trial.kind == "target" or -n for n, trial in others]
        values = [VALUES.get(trial.item, str(n)) for n, trial in enumerate(own.trials)]
        kept = {
            "targets": longest(targets) <= 2,
            "construction": all(
                not one.construction or one.construction != other.construction
                for one, other in pairwise(own.trials)
            ),
            "value": longest(values) <= 3,
            "side": longest(own.right_first) <= 3,
            "start": all(
                [trial.kind for trial in block[:2]] == ["filler", "filler"] for block in own.blocks
            ),
        }
        assert {name for name, held in kept.items() if not held} == {*own.relaxed} - {""}


@given(studies(1))
def test_no_two_of_one_construction_in_a_row_where_half_are_fillers_of_others(
    made: StudyDesign,
) -> None:
    for own in shown(made):
        assert not {"construction", "targets"} & {*own.relaxed}


@few_examples
@given(studies(3))
def test_nothing_is_lost_and_blocks_are_equally_long(made: StudyDesign) -> None:
    for row, own in zip(made.rows, shown(made), strict=True):
        kinds = Counter(trial.kind for trial in own.trials)
        assert kinds["target"] == kinds["filler"] == row["n_targets"] == row["n_fillers"]
        assert kinds["check"] == row["n_checks"]
        assert len({trial.item for trial in own.trials}) == len(own.trials)
        assert len(own.blocks) == row["n_blocks"]
        counts = [Counter(trial.kind for trial in block) for block in own.blocks]
        for sizes in (
            [count["target"] + count["filler"] for count in counts],
            [count["target"] for count in counts],
            [count["filler"] for count in counts],
        ):
            assert max(sizes) - min(sizes) <= 1


@given(studies(2))
def test_checks_are_not_among_the_first_three_nor_at_the_ends_of_a_block(made: StudyDesign) -> None:
    for own in shown(made):
        assert "check" not in [trial.kind for trial in own.trials[:3]]
        for block in own.blocks:
            assert "check" not in (block[0].kind, block[-1].kind)


@given(studies(1))
def test_the_right_option_is_first_in_half_of_every_kind_and_condition(made: StudyDesign) -> None:
    for own in shown(made):
        totals: Counter[tuple[str, ...]] = Counter()
        firsts: Counter[tuple[str, ...]] = Counter()
        for trial, first in zip(own.trials, own.right_first, strict=True):
            cell = (trial.kind, trial.condition, trial.construction)
            cells = ((), cell[:2], cell)
            totals.update(cells)
            firsts.update(cells if first else ())
        assert all(abs(2 * firsts[cell] - total) <= 1 for cell, total in totals.items())


@given(studies(2))
def test_every_list_has_an_order_and_sides_of_its_own(made: StudyDesign) -> None:
    fillers = [
        [(t.item, t.options) for t in own.trials if t.kind == "filler"] for own in shown(made)
    ]
    assert sorted(name for name, _ in fillers[0]) == sorted(name for name, _ in fillers[1])
    assert fillers[0] != fillers[1]


def test_what_cannot_be_kept_is_given_up_in_the_fixed_order() -> None:
    """With one construction and as many fillers, two fillers at the beginning leave one too few
    between the targets: that is given up, and nothing that stands later."""
    made = designed(suite((12,), 0), planned("form", fillers="pool", checks=0))
    assert [row["relaxed"] for row in made.rows] == ["start"]


def test_one_construction_without_fillers_follows_itself_and_says_so() -> None:
    assert [row["relaxed"] for row in bare(suite((12,), 0)).rows] == ["construction"]


def test_a_block_too_short_for_its_checks_is_an_error() -> None:
    with mistake("value", "checks"):
        bare(suite((3,), 0), checks=1)
