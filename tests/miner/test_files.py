"""Files as they come: what is read as what it is, and what is refused with a way on."""

import bz2
import gzip
import zlib
from pathlib import Path

import pytest

import colorless_green as cg
from colorless_green.data.errors import ErrorKind
from colorless_green.miner import Rule, mine_treebank, read, sentences, to_conllu, treebank
from tests.builders import conllu, mistake, write_conllu
from tests.miner.mining import numbered_clauses, with_word

GOOD = conllu("ä/NOUN/Sing/2", "b/VERB/Sing/0")
TWO = GOOD + GOOD.replace("s1", "s2")
CLAUSES = numbered_clauses(12, Sing=("is", "be"), Plur=("are", "be"))
AGREEING = "".join(CLAUSES)
AGAIN = "".join(with_word(block, "again") for block in CLAUSES)
"""Other sentences of the same ids."""


def texts(path: Path) -> list[str]:
    return [to_conllu(each) for each in read(path)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x", gzip.compress(TWO.encode())),
        ("x.conllu", gzip.compress(TWO.encode())),
        ("x.conllu.gz", TWO.encode()),
        ("x.conllu.bz2", bz2.compress(TWO.encode())),
        ("x.conllu", bz2.compress(TWO.encode())),
        ("x.conllu", TWO.encode("utf-16")),
        ("x.conllu", TWO.encode("utf-16-le")),
        ("x.conllu", TWO.encode("utf-16-be")),
        ("x.conllu", TWO.replace("\n", "\r\n").encode("utf-16")),
        ("x.conllu.gz", gzip.compress(TWO.encode("utf-16"))),
        ("x.conllu", TWO.replace("\n", "\r").encode()),
        ("x.conllu", ("\ufeff" + TWO).replace("\n", "\r").encode()),
        ("x.conllu", ("\ufeff" + TWO.replace("# sent_id = s2", "\ufeff# sent_id = s2")).encode()),
    ],
    ids=[
        *("gzip", "gzip called conllu", "text called gz", "bzip2", "bzip2 called conllu"),
        *("UTF-16", "UTF-16 LE without mark", "UTF-16 BE without mark", "UTF-16 with CRLF"),
        *("packed UTF-16", "CR", "CR and byte order mark", "byte order mark amid"),
    ],
)
def test_a_file_is_read_as_what_it_is_whatever_its_name(
    tmp_path: Path, name: str, content: bytes
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    plain = write_conllu(tmp_path / "plain.conllu", TWO)
    assert texts(path) == texts(plain)
    assert [each.line for each in read(path)] == [each.line for each in read(plain)]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8"])
def test_a_long_recoded_file_is_read_in_one_part_to_its_end(tmp_path: Path, encoding: str) -> None:
    content = "".join(GOOD.replace("s1", f"s{n}") for n in range(5_000)).replace("\n", "\r")
    path = tmp_path / "x.conllu"
    path.write_bytes(content.encode(encoding))
    assert (
        mine_treebank(
            treebank([path]), Rule(extends="released"), part_bytes=1_000
        ).stages.n_sentences
        == 5_000
    )


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"PK\3\4" + b"\0" * 99, "unsupported"),
        (gzip.compress(b"x.conllu" + b"\0" * 249 + b"ustar\x0000"), "unsupported"),
        (b"\xfd7zXZ\0....", "unsupported"),
        (b"\x28\xb5\x2f\xfd....", "unsupported"),
        (TWO.encode("utf-16")[:-1], "unreadable"),
        (bz2.compress(TWO.encode())[:-9], "format"),
    ],
    ids=["zip", "tar", "xz", "zstd", "UTF-16 cut off", "bzip2 cut off"],
)
def test_what_is_not_read_is_refused_as_what_it_is(
    tmp_path: Path, content: bytes, kind: ErrorKind
) -> None:
    path = tmp_path / "x.conllu"
    path.write_bytes(content)
    with mistake(kind, path):
        texts(path)


@pytest.mark.slow
@pytest.mark.parametrize("line", [b"#" * 1_000_000, b"# c\n" * 250_000], ids=["line", "sentence"])
def test_a_file_that_unpacks_to_an_endless_sentence_is_refused_in_bounded_memory(
    tmp_path: Path, line: bytes
) -> None:
    path = tmp_path / "bomb.conllu.gz"
    packer = zlib.compressobj(9, wbits=31)
    with open(path, "wb") as stream:
        for _ in range(200):
            stream.write(packer.compress(line))
        stream.write(packer.flush())
    with mistake("unsafe", path):
        texts(path)


