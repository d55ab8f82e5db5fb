"""Map a function over many jobs: in this process, in worker processes, or on Ray (`cluster.py`).

Every stage that scales cuts its work into jobs and maps a function over them. Results come in the
order of the jobs, so they do not depend on which worker did a job, or how often.
"""

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from multiprocessing import get_context, parent_process, resource_tracker
from threading import Thread
from typing import Protocol, TypeVar

from .errors import InputError
from .pool import Pool, Worker, run_job

J = TypeVar("J")
R = TypeVar("R")


class Executor(Protocol):
    """An object that maps a function over jobs like the built-in `map`, only elsewhere or faster.

    Results come in the order of the jobs, each once, as they are asked for: at most four jobs a
    worker run ahead of the result that is waited for, jobs are pulled when a worker can begin one,
    and memory does not grow with their number. The error of the earliest job that fails (or the
    error of `jobs` itself) is raised in its turn, after the results before it; an `InputError` is
    the same as in one process, another exception carries the worker's traceback as a note. A job
    whose worker dies is done again; after three deaths it is an `InputError`.

    So `function` must have no side effects: it can run twice, or for a result nobody asks for. With
    more than one worker, function, jobs and results are pickled, so the function must be one of a
    module, not a lambda. What all jobs share belongs in the function (`functools.partial(count,
    vocabulary)`), which is sent once to each worker; what is in a job is sent with each.
    """

    def map(self, function: Callable[[J], R], jobs: Iterable[J]) -> Iterator[R]: ...


class InProcess:
    """The executor with one worker, this process: nothing is pickled, nothing runs ahead."""

    def map(self, function: Callable[[J], R], jobs: Iterable[J]) -> Iterator[R]:
        return map(function, jobs)


@contextmanager
def executor(
    workers: int | None = None, ray: str = "", *, cpus: int = 1, gpus: int = 0
) -> Iterator[Executor]:
    """Open the executor that `--workers` and `--ray` ask for; close it and its workers at the end.

        with executor(8) as pool:
            total = sum(pool.map(count, shards))

    Args:
        workers: The largest number of jobs at a time. Without `ray`, 1 or None is this process, and
            more are processes, started when there are jobs for them and kept for the next `map`.
            On Ray, None is as many as there is room for.
        ray: `auto` (the cluster of this machine), `HOST:PORT`, `ray://HOST:PORT`, or `local` (a
            cluster of this machine alone, for as long as the context lasts).
        cpus: Processors that a worker on Ray takes.
        gpus: GPUs that it takes on a cluster that has any: no other worker sees them as long as the
            context lasts. Without `ray` they are not counted.

    Raises:
        InputError: Fewer than one worker; a cluster that does not answer within half a minute, has
            another version of Ray or Python, or no machine of `cpus` processors; no Ray installed.
    """
    if workers is not None and workers < 1:
        raise InputError("workers", f"{workers} is too few", "1 or more", kind="value")
    if ray:
        from .cluster import pool_on_ray

        with pool_on_ray(ray, workers, cpus, gpus) as pool:
            yield pool
    elif workers is None or workers == 1:
        yield InProcess()
    else:
        with closing(Pool("workers", workers, _start_process, BrokenProcessPool)) as pool:
            yield pool


def worker_number() -> int:
    """Return the number (from 0) of this process among those of `--workers`; elsewhere 0.

    A process that replaces a dead one has its number. The number serves to share out what the
    machine has several of, such as GPUs: no result may depend on it.
    """
    return _number


def _start_process(number: int) -> Worker:
    """Start a worker process on this machine. It is spawned: a fork would copy locks that threads
    of the parent hold, and torch and NumPy have such threads.

    Ctrl-C is held back meanwhile, so that the process ignores it from its first moment; later would
    be too late for one sent while its interpreter starts.
    """
    alone = ProcessPoolExecutor(1, get_context("spawn"), _initialize, (number,))
    resource_tracker.ensure_running()  # else the first start does it, and lifts the block
    previous_mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        alone.submit(str)  # starts it
    except OSError as error:
        wrong = f"no further process can be started ({error.strerror or error})"
        raise InputError("workers", wrong, "fewer workers", kind="resources") from error
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous_mask)
    (process,) = alone._processes.values()
    # with this end open, who reads what a killed worker was writing would wait for ever
    alone._result_queue._writer.close()  # type: ignore[attr-defined]

    def kill() -> None:
        process.kill()
        alone.shutdown()

    return Worker(
        lambda function, job: alone.submit(run_job, function, job),
        kill,
        lambda: f"exit code {process.exitcode}",
    )


_number = 0  # of this process


def _initialize(number: int) -> None:
    """Prepare a new worker process: it ignores Ctrl-C, which is its parent's, and ends with its
    parent, even in the middle of a job."""
    global _number
    _number = number
    os.environ.setdefault("POLARS_MAX_THREADS", "1")  # one table thread a process; read on import
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
