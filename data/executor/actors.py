"""Jobs by actors of a Ray cluster: processes that stay, each with the processors it was given.

Not by Ray's tasks, for which Ray finds a process anew each time: more of them than work at once
would load what a worker keeps (a model), and one that has begun to use a GPU can be told to use
another. As with our own processes, each worker has one job at a time and a death is one job's.

The function lies in Ray's object store once; each worker fetches and unpickles it once.
"""

import pickle
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from types import ModuleType
from typing import Any, TypeAlias, TypeVar

from colorless_green import __version__
from colorless_green.data.errors import InputError
from colorless_green.data.executor.order import AHEAD, ATTEMPTS, Answer, given_up, in_order
from colorless_green.data.executor.worker import Function, answer, unpacked

J = TypeVar("J")
R = TypeVar("R")
Ref: TypeAlias = Any  # ray.ObjectRef; of another class with ray://


@dataclass(slots=True, eq=False)
class _Worker:
    """An actor and what it is doing."""

    handle: Any
    crew: "_Crew | None" = None  # whose job it does; None before it is ready, and when it is idle
    number: int = -1
    job: Any = None


class Actors:
    """An executor of up to `n_workers` actors that take `cpus` processors and `gpus` GPUs each,
    started when needed, ended by `end`.

    They are shared by all that is mapped at a time: jobs that are results of another `map` of this
    executor would else wait for workers that the other one keeps.
    """

    def __init__(
        self, ray: ModuleType, address: str, n_workers: int, *, cpus: int, gpus: int
    ) -> None:
        self.ray, self.address, self.n_workers = ray, address, n_workers
        self._kind = ray.remote(_worker()).options(num_cpus=cpus, num_gpus=gpus, max_restarts=0)
        self._idle: list[_Worker] = []
        self._expected: dict[Ref, _Worker] = {}  # what is waited for: a worker's start, or answer
        self._n_lost = 0  # workers in a row that ended before they had begun
        errors = ray.exceptions
        self._deaths = (
            errors.RayActorError,
            errors.WorkerCrashedError,
            errors.OutOfMemoryError,
            errors.NodeDiedError,
        )

    def map(self, function: Callable[[J], R], jobs: Iterable[J]) -> Iterator[R]:
        """As `Executor` says. Closed early or failed, it ends the workers still at work."""
        crew = _Crew(self, self.ray.put(pickle.dumps(function)))
        try:
            yield from in_order(crew, jobs, AHEAD * self.n_workers)
        finally:
            self._end([worker for worker in self._expected.values() if worker.crew is crew])

    def end(self) -> None:
        """Ends all workers."""
        self._end([*self._expected.values(), *self._idle])

    def hand_out(self, crew: "_Crew") -> None:
        """Gives the jobs that wait in `crew` to idle workers, and starts some if these are few.

        A job is given to nobody who is not there yet: that can last as long as others use what
        the cluster has.
        """
        while crew.waiting and self._idle:
            worker = self._idle.pop()
            worker.crew, (worker.number, worker.job) = crew, crew.waiting.popleft()
            # a reference inside a list is handed on as it is: Ray would fetch a bare one every time
            told = worker.handle.do.remote(__version__, [crew.function], pickle.dumps(worker.job))
            self._expected[told] = worker
        n_coming = sum(worker.crew is None for worker in self._expected.values())
        n_free = self.n_workers - len(self._expected)
        for _ in range(min(len(crew.waiting) - n_coming, n_free)):
            worker = _Worker(self._kind.remote())
            self._expected[worker.handle.begin.remote()] = worker

    def look(self, *, wait: bool) -> None:
        """Tells every crew what its workers have answered since. With `wait`, for one at least."""
        refs = list(self._expected)
        if not refs:
            return
        n_wanted, time_out = (1, None) if wait else (len(refs), 0)
        ready, _ = self.ray.wait(refs, num_returns=n_wanted, timeout=time_out)
        for ref in ready:
            worker = self._expected.pop(ref)
            crew, worker.crew = worker.crew, None
            try:
                said = self.ray.get(ref)
            except self._deaths as error:
                self._died(worker, crew, f"Ray says {type(error).__name__}")
                continue
            self._idle.append(worker)
            self._n_lost = 0
            if crew is not None:
                crew.answers.append((worker.number, self._answer(said)))

    def _answer(self, said: bytes | str) -> Answer:
        if isinstance(said, str):
            wrong = f"this machine has colorless-green {__version__}, {said}"
            right = "the same version on every machine of the cluster"
            return Answer(None, InputError(f"--ray {self.address}", wrong, right, kind="value"))
        told: Answer = pickle.loads(said)
        return told

    def _died(self, worker: _Worker, crew: "_Crew | None", how: str) -> None:
        self._end([worker])
        if crew is not None:
            crew.lost(worker.number, worker.job, how)
            return
        self._n_lost += 1
        if self._n_lost >= ATTEMPTS:
            wrong = f"{ATTEMPTS} workers in a row were ended before they began ({how})"
            raise InputError(
                f"--ray {self.address}", wrong, "more memory or fewer --workers", kind="resources"
            )

    def _end(self, workers: Iterable[_Worker]) -> None:
        ended = list(workers)
        for worker in ended:
            self.ray.kill(worker.handle)
        self._idle = [worker for worker in self._idle if worker not in ended]
        self._expected = {
            ref: worker for ref, worker in self._expected.items() if worker not in ended
        }


@dataclass(slots=True, eq=False)
class _Crew:
    """The jobs of one `map`."""

    pool: Actors
    function: Ref
    waiting: deque[tuple[int, Any]] = field(default_factory=deque)
    answers: list[tuple[int, Answer]] = field(default_factory=list)
    n_begun: int = 0
    n_done: int = 0
    n_deaths: Counter[int] = field(default_factory=Counter)

    def has_room(self) -> bool:
        return self.n_begun - self.n_done < self.pool.n_workers

    def begin(self, number: int, job: Any) -> None:
        self.waiting.append((number, job))
        self.n_begun += 1

    def finished(self, *, wait: bool) -> list[tuple[int, Answer]]:
        self.pool.hand_out(self)
        self.pool.look(wait=wait and not self.answers)
        found, self.answers = self.answers, []
        self.n_done += len(found)
        return found

    def lost(self, number: int, job: Any, how: str) -> None:
        """Has a job whose worker died done again, up to a point."""
        self.n_deaths[number] += 1
        if self.n_deaths[number] < ATTEMPTS:
            self.waiting.appendleft((number, job))
        else:
            self.answers.append((number, Answer(None, given_up(number, job, how))))


def _worker() -> type:
    """The class of the actors.

    A local one, so that Ray sends its code and not its name: it can say what is the matter on a
    machine without this package.
    """

    class Worker:
        def begin(self) -> None:
            """Returns when the actor is there."""

        def do(self, version: str, function: list[Ref], job: bytes) -> bytes | str:
            """The answer to a job, or what is wrong with the machine."""
            import platform

            try:
                import colorless_green

                found = colorless_green.__version__
            except ImportError:
                found = "none"
            if found != version:
                return f"{platform.node()} has {found}"
            from colorless_green.data.executor.actors import perform

            return perform(function[0], job)

    return Worker


def perform(function: Ref, job: bytes) -> bytes:
    """The pickled answer to a pickled job, on the machine that does it."""
    return answer(_fetched(function), job)


@lru_cache(maxsize=1)
def _fetched(function: Ref) -> Function:
    packed: bytes = import_module("ray").get(function)
    return unpacked(packed)
