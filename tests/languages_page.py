"""The table of treebanks in docs/languages.md, made from a folder of treebanks.

`python -m tests.languages_page ../shared/treebanks` puts it where the page marks it.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from colorless_green.data.executor import executor
from colorless_green.data.tables import Row
from colorless_green.miner import ACCEPTED, NOT_ANNOTATED, Request, coverage

PAGE = Path(__file__).resolve().parents[1] / "docs" / "languages.md"
BEGIN, END = "<!-- tests/languages_page.py: treebanks -->\n", "<!-- end -->"
FEATURES = ("Number", "Gender", "Person", "Case", "Definite", "Animacy")
VERDICTS = {
    NOT_ANNOTATED: "",
    "too few": "few",
    "no agreement": "none",
    "below floor": "low",
    "undecided": "open",
}


def rows(folder: Path, rule: str, features: Sequence[str]) -> dict[tuple[str, str], Row]:
    """(treebank, feature) → its row."""
    with executor(2) as workforce:
        found = coverage(folder, Request(rule, tuple(features)), unimorph={}, run=workforce.map)
        return {(str(row["treebank"]), str(row["feature"])): row for row in found}


def table(folder: Path) -> Iterator[str]:
    """The lines of the table."""
    tested = rows(folder, "tested", FEATURES)
    others = [rows(folder, rule, ("Number",)) for rule in ("released", "strict")]
    names = list(dict.fromkeys(name for name, _ in tested))
    yield f"| treebank | words | `released` | `strict` | {' | '.join(FEATURES)} |"
    yield "|---|--:|--:|--:|" + "--:|" * len(FEATURES)
    for name in names:
        words = f"{tested[(name, 'Number')]['n_words']:,}"
        cells = [_counts(rule[(name, "Number")]) for rule in others]
        cells += [_counts(tested[(name, feature)]) for feature in FEATURES]
        yield f"| {name.removeprefix('UD_')} | {words} | {' | '.join(cells)} |"
    totals = [_total([found[(name, "Number")] for name in names]) for found in (*others, tested)]
    yield f"| all | | {' | '.join(totals)} |" + " |" * (len(FEATURES) - 1)


def _counts(row: Row) -> str:
    verdict = str(row["verdict"])
    if verdict == ACCEPTED:
        return f"{row['n_accepted']}, {row['n_originals']:,}"
    return "-" if row["n_tested"] is None and verdict != NOT_ANNOTATED else VERDICTS[verdict]


def _total(found: Sequence[Row]) -> str:
    n_accepted, n_originals = (
        sum(int(row[key] or 0) for row in found) for key in ("n_accepted", "n_originals")
    )
    n_treebanks = sum(row["verdict"] == ACCEPTED for row in found)
    return f"{n_accepted}, {n_originals:,} in {n_treebanks}"


def page(folder: Path, text: str) -> str:
    """The page's text with its table made anew."""
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    assert begin
    assert end
    return "\n".join([head + begin, *table(folder), "", end]) + tail


if __name__ == "__main__":
    PAGE.write_text(page(Path(sys.argv[1]), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
