"""The executor in this process and by processes: the contract, and the ends that a run can have."""

import operator
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from multiprocessing import active_children
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.data.executor import Executor, executor, worker_number
from tests.builders import few_examples
from tests.data.executor_contract import (
    CLAIMS,
    N_WORKERS,
    Claim,
    claim_name,
    counting,
    seated,
    slept,
)

ROOT = Path(__file__).resolve().parents[2]
NO_PROC = not Path("/proc/self/stat").exists()


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    with executor(N_WORKERS) as pool:
        yield pool


@pytest.mark.parametrize("claim", CLAIMS, ids=claim_name)
def test_processes_keep_the_contract(claim: Claim, processes: Executor, tmp_path: Path) -> None:
    claim(processes, tmp_path)


@pytest.mark.slow
@few_examples
@given(st.lists(st.integers() | st.floats(allow_nan=False) | st.text(max_size=9), max_size=30))
def test_processes_give_what_map_gives(processes: Executor, jobs: list[object]) -> None:
    assert list(processes.map(repr, jobs)) == list(map(repr, jobs))


@given(st.lists(st.integers(-3, 3), max_size=9))
def test_processes_fail_where_map_fails(processes: Executor, jobs: list[int]) -> None:
    """A division by zero in its turn, after the results before it."""

    def told(results: Iterator[float]) -> tuple[list[float], bool]:
        given: list[float] = []
        try:
            given.extend(results)
        except ZeroDivisionError:
            return given, True
        return given, False

    share = partial(operator.truediv, 1.0)
    assert told(processes.map(share, jobs)) == told(map(share, jobs))


@pytest.mark.parametrize("n_workers", [1, None])
def test_one_worker_is_this_process(n_workers: int | None) -> None:
    pulled: list[float] = []
    others = active_children()
    with executor(n_workers) as alone:
        results = alone.map(lambda job: (os.getpid(), job), counting([1.0, 2.0], pulled))
        assert next(results) == (os.getpid(), 1.0)
        assert pulled == [1.0]  # nothing runs ahead
        assert active_children() == others


@pytest.mark.parametrize("n_workers", [0, -2])
def test_fewer_than_one_worker_is_refused(n_workers: int) -> None:
    with pytest.raises(InputError) as caught, executor(n_workers):
        pass
    assert (caught.value.location, caught.value.kind) == ("workers", "value")


def test_no_more_processes_than_jobs_are_started_and_they_are_kept() -> None:
    others = set(active_children())
    with executor(4) as pool:
        assert set(active_children()) == others
        list(pool.map(slept, [0.0, 0.0]))
        first = set(active_children())
        assert len(first - others) == 2
        list(pool.map(slept, [0.0, 0.0]))
        assert set(active_children()) == first
    assert set(active_children()) == others


def test_each_worker_has_a_seat_and_who_takes_the_place_of_a_dead_one_has_its() -> None:
    assert worker_number() == 0
    with executor(3) as pool:
        first = dict(pool.map(seated, [0.2] * 6))
        assert sorted(first.values()) == [0, 1, 2]
        gone = next(pid for pid, place in first.items() if place == 1)
        os.kill(gone, signal.SIGKILL)
        second = dict(pool.map(seated, [0.2] * 6))
        assert gone not in second
        assert sorted(second.values()) == [0, 1, 2]
        assert {pid: second.get(pid, 1) for pid in first} == first


@pytest.mark.parametrize(
    ("end", "job"), [(os._exit, 7), (os._exit, 0), (signal.raise_signal, signal.SIGKILL)]
)
def test_a_job_that_ends_its_process_in_whatever_way_is_given_up(
    end: Callable[[int], None], job: int, processes: Executor
) -> None:
    with pytest.raises(InputError) as caught:
        list(processes.map(end, [job]))
    assert (caught.value.location, caught.value.kind) == (f"job 1, {job!r}", "resources")