def filled(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        write_conllu(folder / name, AGREEING)
    return folder


def test_several_treebanks_are_named_after_all_of_them(tmp_path: Path) -> None:
    folders = [
        filled(tmp_path / f"UD_{name}", f"en_{name.lower()}-ud-test.conllu") for name in "ABCD"
    ]
    assert treebank(folders[:1]).name == "UD_A"
    assert treebank(folders[:2]).name == "UD_A+UD_B"
    assert treebank(folders).name == "UD_A+3"


def test_hidden_files_of_a_folder_are_not_read(tmp_path: Path) -> None:
    folder = filled(tmp_path / "UD_X", "en_x-ud-test.conllu")
    (folder / "._en_x-ud-test.conllu").write_bytes(b"\0\5\x16\7")
    (folder / ".DS_Store").write_bytes(b"\0")
    assert [each.name for each in treebank([folder]).files] == ["en_x-ud-test.conllu"]
    filled(tmp_path / ".cache", "de_x-ud-test.conllu")
    assert {row["language"] for row in cg.languages(tmp_path).rows} == {"en"}
    filled(tmp_path / "hidden" / "UD_Y", ".x.conllu")
    with mistake("empty", tmp_path / "hidden" / "UD_Y"):
        treebank([tmp_path / "hidden" / "UD_Y"])


def test_packed_files_of_a_folder_are_its_files_too(tmp_path: Path) -> None:
    for part, pack in (("train", bz2.compress), ("dev", gzip.compress)):
        ending = "bz2" if part == "train" else "gz"
        (tmp_path / f"x-ud-{part}.conllu.{ending}").write_bytes(pack(GOOD.encode()))
    assert len(list(sentences(treebank([tmp_path])))) == 2


def test_files_of_two_languages_are_one_treebank_only_where_that_is_said(tmp_path: Path) -> None:
    folder = filled(tmp_path / "mixed", "en_a-ud-test.conllu", "de_b-ud-test.conllu")
    with mistake("conflict", folder):
        treebank([folder])
    one, other = sorted(folder.iterdir())
    with mistake("conflict", one):
        treebank([other, one])
    with mistake("conflict", folder):
        cg.mine(folder)
    assert len(treebank([folder], language="mul").files) == 2
    assert treebank([one]).language == "de"
    filled(folder, "en_c-ud-test.conllu")
    one.unlink()
    assert treebank([folder]).language == "en"


def test_the_survey_of_languages_takes_a_mixed_folder_apart(tmp_path: Path) -> None:
    filled(tmp_path / "mixed", "en_a-ud-test.conllu", "en_a-ud-dev.conllu", "de_b-ud-test.conllu")
    filled(tmp_path / "UD_Polish-X", "pl_x-ud-test.conllu")
    rows = cg.languages(tmp_path).rows
    assert [(row["language"], row["n_sentences"]) for row in rows] == [
        ("de", 24),
        ("en", 48),
        ("pl", 24),
    ]


def test_a_folder_of_treebanks_is_none_unless_it_holds_one_alone(tmp_path: Path) -> None:
    release = tmp_path / "release"
    filled(release / "UD_English-A", "en_a-ud-test.conllu")
    (release / "docs").mkdir()
    source = treebank([release])
    assert (source.name, source.language, len(source.files)) == ("UD_English-A", "en", 1)
    filled(release / "UD_English-B", "en_b-ud-test.conllu")
    with mistake("conflict", release):
        treebank([release])
    assert len(cg.languages(tmp_path).rows) == len(cg.languages(release).rows) == 2


def test_a_folder_that_leads_back_to_itself_is_empty(tmp_path: Path) -> None:
    (tmp_path / "again").symlink_to(tmp_path, target_is_directory=True)
    with mistake("empty", tmp_path):
        cg.languages(tmp_path)
    with mistake("empty", tmp_path):
        treebank([tmp_path])


@pytest.mark.parametrize("rule", ["released", "tested"])
def test_a_comment_with_nine_tabs_between_words_is_a_comment(tmp_path: Path, rule: str) -> None:
    comment = "\n# a" + "\tb" * 9 + "\n2\t"
    path = write_conllu(tmp_path / "x.conllu", GOOD.replace("\n2\t", comment))
    assert mine_treebank(treebank([path]), Rule(extends=rule, min_gap=0)).stages.annotated == {
        "Number": 2
    }


@pytest.mark.parametrize("part_bytes", [1, 1 << 20])
def test_where_a_file_repeats_an_id_each_has_its_line_and_nothing_is_left_out(
    tmp_path: Path, part_bytes: int
) -> None:
    path = write_conllu(tmp_path / "x.conllu", AGREEING, AGAIN)
    other = write_conllu(tmp_path / "y.conllu", AGREEING)
    bank = treebank([path, other])
    found = mine_treebank(bank, Rule(extends="released"), part_bytes=part_bytes)
    assert found.stages.n_sentences == 72
    assert found.renumbered == ("x.conllu",)
    ids = {
        file: [each.sent_id for each in found.agreements if each.file == file]
        for file in ("x.conllu", "y.conllu")
    }
    assert len(set(ids["x.conllu"])) == len(ids["x.conllu"]) == 48
    assert not any("@" in each for each in ids["y.conllu"])
    lines = path.read_text().split("\n")
    for each in ids["x.conllu"]:
        name, _, line = each.partition("@")
        assert lines[int(line) - 1] == f"# sent_id = {name}"


def test_a_renumbered_treebank_goes_all_the_way_to_variants(tmp_path: Path) -> None:
    folder = filled(tmp_path / "bank", "en_a-ud-test.conllu")
    path = folder / "en_a-ud-test.conllu"
    write_conllu(path, AGREEING, AGAIN)
    assert cg.languages(folder).rows[0]["n_sentences"] == 48
    mining = cg.mine(path, rule="released", store=tmp_path / "colorless.db")
    assert sum("sentence ids come more than once" in each for each in mining.messages) == 1
    assert cg.make_nonce(mining, recipe=cg.Recipe(n=1, exclude=("none",))).items
    assert cg.make_nonce(mining, treebank=path, recipe=cg.Recipe(n=1, exclude=("none",))).items
