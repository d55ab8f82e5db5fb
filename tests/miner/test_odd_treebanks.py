"""Treebanks and vocabularies as people have them: read rightly, or answered with a way on."""

import os
from pathlib import Path
from typing import Literal
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

import colorless_green as cg
from colorless_green.data import read_vocabulary
from colorless_green.data.errors import ErrorKind, InputError
from colorless_green.miner import Rule, read, spaces_before, surface_of
from tests.builders import conllu, mistake, write_conllu
from tests.miner.mining import mined, numbered_clauses

CLAUSES = numbered_clauses(12, Sing=("iś", "be"), Plur=("are", "be"))
ALL = "".join(CLAUSES)


def words_of(text: str) -> list[str]:
    return [line.split("\t")[1] for line in text.split("\n") if line and line[0] != "#"]


def changed(text: str, column: int, cell: str) -> str:
    rows = [line.split("\t") for line in text.split("\n")]
    return "\n".join(
        "\t".join([*row[:column], cell, *row[column + 1 :]]) if len(row) == 10 else row[0]
        for row in rows
    )


@given(st.sets(st.from_regex(r"[a-zé]{1,3}( [a-zé]{1,3})?", fullmatch=True), min_size=2))
def test_a_vocabulary_has_the_lines_of_its_file_in_any_normal_form(
    tmp_path_factory: pytest.TempPathFactory, words: set[str]
) -> None:
    path = tmp_path_factory.mktemp("v") / "v.txt"
    path.write_text("\r\n".join(normalize("NFD", word) for word in sorted(words)), "utf-8")
    vocabulary = read_vocabulary(path)
    assert {*vocabulary} == {normalize("NFC", word) for word in words}
    assert all(normalize(form, word) in vocabulary for word in words for form in ("NFC", "NFD"))


