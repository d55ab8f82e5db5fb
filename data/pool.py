"""Map a function over jobs with several workers, each a process that can die.

A worker is a `ProcessPoolExecutor` of one process, or an actor of Ray: when it dies, nobody else
does, and the job it had is the one to blame. (A pool of many, or Ray's `ActorPool`, cannot say
whose job that was.) Our own code is what these libraries do not promise: order within bounds, three
tries, and an end of busy workers, whether the parent wants it or is killed.
"""

import pickle
import reprlib
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol, TypeVar

from .errors import InputError
from .version import __version__

J = TypeVar("J")
R = TypeVar("R")

AHEAD = 4  # jobs per worker that may be ahead of the result waited for: a slow one stops no other
ATTEMPTS = 3  # a worker can die of what others do (memory); three in a row die of the job


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

    location: str  # of an error that is no job's
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
                self._collect_answers(patient=ahead[0].answer is None)
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
            except Exception as error:  # in its turn, as in one process
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

    def _collect_answers(self, *, patient: bool) -> None:
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
                self._count_death(worker.job, worker.how(error))
                continue
            if worker.job is not None:
                failed, packed = answer
                worker.job.answer = pickle.loads(packed) if failed else packed
            elif answer:
                wrong = f"this machine has colorless-green {__version__}, {answer}"
                right = "the same version on every machine of the cluster"
                raise InputError(self.location, wrong, right, kind="conflict")
            worker.future, worker.job, self.n_lost = None, None, 0

    def _count_death(self, job: Job | None, cause: str) -> None:
        """Count the death of a worker: its job is done again, or fails after `ATTEMPTS` deaths."""
        wrong = f"{ATTEMPTS} workers that tried it have died ({cause})"
        right = "more memory or fewer --workers"
        if job is None:
            self.n_lost += 1
            if self.n_lost == ATTEMPTS:
                wrong = f"{ATTEMPTS} workers in a row have died before they began ({cause})"
                raise InputError(self.location, wrong, right, kind="resources")
            return
        job.n_deaths += 1
        if job.n_deaths == ATTEMPTS:
            short = reprlib.Repr()
            short.maxstring = short.maxother = 80
            location = f"job {job.number}, {short.repr(pickle.loads(job.packed))}"
            right = f"{right}; or leave this input out"
            job.answer = InputError(location, wrong, right, kind="resources")

    def _end(self, workers: Sequence[Worker]) -> None:
        """End these workers at once: kill all of them before waiting for the first."""
        for worker in workers:
            worker.kill()
        for worker in workers:
            worker.join()
        self.workers = [worker for worker in self.workers if worker not in workers]


_function = b""  # the one it has
_unpacked = lru_cache(maxsize=1)(pickle.loads)


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
