"""What verbs hand to the rooms from outside: the time, and the store that `--store` names."""

from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from colorless_green.data.errors import InputError

if TYPE_CHECKING:
    from colorless_green.data.store import Store

IN_MEMORY = "none"


def now() -> str:
    """The time in UTC, to the second, in ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def open_store(path: str) -> "Store":
    """The store of this name, made where there is none; that of the name `none` is forgotten."""
    from colorless_green.data.store import MEMORY, Store

    return Store(MEMORY if path == IN_MEMORY else Path(path))


def open_optional_store(path: str) -> "AbstractContextManager[Store | None]":
    """The store of a verb that can do without one: nothing where its name is `none`."""
    return nullcontext() if path == IN_MEMORY else open_store(path)


def open_existing_store(path: str) -> "Store":
    """The store of a verb that only reads: a mistyped folder must not get an empty one.

    Raises InputError where there is no such file, and for `none`, which holds nothing to read.
    """
    if path == IN_MEMORY:
        raise InputError(
            "--store", "'none' keeps nothing, and this verb reads", "a store's file", kind="value"
        )
    if not Path(path).exists():
        raise InputError(
            path, "there is no store of this name", "colorless mine makes one", kind="missing"
        )
    return open_store(path)
