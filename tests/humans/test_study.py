"""A component oracle of a study's folder: what it holds comes back; what was changed is told."""

import tomllib
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import ErrorKind
from colorless_green.data.files import write_manifest
from colorless_green.humans import Settings, Study, read_study, rules_of, write_study
from colorless_green.humans.study.settings import missing_settings, read_settings, to_toml
from colorless_green.humans.study.study import read_instructions
from tests.builders import mistake
from tests.humans.study_material import filled_in, planned, study

OUTCOMES = ("complete", "no_consent")
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
PLAN = planned(task="form", fillers="pool")
ABOUT = {"task": "form", "seed": 0, "scale": "7"}


@pytest.fixture
def own(tmp_path: Path) -> Study:
    return study(tmp_path / "study", PLAN)


def edited(path: Path, old: str, new: str) -> Path:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


@given(
    TEXT,
    TEXT,
    st.integers(0, 10**6),
    st.lists(TEXT, max_size=3),
    st.sampled_from(("5", "7", "slider", "magnitude")),
)
def test_settings_come_back_whatever_their_texts_hold(
    tmp_path_factory: pytest.TempPathFactory,
    title: str,
    purpose: str,
    deadline_ms: int,
    languages: list[str],
    scale: Any,
) -> None:
    path = tmp_path_factory.mktemp("study") / "study.toml"
    settings = replace(
        filled_in("rating"),
        title=title,
        purpose=purpose,
        deadline_ms=deadline_ms,
        languages_required=tuple(languages),
        scale=scale,
        completion=dict.fromkeys(OUTCOMES, "https://example.org/?cc=1"),
    )
    path.write_text(to_toml(settings), encoding="utf-8", newline="\n")
    found = read_settings(path)
    assert replace(found, exclusion=settings.exclusion) == settings


def test_every_setting_stands_in_the_file_with_a_comment() -> None:
    written = tomllib.loads(to_toml(filled_in("form")))
    names = {each.name for each in fields(Settings)} - {"completion", "exclusion"}
    assert {*written, *written["consent"]} >= names
    assert set(written["completion"]) == set(OUTCOMES)
    lines = [line for line in to_toml(filled_in("form")).splitlines() if " = " in line]
    assert sum("  # " in line for line in lines) == len(names) + len(OUTCOMES)


