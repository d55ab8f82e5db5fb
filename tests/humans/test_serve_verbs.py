"""`humans serve` and `humans answers` as researchers use them."""

import json
import signal
import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from colorless_green.data.errors import ErrorKind
from colorless_green.humans import (
    ImportOptions,
    application,
    collect_answers,
    read_files,
    read_study,
    serve_study,
)
from tests.builders import colorless, mistake
from tests.humans.report_material import agreement_item
from tests.humans.served import Person, Time, process, serving, taking_part, write
from tests.humans.study_material import numbers, tells

NOW = "2026-01-02T03:04:05+00:00"


def collected(folder: Path) -> None:
    """Two people come to the end, a third gives one answer, and one was a test."""
    study, time = read_study(folder), Time()
    with serving(study, time) as client:
        for _ in range(2):
            person = Person(client, study)
            person.start()
            time.seconds += 90
            person.send(*(person.answer(number) for number in range(len(person.trials))))
            person.finish()
        third = Person(client, study)
        third.start()
        third.send(third.answer(0), third.answer(1))
        time.seconds += 1
        Person(client, study).start(test_run=True)
        client.post("/api/decline", json={})


def test_the_overview_counts_by_list(tmp_path: Path) -> None:
    write(tmp_path / "s", payment_amount=0.5, payment_currency="EUR")
    collected(tmp_path / "s")
    result = collect_answers(tmp_path / "s")
    counts = [(row["list"], row["n_sessions"], row["n_finished"]) for row in result.rows]
    assert counts == [(1, 2, 1), (2, 1, 1)]
    assert [row["n_answers"] for row in result.rows] == [7, 5]
    assert {(row["median_minutes"], row["pay_per_hour"]) for row in result.rows} == {(1.5, 20.0)}
    assert tells(result.messages, 1, 1)  # who did not consent, test runs
    assert tells(result.messages, "0.50", 1.5, "20.00")  # paid for so many minutes, in an hour


@pytest.mark.parametrize("amount", [0.01, 3.0, 1e6, 0.0])
def test_the_pay_for_an_hour_is_the_amount_as_often_as_it_goes_into_one(
    tmp_path: Path, amount: float
) -> None:
    """Unknown without an amount, and as long as nobody has come to the end."""
    study, time = write(tmp_path / "s", payment_amount=amount, payment_currency="EUR"), Time()
    with serving(study, time) as client:
        person = Person(client, study)
        person.start()
        time.seconds = 77
        person.send(*(person.answer(number) for number in range(len(person.trials))))
        person.finish()
    first, second = collect_answers(tmp_path / "s").rows
    if amount:
        assert isinstance(first["pay_per_hour"], float)
        assert first["pay_per_hour"] * 77 / 3600 == pytest.approx(amount)
    else:
        assert first["pay_per_hour"] is None
    assert (second["median_minutes"], second["pay_per_hour"]) == (None, None)


def test_what_was_collected_comes_through_the_import(tmp_path: Path) -> None:
    """One row a trial, reached or not; the same texts, times and verdicts."""
    item = agreement_item("the keys of it are gone", 1, 4, "is")
    study = write(
        tmp_path / "s",
        change=lambda each: replace(
            each,
            item=item.item_id if each.kind == "target" else each.item,
            prefix="the keys of it",
        ),
    )
    collected(tmp_path / "s")
    collect_answers(tmp_path / "s", out=tmp_path / "out")
    paths = sorted((tmp_path / "out").glob("*.jsonl"))
    found = read_files(paths, [item], ImportOptions(key=lambda: bytes(32)))
    trials = {each.trial_id: each for each in study.trials}
    for each in found.judgments:
        own = trials[each.trial_id.partition("/")[2]]
        assert (each.option_1, each.option_2, each.kind) == (*own.options, own.kind)
        assert each.correct_form == study.key[own.trial_id]
        if each.chosen:
            assert each.chosen == own.options[0]
            assert each.correct == int(own.options[0] == study.key[own.trial_id])
            assert each.rt_ms == 512.5
    assert len(found.judgments) == 5 + 5 + 5 + 4  # practice that was not reached is no row
    assert sum(bool(each.chosen) for each in found.judgments) == 5 + 5 + 2
    assert [each.status for each in found.sessions] == [
        "FINISHED",
        "FINISHED",
        "STARTED",
        "STARTED",
    ]
    assert [each.test_run for each in found.sessions] == [False, False, False, True]
    assert found.sessions[0].facts["native"] == "yes"
    assert found.sessions[0].n_blurs == 1


