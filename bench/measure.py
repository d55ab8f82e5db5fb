"""What a command costs: CPU seconds and peak memory, by the system's accounting of the finished
process. Seconds do not travel from machine to machine; ratios of commands run in turn do."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence

ROUNDS = 5
COMPILES_ANEW = "PYTHONDONTWRITEBYTECODE"  # else every run of a checkout compiles 400 modules
COLORLESS = [sys.executable, "-m", "colorless_green"]


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
