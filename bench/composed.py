"""What composed sets each language has: heads, predicates, modifiers; and the thresholds.

`python -m bench.composed FOLDER [--sets 500] [--only it,fi]`: FOLDER holds UD treebanks
(`UD_Language-Name…`), those of a language are read as one. Rows are printed as languages are done.
"""

import re
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterable
from pathlib import Path

import colorless_green as cg
from colorless_green.nonce import THRESHOLDS

ABSENT = re.compile(r"-r[12]\.\d+$")  # an older release beside a newer one
KINDS = ("n_verb", "n_participle", "n_adjective"), ("n_auxiliary", "n_copula")


def by_language(folder: Path) -> dict[str, list[Path]]:
    """Language → its treebanks, the newest release of each."""
    found: dict[str, list[Path]] = {}
    for path in sorted(folder.glob("UD_*")):
        newer = path.with_name(ABSENT.sub("", path.name))
        if newer == path or not newer.exists():
            found.setdefault(path.name[3:].partition("-")[0], []).append(path)
    return found


def row(language: str, paths: Iterable[Path], n_sets: int) -> str:
    """A row of the table: sets, heads, predicates, modifiers, or what stands against them."""
    mining = cg.mine([str(each) for each in paths])
    account = cg.compose(mining, sets=n_sets).account
    assert account is not None
    seen = account.rows[0]
    words, closed = (sum(int(str(seen[name])) for name in names) for names in KINDS)
    modifiers = str(seen["modifiers"] or "").split(", ")[:4]
    names = ", ".join(each.rpartition(" ")[0] for each in modifiers)
    told = [language.replace("_", " "), str(seen["n_sets"]), str(seen["n_within_limits"]),
            str(seen["n_heads"]), f"{words} + {closed}", names]  # fmt: skip
    reason = seen["reason"]
    return f"| {' | '.join(told)} |" + (f" <!-- {reason} -->" if reason else "")


def main() -> None:
    """Prints both tables."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sets", type=int, default=500)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    print("| name | value | what |\n|---|--:|---|")
    for each in THRESHOLDS:
        print(f"| `{each.name}` | {each.value:g} | {each.reason} |")
    print("\n| language | sets | within limits | heads | predicates | first modifiers |")
    print("|---|--:|--:|--:|--:|---|")
    only = [each for each in options.only.split(",") if each]
    for language, paths in by_language(options.folder).items():
        if not only or language in only:
            print(row(language, paths, options.sets), flush=True)


if __name__ == "__main__":
    main()
