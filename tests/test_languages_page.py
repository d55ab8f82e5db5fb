"""The page on fifty-eight treebanks says what the tool says."""

from pathlib import Path

import pytest

from tests.builders import shared
from tests.languages_page import page


@pytest.mark.shared
@pytest.mark.slow
def test_the_page_on_languages_is_what_mining_gives() -> None:
    path = Path(__file__).resolve().parents[1] / "docs" / "languages.md"
    made = "\n".join(page(shared("treebanks"))) + "\n"
    assert path.read_text(encoding="utf-8") == made
