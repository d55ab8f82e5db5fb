"""Compare readers of CoNLL-U: this package's, `conllu`, `pyconll` and `udapi`.

`python -m bench.reading FOLDER [ROUNDS]`, where FOLDER has the treebanks named below, each in a
folder of `.conllu` or `.conllu.gz` files; `pip install -r bench/requirements.txt` for the other
readers (those not installed are left out). Files are unpacked first, so that they are in the
system's cache. In each round every reader reads them once, in a process of its own, visits each
word and tests its FEATS for Number; all readers must count the same. Figures are the best of all
rounds: MB per CPU second of reading (without start and imports), the ratio to `conllu.parse_incr`,
and the growth of the process's peak memory. Seconds differ between machines, ratios hardly do.
"""

import gzip
import json
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TypeAlias

FILE_SETS = {
    "English EWT, release 2.0, train": ["UD_English-EWT-r2.0/en-ud-train"],
    "Portuguese Bosque, train (ranges)": ["UD_Portuguese-Bosque/pt_bosque-ud-train"],
    "English GUM, dev and test (empty nodes, long MISC)": ["UD_English-GUM/en_gum-ud-"],
    "six treebanks": [
        "UD_English-EWT/en_ewt-ud-",
        "UD_Portuguese-Bosque/pt_bosque-ud-",
        "UD_Catalan-AnCora-r2.8/ca_ancora-ud-",
        "UD_Polish-PDB/pl_pdb-ud-",
        "UD_Japanese-GSD/ja_gsd-ud-",
        "UD_Russian-Taiga-r2.7/ru_taiga-ud-",
    ],
}
"""name → beginnings of the files' paths"""
ROUNDS = 5
CHILD = "--one"  # argument with which the script starts itself as a process for one reader
MAXRSS_PER_MB = 1e6 if sys.platform == "darwin" else 1e3  # bytes there, kB elsewhere
REFERENCE = "conllu parse_incr"  # the reader that others are compared with
Counts: TypeAlias = tuple[int, int, int]
"""(sentences, words, words with Number)"""
Words: TypeAlias = Iterator[list[bool]]
"""For each sentence, if each of its words has Number"""


def our_sentences(path: Path) -> Words:
    """Read with this package."""
    from colorless_green.data.items.features import value_of
    from colorless_green.miner.treebank.conllu import read

    number = cache(partial(value_of, feature="Number"))
    for sentence in read(path):
        yield [number(feats) is not None for feats in sentence.feats]


def conllu_parse_incr(path: Path) -> Words:
    """Read with the library conllu."""
    from conllu import parse_incr

    with open(path, encoding="utf-8") as stream:
        for sentence in parse_incr(stream):
            words = [token for token in sentence if isinstance(token["id"], int)]
            yield ["Number" in (word["feats"] or ()) for word in words]


def pyconll_sentences(path: Path, function: str) -> Words:
    """Read with a function of pyconll: `iter_from_file`, which gives one sentence after the other,
    or `load_from_file`, which keeps all in memory."""
    for sentence in getattr(import_module("pyconll"), function)(str(path)):
        yield ["Number" in token.feats for token in sentence if token.id.isdecimal()]


def udapi_document(path: Path) -> Words:
    """Read with udapi."""
    from udapi.core.document import Document

    for bundle in Document(str(path)).bundles:
        for tree in bundle.trees:
            yield [bool(node.feats["Number"]) for node in tree.descendants]


READERS: dict[str, tuple[str, Callable[[Path], Words]]] = {
    REFERENCE: ("conllu", conllu_parse_incr),
    "sentences": ("colorless_green", our_sentences),
    **{
        f"pyconll {function}": ("pyconll", partial(pyconll_sentences, function=function))
        for function in ("iter_from_file", "load_from_file")
    },
    "udapi Document": ("udapi", udapi_document),
}
"""name → (package it needs, reader)"""


def count(sentences: Words) -> Counts:
    """Count sentences, their words, and those with Number."""
    n_sentences = n_words = n_number = 0
    for words in sentences:
        n_sentences += 1
        n_words += len(words)
        n_number += sum(words)
    return n_sentences, n_words, n_number


