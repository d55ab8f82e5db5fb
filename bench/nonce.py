"""Compare making nonce variants with the library conllu merely reading the treebank.

`python -m bench.nonce FILE.conllu[.gz] [--rule released] [--vocabulary FILE] [--level LEVEL]
[--total 100000]`: make nine variants of each original, in turn with `conllu.parse_incr` over the
file in the same process, and take the best CPU time of three; then make as many variants of each as
give the total. Loading the lexicon is not counted.
"""

import gzip
import math
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
    """Read a file with the library conllu; return the number of sentences."""
    from conllu import parse_incr

    opener = gzip.open if path.name.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as stream:
        return sum(1 for _ in parse_incr(stream))


def main() -> None:
    """Print the CPU seconds of loading, reading and making variants."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--rule", default="released")
    parser.add_argument("--vocabulary", type=Path)
    parser.add_argument("--level", default="morphology")
    parser.add_argument("--total", type=int, default=100_000)
    options = parser.parse_args()
    source = treebank([options.file])
    known = read_vocabulary(options.vocabulary) if options.vocabulary else None
    rule = Rule(extends=options.rule)
    originals = suite_of(mine_treebank(source, rule, vocabulary=known)).items
    start = time.process_time()
    recipe = Recipe(level=options.level, vocabulary=options.vocabulary)
    matching = matching_for(source, recipe, options.rule, "auto")
    print(f"lexicon of {source.name}: {time.process_time() - start:.2f} CPU s")
    made = variants(originals, matching)
    n_made = len(made.items) - len(originals)
    if not n_made:
        raise SystemExit(f"{options.file}: no variant is made of it; a longer file")
    first, again, reading = [], [], []  # CPU seconds of each round
    for _ in range(ROUNDS):
        fresh = replace(matching, lexicon=replace(matching.lexicon))  # without its cached indexes
        first.append(cpu_seconds(partial(variants, originals, fresh)))
        again.append(cpu_seconds(partial(variants, originals, fresh)))
        reading.append(cpu_seconds(partial(read_by_conllu, options.file)))
    print(f"conllu reading the file: {min(reading):.2f} CPU s")
    for name, seconds in (("lexicon to be indexed", first), ("lexicon indexed", again)):
        print(
            f"{n_made} variants of {len(originals)} originals, {name}: {min(seconds):.3f} CPU s, "
            f"{min(seconds) / min(reading):.3f} of that"
        )
    n_each = math.ceil(options.total / len(originals))
    n_total = 0

    def make_many() -> None:
        """Make `n_each` variants of each original, and count all."""
        nonlocal n_total
        n_total = len(variants(originals, matching, n_each).items) - len(originals)

    print(f"{n_each} of each: {cpu_seconds(make_many):.1f} CPU s for {n_total:,} variants")


if __name__ == "__main__":
    main()
