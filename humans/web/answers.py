"""What a served study has collected, as tables that `humans import` takes.

Every trial of a session is a row: one that was never reached has no answer, so that the rule about
people who answered too little has something to count.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.data.files import Paths, listed_paths, read_text, write_folder
from colorless_green.data.registry import Names, listed
from colorless_green.data.result import Result
from colorless_green.data.tables import Row
from colorless_green.humans.formats import colorless
from colorless_green.humans.judgment import QUESTION, Judgment, Session
from colorless_green.humans.settings import hourly, pay_text
from colorless_green.humans.study import Study, Trial, read_study
from colorless_green.humans.web import sessions
from colorless_green.humans.web.database import ANSWERS, open_answers, study_id, transaction
from colorless_green.humans.web.requests import (
    ClosingMessage,
    RequestRefused,
    answers_in,
    parsed,
    validated_body,
)
from colorless_green.humans.web.site import given_answer

COLUMNS = ("list", "n_sessions", "n_finished", "n_answers", "median_minutes", "pay_per_hour")
NO_ANSWER: Mapping[str, Any] = {"chosen_index": None, "rating": None, "rt_ms": None, "at": ""}
FACTS = ("native", "help", "list", "language", "device", "browser", "screen", "consent")


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """All there is of one session."""

    row: Mapping[str, Any]
    contents: Mapping[str, Mapping[str, Any]]  # trial → answer

    @property
    def seconds(self) -> float | None:
        """From consent to the end; None before the end."""
        if not self.row["finished_at"]:
            return None
        begun, ended = (
            datetime.fromisoformat(self.row[name]) for name in ("started_at", "finished_at")
        )
        return (ended - begun).total_seconds()


def collect_answers(
    study: str | Path,
    *,
    out: str | Path | None = None,
    add: Paths = None,
    erase: Names = None,
    db: str | Path | None = None,
) -> Result:
    """Summarises the answers to a served study, list by list.

    Args:
        study: the folder that was served.
        out: a folder for `judgments.jsonl`, `readings.jsonl` and `sessions.jsonl`, which
            `read_judgments` reads; those that would be empty are not written.
        add: files that people saved on their own machines, when they could not be sent.
        erase: codes of participants whose answers are all deleted.
        db: the file of answers; by default `answers.db` in the folder.

    Returns:
        A row for each list: sessions, answers, times, pay.

    Raises:
        InputError: for a file that is none of this study's, and a participant who is not there.

    >>> import colorless_green as cg
    >>> cg.collect_answers("study", out="answers")  # doctest: +SKIP
    list  n_sessions  n_finished  n_answers  median_minutes  pay_per_hour
       1           3           3        108           7.412        12.000
    """
    loaded = read_study(Path(study))
    path = Path(db) if db is not None else loaded.folder / ANSWERS
    messages, stamp = [], sessions.stamp(datetime.now(UTC))
    if add or erase:
        with closing(open_answers(path, loaded, write=True)) as connection:
            messages += [_added(connection, loaded, file, stamp) for file in listed_paths(add)]
            messages += [_erased(connection, participant, path) for participant in listed(erase)]
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    rows, notes = overview(loaded, path)
    if out is not None:
        collected = _collected(loaded, path)[0]
        about = {"made_by": colorless.COLLECTED_BY, "study": study_id(loaded)}
        with write_folder(Path(out), about) as folder:
            if judged := list(judgments(loaded, collected)):
                colorless.write_judgments(folder / "judgments.jsonl", judged)
            if sat := list(map(_session, collected)):
                colorless.write_sessions(folder / "sessions.jsonl", sat)
        messages.append(f"wrote {out}")
    return Result(rows, COLUMNS, [*messages, *notes])


def _collected(study: Study, path: Path) -> tuple[list[SessionRecord], dict[str, str], int]:
    """The sessions in the order they began, what is counted besides, and how many trials have two
    different answers."""
    with closing(open_answers(path, study, write=False)) as connection:
        about = dict(connection.execute("SELECT name, value FROM about").fetchall())
        audited = "SELECT count(*) FROM (SELECT DISTINCT session, trial FROM audit)"
        (n_conflicts,) = connection.execute(audited).fetchone()
        connection.row_factory = sqlite3.Row
        rows = connection.execute("SELECT * FROM session ORDER BY started_at, session").fetchall()
        collected = []
        for row in rows:
            stored = sessions.contents(connection, row["session"])
            contents = {trial: json.loads(content) for trial, content in stored.items()}
            collected.append(SessionRecord(dict(row), contents))
    return collected, about, n_conflicts


def overview(study: Study, path: Path) -> tuple[list[Row], list[str]]:
    """A row for each list, and what else is to be said. Test runs are counted apart."""
    collected, about, n_conflicts = _collected(study, path)
    real = [session for session in collected if not session.row["test_run"]]
    rows: list[Row] = []
    for number in study.lists:
        in_list = [session for session in real if session.row["list"] == number]
        minutes = _median_minutes(in_list)
        rows.append(
            {
                "list": number,
                "n_sessions": len(in_list),
                "n_finished": sum(session.seconds is not None for session in in_list),
                "n_answers": sum(len(session.contents) for session in in_list),
                "median_minutes": minutes,
                "pay_per_hour": hourly(study.settings, minutes),
            }
        )
    messages = [f"{about['declined']} did not consent; {len(collected) - len(real)} test runs"]
    if "withdrawn" in about:
        messages.append(f"{about['withdrawn']} withdrew, with all their answers")
    if paid := pay_text(study.settings, _median_minutes(real)):
        messages.append(f"paid at the median: {paid}")
    questions = [
        judgment
        for judgment in judgments(study, real)
        if judgment.kind == QUESTION and judgment.chosen
    ]
    if questions:  # how well people understood what they read
        n_right = sum(question.chosen == question.correct_form for question in questions)
        messages.append(f"questions on what was read: {n_right} of {len(questions)} answered right")
    if n_conflicts:
        messages.append(f"{n_conflicts} trials got two different answers; the first one counts")
    return rows, messages


def _median_minutes(collected: Sequence[SessionRecord]) -> float | None:
    """From consent to the end, of those who came to it."""
    times = [session.seconds for session in collected if session.seconds is not None]
    return median(times) / 60 if times else None


def judgments(study: Study, collected: Sequence[SessionRecord]) -> Iterator[Judgment]:
    """Choices (answers to questions are some) and ratings. Trials that were not reached have no
    answer; practice is only there if it was answered. A rated attention check is a choice of the
    number it asks for: only so is it right or wrong."""
    for session in collected:
        for trial_id, trial in study.lists[session.row["list"]].items():
            given = session.contents.get(trial_id)
            if trial.task == "reading" or (not given and trial.kind == "practice"):
                continue
            right, content = study.key[trial_id], given or NO_ANSWER
            is_rating = trial.task == "rating" and not right
            is_rated_check = trial.task == "rating" and bool(right)
            yield Judgment(
                **_shared(trial, session.row),
                position=None if trial.kind == "practice" else trial.position,
                list=str(trial.list),
                prefix=trial.options[0] if is_rated_check else trial.prefix,
                option_1="" if is_rated_check else trial.options[0],
                option_2="" if trial.task == "rating" else trial.options[1],
                chosen="" if is_rating else given_answer(trial, content),
                chosen_index=content["chosen_index"],
                correct_form=right,
                rating=_number(content["rating"]) if is_rating else None,
                rt_ms=_number(content["rt_ms"]),
                at=content["at"],
            )


def _shared(trial: Trial, row: Mapping[str, Any]) -> dict[str, Any]:
    """What judgments and readings have in common."""
    names = ("item", "source", "construction", "condition", "kind")
    return {
        "participant": row["participant"],
        "session": row["session"],
        "trial_id": f"{row['session']}/{trial.trial_id}",
        **{name: getattr(trial, name) for name in names},
    }


def _number(value: float | None) -> float | None:
    return None if value is None else float(value)


def _session(collected: SessionRecord) -> Session:
    row = collected.row
    return Session(
        participant=row["participant"],
        session=row["session"],
        status="FINISHED" if row["finished_at"] else "STARTED",
        test_run=bool(row["test_run"]),
        started_at=row["started_at"],
        ended_at=row["finished_at"],
        duration_s=collected.seconds,
        n_blurs=row["n_blurs"],
        facts={name: str(row[name]) for name in FACTS if row[name] != ""},
    )


def _added(connection: sqlite3.Connection, study: Study, path: Path, stamp: str) -> str:
    """Puts in a file that the page gave to a participant. Its token says whose it is."""
    place = str(path)
    try:
        saved = parsed(read_text(path).encode())
        visit = sessions.visit_of(connection, str(saved.get("token")))
        if saved.get("study") != study_id(study) or visit is None:
            wrong = "these answers belong to no session of this study"
            raise InputError(place, wrong, "the study they are of", kind="changed")
        trials = study.lists[visit.list]
        answers = (
            answers_in(saved, trials, study.settings, most=len(trials)) if saved["trials"] else ()
        )
        end = validated_body(ClosingMessage, saved)
    except (RequestRefused, KeyError) as error:
        wrong = error.reason if isinstance(error, RequestRefused) else f"no {error}"
        right = "a file as the page gave it to a participant"
        raise InputError(place, wrong, right, kind="format") from error
    with transaction(connection):
        before = len(sessions.contents(connection, visit.session))
        sessions.store(connection, visit.session, answers, stamp)
        sessions.finish(connection, visit.session, end, tuple(trials), stamp)
        n_new = len(sessions.contents(connection, visit.session)) - before
    return f"{place}: {n_new} new answers of {visit.participant}"


def _erased(connection: sqlite3.Connection, participant: str, path: Path) -> str:
    with transaction(connection):
        n_answers = sessions.erase(connection, participant)
    if n_answers is None:
        wrong, right = f"no such participant in {path}", "the code they were shown"
        raise InputError(f"--erase {participant}", wrong, right, kind="unknown")
    return f"erased {participant} with {n_answers} answers"
