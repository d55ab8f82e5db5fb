"""Raw text as paragraphs."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.data.files import spooled
from colorless_green.miner.conllu import read
from colorless_green.miner.parse.text import (
    Text,
    one_line,
    paragraphs,
    raw_text,
    survey,
    treebank_paragraphs,
)
from tests.builders import conllu, write_conllu


def written(folder: Path, data: str | bytes, name: str = "a.txt") -> Path:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def divided(path: Path, division: str = "auto") -> tuple[Text, list[str]]:
    (text,) = survey([path], division)
    return text, list(paragraphs(text))


def test_each_line_is_a_paragraph_where_no_blank_line_stands_between(tmp_path: Path) -> None:
    text, found = divided(written(tmp_path, "\n\nOne two.\nThree.\n\n"))
    assert (text.division, found) == ("line", ["One two.", "Three."])


def test_lines_between_blank_lines_are_one_paragraph(tmp_path: Path) -> None:
    text, found = divided(written(tmp_path, "One\ntwo.\n\t\r\n\nThree."))
    assert (text.division, found) == ("blank", ["One two.", "Three."])


def test_the_division_asked_for_is_taken(tmp_path: Path) -> None:
    path = written(tmp_path, "One\ntwo.\n\nThree.\n")
    assert divided(path, "line")[1] == ["One", "two.", "Three."]
    assert divided(written(tmp_path, "One\ntwo."), "blank")[1] == ["One two."]


@given(st.lists(st.text(max_size=8), max_size=8), st.sampled_from(["auto", "line", "blank"]))
def test_the_survey_counts_what_is_then_read(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], division: str
) -> None:
    data = "\n".join([*lines, "end"]).encode("utf-8", "replace")
    text, found = divided(written(tmp_path_factory.mktemp("t"), data), division)
    assert text.n_paragraphs == len(found)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=30))
def test_a_paragraph_is_one_line_for_every_program(text: str) -> None:
    line = one_line(text)
    assert line.splitlines() in ([line], [])
    assert "\t" not in line
    assert line == line.strip()
    assert "".join(line.split()) == "".join(
        each
        for each in text
        if not each.isspace() and not 0x7F <= ord(each) <= 0x9F and each >= " "
    )


def test_other_blanks_stay_as_they_are() -> None:
    assert one_line(" Où\u00a0?\u3000Là \t\u2028bas ") == "Où\u00a0?\u3000Là bas"


def test_packed_text_is_unpacked_and_its_name_has_no_ending(tmp_path: Path) -> None:
    path = written(tmp_path, gzip.compress(b"One."), "my news.txt.gz")
    text, found = divided(path)
    assert (text.name, found) == ("my_news", ["One."])


def test_a_treebank_is_taken_for_its_text_a_paragraph_at_a_time(tmp_path: Path) -> None:
    blocks = [conllu("Go/VERB/-/0", sent_id=f"s{n}") for n in range(1, 6)]
    blocks[0] = "# newdoc id = d\n# newpar\n" + blocks[0].replace("\t_\n", "\tSpaceAfter=No\n")
    blocks[2] = "# newpar id = p2\n" + blocks[2]
    blocks[3] = "# newdoc_id = this is another key\n# text = Gone !\n" + blocks[3]
    path = write_conllu(tmp_path / "a.conllu", *blocks)
    assert divided(path)[1] == ["GoGo", "Go Gone ! Go"]
    assert list(treebank_paragraphs(read(path), longest=2)) == ["GoGo", "Go Gone !", "Go"]


def test_without_a_text_comment_the_tokens_and_their_blanks_make_the_text(tmp_path: Path) -> None:
    rows = conllu("1-2 del", "de/ADP/-/3", "il/DET/-/3", "re/NOUN/-/0")
    path = write_conllu(tmp_path / "a.conllu", rows.replace("\tre\t", "\tre\t", 1))
    assert raw_text(next(read(path))) == "del re"
    glued = rows.replace("del" + "\t_" * 8, "del" + "\t_" * 7 + "\tSpaceAfter=No")
    assert raw_text(next(read(write_conllu(path, glued)))) == "delre"


def test_bytes_that_are_not_utf8_are_found_before_anything_is_parsed(tmp_path: Path) -> None:
    path = written(tmp_path, b"good\nb\xffd\n")
    with pytest.raises(InputError) as caught:
        survey([path])
    assert str(caught.value) == f"{path}:2: byte 0xff is not UTF-8; a file saved as UTF-8"


def test_a_file_without_text_is_said_to_be_empty(tmp_path: Path) -> None:
    path = written(tmp_path, " \n\t\n\x0c\n")
    with pytest.raises(InputError) as caught:
        survey([path])
    assert str(caught.value) == f"{path}: no text in it; plain text in UTF-8"


def test_two_texts_of_one_name_are_refused(tmp_path: Path) -> None:
    other = written(tmp_path, "B.", "a b.md")
    paths = [written(tmp_path, "A.", "a_b.txt"), other]
    with pytest.raises(InputError) as caught:
        survey(paths)
    assert str(caught.value) == f"{paths[0]}: two texts of one run are called a_b; other names"


def test_an_unknown_division_is_answered_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        survey([written(tmp_path, "A.")], "page")
    assert str(caught.value) == "--paragraphs: no such division 'page'; auto, line, blank"


def test_standard_input_is_a_text_of_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, "From a pipe.")
    with open(path) as stream:
        monkeypatch.setattr("sys.stdin", stream)
        with spooled([Path("-")], ".txt") as (paths, _):
            text, found = divided(paths[0])
    assert (text.name, found) == ("stdin", ["From a pipe."])


def test_a_fault_in_standard_input_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open(written(tmp_path, b"\n\xff")) as stream:
        monkeypatch.setattr("sys.stdin", stream)
        with pytest.raises(InputError) as caught, spooled([Path("-")], ".txt") as (paths, _):
            survey(paths)
    assert caught.value.place == "standard input:2"
