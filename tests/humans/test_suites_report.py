"""The page on controlled suites: its drawings' numbers are the statistics', its parts hold."""

import re
from dataclasses import replace

import pytest

from tests.humans.pages import Page, marks, numbers
from tests.humans.report_pages import full
from tests.humans.stored import Kept
from tests.humans.suites_material import (
    CIRCUITS,
    NAMES,
    ONE,
    margins,
    scored,
    stored,
    suite,
    suites_page,
)
from tests.humans.test_collection_statistics import Rows, only, tables_of

LABELS = {"humans": "people", "good": "good", "fair": "fair", "seeds": "seeds"}
FIGURES = {"score": "answer-figure", "circuit": "circuits-figure", "modifier": "modifiers-figure"}


@pytest.fixture(scope="module")
def page() -> Page:
    return suites_page()


@pytest.fixture(scope="module")
def tables() -> dict[str, Rows]:
    return tables_of(stored())


def percent(row: dict[str, str], name: str) -> float:
    return 100 * float(row[name])


@pytest.mark.slow
def test_the_page_is_whole_and_every_figure_has_its_numbers(page: Page) -> None:
    assert len(page.ids) == len(set(page.ids))
    inside = {each[1:] for each in page.references if each.startswith("#")}
    assert inside <= set(page.ids)
    assert len(page.figures) == 4  # three of results, and people and models
    for name in (each for each in page.figures if each != "people-figure"):  # items.csv
        assert page.data(name)
        assert len(page.columns(f"{name}-data")) == len(set(page.columns(f"{name}-data")))
    assert not re.search(r"#0a0[bc]", page.html[page.html.index("</style>") :])


@pytest.mark.slow
def test_groups_stand_for_their_models_and_people_come_first(page: Page) -> None:
    legend = page.by_id["circuits-figure"].one("ul", "legend").all("li")
    assert [each.text.strip() for each in legend] == list(LABELS.values())


@pytest.mark.slow
def test_the_answer_names_the_best_model_its_score_and_chance(
    page: Page, tables: dict[str, Rows]
) -> None:
    lines = {e.attrs["data-says"]: e.text for e in page.root.one("div", "answer").all("p")}
    first, second, third = (lines[name] for name in ("best", "circuits", "people"))
    own = only(tables["collection"], level="score", rater="good")
    expected = {
        *(3, 5, 95, 25),
        float(own["n_items"]),
        *(round(percent(own, name), 1) for name in ("accuracy", "low", "high")),
    }
    assert set(numbers(first)) == expected
    assert "good" in first
    over = [r for r in tables["paired"] if not r["name"] and "good" in (r["rater"], r["other"])]
    nearest = max((r for r in over if r["rater"] != "humans"), key=lambda row: float(row["p"]))
    assert round(percent(nearest, "difference"), 1) in numbers(lines["lead"])
    circuits = [row for row in tables["collection"] if row["level"] == "circuit"]
    mine = [round(percent(row, "accuracy"), 1) for row in circuits if row["rater"] == "good"]
    assert sorted(numbers(second)) == sorted(mine)
    assert {70.0, 5} <= set(numbers(third))


def test_without_models_the_answer_is_of_people_alone() -> None:
    kept = Kept()
    own = suite(NAMES[0], 4)
    scored(kept, own, {})
    kept.totals({each.item_id: (7, 10) for each in own.items}, simulated=True)
    page = kept.report()
    told = [numbers(each.text) for each in page.root.one("div", "answer").all("p")]
    assert told[0] == []
    assert 70.0 in told[1]
    assert "tests" not in page.tables


@pytest.mark.parametrize("level", FIGURES)
def test_the_numbers_of_a_figure_are_those_of_the_table_of_scores(
    page: Page, tables: dict[str, Rows], level: str
) -> None:
    expected = [
        [percent(row, name) for name in ("accuracy", "low", "high", "chance")]
        for row in tables["collection"]
        if row["level"] == level and row["rater"] in LABELS
    ]
    shown = page.data(FIGURES[level])
    if level != "score":
        shown = [row for row in shown if row[level].text != "all suites"]
    columns = ("right, %", "95 % low", "95 % high", "chance, %")
    assert sorted([row[name].value for name in columns] for row in shown) == [
        pytest.approx(each) for each in sorted(expected)
    ]
    drawn = [
        share
        for panel in page.panels(FIGURES[level])
        for mark in marks(panel)
        for share in numbers(mark.alt)
    ]
    assert {round(each[0], 1) for each in expected} <= set(drawn)


def test_raters_stand_by_their_score_the_best_on_top(page: Page) -> None:
    values = [row["right, %"].value or 0.0 for row in page.data("answer-figure")]
    assert values == sorted(values, reverse=True)
    assert len(values) == 4


