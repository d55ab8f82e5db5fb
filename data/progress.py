"""What a long job is handed to say how far it is; the command line draws it."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias, TypeVar

T = TypeVar("T")

Progress: TypeAlias = Callable[[str, int, int | None], None]
"""(what is being done, how many are done, how many there are or None): called as often as liked."""


def silent(task: str, done: int, total: int | None) -> None:
    """A progress that shows nothing."""


def counted(
    values: Iterable[T], task: str, progress: Progress, total: int | None = None
) -> Iterator[T]:
    """`values` as they are, reporting after each."""
    for done, value in enumerate(values, start=1):
        yield value
        progress(task, done, total)
