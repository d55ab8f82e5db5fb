"""Data of jsPsych, by themselves and from a JATOS server: what counts, and what is refused."""

import csv
import json
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import ErrorKind, InputError
from colorless_green.humans import (
    Imported,
    ImportOptions,
    Rules,
    apply_rules,
    read_files,
    table_map,
)
from tests.builders import mistake
from tests.humans.report_material import agreement_item
from tests.humans.trial_records import Judgment, judgments_of

KEYS = agreement_item("the keys of it are gone", 1, 4, "is")
ROOF = agreement_item("a roof green as moss leaks badly", 1, 5, "leak", number=1, value="Sing")
NULL = agreement_item("the null of it null gone", 1, 4, "are", number=2)
ITEMS = (KEYS, ROOF, NULL)
INSTRUCTIONS = {"trial_type": "instructions", "trial_index": 0, "participant": "P1", "rt": 2400}


def trial(index: int = 1, **fields: Any) -> dict[str, Any]:
    """Return a trial of KEYS by button; None takes a field away."""
    usual = {
        "trial_type": "html-button-response",
        "trial_index": index,
        "participant": "P1",
        "item": KEYS.item_id,
        "choices": ["is", "are"],
        "response": 1,
        "rt": 900,
    }
    return {name: value for name, value in {**usual, **fields}.items() if value is not ...}


def imported(tmp_path: Path, *trials: dict[str, Any], **columns: str) -> Imported:
    path = tmp_path / "data.json"
    path.write_text(json.dumps(trials), encoding="utf-8")
    return read_files([path], ITEMS, ImportOptions(table_map({"columns": columns})), "jspsych")


def only(found: Imported) -> Judgment:
    (judgment,) = judgments_of(found.trials)
    return judgment


def test_a_button_is_its_place_among_the_choices_as_shown(tmp_path: Path) -> None:
    judgment = only(imported(tmp_path, INSTRUCTIONS, trial()))
    assert (judgment.option_1, judgment.chosen, judgment.chosen_index) == ("is", "are", 1)
    assert (judgment.correct, judgment.rt_ms, judgment.position) == (1, 900.0, 1)


def test_rows_that_are_no_trial_are_counted(tmp_path: Path) -> None:
    summary = imported(tmp_path, INSTRUCTIONS, trial(), {"consent": True}).summary
    assert (summary.n_rows, summary.n_judgments, summary.n_others) == (3, 1, 2)


def test_the_word_null_is_an_answer_and_null_is_none(tmp_path: Path) -> None:
    shown = {"item": NULL.item_id, "choices": ["null", "are"]}
    found = imported(tmp_path, trial(1, **shown, response=0), trial(2, response=None, rt=None))
    assert [(each.chosen, each.correct) for each in judgments_of(found.trials)] == [
        ("null", 1),
        ("", None),
    ]


