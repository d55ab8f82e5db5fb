"""What nobody may do to the server, and what it never tells anybody."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from colorless_green.humans import Study
from tests.humans.served import ORIGIN, Person, Time, serving, taking_part, write

SCRIPT = "<script>alert('x')</script><img src=x onerror=alert(1)>"
NOTHING_BUT_OURS = {
    **dict.fromkeys(("default-src", "base-uri", "form-action", "frame-ancestors"), "'none'"),
    **dict.fromkeys(("script-src", "style-src", "img-src", "connect-src"), "'self'"),
}
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), usb=(), payment=()",
}
TOLD = {"trial_id", "block", "position", "practice", "task", "prefix", "options", "language"}


def refused(reply: Any, status: int) -> bool:
    """Whether a request was refused with this status, and a reason in a word or two."""
    assert reply.status_code == status, reply.text
    return {*reply.json()} == {"error"} and len(reply.content) < 100


def n_stored(study: Study) -> int:
    with closing(sqlite3.connect(study.folder / "answers.db")) as connection:
        return int(connection.execute("SELECT count(*) FROM answer").fetchone()[0])


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    study = write(tmp_path / "s")
    with serving(study) as client:
        somebody = Person(client, study)
        somebody.start()
        yield somebody


def told(study: Study) -> list[Any]:
    """All that the server says to somebody who takes part, with what it drew for them taken out."""
    with serving(study) as client:
        person = Person(client, study)
        person.all()
        person.take(person.post("resume", {"window": person.window}))
    drawn = ("token", "session", "participant", "accepted")
    replies = map(json.loads, person.seen)
    return [{k: v for k, v in reply.items() if k not in drawn} for reply in replies]


def test_no_body_tells_what_is_right(tmp_path: Path) -> None:
    """Two studies that differ in nothing but what is right (in practice it is the same) say the
    same to everybody. Checks are left out, which tell who goes which way at the end."""
    kinds = ("practice", "filler", "target", "target")
    study, other = (write(tmp_path / name, kinds=kinds) for name in "ab")
    turned = {
        each.trial_id: next(form for form in each.options if form != study.key[each.trial_id])
        for each in study.trials
        if each.kind != "practice"
    }
    assert turned
    said = told(study)
    assert said == told(replace(other, key={**other.key, **turned}))
    text = json.dumps(said)
    assert not [word for word in ("filler", "target", "source", "item", "L__") if word in text]


def test_nothing_that_everybody_may_have_is_made_from_key_or_trials(tmp_path: Path) -> None:
    study = write(tmp_path / "a")
    with serving(study) as client:
        routes = [route for route in client.app.routes if "GET" in route.methods]  # type: ignore[attr-defined]
        replies = {route.path: client.get(route.path) for route in routes}
    assert {"/", "/study.json", "/page.js", "/texts/en.json"} <= replies.keys()
    for each in study.trials:
        assert not [path for path, reply in replies.items() if each.prefix in reply.text]


def test_a_participant_is_told_of_a_trial_what_is_shown_and_no_more(person: Person) -> None:
    for each in person.trials:
        assert {*each} == TOLD | ({"right"} if each["practice"] else set())
    names = {name for each in person.study.trials for name in (each.item, each.source)}
    assert not [name for name in (*names, "check", "original") if name in json.dumps(person.trials)]


def test_practice_alone_comes_with_its_answer(person: Person) -> None:
    with_answer = [each["trial_id"] for each in person.trials if "right" in each]
    assert with_answer == [each["trial_id"] for each in person.trials if each["practice"]]
    assert len(with_answer) == 1


@pytest.mark.parametrize(
    "token",
    ["", "0" * 64, "' OR 1=1 --", "x" * 64, "Bearer", "../../etc/passwd", "0" * 5000],
)
@pytest.mark.parametrize("name", ["trials", "resume", "beat", "finish"])
def test_a_forged_token_opens_nothing(person: Person, token: str, name: str) -> None:
    person.token = token or "-"
    reply = person.post(name, {"window": "a" * 32, "trials": []})
    assert refused(reply, 401)


def test_one_persons_token_stores_nothing_for_another_list(tmp_path: Path) -> None:
    study = write(tmp_path / "s")
    with serving(study) as client:
        first, second = Person(client, study), Person(client, study)
        first.start()
        second.start()
        second.trials = first.trials
        assert refused(second.send(second.answer(0)), 400)
    assert n_stored(study) == 0


@pytest.mark.parametrize("origin", [None, "https://evil.example", "null", f"{ORIGIN}.evil.example"])
def test_another_origin_is_refused(person: Person, origin: str | None) -> None:
    headers = {"Origin": origin} if origin else {}
    person.client.headers.pop("Origin")
    reply = person.client.post("/api/decline", json={}, headers=headers)
    assert refused(reply, 403)


def test_a_body_that_is_too_large_is_refused_while_it_comes(person: Person) -> None:
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        yield b'{"window": "'
        while sent < 1 << 24:
            sent += 1 << 14
            yield b"a" * (1 << 14)

    headers = {"Authorization": f"Bearer {person.token}", "Content-Type": "application/json"}
    reply = person.client.post("/api/beat", content=endless(), headers=headers)
    assert refused(reply, 413)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"3", b"null", b"[" * 60_000])
def test_what_is_no_json_object_is_refused(person: Person, body: bytes) -> None:
    headers = {"Authorization": f"Bearer {person.token}", "Content-Type": "application/json"}
    assert refused(person.client.post("/api/beat", content=body, headers=headers), 400)


@pytest.mark.parametrize(
    ("value", "status"),
    [
        (b"1", 200),  # what a page does not send is no fault as long as it is modest
        (b"[[[1]]]", 200),
        (b"[[[[[1]]]]]", 400),
        (b"NaN", 400),
        (b'"\xff"', 400),
        (b'"\\ud800"', 400),
        (b'"' + b"x" * 2000 + b'"', 200),
        (b'"' + b"x" * 2001 + b'"', 400),
        (b"9" * 5000, 400),
    ],
)
def test_what_is_no_modest_json_is_refused(person: Person, value: bytes, status: int) -> None:
    body = b'{"window": "' + person.window.encode() + b'", "a": ' + value + b"}"
    headers = {"Authorization": f"Bearer {person.token}", "Content-Type": "application/json"}
    reply = person.client.post("/api/beat", content=body, headers=headers)
    assert reply.status_code == status
    assert status == 200 or refused(reply, status)


def test_a_form_is_no_json(person: Person) -> None:
    assert refused(person.client.post("/api/decline", data={"a": "b"}), 415)


@pytest.mark.parametrize(
    "change",
    [
        {"chosen": "were"},
        {"chosen_index": 2},
        {"chosen_index": True},
        {"chosen_index": -1},
        {"chosen_index": None, "chosen": None},
        {"rating": 3},
        {"words": [1, 2]},
        {"rt_ms": -1},
        {"rt_ms": 3_600_001},
        {"rt_ms": None},
        {"rt_ms": "500"},
        {"rt_ms": 10**400},
        {"timed_out": True},
        {"record": "x"},
        {"record": "'; DROP TABLE answer; --"},
        {"trial": "1-1' OR '1'='1"},
        {"trial": ["1-1"]},
        {"seq": -1},
        {"seq": 1.5},
        {"input": "telepathy"},
        {"side": SCRIPT},
        {"at": "yesterday"},
        {"n_ignored": 10**9},
    ],
)
def test_an_answer_that_cannot_be_is_refused_and_nothing_of_it_stored(
    person: Person, change: dict[str, Any]
) -> None:
    assert refused(person.send(person.answer(1), person.answer(0, **change)), 400)
    assert n_stored(person.study) == 0


@pytest.mark.parametrize(
    ("scale", "rating", "status"),
    [
        ("5", 5, 200),
        ("5", 6, 400),
        ("7", 7, 200),
        ("7", 0, 400),
        ("7", 2.5, 400),
        ("slider", 0, 200),
        ("slider", 101, 400),
        ("magnitude", 0.25, 200),
        ("magnitude", 0, 400),
        ("magnitude", True, 400),
    ],
)
def test_a_rating_lies_on_its_scale(tmp_path: Path, scale: str, rating: float, status: int) -> None:
    with taking_part(tmp_path / "s", task="rating", scale=scale) as person:
        assert person.send(person.answer(0, rating=rating)).status_code == status


@pytest.mark.parametrize(
    "path",
    [
        "/../study.toml",
        "/..%2fkey.jsonl",
        "/%2e%2e/key.jsonl",
        "/texts/..%2f..%2fkey.jsonl",
        "/texts/../../key.jsonl",
        "//etc/passwd",
        "/key.jsonl",
        "/trials.jsonl",
        "/answers.db",
        "/people.key",
        "/page.js/",
        "/admin",
        "/api/",
        "/api/answers",
        "/index.html%00",
    ],
)
def test_no_path_leads_out_of_what_is_served(person: Person, path: str) -> None:
    assert refused(person.client.get(path, follow_redirects=True), 404)


def test_every_reply_has_the_headers(person: Person) -> None:
    replies = [
        person.client.get("/"),
        person.client.get("/nowhere"),
        person.client.put("/api/trials"),
        person.client.post("/api/decline", json={}),
        person.client.post("/api/decline", json={}, headers={"Origin": "https://evil.example"}),
        person.post("trials", {}),
    ]
    for reply in replies:
        policy = [each.split() for each in reply.headers["Content-Security-Policy"].split(";")]
        assert {name: " ".join(value) for name, *value in policy} == NOTHING_BUT_OURS
        assert {name: reply.headers[name] for name in HEADERS} == HEADERS
        assert "server" not in reply.headers
        assert "access-control-allow-origin" not in reply.headers
        assert "strict-transport-security" not in reply.headers
    assert replies[3].headers["Cache-Control"] == "no-store"


def test_behind_tls_browsers_are_told_to_stay_there(tmp_path: Path) -> None:
    study = write(tmp_path / "s")
    with serving(study) as client:
        reply = client.get("https://testserver/")
    assert reply.headers["Strict-Transport-Security"] == "max-age=31536000"


def test_who_asks_too_fast_is_told_when_to_come_back(tmp_path: Path) -> None:
    study, time = write(tmp_path / "s"), Time()
    with serving(study, time) as client:
        person = Person(client, study)
        person.start()
        codes = [person.post("beat", {"window": person.window}).status_code for _ in range(101)]
        assert (codes[:100], codes[100]) == ([200] * 100, 429)
        reply = person.post("beat", {"window": person.window})
        assert refused(reply, 429)
        assert reply.headers["Retry-After"] == "1"
        time.seconds = 1
        codes = [person.post("beat", {"window": person.window}).status_code for _ in range(21)]
        assert codes.count(200) == 20


@pytest.mark.slow
def test_one_address_cannot_take_all_lists_at_once(tmp_path: Path) -> None:
    study, time = write(tmp_path / "s"), Time()
    with serving(study, time) as client:
        codes = [Person(client, study).start().status_code for _ in range(102)]
    assert (codes[:100], codes[100:]) == ([201] * 100, [429] * 2)


def test_script_in_a_sentence_is_sent_as_text(tmp_path: Path) -> None:
    study = write(tmp_path / "s", change=lambda each: replace(each, prefix=SCRIPT))
    with serving(study) as client:
        person = Person(client, study)
        reply = person.start()
    assert reply.headers["content-type"] == "application/json"
    assert reply.json()["trials"][0]["prefix"] == SCRIPT


def test_a_consent_text_that_has_changed_must_be_read_again(person: Person) -> None:
    assert refused(Person(person.client, person.study).start(consent="0" * 64), 409)


def test_a_fault_of_ours_is_told_to_nobody(
    person: Person, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(sqlite3.connect(person.study.folder / "answers.db")) as connection:
        connection.execute("ALTER TABLE answer RENAME TO elsewhere")
    answer = person.answer(0)
    reply = person.send(answer)
    assert refused(reply, 500)
    assert not {"sqlite", "operational", "answer", "table"} & {*reply.text.lower().split()}
    (record,) = (each for each in caplog.records if each.levelname == "ERROR")
    said = record.getMessage()
    assert "/api/trials" in said
    assert "OperationalError" in said
    assert not [each for each in (person.token, answer["record"]) if each in said]
    assert record.exc_info is None
