"""Measure the cost of reading published suites, and of making one from a grammar.

    python -m bench.suites PUBLISHED [ROUNDS]

PUBLISHED has `marvin_linzen/pickles` and `blimp/data`. Figures are CPU seconds and peak memory of
whole processes that run in turn, the best of ROUNDS (3).
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.measure import COLORLESS, best_in_turn


def main() -> None:
    """Print CPU seconds and peak memory of each command."""
    published = Path(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    with TemporaryDirectory() as folder:
        store = ["--store", str(Path(folder) / "suites.db")]
        commands = {
            "read Marvin & Linzen's pickles": [
                *COLORLESS, "import", str(published / "marvin_linzen" / "pickles"), *store,
            ],
            "make as many from our grammar": [
                *COLORLESS, "grammar", "marvin_linzen", "--out", str(Path(folder) / "made.jsonl"),
            ],
            "read 55 files of BLiMP": [*COLORLESS, "import", str(published / "blimp/data"), *store],
        }  # fmt: skip
        for name, (seconds, memory) in best_in_turn(commands, rounds=rounds).items():
            print(f"{name:32} {seconds:6.2f} CPU s {memory:6.0f} MB")


if __name__ == "__main__":
    main()
