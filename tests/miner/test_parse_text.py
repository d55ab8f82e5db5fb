"""Raw text as paragraphs; and which parser made a file, as its comments tell."""

import gzip
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import ErrorKind
from colorless_green.data.files import spool_stdin
from colorless_green.miner import parse_into, parsed_by, read
from tests.builders import mistake
from tests.miner.fake_parser import FakeParser


def written(folder: Path, data: str | bytes, name: str = "a.txt") -> Path:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


class Listening(FakeParser):
    """A parser that notes the paragraphs it is given."""

    def parse(self, texts: Sequence[str]) -> list[str]:
        heard.extend(texts)
        return super().parse(texts)


heard: list[str] = []


def divided(path: Path) -> tuple[str, list[str]]:
    """How a file was divided, and its paragraphs, of which there are as many as were counted."""
    heard.clear()
    (row,) = parse_into(path.parent / "out.conllu", [path], Listening()).rows
    assert row["n_paragraphs"] == len(heard)
    return str(row["division"]), list(heard)


def refused(path: Path) -> None:
    parse_into(path.parent / "out.conllu", [path], FakeParser())


@pytest.mark.parametrize(
    ("data", "division", "found"),
    [
        ("\n\nOne two.\nThree.\n\n", "line", ["One two.", "Three."]),
        ("One\ntwo.\n\t\r\n\nThree.", "blank", ["One two.", "Three."]),
        ("One\ntwo.", "line", ["One", "two."]),
        (" Où\u00a0?\u3000Là \t\u2028bas ", "line", ["Où\u00a0?\u3000Là bas"]),
    ],
)
def test_lines_or_what_stands_between_blank_lines_are_paragraphs(
    tmp_path: Path, data: str, division: str, found: list[str]
) -> None:
    assert divided(written(tmp_path, data)) == (division, found)


@given(st.lists(st.text(max_size=8), max_size=8))
def test_a_paragraph_is_one_line_for_every_program_and_no_letter_is_lost(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    data = "\n".join(["begin", *lines, "end"]).encode("utf-8", "replace").decode()
    _, found = divided(written(tmp_path_factory.mktemp("t"), data))
    for line in found:
        assert line.splitlines() == [line]
        assert "\t" not in line
        assert line == line.strip() != ""
    assert "".join("".join(found).split()) == "".join(
        each
        for each in data
        if not each.isspace() and not 0x7F <= ord(each) <= 0x9F and each >= " "
    )


def test_packed_text_is_unpacked_and_its_name_has_no_ending(tmp_path: Path) -> None:
    path = written(tmp_path, gzip.compress(b"One."), "my news.txt.gz")
    assert divided(path) == ("line", ["One."])
    assert next(read(tmp_path / "out.conllu")).sent_id == "my_news-1-1"


@pytest.mark.parametrize(
    ("data", "kind", "line"),
    [(b"good\nb\xffd\n", "unreadable", ":2"), (b" \n\t\n\x0c\n", "empty", "")],
)
def test_what_is_no_text_is_found_before_anything_is_parsed(
    tmp_path: Path, data: bytes, kind: ErrorKind, line: str
) -> None:
    path = written(tmp_path, data)
    with mistake(kind, f"{path}{line}"):
        refused(path)


def test_a_treebank_is_no_text(tmp_path: Path) -> None:
    path = written(tmp_path, b"1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n\n", "a.conllu.gz")
    with mistake("format", path):
        refused(path)


def test_two_texts_of_one_name_are_refused(tmp_path: Path) -> None:
    paths = [written(tmp_path, "A.", "a_b.txt"), written(tmp_path, "B.", "a b.md")]
    with mistake("conflict", paths[0]):
        parse_into(tmp_path / "out.conllu", paths, FakeParser())


def test_standard_input_is_a_text_of_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open(written(tmp_path, "From a pipe.")) as stream:
        monkeypatch.setattr("sys.stdin", stream)
        with spool_stdin([Path("-")], ".txt") as (paths, _):
            assert divided(paths[0])[1] == ["From a pipe."]
            assert next(read(paths[0].parent / "out.conllu")).sent_id == "stdin-1-1"


def test_a_fault_in_standard_input_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open(written(tmp_path, b"\n\xff")) as stream:
        monkeypatch.setattr("sys.stdin", stream)
        with (
            mistake("unreadable", "standard input:2"),
            spool_stdin([Path("-")], ".txt") as (paths, _),
        ):
            refused(paths[0])


UDPIPE = (
    "# generator = UDPipe 2, https://lindat.mff.cuni.cz/services/udpipe",
    "# udpipe_model = czech-pdt-ud-2.6-200830",
    "# udpipe_model_licence = CC BY-NC-SA",
    "# newdoc",
)


@pytest.mark.parametrize(
    ("comments", "parser"),
    [
        (("# parsed_by = stanza 1.15.0 it x", "# sent_id = 1"), "stanza 1.15.0 it x"),
        (UDPIPE, "UDPipe 2, https://lindat.mff.cuni.cz/services/udpipe, czech-pdt-ud-2.6-200830"),
        (UDPIPE[1:2], "UDPipe, czech-pdt-ud-2.6-200830"),
        (UDPIPE[:1], "UDPipe 2, https://lindat.mff.cuni.cz/services/udpipe"),
        (("#parsed_by=mine",), "mine"),
        (("# parsed_by = a", *UDPIPE), "a"),
        (("# sent_id = 1", "# text = # parsed_by = x", "# generator", "# parsed_by ="), ""),
        ((), ""),
    ],
)
def test_a_parser_is_known_by_the_comments_it_writes(
    comments: tuple[str, ...], parser: str
) -> None:
    assert parsed_by(comments) == parser
