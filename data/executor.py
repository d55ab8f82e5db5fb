"""Map a function over many jobs: in this process, in worker processes, or on Ray.

Every stage that can use several processors cuts its work into jobs and maps a function over them.
Results come in the order of the jobs, so they do not depend on which worker did a job, or how
often it was tried.

A worker is a `ProcessPoolExecutor` of one process, or an actor of Ray. If it dies, no other worker
dies with it, and the job that it had is the one to blame. (A pool of many processes, or Ray's
`ActorPool`, cannot say whose job that was.) This module adds what these libraries do not promise:
results in order with a bounded number of jobs ahead, three tries of a job, and an end of busy
workers when the parent stops or is killed.
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

MAX_JOBS_AHEAD = 4  # per worker, ahead of the awaited result, so that a slow job stops none
MAX_DEATHS = 3  # one worker may die because other programs use up memory; three die of the job
TIME_OUT_S = 20.0  # to reach a cluster; ray.init itself tries for minutes, and ignores Ctrl-C
RAY_SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",  # nothing leaves this machine
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",  # else Ray prints messages to stdout, among our results
}
RAY_QUIET = {"log_to_driver": False, "logging_level": "ERROR"}
PROBE_SCRIPT = f"""
import sys, ray
try:
    ray.init(sys.argv[1], **{RAY_QUIET})
except Exception as error:
    while error.__cause__: error = error.__cause__
    sys.exit(" ".join(["PROBE", *str(error).split()]))
