"""Jobs by processes of this machine.

Our own pool and not `concurrent.futures`: there the death of one worker ends them all, and nobody
knows which job it died of. Here each worker has a pipe and one job at a time, so that a death is
one job's, the others go on, and the function is sent once to each.

Workers are spawned: a fork copies locks that threads of the parent hold (torch and NumPy have
such threads), and a fork server saves some 40 ms of CPU a worker, once, for one more process and
no use on other systems (docs/scaling.md has figures).
"""

import pickle
import signal
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as any_of
from multiprocessing.context import SpawnProcess
from types import TracebackType
from typing import Any, Self, TypeVar

from colorless_green.data.errors import InputError
from colorless_green.data.executor.order import AHEAD, ATTEMPTS, Answer, given_up, in_order
from colorless_green.data.executor.worker import serve

J = TypeVar("J")
R = TypeVar("R")

SPAWN = get_context("spawn")
GRACE_S = 1.0  # a process whose pipe is closed is as good as over; its exit code comes now


@dataclass(slots=True, eq=False)
class _Worker:
    """A process, our end of its pipe, what it is doing."""

    process: SpawnProcess
    connection: Connection
    seat: int  # `worker.seat` there
    number: int = -1
    job: Any = None
    has_function: bool = False


class Processes:
    """An executor of up to `n_workers` processes, started when needed, ended with the context."""

    def __init__(self, n_workers: int) -> None:
        self.n_workers = n_workers
        self._idle: list[_Worker] = []
        self._all: list[_Worker] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end(self._all)

    def map(self, function: Callable[[J], R], jobs: Iterable[J]) -> Iterator[R]:
        """As `Executor` says. Closed early or failed, it ends the workers still at work."""
        crew = _Crew(self, pickle.dumps(function))
        try:
            yield from in_order(crew, jobs, AHEAD * self.n_workers)
        finally:
            crew.disband()

    def hire(self) -> _Worker:
        """An idle worker, or a new one."""
        if self._idle:
            return self._idle.pop()
        taken = {worker.seat for worker in self._all}
        worker = _started(next(seat for seat in count() if seat not in taken))
        self._all.append(worker)
        return worker

    def take_back(self, workers: Iterable[_Worker]) -> None:
        """Keeps workers who have nothing to do for the next `map`."""
        for worker in workers:
            worker.has_function = False
            self._idle.append(worker)

    def end(self, workers: Iterable[_Worker]) -> None:
        """Ends workers at once, all of them before the first is waited for."""
        ended = list(workers)
        for worker in ended:
            worker.process.kill()
        for worker in ended:
            worker.process.join()
            worker.connection.close()
        self._all = [worker for worker in self._all if worker not in ended]
        self._idle = [worker for worker in self._idle if worker not in ended]


@dataclass(slots=True, eq=False)
class _Crew:
    """The workers of one `map`."""

    pool: Processes
    function: bytes
    waiting: deque[tuple[int, Any]] = field(default_factory=deque)
    idle: list[_Worker] = field(default_factory=list)
    busy: dict[Connection, _Worker] = field(default_factory=dict)
    n_deaths: Counter[int] = field(default_factory=Counter)

    def has_room(self) -> bool:
        return len(self.waiting) + len(self.busy) < self.pool.n_workers

    def begin(self, number: int, job: Any) -> None:
        self.waiting.append((number, job))

    def finished(self, *, wait: bool) -> list[tuple[int, Answer]]:
        self._hand_out()
        ready = set(any_of(list(self.busy), timeout=None if wait else 0))
        workers = [worker for pipe, worker in self.busy.items() if pipe in ready]
        answers = [self._answer(worker) for worker in workers]
        return [each for each in answers if each is not None]

    def disband(self) -> None:
        """Ends the workers that are at work; the others go back to the pool."""
        self.pool.end(self.busy.values())
        self.pool.take_back(self.idle)

    def _hand_out(self) -> None:
        """Gives the jobs that wait to workers. All workers start before the first is written to,
        which can last until that one has read what does not fit into a pipe."""
        for worker in [self.idle.pop() if self.idle else self.pool.hire() for _ in self.waiting]:
            worker.number, worker.job = self.waiting.popleft()
            self.busy[worker.connection] = worker
            job = pickle.dumps(worker.job)
            try:
                worker.connection.send_bytes(b"" if worker.has_function else self.function)
                worker.connection.send_bytes(job)
            except OSError:
                continue  # it is dead, as reading from it will tell
            worker.has_function = True

    def _answer(self, worker: _Worker) -> tuple[int, Answer] | None:
        """What a worker answers; None if it died, and its job waits again."""
        try:
            packed = worker.connection.recv_bytes()
        except (EOFError, OSError):
            return self._died(worker)
        worker.job = None
        self.idle.append(self.busy.pop(worker.connection))
        answer: Answer = pickle.loads(packed)
        return worker.number, answer

    def _died(self, worker: _Worker) -> tuple[int, Answer] | None:
        worker.process.join(GRACE_S)
        how = _how(worker.process.exitcode)
        self.pool.end([self.busy.pop(worker.connection)])
        self.n_deaths[worker.number] += 1
        if self.n_deaths[worker.number] < ATTEMPTS:
            self.waiting.appendleft((worker.number, worker.job))
            return None
        return worker.number, Answer(None, given_up(worker.number, worker.job, how))


def _how(code: int | None) -> str:
    """How a process ended, from its exit code: a signal's is negative."""
    if code is None:
        return "its pipe was closed"
    return f"signal {-code}, {signal.strsignal(-code)}" if code < 0 else f"exit code {code}"


def _started(seat: int) -> _Worker:
    """A worker that has been started; it is ready some time later, and its pipe keeps its mail."""
    ours, theirs = SPAWN.Pipe()
    process = SPAWN.Process(target=serve, args=(theirs, seat), daemon=True)
    try:
        with _interrupts_held():
            process.start()
    except OSError as error:
        ours.close()
        wrong = f"no further process can be started ({error.strerror or error})"
        raise InputError("--workers", wrong, "fewer workers", kind="resources") from error
    finally:
        theirs.close()
    return _Worker(process, ours, seat)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Keeps Ctrl-C until the end. A process started meanwhile is deaf to it from its first moment;
    later would be too late for one sent while its interpreter starts."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # the first start would do it, and lift the block
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
