"""What sort of trial an item is, whoever says so; and people who answer in several sessions."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from colorless_green import load_suite, read_judgments
from colorless_green.data import Suite
from colorless_green.data.files import write_manifest
from colorless_green.data.tables import frame
from colorless_green.humans import Rules, read_study, rules_of
from tests.builders import mistake
from tests.humans.answer_material import Project, Session, sieved
from tests.humans.study_material import design, planned, suite
from tests.humans.trial_records import Judgment

ITEMS = """\
item,prefix,correct_form,wrong_form
i1,the keys,are,is
i2,the key,is,are
f1,we saw,him,he
f2,they,go,goes
"""
ANSWERS = [  # item, sort of trial, chosen
    ("i1", "critical", "are"),
    ("i2", "critical", "are"),
    ("f1", "filler", "he"),
    ("f2", "comprehension_question", "go"),  # answers that are right or wrong, of no item tested
]
TARGETS = {"i1", "i2"}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path, ITEMS)


def answers_with(project: Project, column: str) -> Path:
    rows = (f"anna,{item},{kind},{chosen}\n" for item, kind, chosen in ANSWERS)
    return project.file("answers.csv", f"participant,item,{column},chosen\n{''.join(rows)}")


def kinds(project: Project) -> dict[str, str]:
    """Item → sort of trial, as the store has them."""
    return {each["item"]: each["kind"] for each in project.stored()}


def targets(project: Project) -> set[str]:
    return {item.item_id for item in load_suite(store=project.store).items}


def told() -> dict[str, str]:
    return {item: "target" if item in TARGETS else "filler" for item, _, _ in ANSWERS}


@pytest.mark.parametrize(
    ("column", "maps"), [("kind", ()), ("task", ()), ("task", ["kind=task"]), ("x", ["kind=x"])]
)
def test_the_answers_say_what_a_table_of_items_does_not(
    project: Project, column: str, maps: list[str]
) -> None:
    project.run(answers_with(project, column), map=maps, exclude=["max_filler_errors=0.5"])
    assert kinds(project) == told()
    assert targets(project) == TARGETS


@pytest.mark.parametrize("maps", [(), ["kind=task"]])
def test_jspsychs_task_says_it_too(project: Project, maps: list[str]) -> None:
    trials = [
        {
            "trial_type": "html-button-response", "trial_index": number, "participant": "P1",
            "item": item, "task": kind, "choices": ["is", "are"] if item in TARGETS else
            {"f1": ["he", "him"], "f2": ["go", "goes"]}[item], "response": 0, "rt": 900,
        }
        for number, (item, kind, _) in enumerate(ANSWERS, start=1)
    ]  # fmt: skip
    project.run(project.file("data.json", json.dumps(trials)), map=maps)
    assert kinds(project) == told()
    assert targets(project) == TARGETS


def test_what_the_table_of_items_says_goes_over_the_answers(project: Project) -> None:
    rows = ITEMS.splitlines()
    rows = [f"{rows[0]},kind", *(f"{row}," for row in rows[1:4]), f"{rows[4]},check"]
    project.run(
        answers_with(project, "kind"), items=project.file("some.csv", "\n".join(rows) + "\n")
    )
    assert kinds(project) == {**told(), "f2": "check"}


def test_a_column_that_was_named_for_it_must_have_sorts_of_trials(project: Project) -> None:
    path = project.file("a.csv", "participant,item,x,chosen\nanna,i1,red,are\n")
    with mistake("unknown", f"{path}:2"):
        project.run(path, map=["kind=x"])
    other = project.file("b.csv", "participant,item,task,chosen\nanna,i1,rating,are\n")
    project.run(other)  # a task of another sort
    assert kinds(project) == {"i1": "target"}


def study(project: Project) -> Path:
    """Return a study's folder, as far as an import looks at it."""
    folder = project.folder / "study"
    folder.mkdir()
    trials = [{"item": item, "kind": kind} for item, kind in told().items()]
    (folder / "trials.jsonl").write_text("".join(json.dumps(e) + "\n" for e in trials), "utf-8")
    (folder / "study.toml").write_text("[exclude]\nmax_filler_errors = 0.2\n", "utf-8")
    write_manifest(folder, ("trials.jsonl",), {"suite": "items"})
    return folder / "study.toml"


