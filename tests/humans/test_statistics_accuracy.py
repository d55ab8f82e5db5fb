"""A component oracle of accuracies: three under one name, intervals and curves, worked by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.humans.judgments.judgment import Tally
from colorless_green.humans.statistics.accuracy_estimates import (
    construction_accuracy,
    curve,
    item_accuracy,
)

LEVELS = st.lists(st.tuples(st.integers(0, 6), st.floats(0, 1)), max_size=20)


def tallies(*rows: tuple[str, int, int]) -> list[Tally]:
    """From (construction, right, total), each of a source of its own."""
    return [Tally(f"i{k}", f"s{k}", name, "nonce", *row) for k, (name, *row) in enumerate(rows)]


def test_a_rare_construction_weighs_as_much_as_a_frequent_one() -> None:
    people = tallies(("a", 4, 4), ("a", 4, 4), ("a", 4, 4), ("b", 1, 2), ("c", 0, 0))
    assert construction_accuracy(people) == 0.75
    assert item_accuracy(people) == 3.5 / 4
    assert construction_accuracy([]) is None


@given(LEVELS, st.integers(1, 6))
def test_a_curve_has_every_item_in_one_point(rows: list[tuple[int, float]], last: int) -> None:
    levels, values = [level for level, _ in rows], [value for _, value in rows]
    points = curve(levels, values, limit=last)
    assert sum(point.n_items for point in points) == len(rows)
    total = sum(point.n_items * point.mean for point in points)
    assert total == pytest.approx(sum(values))
    names = [f"{level}+" if level == last else str(level) for level in range(last + 1)]
    assert [p.level for p in points] == [
        name for name in names if name in {p.level for p in points}
    ]


def test_the_standard_error_is_over_items_and_undefined_for_one() -> None:
    # 0.5, 0.7, 0.9: sd with n − 1 is 0.2, over √3.
    three, one = curve([0, 0, 4, 0], [0.5, 0.7, 1.0, 0.9], limit=3)
    assert (three.level, three.n_items) == ("0", 3)
    assert three.se == pytest.approx(0.2 / 3**0.5)
    assert (one.level, one.mean, one.se) == ("3+", 1.0, None)
