"""Measure the cost of commands: CPU seconds and peak memory of the finished process, as the system
counts them. Seconds differ between machines; ratios of commands run in turn hardly do."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from colorless_green.data.files import numbered_lines

ROUNDS = 5
# an environment variable that is removed, or every run would compile 400 modules
NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"
COLORLESS = [sys.executable, "-m", "colorless_green"]


def cpu_seconds(work: Callable[[], object], rounds: int = 1) -> float:
    """Return the CPU seconds of a call, the minimum over some rounds."""

    def seconds_of_call() -> float:
        """Call the function once; return its CPU seconds."""
        start = time.process_time()
        work()
        return time.process_time() - start

    return min(seconds_of_call() for _ in range(rounds))


def read_conllu(path: Path) -> Iterator[tuple[str, ...]]:
    """Yield the words of each sentence of a CoNLL-U file."""
    sentence: list[str] = []
    for _, line in numbered_lines(path):
        number, _, rest = line.partition("\t")
        if number.isdecimal():
            form, _, _ = rest.partition("\t")
            sentence.append(form.replace(" ", "\u00a0"))  # so that blanks separate words only
        elif not line and sentence:
            yield tuple(sentence)
            sentence = []


def read_lines(folder: Path) -> list[str]:
    """Return the lines of all JSON Lines files in a folder and its subfolders."""
    files = sorted(folder.glob("**/*.jsonl*"))
    return [line for path in files for _, line in numbered_lines(path) if line.strip()]


def cost(command: Sequence[str]) -> tuple[float, float]:
    """Run a command; return its (CPU seconds, peak memory in MB).

    Exit code 1 (nothing found) is no failure; another one ends the program.
    """
    environment = {name: value for name, value in os.environ.items() if name != NO_BYTECODE}
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
    """Run all commands in turn, `rounds` times; return for each its minimum of CPU seconds and of
    peak memory in MB.

    Because they run in turn, a busy moment of the machine affects all of them.
    """
    runs = [{name: cost(command) for name, command in commands.items()} for _ in range(rounds)]
    costs = {name: [run[name] for run in runs] for name in commands}
    return {
        name: (min(seconds for seconds, _ in each), min(memory for _, memory in each))
        for name, each in costs.items()
    }
