"""Jobs by the machines of a Ray cluster (extra `[cluster]`).

Ray does a task again when its worker or its machine dies, as often as `max_retries` says. The
function lies in Ray's object store once; each worker process fetches and unpickles it once.
"""

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
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

LOCAL = "local"
TIME_OUT_S = 30.0  # ray.init itself tries for minutes where nobody answers, deaf to Ctrl-C
SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",  # nothing leaves this machine
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",  # Ray prints its news on stdout, between our results
}
PROBE = """
import sys, ray
try:
    ray.init(sys.argv[1], log_to_driver=False, logging_level="ERROR")
except Exception as error:
    while error.__cause__ is not None:
        error = error.__cause__
    sys.exit(" ".join(["PROBE", *str(error).split()]))
"""
RUNNING = (
    "auto or HOST:PORT on a machine of a running cluster, ray://HOST:10001 elsewhere, "
    "or local for this machine alone"
)
TOKEN = "RAY_AUTH_MODE=token in the environment and the cluster's token in ~/.ray/auth_token"


@contextmanager
def connected(address: str, workers: int | None) -> Iterator["Cluster"]:
    """An executor on the cluster at `address` (`executor` in this package says which there are).

    A Ray that this process is connected to already is used as it is and stays connected.
    """
    ray = _ray()
    if ray.is_initialized():
        yield _cluster(ray, address, workers)
        return
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    if address == LOCAL:
        ray.init(LOCAL, num_cpus=workers, include_dashboard=False, **quiet)
    else:
        _probe(address)
        ray.init(address, **quiet)
    try:
        yield _cluster(ray, address, workers)
    finally:
        ray.shutdown()


def _ray() -> ModuleType:
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)  # Ray reads them when it is imported
    try:
        return import_module("ray")
    except ModuleNotFoundError as error:
        wrong = f"needs the Python package {error.name!r}, which is not installed"
        raise InputError("--ray", wrong, "pip install 'colorless-green[cluster]'") from error


def _probe(address: str) -> None:
    """Connects in a process of its own, which can be ended when nobody answers."""
    place = f"--ray {address}"
    try:
        done = subprocess.run(
            [sys.executable, "-c", PROBE, address],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIME_OUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise InputError(place, f"no answer within {TIME_OUT_S:.0f} s", RUNNING) from None
    if "Unauthenticated" in done.stderr:
        raise InputError(place, "the cluster asks for a token", TOKEN)
    if done.returncode != 0:
        said = done.stderr.rpartition("PROBE ")[2].strip().splitlines()[-1:] or ["no reason given"]
        reason = said[0].partition(". ")[0].rstrip(".")  # what follows is advice, and long
        raise InputError(place, f"Ray cannot be reached ({reason})", RUNNING)


@dataclass(frozen=True, slots=True)
class Cluster:
    """An executor of up to `n_workers` jobs at a time."""

    ray: ModuleType
    task: Any  # `_task()` as a remote function
    address: str
    n_workers: int

    def map(self, function: Callable[[J], R], jobs: Iterable[J]) -> Iterator[R]:
        """As `Executor` says. Closed early or failed, it cancels the jobs still at work."""
        crew = _Crew(self, self.ray.put(pickle.dumps(function)))
        try:
            yield from in_order(crew, jobs, AHEAD * self.n_workers)
        finally:
            crew.disband()


def _cluster(ray: ModuleType, address: str, workers: int | None) -> Cluster:
    """The cluster that `ray` is connected to; without `workers`, as many as it has CPUs."""
    task = ray.remote(_task()).options(max_retries=ATTEMPTS - 1)
    n_cpus = int(ray.cluster_resources().get("CPU", 1))
    return Cluster(ray, task, address, workers or max(n_cpus, 1))


@dataclass(slots=True, eq=False)
class _Crew:
    """The tasks of one `map`."""

    cluster: Cluster
    function: Ref
    running: dict[Ref, tuple[int, Any]] = field(default_factory=dict)

    def has_room(self) -> bool:
        return len(self.running) < self.cluster.n_workers

    def begin(self, number: int, job: Any) -> None:
        # a reference inside a list is handed on as it is: Ray would fetch a bare one every time
        ref = self.cluster.task.remote(__version__, [self.function], pickle.dumps(job))
        self.running[ref] = (number, job)

    def finished(self, *, wait: bool) -> list[tuple[int, Answer]]:
        refs = list(self.running)
        if not refs:
            return []
        n_wanted, time_out = (1, None) if wait else (len(refs), 0)
        ready, _ = self.cluster.ray.wait(refs, num_returns=n_wanted, timeout=time_out)
        return [self._answer(ref) for ref in ready]

    def disband(self) -> None:
        for ref in self.running:
            self.cluster.ray.cancel(ref, force=True)

    def _answer(self, ref: Ref) -> tuple[int, Answer]:
        errors = self.cluster.ray.exceptions
        number, job = self.running[ref]
        try:
            said = self.cluster.ray.get(ref)
        except (errors.WorkerCrashedError, errors.OutOfMemoryError, errors.NodeDiedError) as error:
            how = f"Ray says {type(error).__name__}"
            return number, Answer(None, given_up(number, job, how))
        finally:
            del self.running[ref]
        if isinstance(said, str):
            here = f"this machine has colorless-green {__version__}"
            wrong = f"{here}, {said}"
            right = "the same version on every machine of the cluster"
            return number, Answer(None, InputError(f"--ray {self.cluster.address}", wrong, right))
        told: Answer = pickle.loads(said)
        return number, told


def _task() -> Callable[[str, list[Ref], bytes], bytes | str]:
    """The function that Ray runs on the machines: the answer, or what is wrong with the machine."""

    def task(version: str, function: list[Any], job: bytes) -> bytes | str:
        """A local function, so that Ray sends its code and not its name: it can say what is the
        matter on a machine without this package."""
        import platform

        try:
            import colorless_green

            found = colorless_green.__version__
        except ImportError:
            found = "none"
        if found != version:
            return f"{platform.node()} has {found}"
        from colorless_green.data.executor.cluster import perform

        return perform(function[0], job)

    return task


def perform(function: Ref, job: bytes) -> bytes:
    """The pickled answer to a pickled job, on the machine that does it."""
    return answer(_fetched(function), job)


@lru_cache(maxsize=1)
def _fetched(function: Ref) -> Function:
    packed: bytes = import_module("ray").get(function)
    return unpacked(packed)
