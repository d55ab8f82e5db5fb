"""What every executor with workers promises, as claims that its tests go through one by one.

    @pytest.mark.parametrize("claim", CLAIMS, ids=claim_name)
    def test_keeps_the_contract(claim: Claim, …) -> None:
        claim(executor, folder)

`folder` is an empty one that the workers see too. Jobs leave marks in it: what ran, how often.
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from threading import Thread, current_thread
from typing import TypeAlias, TypeVar

from colorless_green.data.errors import InputError
from colorless_green.data.executor import Executor, worker_number

N_WORKERS = 2  # of the executor that the claims are made about

Claim: TypeAlias = Callable[[Executor, Path], None]
E = TypeVar("E", bound=BaseException)


def slept(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def failed(job: tuple[float, str]) -> str:
    """Fails after some seconds as told, or does not."""
    seconds, name = job
    time.sleep(seconds)
    if name == "input":
        raise InputError("toy.conllu:3", "HEAD is 'x'", "a word number", kind="format")
    if name == "ours":
        raise KeyError(name)
    if name == "odd":
        raise Stubborn(1, 2)
    return name


class Stubborn(Exception):
    """Cannot be pickled and loaded again: its message is not what it is made from."""

    def __init__(self, left: int, right: int) -> None:
        super().__init__(f"{left} is not {right}")


def marked(folder: Path, job: int) -> int:
    """Leaves a mark of its own for each time a job is done."""
    (folder / f"{job}.{os.getpid()}.{time.monotonic_ns()}").touch()
    return job


def late(folder: Path, job: int) -> int:
    time.sleep(0.5)
    return marked(folder, job)


def killed(folder: Path, mortal: int, lives: int, job: int) -> int:
    """End its own worker the first `lives` times that it is asked for job `mortal`."""
    marked(folder, job)
    if job == mortal and len(marks(folder, job)) <= lives:
        os.kill(os.getpid(), signal.SIGKILL)
    return -job


def seated(job: float) -> tuple[int, int]:
    """Return the process of a job and its seat, after some seconds."""
    time.sleep(job)
    return os.getpid(), worker_number()


def sees_gpus(job: float) -> tuple[int, str]:
    """Return the process of a job and the GPUs it sees, after some seconds."""
    time.sleep(job)
    return os.getpid(), os.environ.get("CUDA_VISIBLE_DEVICES", "")


def marks(folder: Path, job: int) -> list[Path]:
    return list(folder.glob(f"{job}.*"))


def killed_while_it_writes(folder: Path, job: int) -> bytes:
    """Return a large result; the first time, the worker dies when part of it is on its way."""
    if not marks(folder, job):
        Thread(target=kill_in, args=("_send", current_thread().ident), daemon=True).start()
    marked(folder, job)
    return bytes(50_000_000)


def kill_in(function: str, thread: int) -> None:
    """End this process when a thread of it is in a function of that name."""
    while True:
        if sys._current_frames()[thread].f_code.co_name == function:
            os.kill(os.getpid(), signal.SIGKILL)


def doubled(job: bytes) -> bytes:
    return job + job


class Heavy:
    """A function that marks each time it is unpickled."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __setstate__(self, state: dict[str, Path]) -> None:
        self.folder = state["folder"]
        marked(self.folder, 0)

    def __call__(self, job: int) -> int:
        time.sleep(0.01)
        return job + 1


def error_of(results: Iterator[object], kind: type[E]) -> tuple[list[object], E]:
    """Return the results that come before the error, and the error."""
    before: list[object] = []
    try:
        before.extend(results)  # keeps what came before the error
    except kind as error:
        return before, error
    raise AssertionError(f"no {kind.__name__}, but {before}")


def counting(jobs: Iterable[float], pulled: list[float]) -> Iterator[float]:
    for job in jobs:
        pulled.append(job)
        yield job


def no_jobs_give_no_results(executor: Executor, folder: Path) -> None:
    assert list(executor.map(slept, [])) == []


def results_come_in_order_when_later_jobs_are_done_first(executor: Executor, folder: Path) -> None:
    jobs = [0.3, 0.0, 0.1, 0.0, 0.0, 0.2, 0.0]
    assert list(executor.map(slept, jobs)) == jobs


def few_jobs_are_ahead_of_the_result_waited_for(executor: Executor, folder: Path) -> None:
    pulled: list[float] = []
    results = executor.map(slept, counting([0.3] + [0.0] * 40, pulled))
    assert pulled == []
    for n_given, _ in enumerate(results, start=1):
        assert len(pulled) <= n_given - 1 + 4 * N_WORKERS
    assert len(pulled) == 41


def a_slow_job_does_not_stop_the_others(executor: Executor, folder: Path) -> None:
    pulled: list[float] = []
    results = executor.map(slept, counting([0.4] + [0.0] * 40, pulled))
    next(results)
    assert len(pulled) > 2 * N_WORKERS


def the_error_of_the_earliest_job_wins(executor: Executor, folder: Path) -> None:
    jobs = [(0.0, "good"), (0.4, "input"), (0.0, "ours"), (0.0, "never asked for")]
    before, error = error_of(executor.map(failed, jobs), InputError)
    assert before == ["good"]
    _, alone = error_of(map(failed, jobs), InputError)
    assert (error.args, error.kind, str(error)) == (alone.args, alone.kind, str(alone))


