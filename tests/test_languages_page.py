"""The tables of languages say what the tool says, of the statements that were put down first."""

from collections import Counter
from pathlib import Path

import pytest

from tests import grammars_page, languages_page
from tests.builders import shared


def test_there_are_89_statements_each_of_one_construction() -> None:
    found = grammars_page.statements()
    assert Counter(each["grammar"] for each in found) == {"agree": 72, "none": 17}
    assert len({(each["treebank"], each["feature"], each["construction"]) for each in found}) == 89


@pytest.mark.shared
def test_of_two_languages_and_a_control_the_tables_of_grammars_are_what_mining_gives(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    some = [each for each in grammars_page.statements() if each["language"] in ("Hindi", "Hebrew")]
    controls = {"UD_Telugu-MTG": grammars_page.CONTROLS["UD_Telugu-MTG"]}
    monkeypatch.setattr(grammars_page, "statements", lambda: some)
    monkeypatch.setattr(grammars_page, "CONTROLS", controls)
    found = grammars_page.tables(shared("treebanks"))
    lines = [*found["statements"], *found["controls"]]
    assert len(lines) == 2 + 2 + 2 + 1
    assert set(lines) <= set(grammars_page.PAGE.read_text(encoding="utf-8").splitlines())


@pytest.mark.shared
def test_of_some_treebanks_the_rows_are_what_mining_gives(tmp_path: Path) -> None:
    names = ("UD_Arabic-PUD", "UD_Czech-CLTT", "UD_Georgian-GLC", "UD_Korean-GSD-r2.10")
    for name in names:
        (tmp_path / name).symlink_to(shared("treebanks", name))
    *lines, _ = languages_page.table(tmp_path)  # the last row is of them all
    assert len(lines) == 2 + len(names)
    assert set(lines) <= set(languages_page.PAGE.read_text(encoding="utf-8").splitlines())


@pytest.mark.shared
@pytest.mark.thorough
def test_the_tables_of_grammars_are_what_mining_gives() -> None:
    text = grammars_page.PAGE.read_text(encoding="utf-8")
    assert grammars_page.page(shared("treebanks"), text) == text


@pytest.mark.shared
@pytest.mark.thorough
def test_the_table_of_treebanks_is_what_mining_gives() -> None:
    text = languages_page.PAGE.read_text(encoding="utf-8")
    lines = languages_page.table(shared("treebanks"))
    assert languages_page.block(text, "treebanks") == "\n".join(lines)


def test_the_short_table_is_that_of_the_long_one() -> None:
    short = languages_page.GUIDE.read_text(encoding="utf-8")
    lines = list(languages_page.offers(languages_page.PAGE.read_text(encoding="utf-8")))
    assert len(lines) >= 35
    assert languages_page.block(short, "offers") == "\n".join(lines)
