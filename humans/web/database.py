"""The file of answers: SQLite, and one thread that writes it.

Whoever is told that an answer is stored can rely on it: the reply waits for COMMIT, and COMMIT for
the disk (WAL with `synchronous=FULL`). What arrives within a hundredth of a second is committed
together, since nearly all of the cost is the wait for the disk.
"""

import json
import os
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from colorless_green.data.errors import InputError
from colorless_green.data.files import unwritable
from colorless_green.humans.study import Study

ANSWERS = "answers.db"
VERSION = 1
GROUP_S = 0.010  # how long a commit waits for others to come along
MOST = 500  # jobs of one commit
BUSY_MS = 10_000

SCHEMA = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE session (
  session TEXT PRIMARY KEY,
  participant TEXT NOT NULL UNIQUE,
  platform TEXT NOT NULL,
  request BLOB NOT NULL UNIQUE,
  token BLOB NOT NULL UNIQUE,
  list INTEGER NOT NULL,
  test_run INTEGER NOT NULL,
  consent TEXT NOT NULL,
  language TEXT NOT NULL,
  device TEXT NOT NULL,
  browser TEXT NOT NULL,
  screen TEXT NOT NULL,
  started_at TEXT NOT NULL,
  seen_at TEXT NOT NULL,
  finished_at TEXT NOT NULL DEFAULT '',
  native TEXT NOT NULL DEFAULT '',
  help TEXT NOT NULL DEFAULT '',
  n_blurs INTEGER
) WITHOUT ROWID;
CREATE TABLE answer (
  session TEXT NOT NULL REFERENCES session ON DELETE CASCADE,
  trial TEXT NOT NULL,
  record TEXT NOT NULL,
  content TEXT NOT NULL,
  received_at TEXT NOT NULL,
  PRIMARY KEY (session, trial)
) WITHOUT ROWID;
CREATE TABLE audit (
  session TEXT NOT NULL REFERENCES session ON DELETE CASCADE,
  trial TEXT NOT NULL,
  record TEXT NOT NULL,
  content TEXT NOT NULL,
  received_at TEXT NOT NULL,
  PRIMARY KEY (session, trial, record, content)
) WITHOUT ROWID;
"""

T = TypeVar("T")


def study_id(study: Study) -> str:
    """16 hex digits over all trials: answers to other trials belong to another study."""
    rows = [asdict(trial) for trial in study.trials]
    return sha256(json.dumps(rows, ensure_ascii=True, sort_keys=True).encode()).hexdigest()[:16]


def open_answers(path: Path, study: Study) -> sqlite3.Connection:
    """The connection that may write; a new file (mode 600) where there is none.

    Raises `InputError` for a file that is something else, or that has the answers to another study.
    """
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise unwritable(path, error) from error
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    with _checked(connection, path, study):
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        if _version(connection) == 0 and not _tables(connection):
            _create(connection, study)
    return connection


def read_answers(path: Path, study: Study) -> sqlite3.Connection:
    """A connection that reads, beside a server that may be running. Raises as `open_answers`."""
    if not path.is_file():
        right = "colorless humans serve STUDY collects some"
        raise InputError(str(path), "there are no answers", right, kind="missing")
    connection = sqlite3.connect(path, isolation_level=None)
    with _checked(connection, path, study):
        return connection


@contextmanager
def _checked(connection: sqlite3.Connection, path: Path, study: Study) -> Iterator[None]:
    """The connection, closed again where what is done inside, or a look at whose answers the file
    holds, says that it is another file."""
    try:
        connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
        yield
        _demand_ours(connection, path, study)
    except sqlite3.DatabaseError as error:
        connection.close()
        wrong = f"no file of answers ({error})"
        raise InputError(str(path), wrong, "another --db", kind="format") from error
    except InputError:
        connection.close()
        raise


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All that is done inside, or, if it raises, nothing of it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _create(connection: sqlite3.Connection, study: Study) -> None:
    connection.executescript(
        f"BEGIN IMMEDIATE;{SCHEMA}INSERT INTO about VALUES ('study', '{study_id(study)}'), "
        f"('declined', '0');PRAGMA user_version = {VERSION};COMMIT;"
    )


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _tables(connection: sqlite3.Connection) -> list[Any]:
    return connection.execute("SELECT name FROM sqlite_schema").fetchall()


def _demand_ours(connection: sqlite3.Connection, path: Path, study: Study) -> None:
    if _version(connection) != VERSION or ("about",) not in _tables(connection):
        right = "one that humans serve made, or a free name"
        raise InputError(str(path), "no file of answers", right, kind="format")
    (told,) = connection.execute("SELECT value FROM about WHERE name = 'study'").fetchone()
    if told != study_id(study):
        right = "the study's own, or another --db"
        raise InputError(str(path), "these are the answers to other trials", right, kind="changed")


class Writer:
    """Runs jobs on the one connection that writes, in the order they came, several to a commit.

    A job is a function of the connection. Its future has what it returned once that is on the disk;
    a job that raises is undone alone.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._waiting: queue.SimpleQueue[tuple[Callable[..., Any], Future[Any]] | None]
        self._waiting = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="answers", daemon=True)
        self._thread.start()

    def submit(self, job: Callable[[sqlite3.Connection], T]) -> "Future[T]":
        """The job's future. After `close` it is never done."""
        future: Future[T] = Future()
        self._waiting.put((job, future))
        return future

    def close(self) -> None:
        """Waits for what was submitted, and leaves one file without its log."""
        self._waiting.put(None)
        self._thread.join()
        self._connection.close()

    def _work(self) -> None:
        while (first := self._waiting.get()) is not None:
            jobs, last = [first], False
            until = time.monotonic() + GROUP_S
            while len(jobs) < MOST and (left := until - time.monotonic()) > 0:
                try:
                    another = self._waiting.get(timeout=left)
                except queue.Empty:
                    break
                if another is None:
                    last = True
                    break
                jobs.append(another)
            self._commit(jobs)
            if last:
                return

    def _commit(self, jobs: list[tuple[Callable[..., Any], "Future[Any]"]]) -> None:
        done: list[tuple[Future[Any], Any, Exception | None]] = []
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            for job, future in jobs:
                done.append((future, *self._tried(job)))
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:  # a full disk: none of them is stored
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            for _, future in jobs:
                future.set_exception(error)
            return
        for future, result, fault in done:
            if fault is None:
                future.set_result(result)
            else:
                future.set_exception(fault)

    def _tried(self, job: Callable[..., Any]) -> tuple[Any, Exception | None]:
        self._connection.execute("SAVEPOINT job")
        try:
            result, fault = job(self._connection), None
        except Exception as error:  # goes to whoever submitted it
            self._connection.execute("ROLLBACK TO job")
            result, fault = None, error
        self._connection.execute("RELEASE job")
        return result, fault
