"""Ray as an executor: a cluster that is reached or refused in time, and actors as its workers."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any

from .errors import InputError
from .executor import Pool, Worker
from .registry import load
from .version import __version__

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
            from .executor import run_job

            return run_job(function, job)

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
