"""A study's folder: what it holds comes back; what was changed, or is missing, is told."""

import json
import tomllib
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.humans.designing import Plan
from colorless_green.humans.rulefile import rules_of
from colorless_green.humans.settings import (
    CONSENT,
    OUTCOMES,
    REQUIRED,
    SCALES,
    Settings,
    missing,
    read_settings,
    to_toml,
)
from colorless_green.humans.study import (
    Study,
    Trial,
    read_instructions,
    read_study,
    shown,
    write_study,
)
from tests.humans.study_material import filled_in, study

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
PLAN = Plan(task="form", fillers="pool")


def made(tmp_path: Path) -> Study:
    return study(tmp_path / "study", PLAN)


@given(
    TEXT,
    TEXT,
    st.integers(0, 10**6),
    st.lists(TEXT, max_size=3),
    st.sampled_from(SCALES),
    st.floats(0, 1e6),
)
def test_settings_come_back_whatever_their_texts_hold(
    tmp_path_factory: pytest.TempPathFactory,
    title: str,
    purpose: str,
    deadline_ms: int,
    languages: list[str],
    scale: str,
    amount: float,
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
        payment_amount=amount,
        payment_currency="EUR",
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
        ["max_filler_errors", "max_failed_checks", "min_answered_fraction", "min_median_rt_ms"],
    )
    assert read_settings(path).exclusion == rules
    asked = replace(filled_in("reading"), exclusion=rules_of(None, ["max_question_errors"]))
    path.write_text(to_toml(asked), encoding="utf-8")
    assert read_settings(path).exclusion == replace(rules, max_question_errors=0.2)