def silent_answers(project: Project) -> Path:
    rows = "".join(f"anna,{item},{chosen}\n" for item, _, chosen in ANSWERS)
    rows += "".join(f"bert,{item},{form}\n" for item, form in zip(told(), RIGHT, strict=True))
    return project.file("answers.csv", f"participant,item,chosen\n{rows}")


RIGHT = ("are", "is", "him", "go")


@pytest.mark.parametrize("named", ["folder", "file"])
def test_the_study_says_what_neither_items_nor_answers_do(project: Project, named: str) -> None:
    file = study(project)
    result = project.run(silent_answers(project), study=file if named == "file" else file.parent)
    assert kinds(project) == told()
    assert targets(project) == TARGETS
    assert result.rows[0]["left_out"] == len(ANSWERS)  # Anna, wrong on one of two fillers
    assert not [each for each in result.messages if "nothing to measure" in each]


def test_the_study_says_it_without_a_table_of_items_too(project: Project) -> None:
    targets = "\n".join(ITEMS.splitlines()[:3]) + "\n"
    first = project.file("first.csv", "participant,item,chosen\ncarl,i1,are\n")
    project.run(first, items=project.file("items.csv", targets))  # the suite `items`
    rows = "".join(
        f"anna,{item},{right},{right}\n" for item, right in zip(told(), RIGHT, strict=True)
    )
    answers = project.file("more.csv", f"participant,item,chosen,correct_form\n{rows}")
    project.run(answers, items=None, study=study(project))
    assert kinds(project) == told()


def test_fillers_that_the_study_does_not_show_are_no_targets(project: Project) -> None:
    """A table of fillers has more than the design drew, and says of none what it is."""
    lines = ITEMS.splitlines()
    first = project.file("first.csv", "participant,item,chosen\ncarl,i1,are\n")
    project.run(first, items=project.file("items.csv", "\n".join(lines[:3]) + "\n"))
    spare = "\n".join([lines[0], *lines[3:], "f9,it,rains,rain"]) + "\n"
    project.run(silent_answers(project), items=project.file("x.csv", spare), study=study(project))
    assert kinds(project) == told()
    assert targets(project) == TARGETS


def test_where_nobody_says_anything_all_are_targets(project: Project) -> None:
    project.run(silent_answers(project))
    assert set(kinds(project).values()) == {"target"}
    assert targets(project) == set(told())


def test_a_target_that_the_suite_lacks_is_refused_where_the_answers_tell(project: Project) -> None:
    targets = "\n".join(ITEMS.splitlines()[:2]) + "\n"
    first = project.file("first.csv", "participant,item,chosen\ncarl,i1,are\n")
    project.run(first, items=project.file("few.csv", targets))
    answers = answers_with(project, "kind")
    with mistake("unknown", f"{answers}:3"):
        project.run(answers, suite="few")


# Several sessions


def of_generic(folder: Path, sessions: list[tuple[str, str]]) -> Path:
    rows = (f"{who},{session},i1,are\n" for who, session in sessions)
    path = folder / "x.csv"
    path.write_text("participant,session,item,chosen\n" + "".join(rows), "utf-8")
    return path


def of_jspsych(folder: Path, sessions: list[tuple[str, str]]) -> Path:
    path = folder / "x.json"
    shown = {"trial_type": "html-button-response", "trial_index": 1, "item": "i1", "rt": 900}
    trials = [
        {**shown, "choices": ["is", "are"], "response": 1, "participant": who, "session": session}
        for who, session in sessions
    ]
    path.write_text(json.dumps(trials), "utf-8")
    return path


def of_pcibex(folder: Path, sessions: list[tuple[str, str]]) -> Path:
    head = [
        *("# 1. Results reception time.", "# 2. MD5 hash of participant's IP address."),
        *("# 3. Controller name.", "# 4. Order number of item.", "# 5. Inner element number."),
        *("# 6. Label.", "# 7. Latin Square Group.", "# 8. PennElementType."),
        *("# 9. PennElementName.", "# 10. Parameter.", "# 11. Value.", "# 12. EventTime."),
        *("# 13. item.", "# 14. option_1.", "# 15. option_2.", "# 16. participant."),
        "# 17. Comments.",
    ]
    rows = [
        f"17600001{number:02},ab{number},PennController,1,0,target,A,"
        f"Selector,choice,Selection,are,2000,i1,is,are,{who},NULL"
        for number, (who, _) in enumerate(sessions)
    ]
    path = folder / "results.csv"
    path.write_text("\n".join([*head, *rows]) + "\n", "utf-8")
    return path


