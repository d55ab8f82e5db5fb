"""Progress of long jobs: a function that a job reports to."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias, TypeVar

T = TypeVar("T")

Progress: TypeAlias = Callable[[str, int, int | None], None]
"""A function that a job calls to report (the task's name, number done, number in all or None)"""


def silent(task: str, n_done: int, total: int | None) -> None:
    """Ignore a report of progress."""


def with_progress(
    values: Iterable[T], task: str, progress: Progress, total: int | None = None
) -> Iterator[T]:
    """Yield the values unchanged, and report to `progress` after each that the caller has used."""
    for n_done, value in enumerate(values, start=1):
        yield value
        progress(task, n_done, total)
