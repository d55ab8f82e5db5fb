"""Word frequencies: of counts, of a file, or of wordfreq."""

import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import colorless_green as cg
from colorless_green.data import Item, sample
from colorless_green.nonce import frequencies_from, frequencies_named
from tests.builders import mistake


def read(path: Path, text: str) -> Any:
    path.write_text(text, encoding="utf-8")
    found = frequencies_named(str(path), "en")
    assert found is not None
    return found


@given(st.integers(1, 10**9))
def test_twice_as_frequent_is_one_octave_more(n: int) -> None:
    octave = frequencies_from({"one": n, "two": 2 * n}).frequency_class
    assert octave("two") - octave("one") == pytest.approx(1)


def test_a_word_without_a_count_is_an_octave_below_a_single_use() -> None:
    octave = frequencies_from({"once": 1}).frequency_class
    assert octave("never") == octave("once") - 1


def test_capitals_do_not_count(tmp_path: Path) -> None:
    found = read(tmp_path / "counts.tsv", "Cat\t3\ncat 5\n\nNew York 4\n")
    assert found.name == "counts.tsv"
    assert found.frequency_class("CAT") == 3  # 3 + 5 uses
    assert found.frequency_class("new york") == 2


@pytest.mark.parametrize("line", ["cat", "cat many", "cat -1", "7", "cat nan", "cat inf"])
def test_a_line_that_is_no_word_with_its_count_is_an_error_with_its_place(
    line: str, tmp_path: Path
) -> None:
    with mistake("format", f"{tmp_path}/counts.txt:2"):
        read(tmp_path / "counts.txt", f"dog 2\n{line}\n")


def test_an_empty_file_is_an_error(tmp_path: Path) -> None:
    with mistake("empty", tmp_path / "counts.txt"):
        read(tmp_path / "counts.txt", "\n")


def test_wordfreq_knows_that_the_is_more_frequent_than_cats() -> None:
    pytest.importorskip("wordfreq")
    found = frequencies_named("wordfreq", "en-GB")
    assert found is not None
    assert found.frequency_class("the") > found.frequency_class("cats") + 8


def test_a_language_that_wordfreq_lacks_is_an_error() -> None:
    pytest.importorskip("wordfreq")
    with mistake("unknown", "frequencies"):
        frequencies_named("wordfreq", "wo")


FEW = "L__NOUN__AUX__subject-auxiliary"  # few originals


@pytest.fixture(scope="module")
def mining() -> cg.Mining:
    return cg.mine(str(sample.treebank("it")), language="it")


def pseudo(mining: cg.Mining, frequencies: str = "treebank") -> list[Item]:
    made = cg.make_nonce(
        mining, recipe=cg.Recipe(frequencies=frequencies, n=1), words="pseudo",
        level="morphology", construction=FEW,
    )  # fmt: skip
    return [item for item in made.items if item.kind == "nonce"]


@pytest.fixture(scope="module")
def plain(mining: cg.Mining) -> list[Item]:
    return pseudo(mining)


def test_a_set_does_not_depend_on_what_is_installed(
    mining: cg.Mining, plain: list[Item], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    assert pseudo(mining) == plain != []
    with mistake("dependency", "frequencies"):
        pseudo(mining, "wordfreq")


@pytest.mark.parametrize(
    ("frequencies", "source"), [("wordfreq", "wordfreq (CC-BY-SA-4.0)"), ("treebank", None)]
)
def test_items_say_which_list_of_words_they_were_made_with_and_its_licence(
    mining: cg.Mining, frequencies: str, source: str | None
) -> None:
    pytest.importorskip("wordfreq")
    made = cg.make_nonce(
        mining, recipe=cg.Recipe(frequencies=frequencies), n=1, level="+frequency",
        construction=FEW,
    )  # fmt: skip
    nonce = [item for item in made.items if item.kind == "nonce"]
    name = f"wordfreq {version('wordfreq')}" if source else "treebank"
    assert {item.facts["frequencies"] for item in nonce} == {name}
    assert {item.facts.get("frequencies_from") for item in nonce} == {source}
