"""A component oracle: ARPA files are written as lmplz lays them out, and read so that a bad line is
named."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.scoring.models.arpa import NgramEntry, NgramSection, read, read_counts, write
from colorless_green.scoring.training._kneser_ney import estimate
from tests.builders import mistake
from tests.scoring.ngram_oracle import texts

BIGRAM = """\\data\\
ngram 1=4
ngram 2=2

\\1-grams:
-1\t<unk>
-99\t<s>\t-0.3
-0.6\t</s>
-0.4\ta\t-0.25

\\2-grams:
-0.2\t<s> a
-0.5\ta </s>

\\end\\
"""


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("arpa")


def saved(folder: Path, text: str) -> Path:
    path = folder / "bigram.arpa"
    path.write_bytes(text.encode())
    return path


def test_a_file_is_written_as_lmplz_lays_it_out(folder: Path) -> None:
    vocabulary = ["<unk>", "<s>", "</s>", "a"]
    unigrams = NgramSection(
        np.arange(4, dtype=np.uint32),
        np.zeros(4, dtype=np.uint32),
        np.array([-1, 0, -0.6, -0.4]),
        np.array([0, -0.3, 0, -0.25]),
    )
    first, suffix = np.array([[1, 3], [3, 2]], dtype=np.uint32)
    bigrams = NgramSection(first, suffix, np.array([-0.2, -1 / 3]), np.zeros(2))
    write(folder / "a.arpa", vocabulary, [unigrams, bigrams])
    assert (folder / "a.arpa").read_text() == (
        "\\data\\\nngram 1=4\nngram 2=2\n"
        "\n\\1-grams:\n-1\t<unk>\t0\n0\t<s>\t-0.3\n-0.6\t</s>\t0\n-0.4\ta\t-0.25\n"
        "\n\\2-grams:\n-0.2\t<s> a\n-0.3333333333\ta </s>\n"
        "\n\\end\\\n"
    )


@given(texts, st.integers(1, 5))
def test_what_is_written_is_read_back_to_ten_digits(
    tmp_path_factory: pytest.TempPathFactory, text: list[tuple[str, ...]], order: int
) -> None:
    model = estimate(text, order)
    path = tmp_path_factory.mktemp("arpa") / "model.arpa"
    write(path, model.vocabulary, model.sections)
    found = list(read(path))
    start = 0
    for n, section in enumerate(model.sections, start=1):
        entries = found[start : start + len(section.head)]
        start += len(entries)
        assert [entry.words[0] for entry in entries] == [model.vocabulary[i] for i in section.head]
        assert {len(entry.words) for entry in entries} == {n}
        assert [entry.log10_p for entry in entries] == pytest.approx(section.log10_p, rel=1e-9)
        backoffs = section.log10_backoff if n < len(model.sections) else np.zeros(len(entries))
        assert [entry.log10_backoff for entry in entries] == pytest.approx(backoffs, rel=1e-9)
    assert read_counts(path) == model.n_grams


def test_spaces_for_tabs_carriage_returns_gzip_and_missing_weights_are_read(folder: Path) -> None:
    expected = [
        NgramEntry(("<unk>",), -1, 0),
        NgramEntry(("<s>",), -99, -0.3),
        NgramEntry(("</s>",), -0.6, 0),
        NgramEntry(("a",), -0.4, -0.25),
        NgramEntry(("<s>", "a"), -0.2, 0),
        NgramEntry(("a", "</s>"), -0.5, 0),
    ]
    assert list(read(saved(folder, BIGRAM))) == expected
    assert list(read(saved(folder, BIGRAM.replace("\t", "  ")))) == expected
    assert list(read(saved(folder, BIGRAM.replace("\n", "\r\n")))) == expected
    packed = folder / "bigram.arpa.gz"
    packed.write_bytes(gzip.compress(BIGRAM.encode()))
    assert list(read(packed)) == expected
    assert read_counts(packed) == (4, 2)


def test_a_word_may_hold_a_no_break_space(folder: Path) -> None:
    path = saved(
        folder, BIGRAM.replace("a", "nhà\u00a0nước").replace("\\dnhà\u00a0nướctnhà", "\\data")
    )
    path = saved(folder, BIGRAM.replace("\ta", "\tnhà\u00a0nước").replace("> a", "> nhà\u00a0nước"))
    assert [entry.words for entry in read(path)][3:] == [
        ("nhà\u00a0nước",),
        ("<s>", "nhà\u00a0nước"),
        ("nhà\u00a0nước", "</s>"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (BIGRAM, "", ""),
        ("\\data\\", "data", ":1"),
        ("ngram 1=4\nngram 2=2\n", "", ":3"),
        ("ngram 1=4\n", "", ":2"),
        ("ngram 2=2", "ngram 3=2", ":3"),
        (BIGRAM[6:], "", ":1"),
        ("\\2-grams", "\\3-grams", ":11"),
        ("2=2", "2=1", ":13"),
        ("ngram 2=2", "ngram 2=3", ":14"),
        ("a\t-0.25", "a b c\t-0.25", ":9"),
        ("a </s>", "a </s>\t-0.5", ":13"),
        ("-0.4", "x", ":9"),
        ("-0.25", "nan", ":9"),
        ("-0.4", "0.4", ":9"),
        ("<s> a", "<s> b", ":12"),
        ("\n\\end\\\n", "", ":13"),
    ],
)
def test_a_broken_file_is_refused_with_the_line(
    folder: Path, old: str, new: str, line: str
) -> None:
    path = saved(folder, BIGRAM.replace(old, new))
    with mistake("format", f"{path}{line}"):
        list(read(path))


def test_a_promise_that_the_file_is_too_short_for_is_refused(folder: Path) -> None:
    path = saved(folder, BIGRAM.replace("2=2", "2=3000000000"))
    with mistake("format", path):
        read_counts(path)
