"""Count the originals of treebanks that have a leak: another word that reveals the target's value.

`python -m bench.leaks FOLDER…`: each folder is a treebank, mined with the rule `tested`. A row for
each has the number of originals; the percentage with a leak, with one of each kind (S, D, V, A; see
docs/sets.md), and with one between cue and target.
"""

import sys
from collections import Counter
from pathlib import Path

import colorless_green as cg


def table_row(folder: str) -> str:
    """Mine a treebank and return its row of the table."""
    originals = cg.mine(folder).originals
    suite = cg.make_nonce(originals, recipe=cg.Recipe(level="morphology", n=1, exclude=("none",)))
    originals_found = [item for item in suite.items if item.kind == "original"]
    agreements = [item.agreement for item in originals_found if item.agreement]
    n_by_kind = Counter(
        kind for facts in agreements for kind in {leak.kind for leak in facts.leaks}
    )
    n_between = sum(
        any(leak.token > facts.cue_index for leak in facts.leaks) for facts in agreements
    )
    n_leaking = sum(bool(facts.leaks) for facts in agreements)
    counts = (n_leaking, *(n_by_kind[kind] for kind in "SDVA"), n_between)
    shares = (f"{100 * n / max(1, len(agreements)):.0f}" for n in counts)
    return f"| {' | '.join((Path(folder).name, str(len(agreements)), *shares))} |"


def main() -> None:
    """Print a row for each treebank."""
    for folder in sys.argv[1:]:
        print(table_row(folder), flush=True)


if __name__ == "__main__":
    main()
