"""Measure how time and memory grow with the input: mine 1, 2, 4 … copies of a treebank file.

`python -m bench.growth TREEBANK.conllu[.gz] [MOST]`: up to MOST (64) copies are written to one
temporary file, each with ids of its own; every size is mined once, under the rule `tested`, by one
process.
"""

import gzip
import sys
import tempfile
from pathlib import Path

from bench.measure import COLORLESS, cost

SENT_ID = b"# sent_id = "


def main() -> None:
    """Print CPU seconds and peak memory for each number of copies, and those of an added copy."""
    path = Path(sys.argv[1])
    max_copies = int(sys.argv[2]) if len(sys.argv) > 2 else 64
    packed = path.read_bytes()
    text = gzip.decompress(packed) if path.suffix == ".gz" else packed
    before: tuple[int, float, float] | None = None  # copies, seconds, MB of the last size
    print("copies     MB   CPU s  peak MB   CPU s/copy  MB/copy")
    with tempfile.TemporaryDirectory() as folder:
        big = Path(folder) / "xx-ud-train.conllu"
        n_written = n_copies = 0
        while (n_copies := n_copies * 2 or 1) <= max_copies:  # 1, 2, 4 …
            with open(big, "ab") as stream:
                for number in range(n_written, n_copies):
                    stream.write(text.replace(SENT_ID, SENT_ID + b"%d-" % number))
            n_written = n_copies
            mine = [*COLORLESS, "mine", str(big), "--rule", "tested", "--store", "none", "-q"]
            seconds, memory = cost(mine)
            growth = ""
            if before:
                n_before, seconds_before, memory_before = before
                n_added = n_copies - n_before
                growth = f"{(seconds - seconds_before) / n_added:12.2f} "
                growth += f"{(memory - memory_before) / n_added:8.2f}"
            size = big.stat().st_size / 1_000_000
            print(f"{n_copies:6} {size:6.0f} {seconds:7.1f} {memory:8.0f} {growth}", flush=True)
            before = (n_copies, seconds, memory)


if __name__ == "__main__":
    main()
