"""What is done to the file of answers, each a function of a connection within a transaction.

A session is one person's way through one list. Nothing here knows a platform's id or an address:
people come with their pseudonym, tokens as their SHA-256.
"""

import base64
import hmac
import secrets
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import NamedTuple

from colorless_green.humans.pseudonym import LENGTH
from colorless_green.humans.web.requests import Answer, ClosingMessage, RequestRefused, StartMessage


class ServerSession(NamedTuple):
    """A session as the server needs it."""

    session: str
    participant: str
    list: int
    finished: bool


def stamp(moment: datetime) -> str:
    """A moment in UTC; all stamps have one length, so that they sort."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def hashed(token: str) -> bytes:
    """What is stored of a token, or of a request's name."""
    return sha256(token.encode()).digest()


def new_name() -> str:
    """A participant of whom no platform tells: drawn, and of the shape of a pseudonym."""
    return base64.b32encode(secrets.token_bytes(LENGTH))[:LENGTH].decode("ascii")


def begin(
    connection: sqlite3.Connection,
    start: StartMessage,
    participant: str,
    token: str,
    *,
    lists: Sequence[int],
    now: str,
    abandoned: str,
) -> ServerSession:
    """A new session under `token`, or the one that this request began before: then its old token
    is void. Raises `RequestRefused` for a person who has one by another request.

    The list is the one with fewest sessions that are finished or were seen since `abandoned`, of
    several the first; test runs do not count. Times are ISO 8601 in UTC, all of one length.
    """
    request, digest = hashed(start.request), hashed(token)
    resumed = connection.execute(
        "UPDATE session SET token = ?, seen_at = ? WHERE request = ?", (digest, now, request)
    ).rowcount
    query = "SELECT 1 FROM session WHERE participant = ?"
    if not resumed and connection.execute(query, (participant,)).fetchone():
        raise RequestRefused(409, "begun before")
    if not resumed:
        counts = dict(
            connection.execute(
                "SELECT list, count(*) FROM session WHERE NOT test_run"
                " AND (finished_at != '' OR seen_at >= ?) GROUP BY list",
                (abandoned,),
            ).fetchall()
        )
        row = {
            **start.model_dump(exclude={"identity", "window"}),
            "session": secrets.token_hex(8),
            "participant": participant,
            "request": request,
            "token": digest,
            "list": min(lists, key=lambda number: (counts.get(number, 0), number)),
            "started_at": now,
            "seen_at": now,
        }
        values = ", ".join(f":{name}" for name in row)
        connection.execute(f"INSERT INTO session ({', '.join(row)}) VALUES ({values})", row)
    visit = visit_of(connection, token)
    assert visit is not None, "the session has just been stored"
    return visit


def visit_of(connection: sqlite3.Connection, token: str) -> ServerSession | None:
    """The session that a token opens, if there is one."""
    digest = hashed(token)
    row = connection.execute(
        "SELECT session, participant, list, finished_at, token FROM session WHERE token = ?",
        (digest,),
    ).fetchone()
    if row is None or not hmac.compare_digest(row[4], digest):
        return None
    return ServerSession(row[0], row[1], row[2], bool(row[3]))


def contents(connection: sqlite3.Connection, session: str) -> dict[str, str]:
    """Trial → what is stored of its answer (JSON), for the trials of a session that have one."""
    rows = connection.execute(
        "SELECT trial, content FROM answer WHERE session = ? ORDER BY trial", (session,)
    )
    return dict(rows.fetchall())


def store(
    connection: sqlite3.Connection, session: str, answers: Sequence[Answer], now: str
) -> tuple[list[str], list[str]]:
    """Keeps the first answer to each trial. The same one again changes nothing; another one is
    kept beside it, for the researchers to look at, and counts for nothing.

    Returns the names of the records that are in the file now, and of those that conflict with an
    earlier one.
    """
    accepted, conflicts = [], []
    for answer in answers:
        values = (session, *answer, now)
        connection.execute(
            "INSERT INTO answer VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", values
        )
        kept = connection.execute(
            "SELECT record, content, received_at FROM answer WHERE session = ? AND trial = ?",
            (session, answer.trial),
        ).fetchone()
        if kept[:2] == answer[1:]:
            accepted.append(answer.record)
            continue
        connection.executemany(
            "INSERT INTO audit VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            [(session, answer.trial, *kept), values],
        )
        conflicts.append(answer.record)
    connection.execute("UPDATE session SET seen_at = ? WHERE session = ?", (now, session))
    return accepted, conflicts


def finish(
    connection: sqlite3.Connection,
    session: str,
    closing: ClosingMessage,
    trials: Sequence[str],
    now: str,
) -> tuple[str, ...]:
    """The trials of which there is no answer yet; where there are none, the session is finished
    (once: what was said then stays)."""
    answered = contents(connection, session)
    missing = tuple(trial for trial in trials if trial not in answered)
    if not missing:
        connection.execute(
            "UPDATE session SET finished_at = ?, seen_at = ?, native = ?, help = ?, n_blurs = ?"
            " WHERE session = ? AND finished_at = ''",
            (now, now, closing.native, closing.help, closing.n_blurs, session),
        )
    return missing


def decline(connection: sqlite3.Connection) -> None:
    """Counts somebody who did not consent: nothing else is kept of them."""
    connection.execute(
        "UPDATE about SET value = CAST(value AS INTEGER) + 1 WHERE name = 'declined'"
    )


def withdraw(connection: sqlite3.Connection, participant: str) -> None:
    """Deletes all there is of somebody who does not want to go on, and counts that."""
    erase(connection, participant)
    connection.execute(
        "INSERT INTO about VALUES ('withdrawn', '1')"
        " ON CONFLICT (name) DO UPDATE SET value = CAST(value AS INTEGER) + 1"
    )


def erase(connection: sqlite3.Connection, participant: str) -> int | None:
    """Deletes all there is of a person; how many answers that were, or None for nobody."""
    (n_answers,) = connection.execute(
        "SELECT count(*) FROM answer JOIN session USING (session) WHERE participant = ?",
        (participant,),
    ).fetchone()
    deleted = connection.execute("DELETE FROM session WHERE participant = ?", (participant,))
    return int(n_answers) if deleted.rowcount else None
