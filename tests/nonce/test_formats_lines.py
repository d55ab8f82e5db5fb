"""Plain sentences, and pairs in a table of any make."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.nonce.formats import format_of, lines, pair_table
from colorless_green.nonce.formats.pairs import pair_of
from colorless_green.nonce.item import sentence_text, sentence_words

sentences = st.lists(
    st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=5),
    min_size=1,
    max_size=5,
).map(" ".join)


@given(st.lists(sentences, min_size=1, max_size=6))
def test_every_line_is_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    path = tmp_path_factory.mktemp("l") / "x.txt"
    path.write_text("\n\n".join(texts) + "\n", "utf-8", newline="\n")
    suite = lines.read(path)
    found = [sentence_text(item.conditions["sentence"][0]) for item in suite.items]
    assert found == [text.strip() for text in texts if text.strip()]
    assert suite.predictions == ()


def test_a_text_file_that_tells_no_format_is_plain_text(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("Call me Ishmael.\n\nCall me Ishmael.\n", "utf-8")
    suite = format_of(path, "").read(path)
    assert [item.facts["line"] for item in suite.items] == ["1", "3"]
    assert len({item.item_id for item in suite.items}) == 2
    assert sentence_words(suite.items[0].conditions["sentence"][0]) == (
        "Call", "me", "Ishmael", ".",
    )  # fmt: skip


@pytest.mark.parametrize("content", ['{"a": 1}\n', "[1]\n", "id\ttoken\n1\tThe\n", "\n"])
def test_data_in_a_text_file_are_no_sentences(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.txt"
    path.write_text(content, "utf-8")
    with pytest.raises(InputError, match="its content does not tell its format"):
        format_of(path, "").read(path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a\n" + "b\tc\n", ":2: '\\t' in a sentence; one sentence a line, nothing else"),
        ("a\x00b\n", ":1: '\\x00' in a sentence; one sentence a line, nothing else"),
        (" \n\n", ": no sentence in it; one sentence a line"),
    ],
)
def test_what_is_no_sentence_is_told(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "x.txt"
    path.write_text(content, "utf-8")
    with pytest.raises(InputError) as caught:
        lines.read(path)
    assert str(caught.value) == f"{path}{said}"


@pytest.mark.parametrize("delimiter", ["\t", ",", ";"])
@pytest.mark.parametrize(
    "columns",
    [("sentence_good", "sentence_bad"), ("grammatical", "ungrammatical"), ("good", "bad")],
)
def test_a_table_of_pairs_is_read_by_its_columns(
    tmp_path: Path, delimiter: str, columns: tuple[str, str]
) -> None:
    path = tmp_path / "x.csv"
    header = delimiter.join(("paradigm", *columns, "n"))
    path.write_text(f"{header}\nnumber{delimiter}a b is{delimiter}a b are{delimiter}5\n", "utf-8")
    suite = format_of(path, "").read(path)
    (item,) = suite.items
    pair = pair_of(item)
    assert (pair.right, pair.wrong) == ("a b is", "a b are")
    assert item.facts == {"construction": "number", "paradigm": "number", "n": "5"}
    assert [each.name for each in suite.predictions] == ["full", "prefix"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("good,bad\na,\n", ":2: an empty sentence; two sentences"),
        ("good,bad\na,b,c\n", ":2: 3 cells; 2, as in the header"),
        ("good,bad\n", ": no pair in it; a row for each pair"),
        ("one,two\na,b\n", ":1: no columns of right and wrong sentences; sentence_good and "
         "sentence_bad, say"),
    ],
)  # fmt: skip
def test_a_table_that_has_no_pairs_is_told(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(content, "utf-8")
    with pytest.raises(InputError) as caught:
        pair_table.read(path)
    assert str(caught.value) == f"{path}{said}"
