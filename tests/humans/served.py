"""Studies as they are served, and people who take part without a browser."""

import contextlib
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from colorless_green.humans import Settings, Study, Trial, application, read_study, write_study

ORIGIN = "http://testserver"
KINDS = ("practice", "filler", "target", "target", "check")
SENTENCES = {
    "en": ("The keys to the cabinet", ("are", "is")),
    "it": ("Le chiavi dell’armadio", ("sono", "è")),
    "he": ("המפתחות של הארון הגדול", ("נמצאים", "נמצא")),
}
INSTRUCTIONS = """\
# What you will do

You see the beginning of a sentence. Choose what goes on **better**.

- Press *F* or *J*, or tap.
- <script>alert(1)</script> stays as it is.
"""


def settings(**changes: Any) -> Settings:
    """Settings in which everything is said."""
    filled = Settings(
        title="Words that go on",
        language="en",
        task="form",
        seed=0,
        researcher="The group for sentences",
        institution="University of Somewhere",
        contact_email="sentences@example.org",
        ethics_board="Board of the faculty",
        approval_number="2026-11",
        purpose="We want to know how people go on with sentences.",
        procedure="You choose between two words, again and again.",
        duration_minutes=10,
        payment="None.",
        risks="None are known.",
        data_kept="Your answers and how long they took.",
        retention_until="Ten years.",
        withdrawal="At any time before publication, with the code you are shown.",
        data_sharing="Answers without names are published.",
        consent_statement="I have read this and take part of my own free will.",
        minimum_age=18,
        languages_required=("en",),
    )
    return replace(filled, **changes)


def trial(number: int, list_: int, kind: str, task: str, language: str = "en") -> Trial:
    """A trial; the right option is shown first in every other one."""
    prefix, forms = SENTENCES[language]
    order = forms if number % 2 else (forms[1], forms[0])
    options: tuple[str, ...] = order
    if task == "sentence":
        options = tuple(f"{prefix} {form} ({number})." for form in order)
    elif task == "rating":
        options = (f"{prefix} {order[0]} ({number}).",)
    return Trial(
        trial_id=f"{list_}-{number}",
        list=list_,
        block=1 if number < 4 else 2,
        position=max(1, number - 1),
        kind=kind,
        task=task,
        item=f"item-{number}",
        source=f"source-{number}",
        construction="L__NOUN_VERB_VERB",
        condition="original",
        prefix=f"{prefix} ({number})" if task == "form" else "",
        options=options,
        language=language,
    )


def right(trial: Trial) -> str:
    """The right answer to a trial of ours; "" where there is none."""
    forms = {right_form for _, (right_form, _) in SENTENCES.values()}
    if trial.task in ("form", "sentence"):
        found = (each for each in trial.options if forms & {*each.split()})
        return next(found, trial.options[0])
    return "1" if trial.kind == "check" and trial.task == "rating" else ""


def write(
    folder: Path,
    *,
    task: str = "form",
    n_lists: int = 2,
    kinds: Sequence[str] = KINDS,
    language: str = "en",
    change: Callable[[Trial], Trial] = lambda trial: trial,
    **changes: Any,
) -> Study:
    """A study in a new folder, as the design writes it."""
    trials = [
        change(trial(number, list_, kind, task, language))
        for list_ in range(1, n_lists + 1)
        for number, kind in enumerate(kinds, start=1)
    ]
    key = {each.trial_id: right(each) for each in trials}
    told = settings(task=task, language=language, **changes)
    write_study(folder, told, trials, key, {language: INSTRUCTIONS}, {"task": task})
    return read_study(folder)


@dataclass
class Time:
    """A clock that is set by hand."""

    seconds: float = 0.0

    def now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.seconds)

    def clock(self) -> float:
        return self.seconds


@contextlib.contextmanager
def serving(study: Study, time: Time | None = None) -> Iterator[TestClient]:
    """A client that speaks to the application of a study as its own page would."""
    time = time or Time()
    app = application(study, now=time.now, clock=time.clock)
    with TestClient(app, headers={"Origin": ORIGIN}, raise_server_exceptions=False) as client:
        yield client


