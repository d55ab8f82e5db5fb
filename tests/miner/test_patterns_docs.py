"""The page on mining says what the package has, and its example works."""

import re

import pytest

from colorless_green.miner import parse_patterns
from tests.mining_tables import PAGE, TABLES, page


@pytest.mark.parametrize("mark", TABLES)
def test_the_tables_are_made_from_those_that_the_code_uses(mark: str) -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert f"<!-- {mark} -->\n{TABLES[mark]()}\n<!-- end -->" in text
    assert page() == text


def test_the_example_is_a_pattern() -> None:
    text = PAGE.read_text(encoding="utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    (pattern,) = parse_patterns(example, "docs/mining.md")
    assert pattern.agreeing.feats == {"Variant": frozenset({"Short"})}