def an_error_of_the_jobs_themselves_comes_in_its_turn(executor: Executor, folder: Path) -> None:
    def broken() -> Iterator[tuple[float, str]]:
        yield 0.2, "first"
        yield 0.0, "second"
        raise InputError("jobs", "no more", "more", kind="empty")

    before, error = error_of(executor.map(failed, broken()), InputError)
    assert before == ["first", "second"]
    assert (error.location, error.kind) == ("jobs", "empty")


def a_mistake_of_ours_keeps_its_traceback(executor: Executor, folder: Path) -> None:
    _, error = error_of(executor.map(failed, [(0.0, "ours")]), KeyError)
    assert error.args == ("ours",)
    assert "raise KeyError(name)" in "\n".join(error.__notes__)


def an_error_that_cannot_travel_is_told(executor: Executor, folder: Path) -> None:
    _, error = error_of(executor.map(failed, [(0.0, "odd")]), RuntimeError)
    assert "Stubborn" in str(error)
    assert "1 is not 2" in str(error)
    assert "raise Stubborn(1, 2)" in "\n".join(error.__notes__)


def a_job_that_cannot_travel_is_an_error_in_its_turn(executor: Executor, folder: Path) -> None:
    before, _ = error_of(executor.map(str, iter([1, Unpicklable(2), 3])), TypeError)
    assert before == ["1"]


def a_result_that_cannot_travel_is_an_error_of_its_job(executor: Executor, folder: Path) -> None:
    results = executor.map(Unpicklable, [1])
    error_of(results, TypeError)


class Unpicklable:
    def __init__(self, job: int) -> None:
        self.job = (each for each in range(job))


def after_an_error_the_executor_goes_on(executor: Executor, folder: Path) -> None:
    error_of(executor.map(failed, [(0.0, "ours")] * 5), KeyError)
    assert list(executor.map(slept, [0.0, 0.0])) == [0.0, 0.0]


def a_job_whose_worker_is_killed_is_done_again(executor: Executor, folder: Path) -> None:
    """… and so is no other, and no result comes twice."""
    job = partial(killed, folder, 5, 2)
    assert list(executor.map(job, range(12))) == [-each for each in range(12)]
    assert [len(marks(folder, each)) for each in range(12)] == [1] * 5 + [3] + [1] * 6


def a_job_that_kills_three_workers_is_given_up(executor: Executor, folder: Path) -> None:
    job = partial(killed, folder, 2, 99)
    before, error = error_of(executor.map(job, range(6)), InputError)
    assert before == [0, -1]
    assert (error.location, error.kind) == ("job 3, 2", "resources")
    assert len(marks(folder, 2)) == 3


def closing_the_results_ends_the_work(executor: Executor, folder: Path) -> None:
    results = executor.map(partial(late, folder), range(8))
    next(results)
    results.close()  # type: ignore[attr-defined]  # a generator, as it happens
    time.sleep(1)
    assert {int(path.name.partition(".")[0]) for path in folder.iterdir()} <= {0, 1}


def a_function_is_sent_once_to_each_worker(executor: Executor, folder: Path) -> None:
    assert list(executor.map(Heavy(folder), range(30))) == list(range(1, 31))
    assert 1 <= len(marks(folder, 0)) <= N_WORKERS


def each_of_two_functions_mapped_by_turns_has_its_jobs(executor: Executor, folder: Path) -> None:
    pairs = zip(executor.map(abs, range(-9, 0)), executor.map(str, range(9)), strict=True)
    assert list(pairs) == [(9 - each, str(each)) for each in range(9)]


def a_function_that_cannot_be_loaded_fails_every_job(executor: Executor, folder: Path) -> None:
    for _ in range(2):
        before, _ = error_of(executor.map(Unloadable(), [0.0] * 9), LookupError)
        assert before == []
    assert list(executor.map(slept, [0.0] * 3)) == [0.0] * 3


class Unloadable:
    def __call__(self, job: float) -> float:
        return job

    def __setstate__(self, state: object) -> None:
        raise LookupError(state)

    def __getstate__(self) -> str:
        return "not here"


def large_jobs_and_results_pass(executor: Executor, folder: Path) -> None:
    jobs = [bytes([each]) * 500_000 for each in range(6)]
    assert list(executor.map(doubled, jobs)) == [job + job for job in jobs]


def the_jobs_may_be_results_of_the_same_executor(executor: Executor, folder: Path) -> None:
    inner = executor.map(slept, [0.1, 0.0, 0.05, 0.0])
    assert list(executor.map(slept, inner)) == [0.1, 0.0, 0.05, 0.0]


CLAIMS: tuple[Claim, ...] = (
    no_jobs_give_no_results,
    results_come_in_order_when_later_jobs_are_done_first,
    few_jobs_are_ahead_of_the_result_waited_for,
    a_slow_job_does_not_stop_the_others,
    the_error_of_the_earliest_job_wins,
    an_error_of_the_jobs_themselves_comes_in_its_turn,
    a_mistake_of_ours_keeps_its_traceback,
    an_error_that_cannot_travel_is_told,
    a_job_that_cannot_travel_is_an_error_in_its_turn,
    a_result_that_cannot_travel_is_an_error_of_its_job,
    after_an_error_the_executor_goes_on,
    a_job_whose_worker_is_killed_is_done_again,
    a_job_that_kills_three_workers_is_given_up,
    closing_the_results_ends_the_work,
    a_function_is_sent_once_to_each_worker,
    each_of_two_functions_mapped_by_turns_has_its_jobs,
    a_function_that_cannot_be_loaded_fails_every_job,
    large_jobs_and_results_pass,
    the_jobs_may_be_results_of_the_same_executor,
)


def claim_name(claim: Claim) -> str:
    return claim.__name__