def test_a_vocabulary_of_one_line_has_its_words(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    path.write_text("\nthe old key\n")
    assert {*read_vocabulary(path)} == {"the", "old", "key"}


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("blank", ["", " "])
def test_a_list_of_the_treebanks_words_loses_none(
    tmp_path: Path, form: Literal["NFC", "NFD"], blank: str
) -> None:
    text = ALL.replace("\tx\tx\t", f"\tx{blank}x\tx\t")
    path = write_conllu(tmp_path / "pl.conllu", normalize("NFD", text))
    listed = tmp_path / "v.txt"
    listed.write_text("\n".join(normalize(form, word) for word in {*words_of(text)}), "utf-8")
    n_items = len(cg.mine(path, rule="released").originals.items)
    assert len(cg.mine(path, rule="released", vocabulary=listed).originals.items) == n_items > 0


def test_advice_is_about_what_is_missing(tmp_path: Path) -> None:
    path = write_conllu(tmp_path / "en.conllu", ALL)
    other = tmp_path / "v.json"
    other.write_text('{"is": 0, "are": 1}')

    def advice(path: Path, vocabulary: Path | None = None) -> str:
        store = tmp_path / "colorless.db"
        first, again = (
            cg.mine(path, rule="released", vocabulary=vocabulary, store=store) for _ in range(2)
        )
        assert again.messages[-1] == first.messages[-1]
        return first.messages[-1]

    assert "vocabulary" in advice(path, other)
    assert "'cSing'" in advice(path, other)
    no_lemmas = write_conllu(tmp_path / "de.conllu", changed(ALL, 2, "_"))
    assert "lemma" in advice(no_lemmas)
    no_feats = write_conllu(tmp_path / "fr.conllu", changed(ALL, 5, "_"))
    mining = cg.mine(no_feats)
    assert any("FEATS" in message for message in mining.messages)
    rare = CLAUSES[0] + changed(ALL, 5, "Case=Nom")
    mining = cg.mine(write_conllu(tmp_path / "zh.conllu", rare))
    assert any("Case" in message for message in mining.messages)


@pytest.mark.parametrize("misc", ["CorrectForm=is", "X=y|CorrectForm=_"])
def test_a_corrected_form_is_a_typo(tmp_path: Path, misc: str) -> None:
    filtered = [changed(block, 9, misc) for block in CLAUSES[:4]] + CLAUSES[4:]
    found = mined(tmp_path, "released", *filtered, repeats=True, filters=("typo",))
    clean = mined(tmp_path, "released", *CLAUSES[4:], repeats=True, filters=("typo",))
    assert found.stages.n_left_out["typo"] > 0
    assert len(found.originals) == len(clean.originals)


@pytest.mark.parametrize(
    ("text", "spaces"),
    [
        ("a b", ("", " ")),
        ("ab", ("", "")),
        (" a \u00a0b ", ("", " ")),
        ("a c", ("", "")),  # other words: SpaceAfter
        (None, ("", "")),
    ],
)
def test_white_space_is_that_of_the_text(
    tmp_path: Path, text: str | None, spaces: tuple[str, ...]
) -> None:
    comment = "" if text is None else f"#text={text}\n"
    block = conllu("a/NOUN/-/2", "b/VERB/-/0")
    first, second, *others = [line for line in block.split("\n") if line and line[0] != "#"]
    glued = "\t".join([*first.split("\t")[:9], "SpaceAfter=No"])
    path = write_conllu(
        tmp_path / "x.conllu", comment + "\n".join([glued, second, *others]) + "\n\n"
    )
    sentence = next(read(path))
    assert spaces_before(surface_of(sentence, "merged")) == spaces
    mining = cg.mine(path, language="und")
    assert any("# text" in message for message in mining.messages) == (text == "a c")


@pytest.mark.parametrize("written", ["#sent_id=3", "# sent_id=3", "#sent_id = 3", "#\tsent_id =3 "])
def test_comments_are_read_whatever_their_blanks(tmp_path: Path, written: str) -> None:
    block = conllu("a/NOUN/-/0").replace("# sent_id = s1", written)
    path = write_conllu(tmp_path / "x.conllu", block, block)
    sentence = next(read(path))
    assert (sentence.sent_id, sentence.comment("sent")) == ("3", None)
    assert cg.mine(path, language="und").messages[1].startswith("x.conllu: sentence ids come more")


@pytest.mark.parametrize("feats", ["Number=Sing ", "Number = Sing", "Case=Nom |Number=Sing", "_ "])
def test_blanks_in_feats_are_refused_with_their_line(tmp_path: Path, feats: str) -> None:
    path = write_conllu(tmp_path / "x.conllu", changed(ALL, 5, feats))
    with mistake("format", f"{path}:2"):
        list(read(path))


@pytest.mark.parametrize(
    ("content", "kind", "advice"),
    [
        ("The keys are here.\n", "format", "colorless parse"),
        ("# Keys\n\nHere, they are; no?\n", "format", "colorless parse"),
        ('{"text": "The keys"}\n', "format", "JSON"),
        ("id,form,lemma\n1,The,the\n", "format", "CSV"),
        ("1 a a X _ _ 0 root _ _\n", "format", "blanks"),
        ("1\ta\ta\tX\tX\tsg|m\t0\troot\t_\t_\n", "format", "FEATS"),
        ("", "empty", "CoNLL-U"),
        (ALL, "missing", "--language"),
    ],
)
def test_what_is_no_treebank_or_of_no_language_is_answered_with_a_way_on(
    tmp_path: Path, content: str, kind: ErrorKind, advice: str
) -> None:
    path = write_conllu(tmp_path / "mine.txt", content)
    with pytest.raises(InputError) as caught:
        cg.mine(path)
    assert caught.value.kind == kind
    assert advice in f"{caught.value.wrong} {caught.value.right}"


def test_a_file_name_that_is_not_utf8_is_read_and_can_be_written(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/tb_\xe9.conllu"))
    path.write_text(ALL, "utf-8")
    for _ in range(2):
        mining = cg.mine(
            path, language="en", rule=Rule(extends="released"), store=tmp_path / "s.db"
        )
        assert mining.originals.items
        assert mining.originals.items[0].source == "tb_\\xe9"
