"""Who may open what: hosts, platforms' ids, languages; and the way out of a study."""

import sqlite3
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from colorless_green.humans import Study, application, collect_answers, read_settings, to_toml
from tests.humans.served import ORIGIN, Person, process, serving, settings, write


def asked(study: Study, host: str, hosts: set[str]) -> int:
    app = application(study, hosts=hosts)
    with TestClient(app, headers={"Origin": ORIGIN}) as client:
        return client.get("/study.json", headers={"Host": host}).status_code


@pytest.mark.parametrize(
    ("host", "hosts", "status"),
    [
        ("localhost:8000", {"localhost"}, 200),
        ("STUDY.example.org", {"localhost", "study.example.org"}, 200),
        ("[::1]:8000", {"::1"}, 200),
        ("evil.example", {"localhost"}, 421),
        ("localhost.evil.example", {"localhost"}, 421),
        ("evil.example", {"*"}, 421),
        ("192.0.2.7:80", {"*"}, 200),
        ("192.0.2.7:80", {"localhost"}, 421),
        ("[", {"*"}, 421),
        ("", {"*"}, 421),
    ],
)
def test_another_host_is_refused(tmp_path: Path, host: str, hosts: set[str], status: int) -> None:
    """A page elsewhere whose name leads here (DNS rebinding) is of no origin ours."""
    assert asked(write(tmp_path / "s"), host, hosts) == status


@pytest.mark.slow
def test_the_server_warns_without_tls_off_loopback_and_checks_hosts(tmp_path: Path) -> None:
    import httpx2

    write(tmp_path / "s")
    with process(tmp_path / "s", "--host", "0.0.0.0", "--domain", "study.example.org") as server:
        assert server.running.stderr is not None
        timer = threading.Timer(20, server.running.kill)  # so that a missing line ends the test
        timer.start()
        assert "TLS" in server.running.stderr.readline()
        timer.cancel()
        address = f"http://127.0.0.1:{server.port}/study.json"
        codes = [
            httpx2.get(address, headers={"Host": host}).status_code
            for host in ("study.example.org", "evil.example", f"127.0.0.1:{server.port}")
        ]
    assert codes == [200, 421, 200]


def test_a_platforms_id_opens_a_session_once_and_coming_back_takes_its_token(
    tmp_path: Path,
) -> None:
    """Whoever knew another's id got that session."""
    study = write(tmp_path / "s")
    with serving(study) as client:
        person, thief = Person(client, study), Person(client, study)
        whose = {"platform": "prolific", "identity": "5f00000000000000000000aa"}
        person.start(**whose)
        person.send(person.answer(0))
        reply = thief.start(**whose)
        assert (reply.status_code, reply.json()) == (409, {"error": "begun before"})
        assert person.send(person.answer(1)).status_code == 200  # the token is still good
        assert person.start(**whose).status_code == 201  # the same page asks again
        resumed = person.take(person.post("resume", {"window": person.window}))
        assert len(resumed.json()["answered"]) == 2


@pytest.mark.parametrize(
    ("language", "status"),
    [("en", 201), ("it", 201), ("tlh", 400), ("en\r\nSet-Cookie: a=b", 400), ("", 201)],
)
def test_languages_are_those_of_the_page(tmp_path: Path, language: str, status: int) -> None:
    study = write(tmp_path / "s")
    with serving(study) as client:
        assert Person(client, study).start(language=language).status_code == status


def test_the_page_is_told_which_languages_run_from_right_to_left(tmp_path: Path) -> None:
    """The page had a list of its own, without Egyptian Arabic and others."""
    study = write(tmp_path / "s", change=lambda each: replace(each, language="arz"))
    with serving(study) as client:
        assert client.get("/study.json").json()["rtl"] == ["arz", "he"]


def test_whoever_stops_takes_all_answers_along(tmp_path: Path) -> None:
    study = write(tmp_path / "s", n_lists=1)
    with serving(study) as client:
        stays, leaves = Person(client, study), Person(client, study)
        stays.all()
        whose = {"platform": "prolific", "identity": "5f00000000000000000000bb"}
        leaves.start(**whose)
        leaves.send(leaves.answer(0), leaves.answer(1))
        assert leaves.post("withdraw", {}).json() == {"withdrawn": True}
        assert leaves.post("resume", {"window": leaves.window}).status_code == 401
        assert leaves.post("withdraw", {}).status_code == 401
        stays.post("withdraw", {})
        assert Person(client, study).start(**whose).status_code == 201
    with closing(sqlite3.connect(study.folder / "answers.db")) as connection:
        for table in ("answer", "audit"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
    assert any("2 withdrew" in each for each in collect_answers(study.folder).messages)


def test_the_study_is_explained_at_its_end_and_not_before(tmp_path: Path) -> None:
    study = write(tmp_path / "s", debriefing="It is about **agreement**.")
    with serving(study) as client:
        person = Person(client, study)
        assert "agreement" not in client.get("/study.json").text
        reply = person.all()
        assert reply.json()["debriefing"] == "It is about **agreement**."
        assert "agreement" not in "".join(person.seen[:-1])
        again = person.post("resume", {"window": person.window})
        assert again.json()["debriefing"] == "It is about **agreement**."


def test_the_debriefing_is_a_setting(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(to_toml(settings(debriefing="It is over.")), "utf-8")
    assert read_settings(tmp_path / "study.toml").debriefing == "It is over."
