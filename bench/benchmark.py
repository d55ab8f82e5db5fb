"""`colorless benchmark` on every treebank of a folder (the newest release of each), twice.

    python -m bench.benchmark FOLDER

CPU seconds and peak memory of the largest process at first and again; then, by language, sets by
kind of cell, and how often linear rules are right: in all items, and where the first noun and the
nouns between head and target have the other number than the head.
"""

import csv
import json
import re
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.measure import COLORLESS

OLDER = re.compile(r"-r[12]\.\d+$")  # a release beside a newer one
KINDS = ("", "clause", "front", "relative")
RULES = (
    "first_noun", "second_noun", "nearest_noun", "after_subordinator", "vote_of_nouns",
    "prefix_words", "window", "adjacent_word", "majority_value",
)  # fmt: skip


def table_of(folder: Path) -> Iterator[str]:
    """Yield the rows of the table: language, sets with each kind of cell, accuracies of rules."""
    yield f"| language | {' | '.join(('head first', *KINDS[1:], *RULES))} |"
    yield f"|---|{'--:|' * (len(KINDS) + len(RULES))}"
    for audit in sorted(folder.glob("*/audit.tsv")):
        sets: dict[str, set[str]] = {kind: set() for kind in KINDS}
        for line in audit.with_name("items.jsonl").open(encoding="utf-8"):
            item = json.loads(line)
            sets[item["facts"]["opening"]].add(item["set_id"])
        shares: dict[tuple[str, tuple[str, str]], str] = {}
        with audit.open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream, delimiter="\t"):
                if not row.get("construction"):
                    cell = row.get("first_noun", ""), row.get("relation", "")
                    shares.setdefault((row["baseline"], cell), row["accuracy"])
        cells = [
            " / ".join(
                f"{float(share):.2f}" if share else "–"
                for cell in (("", ""), ("opposite", "opposite"))
                for share in [shares.get((rule, cell), "")]
            )
            for rule in RULES
        ]
        counts = [str(len(sets[kind])) for kind in KINDS]
        yield f"| {audit.parent.name} | {' | '.join((*counts, *cells))} |"


def newest(folder: Path) -> Iterator[str]:
    """Yield the treebanks of a folder, the newest release of each, language by language."""
    treebanks = folder.glob("UD_*")
    for path in sorted(treebanks, key=lambda path: (path.name.partition("-")[0], path)):
        newer = path.with_name(OLDER.sub("", path.name))
        if newer == path or not newer.exists():
            yield str(path)


def main() -> None:
    """Print both costs, then the tables."""
    paths = list(newest(Path(sys.argv[1])))
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
        print("\n".join(table_of(Path(folder))))


if __name__ == "__main__":
    main()
