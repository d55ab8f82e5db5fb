"""How treebanks differ in what nonce variants they allow, as rows; docs/sets.md names them.

`python -m bench.sets {levels,leaks,frames} FOLDER...`: each folder is a treebank, mined
with rule `tested` (`--rule` for another), seed 0; one row of the page's table for each.
"""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import colorless_green as cg
from colorless_green.data import Suite, normal
from colorless_green.miner import sentences
from colorless_green.miner import treebank as treebank_of
from colorless_green.nonce import FrameCounter

CONTENT = ("NOUN", "VERB", "ADJ", "ADV", "PROPN")
LEVELS = ("morphology", "+frequency", "+frame", "+unseen")


def told(suite: Suite, start: str) -> str:
    """What the account says behind some words."""
    assert suite.account is not None
    return next(each[len(start) :] for each in suite.account.messages if each.startswith(start))


def served(suite: Suite) -> set[str]:
    """Originals that have a variant."""
    return {item.cluster_id for item in suite.items if item.kind == "nonce"}


def n_variants(suite: Suite) -> int:
    """Variants of a set."""
    return sum(item.kind == "nonce" for item in suite.items)


def levels(path: str, rule: str) -> Iterator[object]:
    """Mined, left out; served at each level; variants at `+frame`; without a level: served,
    `unrestrained`, variants."""
    originals = cg.mine(path, rule=rule).originals
    n = len(originals.items)
    highest = cg.make_nonce(originals, level="+unseen")
    assert highest.account is not None
    counts = told(highest, "originals with words for variants of each level: ")
    by_level = dict(each.rsplit(" ", 1) for each in counts.split(", "))
    left = sum(row["n_left_out"] for row in highest.account.to_frame().rows(named=True))
    yield from (n, left, *(by_level[level] for level in LEVELS))
    yield n_variants(cg.make_nonce(originals, level="+frame"))
    free = cg.make_nonce(originals)
    lost = {
        item.cluster_id
        for item in free.items
        if item.agreement is not None and "unrestrained" in item.agreement.flags
    }
    yield from (len(served(free)), len(lost), n_variants(free))


def leaks(path: str, rule: str) -> Iterator[object]:
    """Originals; percent with a leak, with one of each kind, with one between cue and target."""
    originals = cg.mine(path, rule=rule).originals
    made = cg.make_nonce(originals, recipe=cg.Recipe(level="morphology", n=1, exclude=("none",)))
    found = [each.agreement for each in made.items if each.kind == "original" and each.agreement]
    n = len(found)
    yield n
    counts = Counter(kind for each in found for kind in {leak.kind for leak in each.leaks})
    between = sum(any(leak.token > each.cue_index for leak in each.leaks) for each in found)
    any_leak = sum(bool(each.leaks) for each in found)
    shown = (any_leak, *(counts[kind] for kind in "SDVA"), between)
    yield from (round(100 * m / n) for m in shown)


def frames(path: str, rule: str) -> Iterator[object]:
    """Sentences; content words before targets; percent free, with 1 and with 10 lemmas admitted."""
    originals = cg.mine(path, rule=rule).originals.items
    source = treebank_of([Path(path)])
    counter = FrameCounter(source.language)
    n_sentences = 0
    for _, sentence in sentences(source):
        counter.observe(sentence)
        n_sentences += 1
    index = counter.index()
    words: dict[tuple[str, str], list[tuple[str, str, str, str]]] = {}
    for analysis in counter.analyses:
        words.setdefault((analysis[2], normal(analysis[3])), []).append(analysis)
    n, free, some, ten = 0, 0, 0, 0
    for each in originals:
        assert each.agreement is not None
        assert each.agreement.tree is not None
        tree = each.agreement.tree
        for node, slot in enumerate(index.slots(tree)[: each.agreement.target_node]):
            if tree.upos[node] not in CONTENT:
                continue
            n += 1
            if slot.stays:
                continue
            free += 1
            pool = words.get((tree.upos[node], normal(tree.feats[node])), ())
            lemmas = {word[1] for word in pool if index.admits(slot.frame, *word)}
            lemmas.discard(tree.lemmas[node])
            some += len(lemmas) >= 1
            ten += len(lemmas) >= 10
    yield from (n_sentences, n, *(f"{100 * m / n:.0f} %" for m in (free, some, ten)))


TABLES: dict[str, Callable[[str, str], Iterator[object]]] = {
    "levels": levels, "leaks": leaks, "frames": frames,
}  # fmt: skip


def main() -> None:
    """Prints a row for each treebank."""
    options = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    options.add_argument("table", choices=TABLES)
    options.add_argument("folders", nargs="+")
    options.add_argument("--rule", default="tested")
    asked = options.parse_args()
    for folder in asked.folders:
        name = treebank_of([Path(folder)]).name.removeprefix("UD_")
        cells = TABLES[asked.table](folder, asked.rule)
        print(f"| {name} | {' | '.join(map(str, cells))} |", flush=True)


if __name__ == "__main__":
    main()
