"""Time and memory of `colorless score` as a suite grows: 1, 10, 100, 1,000 thousand pairs.

    python -m bench.scoring_growth [THOUSANDS…]

Pairs of sentences with a critical word, in BLiMP's format, of invented words; models trained
on the spot: a 5-gram model and a tiny causal one. Each run is a process of its own with a store of
its own, so the figures hold reading, planning, scoring, storing and the intervals.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

SEED = 0
NOUNS = [f"{a}{b}{c}" for a in "bdgkmn" for b in "aeiou" for c in ("lt", "rm", "sk", "nd", "pt")]
PLACES = ("near", "behind", "above", "beside", "under", "with")
ENDS = ("here", "there", "old", "new", "gone", "lost", "late", "known")


def sentences(rng: random.Random) -> Iterator[tuple[str, str, str, str]]:
    """(prefix, right, wrong, rest), each different."""
    seen: set[tuple[str, ...]] = set()
    while True:
        words = [f"{rng.choice(NOUNS)}{rng.choice(('', 's'))}" for _ in range(4)]
        prefix = (
            f"the {words[0]} {rng.choice(PLACES)} the {words[1]} "
            f"{rng.choice(PLACES)} the {words[2]} of the {words[3]}"
        )
        end = rng.choice(ENDS)
        if (prefix, end) in seen:
            continue
        seen.add((prefix, end))
        forms = ("are", "is") if words[0].endswith("s") else ("is", "are")
        yield prefix, *forms, f" {end} ."


def write_pairs(path: Path, n: int) -> None:
    found = sentences(random.Random(SEED))
    with path.open("w", encoding="utf-8") as stream:
        for _ in range(n):
            prefix, right, wrong, rest = next(found)
            row = {
                "sentence_good": f"{prefix} {right}{rest}",
                "sentence_bad": f"{prefix} {wrong}{rest}",
                "one_prefix_prefix": prefix,
                "one_prefix_word_good": right,
                "one_prefix_word_bad": wrong,
            }
            stream.write(json.dumps(row) + "\n")


def colorless(folder: Path, *arguments: str) -> tuple[float, float, float]:
    """CPU seconds, wall seconds and peak MB of a command in a process of its own."""
    code = (
        "import resource, sys; from colorless_green.cli import main; sys.argv[0] = 'colorless'\n"
        "try:\n    main()\n"
        "finally:\n    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )
    before, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.perf_counter() - wall, int(done.stderr.split()[-1]) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("thousands", nargs="*", type=int, default=[1, 10, 100])
    parser.add_argument("--models", default="ngram,causal")
    options = parser.parse_args()
    with TemporaryDirectory() as name:
        folder = Path(name)
        text = sentences(random.Random(SEED + 1))
        lines = [
            "".join(f"{p} {right}{rest}\n")
            for p, right, _, rest in (next(text) for _ in range(5_000))
        ]
        (folder / "text.txt").write_text("".join(lines), encoding="utf-8")
        models = options.models.split(",")
        for kind in models:
            colorless(folder, "train", kind, "text.txt", "--out", kind, "--store", "none", "-q")
        print("| thousand pairs | model | CPU s | wall s | peak MB | CPU ms a pair |")
        for n in options.thousands:
            write_pairs(folder / "pairs.jsonl", 1_000 * n)
            for kind in models:
                cpu, wall, peak = colorless(
                    folder, "score", "pairs.jsonl", "--model", kind, "--method", "one-prefix",
                    "--store", f"{kind}{n}.db", "--set", "oov=keep", "--json",
                )  # fmt: skip
                print(f"| {n:,} | {kind} | {cpu:.1f} | {wall:.1f} | {peak:,.0f} | {cpu / n:.2f} |")


if __name__ == "__main__":
    main()
