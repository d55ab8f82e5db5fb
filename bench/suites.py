"""Published suites: what reading, making and scoring them costs.

    python -m bench.suites PUBLISHED

PUBLISHED has `marvin_linzen/pickles`, `syntaxgym` and `blimp/data`. CPU seconds and peak memory of
whole processes, the best of three in turn.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.measure import COLORLESS, best_in_turn


def main() -> None:
    """Prints CPU seconds and peak memory of each command."""
    published = Path(sys.argv[1])
    with TemporaryDirectory() as folder:
        none = ["--store", str(Path(folder) / "suites.db")]
        commands = {
            "read Marvin & Linzen's pickles": [
                *COLORLESS, "import", str(published / "marvin_linzen" / "pickles"), *none,
            ],
            "make as many from our grammar": [
                *COLORLESS, "grammar", "marvin_linzen", "--out", str(Path(folder) / "made.jsonl"),
            ],
            "read 55 files of BLiMP": [*COLORLESS, "import", str(published / "blimp/data"), *none],
            "read the suites of SyntaxGym": [
                *COLORLESS, "import", str(published / "syntaxgym"), *none,
            ],
        }  # fmt: skip
        for name, (seconds, memory) in best_in_turn(commands, rounds=3).items():
            print(f"{name:32} {seconds:6.2f} CPU s {memory:6.0f} MB")


if __name__ == "__main__":
    main()
