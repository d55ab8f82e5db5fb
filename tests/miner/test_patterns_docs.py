"""The page on patterns says what the package has, and its example works."""

import re
from pathlib import Path

from colorless_green.miner import built_in, parse_patterns

PAGE = Path(__file__).resolve().parents[2] / "docs" / "patterns.md"


def table() -> str:
    lines = ["| name | path | what it is |", "|---|---|---|"]
    for name, pattern in built_in().items():
        steps = [
            f"{'<' if each.up else '>'}{'|'.join(sorted(each.relations))}" for each in pattern.path
        ]
        path = " ".join(steps).replace("|", "\\|")
        only = f"; {', '.join(sorted(pattern.languages))} only" if pattern.languages else ""
        lines.append(f"| `{name}` | `{path}` | {pattern.about}{only} |")
    return "\n".join(lines)


def test_the_table_lists_the_built_in_patterns() -> None:
    assert table() in PAGE.read_text(encoding="utf-8")


def test_the_example_is_a_pattern() -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (pattern,) = parse_patterns(example, "docs/patterns.md")
    assert pattern.agreeing.feats == {"Variant": frozenset({"Short"})}