def test_the_tables_of_scores_and_tests_have_what_the_analysis_found(
    page: Page, tables: dict[str, Rows]
) -> None:
    expected = [row for row in tables["collection"] if row["level"] == "score"]
    shown = page.rows("accuracy")
    assert [row["right, %"].value for row in shown] == [
        pytest.approx(percent(row, "accuracy")) for row in expected
    ]
    assert [(row["ties"].value, row["OOV"].value) for row in shown] == [
        (float(row["n_ties"]), float(row["n_oov"])) for row in expected
    ]
    assert [row["other suites"].text for row in shown] == [
        f"{percent(row, 'suites_low'):.1f}–{percent(row, 'suites_high'):.1f}" for row in expected
    ]
    tests, first = page.rows("tests"), tables["paired"][:6]
    assert len({row["over"] for row in tests[:6]}) == 1  # those over all suites come first
    assert len(tests) == 6 + 15  # people are compared over suites alone
    for row, own in zip(tests[:6], first, strict=True):
        assert (row["rater"].text, row["other"].text) == (LABELS[own["rater"]], own["other"])
        assert row["difference"].value == pytest.approx(percent(own, "difference"))
        assert (row["p"].value, row["p (Holm)"].value) == (float(own["p"]), float(own["p_holm"]))
        assert numbers(row["p"].below) == [0.062]  # the least that five suites can give
    within = [row["p"].value or 0.0 for row in tests[6:]]
    assert within == sorted(within)


def test_every_suite_and_rater_is_in_one_table_with_its_circuit(
    page: Page, tables: dict[str, Rows]
) -> None:
    rows = page.rows("by-suite")
    assert [row["suite"].text for row in rows] == sorted(NAMES)
    for row in rows:
        assert row["circuit"].text == CIRCUITS[NAMES.index(row["suite"].text)]
        for rater, label in LABELS.items():
            own = only(tables["collection"], level="suite", rater=rater, name=row["suite"].text)
            assert row[label].value == pytest.approx(percent(own, "accuracy"))


def test_predictions_are_told_with_their_chance(page: Page) -> None:
    rows = page.rows("predictions")
    assert [row["suite"].text for row in rows] == sorted(NAMES)
    assert {row["chance, %"].value for row in rows} == {25.0}
    assert [row["items"].value for row in rows] == [
        12.0 + NAMES.index(row["suite"].text) for row in rows
    ]


@pytest.mark.slow
def test_the_shapes_of_items_are_told_only_where_there_are_several(page: Page) -> None:
    def caption(of: Page) -> str:
        return of.by_id["people-figure"].one("figcaption").text

    assert "iamonds" not in caption(page)  # all are items of suites
    assert {"diamonds", "circles"} <= set(re.findall(r"[a-z]+", caption(full()).lower()))


@pytest.mark.slow
def test_markup_in_names_of_suites_conditions_and_models_is_text() -> None:
    evil = '"><img src=x onerror=alert(1)>'
    kept = Kept()
    for place in range(3):
        name = f"{place}{evil}"
        own = suite(name, 4, "(2;%a%) < (2;%b%)", ("a", "b"), construction=evil)
        own = replace(own, items=tuple(replace(e, source=evil, licence=evil) for e in own.items))
        scored(kept, own, {f"{evil}{n}": margins(own, str(n)) for n in range(2)})
        kept.totals({each.item_id: (1, 2) for each in own.items}, suite=name)
    page = kept.report("*", drawn=True)
    assert "img" not in {each.tag for each in page.root}
    assert "onerror" not in {name for each in page.root for name in each.attrs}
    assert page.root.text.count(evil) > 20


def test_items_of_suites_are_shown_in_their_conditions() -> None:
    kept = Kept()
    own = suite("s", 3, ONE, "ab")
    scored(kept, own, {"m": dict.fromkeys([each.item_id for each in own.items], 1.0)})
    page = kept.report("s")
    shown = [each.text.strip() for each in page.root.all("p", "sentence")]
    assert shown == [f"the x{n} {name}" for n in (1, 2, 3) for name in "ab"]


def test_a_page_of_one_suite_and_nobody_stands() -> None:
    kept = Kept()
    own = suite(NAMES[0], 4)
    suite_id = scored(kept, own, {})
    kept.run(suite_id, "m", {})
    page = kept.report()
    assert page.root.one("div", "answer").all("p")


def test_a_single_suite_speaks_of_no_circuits_paradigms_or_scores_of_others() -> None:
    kept = Kept()
    own = suite(NAMES[0], 4)
    scored(kept, own, {"m": margins(own, "m")})
    kept.totals({each.item_id: (1, 2) for each in own.items}, simulated=True)
    text = kept.report().root.one("body").text.lower()
    assert not re.search(r"circuit|paradigm|sg score", text)


def test_a_model_that_answered_too_few_items_stands_alone_and_is_not_compared() -> None:
    kept = Kept()
    for name in NAMES[:2]:
        own = suite(name, 12)
        found = margins(own, "m")
        few = {item: value if n < 2 else None for n, (item, value) in enumerate(found.items())}
        scored(kept, own, {"m": found, "few": few} if name == NAMES[0] else {"m": found})
    page = kept.report("*")
    rows = {row["rater"].text: row for row in page.rows("accuracy")}
    assert {name: row["items"].value for name, row in rows.items()} == {"m": 24, "few": 2}
    assert "few alone" in rows["few"]["sentences"].text
    best = page.root.one("div", "answer").all("p")[0]
    assert best.attrs["data-rater"] == "m"
    assert 2 in numbers(page.note("accuracy"))


def test_of_a_single_suite_the_best_model_is_tested_against_the_other() -> None:
    kept = Kept()
    own = suite(NAMES[0], 12)
    scored(kept, own, {"m": margins(own, "m", 0.9), "n": margins(own, "n", 0.3)})
    page = kept.report()
    (test,) = page.rows("tests")
    said = {e.attrs["data-says"]: e.text for e in page.root.one("div", "answer").all("p")}
    assert round(test["difference"].value or 0.0, 1) in numbers(said["lead"])
