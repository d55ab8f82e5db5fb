"""A component oracle: ARPA files are written as lmplz lays them out; heads are checked."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.scoring.models.arpa import NgramSection, read_counts, write
from colorless_green.scoring.training._kneser_ney import estimate
from tests.builders import mistake
from tests.scoring.ngram_oracle import arpa_table, texts

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
    found = list(arpa_table(path).items())
    start = 0
    for n, section in enumerate(model.sections, start=1):
        entries = found[start : start + len(section.head)]
        start += len(entries)
        assert [words[0] for words, _ in entries] == [model.vocabulary[i] for i in section.head]
        assert {len(words) for words, _ in entries} == {n}
        assert [p for _, (p, _) in entries] == pytest.approx(section.log10_p, rel=1e-9)
        backoffs = section.log10_backoff if n < len(model.sections) else np.zeros(len(entries))
        assert [weight for _, (_, weight) in entries] == pytest.approx(backoffs, rel=1e-9)
    assert read_counts(path) == model.n_grams


@pytest.mark.parametrize("old_and_new", [("", ""), ("\t", "  "), ("\n", "\r\n")])
@pytest.mark.parametrize("name", ["bigram.arpa", "bigram.arpa.gz"])
def test_a_head_is_read_however_it_is_written(
    name: str, old_and_new: tuple[str, str], folder: Path
) -> None:
    content = BIGRAM.replace(*old_and_new).encode()
    (folder / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    assert read_counts(folder / name) == (4, 2)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (BIGRAM, "", ""),
        ("\\data\\", "data", ":1"),
        ("ngram 1=4\nngram 2=2\n", "", ":3"),
        ("ngram 1=4\n", "", ":2"),
        ("ngram 2=2", "ngram 3=2", ":3"),
        (BIGRAM[6:], "", ":1"),
    ],
)
def test_a_broken_head_is_refused_with_the_line(
    folder: Path, old: str, new: str, line: str
) -> None:
    path = saved(folder, BIGRAM.replace(old, new))
    with mistake("format", f"{path}{line}"):
        read_counts(path)


def test_a_promise_that_the_file_is_too_short_for_is_refused(folder: Path) -> None:
    path = saved(folder, BIGRAM.replace("2=2", "2=3000000000"))
    with mistake("format", path):
        read_counts(path)
