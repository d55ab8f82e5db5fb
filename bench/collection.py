"""Mine all treebanks of a folder with one command: MB of CoNLL-U per CPU second, and peak memory.

`python -m bench.collection FOLDER [RULE …]`: `colorless languages FOLDER --rule RULE` on one core,
the best of three runs. Files may be gzipped; the MB are those of the unpacked text.
"""

import gzip
import sys
from pathlib import Path

from bench.measure import COLORLESS, best_in_turn

MB = 1_000_000


def raw_bytes(path: Path) -> int:
    """Return the size of a file's unpacked text in bytes."""
    if path.suffix != ".gz":
        return path.stat().st_size
    with gzip.open(path) as stream:
        return sum(len(block) for block in iter(lambda: stream.read(1 << 20), b""))


def main() -> None:
    """Print CPU seconds, MB per second and peak memory for each rule."""
    folder, *rules = sys.argv[1:]
    files = [path for path in Path(folder).rglob("*") if ".conllu" in path.suffixes]
    megabytes = sum(map(raw_bytes, files)) / MB
    commands = {
        rule: [*COLORLESS, "languages", folder, "--rule", rule, "--quiet"]
        for rule in rules or ["released", "strict", "tested"]
    }
    print(f"{len(files)} files, {megabytes:.1f} MB of text")
    for rule, (seconds, memory) in best_in_turn(commands, rounds=3).items():
        print(f"{rule:9} {seconds:6.2f} CPU s {megabytes / seconds:6.1f} MB/s {memory:6.0f} MB")


if __name__ == "__main__":
    main()
