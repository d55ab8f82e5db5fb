"""The page on controlled suites: its drawings' numbers are the statistics', its parts hold."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from colorless_green.data.store import Store
from colorless_green.humans.collection.gathered import SuiteResults
from colorless_green.humans.collection.scores import COLLECTION_COLUMNS
from colorless_green.humans.report.material import Material, Suites
from colorless_green.humans.report.numbers import number, percent, text
from colorless_green.humans.report.page import render
from colorless_green.humans.report.parts import Figure
from colorless_green.humans.report.raters import Rater, raters
from colorless_green.humans.report.suites import (
    circuits,
    heat,
    matrix,
    modifiers,
    papers,
    perplexity,
    predictors,
    regions,
    scores,
    tables,
)
from colorless_green.humans.report.suites.answer import answer
from colorless_green.humans.reporting import suites_material
from colorless_green.nonce.rows import save_suite
from tests.humans.suites_material import many
from tests.humans.test_report_page import outline

REGIONS = tuple(
    {
        "suite": "cleft", "rater": "good", "condition": condition, "position": place,
        "region": f"{place + 1} r{place}", "predicted": int(place == 1), "n_items": 14,
        "surprisal_bits": 4.0 + place, "low": 3.5 + place, "high": 4.5 + place,
    }
    for condition in ("np_match", "np_mismatch")
    for place in (0, 1)
)  # fmt: skip


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    with Store(tmp_path_factory.mktemp("suites") / "s.db") as store:
        return made_of(many(), store)


def made_of(results: tuple[SuiteResults, ...], store: Store) -> Material:
    """The material of made-up results: their runs are in no store, so nothing is recalled."""
    with store.transaction():
        for each in results:
            save_suite(store, each.suite, "imported", treebank_id=None, now="")
            for run in each.runs:
                label = run.label
                key = f"{each.suite.name} {label.model}"
                name = f"{label.model} on {each.suite.name}"
                row = {"signature": key, "name": name, "spec": "", "group": "", "device": "",
                       "about": "{}"}  # fmt: skip
                model_id = store.insert("model", row)
                store.insert(
                    "run",
                    {"key": key, "model_id": model_id, "suite_id": each.suite_id,
                     "method": "target", "options": "{}", "finished": 1, "used": 0, "created": ""},
                )  # fmt: skip
    made = suites_material(store, results)
    assert made.suites is not None
    return replace(made, suites=replace(made.suites, regions=REGIONS))


def parts(material: Material) -> tuple[Suites, tuple[Rater, ...]]:
    assert material.suites is not None
    return material.suites, raters(material)


def cells(figure: Figure | None, *columns: int) -> list[tuple[str, ...]]:
    assert figure is not None
    return [tuple(row[column].text for column in columns) for row in figure.data.rows]


def test_groups_stand_for_their_models_and_people_come_first(material: Material) -> None:
    assert [rater.name for rater in raters(material)] == ["humans", "good", "fair", "seeds"]


def test_the_answer_names_the_best_model_its_score_and_chance(material: Material) -> None:
    suites, shown = parts(material)
    first, second, third = answer(suites, shown, simulated=False)
    (row,) = [r for r in suites.scores if (r["level"], r["rater"]) == ("score", "good")]
    assert first.startswith("Of 3 models, good does best: it reaches ")
    assert percent(number(row, "accuracy")) in first
    assert "the mean of 5 suites" in first
    assert "chance 25.0" in first
    assert second.startswith("good is best at ")
    assert third.startswith("People are at 70.0")


def test_without_models_the_answer_says_so(material: Material) -> None:
    suites, shown = parts(material)
    people = [row for row in suites.scores if row["rater"] == "humans"]
    only = replace(suites, scores=tuple(people), raters=("humans",))
    assert answer(only, shown[:1], simulated=True) == (
        "No model has been scored yet.",
        "Simulated judgments are at 70.0\u202f% in 5 suites.",
    )


def test_the_numbers_of_a_figure_are_those_of_the_table_of_scores(material: Material) -> None:
    suites, shown = parts(material)
    labels = {rater.name: rater.label for rater in shown}
    for level, figure in (
        ("score", scores.figure(suites, shown)),
        ("circuit", circuits.figure(suites, shown)),
        ("modifier", modifiers.figure(suites, shown)),
    ):
        expected = [
            (text(row, "name") or "all suites", labels[text(row, "rater")],
             percent(number(row, "accuracy")), percent(number(row, "chance")))
            for row in suites.scores
            if row["level"] == level and row["rater"] in labels
        ]  # fmt: skip
        assert sorted(cells(figure, 0, 1, 4, 7)) == sorted(expected)
        assert figure is not None
        drawn = " ".join(panel.svg for panel in figure.panels)
        assert all(f"{each[1]}: {each[2]} percent" in drawn or f"{each[2]} percent" in drawn
                   for each in expected)  # fmt: skip


def test_raters_stand_by_their_score_the_best_on_top(material: Material) -> None:
    suites, shown = parts(material)
    values = [float(each) for (each,) in cells(scores.figure(suites, shown), 4)]
    assert values == sorted(values, reverse=True)


def test_the_heat_map_has_every_suite_and_rater_by_circuit(material: Material) -> None:
    suites, shown = parts(material)
    figure = heat.figure(suites, shown)
    assert figure is not None
    assert [panel.heading for panel in figure.panels] == ["Agreement", "Long-Distance Dependencies"]
    at = {(row["name"], row["rater"]): row for row in suites.scores if row["level"] == "suite"}
    for row in figure.data.rows:
        for rater, cell in zip(shown, row[2:], strict=False):
            assert cell.text == percent(number(at[row[0].text, rater.name], "accuracy"))
    drawn = " ".join(panel.svg for panel in figure.panels)
    assert "number_prep, people: 90.0 percent" in drawn


def test_models_without_a_perplexity_are_lines(material: Material) -> None:
    suites, shown = parts(material)
    found = cells(perplexity.figure(material, suites, shown), 0, 1)
    assert found == [("people", "–"), ("good", "–"), ("fair", "166.7"), ("seeds", "–")]
    none = replace(material, runs=tuple(replace(each, perplexity=None) for each in material.runs))
    assert perplexity.figure(none, suites, shown) is None


def test_the_matrix_shows_every_pair_once(material: Material) -> None:
    suites, shown = parts(material)
    figure = matrix.figure(suites, shown)
    assert len(cells(figure, 0, 1)) == 6
    (row,) = [r for r in suites.correlations if (r["rater"], r["other"]) == ("humans", "good")]
    assert figure is not None
    assert (
        f"people and good: {number(row, 'pearson'):.2f}".replace("-", "−") in figure.panels[0].svg
    )


def test_predictors_have_a_panel_each_with_their_correlations(material: Material) -> None:
    suites, shown = parts(material)
    figure = predictors.figure(suites, shown)
    assert figure is not None
    assert [panel.heading.partition(":")[0] for panel in figure.panels] == ["length", "confidence"]
    own = [r for r in suites.shallow if r["rater"] == "good" and r["predictor"] == "confidence"]
    assert figure.panels[1].notes[0].startswith(f"good: r = {number(own[0], 'correlation'):+.2f}")
    shared = {rater.name for rater in shown}
    assert len(figure.data.rows) == sum(row["rater"] in shared for row in suites.shallow)


def test_regions_of_the_prediction_are_marked_and_numbers_are_means(material: Material) -> None:
    suites, shown = parts(material)
    (figure,) = regions.figures(suites, shown)
    assert figure.title == "cleft"
    assert [each.label for each in figure.legend] == ["np_match", "np_mismatch"]
    assert cells(figure, 1, 3, 5, 6, 7)[:2] == [
        ("1 r0", "", "4.00", "3.50", "4.50"),
        ("2 r1", "yes", "5.00", "4.50", "5.50"),
    ]
    assert "np_match, 2 r1: 5.00 bits" in figure.panels[0].svg


def test_the_paper_of_the_suites_stands_in_its_layout(material: Material) -> None:
    suites, _ = parts(material)
    found = {table.title: table for table in papers.tables(suites)}
    first = found["Hu and others 2020, Figure 1"]
    assert [cell.text for cell in first.columns] == ["model", "31 suites", "these 5 suites"]
    assert [row[0].text for row in first.rows][-1] == "own: seed\u20112".replace("\u2011", "-")
    five = found["Hu and others 2020, Figure 5"]
    assert [cell.text for cell in five.columns][1:3] == ["own: humans", "own: good"]


def test_tests_over_all_suites_come_first_and_floors_are_told(material: Material) -> None:
    suites, shown = parts(material)
    table = tables.tests(suites, shown)
    assert table is not None
    assert [row[0].text for row in table.rows[:6]] == ["all 5 suites"] * 6
    assert table.rows[0][7].below == "≥ 0.062"  # five suites


def test_the_page_is_whole_and_every_figure_has_its_numbers(material: Material) -> None:
    page = render(material)
    found = outline(page)
    assert found.open == []
    assert len(found.ids) == len(set(found.ids))
    inside = {each[1:] for each in found.references if each.startswith("#")}
    assert inside <= set(found.ids)
    assert page.count("<figure") == 9  # seven of results, people and models, one of regions
    assert not re.search(r"#0a0[bc]", page[page.index("</style>") :])
    assert "Surprisal by region" in page
    assert render(material) == page


def test_agreement_has_its_own_words_and_suites_theirs(material: Material) -> None:
    assert "In many languages two words" not in render(material)
    assert "each suite holds sentences" in render(material).lower()


def test_markup_in_names_of_suites_conditions_and_models_is_text(material: Material) -> None:
    evil = '"><img src=x onerror=alert(1)>'
    suites, _ = parts(material)
    made = replace(
        material,
        title=evil,
        suites=replace(
            suites,
            scores=tuple({**row, "name": evil} for row in suites.scores),
            paired=tuple({**row, "name": evil} for row in suites.paired),
            regions=tuple({**row, "condition": evil, "region": evil} for row in suites.regions),
            predicted=tuple(replace(each, prediction=evil, how=evil) for each in suites.predicted),
        ),
    )
    assert "img" not in outline(render(made)).tags


def test_rows_that_were_read_back_from_text_give_the_same_page(material: Material) -> None:
    suites, _ = parts(material)
    as_text = replace(
        suites,
        scores=tuple(
            {name: "" if row[name] is None else str(row[name]) for name in COLLECTION_COLUMNS}
            for row in suites.scores
        ),
    )
    assert render(replace(material, suites=as_text)) == render(material)


def test_a_page_of_one_suite_and_nobody_stands(tmp_path: Path) -> None:
    bare = tuple(replace(each, runs=()) for each in many(people=False)[:1])
    with Store(tmp_path / "s.db") as store:
        with store.transaction():
            save_suite(store, bare[0].suite, "imported", treebank_id=None, now="")
        page = render(suites_material(store, bare))
    assert "No model has been scored yet." in page
    assert outline(page).open == []
