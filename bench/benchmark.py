"""Run `colorless benchmark` twice on every treebank of a folder (the newest release of each).

    python -m bench.benchmark FOLDER

Print CPU seconds and peak memory of the largest process in the first and in the second run. Then
print for each language the number of sets by their opening (the material before the head: none, a
clause, a fronted phrase, a relative clause), and the accuracies of linear rules: in all items, and
in items whose first noun and nouns between head and target have the opposite number.
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
OPENINGS = ("", "clause", "front", "relative")  # "": the head is first
RULES = (
    "first_noun", "second_noun", "nearest_noun", "after_subordinator", "vote_of_nouns",
    "prefix_words", "window", "adjacent_word", "majority_value",
)  # fmt: skip

# cells of the design: number of the first noun and of the nouns between, beside the head's
ALL_ITEMS, BOTH_OPPOSITE = ("", ""), ("opposite", "opposite")


def table_of(folder: Path) -> Iterator[str]:
    """Yield the lines of the table: language, number of sets by opening, accuracies of rules."""
    headings = *(opening or "head first" for opening in OPENINGS), *RULES
    yield f"| language | {' | '.join(headings)} |"
    yield f"|---|{'--:|' * len(headings)}"
    for audit in sorted(folder.glob("*/audit.tsv")):
        sets: dict[str, set[str]] = {opening: set() for opening in OPENINGS}
        for line in audit.with_name("items.jsonl").open(encoding="utf-8"):
            item = json.loads(line)
            sets[item["facts"]["opening"]].add(item["set_id"])
        accuracies: dict[tuple[str, tuple[str, str]], str] = {}  # rule, cell of the design
        with audit.open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream, delimiter="\t"):
                if not row.get("construction"):  # a row over all constructions
                    cell = row.get("first_noun", ""), row.get("relation", "")
                    accuracies.setdefault((row["baseline"], cell), row["accuracy"])
        cells = [
            " / ".join(
                f"{float(accuracy):.2f}" if accuracy else "–"
                for cell in (ALL_ITEMS, BOTH_OPPOSITE)
                for accuracy in [accuracies.get((rule, cell), "")]
            )
            for rule in RULES
        ]
        counts = [str(len(sets[opening])) for opening in OPENINGS]
        yield f"| {audit.parent.name} | {' | '.join((*counts, *cells))} |"


def newest(folder: Path) -> Iterator[str]:
    """Yield the paths of a folder's treebanks by language, the newest release of each."""
    treebanks = folder.glob("UD_*")
    for path in sorted(treebanks, key=lambda path: (path.name.partition("-")[0], path)):
        newer = path.with_name(OLDER.sub("", path.name))
        if newer == path or not newer.exists():
            yield str(path)


def main() -> None:
    """Print the costs of both runs, then the tables."""
    paths = list(newest(Path(sys.argv[1])))
    with TemporaryDirectory() as folder:
        command = [*COLORLESS, "benchmark", *paths, "--out", folder, "--workers", "2"]
        before, table = 0.0, ""
        for name in ("first", "again"):
            finished = subprocess.run(command, capture_output=True, text=True, check=True)
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)  # of all so far
            seconds = usage.ru_utime + usage.ru_stime
            print(f"{name}: {seconds - before:.1f} CPU s, {usage.ru_maxrss / 1024:.0f} MB")
            before, table = seconds, finished.stdout
        print(f"{len(paths)} treebanks\n{table}")
        print("\n".join(table_of(Path(folder))))


if __name__ == "__main__":
    main()