def test_the_rules_of_a_new_study_are_those_of_the_project(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(to_toml(filled_in("form")), encoding="utf-8")
    rules = rules_of(
        None,
        [
            *("max_filler_errors", "max_failed_checks", "min_answered_fraction"),
            *("min_median_rt_ms", "first_session_only", "required.native=yes"),
        ],
    )
    assert read_settings(path).exclusion == rules


def test_a_study_of_self_paced_reading_is_told_where_to_go(tmp_path: Path) -> None:
    """Version 1 had such a task, and a rule about questions that is in the file too."""
    path = tmp_path / "study.toml"
    text = to_toml(filled_in("form")).replace('"form"', '"reading"')
    text = text.replace("[exclude]", "[exclude]\nmax_question_errors = 0.2")
    path.write_text(text, encoding="utf-8")
    for read in (read_settings, lambda file: rules_of(file, ())):
        with mistake("unsupported", f"{path}: task"):
            read(path)


@pytest.mark.parametrize("name", missing_settings(Settings("", "", "form", seed=0)))
def test_an_empty_required_field_is_missing_and_a_blank_is_empty(name: str) -> None:
    settings = filled_in("form")
    assert missing_settings(settings) == ()
    value = getattr(settings, name)
    empty = " " if isinstance(value, str) else type(value)()
    changes: dict[str, Any] = {name: empty}
    assert missing_settings(replace(settings, **changes)) == (name,)


@pytest.mark.parametrize(
    ("old", "new", "kind", "place"),
    [
        ("seed = 0", "sead = 0", "unknown", "sead"),
        ("seed = 0", 'seed = "x"', "value", "seed"),
        ("seed = 0", "seed = true", "value", "seed"),
        ('task = "form"', 'task = "maze"', "unknown", "task"),
        ('task = "form"', "task = 3", "value", "task"),
        ('scale = "7"', 'scale = "9"', "unknown", "scale"),
        (
            'languages_required = ["en"]',
            'languages_required = "en"',
            "value",
            "consent.languages_required",
        ),
        ('complete = ""', 'complete = "http://x.org"', "value", "completion.complete"),
        ('complete = ""', 'done = ""', "unknown", "completion.done"),
        ("[consent]", "[consent2]", "unknown", "consent2"),
        ('title = "How', 'x = "How', "unknown", "x"),
        ('title = "How', 'consent = "How', "format", ""),  # and the table [consent] after it
        ('task = "form"', "", "missing", ""),
        ('"en"', "en", "format", ""),
    ],
)
def test_settings_that_are_none_are_told_with_their_place(
    tmp_path: Path, old: str, new: str, kind: ErrorKind, place: str
) -> None:
    path = tmp_path / "study.toml"
    path.write_text(to_toml(filled_in("form")), encoding="utf-8")
    edited(path, old, new)
    with mistake(kind, f"{path}: {place}" if place else path):
        read_settings(path)


def test_a_text_where_a_table_should_be_is_told(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    text = to_toml(filled_in("form")).replace("[consent]\n", "").replace("title", "consent", 1)
    path.write_text(text, encoding="utf-8")
    with mistake("format", f"{path}: consent"):
        read_settings(path)


def test_what_is_written_comes_back(own: Study, tmp_path: Path) -> None:
    other = tmp_path / "other"
    write_study(other, own.settings, own.trials, {"en": "# Choose\n"}, ABOUT)
    assert read_study(other) == replace(own, folder=other)
    assert read_instructions(other) == {"en": "# Choose"}
    for name in ("trials.jsonl", "key.jsonl", "study.toml", "manifest.json", "instructions.en.md"):
        assert (other / name).read_bytes() == (own.folder / name).read_bytes()


def test_settings_and_instructions_may_be_edited_and_trials_may_not(own: Study) -> None:
    edited(own.folder / "study.toml", "N. N.", "M. M.")
    (own.folder / "instructions.it.md").write_text("Scelga.\n", encoding="utf-8")
    found = read_study(own.folder)
    assert found.settings.researcher == "M. M."
    assert sorted(read_instructions(own.folder)) == ["en", "it"]
    path = edited(own.folder / "trials.jsonl", "sings", "sang")
    with mistake("changed", path):
        read_study(own.folder)


def test_the_key_is_for_its_owner_alone(own: Study) -> None:
    key = own.folder / "key.jsonl"
    assert key.stat().st_mode & 0o777 == 0o600
    key.chmod(0o644)
    with mistake("unsafe", key):
        read_study(own.folder)


def test_trials_hold_nothing_of_the_key(own: Study, tmp_path: Path) -> None:
    other = tmp_path / "other"
    swapped = [
        replace(trial, right=next(each for each in trial.options if each != trial.right))
        for trial in own.trials
    ]
    write_study(other, own.settings, swapped, {"en": ""}, {})
    assert (other / "trials.jsonl").read_bytes() == (own.folder / "trials.jsonl").read_bytes()


def test_a_study_is_not_written_over_what_is_there(own: Study) -> None:
    with mistake("conflict", own.folder):
        write_study(own.folder, own.settings, own.trials, {}, {})


def test_a_task_that_is_not_the_designs_is_an_error(own: Study) -> None:
    path = edited(own.folder / "study.toml", '"form"', '"sentence"')
    with mistake("changed", f"{path}: task"):
        read_study(own.folder)


def test_a_folder_that_is_no_study_and_one_without_instructions_are_errors(tmp_path: Path) -> None:
    with mistake("missing", tmp_path):
        read_study(tmp_path)
    (tmp_path / "manifest.json").write_text('{"files": {}}', encoding="utf-8")
    with mistake("format", tmp_path / "manifest.json"):
        read_study(tmp_path)
    with mistake("missing", tmp_path):
        read_instructions(tmp_path)


@pytest.mark.parametrize(
    "change",
    [{"kind": "lure"}, {"task": "maze"}, {"list": 0}, {"options": ["a"]}, {"trial_id": "a/b"}],
)
def test_trials_of_another_make_are_refused(
    own: Study, tmp_path: Path, change: dict[str, object]
) -> None:
    trials = [replace(own.trials[0], **change)]  # type: ignore[arg-type]
    other = tmp_path / "other"
    write_study(other, own.settings, trials, {"en": ""}, {})
    with mistake("changed", f"{other / 'trials.jsonl'}:1"):
        read_study(other)


def test_a_key_to_other_trials_is_refused(own: Study, tmp_path: Path) -> None:
    other = tmp_path / "other"
    write_study(other, own.settings, own.trials[1:], {"en": ""}, {})
    (other / "trials.jsonl").write_bytes((own.folder / "trials.jsonl").read_bytes())
    write_manifest(other, ("trials.jsonl", "key.jsonl"), {})
    with mistake("changed", other / "key.jsonl"):
        read_study(other)


def test_people_have_twenty_seconds_to_stop_the_clock() -> None:
    """WCAG 2.2.1: at least 20 seconds to extend a limit with a simple action."""
    assert filled_in("form").redirect_seconds == 20
