"""The verb `humans import` from file to store: what is kept, what is not, and what it says."""

import json
from pathlib import Path
from typing import Any

import pytest

from colorless_green.data.errors import InputError
from colorless_green.data.files import read_manifest, write_folder, write_manifest
from colorless_green.data.store import Store
from colorless_green.data.tables import Result
from colorless_green.humans.formats.colorless import write_judgments, write_sessions
from colorless_green.humans.importing import Request, import_judgments
from colorless_green.humans.judgment import Judgment, Session
from colorless_green.humans.pseudonym import PSEUDONYM
from tests.builders import colorless, shared

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


class Project:
    """A folder with a table of items, answers, and a store."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.items = self.file("items.csv", ITEMS)
        self.answers = self.file("answers.csv", "\n".join((HEADER, *ROWS)) + "\n")

    def file(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def run(self, *paths: Path, **options: Any) -> Result:
        request = Request(**{"items": self.items, **options})
        with Store(self.folder / "colorless.db") as store:
            return import_judgments(paths or (self.answers,), store, request, now="2026-01-01")

    def stored(self, table: str) -> list[dict[str, Any]]:
        with Store(self.folder / "colorless.db") as store:
            rows = list(store.rows(f"SELECT * FROM {table} ORDER BY rowid"))
        return [json.loads(row["record"]) if "record" in row else row for row in rows]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


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
    assert all(PSEUDONYM.fullmatch(name) for name in people)
    assert (project.folder / "colorless.key").is_file()


def test_a_column_about_people_is_kept_by_request(project: Project) -> None:
    result = project.run(keep=("town", "age"))
    assert [each["facts"] for each in project.stored("participant")] == [
        {"town": "Rome"},
        {"town": "Oslo"},
    ]
    assert "no value in a column 'age' to keep" in result.messages


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
        assert "the same answers under the same rules were imported before" in (
            project.run(path).messages
        )
    after = {table: project.stored(table) for table in ("judgment", "tally", "judgment_set")}
    assert after == before


def test_answers_of_an_earlier_import_are_not_added_again(project: Project) -> None:
    part = project.file("part.csv", "\n".join((HEADER, *ROWS[:4])) + "\n")
    project.run(part)
    result = project.run()
    assert "4 answers were imported before and are not added again" in result.messages
    assert len(project.stored("judgment")) == 8
    trials = [each["trial_id"] for each in project.stored("judgment")]
    assert len(set(trials)) == 8
    totals: dict[str, int] = {}
    for each in project.stored("tally"):
        totals[each["item"]] = totals.get(each["item"], 0) + each["total"]
    assert totals == {"i1": 2, "i2": 1}


def test_an_earlier_trial_with_another_answer_is_refused(project: Project) -> None:
    project.run()
    other = project.file("other.csv", f"{HEADER}\nanna,i1,is,900,Rome\n")
    with pytest.raises(InputError) as error:
        project.run(other)
    assert str(error.value) == (
        f"{other}:2: an earlier import has this trial with another answer; a session or trial_id "
        "that tells the two apart, or --platform for other people"
    )


def test_rules_leave_people_out_and_keep_what_they_did(project: Project) -> None:
    result = project.run(exclude=["max_filler_errors"])
    (gone,) = project.stored("exclusion")
    assert (gone["level"], gone["rule"], gone["value"]) == ("person", "max_filler_errors", "1")
    assert (gone["threshold"], gone["n_trials"]) == ("0.2", 4)
    assert len(project.stored("judgment")) == len(project.stored("left_out")) == 4
    assert "left out by max_filler_errors: 1 person, 4 trials" in result.messages
    assert "with all that was left out: 75.00% (mean over items)" in result.messages


def test_other_rules_on_the_same_answers_are_post_hoc_and_replace_them(project: Project) -> None:
    assert not any("POST HOC" in message for message in project.run().messages)
    result = project.run(exclude=["max_filler_errors"])
    said = (
        "the rules are not those of the first import of single answers:"
        " these exclusions are POST HOC"
    )
    assert said in result.messages
    (stored,) = project.stored("judgment_set")
    assert (stored["post_hoc"], len(project.stored("judgment"))) == (1, 4)
    assert json.loads(stored["rules"])["max_filler_errors"] == 0.2


def test_an_export_of_prolific_joins_people_by_the_same_names(project: Project) -> None:
    people = project.file("prolific.csv", PEOPLE)
    result = project.run(project.answers, people, keep=("Age", "Sex"))
    judged = {each["participant"] for each in project.stored("judgment")}
    told = project.stored("participant")
    assert [each["status"] for each in told if each["participant"] in judged] == ["APPROVED"]
    assert [each["facts"] for each in told] == [{"Age": "31"}, {"Age": "29", "Sex": "Male"}]
    assert "1 participants are not in the Prolific export" in result.messages
    assert "1 in the Prolific export have no judgments (RETURNED)" in result.messages


def test_an_export_of_prolific_alone_has_no_judgments(project: Project) -> None:
    people = project.file("prolific.csv", PEOPLE)
    with pytest.raises(InputError) as error:
        project.run(people)
    assert str(error.value) == (
        f"{people}: no judgments in it; the file of judgments; a Prolific export stands beside "
        "it in the same call"
    )


def test_files_of_different_formats_are_refused(project: Project) -> None:
    other = project.file("x.json", '[{"trial_type": "instructions"}]')
    with pytest.raises(InputError) as error:
        project.run(project.answers, other)
    assert str(error.value) == (
        f"{other}: of format jspsych, and answers.csv is generic; one format in one import"
    )


def test_tables_of_an_import_are_written_and_can_be_imported(project: Project) -> None:
    out = project.folder / "out"
    project.run(exclude=["max_filler_errors"], out=out)
    about = read_manifest(out)
    assert about["format"] == "generic"
    judged = out / "judgments.tsv"
    assert "4 answers were imported before and are not added again" in project.run(judged).messages


def test_items_of_the_table_that_the_named_suite_lacks_are_refused(project: Project) -> None:
    project.run()
    more = project.file("more.csv", ITEMS + "i3,s3,AGR,target,the doors,are,is,\n")
    with pytest.raises(InputError) as error:
        project.run(items=more)
    assert str(error.value) == (
        f"{more}: 'i3': no such item among the 2 known; the item_id of an item in the suite, or "
        "another `kind` for fillers and checks"
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("i1,,,target,x,are,is,", "item 'i1' comes twice; one row for each"),
        (
            "i9,,,target,x,are,are,",
            "the forms are 'are' and 'are'; two different forms of the item",
        ),
        ("i9,,,test,x,are,is,", "kind is 'test'; one of target, filler, check, practice, question"),
    ],
)
def test_a_table_of_items_that_is_wrong_is_refused(
    project: Project, line: str, message: str
) -> None:
    items = project.file("wrong.csv", f"{ITEMS}{line}\n")
    with pytest.raises(InputError) as error:
        project.run(items=items)
    assert str(error.value) == f"{items}:6: {message}"


def test_wide_tables_scales_constants_and_filters_are_told_by_a_map(project: Project) -> None:
    wide = project.file(
        "wide.csv",
        "who;done;chosen_i1;rt_ms_i1;chosen_i2;rt_ms_i2\n"
        "P1;1;are;0,5;N.A.;1,25\nP2;0;is;0,7;is;0,9\n",
    )
    about = {
        "layout": "wide",
        "items": r"^(?P<field>chosen|rt_ms)_(?P<item>.+)$",
        "columns": {"participant": "who", "rt_ms": {"column": "rt_ms", "scale": 1000}},
        "where": {"done": "1"},
        "missing": ["N.A."],
        "constants": {"list": "A"},
    }
    table = project.file("map.json", json.dumps(about))
    row = project.run(wide, maps=[str(table)]).rows[0]
    assert (row["rows"], row["judgments"], row["missing"], row["other_rows"]) == (3, 1, 1, 1)
    stored = project.stored("judgment")
    assert [(each["list"], each["rt_ms"]) for each in stored] == [("A", 500.0), ("A", 1250.0)]


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ('{"column": {}}', "no such key 'column'; one of delimiter, decimal, encoding, missing, "
         "columns, constants, where, layout, items"),
        ('{"layout": "wide"}', 'layout is \'wide\'; "wide" with `items`, or "long" (the default) '
         "without"),
        ('{"decimal": ";"}', "decimal is ';'; one of '', '.', ','"),
        ('{"encoding": "klingon"}', "no encoding 'klingon'; utf-8, say"),
        ('{"missing": "NA"}', "missing is 'NA'; a list of texts"),
        ('{"columns": {"item": {"regex": "x"}}}',
         'item: no column; a name, or {"column": NAME, …}'),
        ('{"columns": {"item": {"column": "x", "scale": "2"}}}', "item: scale is '2'; a number"),
        ('{"columns": {"item": {"column": "x", "regex": "("}}}', "item: not a regular expression "
         "(missing ), unterminated subpattern at position 0); as in Python"),
        ("[1]", "not a JSON object; a map of columns"),
    ],
)  # fmt: skip
def test_a_map_that_is_wrong_is_refused(project: Project, stated: str, message: str) -> None:
    table = project.file("map.json", stated)
    with pytest.raises(InputError) as error:
        project.run(maps=[str(table)])
    assert str(error.value).replace(": item:", ":", 1).endswith(message.removeprefix("item: "))


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
    assert "left out by max_filler_errors: 1 person, 6 trials" in done.stderr
    raw = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"PROLIFIC_PID" not in raw


def test_simulated_people_keep_their_names_and_need_no_key(project: Project) -> None:
    project.run(simulated=True)
    assert project.stored("judgment")[0]["participant"] == "anna"
    assert not (project.folder / "colorless.key").exists()


def test_two_map_files_and_a_map_that_is_no_file_are_refused(project: Project) -> None:
    with pytest.raises(InputError) as error:
        project.run(maps=["a.json", "b.json"])
    assert str(error.value) == "--map: 2 map files; one, and OURS=THEIRS beside it"
    with pytest.raises(InputError) as error:
        project.run(maps=["item"])
    assert str(error.value) == "--map: 'item'; OURS=THEIRS, as in item=Item, or a map file"


def test_a_folder_that_a_verb_wrote_stands_for_its_files(project: Project) -> None:
    folder = project.folder / "answers"
    with write_folder(folder, {"made_by": "colorless humans answers"}) as new:
        write_judgments(new / "judgments.jsonl", [Judgment("p1", trial_id="1", item="i1")])
        write_sessions(new / "sessions.jsonl", [Session("p1", status="FINISHED")])
    row = project.run(folder).rows[0]
    assert (row["files"], row["rows"], row["missing"]) == (2, 2, 1)


def test_another_folder_is_refused(project: Project) -> None:
    project.run(out=project.folder / "imported")
    with pytest.raises(InputError) as refused:
        project.run(project.folder / "imported")
    assert str(refused.value) == (
        f"{project.folder}/imported: not a folder of answers; files, or humans answers --out"
    )


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


def test_how_much_counts_after_all_rules_is_told(project: Project) -> None:
    said = project.run(exclude=["max_filler_errors"]).messages
    assert "1 of 2 people and 4 of 7 answers count" in said


def test_totals_are_not_counted_together_with_single_answers(project: Project) -> None:
    project.run()
    totals = project.file("totals.csv", "item,right,total\ni1,3,5\n")
    with pytest.raises(InputError) as refused:
        project.run(totals)
    assert str(refused.value) == (
        "totals.csv: totals, and of this suite there are single answers (answers.csv);"
        " another --store, since the two cannot be counted together"
    )
    assert len(project.stored("judgment_set")) == 1


def test_made_up_answers_are_not_counted_together_with_peoples(project: Project) -> None:
    project.run(simulated=True)
    other = project.file("other.csv", "participant,item,chosen\ncarl,i1,are\n")
    with pytest.raises(InputError, match="single answers, and of this suite there are simulated"):
        project.run(other)


def test_totals_of_nothing_stand_in_nobodys_way(project: Project) -> None:
    project.run(project.file("totals.csv", "item,right,total\ni1,0,0\ni2,0,0\n"))
    assert project.run().rows[0]["judgments"] == 7
