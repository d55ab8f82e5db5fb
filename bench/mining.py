"""Mining, from file to originals, beside other libraries merely reading the file.

`python -m bench.mining TREEBANK.conllu[.gz] [VOCABULARY]`: each in a process of its own, in turn,
the best of five. `pyconll` and `udapi` are looked at where they are installed
(`bench/requirements.txt`). The rule `released`; nothing is stored.
"""

import importlib.util
import sys

from bench.measure import COLORLESS, best_in_turn

OPEN = """
import gzip, sys
opener = gzip.open if sys.argv[1].endswith(".gz") else open
"""
READERS = {
    "conllu": f"""{OPEN}
from conllu import parse_incr
with opener(sys.argv[1], "rt", encoding="utf-8") as stream:
    print(sum(1 for _ in parse_incr(stream)))
""",
    "pyconll": f"""{OPEN}
from pyconll import iter_from_string
with opener(sys.argv[1], "rt", encoding="utf-8") as stream:
    print(sum(1 for sentence in iter_from_string(stream.read()) for token in sentence))
""",
    "udapi": f"""{OPEN}
import io
from udapi.core.document import Document
document = Document()
with opener(sys.argv[1], "rt", encoding="utf-8") as stream:
    document.from_conllu_string(stream.read())
print(len(document.bundles))
""",
}


def main() -> None:
    """Prints one line for each, with its ratio to ours."""
    path, *vocabulary = sys.argv[1:]
    mine = [*COLORLESS, "mine", path, "--store", "none", "--quiet"]
    commands = {"colorless mine": mine + (["--vocabulary", vocabulary[0]] if vocabulary else [])}
    for library, script in READERS.items():
        if importlib.util.find_spec(library):
            commands[f"{library}, reading"] = [sys.executable, "-c", script, path]
    best = best_in_turn(commands)
    ours = best["colorless mine"][0]
    print(f"{'':20} {'CPU s':>7} {'MB':>6}  ours / theirs")
    for name, (seconds, memory) in best.items():
        print(f"{name:20} {seconds:7.2f} {memory:6.0f}  {ours / seconds:6.2f}")


if __name__ == "__main__":
    main()
