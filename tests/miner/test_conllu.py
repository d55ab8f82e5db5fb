"""CoNLL-U as it is in the wild, and what bad input gets."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import ErrorKind, InputError
from colorless_green.miner import read, to_conllu
from tests.builders import conllu, mistake, write_conllu

GOOD = conllu("a/NOUN/Sing/2", "b/VERB/Sing/0")
ROW = "2\tb\tb\tVERB\t_\t_\t0\troot\t_\t_"


def faulty(row: str) -> str:
    """Return a good sentence whose second row is `row`."""
    lines = GOOD.split("\n")
    lines[2] = row
    return "\n".join(lines)


FAULTS = {  # a sentence, and the line its fault is told to stand on
    "nine columns": (faulty(ROW.rpartition("\t")[0]), 3),
    "head outside": (faulty(ROW.replace("\t0\troot", "\t7\tdep")), 3),
    "head no number": (faulty(ROW.replace("\t0\troot", "\tx\tdep")), 3),
    "head with a zero in front": (faulty(ROW.replace("\t0\troot", "\t01\tdep")), 3),
    "cycle without root": (faulty(ROW.replace("\t0\troot", "\t1\tdep")), 2),
    "own head": (conllu("a/X/-/1", "b/X/-/0"), 2),
    "two roots": (conllu("a/X/-/0", "b/X/-/0"), 3),
    "double id": (faulty("1" + ROW[1:]), 3),
    "id gap": (faulty("3" + ROW[1:]), 3),
    "id no number": (faulty("2x" + ROW[1:]), 3),
    "feature without value": (faulty(ROW.replace("VERB\t_\t_", "VERB\t_\tPlur")), 3),
    "feature twice": (faulty(ROW.replace("VERB\t_\t_", "VERB\t_\tA=1|A=2")), 3),
    "empty form": (faulty(ROW.replace("2\tb", "2\t")), 3),
    "range out of place": (conllu("2-3 x", "a/X/-/0"), 2),
    "range without words": (conllu("1-2 x", "a/X/-/0"), 3),
    "range with a feature without value": (
        conllu("1-2 x", "a/X/-/2", "b/X/-/0").replace("x\t_\t_\t_\t_", "x\t_\t_\t_\tTypo"),
        2,
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told_with_its_line_or_its_sentence_left_out(tmp_path: Path, name: str) -> None:
    text, line = FAULTS[name]
    path = write_conllu(tmp_path / "x.conllu", text)
    with mistake("format", f"{path}:{line}"):
        list(read(path))
    faults: list[InputError] = []
    write_conllu(path, GOOD, text, GOOD)
    assert [each.number for each in read(path, on_bad=faults.append)] == [0, 2]
    assert [fault.location for fault in faults] == [f"{path}:{line + GOOD.count(chr(10))}"]


@pytest.mark.parametrize("bad", [b"\xff", b"\0"])
def test_a_line_that_is_no_utf8_or_has_a_nul_is_told_or_left_out(
    tmp_path: Path, bad: bytes
) -> None:
    path = tmp_path / "x.conllu"
    path.write_bytes(GOOD.encode() + GOOD.encode().replace(b"\ta\t", b"\t" + bad + b"\t"))
    with mistake("unreadable", f"{path}:6"):
        list(read(path))
    faults: list[InputError] = []
    assert [each.number for each in read(path, on_bad=faults.append)] == [0]
    assert [(fault.kind, fault.location) for fault in faults] == [("unreadable", f"{path}:6")]


@pytest.mark.parametrize(
    ("content", "kind", "line"),
    [
        (b"", "empty", ""),
        (b"# only = comments\n\n", "empty", ""),
        (b"<!DOCTYPE html>\n<html>\n", "format", ":1"),
    ],
)
def test_a_file_without_sentences_is_refused(
    tmp_path: Path, content: bytes, kind: ErrorKind, line: str
) -> None:
    path = tmp_path / "x.conllu"
    path.write_bytes(content)
    with mistake(kind, f"{path}{line}"):
        list(read(path))


def test_a_file_that_is_cut_off_or_not_there_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.conllu.gz"
    path.write_bytes(gzip.compress((GOOD * 500).encode())[:-20])
    with mistake("format", path):
        list(read(path))
    with mistake("missing", tmp_path / "none.conllu"):
        list(read(tmp_path / "none.conllu"))


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.rstrip("\n"),
        lambda text: text.removesuffix("\n"),
        lambda text: "\n\n" + text.replace("\n\n", "\n \n\n"),
    ],
    ids=["byte order mark", "CRLF", "no line end", "no blank line", "too many blank lines"],
)
def test_what_does_no_harm_is_accepted(tmp_path: Path, change: Callable[[str], str]) -> None:
    plain = write_conllu(tmp_path / "plain.conllu", GOOD, GOOD)
    odd = write_conllu(tmp_path / "odd.conllu", change(GOOD + GOOD))
    assert [to_conllu(each) for each in read(odd)] == [to_conllu(each) for each in read(plain)]


def test_a_sentence_without_an_id_is_called_by_file_and_number(tmp_path: Path) -> None:
    path = write_conllu(tmp_path / "x.conllu", GOOD, GOOD.partition("\n")[2])
    assert [each.sent_id for each in read(path)] == ["s1", "x.conllu:2"]


field = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\t\n\r"), min_size=1
).filter(lambda text: text.strip() == text)


@given(st.lists(st.tuples(field, field, field), min_size=1, max_size=8), st.data())
def test_what_was_read_is_written_back_byte_by_byte(
    tmp_path_factory: pytest.TempPathFactory, words: list[tuple[str, str, str]], data: st.DataObject
) -> None:
    lines = []
    for number, (form, lemma, misc) in enumerate(words, start=1):
        head = 0 if number == 1 else data.draw(st.integers(1, number - 1))
        relation = "root" if head == 0 else "dep"
        lines.append(f"{number}\t{form}\t{lemma}\tX\t_\t_\t{head}\t{relation}\t_\t{misc}\n")
    text = "".join(lines) + "\n"
    path = write_conllu(tmp_path_factory.mktemp("c") / "x.conllu", text)
    assert "".join(map(to_conllu, read(path))) == text
