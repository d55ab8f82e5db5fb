"""Answers that come to the server: stored once, stored for good, and of whom they say."""

import base64
import hashlib
import hmac
import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.humans.served import Person, Time, serving, taking_part, write


def rows(folder: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / "answers.db")) as connection:
        return connection.execute(query).fetchall()


def test_an_answer_that_is_sent_again_is_accepted_again_and_stored_once(tmp_path: Path) -> None:
    with taking_part(tmp_path / "s") as person:
        answer = person.answer(0)
        for _ in range(3):
            reply = person.send(answer)
            assert (reply.status_code, reply.json()["accepted"]) == (200, [answer["record"]])
    assert rows(tmp_path / "s", "SELECT count(*) FROM answer") == [(1,)]
    assert rows(tmp_path / "s", "SELECT count(*) FROM audit") == [(0,)]


@pytest.mark.slow
@settings(max_examples=10)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=12))
def test_whatever_order_answers_come_in_each_trial_has_its_first(
    tmp_path_factory: pytest.TempPathFactory, order: list[int]
) -> None:
    with taking_part(tmp_path_factory.mktemp("s") / "s") as person:
        answers = {number: person.answer(number) for number in order}
        for number in order:
            assert person.send(answers[number]).json()["accepted"] == [answers[number]["record"]]
        reply = person.finish().json()
    left = {each["trial_id"] for n, each in enumerate(person.trials) if n not in order}
    assert set(reply["missing"]) == left


def test_another_answer_to_the_same_trial_is_kept_apart_and_told(tmp_path: Path) -> None:
    with taking_part(tmp_path / "s") as person:
        first, other = person.answer(0), person.answer(0, rt_ms=900)
        person.send(first)
        reply = person.send(other, person.answer(1))
        assert reply.status_code == 409
        assert reply.json()["conflicts"] == [other["record"]]
        assert len(reply.json()["accepted"]) == 1
        assert person.send(other).status_code == 409
    kept = rows(tmp_path / "s", "SELECT record FROM answer WHERE trial LIKE '%-1'")
    assert kept == [(first["record"],)]
    audit = rows(tmp_path / "s", "SELECT record FROM audit")
    assert sorted(audit) == sorted([(first["record"],), (other["record"],)])


def test_the_end_comes_when_every_trial_has_its_answer_and_then_again(tmp_path: Path) -> None:
    with taking_part(
        tmp_path / "s", completion={"complete": "https://example.org/?cc=DONE"}
    ) as person:
        assert person.finish().json() == {"missing": [each["trial_id"] for each in person.trials]}
        person.send(*(person.answer(number) for number in range(1, 5)))
        assert person.finish().json() == {"missing": [person.trials[0]["trial_id"]]}
        assert "DONE" not in "".join(person.seen)
        person.send(person.answer(0))
        for _ in range(2):
            done = person.finish(native="no").json()
            assert done["completion"] == "https://example.org/?cc=DONE"
            assert done["participant"] == person.participant
    assert rows(tmp_path / "s", "SELECT native, help, n_blurs FROM session") == [("no", "no", 1)]


def test_who_fails_more_checks_than_allowed_goes_another_way(tmp_path: Path) -> None:
    addresses = {"complete": "https://example.org/a", "failed_check": "https://example.org/b"}
    study = write(tmp_path / "s", completion=addresses, n_lists=1)
    (check,) = (each for each in study.trials if each.kind == "check")
    ways = []
    with serving(study) as client:
        for right in (True, False):
            person = Person(client, study)
            person.start()
            index = check.options.index(study.key[check.trial_id])
            index = index if right else 1 - index
            answers = [person.answer(number) for number in range(4)]
            told = {"chosen_index": index, "chosen": check.options[index]}
            person.send(*answers, person.answer(4, **told))
            ways.append(person.finish().json()["completion"])
    assert ways == ["https://example.org/a", "https://example.org/b"]


def test_a_session_that_is_asked_for_again_is_the_same_under_a_new_token(tmp_path: Path) -> None:
    with taking_part(tmp_path / "s") as person:
        session, token = person.session, person.token
        person.start()
        assert person.session == session
        assert person.token != token
        person.token = token
        assert person.send(person.answer(0)).status_code == 401
    assert rows(tmp_path / "s", "SELECT count(*) FROM session") == [(1,)]


def test_a_platforms_id_is_stored_as_a_pseudonym_and_nowhere_else(tmp_path: Path) -> None:
    study = write(tmp_path / "s")
    secret = "5f00000000000000000000aa"
    with serving(study) as client:
        person = Person(client, study)
        person.start(platform="prolific", identity=secret)
    key = bytes.fromhex((tmp_path / "s" / "people.key").read_text(encoding="ascii"))
    digest = hmac.new(key, f"prolific:{secret}".encode(), hashlib.sha256).digest()
    assert person.participant == base64.b32encode(digest).decode()[:16]
    stored = b"".join(path.read_bytes() for path in (tmp_path / "s").iterdir())
    assert secret.encode() not in stored


def test_who_comes_without_an_id_gets_a_name_of_their_own(tmp_path: Path) -> None:
    study = write(tmp_path / "s")
    with serving(study) as client:
        people = [Person(client, study) for _ in range(5)]
        for person in people:
            person.start()
    names = {person.participant for person in people}
    assert len(names) == 5
    assert all(re.fullmatch("[A-Z2-7]{16}", name) for name in names)
    assert not (tmp_path / "s" / "people.key").exists()