FORMATS = [of_generic, of_jspsych, of_pcibex]  # the others' tests say what session a row is of
TWICE = [("ann", "s1"), ("bob", "s2"), ("ann", "s3"), ("cyd", "s4"), ("cyd", "s5"), ("ann", "s6")]


@pytest.mark.parametrize("written", FORMATS)
def test_people_with_several_sessions_are_told_and_by_a_rule_their_first_alone_counts(
    project: Project, written: Any
) -> None:
    for rules, n_left_out in ((), 0), (("first_session_only",), 3):
        result = project.run(written(project.folder, TWICE), exclude=rules)
        assert result.rows[0]["left_out"] == n_left_out
        assert any("2 people" in m and "first_session_only" in m for m in result.messages)


def test_of_people_with_one_session_each_nothing_is_said(project: Project) -> None:
    result = project.run(of_generic(project.folder, TWICE[:2]))
    assert not [each for each in result.messages if "session" in each]


def trial(who: str, session: str, number: int, at: str = "", kind: str = "target") -> Judgment:
    return Judgment(who, session, f"{session}/{number}", f"i{number}", kind=kind, at=at)


FIRST = Rules(first_session_only=True)


def test_the_first_session_is_that_which_began_first() -> None:
    late, early = "2026-01-02T10:00:00Z", "2026-01-01T10:00:00Z"
    trials = [trial("a", "x", 1, late), trial("a", "y", 1, early), trial("a", "y", 2)]
    assert {each.session for each in sieved(trials, FIRST).kept} == {"y"}
    sessions = [Session("a", "x", started_at="2025-12-01T10:00:00Z")]
    assert {each.session for each in sieved(trials, FIRST, sessions).kept} == {"x"}


def test_where_a_time_is_not_known_the_first_of_the_file_is_the_first() -> None:
    trials = [trial("a", "x", 1, "2026-01-02T10:00:00Z"), trial("a", "y", 1)]
    assert {each.session for each in sieved(trials, FIRST).kept} == {"x"}


def test_practice_and_sessions_that_do_not_count_are_nobodys_first() -> None:
    trials = [trial("a", "x", 1, kind="practice"), trial("a", "y", 1), trial("a", "z", 1)]
    sessions = [Session("a", "y", status="REJECTED")]
    found = sieved(trials, FIRST, sessions)
    assert [each.session for each in found.kept] == ["z"]
    assert sum(each.n_trials for each in found.gone) == 2
    again = sieved(found.kept, FIRST, sessions)
    assert (again.kept, again.gone) == (found.kept, ())


def test_the_rule_is_off_unless_it_is_asked_for(tmp_path: Path) -> None:
    assert rules_of(None, []).first_session_only is None
    assert rules_of(None, ["first_session_only"]) == FIRST
    assert rules_of(None, ["first_session_only=none"]).digest == Rules().digest
    assert FIRST.digest != Rules().digest
    path = tmp_path / "study.toml"
    path.write_text("[exclude]\nfirst_session_only = true\n", encoding="utf-8")
    assert rules_of(path, []) == FIRST
    assert rules_of(path, ["first_session_only=false"]) == Rules()
    with mistake("value", "exclude: first_session_only"):
        rules_of(None, ["first_session_only=2"])


def test_a_studys_folder_says_what_is_right_in_fillers_checks_and_practice(tmp_path: Path) -> None:
    """Answers from a laboratory's own program, with neither a correct form nor a verdict."""
    made = Suite("s", suite((6, 6)))
    folder = tmp_path / "study"
    plan = planned(participants=2, versions=1, construction="S_0", fillers="rest", checks=1)
    design(made, folder, **plan)
    trials = read_study(folder).trials
    for is_right in (True, False):
        rows = [
            {
                "participant": f"p{trial.list}",
                "item": trial.item,
                "option_1": trial.options[0],
                "option_2": trial.options[1],
                "chosen": next(o for o in trial.options if (o == trial.right) == is_right),
            }
            for trial in trials
        ]
        path = tmp_path / f"{is_right}.csv"
        path.write_text(frame(rows).write_csv(), encoding="utf-8")
        found = read_judgments(path, suite=made, study=folder).source.imported.trials
        assert found["correct"].to_list() == [int(is_right)] * len(trials)
        assert Counter(found["kind"]) == Counter(trial.kind for trial in trials)
        assert {"target", "filler", "check", "practice"} <= {*found["kind"]}
