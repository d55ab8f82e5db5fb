"""The way to a Ray cluster (extra `[cluster]`), and how many workers it has room for."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import NamedTuple

from colorless_green.data.errors import InputError
from colorless_green.data.executor.actors import Actors

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


class Needs(NamedTuple):
    """What a worker takes of a machine."""

    cpus: int = 1
    gpus: int = 0  # where the cluster has any


@contextmanager
def connected(address: str, workers: int | None, needs: Needs) -> Iterator[Actors]:
    """An executor on the cluster at `address` (`executor` in this package says which there are).

    A Ray that this process is connected to already is used as it is and stays connected.
    """
    ray = _ray()
    ours = not ray.is_initialized()
    if ours:
        _connect(ray, address, workers, needs)
    try:
        actors = _actors(ray, address, workers, needs)
        try:
            yield actors
        finally:
            actors.end()
    finally:
        if ours:
            ray.shutdown()


def _connect(ray: ModuleType, address: str, workers: int | None, needs: Needs) -> None:
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    if address == LOCAL:
        n_cpus = None if workers is None else workers * needs.cpus
        ray.init(LOCAL, num_cpus=n_cpus, include_dashboard=False, **quiet)
    else:
        _probe(address)
        ray.init(address, **quiet)


def _ray() -> ModuleType:
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)  # Ray reads them when it is imported
    try:
        return import_module("ray")
    except ModuleNotFoundError as error:
        wrong = f"needs the Python package {error.name!r}, which is not installed"
        raise InputError(
            "--ray", wrong, "pip install 'colorless-green[cluster]'", kind="dependency"
        ) from error


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
        raise InputError(
            place, f"no answer within {TIME_OUT_S:.0f} s", RUNNING, kind="network"
        ) from None
    if "Unauthenticated" in done.stderr:
        raise InputError(place, "the cluster asks for a token", TOKEN, kind="value")
    if done.returncode != 0:
        said = done.stderr.rpartition("PROBE ")[2].strip().splitlines()[-1:] or ["no reason given"]
        reason = said[0].partition(". ")[0].rstrip(".")  # what follows is advice, and long
        raise InputError(place, f"Ray cannot be reached ({reason})", RUNNING, kind="network")


def _actors(ray: ModuleType, address: str, workers: int | None, needs: Needs) -> Actors:
    """The executor on the cluster that `ray` is connected to; without `workers`, of as many as its
    machines have room for."""
    machines = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    most = max((int(machine.get("CPU", 0)) for machine in machines), default=0)
    if needs.cpus > max(most, 1):
        wrong = f"a worker is to have {needs.cpus} processors"
        raise InputError(
            f"--ray {address}",
            wrong,
            f"{most}, as the largest machine there has",
            kind="unsupported",
        )
    gpus = needs.gpus if any(machine.get("GPU", 0) >= needs.gpus for machine in machines) else 0
    room = sum(_room(machine, Needs(needs.cpus, gpus)) for machine in machines)
    return Actors(ray, address, workers or max(room, 1), cpus=needs.cpus, gpus=gpus)


def _room(machine: Mapping[str, float], needs: Needs) -> int:
    """How many workers a machine holds at a time."""
    by_cpus = int(machine.get("CPU", 0) // needs.cpus)
    return min(by_cpus, int(machine.get("GPU", 0) // needs.gpus)) if needs.gpus else by_cpus
