"""Component oracle: the spelling that is nearest, the wrong value, a noun's value from others."""

from functools import cache
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from colorless_green.miner import read
from colorless_green.miner.originals.wrong_form import contrast, distance
from colorless_green.miner.search.instances import value_words
from tests.builders import relational, write_conllu

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


def test_the_words_of_the_case_above_are_equally_near() -> None:
    assert distance("dela", "dira") == distance("dela", "direla") == 2


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


def words_of(path: Path, relation: str) -> dict[tuple[str, int], int]:
    """Where the name in the middle, which has no Gender, has one from; the second has its own."""
    rows = (
        f"la/la/DET/Gender=Fem/3/{relation}",
        "bel/bello/ADJ/Gender=Masc/3/amod",
        "Roma/Roma/PROPN/_/0/root",
        "la/la/DET/Gender=Fem/5/det",
        "Tevere/Tevere/PROPN/Gender=Masc/3/nmod",
    )
    write_conllu(path, relational(*rows))
    return value_words(next(read(path)), ["Gender"], frozenset({"det"}))


def test_a_name_has_the_value_of_its_determiner_and_keeps_its_own(tmp_path: Path) -> None:
    assert words_of(tmp_path / "x.conllu", "det:def") == {("Gender", 2): 0}
    assert words_of(tmp_path / "x.conllu", "nmod") == {}


def test_dependents_that_contradict_each_other_tell_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    rows = (
        "la/la/DET/Gender=Fem/3/det",
        "il/il/DET/Gender=Masc/3/det",
        "Roma/Roma/PROPN/_/0/root",
    )
    write_conllu(path, relational(*rows))
    assert value_words(next(read(path)), ["Gender"], frozenset({"det"})) == {}
