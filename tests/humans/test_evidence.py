"""What a report is told of imports: who counts, who does not, and seeds as one rater."""

from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest

from colorless_green.data.store import Store
from colorless_green.humans.collection.gathered import SuiteResults, results_of
from colorless_green.humans.comparison import HUMANS, compare
from colorless_green.humans.evidence import Answers, answers_of, everybody, evidence_of
from colorless_green.humans.importing import Request, import_judgments
from colorless_green.humans.report.page import render
from colorless_green.humans.reporting import suites_material
from colorless_green.humans.rows import NO_JUDGMENTS
from tests.humans.suites_material import many

ITEMS = """\
item,source,construction,kind,prefix,correct_form,wrong_form
i1,s1,AGR,target,the keys,are,is
i2,s2,AGR,target,the key,is,are
f1,f1,FILLER,filler,we saw,him,he
"""
ANSWERS = """\
participant,trial_id,item,chosen
anna,1,i1,are
anna,2,i2,is
anna,3,f1,him
anna,3,f1,him
bert,4,i1,is
bert,5,i2,are
bert,6,f1,he
"""
STUDY = """\
title = "Keys"
task = "form"
seed = 3
[consent]
ethics_board = "Board of Nowhere"
languages_required = ["en", "it"]
minimum_age = 18
risks = ""
[completion]
complete = "https://example.org/complete?cc=SECRET"
[exclude]
max_filler_errors = 0.2
"""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    for name, text in (("items.csv", ITEMS), ("a.csv", ANSWERS), ("study.toml", STUDY)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    opened = Store(tmp_path / "colorless.db")
    request = Request(items=tmp_path / "items.csv", study=tmp_path / "study.toml")
    import_judgments([tmp_path / "a.csv"], opened, request, now="2026-01-01")
    return opened


def test_what_counts_and_what_does_not_is_all_there_was(store: Store) -> None:
    answers = answers_of(store, 1)
    assert [each.trial_id == "" for each in answers.counted] == [False] * 3
    assert len(answers.left_out) == 3  # bert's
    assert [(each.rule, each.n_trials) for each in answers.gone] == [("max_filler_errors", 3)]
    assert {each.participant for each in answers.gone} == {
        each.participant for each in answers.left_out
    }


def test_with_everybody_the_tallies_are_those_without_rules(store: Store) -> None:
    found = results_of(store, [1])[0]
    counts = {each.item: (each.right, each.total) for each in found.judged.tallies}
    assert counts == {"i1": (1, 1), "i2": (1, 1)}
    items = evidence_of(store, found).items
    every = {each.item: (each.right, each.total) for each in everybody(answers_of(store, 1), items)}
    assert every == {"i1": (1, 2), "i2": (1, 2)}


def test_where_everybody_is_excluded_the_page_says_so_beside_the_numbers_with_them(
    tmp_path: Path, store: Store
) -> None:
    alone = Store(tmp_path / "alone.db")
    request = Request(items=tmp_path / "items.csv", exclude=("min_judgments=9",))
    import_judgments([tmp_path / "a.csv"], alone, request, now="2026-01-01")
    made = suites_material(alone, results_of(alone, [1]))
    assert made.tallies == ()
    assert {each.item: (each.right, each.total) for each in made.people.everybody} == {
        "i1": (1, 2),
        "i2": (1, 2),
    }
    page = render(made)
    assert "Of 2 people asked, no answer to a target sentence counts." in page
    assert "With and without exclusions" in page


def test_a_study_file_tells_the_report_all_but_rules_and_secrets(store: Store) -> None:
    (imported,) = answers_of(store, 1).imports
    assert imported.study == {
        "title": "Keys",
        "task": "form",
        "seed": 3,
        "ethics_board": "Board of Nowhere",
        "languages_required": "en, it",
        "minimum_age": 18,
    }
    assert imported.rules["max_filler_errors"] == 0.2
    assert [name for name, _ in imported.files] == ["a.csv"]
    assert not imported.is_post_hoc


def test_a_suite_that_nobody_judged_has_no_answers(store: Store) -> None:
    assert answers_of(store, 99) == Answers()


@pytest.mark.parametrize("each", many(), ids=lambda each: each.suite.name)
def test_seeds_of_one_setting_stand_in_the_comparison_as_one_rater(each: SuiteResults) -> None:
    rows = compare(each.suite.name, each.suite.items, each.judged.tallies, each.outcomes())
    seeds = [run.label.model for run in each.runs if run.label.group == "seeds"]
    assert len(seeds) == 2
    cells = {(row.kind, row.construction) for row in rows if row.rater == "seeds"}
    assert cells
    for cell in cells:
        own = {row.rater: row for row in rows if (row.kind, row.construction) == cell}
        assert own["seeds"].accuracy == pytest.approx(fmean(own[s].accuracy for s in seeds))
        assert own["seeds"].difference == pytest.approx(
            fmean(own[s].difference or 0.0 for s in seeds)
        )
        assert HUMANS in own


def test_one_model_of_a_group_is_no_group() -> None:
    found = many()[0]
    one = [run for run in found.runs if run.label.group == "seeds"][:1]
    alone = SuiteResults(1, found.suite, tuple(one), NO_JUDGMENTS)
    assert list(alone.outcomes()) == [one[0].label.model]


def test_practice_and_what_was_sent_twice_count_for_nobody(store: Store) -> None:
    answers = answers_of(store, 1)
    items = evidence_of(store, results_of(store, [1])[0]).items
    (first, *_), (gone, *_) = answers.counted, answers.left_out
    extra = (replace(gone, kind="practice", trial_id="x"), replace(first, origin="again"))
    more = replace(answers, left_out=(*answers.left_out, *extra))
    assert everybody(more, items) == everybody(answers, items)
    assert everybody(Answers(), items) == ()
