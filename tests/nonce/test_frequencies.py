"""Word frequencies: of a treebank, a file, or wordfreq."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.nonce.frequencies import counted, frequencies_named, read_frequencies


@given(st.integers(1, 10**9))
def test_twice_as_frequent_is_one_octave_more(n: int) -> None:
    octave = counted({"one": n, "two": 2 * n}).octave
    assert octave("two") - octave("one") == pytest.approx(1)


def test_a_word_without_a_count_is_an_octave_below_a_single_use() -> None:
    octave = counted({"once": 1}).octave
    assert octave("never") == octave("once") - 1


def test_capitals_do_not_count(tmp_path: Path) -> None:
    path = tmp_path / "counts.tsv"
    path.write_text("Cat\t3\ncat 5\n\nNew York 4\n", encoding="utf-8")
    found = read_frequencies(path)
    assert found.name == "counts.tsv"
    assert found.octave("CAT") == 3  # 3 + 5 uses
    assert found.octave("new york") == 2


@pytest.mark.parametrize("line", ["cat", "cat many", "cat -1", "7", "cat nan", "cat inf"])
def test_a_line_that_is_no_word_with_its_count_is_an_error_with_its_place(
    line: str, tmp_path: Path
) -> None:
    path = tmp_path / "counts.txt"
    path.write_text(f"dog 2\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_frequencies(path)
    assert str(caught.value) == f"{path}:2: {line!r} is no word with its count; word 123"


def test_an_empty_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "counts.txt"
    path.write_text("\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_frequencies(path)
    assert str(caught.value) == f"{path}: no word in it; a word and its count on each line"


def test_wordfreq_knows_that_the_is_more_frequent_than_cats() -> None:
    pytest.importorskip("wordfreq")
    found = frequencies_named("wordfreq", "en-GB")
    assert found is not None
    assert found.octave("the") > found.octave("cats") + 8


def test_a_language_that_wordfreq_lacks_is_an_error_that_lists_those_it_has() -> None:
    pytest.importorskip("wordfreq")
    with pytest.raises(InputError) as caught:
        frequencies_named("wordfreq", "wo")
    assert str(caught.value).startswith(
        "--frequencies wordfreq: it has no words of the language 'wo'; one of "
    )
