"""ARPA files are written so that KenLM reads them, and read so that a bad line is named."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.scoring.arpa import Entry, Section, read, read_counts, write
from colorless_green.scoring.training.kneser_ney import estimate
from tests.scoring.ngram_oracle import entries_of, texts

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
    unigrams = Section(
        np.array([[0], [1], [2], [3]]),
        np.array([-1, 0, -0.6, -0.4]),
        np.array([0, -0.3, 0, -0.25]),
    )
    bigrams = Section(np.array([[1, 3], [3, 2]]), np.array([-0.2, -1 / 3]), np.zeros(2))
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
    found, expected = list(read(path)), list(entries_of(model))
    assert [entry.words for entry in found] == [entry.words for entry in expected]
    for one, other in zip(found, expected, strict=True):
        assert one.log10_p == pytest.approx(other.log10_p, rel=1e-9)
        assert one.log10_backoff == pytest.approx(other.log10_backoff, rel=1e-9)
    assert read_counts(path) == tuple(len(section.words) for section in model.sections)


def test_spaces_for_tabs_carriage_returns_gzip_and_missing_weights_are_read(folder: Path) -> None:
    expected = [
        Entry(("<unk>",), -1, 0),
        Entry(("<s>",), -99, -0.3),
        Entry(("</s>",), -0.6, 0),
        Entry(("a",), -0.4, -0.25),
        Entry(("<s>", "a"), -0.2, 0),
        Entry(("a", "</s>"), -0.5, 0),
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
    ("old", "new", "message"),
    [
        (BIGRAM, "", r"{}: the file ends here; \data\ in an ARPA file"),
        ("\\data\\", "data", r"{}:1: 'data'; \data\ in an ARPA file"),
        ("ngram 1=4\nngram 2=2\n", "", r"{}:3: '\\1-grams:'; 'ngram 1=' and a count"),
        ("ngram 1=4\n", "", "{}:2: 'ngram 2=2'; 'ngram 1=' and a count"),
        ("ngram 2=2", "ngram 3=2", "{}:3: 'ngram 3=2'; 'ngram 2=' and a count"),
        (BIGRAM[6:], "", r"{}:1: no counts; lines like 'ngram 1=9'"),
        ("\\2-grams", "\\3-grams", r"{}:11: '\\3-grams:'; \2-grams: in an ARPA file"),
        ("2=2", "2=1", r"{}:13: '-0.5\ta </s>'; \end\ in an ARPA file"),
        ("ngram 2=2", "ngram 2=3", "{}:14: ''; a log10 probability, 2 words"),
        (
            "a\t-0.25",
            "a b c\t-0.25",
            "{}:9: '-0.4\\ta b c\\t-0.25'; "
            "a log10 probability, 1 word and perhaps a back-off weight",
        ),
        (
            "a </s>",
            "a </s>\t-0.5",
            "{}:13: '-0.5\\ta </s>\\t-0.5'; a log10 probability, 2 words",
        ),
        ("-0.4", "x", "{}:9: 'x' is no number; a log10 value like -0.30103"),
        ("-0.25", "nan", "{}:9: 'nan' is no number; a log10 value like -0.30103"),
        ("-0.4", "0.4", "{}:9: the log10 probability 0.4; a number that is at most 0"),
        ("<s> a", "<s> b", "{}:12: 'b' is no 1-gram; words that are listed there"),
        ("\n\\end\\\n", "", r"{}:13: the file ends here; \end\ in an ARPA file"),
    ],
)
def test_a_broken_file_is_refused_with_the_line(
    folder: Path, old: str, new: str, message: str
) -> None:
    path = saved(folder, BIGRAM.replace(old, new))
    with pytest.raises(InputError) as caught:
        list(read(path))
    assert str(caught.value) == message.format(path)


def test_a_promise_that_the_file_is_too_short_for_is_refused(folder: Path) -> None:
    path = saved(folder, BIGRAM.replace("2=2", "2=3000000000"))
    n_bytes = path.stat().st_size
    with pytest.raises(InputError) as caught:
        read_counts(path)
    assert str(caught.value) == (
        f"{path}: 3,000,000,004 n-grams promised in {n_bytes} bytes; the whole file"
    )
