"""The verb surprisal: words and subwords of texts, alone and in their document."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import colorless_green as cg
from colorless_green.data.result import Result
from tests.builders import colorless, few_examples, mistake
from tests.scoring.tiny_models import causal_folder, gpt2

WORDS = "the key keys to cabinets is are old ."
TEXTS = st.lists(
    st.lists(st.sampled_from(WORDS.split()), min_size=1, max_size=6).map(" ".join),
    min_size=1,
    max_size=4,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return causal_folder(tmp_path_factory.mktemp("surprisal") / "model", gpt2())


def bits(found: Result) -> list[float]:
    return [float(str(row["surprisal_bits"])) for row in found.rows]


@few_examples
@given(TEXTS)
def test_subwords_add_up_to_words_and_words_spell_the_text(folder: Path, texts: list[str]) -> None:
    words = cg.surprisal(texts, folder)
    subwords = cg.surprisal(texts, folder, by="subword")
    assert sum(bits(words)) == pytest.approx(sum(bits(subwords)), rel=1e-5)
    for number, text in enumerate(texts):
        own, parts = (
            [str(row["word"]) for row in found.rows if row["sentence"] == number]
            for found in (words, subwords)
        )
        assert " ".join(own) == text
        assert "".join(parts).replace(" ", "") == text.replace(" ", "")


@few_examples
@given(TEXTS)
def test_a_document_is_read_as_one_text(folder: Path, texts: list[str]) -> None:
    """The words of a line after those before it, as many as the model reads."""
    if len(" ".join(texts)) > 20:  # a tiny model reads few subwords
        texts = texts[:1]
    together = cg.surprisal(texts, folder, context="document")
    whole = cg.surprisal(" ".join(texts), folder)
    assert bits(together) == pytest.approx(bits(whole), abs=1e-3)


def test_what_a_model_does_not_hold_is_cut_at_its_beginning(folder: Path) -> None:
    texts = ["the keys are old ."] * 12
    found = cg.surprisal(texts, folder, context="document")
    assert len(found.rows) == 60
    alone = cg.surprisal(texts[:1], folder)
    assert bits(found)[:5] == pytest.approx(bits(alone), abs=1e-4)


def test_files_standard_input_and_arguments_are_the_same_texts(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text(WORDS, encoding="utf-8")
    texts = ["the keys are old .", "the key is old ."]
    (tmp_path / "story.txt").write_text("\n".join(texts) + "\n\n", encoding="utf-8")
    runs = [
        colorless("surprisal", *arguments, "--model", "uniform:words.txt", "--json", cwd=tmp_path,
                  stdin="\n".join(texts))
        for arguments in (texts, ["story.txt"], ["-"])
    ]  # fmt: skip
    found = [[{**json.loads(line), "text": ""} for line in run.stdout.splitlines()] for run in runs]
    assert found[0] == found[1] == found[2]
    assert [row["word"] for row in found[0]] == " ".join(texts).split()


def test_the_sentences_of_a_suite_have_their_items_and_conditions(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text(WORDS, encoding="utf-8")
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("good,bad\nthe keys are .,the keys is .\n", encoding="utf-8")
    for texts in (pairs, cg.load_suite(pairs, language="en")):
        found = cg.surprisal(texts, f"uniform:{tmp_path / 'words.txt'}")
        assert {str(row["condition"]) for row in found.rows} == {"right", "wrong"}
        assert len(found.rows) == 8


def test_what_is_no_text_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text(WORDS, encoding="utf-8")
    model = f"uniform:{tmp_path / 'words.txt'}"
    with mistake("missing", "story.txt"):
        cg.surprisal("story.txt", model)
    with mistake("empty", "texts"):
        cg.surprisal("  ", model)
    with mistake("missing", "model"):
        cg.surprisal("the keys")
