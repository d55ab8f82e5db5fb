"""Batches of Mechanical Turk: layouts by name, answers by digit, rows that end early."""

import csv
import json
from pathlib import Path

import pytest

from colorless_green.data.errors import ErrorKind
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
RIGHT, WRONG = "the keys of it are gone", "the keys of it is gone"
BATCH = {
    "HITId": "H1",
    "AssignmentId": "A1",
    "WorkerId": "W1",
    "AssignmentStatus": "Approved",
    "SubmitTime": "Thu Oct 09 23:11:00 PDT 2025",
    "WorkTimeInSeconds": "61",
}
PAPER = {
    "Input.opt1": "is",
    "Input.opt2": "are",
    "Input.type": "target_original",
    "Input.corr_opt": "2",
    "Input.sent": "the keys of it",
    "Input.full_id": "X__1__0",
    "Answer.Answer": "are",
}
PAIR = {
    "Input.item_1_condition": "agreement_ans2",
    "Input.field_1_1": WRONG,
    "Input.field_1_2": RIGHT,
    "Answer.Choice1": "2. the keys of",
}
LATE = {"Approve": "", "Reject": ""}


def imported(tmp_path: Path, *rows: dict[str, str], **columns: str) -> Imported:
    path = tmp_path / "batch.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, quoting=csv.QUOTE_ALL)
        writer.writerow(rows[0])
        writer.writerows(row.values() for row in rows)
    return read_files([path], [KEYS], ImportOptions(table_map({"columns": columns})))


def only(found: Imported) -> Judgment:
    (judgment,) = judgments_of(found.trials)
    return judgment


def test_the_papers_layout_is_found_by_its_columns(tmp_path: Path) -> None:
    judgment = only(imported(tmp_path, {**BATCH, **PAPER}))
    assert (judgment.item, judgment.chosen, judgment.correct) == (KEYS.item_id, "are", 1)
    assert (judgment.at, judgment.session) == ("2025-10-10T06:11:00Z", "A1")


def test_blimps_layout_is_found_and_its_sentences_become_forms(tmp_path: Path) -> None:
    judgment = only(imported(tmp_path, {**BATCH, **PAIR}))
    assert (judgment.item, judgment.option_1, judgment.chosen) == (KEYS.item_id, "is", "are")
    assert (judgment.chosen_index, judgment.correct, judgment.position) == (1, 1, 1)


@pytest.mark.parametrize(
    ("answer", "index"),
    [("1. Mitchell", 0), ("2.", 1), ("1", 0), (RIGHT, 1), ("{}", None), ("NA", None), ("", None)],
)
def test_the_digit_tells_the_answer_and_no_digit_is_none(
    tmp_path: Path, answer: str, index: int | None
) -> None:
    assert (
        only(imported(tmp_path, {**BATCH, **PAIR, "Answer.Choice1": answer})).chosen_index == index
    )


def test_numbers_of_trials_are_read_wherever_their_columns_stand(tmp_path: Path) -> None:
    columns = {
        "Input.item_{n}_condition": PAIR["Input.item_1_condition"],
        "Input.field_{n}_1": WRONG,
        "Input.field_{n}_2": RIGHT,
        "Answer.Choice{n}": "1",
    }
    slots = {name.format(n=n): value for n in (12, 3) for name, value in columns.items()}
    positions = [
        each.position for each in judgments_of(imported(tmp_path, {**BATCH, **slots}).trials)
    ]
    assert positions == [3, 12]


def test_other_layouts_are_given_by_a_map(tmp_path: Path) -> None:
    row = {
        **BATCH,
        "Input.a1": "is",
        "Input.b1": "are",
        "Answer.c1": "are",
        "Input.id1": KEYS.item_id,
    }
    columns = {"option_1": "Input.a{n}", "option_2": "Input.b{n}", "chosen": "Answer.c{n}"}
    judgment = only(imported(tmp_path, row, item="Input.id{n}", **columns))
    assert (judgment.item, judgment.correct) == (KEYS.item_id, 1)


def test_rows_may_end_before_the_columns_filled_in_later(tmp_path: Path) -> None:
    header = {**BATCH, **PAPER, **LATE}
    path = tmp_path / "batch.csv"
    cells = list({**BATCH, **PAPER}.values())
    lines = [",".join(f'"{cell}"' for cell in row) for row in (header, cells)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert only(read_files([path], [KEYS])).correct == 1


def test_answers_may_all_stand_in_one_cell(tmp_path: Path) -> None:
    answers = json.dumps([{"Choice1": {"1": False, "2": True}, "age": 30}])
    row = {name: value for name, value in PAIR.items() if not name.startswith("Answer")}
    found = imported(tmp_path, {**BATCH, **row, "Answer.taskAnswers": answers})
    assert only(found).chosen == "are"


def test_an_assignment_without_answers_in_its_cell_is_a_missing_one(tmp_path: Path) -> None:
    pair = {name: value for name, value in PAIR.items() if not name.startswith("Answer")}
    given = json.dumps([{"Choice1": {"1": False, "2": True}}])
    first = {**BATCH, **pair, "Answer.taskAnswers": given}
    second = {**first, "AssignmentId": "A2", "Answer.taskAnswers": "[{}]"}
    summary = imported(tmp_path, first, second).summary
    assert (summary.n_judgments, summary.n_missing) == (1, 1)


def test_rejected_assignments_are_read_and_left_to_the_rules(tmp_path: Path) -> None:
    second = {**BATCH, **PAPER, "AssignmentId": "A2", "AssignmentStatus": "Rejected"}
    found = imported(tmp_path, {**BATCH, **PAPER}, second)
    kept = apply_rules(found.trials, Rules(), found.sessions)
    assert len(judgments_of(found.trials)) == 2
    assert [(each.rule, each.value, each.n_trials) for each in kept.gone] == [
        ("status", "REJECTED", 1)
    ]


def test_rows_that_the_papers_script_skips_are_counted(tmp_path: Path) -> None:
    foil = {**BATCH, **PAPER, "AssignmentId": "A2", "Input.type": "foil"}
    summary = imported(tmp_path, {**BATCH, **PAPER}, foil).summary
    assert (summary.n_rows, summary.n_judgments, summary.n_others) == (2, 1, 1)


def test_workers_without_names_may_have_a_code(tmp_path: Path) -> None:
    row = {name: value for name, value in BATCH.items() if name != "WorkerId"}
    assert only(imported(tmp_path, {**row, **PAPER, "anonCode": "B059"})).participant == "B059"


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("format", {"WorkerId": ""}),
        ("format", {"Input.corr_opt": "0"}),
        ("format", {"Answer.Answer": "be"}),
        ("unknown", {"Input.sent": "another"}),
    ],
)
def test_what_does_not_fit_is_refused(
    tmp_path: Path, kind: ErrorKind, change: dict[str, str]
) -> None:
    with mistake(kind, f"{tmp_path}/batch.csv:2"):
        imported(tmp_path, {**BATCH, **PAPER, **change})


def test_an_unknown_layout_is_refused(tmp_path: Path) -> None:
    with mistake("format", f"{tmp_path}/batch.csv:1"):
        imported(tmp_path, {**BATCH, "Input.x": "1", "Answer.y": "2"})
