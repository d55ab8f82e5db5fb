"""How many originals of a treebank hold another word that reveals the target's value.

`python -m bench.leaks FOLDER…`: each folder is a treebank, mined with the rule `tested`. A row for
each, as docs/sets.md names them: originals; percent with a leak, with one of each kind (S, D, V,
A), with one between cue and target.
"""

import sys
from collections import Counter
from pathlib import Path

import colorless_green as cg


def row(folder: str) -> str:
    """Return the row of a treebank."""
    originals = cg.mine(folder).originals
    made = cg.make_nonce(originals, recipe=cg.Recipe(level="morphology", n=1, exclude=("none",)))
    found = [item.agreement for item in made.items if item.kind == "original" and item.agreement]
    kinds = Counter(kind for each in found for kind in {leak.kind for leak in each.leaks})
    between = sum(any(leak.token > each.cue_index for leak in each.leaks) for each in found)
    counts = (sum(bool(each.leaks) for each in found), *(kinds[kind] for kind in "SDVA"), between)
    shares = (f"{100 * n / max(1, len(found)):.0f}" for n in counts)
    return f"| {' | '.join((Path(folder).name, str(len(found)), *shares))} |"


def main() -> None:
    """Print a row for each treebank."""
    for folder in sys.argv[1:]:
        print(row(folder), flush=True)


if __name__ == "__main__":
    main()
