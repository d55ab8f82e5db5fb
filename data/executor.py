"""Map a function over many jobs: in this process, in worker processes, or on Ray.

Every stage that scales cuts its work into jobs and maps a function over them. Results come in the
order of the jobs, so they do not depend on which worker did a job, or how often.

A worker is a `ProcessPoolExecutor` of one process, or an actor of Ray: when it dies, nobody else
does, and the job it had is the one to blame. (A pool of many, or Ray's `ActorPool`, cannot say
whose job that was.) Our own code is what these libraries do not promise: order within bounds, three
tries, and an end of busy workers, whether the parent wants it or is killed.
"""

import os
import pickle
import signal
import subprocess
import sys
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import lru_cache, partial
from importlib import import_module
from multiprocessing import get_context, parent_process, resource_tracker
from threading import Thread
from types import ModuleType
from typing import Any, Protocol, TypeVar

from .errors import InputError
from .registry import load
from .version import __version__

J = TypeVar("J")
R = TypeVar("R")

AHEAD = 4  # jobs per worker that may be ahead of the result waited for: a slow one stops no other
ATTEMPTS = 3  # a worker can die of what others do (memory); three in a row die of the job
TIME_OUT_S = 20.0  # ray.init itself keeps trying for minutes, and ignores Ctrl-C
RAY_SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",  # nothing leaves this machine
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",  # Ray prints its news on stdout, between our results
}
RAY_QUIET = {"log_to_driver": False, "logging_level": "ERROR"}
PROBE = f"""
import sys, ray
try:
    ray.init(sys.argv[1], **{RAY_QUIET})
except Exception as error:
    while error.__cause__: error = error.__cause__
    sys.exit(" ".join(["PROBE", *str(error).split()]))
"""


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
        with pool_on_ray(ray, workers, cpus, gpus) as pool:
            yield pool
    elif workers is None or workers == 1:
        yield InProcess()
    else:
        with closing(Pool("workers", workers, _start_process, BrokenProcessPool)) as pool:
            yield pool


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


def _actor_class() -> type:
    """Return the class of the actors. It is local, so that Ray sends its code and not its name: it
    can report a missing or other version even on a machine without this package.

    A worker is an actor, which keeps what it has loaded and its GPUs; a task may run anywhere.
    """

    class Worker:
        def begin(self, version: str) -> tuple[bool, str]:
            """Return whether this machine has another version than `version`, and which."""
            import platform

            try:
                from .version import __version__ as found
            except ImportError:
                found = "none"
            wrong = f"this machine has colorless-green {version}, {platform.node()} has {found}"
            return found != version, wrong

        def do(self, function: bytes | None, job: bytes) -> tuple[bool, bytes]:
            answer: tuple[bool, bytes] = import_module(__name__).run_job(function, job)
            return answer

    return Worker


def _start_actor(ray: ModuleType, kind: Any, number: int) -> Worker:
    """Start a worker. It gets no job before it has started, which can take long on a shared
    cluster; waiting for its end is left to Ray."""
    actor = kind.remote()
    return Worker(
        lambda function, job: actor.do.remote(function, job).future(),
        partial(ray.kill, actor),
        future=actor.begin.remote(__version__).future(),
    )


@contextmanager
def pool_on_ray(address: str, workers: int | None, cpus: int, gpus: int) -> Iterator[Pool]:
    """Connect Ray to a cluster and yield a pool there. A connection that this process already has
    is used and stays open."""
    for name, value in RAY_SETTINGS.items():
        os.environ.setdefault(name, value)  # Ray reads them when it is imported
    load({"ray": "ray:init"}, "ray", "ray", "")  # refused where it is not installed
    ray = import_module("ray")
    with ExitStack() as ends:
        if not ray.is_initialized():
            ends.callback(ray.shutdown)
            own = {"num_cpus": workers and workers * cpus, "include_dashboard": False}
            if address != "local":
                _probe(address)
            try:
                ray.init(address, **(own if address == "local" else {}), **RAY_QUIET)
            except Exception as error:
                wrong = f"{address}: Ray cannot be started ({str(error).partition('. ')[0]})"
                right = "fewer workers, or work without Ray"
                raise InputError("ray", wrong, right, kind="resources") from error
        yield ends.enter_context(closing(_pool(ray, workers, cpus, gpus)))


def _probe(address: str) -> None:
    """Try the connection in a process of its own, which can be killed if nobody answers."""
    command = [sys.executable, "-c", PROBE, address]
    right = (
        "auto or HOST:PORT on a machine of a running cluster, ray://HOST:10001 elsewhere, "
        "or local for this machine alone"
    )
    try:
        child = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIME_OUT_S
        )
    except subprocess.TimeoutExpired:
        wrong = f"no answer from {address} within {TIME_OUT_S:.0f} s"
        raise InputError("ray", wrong, right, kind="network") from None
    if child.returncode != 0:
        tail = child.stderr.rpartition("PROBE ")[2].strip().splitlines()[-1:] or ["no reason given"]
        reason = tail[0].partition(". ")[0].rstrip(".")  # what follows is advice, and long
        if "Unauthenticated" in child.stderr:
            right = "RAY_AUTH_MODE=token in the environment and its token in ~/.ray/auth_token"
        wrong = f"{address} cannot be reached ({reason})"
        raise InputError("ray", wrong, right, kind="network")


def _pool(ray: ModuleType, workers: int | None, cpus: int, gpus: int) -> Pool:
    """Return a pool on the cluster that `ray` is connected to. Without `workers`, it has as many as
    the machines have room for."""
    machines = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    max_cpus = max((int(machine.get("CPU", 0)) for machine in machines), default=0)
    if cpus > max(max_cpus, 1):
        wrong = f"a worker is to have {cpus} processors"
        right = f"{max_cpus}, as the largest machine there has"
        raise InputError("ray", wrong, right, kind="resources")
    needs = {"CPU": cpus}
    if gpus and any(machine.get("GPU", 0) >= gpus for machine in machines):
        needs["GPU"] = gpus
    room = sum(min(int(each.get(key, 0) // n) for key, n in needs.items()) for each in machines)
    kind = ray.remote(_actor_class()).options(num_cpus=cpus, num_gpus=needs.get("GPU", 0))
    start = partial(_start_actor, ray, kind)
    return Pool("ray", workers or max(room, 1), start, ray.exceptions.RayError)
