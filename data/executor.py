"""Map a function over many jobs: in this process, in worker processes, or on Ray (`cluster.py`).

Every stage that scales cuts its work into jobs and maps a function over them. Results come in the
order of the jobs, so they do not depend on which worker did a job, or how often.

A worker is a `ProcessPoolExecutor` of one process, or a Ray actor: when it dies, no other worker
does, and the job it had is to blame. (A pool of many processes, or Ray's `ActorPool`, cannot tell
which job that was.) Our own code adds what these libraries do not promise: order within bounds,
three tries a job, and the end of busy workers when the parent asks for it or is killed.
"""

import os
import pickle
import reprlib
import signal
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from multiprocessing import get_context, parent_process, resource_tracker
from threading import Thread
from typing import Any, Protocol, TypeVar

from .errors import InputError
from .version import __version__

J = TypeVar("J")
R = TypeVar("R")

AHEAD = 4  # jobs per worker that may run ahead of the result waited for: a slow job stops no other
ATTEMPTS = 3  # one worker may die because of others (memory); if three do, it is the job


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
        raise InputError("--workers", f"{workers} is too few", "1 or more", kind="value")
    if ray:
        from .cluster import connected, pool_on_ray

        with (
            connected(ray, workers, cpus) as cluster,
            pool_on_ray(cluster, f"--ray {ray}", workers, cpus, gpus) as pool,
        ):
            yield pool
    elif workers is None or workers == 1:
        yield InProcess()
    else:
        with Pool("--workers", workers, _Process, BrokenProcessPool) as pool:
            yield pool


def worker_number() -> int:
    """Return the number (from 0) of this process among those of `--workers`; elsewhere 0.

    A process that replaces a dead one has its number. The number serves to share out what the
    machine has several of, such as GPUs: no result may depend on it.
    """
    return _number


@dataclass(slots=True, eq=False)
class Job:
    """A job that was pulled and whose result has not been yielded yet."""

    number: int
    packed: bytes = b""
    answer: bytes | BaseException | None = None  # its pickled result, or what it ended with
    n_deaths: int = 0


class Worker(Protocol):
    """A worker that does one job after another, in a process of its own."""

    number: int
    function: bytes  # the one it has
    job: Job | None
    future: Future[Any] | None  # what is waited for; None when idle

    def do(self, function: bytes | None, job: bytes) -> Future[tuple[bool, bytes]]:
        """Begin a job; `function` is None if it is the same as for the job before."""

    def kill(self) -> None:
        """End the worker at once, whatever it does."""

    def join(self) -> None:
        """Wait until the worker has ended."""

    def how(self, error: Exception) -> str:
        """Say how the worker died."""


