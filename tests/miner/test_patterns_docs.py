"""The example of a pattern in docs/mining.md works."""

import re
from pathlib import Path

from colorless_green.miner import parse_patterns

PAGE = Path(__file__).resolve().parents[2] / "docs" / "mining.md"


def test_the_example_is_a_pattern() -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (pattern,) = parse_patterns(example, "docs/mining.md")
    assert pattern.agreeing.feats == {"Variant": frozenset({"Short"})}