"""


class Executor(Protocol):
    """An object that maps a function over jobs like the built-in `map`, perhaps in other processes.

    Results come in the order of the jobs, each once. At most four jobs per worker run ahead of the
    result that the caller waits for; a job is taken from `jobs` when a worker can begin it, so that
    memory does not grow with their number. If a job fails, or `jobs` itself does, the error is
    raised in its turn, after the results of the jobs before it. An `InputError` is the same as in
    one process; another exception carries the worker's traceback as a note. If a worker dies, its
    job is done again; after three deaths the job fails with an `InputError`.

    So `function` must have no side effects: it can run twice for one job, or for a result that
    nobody asks for. With more than one worker, function, jobs and results are pickled, so the
    function must be defined in a module; a lambda is not. Data that all jobs share belong in the
    function (`functools.partial(count, vocabulary)`), which each worker gets once; the data in a
    job are sent with that job.
    """

    def map(self, function: Callable[[J], R], jobs: Iterable[J]) -> Iterator[R]: ...


class InProcess:
    """The executor that does all jobs in this process: nothing is pickled, no job runs ahead."""

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
        gpus: GPUs that a worker takes on a cluster that has any: no other worker sees them as long
            as the context lasts. Without `ray` they are not counted.

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
    """A job that was taken from the caller and whose result has not been yielded yet."""

    number: int = 0  # from 1, in the caller's order
    packed: bytes = b""  # the job, pickled
    answer: Future[bytes] = field(default_factory=Future)  # its pickled result, or its error
    n_deaths: int = 0  # of workers that had the job


@dataclass(slots=True, eq=False)
class Worker:
    """A worker that does one job after another, in a process of its own."""

    submit: Callable[[bytes | None, bytes], Future[Any]]  # begins `run_job` there
    kill: Callable[[], None]  # ends the worker at once, whatever it does
    cause_of_death: Callable[[], str] = str  # "" if nothing is known but the error
    future: Future[Any] | None = None  # of its start or its job; None while it is idle
    job: Job | None = None
    function: bytes = b""  # the pickled function that it was sent last


@dataclass(slots=True)
class Pool:
    """A pool of up to `n_workers` workers.

    All running calls of `map` share them. Else a `map` over the results of another `map` would wait
    for workers that the other one keeps.
    """

    location: str  # for the message of an error that belongs to no job
    n_workers: int
    start: Callable[[int], Worker]  # starts the worker with this number
    death: type[Exception]  # raised by a worker's future if the worker has died
    workers: dict[int, Worker] = field(default_factory=dict)  # by number
    start_up: Job = field(default_factory=Job)  # stands for the start of any worker

    def map(self, function: Callable[[J], R], jobs: Iterable[J]) -> Iterator[R]:
        """Map a function over jobs, as `Executor` says.

        If the caller stops early, or a job fails, the workers that are busy with this call end.
        """
        packed_function, numbered_jobs = pickle.dumps(function), enumerate(jobs, start=1)
        ahead: deque[Job] = deque()
        try:
            while self._pull(numbered_jobs, ahead):
                self._hand_out(packed_function, ahead)
                # a result that can be yielded does not wait for the answers of other jobs
                self._collect_answers(timeout=0 if ahead[0].answer.done() else None)
                if ahead[0].answer.done():
                    yield pickle.loads(ahead.popleft().answer.result())
        finally:
            self._end([worker for worker in self.workers.values() if worker.job in ahead])

    def close(self) -> None:
        """End all workers."""
        self._end(self.workers.values())

    def _pull(self, numbered_jobs: Iterator[tuple[int, Any]], ahead: deque[Job]) -> bool:
        """Move as many jobs as workers can begin to `ahead`, the queue of jobs whose result is due.

        Returns whether the queue has any job; if not, all results have been yielded.
        """
        while (
            len(ahead) < MAX_JOBS_AHEAD * self.n_workers
            and sum(not job.answer.done() for job in ahead) < self.n_workers
        ):
            job = Job()
            try:
                job.number, content = next(numbered_jobs)
                job.packed = pickle.dumps(content)
            except StopIteration:
                break
            except Exception as error:  # is raised in its turn, as in one process
                job.answer.set_exception(error)
            ahead.append(job)
        return bool(ahead)

    def _hand_out(self, function: bytes, ahead: Iterable[Job]) -> None:
        """Give jobs of `ahead` to idle workers, and start more workers if these are too few."""
        at_work = [worker.job for worker in self.workers.values()]
        waiting = [job for job in ahead if not job.answer.done() and job not in at_work]
        free = [number for number in range(self.n_workers) if number not in self.workers]
        n_without_job = at_work.count(None)
        for number in free[: max(0, len(waiting) - n_without_job)]:
            self.workers[number] = self.start(number)
        idle = [worker for worker in self.workers.values() if worker.future is None]
        for worker, job in zip(idle, waiting, strict=False):
            sent = None if worker.function is function else function  # None: it has this function
            try:
                worker.future = worker.submit(sent, job.packed)
            except self.death:  # it died while it was idle
                self._end([worker])
                return self._hand_out(function, ahead)
            worker.function, worker.job = function, job
        return None

    def _collect_answers(self, *, timeout: int | None) -> None:
        """Store each answer that a worker has sent in its `Job`, for all running calls of `map`.

        `timeout` is the time to wait for the first answer, in seconds; None: as long as it takes.
        """
        busy = {worker.future: worker for worker in self.workers.values() if worker.future}
        for future in wait(busy, timeout, FIRST_COMPLETED).done:
            worker = busy[future]
            job = worker.job or self.start_up  # a worker without a job has answered its start
            worker.job = worker.future = None
            try:
                failed, packed = future.result()
            except self.death as error:
                self._end([worker])
                self._count_death(job, worker.cause_of_death() or type(error).__name__)
                continue
            self.start_up.n_deaths = 0  # workers can be started: only deaths in a row count
            if job is not self.start_up:
                set_answer = job.answer.set_exception if failed else job.answer.set_result
                set_answer(pickle.loads(packed) if failed else packed)
            elif failed:  # what a start sends is a message, not pickled
                right = "the same version on every machine of the cluster"
                raise InputError(self.location, packed, right, kind="conflict")

    def _count_death(self, job: Job, cause: str) -> None:
        """Count the death of a job's worker; after `MAX_DEATHS` deaths, make the job fail."""
        job.n_deaths += 1
        if job.n_deaths == MAX_DEATHS:
            name = f"job {job.number}, {pickle.loads(job.packed)!r:.80}" if job.packed else ""
            wrong = f"{MAX_DEATHS} workers in a row have died ({cause})"
            right = "more memory or fewer workers; or leave this input out"
            error = InputError(name or self.location, wrong, right, kind="resources")
            if job is self.start_up:
                raise error
            job.answer.set_exception(error)

    def _end(self, workers: Iterable[Worker]) -> None:
        """Kill these workers at once, whatever they do, and forget them."""
        for number, worker in list(self.workers.items()):
            if worker in workers:
                worker.kill()
                del self.workers[number]


