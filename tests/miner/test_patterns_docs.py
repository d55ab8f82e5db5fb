"""The pages on mining and patterns say what the package has, and their example works."""

import re

import pytest

from colorless_green.miner import parse_patterns
from tests.mining_tables import DOCS, PLACES, page


@pytest.mark.parametrize("name", PLACES)
def test_the_tables_are_made_from_those_that_the_code_uses(name: str) -> None:
    text = (DOCS / name).read_text(encoding="utf-8")
    mark, make = PLACES[name]
    assert f"<!-- {mark} -->\n{make()}\n<!-- end -->" in text
    assert page(name) == text


def test_the_example_is_a_pattern() -> None:
    text = (DOCS / "patterns.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    (pattern,) = parse_patterns(example, "docs/patterns.md")
    assert pattern.agreeing.feats == {"Variant": frozenset({"Short"})}