@dataclass
class Person:
    """Somebody who takes part, by the server's own rules. `seen` is every body they were sent."""

    client: TestClient
    study: Study
    window: str = field(default_factory=lambda: secrets.token_hex(16))
    request: str = field(default_factory=lambda: secrets.token_hex(32))
    token: str = ""
    session: str = ""
    participant: str = ""
    trials: list[dict[str, Any]] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)

    def post(self, name: str, body: Mapping[str, Any], **options: Any) -> Any:
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        reply = self.client.post(f"/api/{name}", json=body, headers=headers, **options)
        self.seen.append(reply.text)
        return reply

    def start(self, **changes: Any) -> Any:
        consent = self.client.get("/study.json").json()["consent_version"]
        body = {
            "request": self.request,
            "consent": consent,
            "platform": "",
            "identity": "",
            "language": "en",
            "device": "mouse",
            "browser": "chromium",
            "screen": "large",
            "test_run": False,
            "window": self.window,
        }
        return self.take(self.post("session", {**body, **changes}))

    def take(self, reply: Any) -> Any:
        """Remembers what a reply says of the session."""
        told = reply.json()
        if reply.status_code in (200, 201):
            self.token = told.get("token", self.token)
            self.session, self.participant = told["session"], told["participant"]
            self.trials, self.answered = told["trials"], told["answered"]
        return reply

    def answer(self, number: int, **changes: Any) -> dict[str, Any]:
        """An answer to the trial with this index: its first option."""
        told = self.trials[number]
        answer = {
            "record": secrets.token_hex(16),
            "trial": told["trial_id"],
            "seq": number + 1,
            "rt_ms": 512.5,
            "input": "keyboard",
            "at": "2026-01-01T10:00:00.000Z",
        }
        if told["task"] in ("form", "sentence"):
            answer |= {"chosen_index": 0, "chosen": told["options"][0], "side": "left"}
        else:
            answer["rating"] = 1
        return {**answer, **changes}

    def send(self, *answers: Mapping[str, Any]) -> Any:
        return self.post("trials", {"window": self.window, "trials": list(answers)})

    def finish(self, **changes: Any) -> Any:
        body = {"count": len(self.trials), "native": "yes", "help": "no", "n_blurs": 1}
        return self.post("finish", {**body, **changes})

    def all(self) -> Any:
        """Everything from consent to the end."""
        self.start()
        self.send(*(self.answer(number) for number in range(len(self.trials))))
        return self.finish()


@contextlib.contextmanager
def taking_part(folder: Path, **options: Any) -> Iterator[Person]:
    """Somebody who has consented to a study of their own, while it is served."""
    study = write(folder, **options)
    with serving(study) as client:
        person = Person(client, study)
        person.start()
        yield person


@contextlib.contextmanager
def process(folder: Path, *options: str, port: int = 0) -> Iterator["Process"]:
    """`colorless humans serve` as people run it, stopped at the end whatever happens."""
    running = Process(folder, options, port)
    try:
        yield running
    finally:
        running.end(signal.SIGKILL)


class Process:
    """A server in a process of its own. Started again, it has the same port."""

    def __init__(self, folder: Path, options: Sequence[str], port: int) -> None:
        self.folder, self.options, self.port = folder, options, port
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "colorless_green", "humans", "serve", str(self.folder)]
        self.running = subprocess.Popen(
            [*command, "--port", str(self.port), *self.options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        assert self.running.stderr is not None
        line = self.running.stderr.readline()
        assert line.startswith("http://"), line + self.running.stderr.read()
        self.address = line.split(" ")[0]
        self.port = int(self.address.rstrip("/").rpartition(":")[2])

    def end(self, how: signal.Signals) -> tuple[int, str, str]:
        """(exit code, stdout, the rest of stderr)."""
        if self.running.poll() is None:
            self.running.send_signal(how)
        out, err = self.running.communicate(timeout=30)
        return self.running.returncode, out, err


def until(condition: Callable[[], bool], seconds: float = 20) -> None:
    """Waits for something to be so."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come to be so"
        time.sleep(0.05)
