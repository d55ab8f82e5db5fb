"""Progress of long jobs: a function that a job reports to."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias, TypeVar

T = TypeVar("T")

Progress: TypeAlias = Callable[[str, int, int | None], None]
"""(what is being done, how many are done, how many there are or None): called as often as liked."""


def silent(task: str, n_done: int, total: int | None) -> None:
    """Show nothing of what is reported."""


def with_progress(
    values: Iterable[T], task: str, progress: Progress, total: int | None = None
) -> Iterator[T]:
    """Yield `values` as they are, reporting after each."""
    for n_done, value in enumerate(values, start=1):
        yield value
        progress(task, n_done, total)
