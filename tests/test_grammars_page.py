"""The page on grammars says what the tool says, of the statements that were put down first."""

from collections import Counter

import pytest

from tests.builders import shared
from tests.grammars_page import PAGE, page, statements


def test_there_are_89_statements_each_of_one_construction() -> None:
    found = statements()
    assert Counter(each["grammar"] for each in found) == {"agree": 72, "none": 17}
    assert len({(each["treebank"], each["feature"], each["construction"]) for each in found}) == 89


@pytest.mark.shared
@pytest.mark.slow
def test_the_tables_of_grammars_are_what_mining_gives() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert page(shared("treebanks"), text) == text