def test_rated_checks_are_right_or_wrong_and_other_ratings_are_not(tmp_path: Path) -> None:
    with taking_part(
        tmp_path / "s", task="rating", n_lists=1, kinds=("check", "check", "filler")
    ) as person:
        person.send(person.answer(0), person.answer(1, rating=7), person.answer(2, rating=6))
    collect_answers(tmp_path / "s", out=tmp_path / "out")
    path = tmp_path / "out" / "judgments.jsonl"
    found = read_files([path], [], ImportOptions(key=lambda: bytes(32)))
    assert [(each.correct, each.rating) for each in found.judgments] == [
        (1, None),
        (0, None),
        (None, 6.0),
    ]


def test_each_word_that_was_read_is_a_row(tmp_path: Path) -> None:
    with taking_part(tmp_path / "s", task="reading", n_lists=1, kinds=("target",)) as person:
        person.send(person.answer(0))
    collect_answers(tmp_path / "s", out=tmp_path / "out")
    text = (tmp_path / "out" / "readings.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    assert tuple(row["word"] for row in rows) == person.study.trials[0].options
    assert [row["word_index"] for row in rows] == list(range(len(rows)))
    assert {row["sentence"] for row in rows} == {" ".join(person.study.trials[0].options)}


def test_the_same_answers_give_the_same_bytes(tmp_path: Path) -> None:
    write(tmp_path / "s")
    collected(tmp_path / "s")
    for name in ("a", "b"):
        collect_answers(tmp_path / "s", out=tmp_path / name)
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


def test_whoever_takes_their_answers_back_is_gone_without_a_trace(tmp_path: Path) -> None:
    study = write(tmp_path / "s")
    with serving(study) as client:
        person, other = Person(client, study), Person(client, study)
        person.all()
        other.all()
    result = collect_answers(tmp_path / "s", erase=[person.participant])
    assert sum(row["n_answers"] for row in result.rows) == 5  # type: ignore[misc]
    assert person.participant in result.messages[0]
    assert numbers(result.messages[0].replace(person.participant, "")) == ["5"]
    stored = b"".join(path.read_bytes() for path in (tmp_path / "s").iterdir())
    assert person.participant.encode() not in stored
    assert person.session.encode() not in stored
    assert other.participant.encode() in stored
    with mistake("unknown", f"--erase {person.participant}"):
        collect_answers(tmp_path / "s", erase=[person.participant])


def saved(person: Person, folder: Path, **changes: object) -> Path:
    """A file as the page gives it to somebody whose answers could not be sent."""
    study = person.client.get("/study.json").json()["study"]
    answers = [person.answer(number) for number in range(5)]
    told = {"study": study, "token": person.token, "trials": answers, "count": 5, "native": "no"}
    path = folder / "saved.json"
    path.write_text(json.dumps({**told, "help": "no", "n_blurs": 0, **changes}), encoding="utf-8")
    return path


def test_a_file_that_somebody_saved_is_put_in_once(tmp_path: Path) -> None:
    with taking_part(tmp_path / "s") as person:
        path = saved(person, tmp_path)
    for n_new in (5, 0):
        result = collect_answers(tmp_path / "s", add=[path])
        place, _, said = result.messages[0].partition(": ")
        assert place == str(path)
        assert person.participant in said
        assert numbers(said.replace(person.participant, "")) == [str(n_new)]
        assert (result.rows[0]["n_finished"], result.rows[0]["n_answers"]) == (1, 5)


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"token": "0" * 64}, "changed"),
        ({"study": "0" * 16}, "changed"),
        ({"trials": 3}, "format"),
        ({"help": "maybe"}, "format"),
    ],
)
def test_a_file_that_is_none_of_the_pages_is_refused(
    tmp_path: Path, change: dict[str, object], kind: ErrorKind
) -> None:
    with taking_part(tmp_path / "s") as person:
        path = saved(person, tmp_path, **change)
    with mistake(kind, path):
        collect_answers(tmp_path / "s", add=[path])


