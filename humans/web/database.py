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
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from colorless_green.data.errors import InputError
from colorless_green.data.files import read_text, unwritable
from colorless_green.humans.study import Study

ANSWERS = "answers.db"
VERSION = 1
GROUP_S = 0.010  # how long a commit waits for others to come along
MOST = 500  # jobs of one commit
PRAGMAS = ("foreign_keys = ON", "secure_delete = ON", "journal_mode = WAL", "synchronous = FULL")

SCHEMA = Path(__file__).with_name("answers.sql")

T = TypeVar("T")


def study_id(study: Study) -> str:
    """16 hex digits over all trials: answers to other trials belong to another study."""
    rows = [asdict(trial) for trial in study.trials]
    return sha256(json.dumps(rows, ensure_ascii=True, sort_keys=True).encode()).hexdigest()[:16]


def open_answers(path: Path, study: Study, *, write: bool) -> sqlite3.Connection:
    """The connection that may write, to a new file (mode 600) where there is none; or one that
    reads, beside a server that may be running.

    Raises `InputError` for a file that is something else, or that has the answers to another study,
    and where there is none to read.
    """
    if write:
        try:
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        except OSError as error:
            raise unwritable(path, error) from error
    elif not path.is_file():
        right = "colorless humans serve STUDY collects some"
        raise InputError(str(path), "there are no answers", right, kind="missing")
    code, place = study_id(study), str(path)
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA busy_timeout = 10000")
        for pragma in PRAGMAS if write else ():
            connection.execute(f"PRAGMA {pragma}")
        is_new = not connection.execute("SELECT 1 FROM sqlite_schema").fetchone()
        if write and is_new and connection.execute("PRAGMA user_version").fetchone() == (0,):
            connection.executescript(
                f"BEGIN IMMEDIATE;{read_text(SCHEMA)}INSERT INTO about VALUES ('study', '{code}'), "
                f"('declined', '0');PRAGMA user_version = {VERSION};COMMIT;"
            )
        about = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'about'").fetchone()
        if connection.execute("PRAGMA user_version").fetchone() != (VERSION,) or not about:
            right = "one that humans serve made, or a free name"
            raise InputError(place, "no file of answers", right, kind="format")
        if connection.execute("SELECT value FROM about WHERE name = 'study'").fetchone() != (code,):
            right = "the study's own, or another --db"
            raise InputError(place, "these are the answers to other trials", right, kind="changed")
    except (sqlite3.DatabaseError, InputError) as error:
        connection.close()
        if isinstance(error, InputError):
            raise
        wrong = f"no file of answers ({error})"
        raise InputError(place, wrong, "another --db", kind="format") from error
    return connection


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


class DatabaseWriter:
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
        latest = self._waiting.get()
        while latest is not None:
            jobs, until = [latest], time.monotonic() + GROUP_S
            while len(jobs) < MOST and (left := until - time.monotonic()) > 0:
                try:
                    latest = self._waiting.get(timeout=left)
                except queue.Empty:
                    break
                if latest is None:
                    break
                jobs.append(latest)
            self._commit(jobs)
            latest = latest and self._waiting.get()

    def _commit(self, jobs: list[tuple[Callable[..., Any], "Future[Any]"]]) -> None:
        replies: list[Callable[[], None]] = []
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            for job, future in jobs:
                self._connection.execute("SAVEPOINT job")
                try:
                    replies.append(partial(future.set_result, job(self._connection)))
                except Exception as error:  # goes to whoever submitted it
                    self._connection.execute("ROLLBACK TO job")
                    replies.append(partial(future.set_exception, error))
                self._connection.execute("RELEASE job")
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:  # a full disk: none of them is stored
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            replies = [partial(future.set_exception, error) for _, future in jobs]
        for tell in replies:
            tell()
