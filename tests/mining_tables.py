"""The tables of docs/mining.md that are made from the package's own.

`python -m tests.mining_tables` writes them anew between their marks.
"""

import re
from pathlib import Path

from colorless_green.miner import FILTERS, built_in

PAGE = Path(__file__).resolve().parents[1] / "docs" / "mining.md"
MARKED = r"(<!-- {} -->\n).*?(<!-- end -->)"


def listed(names: frozenset[str]) -> str:
    """Names in their order, as a cell of a table."""
    return ", ".join(sorted(names))


def patterns() -> str:
    """The built-in patterns."""
    lines = ["| name | path | what it is | only |", "|---|---|---|---|"]
    for name, pattern in built_in().items():
        steps = [
            f"{'<' if each.up else '>'}{'|'.join(sorted(each.relations)) or '*'}"
            for each in pattern.path
        ]
        path = " ".join(steps).replace("|", "\\|")
        lines.append(f"| `{name}` | `{path}` | {pattern.about} | {listed(pattern.languages)} |")
    return "\n".join(lines)


def filters() -> str:
    """The filters with what they leave out."""
    lines = ["| filter | of | leaves out |", "|---|---|---|"]
    for name, each in FILTERS.items():
        about = " ".join((each.test.__doc__ or "").split())
        of = "subjects" if each.of_subjects else "all"
        only = f"; only {listed(each.languages)}" if each.languages else ""
        lines.append(f"| `{name}` | {of}{only} | {about} |")
    return "\n".join(lines)


TABLES = {"patterns": patterns, "filters": filters}


def page() -> str:
    """The page with its tables made anew."""
    text = PAGE.read_text(encoding="utf-8")
    for mark, make in TABLES.items():
        made = make()
        text = re.sub(
            MARKED.format(mark),
            lambda found, made=made: f"{found[1]}{made}\n{found[2]}",  # type: ignore[misc]
            text,
            flags=re.S,
        )
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