_last_function = b""  # the pickled function that this process was sent last
_unpickled = lru_cache(maxsize=1)(pickle.loads)


def run_job(function: bytes | None, job: bytes) -> tuple[bool, bytes]:
    """Run a job in a worker; return whether it failed, and its pickled result or exception.

    Function and job are pickled; the function is None if it is that of the job before. `run_job`
    itself never raises. An exception gets its traceback as a note, which pickling keeps (for an
    `InputError` it does not). One that cannot be pickled becomes a `RuntimeError` with its text.
    """
    global _last_function
    _last_function = function or _last_function
    try:
        return False, pickle.dumps(_unpickled(_last_function)(pickle.loads(job)))
    except BaseException as error:  # also SystemExit: it is for the parent to end
        error.add_note(f"In a worker:\n{traceback.format_exc()}")
        try:
            pickle.loads(packed := pickle.dumps(error))  # some can be pickled, but not read again
        except Exception:
            substitute = RuntimeError(f"{type(error).__name__}: {error}")
            substitute.add_note(error.__notes__[-1])
            packed = pickle.dumps(substitute)
        return True, packed


def worker_number() -> int:
    """Return the number (from 0) of this process among the workers on this machine; 0 elsewhere.

    A process that replaces a dead one has its number. The number serves to share out things of
    which the machine has several, such as GPUs. No result may depend on it.
    """
    return _worker_number


def _start_process(number: int) -> Worker:
    """Start a worker process on this machine.

    It is spawned and not forked: a fork would copy locks that threads of the parent hold, and torch
    and NumPy have such threads. Ctrl-C is blocked meanwhile, and the process
    inherits that, so that it is not stopped by one that is sent while its interpreter starts.
    """
    pool_of_one = ProcessPoolExecutor(1, get_context("spawn"), _initialize, (number,))
    resource_tracker.ensure_running()  # else the first start runs it, and lifts the block
    previous_mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        pool_of_one.submit(str)  # starts it
    except OSError as error:
        wrong = f"no further process can be started ({error.strerror or error})"
        raise InputError("workers", wrong, "fewer workers", kind="resources") from error
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous_mask)
    (process,) = pool_of_one._processes.values()
    # else a read of what a killed worker was writing would wait for ever
    pool_of_one._result_queue._writer.close()  # type: ignore[attr-defined]

    def kill() -> None:
        """Kill the process, and free what this process holds for it."""
        process.kill()
        pool_of_one.shutdown()

    return Worker(
        submit=lambda function, job: pool_of_one.submit(run_job, function, job),
        kill=kill,
        cause_of_death=lambda: f"exit code {process.exitcode}",
    )


_worker_number = 0  # see `worker_number`


def _initialize(number: int) -> None:
    """Prepare a new worker process: it ignores Ctrl-C, which the parent handles, and it ends when
    the parent ends, even in the middle of a job."""
    global _worker_number
    _worker_number = number
    os.environ.setdefault("POLARS_MAX_THREADS", "1")  # one table thread a process; read on import
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Wait until the parent process has ended, then end this one."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _actor_class() -> type:
    """Return the class of the workers on Ray.

    Workers are actors and not tasks: an actor keeps its GPUs and what it has loaded. The class is
    local, so that Ray sends its code and not its name. So it can report a missing package, or
    another version, from a machine that cannot import this module.
    """

    class Worker:
        """A worker on Ray, which compares versions once and then runs jobs."""

        def begin(self, version: str) -> tuple[bool, str]:
            """Return whether this machine has another version of the package, and a message."""
            import platform

            try:
                from .version import __version__ as found
            except ImportError:
                found = "none"
            wrong = f"this machine has colorless-green {version}, {platform.node()} has {found}"
            return found != version, wrong

        def do(self, function: bytes | None, job: bytes) -> tuple[bool, bytes]:
            """Run a job, as `run_job` does."""
            answer: tuple[bool, bytes] = import_module(__name__).run_job(function, job)
            return answer

    return Worker


