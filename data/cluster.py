"""Ray as an executor: a cluster that is reached or refused in time, and actors as its workers."""

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any

from .errors import InputError
from .pool import Job, Pool
from .version import __version__

TIME_OUT_S = 30.0  # ray.init itself keeps trying for minutes, and ignores Ctrl-C
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
    while error.__cause__ is not None:
        error = error.__cause__
    sys.exit(" ".join(["PROBE", *str(error).split()]))
"""


class Actor:
    """A worker on a Ray cluster. It is an actor, which keeps what it has loaded and its GPUs; a
    task of Ray may run in any process."""

    def __init__(self, ray: ModuleType, kind: Any, number: int) -> None:
        self.number, self.function = number, b""
        self.job: Job | None = None
        self._ray, self._handle = ray, kind.remote()
        # an actor gets no job before it has started, which can take long on a shared cluster
        self.future: Future[Any] | None = self._handle.begin.remote(__version__).future()

    def do(self, function: bytes | None, job: bytes) -> Future[tuple[bool, bytes]]:
        future: Future[tuple[bool, bytes]] = self._handle.do.remote(function, job).future()
        return future

    def kill(self) -> None:
        self._ray.kill(self._handle)

    def join(self) -> None:
        """Do nothing: waiting is left to Ray."""

    def how(self, error: Exception) -> str:
        return f"Ray says {type(error).__name__}"


def _remote_worker_class() -> type:
    """Return the class of the actors. It is local, so that Ray sends its code and not its name: it
    can report a missing or other version even on a machine without this package."""

    class Worker:
        def begin(self, version: str) -> str:
            """Return the machine and the version it has, if that is not `version`; else ""."""
            import platform

            try:
                from .version import __version__ as found
            except ImportError:
                found = "none"
            return "" if found == version else f"{platform.node()} has {found}"

        def do(self, function: bytes | None, job: bytes) -> tuple[bool, bytes]:
            from .pool import run_job

            return run_job(function, job)

    return Worker


@contextmanager
def connected(address: str, workers: int | None, cpus: int) -> Iterator[ModuleType]:
    """Connect Ray to a cluster and yield it. A connection that this process already has is used and
    stays open."""
    for name, value in RAY_SETTINGS.items():
        os.environ.setdefault(name, value)  # Ray reads them when it is imported
    try:
        ray = import_module("ray")
    except ModuleNotFoundError as error:
        wrong = f"needs the Python package {error.name!r}, which is not installed"
        right = "pip install 'colorless-green[cluster]'"
        raise InputError("--ray", wrong, right, kind="dependency") from error
    if ray.is_initialized():
        yield ray
        return
    try:
        if address == "local":
            n_cpus = None if workers is None else workers * cpus
            ray.init("local", num_cpus=n_cpus, include_dashboard=False, **RAY_QUIET)
        else:
            _probe(address)
            ray.init(address, **RAY_QUIET)
        yield ray
    finally:
        ray.shutdown()


def _probe(address: str) -> None:
    """Try the connection in a process of its own, which can be killed if nobody answers."""
    location = f"--ray {address}"
    running = (
        "auto or HOST:PORT on a machine of a running cluster, ray://HOST:10001 elsewhere, "
        "or local for this machine alone"
    )
    command = [sys.executable, "-c", PROBE, address]
    try:
        child = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIME_OUT_S
        )
    except subprocess.TimeoutExpired:
        wrong = f"no answer within {TIME_OUT_S:.0f} s"
        raise InputError(location, wrong, running, kind="network") from None
    if "Unauthenticated" in child.stderr:
        right = "RAY_AUTH_MODE=token in the environment and its token in ~/.ray/auth_token"
        raise InputError(location, "the cluster asks for a token", right, kind="network")
    if child.returncode != 0:
        tail = child.stderr.rpartition("PROBE ")[2].strip().splitlines()[-1:] or ["no reason given"]
        reason = tail[0].partition(". ")[0].rstrip(".")  # what follows is advice, and long
        raise InputError(location, f"Ray cannot be reached ({reason})", running, kind="network")


def pool_on_ray(ray: ModuleType, location: str, workers: int | None, cpus: int, gpus: int) -> Pool:
    """Return a pool on the cluster that `ray` is connected to. Without `workers`, it has as many as
    the machines have room for."""
    machines = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    max_cpus = max((int(machine.get("CPU", 0)) for machine in machines), default=0)
    if cpus > max(max_cpus, 1):
        wrong = f"a worker is to have {cpus} processors"
        right = f"{max_cpus}, as the largest machine there has"
        raise InputError(location, wrong, right, kind="resources")
    gpus = gpus if any(machine.get("GPU", 0) >= gpus for machine in machines) else 0
    needs = {"CPU": cpus, "GPU": gpus} if gpus else {"CPU": cpus}
    room = sum(
        min(int(machine.get(key, 0) // n) for key, n in needs.items()) for machine in machines
    )
    kind = ray.remote(_remote_worker_class()).options(num_cpus=cpus, num_gpus=gpus, max_restarts=0)
    start = partial(Actor, ray, kind)
    return Pool(location, workers or max(room, 1), start, ray.exceptions.RayError)
