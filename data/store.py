"""The store: one SQLite file per project that keeps suites, scores and judgments.

The store itself knows only tables and rows of plain values. Each room turns its own types (items,
scores) into rows and back, in a module `…_rows.py`. The file has a write-ahead log, foreign keys,
and a schema version with migrations. Every write is in a transaction, and waits up to thirty
seconds for another process that writes.
"""

import hashlib
import os
import shlex
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from json import JSONDecodeError
from pathlib import Path
from time import monotonic, sleep
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import quote
from weakref import finalize

from .errors import InputError
from .shell import resource

PATIENCE_MS = 30_000  # how long a process waits for another one that writes
APPLICATION_ID = 0x636F6C67  # "colg", which marks our files among other programs' databases
SCHEMA_VERSION = 8
"""The schema version n is made by migrations/1.sql to n.sql. A released migration never changes"""
MEMORY = Path(":memory:")  # a store that is gone when it is closed
SEAL = b"\nSHA256:\n"  # between the bytes of a cell and their digest


class Store:
    """An open store: the SQLite file of a project. Once closed, it is one file without a log.

    Use it as a context manager. A file that does not exist is made; a file of an earlier version is
    migrated.

    Args:
        path: the file; `:memory:` is a store that is gone when it is closed.

    Attributes:
        path: the file.
        connection: the connection to it, for queries of your own.

    Raises:
        InputError: the file belongs to another program or a newer version, or cannot be used.

    >>> with Store(Path("colorless.db")) as store:
    ...     store.one("SELECT count(*) AS n FROM suite")
    {'n': 0}
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._open()
        except InputError:
            if path == MEMORY or os.path.exists(path):
                raise
            self._open()  # another process made the file, kept nothing in it, and removed it

    def _open(self) -> None:
        """Connect to the file and bring it to the schema of this version."""
        is_writable = True
        try:
            name = str(self.path)
            if self.path != MEMORY:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                name = f"file:{quote(os.fsencode(self.path.absolute()))}"
                is_writable = _is_writable(self.path)
                if not is_writable:  # without a log SQLite would make one, unless told `immutable`
                    has_log = self.path.with_name(f"{self.path.name}-wal").exists()
                    name += "?mode=ro" if has_log else "?immutable=1"
            self.connection = sqlite3.connect(
                name,
                uri=self.path != MEMORY,
                isolation_level=None,
                timeout=PATIENCE_MS / 1000,
                check_same_thread=self.path != MEMORY,  # it may be collected in another thread
            )
        except (sqlite3.Error, OSError) as error:
            raise self._unusable(error) from error
        if self.path == MEMORY:  # it lives as long as results refer to it, and nobody closes it
            finalize(self, self.connection.close)
        try:
            with self.explained():
                self._refuse_other_program()
                self.connection.execute("PRAGMA foreign_keys = ON")
                if is_writable:
                    self._use_write_ahead_log()
                    self.connection.execute("PRAGMA synchronous = FULL")
                self._migrate()
        except BaseException:
            self.connection.close()
            raise

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def __reduce__(self) -> tuple[type["Store"], tuple[Path]]:
        """Return how to make a copy: it opens the same file. A copy of a store in memory is empty;
        results are kept in it again."""
        return Store, (self.path,)

    def __repr__(self) -> str:
        return f"Store({str(self.path)!r})"

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Run the caller's block; turn errors that come from the store's file into `InputError`.

        Raises:
            InputError: the file is damaged, locked or read-only, or the disk is full.
        """
        try:
            yield
        except InputError:
            raise
        except Exception as error:
            if isinstance(error, sqlite3.OperationalError) or _is_damage(error):
                raise self._unusable(error) from error
            if self.path != MEMORY and (damage := self.damage()):  # which can lead to any error
                raise self.damaged(damage) from error
            raise

    def damage(self) -> str:
        """Return SQLite's short report of damage in the file; "" if it finds none."""
        try:
            (report,) = self.connection.execute("PRAGMA quick_check(1)").fetchone()
        except sqlite3.Error as error:
            report = str(error)
        return "" if report == "ok" else report.replace("*** in database main ***\n", "")

    def damaged(self, details: object) -> InputError:
        """Return the error for a damaged file; it says how to save what can still be read."""
        path = shlex.quote(str(self.path))
        right = (
            f"sqlite3 {path} .recover | sqlite3 new.db saves what can be read (with a sqlite3 of "
            "sqlite.org: those of Debian and Ubuntu cannot)"
        )
        wrong = f"the store is damaged ({details})"
        return InputError(str(self.path), wrong, right, kind="unreadable")

    @contextmanager
    def decoding(self) -> Iterator[None]:
        """Run a block that decodes a stored value; an error in it means that the file is damaged.

        Raises:
            InputError: the file is damaged.
        """
        try:
            yield
        except Exception as error:
            raise self.damaged(error) from error

    def unseal(self, cell: bytes) -> bytes:
        """Return the bytes that were given to `seal`, after checking the digest that it added.

        A cell is one value of a table. One of an earlier version has no digest and is returned as
        it is.

        Raises:
            InputError: the bytes have changed. NumPy and Polars would read beyond the end of such
                bytes, or end the process.
        """
        end = len(cell) - len(SEAL) - hashlib.sha256().digest_size
        if cell[end : end + len(SEAL)] != SEAL:
            return cell
        if seal(cell[:end]) != cell:
            raise self.damaged("the content of a cell is not what was stored")
        return cell[:end]

    def _unusable(self, error: Exception) -> InputError:
        """Return the error for a file that SQLite or the system cannot use."""
        if _is_damage(error):
            return self.damaged(str(error).partition(" with text")[0])
        remedy = "a file made by colorless, or a name that is free"
        if "locked" in str(error):
            remedy = "wait until the other process has finished"
        elif "full" in str(error) or "I/O" in str(error):
            remedy = "free some space; what was stored before is still there"
        elif "readonly" in str(error):
            remedy = "a copy of it in a folder that you may write"
        wrong = f"the store cannot be used ({error})"
        return InputError(str(self.path), wrong, remedy, kind="unreadable")

    def _use_write_ahead_log(self) -> None:
        """Switch the file to a write-ahead log. If another process is doing that at the same time,
        try again: SQLite itself would fail at once."""
        deadline = monotonic() + PATIENCE_MS / 1000
        while True:
            try:
                self.connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or monotonic() > deadline:
                    raise
                sleep(0.02)

    def _migrate(self) -> None:
        """Bring the file from its schema version to `SCHEMA_VERSION`, in one transaction."""

        def version() -> int:
            """Return the schema version of the file."""
            return int(self.connection.execute("PRAGMA user_version").fetchone()[0])

        if version() > SCHEMA_VERSION:
            wrong = f"made by a newer version (schema {version()})"
            right = f"a newer colorless; this one knows schema {SCHEMA_VERSION}"
            raise InputError(str(self.path), wrong, right, kind="changed")
        if version() == SCHEMA_VERSION:
            return
        with self.transaction():
            # the version is read again: before the lock another process may have migrated the file
            for number in range(version() + 1, SCHEMA_VERSION + 1):
                script = resource(__package__, f"migrations/{number}.sql")
                statement = ""
                for line in script.splitlines():  # `executescript` would end the transaction
                    statement += line + "\n"
                    if sqlite3.complete_statement(statement):
                        self.connection.execute(statement)
                        statement = ""
                self.connection.execute(f"PRAGMA user_version = {number}")
            self.connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")

    def _refuse_other_program(self) -> None:
        """Raise `InputError` if the file is another program's database.

        It is read in one transaction, since another process may be making the store right now.
        """
        self.connection.execute("BEGIN")
        try:
            (application_id,) = self.connection.execute("PRAGMA application_id").fetchone()
            table = self.connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
        finally:
            self.connection.execute("ROLLBACK")
        if int(application_id) != APPLICATION_ID and table is not None:
            wrong, right = "another program's database", "an unused file name, or none"
            raise InputError(str(self.path), wrong, right, kind="conflict")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the caller's block as one transaction, which is written as a whole or not at all.

        It takes the write lock at once, so that a second writer waits and does not fail.

        Raises:
            InputError: the store cannot be written.
        """
        try:
            with self.explained():
                self.connection.execute("BEGIN IMMEDIATE")
                yield
                self.connection.execute("COMMIT")
        except BaseException:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise

    def remove_if_unused(self) -> bool:
        """Remove the file if nothing is kept in it and no other connection to it is open.

        Returns:
            Whether it was removed; if so, the store can only be closed.
        """
        try:
            if self._keeps_something():
                return False
            self.connection.execute("PRAGMA busy_timeout = 0")
            # SQLite refuses this while another connection is open
            (mode,) = self.connection.execute("PRAGMA journal_mode = DELETE").fetchone()
            if mode != "delete":
                return False
            # A process that opens the file from now on waits. Once it is unlinked, that process's
            # first write fails, and it opens the path again.
            self.connection.execute("BEGIN EXCLUSIVE")
            (mode,) = self.connection.execute("PRAGMA journal_mode").fetchone()
            if mode != "delete" or self._keeps_something():
                return False
            self.path.unlink()
        except (sqlite3.Error, OSError):
            return False
        return True

    def _keeps_something(self) -> bool:
        """Return whether any table has a row, not counting the table `clock`."""
        query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'clock'"
        names = [row["name"] for row in self.rows(query)]
        return any(self.one(f'SELECT 1 FROM "{name}" LIMIT 1') for name in names)

    def tick(self) -> int:
        """Add 1 to the store's clock, a count by which suites are sorted. Call in a transaction.

        Returns:
            The new count.
        """
        self.connection.execute("UPDATE clock SET reading = reading + 1")
        return int(self.connection.execute("SELECT reading FROM clock").fetchone()[0])

    def insert(self, table: str, row: Mapping[str, Any]) -> int:
        """Add a row and return its rowid.

        Args:
            table: name of the table.
            row: column → value.

        Returns:
            The rowid.
        """
        statement = _insertion("INSERT", table, list(row))
        return int(self.connection.execute(statement, tuple(row.values())).lastrowid or 0)

    def insert_many(
        self,
        table: str,
        columns: Sequence[str],
        rows: Iterable[Sequence[Any]],
        *,
        keep_old: bool = False,
    ) -> None:
        """Add rows.

        Args:
            table: name of the table.
            columns: names of the columns.
            rows: values, in the order of `columns`.
            keep_old: skip rows whose key exists already.
        """
        command = "INSERT OR IGNORE" if keep_old else "INSERT"
        self.connection.executemany(_insertion(command, table, columns), rows)

    def rows(self, query: str, values: Sequence[Any] = ()) -> Iterator[dict[str, Any]]:
        """Run a SELECT and yield its rows.

        Args:
            query: a SELECT, with `?` for each value.
            values: the values.

        Yields:
            Each row as a mapping from column to value.
        """
        cursor = self.connection.execute(query, tuple(values))
        names = [column[0] for column in cursor.description]
        for row in cursor:
            yield dict(zip(names, row, strict=True))

    def one(self, query: str, values: Sequence[Any] = ()) -> dict[str, Any] | None:
        """Run a SELECT and return its first row.

        Args:
            query: a SELECT, with `?` for each value.
            values: the values.

        Returns:
            The first row as a mapping from column to value, or `None`.
        """
        return next(self.rows(query, values), None)

    def execute(self, statement: str, values: Sequence[Any] = ()) -> None:
        """Run a statement that returns no rows.

        Args:
            statement: the statement, with `?` for each value.
            values: the values.
        """
        self.connection.execute(statement, tuple(values))


StoreLike: TypeAlias = Store | str | Path | None
"""The store to use: an open one, the name of its file, or None for a new one in memory"""


DEFAULT_STORE = "colorless.db"  # the store of the command line, in the current folder
MEMORY_NAMES = ("none", str(MEMORY))  # names that stand for a store in memory


class StoredResult(NamedTuple):
    """The place of a kept result, by which later steps find it again."""

    store: Store | Path  # the file, to be opened again; a store in memory stays open itself
    id: int  # the result's number in the store

    def is_in(self, store: Store) -> bool:
        """Return whether the result is kept in this store."""
        if isinstance(self.store, Path):
            return store.path != MEMORY and store.path.resolve() == self.store.resolve()
        return self.store is store


def reference_to(store: Store) -> Store | Path:
    """Return the reference by which a kept result finds its store again.

    It is the path of the store's file; for a store in memory it is the open store itself.
    """
    return store if store.path == MEMORY else store.path.resolve()


@contextmanager
def open_store(source: StoreLike, *, existing: bool = False) -> Iterator[Store]:
    """Open the store that a public function works with.

    Args:
        source: an open store is used and left open. A file is opened, or made, and closed at the
            end; if it was made and nothing was kept in it, it is removed, with the folders that
            were made for it. None (or `none`) is a new store in memory, which stays open for the
            results that refer to it.
        existing: whether the store must exist. Callers that only read set it, so that a mistyped
            name does not make an empty store.

    Raises:
        InputError: `existing` is set, and there is no such store.
    """
    if isinstance(source, Store):
        with source.explained():
            yield source
    elif source is None or str(source) in MEMORY_NAMES:
        if existing:
            wrong, right = "nothing is kept, and this only reads", "the file of a store"
            raise InputError("store", wrong, right, kind="missing")
        yield Store(MEMORY)
    else:
        path = Path(source)
        if existing and not os.path.exists(path):
            wrong, right = "there is no store of this name", "colorless mine makes one"
            raise InputError(str(source), wrong, right, kind="missing")
        # `lexists`: `Path.exists` fails for impossible names, and a broken link must stay
        created = [parent for parent in (path, *path.parents) if not os.path.lexists(parent)]
        try:
            with Store(path) as store:
                try:
                    with store.explained():
                        yield store
                finally:
                    if path in created:
                        store.remove_if_unused()
        finally:
            if not os.path.lexists(path):
                with suppress(OSError):
                    for folder in created[1:]:  # after the file, the innermost folder first
                        folder.rmdir()


def _is_writable(path: Path) -> bool:
    """Return whether SQLite can write or make a file; for either, its folder must be writable."""
    file = path.resolve()
    # in this order: another process may make the file between the two tests
    return os.access(file.parent, os.W_OK) and (not file.exists() or os.access(file, os.W_OK))


def _is_damage(error: Exception) -> bool:
    """Return whether an error means that the store's file is damaged.

    It does if SQLite says so, or if a value that we wrote cannot be decoded.
    """
    undecoded = isinstance(error, JSONDecodeError | UnicodeDecodeError)
    undecoded |= str(error).startswith(("Could not decode", "malformed JSON"))
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the lowest byte is the primary code
    return undecoded or code == sqlite3.SQLITE_CORRUPT


def seal(data: bytes) -> bytes:
    """Add the SHA-256 of some bytes to their end, so that `Store.unseal` can check them later."""
    return data + SEAL + hashlib.sha256(data).digest()


def now() -> str:
    """Return the present time in UTC, to the second, in ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _insertion(command: str, table: str, columns: Sequence[str]) -> str:
    """Return the SQL statement that inserts a row; `command` is INSERT or INSERT OR IGNORE."""
    names = ", ".join(f'"{name}"' for name in columns)
    return f'{command} INTO "{table}" ({names}) VALUES ({", ".join("?" * len(columns))})'
