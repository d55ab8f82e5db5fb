"""Making variants, beside conllu merely reading the treebank; and how it grows.

`python -m bench.nonce FILE.conllu[.gz] [--rule released] [--vocabulary FILE] [--level LEVEL]
[--total 100000]`: nine variants of each original, then as many of each as make the total, the CPU
time of each with the lexicon loaded; in the same process and run, in turn, `conllu.parse_incr` over
the file, the best of three.
"""

import gzip
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from dataclasses import replace
from functools import partial
from pathlib import Path

from bench.measure import cpu_seconds
from colorless_green import Recipe
from colorless_green.data.vocabulary import read_vocabulary
from colorless_green.miner.mine import suite_of
from colorless_green.miner.rule import Rule
from colorless_green.miner.treebank.treebank import treebank
from colorless_green.miner.treebank_mining import mine_treebank
from colorless_green.nonce.variants.sources import matching_for
from colorless_green.nonce.variants.variant import variants

ROUNDS = 3


def read_by_conllu(path: Path) -> int:
    """Sentences of a file, as the library reads them."""
    from conllu import parse_incr

    opener = gzip.open if path.name.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as stream:
        return sum(1 for _ in parse_incr(stream))


def main() -> None:
    """Prints one line for each."""
    options = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    options.add_argument("file", type=Path)
    options.add_argument("--rule", default="released")
    options.add_argument("--vocabulary", type=Path)
    options.add_argument("--level", default="morphology")
    options.add_argument("--total", type=int, default=100_000)
    asked = options.parse_args()
    source = treebank([asked.file])
    known = read_vocabulary(asked.vocabulary) if asked.vocabulary else None
    rule = Rule(extends=asked.rule)
    originals = suite_of(mine_treebank(source, rule, vocabulary=known)).items
    loading = time.process_time()
    recipe = Recipe(level=asked.level, vocabulary=asked.vocabulary)
    matching = matching_for(source, recipe, asked.rule, "auto")
    print(f"lexicon of {source.name}: {time.process_time() - loading:.2f} CPU s")
    made = variants(originals, matching)
    n_made = len(made.items) - len(originals)
    if not n_made:
        raise SystemExit(f"{asked.file}: no variant is made of it; a longer file")
    first, again, theirs = [], [], []
    for _ in range(ROUNDS):
        fresh = replace(matching, lexicon=replace(matching.lexicon))  # nothing indexed before
        first.append(cpu_seconds(partial(variants, originals, fresh)))
        again.append(cpu_seconds(partial(variants, originals, fresh)))
        theirs.append(cpu_seconds(partial(read_by_conllu, asked.file)))
    print(f"conllu reading the file: {min(theirs):.2f} CPU s")
    for name, ours in (("lexicon to be indexed", first), ("lexicon indexed", again)):
        print(
            f"{n_made} variants of {len(originals)} originals, {name}: {min(ours):.3f} CPU s, "
            f"{min(ours) / min(theirs):.3f} of that"
        )
    each = -(-asked.total // len(originals))
    n_total = 0

    def many() -> None:
        nonlocal n_total
        n_total = len(variants(originals, matching, each).items) - len(originals)

    print(f"{each} of each: {cpu_seconds(many):.1f} CPU s for {n_total:,} variants")


if __name__ == "__main__":
    main()
