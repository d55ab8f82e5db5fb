"""Progress of long jobs: a function that a job reports to, and bars that the command line draws."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING, TypeAlias, TypeVar

if TYPE_CHECKING:
    from rich.progress import TaskID

T = TypeVar("T")
PATIENCE_S = 0.7  # shorter work is not worth a bar; longer work is named within a second

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


@contextmanager
def drawn(show: bool, doing: str = "") -> Iterator[Progress]:
    """Draw bars with rate and time left on stderr.

    Args:
        show: whether to draw; nothing is drawn where stderr is not a terminal.
        doing: the task to name until the work itself reports for the first time.

    Yields:
        The function that the work reports to. Work that ends within `PATIENCE_S` draws nothing;
        longer work is named then, whether it has reported by that time or not.
    """
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
        # rich would send what is printed to stdout to stderr, also where stdout is a file
        redirect_stdout=sys.stdout.isatty(),
    )
    ids: dict[str, TaskID] = {doing: bars.add_task(doing, total=None)} if doing else {}
    timer = Timer(PATIENCE_S, bars.start)
    timer.daemon = True
    timer.start()

    def progress(task: str, n_done: int, total: int | None) -> None:
        if doing in ids and task != doing:
            bars.remove_task(ids.pop(doing))
        if task not in ids:
            ids[task] = bars.add_task(task, total=total)
        bars.update(ids[task], completed=n_done, total=total)

    try:
        yield progress
    finally:
        timer.cancel()
        timer.join()
        bars.stop()
