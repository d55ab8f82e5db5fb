"""The verb `humans import` from file to store: what is kept, what is not, and what it says."""

import json
import re
from pathlib import Path

import pytest

from colorless_green import Judgments
from colorless_green.data.errors import ErrorKind
from colorless_green.data.files import read_manifest, write_manifest
from tests.builders import colorless, mistake, shared
from tests.humans.answer_material import Project

ITEMS = """\
item,source,construction,kind,prefix,correct_form,wrong_form,unambiguous
i1,s1,AGR,target,the keys,are,is,
i2,s2,AGR,target,the key,is,are,
f1,f1,FILLER,filler,we saw,him,he,1
f2,f2,FILLER,filler,they,go,goes,0
"""
HEADER = "participant,item,chosen,rt_ms,town"
ROWS = (
    *(
        "anna,i1,are,900,Rome",
        "anna,i2,is,800,Rome",
        "anna,f1,him,700,Rome",
        "anna,f2,goes,700,Rome",
    ),
    *("bert,i1,is,900,Oslo", "bert,i2,,,Oslo", "bert,f1,he,100,Oslo", "bert,f2,go,100,Oslo"),
)
PEOPLE = """\
Submission id,Participant id,Status,Started at,Completed at,Time taken,Age,Sex
x1,anna,APPROVED,2026-01-01,2026-01-01,360,31,CONSENT_REVOKED
x2,carl,RETURNED,2026-01-01,,,29,Male
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path, ITEMS, "\n".join((HEADER, *ROWS)) + "\n")


def numbers(result: Judgments) -> list[set[str]]:
    """Return the numbers in each message, whatever its words."""
    return [set(re.findall(r"\d+(?:\.\d+)?", each)) for each in result.messages]


def test_a_table_of_items_becomes_the_suite_that_was_judged(project: Project) -> None:
    row = project.run().rows[0]
    assert (row["rows"], row["judgments"], row["participants"]) == (8, 7, 2)
    assert (row["items"], row["other_items"], row["missing"]) == (4, 0, 1)
    assert [each["name"] for each in project.stored("suite")] == ["items"]
    tallies = {each["item"]: (each["right"], each["total"]) for each in project.stored("tally")}
    assert tallies == {"i1": (1, 2), "i2": (1, 1)}


def test_no_name_and_no_column_about_people_reaches_the_store(project: Project) -> None:
    project.run()
    raw = (project.folder / "colorless.db").read_bytes()
    assert not any(name in raw for name in (b"anna", b"bert", b"town", b"Rome"))
    people = {each["participant"] for each in project.stored("judgment")}
    assert all(re.fullmatch("[A-Z2-7]{16}", name) for name in people)
    assert (project.folder / "colorless.key").is_file()


def test_a_column_about_people_is_kept_by_request(project: Project) -> None:
    result = project.run(map={"keep": ["town", "age"]})
    assert [each["facts"] for each in project.stored("participant")] == [
        {"town": "Rome"},
        {"town": "Oslo"},
    ]
    assert any("age" in message for message in result.messages)


def test_the_same_person_has_the_same_name_in_every_import(project: Project) -> None:
    project.run()
    more = project.file("more.csv", f"{HEADER},position\nanna,i1,are,900,Rome,9\n")
    project.run(more)
    names = [each["participant"] for each in project.stored("judgment")]
    assert names[0] == names[-1]


def test_importing_twice_changes_nothing_wherever_the_file_lies(project: Project) -> None:
    project.run()
    before = {table: project.stored(table) for table in ("judgment", "tally", "judgment_set")}
    copy = project.file("copy.csv", project.answers.read_text(encoding="utf-8"))
    for path in (project.answers, copy):
        project.run(path)
    after = {table: project.stored(table) for table in ("judgment", "tally", "judgment_set")}
    assert after == before


def test_answers_of_an_earlier_import_are_not_added_again(project: Project) -> None:
    part = project.file("part.csv", "\n".join((HEADER, *ROWS[:4])) + "\n")
    project.run(part)
    assert {"4"} in numbers(project.run())
    assert len(project.stored("judgment")) == 8
    trials = [each["trial_id"] for each in project.stored("judgment")]
    assert len(set(trials)) == 8
    totals: dict[str, int] = {}
    for each in project.stored("tally"):
        totals[each["item"]] = totals.get(each["item"], 0) + each["total"]
    assert totals == {"i1": 2, "i2": 1}


def test_rules_leave_people_out_and_keep_what_they_did(project: Project) -> None:
    result = project.run(exclude=["max_filler_errors"])
    (gone,) = project.stored("exclusion")
    assert (gone["level"], gone["rule"], gone["value"]) == ("person", "max_filler_errors", "1")
    assert (gone["threshold"], gone["n_trials"]) == ("0.2", 4)
    assert len(project.stored("judgment")) == len(project.stored("left_out")) == 4
    assert {"1", "4"} in numbers(result)  # a person with four trials
    assert {"75.00"} in numbers(result)  # with all that was left out
    assert {"1", "2", "4", "7"} in numbers(result)  # of two people, of seven answers


def test_other_rules_on_the_same_answers_are_post_hoc_and_replace_them(project: Project) -> None:
    project.run()
    assert [each["post_hoc"] for each in project.stored("judgment_set")] == [0]
    project.run(exclude=["max_filler_errors"])
    (stored,) = project.stored("judgment_set")
    assert (stored["post_hoc"], len(project.stored("judgment"))) == (1, 4)
    assert json.loads(stored["rules"])["max_filler_errors"] == 0.2


def test_an_export_of_prolific_joins_people_by_the_same_names(project: Project) -> None:
    people = project.file("prolific.csv", PEOPLE)
    result = project.run(project.answers, people, map={"keep": ["Age", "Sex"]})
    judged = {each["participant"] for each in project.stored("judgment")}
    told = project.stored("participant")
    assert [each["status"] for each in told if each["participant"] in judged] == ["APPROVED"]
    assert [each["facts"] for each in told] == [{"Age": "31"}, {"Age": "29", "Sex": "Male"}]
    assert numbers(result).count({"1"}) >= 2  # one on either side that the other lacks
    assert any("RETURNED" in message for message in result.messages)


def test_an_export_of_prolific_alone_has_no_judgments(project: Project) -> None:
    people = project.file("prolific.csv", PEOPLE)
    with mistake("empty", people):
        project.run(people)


@pytest.mark.parametrize(
    ("kind", "line", "export"),
    [
        ("missing", 1, "participant_id,age\nabc,3\n"),
        ("missing", 1, "age,status\n3,x\n"),
        ("format", 2, "participant_id,status\n,x\n"),
    ],
)
def test_an_export_of_prolific_that_is_none_is_refused(
    project: Project, kind: ErrorKind, line: int, export: str
) -> None:
    people = project.file("prolific.csv", export)
    with mistake(kind, f"{people}:{line}"):
        project.run(project.answers, people)


def test_columns_of_a_prolific_export_are_found_whatever_their_case(project: Project) -> None:
    people = project.file("p.csv", "participant_id,status,time_taken\nanna,returned,61\n")
    project.run(project.answers, people)
    (session,) = (each for each in project.stored("participant") if each["duration_s"])
    assert (session["status"], session["duration_s"]) == ("RETURNED", 61.0)
    assert len(project.stored("judgment")) == 4  # bert's: a status leaves the person out


def test_files_of_different_formats_are_refused(project: Project) -> None:
    other = project.file("x.json", '[{"trial_type": "instructions"}]')
    with mistake("conflict", other):
        project.run(project.answers, other)


def test_tables_of_an_import_are_written_and_can_be_imported(project: Project) -> None:
    out = project.folder / "out"
    project.run(exclude=["max_filler_errors"], out=out)
    about = read_manifest(out)
    assert about["format"] == "generic"
    judged = out / "judgments.tsv"
    assert {"4"} in numbers(project.run(judged))  # which are not added again
    assert len(project.stored("judgment")) == 4


def test_items_of_the_table_that_the_named_suite_lacks_are_refused(project: Project) -> None:
    project.run()
    more = project.file("more.csv", ITEMS + "i3,s3,AGR,target,the doors,are,is,\n")
    for name, text, line in (
        ("single.csv", "participant,item,chosen\ncarl,i3,are\n", ":2"),
        ("totals.csv", "item,right,total\ni3,1,2\n", ""),
    ):
        answers = project.file(name, text)
        with mistake("unknown", f"{answers if line else more}{line}"):
            project.run(answers, items=more)


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("conflict", "i1,,,target,x,are,is,"),  # comes twice
        ("conflict", "i9,,,target,x,are,are,"),
        ("unknown", "i9,,,stimulus,x,are,is,"),
    ],
)
def test_a_table_of_items_that_is_wrong_is_refused(
    project: Project, kind: ErrorKind, line: str
) -> None:
    items = project.file("wrong.csv", f"{ITEMS}{line}\n")
    with mistake(kind, f"{items}:6"):
        project.run(items=items)


def test_wide_tables_scales_constants_and_filters_are_told_by_a_map(project: Project) -> None:
    wide = project.file(
        "wide.csv",
        "who;done;chosen_i1;rt_ms_i1;chosen_i2;rt_ms_i2\n"
        "P1;1;are;0,5;N.A.;1,25\nP2;0;is;0,7;is;0,9\n",
    )
    about = {
        "layout": "wide",
        "decimal": ",",
        "items": r"^(?P<field>chosen|rt_ms)_(?P<item>.+)$",
        "columns": {"participant": "who", "rt_ms": {"column": "rt_ms", "scale": 1000}},
        "where": {"done": "1"},
        "missing": ["N.A."],
        "constants": {"list": "A"},
    }
    table = project.file("map.json", json.dumps(about))
    row = project.run(wide, map=[str(table)]).rows[0]
    assert (row["rows"], row["judgments"], row["missing"], row["other_rows"]) == (3, 1, 1, 1)
    stored = project.stored("judgment")
    assert [(each["list"], each["rt_ms"]) for each in stored] == [("A", 500.0), ("A", 1250.0)]


@pytest.mark.parametrize(
    ("kind", "inside", "stated"),
    [
        ("unknown", ": column", '{"column": {}}'),
        ("format", "", '{"layout": "wide"}'),  # without `items`
        ("unknown", ": decimal", '{"decimal": ";"}'),
        ("unknown", "", '{"encoding": "klingon"}'),
        ("value", ": missing", '{"missing": "NA"}'),
        ("missing", ": item", '{"columns": {"item": {"regex": "x"}}}'),
        ("value", ": item: scale", '{"columns": {"item": {"column": "x", "scale": "2"}}}'),
        ("format", ": item", '{"columns": {"item": {"column": "x", "regex": "("}}}'),
        ("format", "", "[1]"),
    ],
)
def test_a_map_that_is_wrong_is_refused(
    project: Project, kind: ErrorKind, inside: str, stated: str
) -> None:
    table = project.file("map.json", stated)
    with mistake(kind, f"{table}{inside}"):
        project.run(map=[str(table)])


@pytest.mark.shared
def test_the_command_line_imports_a_servers_archive_with_people_and_rules(tmp_path: Path) -> None:
    samples = shared("published", "humans", "samples")
    files = [str(samples / name) for name in ("jatos_results.zip", "prolific_export.csv")]
    done = colorless(
        *("humans", "import", *files, "--items", str(samples / "items.csv"), "--json"),
        *("--exclude", "max_filler_errors=0.5"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    row = json.loads(done.stdout)
    assert (row["judgments"], row["participants"], row["left_out"]) == (17, 3, 6)
    raw = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"PROLIFIC_PID" not in raw


def test_simulated_people_keep_their_names_and_need_no_key(project: Project) -> None:
    project.run(simulated=True)
    assert project.stored("judgment")[0]["participant"] == "anna"
    assert not (project.folder / "colorless.key").exists()


def test_two_map_files_and_a_map_that_is_no_file_are_refused(project: Project) -> None:
    with mistake("conflict", "map"):
        project.run(map=["a.json", "b.json"])
    with mistake("value", "map"):
        project.run(map=["item"])


def test_the_suite_is_the_one_that_the_study_was_designed_from(project: Project) -> None:
    project.run()  # the suite `items`
    other = project.file("other.csv", ITEMS.replace("i1,", "j1,").replace("i2,", "j2,"))
    project.run(project.file("j.csv", "participant,item,chosen\nanna,j1,are\n"), items=other)
    study = project.folder / "study"
    study.mkdir()
    (study / "study.toml").write_text("[exclude]\nmin_judgments = 1\n", encoding="utf-8")
    write_manifest(study, (), {"suite": "items", "unambiguous": ["f1"]})
    again = project.file("again.csv", "participant,item,chosen\ncarl,i1,are\n")
    project.run(again, items=None, study=study / "study.toml")
    rows = project.stored("judgment_set")
    assert [row["suite_id"] for row in rows] == [1, 2, 1]
    assert json.loads(rows[-1]["rules"])["unambiguous"] == ["f1"]


def test_totals_are_not_counted_together_with_single_answers(project: Project) -> None:
    project.run()
    totals = project.file("totals.csv", "item,right,total\ni1,3,5\n")
    with mistake("conflict", "totals.csv"):
        project.run(totals)
    assert len(project.stored("judgment_set")) == 1


def test_made_up_answers_are_not_counted_together_with_peoples(project: Project) -> None:
    project.run(simulated=True)
    other = project.file("other.csv", "participant,item,chosen\ncarl,i1,are\n")
    with mistake("conflict", "other.csv"):
        project.run(other)


def test_totals_of_nothing_stand_in_nobodys_way(project: Project) -> None:
    project.run(project.file("totals.csv", "item,right,total\ni1,0,0\ni2,0,0\n"))
    assert project.run().rows[0]["judgments"] == 7


@pytest.mark.parametrize("named", [True, False])
def test_the_suite_that_was_judged_is_named_last(project: Project, named: bool) -> None:
    project.run()  # its items are the newest suite now
    few = project.file("few.csv", "\n".join((HEADER, *ROWS[:2])) + "\n")
    options = {"items": None, "suite": "items" if named else None, "dry_run": True}
    last = project.run(few, **options).messages[-1]
    assert "items" in last
    assert ("--suite" in last) is not named


def test_an_earlier_trial_with_another_answer_is_refused(project: Project) -> None:
    project.run()
    other = project.file("other.csv", f"{HEADER}\nanna,i1,is,900,Rome\n")
    with mistake("conflict", f"{other}:2"):
        project.run(other)
