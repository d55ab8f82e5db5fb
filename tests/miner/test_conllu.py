"""CoNLL-U as it is in the wild, and what bad input gets."""

import gzip
from pathlib import Path

import pytest
from conllu import parse_incr
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.miner.conllu import read, to_conllu
from colorless_green.miner.treebank import sentences, treebank
from tests.builders import SHARED, conllu, shared, write_conllu

GOOD = conllu("a/NOUN/Sing/2", "b/VERB/Sing/0")


def faulty(row: str) -> str:
    """A good sentence whose second row is `row`."""
    lines = GOOD.split("\n")
    lines[2] = row
    return "\n".join(lines)


ROW = "2\tb\tb\tVERB\t_\t_\t0\troot\t_\t_"
FAULTS = {
    "nine columns": (
        faulty(ROW.rpartition("\t")[0]),
        "3: 9 columns; 10 columns separated by tabs",
    ),
    "head outside": (
        faulty(ROW.replace("\t0\troot", "\t7\tdep")),
        "3: HEAD is 7, but there is no such word; 0 to 2",
    ),
    "head no number": (
        faulty(ROW.replace("\t0\troot", "\tx\tdep")),
        "3: HEAD is 'x'; a word number, or 0 for the root",
    ),
    "head with a zero in front": (
        faulty(ROW.replace("\t0\troot", "\t01\tdep")),
        "3: HEAD is '01'; a word number, or 0 for the root",
    ),
    "cycle without root": (
        faulty(ROW.replace("\t0\troot", "\t1\tdep")),
        "2: no root: its heads run in a cycle; heads that lead to a word with HEAD 0",
    ),
    "own head": (
        conllu("a/X/-/1", "b/X/-/0"),
        "2: its heads run in a cycle; heads that lead to a word with HEAD 0",
    ),
    "two roots": (
        conllu("a/X/-/0", "b/X/-/0"),
        "3: a second root; one word with HEAD 0",
    ),
    "double id": (faulty("1" + ROW[1:]), "3: ID 1 comes twice; ID 2"),
    "id gap": (faulty("3" + ROW[1:]), "3: ID 3 leaves a gap; ID 2"),
    "id no number": (
        faulty("2x" + ROW[1:]),
        "3: ID is '2x'; a word number, a range 1-2 or a node 1.1",
    ),
    "feature without value": (
        faulty(ROW.replace("VERB\t_\t_", "VERB\t_\tPlur")),
        "3: 'Plur' in FEATS; Name=Value joined by |, each name once, or _",
    ),
    "feature twice": (
        faulty(ROW.replace("VERB\t_\t_", "VERB\t_\tNumber=Sing|Number=Plur")),
        "3: Number twice in FEATS; Name=Value joined by |, each name once, or _",
    ),
    "empty form": (faulty(ROW.replace("2\tb", "2\t")), "3: FORM is empty; a value, or _ for none"),
    "range out of place": (
        conllu("2-3 x", "a/X/-/0"),
        "2: the range 2-3 is out of place; a range that begins at 1",
    ),
    "range without words": (
        conllu("1-2 x", "a/X/-/0"),
        "3: the range to 2 lacks words; its words below it",
    ),
    "range with a feature without value": (
        conllu("1-2 x", "a/X/-/2", "b/X/-/0").replace("x\t_\t_\t_\t_", "x\t_\t_\t_\tTypo"),
        "2: 'Typo' in FEATS; Name=Value joined by |, each name once, or _",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told_with_its_line_and_its_remedy(tmp_path: Path, name: str) -> None:
    text, message = FAULTS[name]
    path = write_conllu(tmp_path / "x.conllu", text)
    with pytest.raises(InputError) as caught:
        list(read(path))
    assert str(caught.value) == f"{path}:{message}"


@pytest.mark.parametrize("name", FAULTS)
def test_a_faulty_sentence_can_be_left_out_and_is_told(tmp_path: Path, name: str) -> None:
    path = write_conllu(tmp_path / "x.conllu", GOOD, FAULTS[name][0], GOOD)
    faults: list[InputError] = []
    sentences = list(read(path, on_bad=faults.append))
    assert [each.number for each in sentences] == [0, 2]
    assert len(faults) == 1


def test_a_line_that_is_not_utf8_is_told_or_left_out(tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    path.write_bytes(GOOD.encode() + GOOD.encode().replace(b"\ta\t", b"\t\xff\t") + GOOD.encode())
    with pytest.raises(InputError) as caught:
        list(read(path))
    assert str(caught.value) == f"{path}:6: byte 0xff is not UTF-8; a file saved as UTF-8"
    faults: list[InputError] = []
    assert [each.number for each in read(path, on_bad=faults.append)] == [0, 2]
    assert str(faults[0]) == f"{path}:6: byte 0xff is not UTF-8; a file saved as UTF-8"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", ": no sentence in it; a CoNLL-U file"),
        (b"# only = comments\n\n", ": no sentence in it; a CoNLL-U file"),
        (b"<!DOCTYPE html>\n<html>\n", ":1: this looks like HTML or XML; a CoNLL-U file"),
    ],
)
def test_a_file_without_sentences_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "x.conllu"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        list(read(path))
    assert str(caught.value) == f"{path}{message}"


def test_a_gzip_file_that_is_cut_off_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.conllu.gz"
    path.write_bytes(gzip.compress((GOOD * 500).encode())[:-20])
    with pytest.raises(InputError) as caught:
        list(read(path))
    assert str(caught.value) == f"{path}: the gzip file is cut off; download it again"


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    path = tmp_path / "none.conllu"
    with pytest.raises(InputError) as caught:
        list(read(path))
    assert str(caught.value) == f"{path}: there is no such file; the path of a file"


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
def test_what_does_no_harm_is_accepted(tmp_path: Path, change: object) -> None:
    assert callable(change)
    plain = write_conllu(tmp_path / "plain.conllu", GOOD, GOOD)
    odd = write_conllu(tmp_path / "odd.conllu", change(GOOD + GOOD))
    assert [to_conllu(each) for each in read(odd)] == [to_conllu(each) for each in read(plain)]


def test_ranges_empty_nodes_and_stray_comments_are_kept_in_their_places(tmp_path: Path) -> None:
    text = (
        "# sent_id = x\n# text = della  casa\n"
        "0.1\t_\t_\t_\t_\t_\t_\t_\t0:x\t_\n"
        "1-2\tdella\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
        "1\tdi\tdi\tADP\t_\t_\t3\tcase\t_\t_\n"
        "# stray\n"
        "1.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "2\tla\til\tDET\t_\tNumber=Sing\t3\tdet\t_\t_\n"
        "3\t_\t_\tNOUN\t_\tNumber[psor]=Plur\t0\troot\t_\t_\n\n"
    )
    (sentence,) = read(write_conllu(tmp_path / "x.conllu", text))
    assert to_conllu(sentence) == text
    assert sentence.forms == ("di", "la", "_")
    assert sentence.heads == (2, 2, -1)
    assert [(each.first, each.last, each.form) for each in sentence.ranges] == [(0, 1, "della")]
    assert sentence.comment("text") == "della  casa"


def test_a_sentence_without_an_id_is_called_by_file_and_number(tmp_path: Path) -> None:
    path = write_conllu(tmp_path / "x.conllu", GOOD, GOOD.partition("\n")[2])
    assert [each.sent_id for each in read(path)] == ["s1", "x.conllu:2"]


field = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\t\n\r"), min_size=1
).filter(lambda text: text.strip() == text)


