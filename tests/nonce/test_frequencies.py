"""Word frequencies: of counts, of a file, or of wordfreq."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.nonce import Frequencies, counted, frequencies_named
from tests.builders import mistake


def read(path: Path, text: str) -> Frequencies:
    path.write_text(text, encoding="utf-8")
    found = frequencies_named(str(path), "en")
    assert found is not None
    return found


@given(st.integers(1, 10**9))
def test_twice_as_frequent_is_one_octave_more(n: int) -> None:
    octave = counted({"one": n, "two": 2 * n}).octave
    assert octave("two") - octave("one") == pytest.approx(1)


def test_a_word_without_a_count_is_an_octave_below_a_single_use() -> None:
    octave = counted({"once": 1}).octave
    assert octave("never") == octave("once") - 1


def test_capitals_do_not_count(tmp_path: Path) -> None:
    found = read(tmp_path / "counts.tsv", "Cat\t3\ncat 5\n\nNew York 4\n")
    assert found.name == "counts.tsv"
    assert found.octave("CAT") == 3  # 3 + 5 uses
    assert found.octave("new york") == 2


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
    assert found.octave("the") > found.octave("cats") + 8


def test_a_language_that_wordfreq_lacks_is_an_error() -> None:
    pytest.importorskip("wordfreq")
    with mistake("unknown", "--frequencies wordfreq"):
        frequencies_named("wordfreq", "wo")
