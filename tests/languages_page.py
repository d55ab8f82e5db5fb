"""The table of treebanks in bench/languages.md, made from a folder of treebanks, and the short
table of languages in docs/mining.md, made from it.

`python -m tests.languages_page ../shared/treebanks` puts both where the pages mark them; without a
folder, only the second.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import colorless_green as cg
from colorless_green.data.tables import Row

ROOT = Path(__file__).resolve().parents[1]
PAGE, GUIDE = ROOT / "bench" / "languages.md", ROOT / "docs" / "mining.md"
BEGIN, END = "<!-- tests/languages_page.py: {} -->\n", "<!-- end -->"
FEATURES = ("Number", "Gender", "Person", "Case", "Definite", "Animacy")
VERDICTS = {
    "not annotated": "",
    "too few": "few",
    "no agreement": "none",
    "below floor": "low",
    "undecided": "open",
}


def rows(folder: Path, rule: str, features: Sequence[str]) -> dict[tuple[str, str], Row]:
    """(treebank, feature) → its row."""
    found = cg.languages(folder, rule=rule, feature=features, workers=2).rows
    return {(str(row["treebank"]), str(row["feature"])): row for row in found}


def table(folder: Path) -> Iterator[str]:
    """Yield the lines of the table."""
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
    if verdict == "accepted":
        return f"{row['n_accepted']}, {row['n_originals']:,}"
    return "-" if row["n_tested"] is None and verdict != "not annotated" else VERDICTS[verdict]


def _total(found: Sequence[Row]) -> str:
    n_accepted, n_originals = (
        sum(int(row[key] or 0) for row in found) for key in ("n_accepted", "n_originals")
    )
    n_treebanks = sum(row["verdict"] == "accepted" for row in found)
    return f"{n_accepted}, {n_originals:,} in {n_treebanks}"


def offers(text: str) -> Iterator[str]:
    """Yield the lines of the short table, from those of the long one: a row a language in which
    something is accepted, with the originals of its best treebank for each feature."""
    best: dict[str, dict[str, int]] = {}
    for line in block(text, "treebanks").splitlines()[2:-1]:
        treebank, _, _, _, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        of = best.setdefault(treebank.partition("-")[0].replace("_", " "), {})
        for feature, cell in zip(FEATURES, cells, strict=True):
            if match := re.fullmatch(r"\d+, ([\d,]+)", cell):
                of[feature] = max(of.get(feature, 0), int(match[1].replace(",", "")))
    yield "| language | Number | other features |"
    yield "|---|--:|---|"
    for language in sorted(best):
        number = best[language].pop("Number", 0)
        others = [f"{name} {n:,}" for name, n in best[language].items() if n >= 10]
        if number or others:
            yield f"| {language} | {number:,} | {', '.join(others)} |"


def block(text: str, name: str) -> str:
    """Return what stands between the marks of a table."""
    _, begin, rest = text.partition(BEGIN.format(name))
    found, end, _ = rest.partition(END)
    assert begin
    assert end
    return found.strip("\n")


def put(text: str, name: str, lines: Iterable[str]) -> str:
    """Return a page's text with a table made anew."""
    old = block(text, name)
    head, begin, rest = text.partition(BEGIN.format(name))
    return "\n".join([head + begin, *lines, "", rest[rest.index(END, len(old)) :]])


def main(folder: Path | None) -> None:
    """Write both tables."""
    if folder:
        text = put(PAGE.read_text(encoding="utf-8"), "treebanks", table(folder))
        PAGE.write_text(text, encoding="utf-8")
    lines = offers(PAGE.read_text(encoding="utf-8"))
    text = put(GUIDE.read_text(encoding="utf-8"), "offers", lines)
    GUIDE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else None)
