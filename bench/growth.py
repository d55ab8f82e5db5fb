"""How time and memory grow with the input: mining 1, 2, 4 … copies of a treebank file.

`python -m bench.growth TREEBANK.conllu[.gz] [MOST]`: copies (64 at most, unless said) are written
to a temporary folder, with ids of their own; each size is mined once, under `tested`, by one
process.
"""

import gzip
import sys
import tempfile
from pathlib import Path

from bench.measure import COLORLESS, cost

MARK = b"# sent_id = "


def main() -> None:
    """Prints one line for each number of copies, and what an added copy cost."""
    path = Path(sys.argv[1])
    most = int(sys.argv[2]) if len(sys.argv) > 2 else 64
    packed = path.read_bytes()
    text = gzip.decompress(packed) if path.suffix == ".gz" else packed
    before: tuple[int, float, float] | None = None
    print("copies     MB   CPU s  peak MB   CPU s/copy  MB/copy")
    with tempfile.TemporaryDirectory() as folder:
        big = Path(folder) / "xx-ud-train.conllu"
        done = n_copies = 0
        while (n_copies := n_copies * 2 or 1) <= most:
            with open(big, "ab") as stream:
                for number in range(done, n_copies):
                    stream.write(text.replace(MARK, MARK + b"%d-" % number))
            done = n_copies
            mine = [*COLORLESS, "mine", str(big), "--rule", "tested", "--store", "none", "-q"]
            seconds, memory = cost(mine)
            growth = ""
            if before:
                added = n_copies - before[0]
                growth = (
                    f"{(seconds - before[1]) / added:12.2f} {(memory - before[2]) / added:8.2f}"
                )
            size = big.stat().st_size / 1_000_000
            print(f"{n_copies:6} {size:6.0f} {seconds:7.1f} {memory:8.0f} {growth}", flush=True)
            before = (n_copies, seconds, memory)


if __name__ == "__main__":
    main()
