"""Map a function over jobs with several workers, each a process that can die.

A worker is a `ProcessPoolExecutor` of one process, or an actor of Ray: when it dies, nobody else
does, and the job it had is the one to blame. (A pool of many, or Ray's `ActorPool`, cannot say
whose job that was.) Our own code is what these libraries do not promise: order within bounds, three
tries, and an end of busy workers, whether the parent wants it or is killed.
"""

import pickle
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar

from .errors import InputError

J = TypeVar("J")
R = TypeVar("R")

AHEAD = 4  # jobs per worker that may be ahead of the result waited for: a slow one stops no other
ATTEMPTS = 3  # a worker can die of what others do (memory); three in a row die of the job


@dataclass(slots=True, eq=False)
class Job:
    """A job that was pulled and whose result has not been yielded yet."""

    number: int = 0
    packed: bytes = b""
    answer: Future[bytes] = field(default_factory=Future)  # its pickled result, or its error
    n_deaths: int = 0


@dataclass(slots=True, eq=False)
class Worker:
    """A worker that does one job after another, in a process of its own."""

    submit: Callable[[bytes | None, bytes], Future[Any]]  # begins `run_job`
    kill: Callable[[], None]  # ends it at once, whatever it does
    how: Callable[[], str] = str  # says how it died, if more is known than the error
    future: Future[Any] | None = None  # what is waited for: its start, a job; None when idle
    job: Job | None = None
    function: bytes = b""  # the one it has


@dataclass(slots=True)
class Pool:
    """A pool of up to `n_workers` workers, shared by all running `map` calls: else a `map` over the
    results of another one would wait for workers that the other one keeps."""

    location: str  # of an error that is no job's
    n_workers: int
    start: Callable[[int], Worker]  # by its number
    death: type[Exception]
    workers: dict[int, Worker] = field(default_factory=dict)
    start_up: Job = field(default_factory=Job)  # what a worker is at before its first job

    def map(self, function: Callable[[J], R], jobs: Iterable[J]) -> Iterator[R]:
        """Map a function over jobs, as `Executor` says. If closed early or failed, end its busy
        workers."""
        shared, stream = pickle.dumps(function), enumerate(jobs, start=1)
        ahead: deque[Job] = deque()
        try:
            while self._pull(stream, ahead):
                self._hand_out(shared, ahead)
                self._collect_answers(timeout=0 if ahead[0].answer.done() else None)
                if ahead[0].answer.done():
                    yield pickle.loads(ahead.popleft().answer.result())
        finally:
            self._end([worker for worker in self.workers.values() if worker.job in ahead])

    def close(self) -> None:
        """End all workers."""
        self._end(self.workers.values())

    def _pull(self, stream: Iterator[tuple[int, Any]], ahead: deque[Job]) -> bool:
        """Pull as many jobs as workers can begin; return whether any result is to be yielded."""
        while (
            len(ahead) < AHEAD * self.n_workers
            and sum(not job.answer.done() for job in ahead) < self.n_workers
        ):
            job = Job()
            try:
                job.number, content = next(stream)
                job.packed = pickle.dumps(content)
            except StopIteration:
                break
            except Exception as error:  # in its turn, as in one process
                job.answer.set_exception(error)
            ahead.append(job)
        return bool(ahead)

    def _hand_out(self, function: bytes, ahead: Iterable[Job]) -> None:
        """Give jobs to idle workers, and start more workers if these are too few."""
        at_work = [worker.job for worker in self.workers.values()]
        waiting = [job for job in ahead if not job.answer.done() and job not in at_work]
        free = [number for number in range(self.n_workers) if number not in self.workers]
        for number in free[: max(0, len(waiting) - at_work.count(None))]:
            self.workers[number] = self.start(number)
        idle = [worker for worker in self.workers.values() if worker.future is None]
        for worker, job in zip(idle, waiting, strict=False):
            sent = None if worker.function is function else function
            try:
                worker.future = worker.submit(sent, job.packed)
            except self.death:  # it died when it had nothing to do
                self._end([worker])
                return self._hand_out(function, ahead)
            worker.function, worker.job = function, job
        return None

    def _collect_answers(self, *, timeout: int | None) -> None:
        """Collect the answers of all workers, of any `map`; wait for the first of them."""
        busy = {worker.future: worker for worker in self.workers.values() if worker.future}
        for future in wait(busy, timeout, FIRST_COMPLETED).done:
            worker = busy[future]
            job, worker.job, worker.future = worker.job or self.start_up, None, None
            try:
                failed, packed = future.result()
            except self.death as error:
                self._end([worker])
                self._count_death(job, worker.how() or type(error).__name__)
                continue
            self.start_up.n_deaths = 0
            if job is not self.start_up:
                settle = job.answer.set_exception if failed else job.answer.set_result
                settle(pickle.loads(packed) if failed else packed)
            elif failed:
                right = "the same version on every machine of the cluster"
                raise InputError(self.location, packed, right, kind="conflict")

    def _count_death(self, job: Job, cause: str) -> None:
        """Count the death of a worker: its job is done again, or fails after `ATTEMPTS` deaths."""
        job.n_deaths += 1
        if job.n_deaths == ATTEMPTS:
            name = f"job {job.number}, {pickle.loads(job.packed)!r:.80}" if job.packed else ""
            wrong = f"{ATTEMPTS} workers in a row have died ({cause})"
            right = "more memory or fewer workers; or leave this input out"
            error = InputError(name or self.location, wrong, right, kind="resources")
            if job is self.start_up:
                raise error
            job.answer.set_exception(error)

    def _end(self, workers: Iterable[Worker]) -> None:
        """End these workers at once."""
        for number, worker in list(self.workers.items()):
            if worker in workers:
                worker.kill()
                del self.workers[number]


_function = b""  # the one this process has
_unpacked = lru_cache(maxsize=1)(pickle.loads)


def run_job(function: bytes | None, job: bytes) -> tuple[bool, bytes]:
    """Run a job; return whether it failed, and its pickled result or exception. Never raise.

    `function` is None if it is the same as for the job before. An exception has the traceback it
    has here as a note, which a pickle keeps (but not a user's mistake); one that does not survive
    pickling is a `RuntimeError` that says the same.
    """
    global _function
    _function = function or _function
    try:
        return False, pickle.dumps(_unpacked(_function)(pickle.loads(job)))
    except BaseException as error:  # also SystemExit: it is for the parent to end
        error.add_note(f"In a worker:\n{traceback.format_exc()}")
        try:
            pickle.loads(packed := pickle.dumps(error))
        except Exception:
            substitute = RuntimeError(f"{type(error).__name__}: {error}")
            substitute.add_note(error.__notes__[-1])
            packed = pickle.dumps(substitute)
        return True, packed
