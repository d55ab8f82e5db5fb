"""What an import looks at before it stores anything, and how a stored one is corrected."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green import forget_judgments
from colorless_green.data.errors import InputError
from colorless_green.humans import judgment_format
from tests.builders import mistake, shared
from tests.humans.answer_material import Project, import_answers

ITEMS = """\
item,kind,prefix,correct_form,wrong_form
i1,target,the keys,are,is
i2,target,the key,is,are
f1,filler,we saw,him,he
"""
ANSWERS = "participant;item;chosen;rt_ms\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path, ITEMS)


def judged(project: Project) -> list[tuple[str, str]]:
    return [(each["item"], each["chosen"]) for each in project.stored()]


def found(audit: pl.DataFrame, about: str) -> dict[str, str]:
    own = audit.filter(pl.col("about") == about)
    return dict(zip(own["what"], own["found"], strict=True))


def doubts(audit: pl.DataFrame) -> list[str]:
    return [each for each in audit["doubt"] if each]


def test_a_dry_run_tells_what_each_column_was_taken_for_and_stores_nothing(
    project: Project,
) -> None:
    rows = "".join(f"P{n},i1,are,900,Rome\n" for n in range(3))
    audit = project.look(f"Subj,item,chosen,rt_ms,town\n{rows}", map="participant=Subj")
    columns = found(audit, "column")
    assert columns.pop("town") == "not used"
    assert columns == {
        "Subj": "participant", "item": "item", "chosen": "chosen", "rt_ms": "rt_ms",
    }  # fmt: skip
    assert not project.store.exists()
    assert not project.store.with_suffix(".key").exists()


def test_a_dry_run_leaves_a_store_as_it_is(project: Project) -> None:
    project.run(project.file("a.csv", f"{ANSWERS}A;i1;are;900\n"))
    before = project.store.read_bytes()
    project.look(f"{ANSWERS}B;i1;are;900\n")
    assert project.store.read_bytes() == before


def test_what_the_command_line_imports_is_what_a_dry_run_audits(project: Project) -> None:
    path = project.file("a.csv", f"{ANSWERS}A;i1;are;900\n")
    people = project.run(path, dry_run=True, hashed=False)
    again = project.run(path, hashed=False)
    assert again.audit.equals(people.to_frame())
    assert people.answers.equals(again.answers)


@pytest.mark.parametrize("filled", [True, False])
def test_sorts_of_trials_are_told_and_counted(project: Project, filled: bool) -> None:
    kind = "filler" if filled else ""
    text = f"participant,item,kind,chosen\nA,i1,target,are\nA,f1,{kind},him\n"
    kinds = project.look(text).filter(pl.col("about") == "kind")
    assert kinds.select("what", "n").rows() == [("target", 1), ("filler", 1)]


def test_where_items_and_answers_differ_it_is_said(project: Project) -> None:
    audit = project.look("participant,item,kind,chosen\nA,i1,filler,are\nA,i2,target,is\n")
    assert len(doubts(audit)) == 1
    assert "filler" in doubts(audit)[0]


def test_a_trial_of_which_nobody_says_what_it_is_is_a_doubt_where_others_are_told(
    project: Project,
) -> None:
    items = project.file("bare.csv", ITEMS.replace("f1,filler", "f1,"))
    audit = project.look("participant,item,chosen\nA,i1,are\nA,f1,him\n", items=items)
    assert any("1 trial" in each for each in doubts(audit))


@pytest.mark.parametrize(
    ("decimal", "cells", "times"),
    [
        (",", ("1.203", "850", "1.450"), [1203.0, 850.0, 1450.0]),  # a point that parts thousands
        (",", ("1.203,5", "850", "912,25"), [1203.5, 850.0, 912.25]),
        (".", ("450.125", "850.250", "912.500"), [450.125, 850.25, 912.5]),
        (",", ("12.345.678", "1.203", "850"), [12345678.0, 1203.0, 850.0]),
    ],
)
def test_points_between_thousands_are_no_fractions(
    project: Project, decimal: str, cells: tuple[str, ...], times: list[float]
) -> None:
    rows = "".join(f"P{n};i1;are;{cell}\n" for n, cell in enumerate(cells))
    people = project.run(project.file("a.csv", ANSWERS + rows), map={"decimal": decimal})
    assert sorted(people.answers["rt_ms"]) == sorted(times)


@pytest.mark.parametrize("cell", ["1.203", "12,345", "912,5"])
def test_a_number_of_a_spreadsheet_that_can_be_read_in_two_ways_is_refused(
    project: Project, cell: str
) -> None:
    path = project.file("a.csv", f"{ANSWERS}A;i1;are;{cell}\n")
    with pytest.raises(InputError) as caught:
        project.run(path)
    assert (caught.value.kind, caught.value.location) == ("format", f"{path}:2")
    assert "decimal" in caught.value.right


@pytest.mark.slow
@given(st.lists(st.integers(100_000, 99_999_999), min_size=1, max_size=6))
def test_any_times_come_back_whatever_the_marks(
    tmp_path_factory: pytest.TempPathFactory, hundredths: list[int]
) -> None:
    """As English and German spreadsheets write them, two decimals always."""
    project = Project(tmp_path_factory.mktemp("times"), ITEMS)
    english = [f"{each / 100:,.2f}" for each in hundredths]
    german = [each.translate(str.maketrans(",.", ".,")) for each in english]
    read = []
    for name, cells, decimal in (("en.csv", english, "."), ("de.csv", german, ",")):
        rows = "".join(f"P{n};i1;are;{cell}\n" for n, cell in enumerate(cells))
        about = {"decimal": decimal}
        people = project.run(project.file(name, ANSWERS + rows), map=about, store=None)
        read.append(people.answers["rt_ms"].to_list())
    assert read == [[each / 100 for each in hundredths]] * 2


def test_times_in_seconds_are_a_doubt(project: Project) -> None:
    audit = project.look("participant,item,chosen,rt_ms\nA,i1,are,0.9\nA,i2,is,1.2\n")
    assert any(each.startswith("rt_ms") for each in doubts(audit))


def test_whoever_answers_too_fast_to_read_is_told(project: Project) -> None:
    rows = "A,i1,are,150\nA,i2,is,180\nB,i1,are,900\nB,i2,is,950\nC,i1,are,150\nC,i2,is,900\n"
    audit = project.look(f"participant,item,chosen,rt_ms\n{rows}")
    own = audit.filter((pl.col("about") == "times") & (pl.col("what") == "people"))
    assert own["n"].to_list() == [1]  # A; the median of C is 525
    assert len(doubts(own)) == 1


def test_several_sessions_repeated_items_and_missing_answers_are_counted(
    project: Project,
) -> None:
    rows = "A,x,i1,are,1\nA,x,i1,is,2\nA,y,i2,,1\n"
    audit = project.look(f"participant,session,item,chosen,position\n{rows}")
    told = {
        (row["about"], row["what"]): row["n"]
        for row in audit.rows(named=True)
        if row["about"] in ("people", "answers")
    }
    assert told == {
        ("people", "several sessions"): 1,
        ("answers", "repeated items"): 1,
        ("answers", "missing"): 1,
    }


STUDY = """\
title = "x"
[consent]
languages_required = ["de"]
[exclude]
max_failed_checks = 0
"""
NATIVE = (
    "participant,session,item,chosen,native\n"
    "A,1,i1,are,yes\nB,1,i1,are,no\nC,1,i1,are,\nA,2,i2,is,yes\n"
)


def test_a_study_that_asks_for_native_speakers_keeps_no_others(project: Project) -> None:
    """And a person counts once."""
    study = project.file("study.toml", STUDY)
    answers = project.file("a.csv", NATIVE)
    people = project.run(answers, study=study, map={"keep": ["native"]}, hashed=False, dry_run=True)
    assert people.answers["participant"].to_list() == ["A", "C"]
    gone = people.exclusions
    assert dict(zip(gone["rule"], gone["participant"], strict=True)) == {
        "required.native": "B", "first_session_only": "A",
    }  # fmt: skip
    (seen,) = found(people.audit, "eligibility").values()
    assert [int(each) for each in re.findall(r"\d+", seen)] == [
        1,
        1,
        1,
    ]  # 1 otherwise (1 no), 1 silent


def test_a_study_may_say_that_it_keeps_them(project: Project) -> None:
    text = STUDY + 'first_session_only = false\nrequired.native = "none"\n'
    study, answers = project.file("study.toml", text), project.file("a.csv", NATIVE)
    people = project.run(answers, study=study, map={"keep": ["native"]}, dry_run=True)
    assert len(people.answers) == 4


def trial(**fields: Any) -> dict[str, Any]:
    return {
        "trial_type": "html-button-response", "trial_index": 1, "participant": "P1",
        "item": "i1", "choices": ["is", "are"], "rt": 900, **fields,
    }  # fmt: skip


def test_jspsych_data_in_which_nobody_could_answer_are_refused(project: Project) -> None:
    path = project.file("data.json", json.dumps([trial(), trial(trial_index=2)]))
    with mistake("missing", path):
        project.run(path)


def test_single_trials_without_a_response_are_told(project: Project) -> None:
    trials = [trial(response=1), trial(trial_index=2, item="i2")]
    audit = project.look(json.dumps(trials), "data.json")
    assert any("response" in each and "1" in each for each in doubts(audit))


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "format_name"),
    [
        ("jspsych8_button.csv", "jspsych"), ("jspsych7_keyboard.csv", "jspsych"),
        ("mturk_batch.csv", "mturk"), ("mturk_multi.csv", "mturk"),
        ("prolific_export.csv", "prolific"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_a_file_is_known_whatever_parts_its_cells(
    tmp_path: Path, name: str, format_name: str, delimiter: str
) -> None:
    """As a spreadsheet saves it again."""
    samples = shared("published", "humans", "samples")
    with (samples / name).open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.reader(stream))
    path = tmp_path / name
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, delimiter=delimiter).writerows(rows)
    assert judgment_format(path) == format_name
    if format_name != "prolific":
        other, own = (
            import_answers(each, items=samples / "items.csv", hashed=False).answers
            for each in (samples / name, path)
        )
        assert own.equals(other)


def test_a_corrected_file_replaces_what_was_imported_before(project: Project) -> None:
    first = project.file("a.csv", f"{ANSWERS}A;i1;is;900\nA;i2;is;800\n")
    project.run(first)
    corrected = project.file("b.csv", f"{ANSWERS}A;i1;are;900\nA;i2;is;800\n")
    with mistake("conflict", f"{corrected}:2"):
        project.run(corrected)
    project.run(corrected, replace=True)
    assert judged(project) == [("i1", "are"), ("i2", "is")]


def test_the_same_file_with_another_map_replaces_what_it_gave_before(project: Project) -> None:
    text = "participant,item,said,chosen,session\nA,i1,are,is,s1\n"
    path = project.file("a.csv", text)
    project.run(path)
    project.run(path, map=["chosen=said", "trial_id=said"], replace=True)
    assert judged(project) == [("i1", "are")]


def test_replacing_under_other_rules_is_post_hoc(project: Project) -> None:
    path = project.file("a.csv", f"{ANSWERS}A;i1;are;900\n")
    project.run(path)
    project.run(path, replace=True)
    project.run(path, replace=True, exclude=["min_rt_ms"])
    assert [row["post_hoc"] for row in project.stored("judgment_set")] == [1]


def test_an_import_is_forgotten_by_its_name_or_by_what_its_file_holds(project: Project) -> None:
    first = project.file("a.csv", f"{ANSWERS}A;i1;is;900\n")
    second = project.file("b.csv", f"{ANSWERS}B;i2;is;800\n")
    project.run(first)
    project.run(second)
    moved = first.rename(project.folder / "elsewhere.csv")
    assert [row["import"] for row in forget_judgments(store=project.store).rows] == [
        "a.csv",
        "b.csv",
    ]
    forget_judgments(moved, store=project.store)
    assert judged(project) == [("i2", "is")]
    forget_judgments("b.csv", store=project.store)
    assert judged(project) == []
    for table in ("judgment_set", "tally", "exclusion", "participant", "left_out"):
        assert not project.stored(table)
    with mistake("unknown", "b.csv"):
        forget_judgments("b.csv", store=project.store)


@pytest.mark.parametrize(
    ("row", "told"), [("A;i1;are;900", "semicolon"), ("A,i1,are,912,5", "decimal sign")]
)
def test_rows_that_are_parted_otherwise_than_the_header_are_told(
    project: Project, row: str, told: str
) -> None:
    path = project.file("a.csv", f"participant,item,chosen,rt_ms\n{row}\n")
    with pytest.raises(InputError) as caught:
        project.run(path)
    assert (caught.value.kind, caught.value.location) == ("format", f"{path}:2")
    assert told in caught.value.right


def test_an_answer_that_a_study_demands_is_read_without_being_asked_for(project: Project) -> None:
    study = project.file("study.toml", STUDY)
    text = "participant,item,chosen,native\nA,i1,are,yes\nB,i1,are,nein\nC,i1,are,\n"
    people = project.run(project.file("a.csv", text), study=study, hashed=False, dry_run=True)
    assert people.answers["participant"].to_list() == ["A", "C"]
    (seen,) = found(people.audit, "eligibility").values()
    assert "'nein'" in seen