def test_neither_token_nor_address_is_in_the_file_of_answers(tmp_path: Path) -> None:
    study = write(tmp_path / "s")
    with serving(study) as client:
        person = Person(client, study)
        person.all()
    stored = b"".join(path.read_bytes() for path in (tmp_path / "s").iterdir())
    assert person.token.encode() not in stored
    assert bytes.fromhex(person.token) not in stored
    assert b"testclient" not in stored


@pytest.mark.slow
@settings(max_examples=10)
@given(st.lists(st.booleans(), min_size=1, max_size=24))
def test_lists_stay_level_whoever_finishes(
    tmp_path_factory: pytest.TempPathFactory, finishes: list[bool]
) -> None:
    """Those who only began count as long as they may still be there."""
    folder = tmp_path_factory.mktemp("s") / "s"
    study = write(folder, n_lists=3)
    with serving(study) as client:
        for whole in finishes:
            person = Person(client, study)
            person.start()
            if whole:
                person.send(*(person.answer(number) for number in range(len(person.trials))))
                person.finish()
    counts = dict(rows(folder, "SELECT list, count(*) FROM session GROUP BY list"))
    sizes = [counts.get(number, 0) for number in (1, 2, 3)]
    assert sum(sizes) == len(finishes)
    assert max(sizes) - min(sizes) <= 1
    assert sizes == sorted(sizes, reverse=True)


def test_an_abandoned_list_is_given_to_another_after_an_hour(tmp_path: Path) -> None:
    study, time = write(tmp_path / "s"), Time()
    with serving(study, time) as client:
        Person(client, study).start()
        time.seconds = 59 * 60
        assert [Person(client, study).start().status_code] == [201]
        time.seconds = 61 * 60
        Person(client, study).start()
    given_out = rows(tmp_path / "s", "SELECT list FROM session ORDER BY started_at")
    assert given_out == [(1,), (2,), (1,)]


def test_a_test_run_takes_nobodys_place(tmp_path: Path) -> None:
    study = write(tmp_path / "s")
    with serving(study) as client:
        Person(client, study).start(test_run=True)
        Person(client, study).start()
    assert rows(tmp_path / "s", "SELECT list FROM session WHERE NOT test_run") == [(1,)]


def test_declining_leaves_a_number_and_nothing_else(tmp_path: Path) -> None:
    study = write(tmp_path / "s", completion={"no_consent": "https://example.org/no"})
    with serving(study) as client:
        reply = client.post("/api/decline", json={})
        assert reply.json() == {"completion": "https://example.org/no"}
        client.post("/api/decline", json={})
    assert rows(tmp_path / "s", "SELECT value FROM about WHERE name = 'declined'") == [("2",)]
    assert rows(tmp_path / "s", "SELECT count(*) FROM session") == [(0,)]


def test_a_reload_goes_on_where_one_was(tmp_path: Path) -> None:
    with taking_part(tmp_path / "s") as person:
        person.send(person.answer(0), person.answer(1))
        person.take(person.post("resume", {"window": person.window}))
        assert set(person.answered) == {each["trial_id"] for each in person.trials[:2]}
        assert len(person.trials) == 5


def test_a_second_window_waits_until_the_first_is_gone_or_gives_way(tmp_path: Path) -> None:
    study, time = write(tmp_path / "s"), Time()
    with serving(study, time) as client:
        person = Person(client, study)
        person.start()
        other = "b" * 32
        assert person.post("resume", {"window": other}).status_code == 423
        assert person.post("beat", {"window": person.window}).json() == {"here": True}
        assert person.post("resume", {"window": other, "take": True}).status_code == 200
        assert person.post("beat", {"window": person.window}).json() == {"here": False}
        reply = person.send(person.answer(0))
        assert (reply.status_code, reply.json()["here"]) == (200, False)  # stored all the same
        person.post("beat", {"window": other, "leave": True})
        assert person.post("beat", {"window": person.window}).json() == {"here": True}
        time.seconds = 26
        assert person.post("resume", {"window": other}).status_code == 200


def test_answers_outlive_the_server(tmp_path: Path) -> None:
    study = write(tmp_path / "s")
    with serving(study) as client:
        person = Person(client, study)
        person.start()
        person.send(person.answer(0))
    with serving(study) as client:
        person.client = client
        assert person.post("resume", {"window": "c" * 32}).json()["answered"] == ["1-1"]


def test_what_is_stored_is_what_was_sent(tmp_path: Path) -> None:
    with taking_part(tmp_path / "s", deadline_ms=5000) as person:
        person.send(
            person.answer(0, n_ignored=2, n_changes=1, input="touch", side="right"),
            person.answer(1, chosen_index=None, chosen=None, timed_out=True, rt_ms=None),
        )
    (first,), (second,) = rows(tmp_path / "s", "SELECT content FROM answer ORDER BY trial")
    assert json.loads(first) == {
        "at": "2026-01-01T10:00:00.000Z",
        "chosen_index": 0,
        "input": "touch",
        "n_changes": 1,
        "n_ignored": 2,
        "rating": None,
        "rt_ms": 512.5,
        "seq": 1,
        "side": "right",
        "timed_out": False,
        "words": None,
    }
    assert json.loads(second)["timed_out"] is True