@given(
    st.lists(
        st.tuples(st.sampled_from([0, 1, None]), st.sampled_from(['a "b", c', "", "[x", "ü\n"])),
        min_size=1,
        max_size=5,
    )
)
def test_csv_and_json_say_the_same(
    tmp_path_factory: pytest.TempPathFactory, answers: list[tuple[int | None, str]]
) -> None:
    """CSV as jsPsych writes it: every cell quoted, JSON text for arrays, `null` for null."""
    folder = tmp_path_factory.mktemp("jspsych")
    trials = [
        trial(place, response=response, list=label.strip())
        for place, (response, label) in enumerate(answers)
    ]
    (folder / "data.json").write_text(json.dumps(trials), encoding="utf-8")
    with (folder / "data.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, quoting=csv.QUOTE_ALL)
        writer.writerow(trials[0])
        for each in trials:
            writer.writerow(
                "null" if v is None else json.dumps(v) if isinstance(v, list) else v
                for v in each.values()
            )
    plain = (
        [
            (each.chosen, each.correct, each.list, each.rt_ms, each.trial_id)
            for each in judgments_of(read_files([folder / name], ITEMS).trials)
        ]
        for name in ("data.json", "data.csv")
    )
    assert next(plain) == next(plain)


@pytest.mark.parametrize(
    "text",
    [
        "[{0}, {1}]",
        "[[{0}], [{1}]]",
        "[{0}][{1}]",
        "{0}\n{1}\n",
        "\ufeff[{0}]\r\n[{1}]",
        "[[[{0}],[{1}]]]",
    ],
)
def test_arrays_may_be_one_several_or_nested(tmp_path: Path, text: str) -> None:
    path = tmp_path / "data.json"
    trials = [json.dumps(trial(index)) for index in (1, 2)]
    path.write_text(text.replace("{0}", trials[0]).replace("{1}", trials[1]), encoding="utf-8")
    assert read_files([path], ITEMS).summary.n_judgments == 2


KEYBOARD = {"trial_type": "html-keyboard-response", "choices": ..., "opt1": "is", "opt2": "are"}


@pytest.mark.parametrize(
    "fields",
    [
        {"response": ..., "button_pressed": "1"},
        {"choices": ["<b>is</b>", "<b>are</b>"]},
        {**KEYBOARD, "response": "J"},
        {**KEYBOARD, "response": "ArrowRight"},
        {**KEYBOARD, "choices": ["d", "k"], "response": "k"},
        {**KEYBOARD, "key_1": "d", "key_2": "k", "response": "k"},
        {**KEYBOARD, "response": ..., "key_press": 74},
        {"trial_type": "form-choice", "response": "are"},
    ],
)
def test_answers_of_any_version_and_plugin_are_read(tmp_path: Path, fields: dict[str, Any]) -> None:
    assert only(imported(tmp_path, trial(**fields))).chosen == "are"


@given(
    st.permutations(["is", "are"]),
    st.permutations(["is", "are", "I do not know"]),
    st.integers(0, 2),
    st.booleans(),
)
def test_what_was_shown_counts_whatever_else_names_the_options(
    tmp_path_factory: pytest.TempPathFactory,
    named: list[str],
    buttons: list[str],
    response: int,
    two: bool,
) -> None:
    folder = tmp_path_factory.mktemp("jspsych")
    shown = [text for text in buttons if text in named] if two else buttons
    fields: dict[str, Any] = {
        "opt1": named[0],
        "opt2": named[1],
        "choices": shown,
        "response": response,
    }
    if response >= len(shown) or shown[response] not in named:
        with mistake("format", f"{folder}/data.json:1, trial 1"):
            imported(folder, trial(**fields))
        return
    judgment = only(imported(folder, trial(**fields)))
    assert judgment.chosen == shown[response]
    assert [judgment.option_1, judgment.option_2] == [text for text in shown if text in named]


def test_a_button_that_means_no_answer_is_named_by_a_map(tmp_path: Path) -> None:
    path = tmp_path / "data.json"
    fields: dict[str, Any] = {
        "opt1": "is",
        "opt2": "are",
        "choices": ["is", "are", "no idea"],
        "response": 2,
    }
    path.write_text(json.dumps([trial(**fields)]), encoding="utf-8")
    found = read_files([path], ITEMS, ImportOptions(table_map({"missing": ["no idea"]})))
    assert (only(found).chosen, found.summary.n_missing) == ("", 1)


@pytest.mark.parametrize("allowed", [["f", "j"], ["j", "f"], ["ArrowRight", "ArrowLeft"]])
def test_the_order_in_which_keys_are_allowed_is_no_order_of_options(
    tmp_path: Path, allowed: list[str]
) -> None:
    for key, chosen in (("f", "is"), ("j", "are"), ("ArrowLeft", "is")):
        fields: dict[str, Any] = {**KEYBOARD, "choices": allowed, "response": key}
        assert only(imported(tmp_path, trial(**fields))).chosen == chosen


def test_surveys_and_other_buttons_are_no_trials(tmp_path: Path) -> None:
    language = trial(2, item=..., choices=["English", "Italian", "another"], response=2)
    survey = trial(3, item=..., choices=..., trial_type="survey-likert", response={"a": 1, "b": 2})
    assert imported(tmp_path, trial(), language, survey).summary.n_others == 2


def test_a_trial_without_an_id_is_found_by_what_it_showed(tmp_path: Path) -> None:
    shown = "<p lang='en'>the keys&nbsp;of <em>it</em> ___</p>"
    judgment = only(imported(tmp_path, trial(item=..., stimulus=shown)))
    assert (judgment.item, judgment.correct) == (KEYS.item_id, 1)


def test_choices_about_no_known_item_are_told(tmp_path: Path) -> None:
    found = imported(tmp_path, trial(), trial(2, item=..., stimulus="Coffee or tea?"))
    assert (found.summary.n_others, len(found.notes)) == (1, 1)
    assert "Coffee or tea?" in found.notes[0]


@pytest.mark.parametrize(
    "fields",
    [
        {"trial_type": "html-slider-response", "response": 63, "choices": ...},
        {"trial_type": "survey-likert", "response": {"Q0": 63}, "choices": ...},
        {"choices": ["61", "62", "63"], "response": 2},
    ],
)
def test_a_scale_gives_a_rating_and_no_verdict(tmp_path: Path, fields: dict[str, Any]) -> None:
    shown = "<p>the keys of it is gone</p>"
    judgment = only(imported(tmp_path, trial(item=..., stimulus=shown, **fields)))
    assert (judgment.rating, judgment.correct, judgment.correct_form) == (63.0, None, "")
    assert (judgment.item, judgment.option_1) == (KEYS.item_id, "the keys of it is gone")


def test_lost_focus_is_counted_and_is_no_judgment(tmp_path: Path) -> None:
    events = [
        {"event": name, "trial": 1, "time": 5, "participant": "P1"}
        for name in ("blur", "focus", "blur")
    ]
    sessions = imported(tmp_path, trial(), *events).sessions
    assert sessions.select("participant", "n_blurs").rows() == [("P1", 2)]


def test_a_file_can_be_a_person(tmp_path: Path) -> None:
    found = imported(tmp_path, trial(participant=...), participant="@file")
    assert only(found).participant == "data"


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("format", {"participant": ...}),
        ("unknown", {"item": "x9"}),
        ("format", {"choices": ...}),
        ("format", {"response": 2}),
        ("format", {"option_1": "is", "option_2": "is", "choices": ["is", "?"]}),
        ("format", {"rt": -1}),
        ("format", {"rt": "soon"}),
    ],
)
def test_what_does_not_fit_is_refused(
    tmp_path: Path, kind: ErrorKind, fields: dict[str, Any]
) -> None:
    with mistake(kind, f"{tmp_path}/data.json:1, trial 1"):
        imported(tmp_path, trial(**fields))