def program(text: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Return a program that has run to its end."""
    command = [sys.executable, "-c", text, *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=60)


WRITES = """
import sys
from functools import partial
from pathlib import Path
from colorless_green.data.executor import executor
from tests.data.executor_contract import killed_while_it_writes, marks

folder = Path(sys.argv[1])
with executor(2) as pool:
    found = [len(each) for each in pool.map(partial(killed_while_it_writes, folder), range(2))]
print(found, [len(marks(folder, job)) for job in range(2)])
"""


@pytest.mark.slow
def test_a_worker_killed_while_it_writes_a_result_is_missed(tmp_path: Path) -> None:
    """… and what it had written keeps nobody waiting for the rest."""
    done = program(WRITES, str(tmp_path))
    assert done.stdout == "[50000000, 50000000] [2, 2]\n", done.stderr


UNGUARDED = """
from colorless_green.data.errors import InputError
from colorless_green.data.executor import executor

try:
    with executor(2) as pool:
        list(pool.map(abs, [1]))
except InputError as error:
    print(error.location, error.kind)
"""


def test_workers_that_never_begin_are_not_started_for_ever(tmp_path: Path) -> None:
    """A script that starts processes again in each of its processes, which may not."""
    script = tmp_path / "unguarded.py"
    script.write_text(UNGUARDED, encoding="utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60)
    assert done.stdout == "job 1, 1 resources\n", done.stderr


def test_a_job_can_end_the_program(processes: Executor) -> None:
    with pytest.raises(SystemExit) as caught:
        list(processes.map(sys.exit, [3]))
    assert caught.value.code == 3


RUN = """
import sys, time
from colorless_green.data.executor import executor

if __name__ == "__main__":
    with executor(3) as pool:
        for result in pool.map(time.sleep, [{first}] + [60.0] * 9):
            print("given", flush=True)
"""


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Callable[[float], "subprocess.Popen[str]"]]:
    """Yield a program with three workers: one job of the given seconds, then very long ones; it
    is the leader of a session of its own."""
    started: list[subprocess.Popen[str]] = []

    def start(first: float) -> "subprocess.Popen[str]":
        script = tmp_path / "run.py"
        script.write_text(RUN.format(first=first), encoding="utf-8")
        started.append(
            subprocess.Popen(
                [sys.executable, str(script)],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
        )
        return started[-1]

    yield start
    for program in started:
        for pid in members(program.pid):
            os.kill(pid, signal.SIGKILL)
        program.communicate()


def members(session: int) -> list[int]:
    """Return the living processes of a session."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue  # it has just ended
        if fields[0] not in "ZX" and int(fields[3]) == session:
            found.append(int(stat.parent.name))
    return found


def wait_until(holds: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


@pytest.mark.skipif(NO_PROC, reason="needs /proc")
@pytest.mark.parametrize("delay", [None, 0.0, 0.05, 0.1, 0.15])
def test_ctrl_c_ends_all_at_once(
    run: Callable[[float], "subprocess.Popen[str]"], delay: float | None
) -> None:
    """Sent to all processes of the terminal, while they work or (with a delay) while they start."""
    program = run(0.1)
    if delay is None:
        assert program.stdout is not None
        assert program.stdout.readline() == "given\n"
    else:
        assert wait_until(lambda: len(members(program.pid)) > 1, 20)
        time.sleep(delay)
    os.killpg(program.pid, signal.SIGINT)
    _, said = program.communicate(timeout=10)
    assert program.returncode == -signal.SIGINT
    assert said.count("Traceback") == 1  # the parent's alone
    assert said.rstrip().endswith("KeyboardInterrupt")
    assert wait_until(lambda: members(program.pid) == [], 5)


@pytest.mark.skipif(NO_PROC, reason="needs /proc")
def test_workers_do_not_outlive_a_killed_parent(
    run: Callable[[float], "subprocess.Popen[str]"],
) -> None:
    program = run(0.1)
    assert program.stdout is not None
    assert program.stdout.readline() == "given\n"
    assert len(members(program.pid)) >= 4
    program.kill()
    assert wait_until(lambda: members(program.pid) == [], 5)
