"""Component oracle: the spelling that is nearest, the wrong value, a noun's value from others."""

from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from colorless_green.miner.originals.wrong_form import contrast, distance

NUMBERS = ("Sing", "Plur", "Dual", "Tri", "Pauc")


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_the_distance_of_two_words_is_that_of_the_plain_recursion(one: str, other: str) -> None:
    @cache
    def plain(i: int, j: int) -> int:
        if 0 in (i, j):
            return i + j
        exchanged = plain(i - 1, j - 1) + (one[i - 1] != other[j - 1])
        return min(plain(i - 1, j) + 1, plain(i, j - 1) + 1, exchanged)

    assert distance(one, other) == plain(len(one), len(other))


@given(st.dictionaries(st.sampled_from(NUMBERS), st.integers(1, 99), min_size=2))
def test_of_number_the_nearest_value_is_taken_whatever_the_counts(counts: dict[str, int]) -> None:
    for value in counts:
        nearest = "Sing" if value == "Plur" else "Plur"
        found = contrast("Number[abs]", value, counts)
        assert found != value
        assert found == nearest or nearest not in counts


@given(st.dictionaries(st.sampled_from(("Fem", "Masc", "Neut")), st.integers(1, 9), min_size=2))
def test_of_another_feature_the_value_most_often_agreed_in_is_taken(counts: dict[str, int]) -> None:
    for value in counts:
        others = {each: n for each, n in counts.items() if each != value}
        found = contrast("Gender", value, counts)
        assert others[found] == max(others.values())
        assert found == min(each for each, n in others.items() if n == others[found])
