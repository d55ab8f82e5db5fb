"""What nobody may do to the server, and what it never tells anybody."""

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.humans.study import Study
from colorless_green.humans.web.guard import HEADERS
from colorless_green.humans.web.site import site_files
from colorless_green.humans.web.told import Refused, parsed
from tests.humans.served import ORIGIN, Person, Time, serving, write

SCRIPT = "<script>alert('x')</script><img src=x onerror=alert(1)>"


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
    files = site_files(study)
    for each in study.trials:
        assert not [path for path, file in files.items() if each.prefix.encode() in file.content]


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
    assert (reply.status_code, reply.json()) == (401, {"error": "no session"})


def test_one_persons_token_stores_nothing_for_another_list(tmp_path: Path) -> None:
    study = write(tmp_path / "s")
    with serving(study) as client:
        first, second = Person(client, study), Person(client, study)
        first.start()
        second.start()
        second.trials = first.trials
        reply = second.send(second.answer(0))
    assert reply.json() == {"error": "no such trial in this session"}


@pytest.mark.parametrize("origin", [None, "https://evil.example", "null", f"{ORIGIN}.evil.example"])
def test_another_origin_is_refused(person: Person, origin: str | None) -> None:
    headers = {"Origin": origin} if origin else {}
    person.client.headers.pop("Origin")
    reply = person.client.post("/api/decline", json={}, headers=headers)
    assert (reply.status_code, reply.json()) == (403, {"error": "another origin"})


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
    assert (reply.status_code, reply.json()) == (413, {"error": "too large"})


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"[]", "not an object"),
        (b"[" * 60_000, "not JSON"),
        (b'{"a":[[[[[1]]]]]}', "nested too deeply"),
        (b'{"a":NaN}', "not JSON"),
        (b'{"a":"\xff"}', "not JSON"),
        (b'{"a":"\\ud800"}', "not Unicode"),
        (b'{"a":"' + b"x" * 2001 + b'"}', "a text is too long"),
        (b'{"a":' + b"9" * 5000 + b"}", "not JSON"),
    ],
)
def test_what_is_no_modest_json_is_refused(person: Person, body: bytes, reason: str) -> None:
    headers = {"Authorization": f"Bearer {person.token}", "Content-Type": "application/json"}
    reply = person.client.post("/api/beat", content=body, headers=headers)
    assert (reply.status_code, reply.json()) == (400, {"error": reason})


def test_a_form_is_no_json(person: Person) -> None:
    reply = person.client.post("/api/decline", data={"a": "b"})
    assert (reply.status_code, reply.json()) == (415, {"error": "not JSON"})


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
    reply = person.send(person.answer(1), person.answer(0, **change))
    assert reply.status_code == 400
    with closing(sqlite3.connect(person.study.folder / "answers.db")) as connection:
        assert connection.execute("SELECT count(*) FROM answer").fetchone() == (0,)


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
    study = write(tmp_path / "s", task="rating", scale=scale)
    with serving(study) as client:
        person = Person(client, study)
        person.start()
        assert person.send(person.answer(0, rating=rating)).status_code == status


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    )
)
def test_any_bytes_are_an_object_or_are_refused(value: Any) -> None:
    body = json.dumps(value).encode()
    if isinstance(value, dict):
        with contextlib.suppress(Refused):
            assert parsed(body) == value
        return
    with pytest.raises(Refused):
        parsed(body)


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
    reply = person.client.get(path, follow_redirects=True)
    assert reply.status_code == 404
    assert reply.json() == {"error": "not found"}


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
        for name, value in HEADERS.items():
            assert reply.headers[name] == value
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
        assert (reply.json(), reply.headers["Retry-After"]) == ({"error": "too fast"}, "1")
        time.seconds = 1
        codes = [person.post("beat", {"window": person.window}).status_code for _ in range(21)]
        assert codes.count(200) == 20


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
    reply = Person(person.client, person.study).start(consent="0" * 64)
    assert (reply.status_code, reply.json()["error"]) == (409, "the consent text has changed")


def test_a_fault_of_ours_is_told_to_nobody(
    person: Person, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(sqlite3.connect(person.study.folder / "answers.db")) as connection:
        connection.execute("ALTER TABLE answer RENAME TO elsewhere")
    reply = person.send(person.answer(0))
    assert (reply.status_code, reply.json()) == (500, {"error": "the server failed"})
    assert [each.getMessage() for each in caplog.records if each.levelname == "ERROR"] == [
        "/api/trials failed: OperationalError"
    ]