def _start_actor(ray: ModuleType, actor_class: Any, number: int) -> Worker:
    """Start a worker on Ray: an actor of the class `actor_class`. The number is not used.

    It gets no job before it has started, which can take long on a shared cluster.
    """
    actor = actor_class.remote()
    return Worker(
        submit=lambda function, job: actor.do.remote(function, job).future(),
        kill=partial(ray.kill, actor),
        future=actor.begin.remote(__version__).future(),
    )


@contextmanager
def pool_on_ray(address: str, workers: int | None, cpus: int, gpus: int) -> Iterator[Pool]:
    """Connect to a Ray cluster and yield a pool of workers there.

    The parameters are those of `executor`. A connection that this process already has is used and
    stays open.
    """
    for name, value in RAY_SETTINGS.items():
        os.environ.setdefault(name, value)  # Ray reads them when it is imported
    load({"ray": "ray:init"}, "ray", "ray", "")  # raises `InputError` if it is not installed
    ray = import_module("ray")
    with ExitStack() as at_exit:
        if not ray.is_initialized():
            at_exit.callback(ray.shutdown)
            n_cpus = workers and workers * cpus  # None: all of this machine
            local_settings = {"num_cpus": n_cpus, "include_dashboard": False}
            if address != "local":
                _probe(address)
            try:
                ray.init(address, **(local_settings if address == "local" else {}), **RAY_QUIET)
            except Exception as error:
                wrong = f"{address}: Ray cannot be started ({str(error).partition('. ')[0]})"
                right = "fewer workers, or work without Ray"
                raise InputError("ray", wrong, right, kind="resources") from error
        yield at_exit.enter_context(closing(_pool(ray, workers, cpus, gpus)))


def _probe(address: str) -> None:
    """Raise `InputError` if a cluster cannot be reached. A child process tries to connect: it can
    be killed if no answer comes."""
    command = [sys.executable, "-c", PROBE_SCRIPT, address]
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
        _, _, output = child.stderr.rpartition("PROBE ")
        *_, last_line = ["no reason given", *output.strip().splitlines()]
        reason = last_line.partition(". ")[0].rstrip(".")  # what follows is advice, and long
        if "Unauthenticated" in child.stderr:
            right = "RAY_AUTH_MODE=token in the environment and its token in ~/.ray/auth_token"
        wrong = f"{address} cannot be reached ({reason})"
        raise InputError("ray", wrong, right, kind="network")


def _pool(ray: ModuleType, workers: int | None, cpus: int, gpus: int) -> Pool:
    """Return a pool on the cluster that `ray` is connected to.

    Its workers take `cpus` processors and `gpus` GPUs each. If `workers` is None, it has as many as
    the machines have room for.
    """
    machines = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    max_cpus = max((int(machine.get("CPU", 0)) for machine in machines), default=0)
    if cpus > max(max_cpus, 1):
        wrong = f"a worker is to have {cpus} processors"
        right = f"{max_cpus}, as the largest machine there has"
        raise InputError("ray", wrong, right, kind="resources")
    needs = {"CPU": cpus}  # of a worker
    if gpus and any(machine.get("GPU", 0) >= gpus for machine in machines):
        needs["GPU"] = gpus  # on a cluster without GPUs, workers take none
    n_possible = sum(
        min(int(machine.get(resource, 0) // n) for resource, n in needs.items())
        for machine in machines
    )
    actors = ray.remote(_actor_class()).options(num_cpus=cpus, num_gpus=needs.get("GPU", 0))
    start = partial(_start_actor, ray, actors)
    return Pool("ray", workers or max(n_possible, 1), start, ray.exceptions.RayError)
