"""The tables of docs/quality.md that are made from the table of findings.

`python -m tests.findings_page` writes them anew between their marks.
"""

import re
from pathlib import Path

from colorless_green.nonce import FINDINGS, Finding

PAGE = Path(__file__).resolve().parents[1] / "docs" / "quality.md"
MARKED = r"(<!-- {} -->\n).*?(\n<!-- end -->)"


def row(finding: Finding) -> str:
    """A finding as a row: name and marks, meaning, example, languages."""
    marks = " †" * finding.settled_later + " ‡" * finding.undecidable
    name = f"{finding.name}" if finding.family == "leak" else f"`{finding.name}`"
    cells = (name + marks, finding.meaning, finding.example, ", ".join(finding.languages.split()))
    return f"| {' | '.join(cells)} |".replace("  ", " ")


def table(family: str) -> str:
    """The findings of a family, in their order."""
    head = ("kind", "word") if family == "leak" else ("flag", "raised where")
    lines = [f"| {' | '.join((*head, 'example', 'read in'))} |", "|---|---|---|---|"]
    return "\n".join(lines + [row(each) for each in FINDINGS.values() if each.family == family])


def page() -> str:
    """The page with its tables made anew."""
    text = PAGE.read_text(encoding="utf-8")
    for family in dict.fromkeys(each.family for each in FINDINGS.values()):
        (found,) = re.finditer(MARKED.format(family), text, re.DOTALL)
        text = text[: found.end(1)] + table(family) + text[found.start(2) :]
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
