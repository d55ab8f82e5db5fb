"""One SQLite file per project: rows in, rows out, every write in a transaction.

The store knows tables and rows (mappings of plain values), never an item or a score: each room
turns its types into rows and back in its own `rows.py`. Write-ahead log, foreign keys on, a schema
version with migrations, thirty seconds of patience with another process that writes.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from colorless_green.data.errors import InputError
from colorless_green.data.migrations import MIGRATIONS

if TYPE_CHECKING:
    from sqlite_utils import Database

PATIENCE_MS = 30_000
APPLICATION_ID = 0x636F6C67  # "colg": tells our files from other programs' databases
BATCH = 5_000  # rows per call of executemany
MEMORY = Path(":memory:")  # a store that is gone when it is closed


class Store:
    """An open store. Use as a context manager; closing leaves one file without a log beside it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            if path != MEMORY:
                path.parent.mkdir(parents=True, exist_ok=True)
            self.connection = sqlite3.connect(
                path, isolation_level=None, timeout=PATIENCE_MS / 1000
            )
            if self._is_foreign():
                raise InputError(
                    str(path),
                    "another program's database",
                    "a name that is free, or none",
                    kind="conflict",
                )
            self.connection.execute("PRAGMA foreign_keys = ON")
            self._log_ahead()
            self.connection.execute("PRAGMA synchronous = FULL")
            self._migrate()
        except (sqlite3.Error, OSError) as error:
            raise self._unusable(error) from error

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    @cached_property
    def db(self) -> "Database":
        """The same connection for sqlite-utils: its schema and its rows, by table. It takes longer
        to import than most verbs to run, so it is made when it is first asked for."""
        import sqlite_utils

        return sqlite_utils.Database(self.connection)

    def _unusable(self, error: Exception) -> InputError:
        remedy = "a file made by colorless, or a name that is free"
        if "locked" in str(error):
            remedy = "wait until the other process has finished"
        elif "full" in str(error) or "I/O" in str(error):
            remedy = "free some space; what was stored before is still there"
        return InputError(
            str(self.path), f"the store cannot be used ({error})", remedy, kind="unreadable"
        )

    def _log_ahead(self) -> None:
        """Switches to a write-ahead log. SQLite does not wait where another process is switching
        the same file: so this does."""
        given_up = monotonic() + PATIENCE_MS / 1000
        while True:
            try:
                self.connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or monotonic() > given_up:
                    raise
                sleep(0.02)

    def _migrate(self) -> None:
        version = int(self.connection.execute("PRAGMA user_version").fetchone()[0])
        if version > len(MIGRATIONS):
            raise InputError(
                str(self.path),
                f"made by a newer version (schema {version})",
                f"a newer colorless; this one knows schema {len(MIGRATIONS)}",
                kind="changed",
            )
        if version == len(MIGRATIONS):
            return
        with self.transaction():
            version = int(
                self.connection.execute("PRAGMA user_version").fetchone()[0]
            )  # under the lock
            for number, script in enumerate(MIGRATIONS[version:], start=version + 1):
                for statement in _statements(script):
                    self.connection.execute(statement)
                self.connection.execute(f"PRAGMA user_version = {number}")
            self.connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")

    def _is_foreign(self) -> bool:
        """Whether the file has tables that are not ours. Looked at in one transaction: another
        process may be making the store right now."""
        self.connection.execute("BEGIN")
        try:
            (application_id,) = self.connection.execute("PRAGMA application_id").fetchone()
            table = self.connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
        finally:
            self.connection.execute("ROLLBACK")
        return int(application_id) != APPLICATION_ID and table is not None

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing. Takes the write lock at once, so that two writers wait, not fail."""
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            yield
            self.connection.execute("COMMIT")
        except BaseException as error:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            if isinstance(error, sqlite3.OperationalError):
                raise self._unusable(error) from error
            raise

    def tick(self) -> int:
        """The next reading of the store's clock, which counts requests. Call in a transaction."""
        self.connection.execute("UPDATE clock SET reading = reading + 1")
        return int(self.connection.execute("SELECT reading FROM clock").fetchone()[0])

    def insert(self, table: str, row: Mapping[str, Any]) -> int:
        """Adds a row; its rowid."""
        columns = ", ".join(f'"{name}"' for name in row)
        marks = ", ".join("?" * len(row))
        cursor = self.connection.execute(
            f'INSERT INTO "{table}" ({columns}) VALUES ({marks})', tuple(row.values())
        )
        return int(cursor.lastrowid or 0)

    def insert_many(
        self,
        table: str,
        columns: Sequence[str],
        rows: Iterable[Sequence[Any]],
        *,
        keep_old: bool = False,
    ) -> None:
        """Adds rows of values in the order of `columns`; `keep_old` passes over known keys."""
        verb = "INSERT OR IGNORE" if keep_old else "INSERT"
        names = ", ".join(f'"{name}"' for name in columns)
        statement = f'{verb} INTO "{table}" ({names}) VALUES ({", ".join("?" * len(columns))})'
        iterator = iter(rows)
        while batch := list(islice(iterator, BATCH)):
            self.connection.executemany(statement, batch)

    def rows(self, query: str, values: Sequence[Any] = ()) -> Iterator[dict[str, Any]]:
        """The rows of a SELECT as mappings."""
        cursor = self.connection.execute(query, tuple(values))
        names = [column[0] for column in cursor.description]
        for row in cursor:
            yield dict(zip(names, row, strict=True))

    def one(self, query: str, values: Sequence[Any] = ()) -> dict[str, Any] | None:
        """The first row of a SELECT, or `None`."""
        return next(self.rows(query, values), None)

    def execute(self, statement: str, values: Sequence[Any] = ()) -> None:
        """A statement without rows."""
        self.connection.execute(statement, tuple(values))


def _statements(script: str) -> Iterator[str]:
    """The statements of a script, one by one (`executescript` would end the transaction)."""
    pending = ""
    for line in script.splitlines():
        pending += line + "\n"
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
