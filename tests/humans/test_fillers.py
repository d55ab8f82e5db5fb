"""Fillers, attention checks and practice: how many, which, and when there are too few."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.humans.fillers import Pool, checks, fillers, n_checks, practice
from colorless_green.humans.texts import languages, texts
from tests.humans.study_material import FILLERS, item, suite

TASKS = ("form", "sentence", "rating", "reading")


@given(st.integers(1, 60), st.integers(0, 99), st.sampled_from(TASKS))
def test_fillers_are_half_original_half_singular_and_no_source_comes_twice(
    n_wanted: int, seed: int, task: str
) -> None:
    found = fillers(FILLERS, n_wanted, task, seed)
    assert len({each.source for each in found}) == len(found) == n_wanted
    kinds = Counter(each.condition.split()[0] for each in found)
    values = Counter(each.value for each in found)
    constructions = Counter(each.construction for each in found)
    assert abs(kinds["original"] - kinds["nonce"]) <= 2
    assert abs(values["Sing"] - values["Plur"]) <= 2
    assert max(constructions.values()) - min(constructions[f"F_{n}"] for n in range(3)) <= 2


@given(st.integers(1, 40), st.integers(0, 9))
def test_rated_fillers_are_half_right_and_read_ones_are_right(n_wanted: int, seed: int) -> None:
    rated = Counter(
        each.condition.split()[1] for each in fillers(FILLERS, n_wanted, "rating", seed)
    )
    assert abs(rated["right"] - rated["wrong"]) <= 2
    read = fillers(FILLERS, n_wanted, "reading", seed)
    assert {each.condition.split()[1] for each in read} == {"right"}


def test_no_filler_is_of_a_source_that_is_taken() -> None:
    found = fillers(suite((4,), 1), 2, "form", 0, taken={"s1", "s2"})
    assert {each.source for each in found} == {"s3", "s4"}


def test_too_few_fillers_are_an_error() -> None:
    with pytest.raises(InputError) as error:
        fillers(suite((4,), 1), 5, "form", 0)
    assert str(error.value) == (
        "--fillers: 4 fillers for 5 targets; as many fillers as targets, fewer targets "
        "(--per-construction), or none"
    )


def test_there_is_about_one_check_for_25_trials() -> None:
    assert [n_checks(n) for n in (8, 20, 50, 238)] == [0, 1, 2, 10]


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("task", TASKS)
def test_every_shipped_language_has_checks_practice_and_instructions(
    language: str, task: str
) -> None:
    own = texts(language)
    assert own is not None
    assert own.instructions[task].strip().startswith("# ")
    found = checks(Pool(), 12, task, language=language)
    assert len({each.item for each in found}) == 12
    for each in found:
        assert "{" not in each.prefix + each.first + each.second
        assert task == "rating" or each.right == each.first != each.second
    practised = practice(Pool(), 4, task, language=language)
    assert len({each.prefix + each.first for each in practised}) == 4
    assert all((each.right == each.first) == (task in TASKS[:2]) for each in practised)


def test_english_italian_and_hebrew_are_shipped_and_a_region_does_not_matter() -> None:
    assert languages() == ("en", "he", "it")
    assert texts("it-CH") == texts("it")
    assert texts("fi") is None


@pytest.mark.parametrize(
    ("scale", "answers"),
    [("5", ["1", "5"]), ("7", ["1", "7"]), ("slider", ["0", "100"]), ("magnitude", ["10", "10"])],
)
def test_checks_of_ratings_ask_for_the_ends_of_the_scale(scale: str, answers: list[str]) -> None:
    found = checks(Pool(), 2, "rating", language="en", scale=scale)
    assert [each.right for each in found] == answers
    assert all(not each.second for each in found)


def test_a_word_that_one_check_asks_for_is_wrong_in_another() -> None:
    found = checks(Pool(), 3, "form", language="en")
    assert found[1].first == found[0].second


def test_own_checks_and_practice_take_the_place_of_the_shipped_ones() -> None:
    items = (item(1), item(2), item(3))
    pool = Pool(items, {"s1-0": "check", "s2-0": "practice", "s3-0": "filler"})
    assert [each.item for each in checks(pool, 1, "form", language="fi")] == ["s1-0"]
    assert [each.item for each in practice(pool, 1, "form", language="fi")] == ["s2-0"]
    assert pool.of("filler") == (items[2],)


def test_a_language_without_texts_is_an_error_only_where_they_are_needed() -> None:
    assert checks(Pool(), 0, "form", language="fi") == ()
    with pytest.raises(InputError) as error:
        practice(Pool(), 3, "form", language="fi")
    assert str(error.value) == (
        "--practice: none come with the language 'fi'; rows of kind practice in the file of "
        "--fillers, 0, or --language with one of en, he, it"
    )


def test_more_checks_than_there_are_is_an_error() -> None:
    with pytest.raises(InputError) as error:
        checks(Pool(), 13, "form", language="en")
    assert str(error.value) == (
        "--checks: 13 wanted, and 12 come with 'en'; 12 or fewer, or rows of kind check in the "
        "file of --fillers"
    )
