"""`colorless benchmark` on every treebank of a folder (the newest release of each), twice.

    python -m bench.benchmark FOLDER

CPU seconds and peak memory of the largest process at first and again, and the table it prints.
"""

import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.composed import by_language
from bench.measure import COLORLESS


def main() -> None:
    """Prints both costs, then the table."""
    paths = [str(path) for own in by_language(Path(sys.argv[1])).values() for path in own]
    with TemporaryDirectory() as folder:
        command = [*COLORLESS, "benchmark", *paths, "--out", folder, "--workers", "2"]
        before, table = 0.0, ""
        for name in ("first", "again"):
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds = usage.ru_utime + usage.ru_stime
            print(f"{name}: {seconds - before:.1f} CPU s, {usage.ru_maxrss / 1024:.0f} MB")
            before, table = seconds, done.stdout
    print(f"{len(paths)} treebanks\n{table}")


if __name__ == "__main__":
    main()