@pytest.mark.parametrize("name", REQUIRED)
def test_an_empty_required_field_is_missing_and_a_blank_is_empty(name: str) -> None:
    settings = filled_in("form")
    assert missing(settings) == ()
    value = getattr(settings, name)
    empty = " " if isinstance(value, str) else type(value)()
    changes: dict[str, Any] = {name: empty}
    assert missing(replace(settings, **changes)) == (name,)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("seed = 0", "sead = 0"), "sead: no such setting; one of title, language, task, seed, "
         "scale, deadline_ms, minimum_rt_ms, abandon_minutes, redirect_seconds"),
        (("seed = 0", 'seed = "x"'), "seed: 'x'; a whole number, 0 or more"),
        (("seed = 0", "seed = true"), "seed: True; a whole number, 0 or more"),
        (('task = "form"', 'task = "maze"'),
         "task: 'maze'; one of form, sentence, rating, reading"),
        (('task = "form"', "task = 3"), "task: 3; a text in quotes"),
        (('scale = "7"', 'scale = "9"'), "scale: '9'; one of 5, 7, slider, magnitude"),
        (('languages_required = ["en"]', 'languages_required = "en"'),
         "consent.languages_required: 'en'; texts, as in [\"it\"]"),
        (('complete = ""', 'complete = "http://x.org"'),
         "completion.complete: 'http://x.org'; an address that begins with https://, or none"),
        (('complete = ""', 'done = ""'),
         "completion.done: 'done'; one of complete, no_consent, failed_check"),
        (("payment_amount = 0.0", "payment_amount = -1"),
         "consent.payment_amount: -1; a number, 0 or more"),
        (("payment_amount = 0.0", "payment_amount = inf"),
         "consent.payment_amount: inf; a number, 0 or more"),
        (("payment_amount = 0.0", "payment_amount = 2"),
         "consent.payment_currency: nothing; the currency, as in EUR or GBP"),
        (("[consent]", "[consent2]"), "consent2: no such setting; one of title, language, task, "
         "seed, scale, deadline_ms, minimum_rt_ms, abandon_minutes, redirect_seconds"),
        (('title = "How', 'x = "How'), "x: no such setting; one of title, language, task, seed, "
         "scale, deadline_ms, minimum_rt_ms, abandon_minutes, redirect_seconds"),
    ],
)  # fmt: skip
def test_settings_that_are_none_are_told_with_their_place(
    tmp_path: Path, change: tuple[str, str], message: str
) -> None:
    path = tmp_path / "study.toml"
    text = to_toml(filled_in("form"))
    assert change[0] in text
    path.write_text(text.replace(*change), encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_settings(path)
    assert str(error.value) == f"{path}: {message}"


def test_settings_without_a_task_or_that_are_no_toml_are_errors(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    text = to_toml(filled_in("form"))
    path.write_text("".join(line for line in text.splitlines(True) if line[:4] != "task"))
    with pytest.raises(InputError) as error:
        read_settings(path)
    assert str(error.value) == f"{path}: no setting 'task'; a line task = …"
    path.write_text(text.replace('"en"', "en"))
    with pytest.raises(InputError, match="not TOML"):
        read_settings(path)
    path.write_text(text.replace("[consent]\n", "").replace("title", "consent", 1))
    with pytest.raises(InputError, match=r"a table \[consent\]"):
        read_settings(path)


def test_what_is_written_comes_back(tmp_path: Path) -> None:
    own = made(tmp_path)
    other = tmp_path / "other"
    write_study(
        other, own.settings, own.trials, own.key, {"en": "# Choose\n"},
        {"task": "form", "seed": 0, "scale": "7"},
    )  # fmt: skip
    assert read_study(other) == replace(own, folder=other)
    assert read_instructions(other) == {"en": "# Choose"}
    for name in ("trials.jsonl", "key.jsonl", "study.toml", "manifest.json", "instructions.en.md"):
        assert (other / name).read_bytes() == (own.folder / name).read_bytes()


def test_settings_and_instructions_may_be_edited_and_trials_may_not(tmp_path: Path) -> None:
    own = made(tmp_path)
    path = own.folder / "study.toml"
    path.write_text(path.read_text("utf-8").replace("N. N.", "M. M."), encoding="utf-8")
    (own.folder / "instructions.it.md").write_text("Scelga.\n", encoding="utf-8")
    found = read_study(own.folder)
    assert found.settings.researcher == "M. M."
    assert sorted(read_instructions(own.folder)) == ["en", "it"]
    trials = own.folder / "trials.jsonl"
    trials.write_text(trials.read_text("utf-8").replace("sings", "sang"), encoding="utf-8")
    with pytest.raises(InputError, match="missing or was changed"):
        read_study(own.folder)


def test_the_key_is_for_its_owner_alone(tmp_path: Path) -> None:
    own = made(tmp_path)
    key = own.folder / "key.jsonl"
    assert key.stat().st_mode & 0o777 == 0o600
    key.chmod(0o644)
    with pytest.raises(InputError) as error:
        read_study(own.folder)
    assert str(error.value) == f"{key}: others may read the answer key; chmod 600 key.jsonl"


def test_trials_hold_nothing_of_the_key(tmp_path: Path) -> None:
    own = made(tmp_path)
    other = tmp_path / "other"
    swapped = {
        trial.trial_id: next(each for each in trial.options if each != own.key[trial.trial_id])
        for trial in own.trials
    }
    write_study(other, own.settings, own.trials, swapped, {"en": ""}, {})
    assert (other / "trials.jsonl").read_bytes() == (own.folder / "trials.jsonl").read_bytes()


def test_a_participant_is_not_told_what_is_asked_about() -> None:
    trial = Trial(
        "1-1", 1, 1, 1, "check", "form", "the-item", "the-source", "the-construction",
        "the-condition", "The", ("a", "b"), "en",
    )  # fmt: skip
    text = json.dumps(shown(trial))
    for secret in ("check", "the-item", "the-source", "the-construction", "the-condition"):
        assert secret not in text


def test_a_study_is_not_written_over_what_is_there(tmp_path: Path) -> None:
    own = made(tmp_path)
    with pytest.raises(InputError) as error:
        write_study(own.folder, own.settings, own.trials, own.key, {}, {})
    assert str(error.value) == (
        f"{own.folder}: the folder is not empty; a new folder for a new study"
    )


def test_a_task_that_is_not_the_designs_is_an_error(tmp_path: Path) -> None:
    own = made(tmp_path)
    path = own.folder / "study.toml"
    path.write_text(path.read_text("utf-8").replace('"form"', '"sentence"'), encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_study(own.folder)
    assert str(error.value) == (
        f"{path}: task: 'sentence', but the study was designed with 'form'; the design's own, or "
        "a new design"
    )


def test_a_folder_that_is_no_study_and_one_without_instructions_are_errors(
    tmp_path: Path,
) -> None:
    with pytest.raises(InputError, match=r"there is no manifest\.json"):
        read_study(tmp_path)
    (tmp_path / "manifest.json").write_text('{"files": {}}', encoding="utf-8")
    with pytest.raises(InputError, match="this is no study; a folder that colorless humans design"):
        read_study(tmp_path)
    with pytest.raises(InputError, match=r"no instructions; a file instructions\.LANG\.md"):
        read_instructions(tmp_path)


@pytest.mark.parametrize(
    "change",
    [{"kind": "lure"}, {"task": "maze"}, {"list": 0}, {"options": ["a"]}, {"trial_id": "a/b"}],
)
def test_trials_of_another_make_are_refused(tmp_path: Path, change: dict[str, object]) -> None:
    own = made(tmp_path)
    trials = [replace(own.trials[0], **change)]  # type: ignore[arg-type]
    other = tmp_path / "other"
    write_study(other, own.settings, trials, own.key, {"en": ""}, {})
    with pytest.raises(InputError, match="no trial in"):
        read_study(other)


def test_a_key_to_other_trials_is_refused(tmp_path: Path) -> None:
    own = made(tmp_path)
    other = tmp_path / "other"
    write_study(other, own.settings, own.trials[1:], own.key, {"en": ""}, {})
    with pytest.raises(InputError) as error:
        read_study(other)
    assert str(error.value) == (
        f"{other / 'key.jsonl'}: not the key of these trials; write the study again"
    )


def test_consent_has_the_fields_that_are_asked_for() -> None:
    assert set(REQUIRED) == {"title", "language", *CONSENT}
    assert len(CONSENT) == 17


def test_people_have_twenty_seconds_to_stop_the_clock() -> None:
    """WCAG 2.2.1: at least 20 seconds to extend a limit with a simple action."""
    assert filled_in("form").redirect_seconds == 20
