"""Our own tables: what is written is read again, and no spreadsheet runs what people wrote."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from colorless_green.data.errors import ErrorKind
from colorless_green.humans import ImportOptions, read_files, write_judgments, write_sessions
from tests.builders import mistake
from tests.humans.answer_material import Session, session_frame
from tests.humans.report_material import agreement_item
from tests.humans.trial_records import Judgment, judgments_of, trials_of

KEYS = agreement_item("the keys of it are gone", 1, 4, "is")
JUDGED = Judgment(
    participant="4M4VEMMZCDTJRUJG",
    session="s1",
    trial_id="t1",
    item=KEYS.item_id,
    source=KEYS.cluster_id,
    construction="L__NOUN_VERB_VERB",
    condition="original",
    position=1,
    list="A",
    prefix="the keys of it",
    option_1="is",
    option_2="are",
    chosen="are",
    chosen_index=1,
    correct_form="are",
    correct=1,
    rt_ms=912.5,
    at="2026-03-01T10:00:00Z",
)
VISIT = Session(
    *("4M4VEMMZCDTJRUJG", "s1", "FINISHED", False, "2026-03-01T10:00:00Z", "", 61.5, 2),
    {"native": "yes"},
)
NAMES = ("judgments.tsv", "judgments.jsonl", "judgments.tsv.gz", "judgments.csv")
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"], exclude_characters="\0"))


def again(path: Path) -> tuple[Judgment, ...]:
    found = judgments_of(read_files([path], [KEYS]).trials)
    return tuple(replace(each, origin="") for each in found)


@pytest.mark.parametrize("name", NAMES)
def test_judgments_are_read_as_they_were_written(tmp_path: Path, name: str) -> None:
    missing = replace(
        JUDGED, trial_id="t3", position=2, chosen="", chosen_index=None, correct=None, rt_ms=None
    )
    rated = replace(
        missing,
        trial_id="t4",
        position=3,
        option_1="the keys of it are gone",
        option_2="",
        correct_form="",
        rating=-1.5,
    )
    filler = replace(
        JUDGED, trial_id="t5", item="f1", kind="filler", source="f1", construction="x", position=4
    )
    write_judgments(tmp_path / name, trials_of((JUDGED, missing, rated, filler)))
    assert again(tmp_path / name) == (JUDGED, missing, rated, filler)


@given(TEXT, TEXT, st.sampled_from(NAMES[:2]))
def test_any_text_comes_back(
    tmp_path_factory: pytest.TempPathFactory, prefix: str, at: str, name: str
) -> None:
    path = tmp_path_factory.mktemp("own") / name
    judgment = replace(JUDGED, list=f"x{prefix}", at=f"={at}", prefix=f"'@{prefix}")
    write_judgments(path, trials_of([judgment]))
    assert again(path) == (judgment,)


def test_sessions_are_read_as_they_were_written(tmp_path: Path) -> None:
    write_sessions(tmp_path / "sessions.tsv", session_frame([VISIT]))
    found = read_files([tmp_path / "sessions.tsv"], [KEYS], format_name="colorless")
    assert found.sessions.equals(session_frame([VISIT]))
    assert found.summary.n_others == 1


def test_our_own_pseudonyms_stay_and_other_names_become_some(tmp_path: Path) -> None:
    path = tmp_path / "judgments.jsonl"
    anna = replace(JUDGED, participant="Anna", trial_id="t9")
    write_judgments(path, trials_of((JUDGED, anna)))
    options = ImportOptions(key=lambda: bytes(32))
    names = [each.participant for each in judgments_of(read_files([path], [KEYS], options).trials)]
    assert names[0] == JUDGED.participant
    assert names[1] != "Anna"
    assert re.fullmatch("[A-Z2-7]{16}", names[1])


# a number; a word that is no column of a spreadsheet, such as the name of a level
HARMLESS = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|\+[a-z]{4,}"


@given(TEXT)
@example("-0")
@example("=1+1")
def test_no_written_text_begins_like_a_formula(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    path = tmp_path_factory.mktemp("own") / "judgments.tsv"
    write_judgments(path, trials_of([replace(JUDGED, list=text, prefix=text)]))
    _, line, _ = path.read_text(encoding="utf-8").split("\n")
    suspect = [cell for cell in line.split("\t") if cell.startswith(("=", "+", "-", "@"))]
    assert not [cell for cell in suspect if not re.fullmatch(HARMLESS, cell)]


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("format", '{"item": "i1", "participant": 3}'),
        ("format", '{"item": "i1"}'),
        ("format", '{"x": 1}'),
        ("unknown", '{"item": "i1", "participant": "P", "kind": "neither"}'),
        ("format", '{"item": "i1", "participant": "P", "rt_ms": true}'),
        ("format", '{"item": "i1", "participant": "P", "rt_ms": -1}'),
        ("format", '{"item": "i1", "participant": "P", "rating": "good"}'),
        ("format", '{"status": "FINISHED", "participant": "P", "test_run": "no"}'),
    ],
)
def test_what_is_none_of_our_records_is_refused(tmp_path: Path, kind: ErrorKind, line: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(line + "\n", encoding="utf-8")
    with mistake(kind, f"{path}:1"):
        read_files([path], [KEYS])