@pytest.mark.parametrize("change", [{"payment": " "}, {"minimum_age": 0}])
def test_a_study_of_which_something_is_not_said_is_not_served(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    write(tmp_path / "s", **change)
    with mistake("empty", tmp_path / "s" / "study.toml"):
        serve_study(tmp_path / "s", port=0)


def test_a_port_that_is_taken_is_said(tmp_path: Path) -> None:
    write(tmp_path / "s")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with mistake("resources", f"--host 127.0.0.1 --port {port}"):
            serve_study(tmp_path / "s", port=port)


def test_answers_to_other_trials_are_not_mixed_in(tmp_path: Path) -> None:
    other = write(tmp_path / "t", n_lists=3)
    with serving(write(tmp_path / "s")):
        pass
    path = tmp_path / "s" / "answers.db"
    with mistake("changed", path):
        application(other, answers=path)
    with mistake("changed", path):
        collect_answers(tmp_path / "t", db=path)


def test_a_file_that_is_no_answers_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(b"something else, and long enough to be read as the head of a file " * 20)
    before = path.read_bytes()
    study = write(tmp_path / "s")
    with mistake("format", path):
        application(study, answers=path)
    with mistake("format", path):
        collect_answers(tmp_path / "s", db=path)
    assert path.read_bytes() == before


def test_without_answers_there_is_nothing_to_show(tmp_path: Path) -> None:
    write(tmp_path / "s")
    with mistake("missing", tmp_path / "s" / "answers.db"):
        collect_answers(tmp_path / "s")


@pytest.mark.parametrize("text", ["{", '{"start": 3}'])
def test_texts_of_a_language_of_ones_own_must_be_texts(tmp_path: Path, text: str) -> None:
    study = write(tmp_path / "s")
    path = tmp_path / "s" / "page.fi.json"
    path.write_text(text, encoding="utf-8")
    with mistake("format", path), serving(study):
        pass


def test_texts_of_a_language_of_ones_own_are_served(tmp_path: Path) -> None:
    study = write(tmp_path / "s")
    (tmp_path / "s" / "page.fi.json").write_text('{"start": "Aloita"}', encoding="utf-8")
    with serving(study) as client:
        assert client.get("/texts/fi.json").json() == {"start": "Aloita"}
        assert client.get("/texts/sv.json").status_code == 404


@pytest.mark.slow
def test_ctrl_c_ends_it_cleanly_and_says_what_was_paid_and_what_came_in(tmp_path: Path) -> None:
    write(tmp_path / "s", payment_amount=2.5, payment_currency="GBP")
    with process(tmp_path / "s") as server:
        assert server.running.stderr is not None
        assert tells([server.running.stderr.readline()], "2.50", "10.0", "15.00")
        code, out, err = server.end(signal.SIGINT)
    assert code == 0
    assert "n_finished" in out
    assert tells(err.splitlines(), 0, 0)  # who did not consent, test runs
    assert err.count("\n") == 1
    assert not (tmp_path / "s" / "answers.db-wal").exists()


def test_the_verb_answers_prints_rows(tmp_path: Path) -> None:
    write(tmp_path / "s")
    collected(tmp_path / "s")
    done = colorless("humans", "answers", "s", "--out", "out", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[0])["n_answers"] == 7
    assert (tmp_path / "out" / "manifest.json").is_file()
