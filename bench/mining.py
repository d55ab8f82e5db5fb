"""Compare mining, from file to originals, with other libraries that merely read the file.

`python -m bench.mining FILE.conllu[.gz] … [--vocabulary FILE]`: the files are one treebank, mined
with the rule `released` and without a store. Each program runs in a process of its own, in turn,
and the best of five counts. Libraries that are not installed are left out
(`bench/requirements.txt`).
"""

import importlib.util
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter

from bench.measure import COLORLESS, best_in_turn

TEXTS = """
import gzip, sys
def texts():
    for path in sys.argv[1:]:
        opener = gzip.open if path.endswith(".gz") else open
        with opener(path, "rt", encoding="utf-8") as stream:
            yield stream
"""
READERS = {
    "conllu": f"""{TEXTS}
from conllu import parse_incr
print(sum(1 for stream in texts() for _ in parse_incr(stream)))
""",
    "pyconll": f"""{TEXTS}
from pyconll import iter_from_string
print(sum(1 for text in texts() for each in iter_from_string(text.read()) for token in each))
""",
    "udapi": f"""{TEXTS}
from udapi.core.document import Document
n = 0
for stream in texts():
    document = Document()
    document.from_conllu_string(stream.read())
    n += len(document.bundles)
print(n)
""",
}


def main() -> None:
    """Print CPU seconds and peak memory of each program, and the ratio of our seconds to its."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--vocabulary")
    parser.add_argument("--language", help="of files of several, such as mul")
    options = parser.parse_args()
    mine = [*COLORLESS, "mine", *options.files, "--rule", "released", "--store", "none", "--quiet"]
    mine += ["--language", options.language] if options.language else []
    mine += ["--vocabulary", options.vocabulary] if options.vocabulary else []
    commands = {"colorless mine": mine}
    for library, script in READERS.items():
        if importlib.util.find_spec(library):
            commands[f"{library}, reading"] = [sys.executable, "-c", script, *options.files]
    best = best_in_turn(commands)
    ours, _ = best["colorless mine"]
    print(f"{'':20} {'CPU s':>7} {'MB':>6}  ours / theirs")
    for name, (seconds, memory) in best.items():
        print(f"{name:20} {seconds:7.2f} {memory:6.0f}  {ours / seconds:6.2f}")


if __name__ == "__main__":
    main()
