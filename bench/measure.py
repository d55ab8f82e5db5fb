"""What a command costs: CPU seconds and peak memory, by the system's accounting of the finished
process. Seconds do not travel from machine to machine; ratios of commands run in turn do."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from colorless_green.data.files import numbered_lines

ROUNDS = 5
COMPILES_ANEW = "PYTHONDONTWRITEBYTECODE"  # else every run of a checkout compiles 400 modules
COLORLESS = [sys.executable, "-m", "colorless_green"]


def cpu_seconds(work: Callable[[], object], rounds: int = 1) -> float:
    """Return the CPU seconds of a call, the least of some."""

    def once() -> float:
        start = time.process_time()
        work()
        return time.process_time() - start

    return min(once() for _ in range(rounds))


def read_conllu(path: Path) -> Iterator[tuple[str, ...]]:
    """Yield the words of each sentence."""
    sentence: list[str] = []
    for _, line in numbered_lines(path):
        number, _, rest = line.partition("\t")
        if number.isdecimal():
            sentence.append(rest.partition("\t")[0].replace(" ", "\u00a0"))
        elif not line and sentence:
            yield tuple(sentence)
            sentence = []


def read_lines(folder: Path) -> list[str]:
    """Return the lines of all JSON Lines files in a folder and below."""
    files = sorted(folder.glob("**/*.jsonl*"))
    return [line for path in files for _, line in numbered_lines(path) if line.strip()]


def cost(command: Sequence[str]) -> tuple[float, float]:
    """(CPU seconds, peak memory in MB) of a command. Exit code 1 (nothing found) is no failure."""
    environment = {name: value for name, value in os.environ.items() if name != COMPILES_ANEW}
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: exit status {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def best_in_turn(
    commands: Mapping[str, Sequence[str]], rounds: int = ROUNDS
) -> dict[str, tuple[float, float]]:
    """The least CPU seconds and memory of each command, all of them run in turn `rounds` times, so
    that a busy moment hits every one."""
    runs = [{name: cost(command) for name, command in commands.items()} for _ in range(rounds)]
    return {
        name: (min(run[name][0] for run in runs), min(run[name][1] for run in runs))
        for name in commands
    }
