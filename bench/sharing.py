"""What sharing work costs before any work is done: starting workers, and handing out a job.

    python -m bench.sharing

Wall-clock seconds: workers wait for each other. Two processes, then (with the extra [cluster]) a
Ray cluster started here.
"""

from importlib.util import find_spec
from time import perf_counter

from colorless_green.data.executor import executor

N_JOBS = 2000


def measured(workers: int | None, ray: str) -> tuple[float, float]:
    """(seconds until the first job is done, seconds a further job)."""
    begun = perf_counter()
    with executor(workers, ray) as workforce:
        next(iter(workforce.map(abs, [1])))
        started = perf_counter()
        assert sum(workforce.map(abs, range(N_JOBS))) == N_JOBS * (N_JOBS - 1) // 2
        done = perf_counter()
    return started - begun, (done - started) / N_JOBS


def main() -> None:
    """Prints milliseconds to start, and microseconds a job."""
    ways: dict[str, tuple[int | None, str]] = {"two processes": (2, "")}
    if find_spec("ray"):
        ways["Ray, here"] = (None, "local")
    for name, way in ways.items():
        start, job = measured(*way)
        print(f"{name:14} {start * 1e3:7.0f} ms to start {job * 1e6:7.0f} µs a job")


if __name__ == "__main__":
    main()
