"""The one executor: a function over many jobs, in this process, by processes, or on Ray.

Every stage that scales cuts its work into jobs and maps a function over them; the results come in
the order of the jobs, so that nothing of who did what, or how often, shows in what comes of them.

`order` keeps the order and the bounds, `worker` is the far side, `processes` and `actors` (with
`cluster`) are the two ways there.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

from colorless_green.data.errors import InputError

J = TypeVar("J")
R = TypeVar("R")


class Executor(Protocol):
    """Whatever maps a function over jobs as the built-in `map` does, only elsewhere or faster.

    Results come in the order of the jobs, each once, as they are asked for: no more than four jobs
    a worker are ahead of the result that is waited for, jobs are pulled when a worker can begin
    one, and memory does not grow with their number. The error of the earliest job that fails (or
    the error of `jobs` itself) is raised in its place, after the results before it; an
    `InputError` is the same as in one process, another exception carries the worker's traceback
    as a note. A job whose worker dies is done again; after three deaths it is an `InputError`.

    So `function` must do nothing but return: it can run twice, or for a result nobody asks for.
    With more than one worker, function, jobs and results travel as pickles: a function of a
    module, not a lambda. What all jobs share goes into the function (`functools.partial(count,
    vocabulary)`), which is sent once to each worker; what stands in a job is sent with each.
    """

    def map(self, function: Callable[[J], R], jobs: Iterable[J]) -> Iterator[R]: ...


class InProcess:
    """One worker, this process: nothing is pickled, nothing runs ahead."""

    def map(self, function: Callable[[J], R], jobs: Iterable[J]) -> Iterator[R]:
        return map(function, jobs)


@contextmanager
def executor(
    workers: int | None = None, ray: str = "", *, cpus: int = 1, gpus: int = 0
) -> Iterator[Executor]:
    """The executor that `--workers` and `--ray` ask for, closed at the end with all it started.

    Without `ray`, 1 worker (or None) is this process and more are processes, started when there
    are jobs for them and kept for the next `map`. `ray` is `auto` (the cluster of this machine),
    `HOST:PORT`, `ray://HOST:PORT` or `local` (a cluster of this machine alone, for as long as the
    context lasts); `workers` is then the most jobs at a time, None as many as there is room for: a
    worker takes `cpus` processors and, on a cluster that has any, `gpus` GPUs, which it alone sees
    and keeps as long as the context lasts. On this machine nobody counts them.

    Raises `InputError` for fewer than one worker, a cluster that does not answer within half a
    minute, has another version of Ray or Python or no machine of `cpus` processors, and where Ray
    is not installed.
    """
    if workers is not None and workers < 1:
        raise InputError("--workers", f"{workers} is too few", "1 or more", kind="value")
    if ray:
        from colorless_green.data.executor.cluster import Needs, connected

        with connected(ray, workers, Needs(cpus, gpus)) as cluster:
            yield cluster
    elif workers is None or workers == 1:
        yield InProcess()
    else:
        from colorless_green.data.executor.processes import Processes

        with Processes(workers) as processes:
            yield processes