def measure(name: str, paths: list[Path]) -> None:
    """Read the files with one reader; print counts, CPU seconds, and the growth of the peak memory
    in MB as JSON.

    The reader reads one sentence before, so that its imports do not count.
    """
    _, reader = READERS[name]
    with tempfile.TemporaryDirectory() as folder:
        first = Path(folder) / "first.conllu"
        first.write_text("1\ta\ta\tX\t_\tNumber=Sing\t0\troot\t_\t_\n\n", encoding="utf-8")
        count(reader(first))
    before = resource.getrusage(resource.RUSAGE_SELF)
    counts_of_files = [count(reader(path)) for path in paths]
    after = resource.getrusage(resource.RUSAGE_SELF)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    growth = (after.ru_maxrss - before.ru_maxrss) / MAXRSS_PER_MB
    counts = [sum(of_files) for of_files in zip(*counts_of_files, strict=True)]
    print(json.dumps([counts, seconds, growth]))


def measure_alone(name: str, paths: list[Path]) -> tuple[Counts, float, float]:
    """Measure a reader in a process of its own; return (counts, CPU seconds, MB of growth)."""
    command = [sys.executable, __file__, CHILD, name, *map(str, paths)]
    finished = subprocess.run(command, check=True, capture_output=True, text=True)
    counts, seconds, growth = json.loads(finished.stdout)
    return tuple(counts), seconds, growth


def unpack(folder: Path, beginning: str, target: Path) -> Iterator[Path]:
    """Unpack the files whose path begins with `beginning` into `target`; yield the new paths."""
    found = sorted(folder.glob(f"{beginning}*.conllu*"))
    if not found:
        raise SystemExit(f"{folder / beginning}*: no such file; a folder with these treebanks")
    for path in found:
        plain = target / path.name.removesuffix(".gz")
        opener = gzip.open if path.suffix == ".gz" else open
        with opener(path, "rb") as packed, open(plain, "wb") as stream:
            shutil.copyfileobj(packed, stream)  # in pieces, since processes inherit peak memory
        yield plain


def compare(title: str, paths: list[Path], rounds: int) -> None:
    """Print speed and growth of memory for each reader of these files."""
    size_mb = sum(path.stat().st_size for path in paths) / 1e6
    names = [name for name, (package, _) in READERS.items() if find_spec(package)]
    results = [{name: measure_alone(name, paths) for name in names} for _ in range(rounds)]
    counts = {its_counts for result in results for its_counts, _, _ in result.values()}
    if len(counts) > 1:
        raise SystemExit(f"{title}: the readers disagree: {counts}")
    ((n_sentences, n_words, n_number),) = counts
    print(f"{title}: {size_mb:.1f} MB", end=", ")
    print(f"{n_sentences:,} sentences, {n_words:,} words, {n_number:,} with Number")
    costs = {name: [result[name] for result in results] for name in names}
    seconds = {name: min(cpu for _, cpu, _ in of_reader) for name, of_reader in costs.items()}
    for name in names:
        growth = max(megabytes for _, _, megabytes in costs[name])
        print(
            f"  {name:24}{size_mb / seconds[name]:7.1f} MB/CPU s"
            f"{seconds[REFERENCE] / seconds[name]:7.1f} x {growth:7.1f} MB more memory"
        )


def main() -> None:
    """Print a table for each set of files."""
    if sys.argv[1:2] == [CHILD]:
        measure(sys.argv[2], list(map(Path, sys.argv[3:])))
        return
    if len(sys.argv) < 2:
        raise SystemExit("a folder of treebanks is missing; python -m bench.reading FOLDER")
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else ROUNDS
    with tempfile.TemporaryDirectory() as target:
        for title, beginnings in FILE_SETS.items():
            paths = [
                path
                for beginning in beginnings
                for path in unpack(Path(sys.argv[1]), beginning, Path(target))
            ]
            compare(title, paths, rounds)


if __name__ == "__main__":
    main()
