"""What a report is told of imports: who counts, who does not, and seeds as one rater."""

from statistics import fmean

import pytest

from colorless_green.humans import answers_of
from tests.humans.stored import Kept
from tests.humans.suites_material import NAMES, margins, own_margins, own_suite, scored, suite

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

STUDY_FACTS = {
    "title of the study": "Keys", "task": "form", "ethics board": "Board of Nowhere",
    "minimum age, years": "18", "native languages required": "en, it", "seed of the design": "3",
}  # fmt: skip


@pytest.fixture
def kept() -> Kept:
    kept = Kept()
    kept.file("items.csv", ITEMS)
    kept.file("a.csv", ANSWERS)
    kept.file("study.toml", STUDY)
    return kept


def judged(kept: Kept) -> Kept:
    """With answers under the rules of the study, which leave bert out."""
    kept.imported(
        kept.folder / "a.csv", items=kept.folder / "items.csv", study=kept.folder / "study.toml"
    )
    return kept


def test_what_counts_and_what_does_not_is_all_there_was(kept: Kept) -> None:
    answers = answers_of(judged(kept).store, 1)
    assert (answers.trials["trial_id"] != "").sum() == 3
    assert len(answers.trials_left_out) == 3  # bert's
    assert [(each.rule, each.n_trials) for each in answers.gone] == [("max_filler_errors", 3)]
    assert {each.participant for each in answers.gone} == {*answers.trials_left_out["participant"]}


def test_where_everybody_is_excluded_the_numbers_with_them_are_there(kept: Kept) -> None:
    kept.imported(
        kept.folder / "a.csv", items=kept.folder / "items.csv", exclude=("min_judgments=9",)
    )
    page = kept.report()
    assert "reliability" not in page.sections
    for row in page.rows("exclusion-effect"):
        assert (row["without those left out"].value, row["with everybody"].value) == (None, 50)


def test_a_study_file_tells_the_report_all_but_rules_and_secrets(kept: Kept) -> None:
    page = judged(kept).report()
    told = {row["what"].text: row["how"].text for row in page.rows("facts")}
    assert {name: told[name] for name in STUDY_FACTS} == STUDY_FACTS
    assert "a.csv" in told["file of judgments"]
    assert "6 answers" in told["file of judgments"]
    assert "SECRET" not in page.html + "".join(page.files.values())


def test_a_suite_that_nobody_judged_has_no_answers(kept: Kept) -> None:
    answers = answers_of(judged(kept).store, 99)
    assert (answers.imports, len(answers.trials), len(answers.trials_left_out)) == ((), 0, 0)


@pytest.mark.parametrize("place", range(len(NAMES)))
def test_seeds_of_one_setting_stand_in_the_comparison_as_one_rater(kept: Kept, place: int) -> None:
    seeds = ("seed-1", "seed-2")
    own = own_suite(place)
    scored(kept, own, {model: own_margins(place, model) for model in ("good", *seeds)})
    kept.totals({each.item_id: (7, 10) for each in own.items})
    rows = kept.compare(own.name).rows
    cells = {row["construction"] for row in rows if row["rater"] == "seeds"}
    assert cells == {"", own.items[0].facts["construction"]}
    for cell in cells:
        found = {str(row["rater"]): row for row in rows if row["construction"] == cell}
        for name in ("accuracy", "difference"):
            mean = fmean(float(str(found[each][name])) for each in seeds)
            assert found["seeds"][name] == pytest.approx(mean)
        assert list(found) == ["humans", "good", *seeds, "seeds"]


def test_one_model_of_a_group_is_no_group(kept: Kept) -> None:
    own = suite("s", 4)
    scored(kept, own, {"seed-1": margins(own, "seed-1")})
    assert {row["rater"] for row in kept.compare("s").rows} == {"seed-1"}


def test_the_numbers_with_everybody_are_those_without_rules(kept: Kept) -> None:
    page = judged(kept).report()
    counts = {row["item"]: row for row in page.file("items.csv")}
    assert [(row["people_right"], row["people_total"]) for row in counts.values()] == [
        ("1", "1"),
        ("1", "1"),
    ]
    for row in page.rows("exclusion-effect"):
        assert row["without those left out"].value == 100
        assert row["with everybody"].value == 50
