"""The page docs/languages.md, made from a folder of treebanks.

`python -m tests.languages_page ../shared/treebanks > docs/languages.md`
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from colorless_green.data.executor import executor
from colorless_green.data.tables import Row
from colorless_green.miner import ACCEPTED, NOT_ANNOTATED, Request, coverage

FEATURES = ("Number", "Gender", "Person", "Case", "Definite", "Animacy")
HEAD = """# What fifty-eight treebanks offer

For each treebank: the constructions that the three rules accept, and the originals they give. The
treebanks are those named in the first column of the table, in the release its name tells or the
newest there was in 2026; some lack their train part here. Made by

    colorless languages FOLDER --rule tested --feature Number --feature Gender …

and the same for the other two rules; `--csv FILE` has all columns. A hyphen stands for none.

- **not annotated**: no word carries the feature. **too few**: no construction has ten instances.
  **no agreement**: no more than by chance. **below floor**: more than by chance, but in too few of
  the instances. **undecided**: in nine of ten or more, but of too few to be sure. Under `released`
  and `strict` the table that `colorless mine` prints has the reasons.
- What the rules ask is in [mining.md](mining.md); [grammars.md](grammars.md) sets the verdicts of
  `tested` beside what grammars say.
- Constructions and originals count pairs three to thirteen words apart. Other forms are those the
  treebank itself shows; `--unimorph` adds more.

## Number under the three rules
"""


def rows(folder: Path, rule: str, features: Sequence[str]) -> dict[tuple[str, str], Row]:
    """(treebank, feature) → its row."""
    with executor(2) as workforce:
        found = coverage(folder, Request(rule, tuple(features)), unimorph={}, run=workforce.map)
        return {(str(row["treebank"]), str(row["feature"])): row for row in found}


def page(folder: Path) -> Iterator[str]:
    """The lines of the page."""
    yield from HEAD.split("\n")
    tested = rows(folder, "tested", FEATURES)
    others = {rule: rows(folder, rule, ("Number",)) for rule in ("released", "strict")}
    names = list(dict.fromkeys(name for name, _ in tested))
    yield (
        "| treebank | words | `released`: constructions, originals | `strict` | `tested` "
        "| of constructions tested |"
    )
    yield "|---|--:|--:|--:|--:|--:|"
    for name in names:
        row = tested[(name, "Number")]
        cells = [_counts(others[rule][(name, "Number")]) for rule in others]
        yield (
            f"| {_short(name)} | {row['n_words']:,} | {cells[0]} | {cells[1]} "
            f"| {_counts(row)} | {row['n_tested'] or '-'} |"
        )
    totals = [_total([others[rule][(name, "Number")] for name in names]) for rule in others]
    total = _total([tested[(name, "Number")] for name in names])
    yield f"| all | | {totals[0]} | {totals[1]} | {total} | |"
    yield "\n## Other features under `tested`: constructions, originals\n"
    yield f"| treebank | {' | '.join(FEATURES)} |"
    yield "|---|" + "--:|" * len(FEATURES)
    for name in names:
        cells = [_counts(tested[(name, feature)]) for feature in FEATURES]
        yield f"| {_short(name)} | {' | '.join(cells)} |"
    yield "\n## The constructions of Number under `tested`\n"
    yield "Those with the most instances; instances that agree, of how many."
    yield ""
    for name in names:
        row = tested[(name, "Number")]
        if row["verdict"] == ACCEPTED:
            yield f"- {_short(name)}: {row['constructions']}"


def _short(name: str) -> str:
    return name.removeprefix("UD_")


def _counts(row: Row) -> str:
    if row["verdict"] == NOT_ANNOTATED:
        return NOT_ANNOTATED
    if row["verdict"] != ACCEPTED:
        return "-" if row["n_tested"] is None else str(row["verdict"])
    return f"{row['n_accepted']}, {row['n_originals']:,}"


def _total(found: Sequence[Row]) -> str:
    n_accepted, n_originals = (
        sum(int(row[key] or 0) for row in found) for key in ("n_accepted", "n_originals")
    )
    n_treebanks = sum(row["verdict"] == ACCEPTED for row in found)
    return f"{n_accepted}, {n_originals:,} in {n_treebanks}"


if __name__ == "__main__":
    print("\n".join(page(Path(sys.argv[1]))))
