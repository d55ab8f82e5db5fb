"""Plain sentences, and pairs in a table of any make."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data import pair_of, read_suite, sentence_text, sentence_words
from colorless_green.data.errors import ErrorKind
from tests.nonce.format_material import refuses, told, words

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
    suite = read_suite(path, "lines")
    found = [sentence_text(item.conditions["sentence"][0]) for item in suite.items]
    assert found == [text.strip() for text in texts if text.strip()]
    assert suite.predictions == ()


def test_a_text_file_that_tells_no_format_is_plain_text(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("Call me Ishmael.\n\nCall me Ishmael.\n", "utf-8")
    one, other = read_suite(path).items
    assert (one.facts["line"], other.facts["line"]) == ("1", "3")
    assert one.item_id != other.item_id
    assert " ".join(sentence_words(one.conditions["sentence"][0])) == "Call me Ishmael ."


@pytest.mark.parametrize(
    ("content", "form", "kind", "place"),
    [
        ('{"a": 1}\n', "", "format", ""),
        ("[1]\n", "", "format", ""),
        ("id\ttoken\n1\tThe\n", "", "format", ""),
        ("\n", "", "format", ""),
        ("a\nb\tc\n", "lines", "format", ":2"),
        ("a\x00b\n", "lines", "format", ":1"),
        (" \n\n", "lines", "empty", ""),
        ("good,bad\na,\n", "pair_table", "format", ":2"),
        ("good,bad\na,b,c\n", "pair_table", "format", ":2"),
        ("good,bad\n", "pair_table", "empty", ""),
        ("one,two\na,b\n", "pair_table", "missing", ":1"),
    ],
)
def test_what_is_no_sentence_and_no_pair_is_told(
    tmp_path: Path, content: str, form: str, kind: ErrorKind, place: str
) -> None:
    path = tmp_path / "x.txt"
    path.write_text(content, "utf-8")
    refuses(kind, f"{path}{place}", path, form)


@pytest.mark.parametrize("delimiter", ["\t", ",", ";"])
@pytest.mark.parametrize(
    "columns",
    [("sentence_good", "sentence_bad"), ("grammatical", "ungrammatical"), ("good", "bad")],
)
def test_a_table_of_pairs_is_read_by_its_columns(
    tmp_path: Path, delimiter: str, columns: tuple[str, str]
) -> None:
    path = tmp_path / "x.csv"
    rows = (("paradigm", *columns, "n"), ("number", "a b is", "a b are", "5"))
    path.write_text("".join(delimiter.join(row) + "\n" for row in rows), "utf-8")
    suite = read_suite(path)
    (item,) = suite.items
    assert (pair_of(item).right, pair_of(item).wrong) == ("a b is", "a b are")
    assert told(item) == {"construction": "number", "paradigm": "number", "n": "5"}
    assert [each.name for each in suite.predictions] == ["full", "prefix"]


@pytest.mark.parametrize(
    ("right", "wrong", "parts"),
    [
        ("the keys here are lost", "the keys there is lost",
         (("the keys", " here are", " lost"), ("the keys", " there is", " lost"))),
        ("a b", "a b", None),
        ("a b", "a b c", None),
    ],
)  # fmt: skip
def test_sentences_are_parted_at_their_first_and_last_difference(
    tmp_path: Path, right: str, wrong: str, parts: tuple[tuple[str, ...], ...] | None
) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"good,bad\n{right},{wrong}\n", "utf-8")
    (item,) = read_suite(path).items
    expected = parts or ((right,), (wrong,))
    for (wording,), texts in zip(item.conditions.values(), expected, strict=True):
        assert tuple(region.text for region in wording) == texts


odd = st.lists(words, min_size=1, max_size=5).map(" ".join).map(str.strip)


@given(odd, odd)
def test_a_parted_pair_differs_in_its_target_alone(
    tmp_path_factory: pytest.TempPathFactory, right: str, wrong: str
) -> None:
    path = tmp_path_factory.mktemp("t") / "x.tsv"
    cells = ['"' + text.replace('"', '""') + '"' for text in (right, wrong)]
    path.write_text("good\tbad\n" + "\t".join(cells) + "\n", "utf-8", newline="\n")
    (item,) = read_suite(path, "pair_table").items
    found = [wordings[0] for wordings in item.conditions.values()]
    assert [sentence_text(wording) for wording in found] == [right, wrong]
    if len(found[0]) == 3:
        (prefix, one, rest), (other_prefix, other, other_rest) = found
        assert (prefix, rest) == (other_prefix, other_rest)
        assert one.text != other.text
        assert one.text.strip()
        assert other.text.strip()