@dataclass(slots=True)
class Pool:
    """A pool of up to `n_workers` workers, shared by all running `map` calls: else a `map` over the
    results of another one would wait for workers that the other one keeps."""

    place: str  # of an error that is no job's
    n_workers: int
    start: Callable[[int], Worker]  # by its number
    death: type[Exception]
    workers: list[Worker] = field(default_factory=list)
    n_lost: int = 0  # workers in a row that ended before they had begun

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, *_: object) -> None:
        self._end(self.workers)

    def map(self, function: Callable[[J], R], jobs: Iterable[J]) -> Iterator[R]:
        """Map a function over jobs, as `Executor` says. If closed early or failed, end its busy
        workers."""
        shared, stream = pickle.dumps(function), enumerate(jobs, start=1)
        ahead: deque[Job] = deque()
        more = True
        try:
            while True:
                more = more and self._pull(stream, ahead)
                if not ahead:
                    return
                self._hand_out(shared, ahead)
                self._look(patient=ahead[0].answer is None)
                # jobs before one that failed can still fail, and theirs is the error to raise
                more = more and not any(isinstance(job.answer, BaseException) for job in ahead)
                if (answer := ahead[0].answer) is not None:
                    ahead.popleft()
                    if isinstance(answer, BaseException):
                        raise answer
                    yield pickle.loads(answer)
        finally:
            self._end([worker for worker in self.workers if worker.job in ahead])

    def _pull(self, stream: Iterator[tuple[int, Any]], ahead: deque[Job]) -> bool:
        """Pull as many jobs as workers can begin; return whether there are more."""
        while (
            len(ahead) < AHEAD * self.n_workers
            and sum(job.answer is None for job in ahead) < self.n_workers
        ):
            try:
                number, job = next(stream)
                ahead.append(Job(number, pickle.dumps(job)))
            except StopIteration:
                return False
            except Exception as error:  # raised in its turn, as in one process
                ahead.append(Job(0, answer=error))
                return False
        return True

    def _hand_out(self, function: bytes, ahead: Iterable[Job]) -> None:
        """Give jobs to idle workers, and start more workers if these are too few."""
        at_work = [worker.job for worker in self.workers if worker.job is not None]
        waiting = deque(job for job in ahead if job.answer is None and job not in at_work)
        n_wanted = len(waiting) - (len(self.workers) - len(at_work))
        for _ in range(min(n_wanted, self.n_workers - len(self.workers))):
            free = set(range(self.n_workers)) - {worker.number for worker in self.workers}
            self.workers.append(self.start(min(free)))
        for worker in [worker for worker in self.workers if worker.future is None]:
            if not waiting:
                return
            sent = None if worker.function is function else function
            try:
                worker.future = worker.do(sent, waiting[0].packed)
            except self.death:  # it died when it had nothing to do
                self._end([worker])
            else:
                worker.function, worker.job = function, waiting.popleft()

    def _look(self, *, patient: bool) -> None:
        """Collect the answers of all workers, of any `map`; if `patient`, wait for at least one."""
        if patient:
            futures = [worker.future for worker in self.workers if worker.future is not None]
            wait(futures, return_when=FIRST_COMPLETED)
        for worker in list(self.workers):
            if worker.future is None or not worker.future.done():
                continue
            try:
                answer = worker.future.result()
            except self.death as error:
                self._end([worker])
                self._bury(worker.job, worker.how(error))
                continue
            if worker.job is not None:
                failed, packed = answer
                worker.job.answer = pickle.loads(packed) if failed else packed
            elif answer:
                wrong = f"this machine has colorless-green {__version__}, {answer}"
                right = "the same version on every machine of the cluster"
                raise InputError(self.place, wrong, right, kind="conflict")
            worker.future, worker.job, self.n_lost = None, None, 0

    def _bury(self, job: Job | None, how: str) -> None:
        """Count the death of a worker: its job is done again, or fails after `ATTEMPTS` deaths."""
        wrong = f"{ATTEMPTS} workers that tried it have died ({how})"
        right = "more memory or fewer --workers"
        if job is None:
            self.n_lost += 1
            if self.n_lost == ATTEMPTS:
                wrong = f"{ATTEMPTS} workers in a row have died before they began ({how})"
                raise InputError(self.place, wrong, right, kind="resources")
            return
        job.n_deaths += 1
        if job.n_deaths == ATTEMPTS:
            short = reprlib.Repr()
            short.maxstring = short.maxother = 80
            place = f"job {job.number}, {short.repr(pickle.loads(job.packed))}"
            right = f"{right}; or leave this input out"
            job.answer = InputError(place, wrong, right, kind="resources")

    def _end(self, workers: Sequence[Worker]) -> None:
        """End these workers at once: kill all of them before waiting for the first."""
        for worker in workers:
            worker.kill()
        for worker in workers:
            worker.join()
        self.workers = [worker for worker in self.workers if worker not in workers]


class _Process:
    """A worker process on this machine. It is spawned: a fork would copy locks that threads of the
    parent hold, and torch and NumPy have such threads."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.function = b""  # the one it has
        self.job: Job | None = None
        self.future: Future[Any] | None = None  # what is waited for; None when idle
        try:
            with _interrupts_held():
                self._pool = ProcessPoolExecutor(1, get_context("spawn"), _settle, (number,))
                self._pool.submit(str)  # starts it
        except OSError as error:
            wrong = f"no further process can be started ({error.strerror or error})"
            raise InputError("--workers", wrong, "fewer workers", kind="resources") from error
        (self._process,) = self._pool._processes.values()
        # with this end open, a reader of what a killed worker was writing would wait for ever
        self._pool._result_queue._writer.close()  # type: ignore[attr-defined]

    def do(self, function: bytes | None, job: bytes) -> Future[tuple[bool, bytes]]:
        return self._pool.submit(run_job, function, job)

    def kill(self) -> None:
        self._process.kill()

    def join(self) -> None:
        self._pool.shutdown()

    def how(self, error: Exception) -> str:
        code = self._process.exitcode or 0
        return f"signal {-code}, {signal.strsignal(-code)}" if code < 0 else f"exit code {code}"


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back until the end. A process started meanwhile ignores it from its first moment;
    later would be too late for one sent while its interpreter starts."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # else the first start does it, and lifts the block
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_number = 0  # of this process
_function = b""  # the one it has
_unpacked = lru_cache(maxsize=1)(pickle.loads)


def _settle(number: int) -> None:
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


def run_job(function: bytes | None, job: bytes) -> tuple[bool, bytes]:
    """Run a job; return whether it failed, and its pickled result or exception. Never raise."""
    global _function
    if function is not None:
        _function = function
    try:
        return False, pickle.dumps(_unpacked(_function)(pickle.loads(job)))
    except BaseException as error:  # also SystemExit: it is for the parent to end
        return True, pickle.dumps(_portable(error))


def _portable(error: BaseException) -> BaseException:
    """Return `error` with the traceback it has here as a note, which a pickle keeps; for an
    exception that does not survive pickling, a `RuntimeError` that says the same. A user's mistake
    stays as it is."""
    if isinstance(error, InputError):
        return error
    note = f"In a worker:\n{''.join(traceback.format_exception(error))}"
    error.add_note(note)
    try:
        if type(pickle.loads(pickle.dumps(error))) is type(error):
            return error
    except Exception:
        pass  # the substitute says all that this one said
    substitute = RuntimeError(f"{type(error).__name__}: {error}")
    substitute.add_note(note)
    return substitute
