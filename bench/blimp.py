"""Compare `colorless score` with a bare KenLM script: an n-gram model on published minimal pairs.

    python -m bench.blimp FOLDER MODEL

FOLDER has BLiMP's files, MODEL is a folder made by `colorless train ngram`, or an ARPA file.
`colorless score`, with a store, is given the folder, and then its files one by one. The bare script
unpacks, parses JSON, calls KenLM's `full_scores` and counts. Whole processes run in turn, and the
best of three counts.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.measure import COLORLESS, best_in_turn

BARE = """
import gzip, json, sys
from pathlib import Path
import kenlm
folder, model = map(Path, sys.argv[1:])
model = kenlm.Model(str(model / "model.arpa" if model.is_dir() else model))
right = total = 0
for path in sorted(folder.iterdir()):
    if ".jsonl" not in path.suffixes:
        continue
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            good, bad = (
                sum(log for log, _, _ in model.full_scores(row[name], eos=False))
                for name in ("sentence_good", "sentence_bad")
            )
            right += good > bad
            total += 1
print(right / total)
"""


def main() -> None:
    """Print CPU seconds and peak memory of each command, and its seconds ÷ the script's."""
    folder, model = sys.argv[1:]
    with TemporaryDirectory() as temporary:
        runs: list[dict[str, tuple[float, float]]] = []
        for number in range(3):
            store = Path(temporary) / f"{number}.db"  # a new one, in which nothing is scored yet
            options = ["--model", f"ngram:{model}", "--set", "oov=keep", "--store"]
            files = sorted(str(path) for path in Path(folder).glob("*.jsonl*"))
            commands = {
                "bare": [sys.executable, "-c", BARE, folder, model],
                "folder": [*COLORLESS, "score", folder, *options, str(store)],
                "files": [*COLORLESS, "score", *files, *options, f"{store}.files"],
            }
            runs.append(best_in_turn(commands, rounds=1))
            size = store.stat().st_size / 1e6
        best = {name: min(run[name] for run in runs) for name in commands}
    for name, (seconds, memory) in best.items():
        print(f"{name:9} {seconds:6.2f} CPU s {memory:6.0f} MB")
    bare_seconds, _ = best["bare"]
    ratios = {name: f"{seconds / bare_seconds:.1f}" for name, (seconds, _) in best.items()}
    print(f"ratios {ratios}, store {size:.1f} MB")


if __name__ == "__main__":
    main()
