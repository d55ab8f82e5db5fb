"""What a long job is handed to say how far it is; the command line draws it."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, TypeAlias, TypeVar

if TYPE_CHECKING:
    from rich.progress import TaskID

T = TypeVar("T")
PATIENCE_S = 2.0  # shorter work is not worth a bar

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


@contextmanager
def drawn(show: bool) -> Iterator[Progress]:
    """A progress that draws a bar with rate and time left on stderr; silent if `show` is false or
    stderr is no terminal. Nothing is drawn for what is over within two seconds."""
    if not show or not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    bars = Bars(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    ids: dict[str, TaskID] = {}
    begun = monotonic()

    def progress(task: str, done: int, total: int | None) -> None:
        if task not in ids:
            ids[task] = bars.add_task(task, total=total)
        bars.update(ids[task], completed=done, total=total)
        if not bars.live.is_started and monotonic() - begun > PATIENCE_S:
            bars.start()

    try:
        yield progress
    finally:
        bars.stop()
