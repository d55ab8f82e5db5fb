"""Fillers, attention checks and practice: how many, which, and when there are too few."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.humans import FillerPool, StudyDesign, Trial, languages, texts
from tests.builders import mistake
from tests.humans.study_material import FILLERS, TASKS, bare, designed, item, planned, suite, tells

MANY = suite((10,) * 4, 0)


def of_kind(made: StudyDesign, kind: str) -> list[Trial]:
    return [trial for trial in made.trials if trial.list == 1 and trial.kind == kind]


def beside(n_wanted: int, task: str, seed: int) -> list[Trial]:
    """Return the fillers that so many targets get."""
    sizes = [n_wanted // 4 + (place < n_wanted % 4) for place in range(4)]
    plan = planned(task, fillers="pool", checks=0, practice=0, lists=1, seed=seed)
    return of_kind(designed(suite([size for size in sizes if size], 0), plan), "filler")


@given(st.integers(1, 60), st.integers(0, 99), st.sampled_from(TASKS))
def test_fillers_are_half_original_half_singular_and_no_source_comes_twice(
    n_wanted: int, seed: int, task: str
) -> None:
    found = beside(n_wanted, task, seed)
    assert len({each.source for each in found}) == len(found) == n_wanted
    value_of = {each.item_id: each.facts["value"] for each in FILLERS}
    kinds = Counter(each.condition.split()[0] for each in found)
    values = Counter(value_of[each.item] for each in found)
    constructions = Counter(each.construction for each in found)
    assert abs(kinds["original"] - kinds["nonce"]) <= 2
    assert abs(values["Sing"] - values["Plur"]) <= 2
    assert max(constructions.values()) - min(constructions[f"F_{n}"] for n in range(3)) <= 2


@given(st.integers(1, 40), st.integers(0, 9))
def test_rated_fillers_are_half_right(n_wanted: int, seed: int) -> None:
    rated = Counter(each.condition.split()[1] for each in beside(n_wanted, "rating", seed))
    assert abs(rated["right"] - rated["wrong"]) <= 2


def test_too_few_fillers_is_an_error() -> None:
    with mistake("value", "fillers"):
        designed(MANY, planned("form", fillers="pool"), FillerPool(suite((39,), 1, name="f")))


def test_there_is_about_one_check_for_25_trials() -> None:
    sizes = ((4, 4), (10, 10), (25, 25), (34,) * 7)  # 8, 20, 50 and 238 trials
    found = [bare(suite(own, 0), checks=None).rows[0] for own in sizes]
    assert [row["n_checks"] for row in found] == [0, 1, 2, 10]


@pytest.mark.parametrize(("language", "n_there"), [("en", 12), ("fi", 0)])
def test_without_a_wish_there_are_as_many_checks_as_there_can_be(
    language: str, n_there: int
) -> None:
    items = suite((60,) * 7, 0)  # 420 trials: 17 checks
    plan = planned(fillers="none", practice=0)
    made = designed(items, plan, language=language)
    assert {row["n_checks"] for row in made.rows} == {n_there}
    assert tells(made.messages, n_there, 420, 17)
    with mistake("value" if n_there else "missing", "checks"):
        designed(items, {**plan, "checks": n_there + 1}, language=language)


def test_without_a_wish_a_pool_gives_no_more_checks_than_it_has() -> None:
    one, *others = suite((50,), 0, name="f")
    kinds = {one.item_id: "check", **{each.item_id: "filler" for each in others}}
    pool = FillerPool((one, *others), kinds)
    made = designed(suite((40,), 0), planned(fillers="pool"), pool)  # 80 trials: 3 checks
    assert {row["n_checks"] for row in made.rows} == {1}
    assert tells(made.messages, 1, 80, 3)


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("task", TASKS)
def test_every_shipped_language_has_checks_practice_and_instructions(
    language: str, task: str
) -> None:
    own = texts(language)
    assert own is not None
    assert own.instructions[task].strip().startswith("# ")
    plan = planned(task, fillers="none", checks=12, practice=4, lists=1)
    made = designed(MANY, plan, language=language)
    found = of_kind(made, "check")
    assert len({each.item for each in found}) == 12
    for each in found:
        assert "{" not in each.prefix + "".join(each.options)
        assert each.right
        if task != "rating":
            assert each.right in each.options
            assert each.options[0] != each.options[1]
    practised = of_kind(made, "practice")
    assert len({(each.prefix, *sorted(each.options)) for each in practised}) == 4
    for each in practised:
        right = each.right
        assert right in each.options if task in TASKS[:2] else right == ""


def test_seven_languages_are_shipped_and_a_region_does_not_matter() -> None:
    assert languages() == ("de", "en", "es", "fr", "he", "it", "ru")
    assert texts("it-CH") == texts("it")
    assert texts("fi") is None


@pytest.mark.parametrize(
    ("scale", "answers"),
    [(5, ["1", "5"]), (7, ["1", "7"]), ("slider", ["0", "100"]), ("magnitude", ["10", "10"])],
)
def test_checks_of_ratings_ask_for_the_ends_of_the_scale(
    scale: int | str, answers: list[str]
) -> None:
    made = bare(MANY, task="rating", scale=scale, checks=2, lists=1)
    found = sorted(of_kind(made, "check"), key=lambda each: each.item)
    assert [each.right for each in found] == answers
    assert all(len(each.options) == 1 for each in found)


def test_a_word_that_one_check_asks_for_is_wrong_in_another() -> None:
    made = bare(MANY, checks=12)
    right = {each.item: each.right for each in of_kind(made, "check")}
    wrong = {
        each.item: next(form for form in each.options if form != right[each.item])
        for each in of_kind(made, "check")
    }
    assert sorted(right.values()) == sorted(wrong.values())
    assert all(right[name] != wrong[name] for name in right)


def test_own_checks_and_practice_take_the_place_of_the_shipped_ones() -> None:
    own = tuple(item(n, name="p") for n in (1, 2, *range(3, 15)))
    kinds = {"p1-0": "check", "p2-0": "practice"} | {f"p{n}-0": "filler" for n in range(3, 15)}
    plan = planned("form", fillers="pool", checks=1, practice=1)
    made = designed(suite((4, 4, 4), 0), plan, FillerPool(own, kinds), language="fi")
    assert [each.item for each in of_kind(made, "check")] == ["p1-0"]
    assert [each.item for each in of_kind(made, "practice")] == ["p2-0"]
    shown = {each.item for each in of_kind(made, "filler")}
    assert shown == {f"p{n}-0" for n in range(3, 15)}


def test_a_language_without_texts_is_an_error_only_where_they_are_needed() -> None:
    nothing = planned("form", fillers="none", checks=0, practice=0)
    assert designed(MANY, nothing, language="fi").trials
    with mistake("missing", "practice"):
        designed(MANY, planned("form", fillers="none", checks=0), language="fi")
    with mistake("missing", "checks"):
        designed(MANY, planned("form", fillers="none", checks=1, practice=0), language="fi")


@pytest.mark.parametrize(("setting", "asked"), [("checks", 13), ("practice", 99)])
def test_more_checks_than_there_are_is_an_error(setting: str, asked: int) -> None:
    with mistake("value", setting):
        bare(MANY, **{setting: asked})


def test_practice_whose_two_forms_are_the_same_is_passed_over() -> None:
    """It ended the design with a division by zero."""
    same, other = item(1, name="p"), item(2, name="p")
    right = same.conditions["right"]
    same = replace(same, conditions={"right": right, "wrong": right})
    own = FILLERS[:20]
    pool = FillerPool(
        (*own, same, other),
        {
            **dict.fromkeys((each.item_id for each in own), "filler"),
            same.item_id: "practice",
            other.item_id: "practice",
        },
    )
    made = designed(suite((4,), 0), planned("sentence", checks=0, practice=1), pool)
    assert {each.item for each in of_kind(made, "practice")} == {other.item_id}


def test_no_filler_is_of_a_source_that_is_tested() -> None:
    pool = suite((4,), 1)
    made = designed(pool[:4], planned("form", fillers="pool", checks=0), FillerPool(pool))
    assert {each.source for each in of_kind(made, "target")} == {"s1", "s2"}
    assert {each.source for each in of_kind(made, "filler")} == {"s3", "s4"}