def test_data_without_any_known_item_are_refused(tmp_path: Path) -> None:
    with mistake("empty", tmp_path / "data.json"):
        imported(tmp_path, INSTRUCTIONS)


@pytest.mark.parametrize(
    ("kind", "line", "text"),
    [
        ("format", ":1", "[" * 100_000),
        ("format", ":1", '[{"trial_type": NaN}]'),
        ("unreadable", "", '[{"item": "\\ud800"}]'),
        ("format", ":1", "[[[[[1]]]]]"),
        ("unreadable", ":1", '[{"item": "a\0"}]'),
        ("format", ":1", '[{"trial_index": ' + "9" * 5000 + "}]"),
        ("format", ":1", '[{"trial_index": 1e400}]'),
    ],
)
def test_hostile_text_is_refused_in_one_line(
    tmp_path: Path, kind: ErrorKind, line: str, text: str
) -> None:
    path = tmp_path / "data.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_files([path], ITEMS, format_name="jspsych")
    assert (caught.value.kind, caught.value.location) == (kind, f"{path}{line}")
    assert "\n" not in str(caught.value)


def archive(path: Path, entries: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as stream:
        for name, text in entries.items():
            stream.writestr(name, text)
    return path


def study(*results: dict[str, Any]) -> str:
    return json.dumps(
        {"apiVersion": "1.1.0", "data": [{"studyId": 7, "studyResults": list(results)}]}
    )


DATA = "study_result_{0}/comp-result_{1}/data.txt"


def test_a_server_knows_the_person_the_state_and_its_own_runs(tmp_path: Path) -> None:
    own = {"id": 1, "workerId": 51, "workerType": "Jatos", "studyState": "FINISHED"}
    other = {
        **{"id": 2, "workerId": 52, "workerType": "GeneralSingle", "studyState": "STARTED"},
        **{"urlQueryParameters": {"PROLIFIC_PID": "abc"}, "startDate": 1000, "endDate": 61_000},
    }
    told = json.dumps([trial(participant=...)])
    entries = {DATA.format(1, 11): told, "metadata.json": study(own, other)}
    entries[DATA.format(2, 12)] = told + json.dumps([trial(2, participant=...)])
    path = archive(tmp_path / "any.name", entries)
    found = read_files([path], ITEMS)
    assert [each.participant for each in judgments_of(found.trials)] == ["51", "abc", "abc"]
    first, second = found.sessions.rows(named=True)
    assert (first["test_run"], second["test_run"], second["status"]) == (True, False, "STARTED")
    assert (second["started_at"], second["duration_s"]) == ("1970-01-01T00:00:01Z", 60.0)
    kept = apply_rules(found.trials, Rules(), found.sessions).kept
    assert {*kept["participant"]} == {"abc"}


def test_without_metadata_a_result_is_a_person(tmp_path: Path) -> None:
    told = json.dumps([trial(participant=...)])
    path = archive(tmp_path / "x.zip", {DATA.format(n, n): told for n in (9, 10)})
    found = read_files([path], ITEMS)
    assert [each.participant for each in judgments_of(found.trials)] == ["result 9", "result 10"]


def test_other_components_are_counted(tmp_path: Path) -> None:
    entries = {DATA.format(1, 1): "yes, I agree", DATA.format(1, 2): json.dumps([trial()])}
    found = read_files([archive(tmp_path / "x.zip", entries)], ITEMS)
    assert (found.summary.n_rows, found.summary.n_others) == (2, 1)


@pytest.mark.parametrize(
    ("kind", "name"),
    [("unsafe", "../data.txt"), ("unsafe", "/etc/x"), ("unsafe", "C:x"), ("empty", "a.txt")],
)
def test_an_archive_that_is_not_a_servers_is_refused(
    tmp_path: Path, kind: ErrorKind, name: str
) -> None:
    path = archive(tmp_path / "x.zip", {name: ""})
    with mistake(kind, path):
        read_files([path], ITEMS)


def test_size_is_counted_while_unpacking(tmp_path: Path) -> None:
    path = archive(tmp_path / "x.zip", {DATA.format(n, n): " " * (1 << 20) for n in (1, 2)})
    assert path.stat().st_size < 10_000
    with mistake("unsafe", path):
        read_files([path], ITEMS, ImportOptions(max_bytes=(2 << 20) - 1))
    assert not judgments_of(read_files([path], ITEMS, ImportOptions(max_bytes=2 << 20)).trials)


def test_metadata_that_are_none_are_refused(tmp_path: Path) -> None:
    entries = {DATA.format(1, 1): json.dumps([trial()]), "metadata.json": '{"data": [3]}'}
    path = archive(tmp_path / "x.zip", entries)
    with mistake("format", path / "metadata.json"):
        read_files([path], ITEMS)


@pytest.mark.parametrize("date", [10**20, -(10**20), 10**400])
def test_a_date_that_is_none_is_refused_in_one_line(tmp_path: Path, date: int) -> None:
    result = {"id": 1, "workerId": 5, "workerType": "MT", "startDate": date}
    entries = {DATA.format(1, 1): json.dumps([trial()]), "metadata.json": study(result)}
    path = archive(tmp_path / "x.zip", entries)
    with mistake("format", path / "metadata.json"):
        read_files([path], ITEMS)


def test_an_archive_that_would_grow_beyond_measure_is_refused_before_it_is_unpacked(
    tmp_path: Path,
) -> None:
    path = archive(tmp_path / "x.zip", {DATA.format(1, 1): " " * (65 << 20)})
    tracemalloc.start()
    with mistake("unsafe", path):
        read_files([path], ITEMS)
    assert tracemalloc.get_traced_memory()[1] < 10 << 20
    tracemalloc.stop()


@pytest.mark.parametrize("damage", [b"\x00", b"\xff"])  # another content; no compressed data
def test_a_broken_archive_is_refused(tmp_path: Path, damage: bytes) -> None:
    whole = archive(tmp_path / "x.zip", {DATA.format(1, 1): json.dumps([trial()] * 50)})
    path = tmp_path / "y.zip"
    path.write_bytes(whole.read_bytes()[:67] + damage * 13 + whole.read_bytes()[80:])
    with mistake("format", path):
        read_files([path], ITEMS)
