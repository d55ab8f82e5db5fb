"""Mining a treebank, from file to originals, beside the `conllu` library merely reading it.

`python bench/mining.py TREEBANK.conllu[.gz] [VOCABULARY]`: both in one run, in turn, each in a
process of its own; CPU seconds and peak memory are the system's accounting of the finished process,
the best of five. Seconds do not travel, ratios do.
"""

import os
import subprocess
import sys

READ = """
import gzip, sys
from conllu import parse_incr
opener = gzip.open if sys.argv[1].endswith(".gz") else open
with opener(sys.argv[1], "rt", encoding="utf-8") as stream:
    print(sum(1 for _ in parse_incr(stream)))
"""
ROUNDS = 5


def cost(command: list[str]) -> tuple[float, float]:
    """(CPU seconds, peak memory in MB) of a command."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)}: exit status {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main() -> None:
    """Prints one line for each of the two, and their ratio."""
    path, *vocabulary = sys.argv[1:]
    mine = [sys.executable, "-m", "colorless_green", "mine", path, "--store", "none"]
    mine += ["--vocabulary", vocabulary[0]] if vocabulary else []
    read = [sys.executable, "-c", READ, path]
    costs = [(cost(mine), cost(read)) for _ in range(ROUNDS)]
    best = [min(pair[side] for pair in costs) for side in (0, 1)]
    for name, (seconds, memory) in zip(("colorless mine", "conllu.parse_incr"), best, strict=True):
        print(f"{name:18} {seconds:6.2f} CPU s  {memory:6.0f} MB")
    print(
        f"ratio              {best[0][0] / best[1][0]:6.2f}        {best[0][1] / best[1][1]:6.2f}"
    )


if __name__ == "__main__":
    main()
