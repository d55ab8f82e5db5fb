"""What of a suite is in a training text, against plain search."""

import gzip
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green import audit
from colorless_green.data import Item, Suite
from tests.builders import few_examples, mistake
from tests.nonce.audit_material import sentences

WORD = st.sampled_from(["a", "A", "b", "ab", "c"])
SENTENCE = st.lists(WORD, min_size=1, max_size=4).map(" ".join)
PAIRS = st.lists(st.tuples(SENTENCE, SENTENCE), min_size=1, max_size=5)
TEXTS = st.lists(st.lists(WORD | st.sampled_from(list(".,-'")), max_size=8), max_size=5)


def found(path: Path, *items: Item) -> tuple[int, int, int]:
    """How many right sentences, wrong sentences and prefixes are in a text."""
    overlap = audit(Suite("set", items), text=path).overlap
    assert overlap is not None
    assert overlap.n_items == len(items)
    return overlap.n_right, overlap.n_wrong, overlap.n_prefixes


def is_in(words: list[str], text: list[str]) -> bool:
    """Plain search, at every word."""
    starts = range(len(text) - len(words) + 1)
    return bool(words) and any(text[n : n + len(words)] == words for n in starts)


@few_examples
@given(PAIRS, TEXTS, st.sampled_from(["", " "]), st.booleans())
def test_found_is_what_plain_search_finds(
    tmp_path_factory: pytest.TempPathFactory,
    pairs: list[tuple[str, str]],
    rows: list[list[str]],
    blank: str,
    is_packed: bool,
) -> None:
    text = "\n".join(re.sub(r" (?=\W)", blank, " ".join(row)) for row in rows)
    path = tmp_path_factory.mktemp("text") / "text.txt"
    path.write_bytes(gzip.compress(text.encode()) if is_packed else text.encode())
    words = re.findall(r"\w+|\S", text)
    expected = [0, 0, 0]
    for right, wrong in pairs:
        good, bad = right.split(), wrong.split()
        n_shared = 0
        while good[n_shared : n_shared + 1] == bad[n_shared : n_shared + 1] != []:
            n_shared += 1
        for n, searched in enumerate((good, bad, good[:n_shared])):
            expected[n] += is_in(searched, words)
    items = [sentences(*pair, kind="suite") for pair in pairs]
    assert found(path, *items) == tuple(expected)


@pytest.mark.parametrize("n_before", [0, 99_997, 99_998, 99_999, 100_000, 100_001])
def test_a_sentence_is_found_wherever_a_long_text_has_it(tmp_path: Path, n_before: int) -> None:
    path = tmp_path / "long.txt"
    path.write_text("x\n" * n_before + "the\nkey\nopens\n" + "y z\n" * 20)
    assert found(path, sentences("the key opens", "the key open")) == (1, 0, 1)


def test_a_prefix_of_a_script_without_blanks_is_found_within_a_line(tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_text("我看见他买书了。", encoding="utf-8")
    assert found(path, sentences("他买书", "他买画")) == (1, 0, 1)


@pytest.mark.parametrize(("text", "n_found"), [("कम है", 1), ("कमी है", 0), ("कम\u200cी है", 0)])
def test_a_vowel_sign_is_part_of_its_word(tmp_path: Path, text: str, n_found: int) -> None:
    path = tmp_path / "t.txt"
    path.write_text(text, encoding="utf-8")
    assert found(path, sentences("कम", "x"))[0] == n_found


def test_a_text_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_bytes(b"a\n\xff\n")
    with mistake("unreadable", f"{path}:2"):
        found(path, sentences("a", "b"))
    with mistake("missing", tmp_path / "no.txt"):
        found(tmp_path / "no.txt", sentences("a", "b"))
