"""The verbs on one treebank, and each asked for a second time: CPU seconds and peak memory.

    python -m bench.again TREEBANK

A request of before is answered from the store.
"""

import os
import sys
from tempfile import TemporaryDirectory

from bench.measure import COLORLESS, cost


def main() -> None:
    """Prints a line a verb: CPU seconds at first and again, and the larger peak in MB."""
    treebank = os.path.abspath(sys.argv[1])
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        for verb in (
            ["mine", treebank], ["nonce"], ["compose"],
            ["train", "ngram"], ["score"], ["audit"], ["compare"], ["report"],
        ):  # fmt: skip
            first, again = (cost([*COLORLESS, *verb]) for _ in range(2))
            name = " ".join(each for each in verb if each != treebank)
            peak = max(first[1], again[1])
            print(f"{name:18} {first[0]:6.1f} {again[0]:6.1f} CPU s {peak:6.0f} MB", flush=True)


if __name__ == "__main__":
    main()
