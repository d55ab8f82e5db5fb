"""The executor on a Ray of this machine: the same contract, and addresses that lead nowhere."""

import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.data.executor import Executor, executor
from tests.data.executor_contract import CLAIMS, N_WORKERS, Claim, claim_name

ROOT = Path(__file__).resolve().parents[2]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs the extra [cluster]"),
]


SCRIPT = """
import sys
from functools import partial
from pathlib import Path
from colorless_green.data.errors import InputError
from colorless_green.data import executor as module
from colorless_green.data.executor import executor
from tests.data.executor_contract import killed

module.TIME_OUT_S = float(sys.argv[3])
try:
    with executor(2, sys.argv[1]) as on_ray:
        print(list(on_ray.map(partial(killed, Path(sys.argv[2]), 5, 2), range(8))))
except InputError as error:
    print(error.location, error.kind, sep=": ")
"""


def run(
    address: str, folder: Path, *, time_out_s: float = 30, env: dict[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """Return a program that has eight jobs done on Ray, the sixth of which kills two workers
    first."""
    return subprocess.run(
        [sys.executable, "-c", SCRIPT, address, str(folder), str(time_out_s)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, **(env or {})},
        timeout=120,
        check=False,
    )


RESULTS = "[0, -1, -2, -3, -4, -5, -6, -7]\n"


def test_a_local_ray_is_started_and_stopped_and_stdout_is_ours(tmp_path: Path) -> None:
    done = run("local", tmp_path)
    assert done.stdout == RESULTS  # Ray prints news of dead workers there, unless told not to
    assert done.returncode == 0


def test_a_running_cluster_is_used_and_left_running(tmp_path: Path) -> None:
    with head() as (port, env):
        for number, place in enumerate((f"127.0.0.1:{port}", "auto")):
            folder = tmp_path / str(number)
            folder.mkdir()
            done = run(place, folder, env=env)
            assert (done.returncode, done.stdout) == (0, RESULTS), done.stderr


@contextmanager
def head() -> Iterator[tuple[int, dict[str, str]]]:
    """Start a cluster of one machine; give its port, and the environment that its users need."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = tempfile.mkdtemp(prefix="ray-")  # short: names of sockets have a bound
    env = {"RAY_TMPDIR": folder, "RAY_AUTH_MODE": "disabled"}
    options = ("--num-cpus=2", "--object-store-memory=100000000", "--include-dashboard=false")
    command = ("start", "--head", "--block", f"--port={port}", "--disable-usage-stats", *options)
    program = subprocess.Popen(
        [sys.executable, "-m", "ray.scripts.scripts", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **env},
    )
    try:
        assert program.stdout is not None
        assert any("Ray runtime started" in line for line in program.stdout)
        yield port, env
    finally:
        program.send_signal(signal.SIGTERM)
        program.communicate(timeout=30)
        shutil.rmtree(folder, ignore_errors=True)


def test_an_address_where_nobody_answers_is_given_up_in_time(tmp_path: Path) -> None:
    done = run("127.0.0.1:1", tmp_path, time_out_s=4)
    assert done.stdout == "ray: network\n", done.stderr


def test_what_is_no_address_is_told(tmp_path: Path) -> None:
    done = run("nowhere", tmp_path)
    assert done.stdout == "ray: network\n", done.stderr


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InputError) as caught, executor(2, "local"):
        pass
    assert (caught.value.location, caught.value.kind) == ("ray", "dependency")


NEEDS = """
import ray
from colorless_green.data.errors import InputError
from colorless_green.data.executor import executor
from tests.data.executor_contract import sees_gpus

ray.init(num_cpus=5, num_gpus=2, include_dashboard=False, log_to_driver=False)
for needs in ({"cpus": 2, "gpus": 1}, {"cpus": 2, "gpus": 3}, {"gpus": 1}):
    with executor(None, "auto", **needs) as pool:
        found = [set(pool.map(sees_gpus, [0.2] * 8)) for _ in range(2)]
        print(sorted(gpu for _, gpu in found[0]), found[1] == found[0])
try:
    with executor(None, "auto", cpus=6):
        pass
except InputError as error:
    print(error.location, error.kind)
"""


def program(text: str, *arguments: str) -> list[str]:
    """Return the lines that a program writes, which ends well."""
    command = [sys.executable, "-c", text, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_workers_have_the_processors_and_gpus_they_need_for_as_long_as_they_live() -> None:
    """GPUs are numbers to Ray: it takes our word that there are two. A worker each; none where no
    machine has as many as are asked for; they count though there are more processors."""
    assert program(NEEDS) == [
        "['0', '1'] True",
        "['', ''] True",
        "['0', '1'] True",
        "ray resources",
    ]


ELSEWHERE = """
import sys, ray
from colorless_green.data.errors import InputError
from colorless_green.data.executor import executor

env = {"env_vars": {"PYTHONPATH": sys.argv[1]}}
ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env=env)
try:
    with executor(1, "auto") as pool:
        print(list(pool.map(abs, [-1])))
except InputError as error:
    print(error.location, error.kind)
"""


@pytest.mark.parametrize(
    ("package", "kind"),
    [
        ("__version__ = '9.9'", "conflict"),
        pytest.param("raise ImportError", "conflict", marks=pytest.mark.thorough),
        pytest.param("import os; os._exit(1)", "resources", marks=pytest.mark.thorough),
    ],
    ids=["another version", "none", "one that ends its process"],
)
def test_where_another_package_goes_by_our_name_nothing_is_begun(
    package: str, kind: str, tmp_path: Path
) -> None:
    (tmp_path / "colorless_green").mkdir()
    (tmp_path / "colorless_green" / "__init__.py").write_text(package, encoding="utf-8")
    assert program(ELSEWHERE, str(tmp_path)) == [f"ray {kind}"]


def ray_is_running() -> bool:
    for command in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # a process that has just ended
            if b"/raylet" in command.read_bytes():
                return True
    return False


def test_auto_starts_no_cluster(tmp_path: Path) -> None:
    if ray_is_running():
        pytest.skip("needs a machine on which no Ray is running")
    done = run("auto", tmp_path, env={"RAY_TMPDIR": str(tmp_path)})
    assert done.stdout == "ray: network\n", done.stderr


@pytest.fixture(scope="module")
def on_ray() -> Iterator[Executor]:
    ray = import_module("ray")
    ray.init(
        num_cpus=2, include_dashboard=False, object_store_memory=100_000_000, log_to_driver=False
    )
    with executor(N_WORKERS, "auto") as connected:
        yield connected
    assert ray.is_initialized()  # what was there before stays
    ray.shutdown()


@pytest.mark.parametrize("claim", CLAIMS, ids=claim_name)
def test_ray_keeps_the_contract(claim: Claim, on_ray: Executor, tmp_path: Path) -> None:
    claim(on_ray, tmp_path)


@given(st.lists(st.integers() | st.floats(allow_nan=False) | st.text(max_size=9), max_size=30))
@settings(max_examples=20)
def test_ray_gives_what_map_gives(on_ray: Executor, jobs: list[object]) -> None:
    assert list(on_ray.map(repr, jobs)) == list(map(repr, jobs))