@given(st.lists(st.tuples(field, field, field), min_size=1, max_size=8), st.data())
def test_what_was_read_is_written_back_byte_by_byte(
    tmp_path_factory: pytest.TempPathFactory,
    words: list[tuple[str, str, str]],
    data: st.DataObject,
) -> None:
    lines = []
    for number, (form, lemma, misc) in enumerate(words, start=1):
        head = 0 if number == 1 else data.draw(st.integers(1, number - 1))
        relation = "root" if head == 0 else "dep"
        lines.append(f"{number}\t{form}\t{lemma}\tX\t_\t_\t{head}\t{relation}\t_\t{misc}\n")
    text = "".join(lines) + "\n"
    path = write_conllu(tmp_path_factory.mktemp("c") / "x.conllu", text)
    assert "".join(map(to_conllu, read(path))) == text


TREEBANKS = sorted(SHARED.glob("treebanks/*/*.conllu.gz")) if SHARED.exists() else [SHARED]


@pytest.mark.shared
@pytest.mark.parametrize("path", TREEBANKS, ids=lambda path: path.name)
def test_every_treebank_comes_back_byte_by_byte(path: Path) -> None:
    shared("treebanks")
    text = "".join(to_conllu(sentence) for sentence in read(path))
    assert text.encode() == gzip.decompress(path.read_bytes())


@pytest.mark.shared
@pytest.mark.parametrize(
    "name",
    ["UD_Hebrew-HTB/he_htb-ud-dev.conllu.gz", "UD_Ukrainian-IU/uk_iu-ud-dev.conllu.gz"],
)
def test_sentences_are_those_of_the_conllu_library(name: str) -> None:
    path = shared("treebanks", name)
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as stream:
        for ours, theirs in zip(read(path), parse_incr(stream), strict=True):
            words = [token for token in theirs if isinstance(token["id"], int)]
            assert list(ours.forms) == [word["form"] for word in words]
            assert list(ours.upos) == [word["upos"] for word in words]
            assert [head + 1 for head in ours.heads] == [word["head"] for word in words]
            for index, word in enumerate(words):
                assert dict(ours.token(index).feats) == (word["feats"] or {})
            assert ours.sent_id == theirs.metadata["sent_id"]


def test_a_sentence_id_that_comes_twice_in_a_file_is_told_or_left_out(tmp_path: Path) -> None:
    path = write_conllu(tmp_path / "x.conllu", GOOD, GOOD)
    source = treebank([path])
    with pytest.raises(InputError) as caught:
        list(sentences(source))
    assert str(caught.value) == (
        f"{path}:5: the sent_id 's1' stands on line 1 too; an id of its own for each sentence "
        "of a file"
    )
    faults: list[InputError] = []
    assert len(list(sentences(source, on_bad=faults.append))) == 1
    assert len(faults) == 1


def test_files_of_one_treebank_may_share_sentence_ids(tmp_path: Path) -> None:
    paths = [write_conllu(tmp_path / f"{part}.conllu", GOOD) for part in ("train", "dev")]
    assert len(list(sentences(treebank(paths)))) == 2
