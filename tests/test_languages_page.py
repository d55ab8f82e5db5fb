"""The tables of languages say what the tool says, of the statements that were put down first."""

from collections import Counter

import pytest

from tests import grammars_page, languages_page
from tests.builders import shared


def test_there_are_89_statements_each_of_one_construction() -> None:
    found = grammars_page.statements()
    assert Counter(each["grammar"] for each in found) == {"agree": 72, "none": 17}
    assert len({(each["treebank"], each["feature"], each["construction"]) for each in found}) == 89


@pytest.mark.shared
@pytest.mark.slow
def test_the_tables_of_grammars_are_what_mining_gives() -> None:
    text = grammars_page.PAGE.read_text(encoding="utf-8")
    assert grammars_page.page(shared("treebanks"), text) == text


@pytest.mark.shared
@pytest.mark.slow
def test_the_table_of_treebanks_is_what_mining_gives() -> None:
    text = languages_page.PAGE.read_text(encoding="utf-8")
    lines = languages_page.table(shared("treebanks"))
    assert languages_page.block(text, "treebanks") == "\n".join(lines)


def test_the_short_table_is_that_of_the_long_one() -> None:
    short = languages_page.GUIDE.read_text(encoding="utf-8")
    lines = list(languages_page.offers(languages_page.PAGE.read_text(encoding="utf-8")))
    assert len(lines) > 35
    assert languages_page.block(short, "offers") == "\n".join(lines)
