"""Sets in line-aligned files: the paper's own, and Linzen et al.'s."""

from collections import Counter
from pathlib import Path

import pytest

from colorless_green.data.errors import InputError
from colorless_green.nonce.formats import format_of, gold, linzen2016, tab
from colorless_green.nonce.formats.told import format_told
from colorless_green.nonce.item import sentence_text
from tests.builders import shared

SENTENCE = "the key to the cabinets are here . <eos>"
LINZEN = "5\tis\tare\t1\n"
GOLD = (
    "L!NOUN_VERB!Number=Sing!Number=Plur\t3\t0\t5\tVERB\tMood=Ind|Number=Sing\tis\tare\tbe\t1\t"
    "NOUN\tthe key to the cabinets is\n"
)


def written(folder: Path, text: str, answers: str, indices: str | None = None) -> Path:
    (folder / "set.text").write_text(text, "utf-8")
    (folder / "set.gold").write_text(answers, "utf-8")
    if indices is not None:
        (folder / "set.eval").write_text(indices, "utf-8")
    return folder


def test_any_file_of_a_set_or_its_folder_is_the_set(tmp_path: Path) -> None:
    folder = written(tmp_path, SENTENCE + "\n", LINZEN, "5\n")
    suites = [
        format_of(path, "").read(path)
        for path in (folder, folder / "set.text", folder / "set.gold", folder / "set.eval")
    ]
    assert all(suite == suites[0] for suite in suites)
    assert suites[0].name == "set"


def test_a_line_of_four_cells_is_a_pair_after_its_prefix(tmp_path: Path) -> None:
    (item,) = linzen2016.read(written(tmp_path, SENTENCE + "\n", LINZEN)).items
    assert {name: sentence_text(own[0]) for name, own in item.conditions.items()} == {
        "right": "the key to the cabinets is here .",
        "wrong": "the key to the cabinets are here .",
    }
    assert item.facts == {"construction": "subject verb", "n_attr": "1", "item_number": "0"}
    assert (item.language, item.licence) == ("und", "")


def test_a_line_of_twelve_cells_tells_cue_and_target(tmp_path: Path) -> None:
    (item,) = gold.read(written(tmp_path, SENTENCE + "\n", GOLD)).items
    own = item.agreement
    assert own is not None
    assert (own.construction, own.number, own.variant, own.value) == ("L__NOUN_VERB", 3, 0, "Sing")
    assert (own.cue, own.cue_upos, own.target_upos) == ("key", "NOUN", "VERB")
    assert (own.right, own.wrong, own.lemma, own.gap) == ("is", "are", "be", 3)
    assert own.target_feats == "Mood=Ind|Number=Sing"
    assert " ".join(own.tokens) == "the key to the cabinets is here ."
    assert item.kind == "original"


TWO = SENTENCE + "\n" + SENTENCE + "\n"
WRONG = {  # text, gold, eval, what is said behind the folder
    "short text": (SENTENCE + "\n", LINZEN * 2, None,
                   "/set.text: it ends before the others; files of one length"),
    "short gold": (TWO, LINZEN, None, "/set.gold: it ends before the others; files of one length"),
    "short eval": (TWO, LINZEN * 2, "5\n",
                   "/set.eval: it ends before the others; files of one length"),
    "other eval": (SENTENCE, LINZEN, "4\n",
                   "/set.eval:1: the target's index is '4'; '5', as in the .gold"),
    "index": (SENTENCE, "8\tis\tare\t1\n", None,
              "/set.gold:1: '8' for an index; a whole number below 8"),
    "no index": (SENTENCE, "-1\tis\tare\t1\n", None,
                 "/set.gold:1: '-1' for an index; a whole number below 8"),
    "no form": (SENTENCE, "5\t \tare\t1\n", None,
                "/set.gold:1: a form is empty; the right and the wrong form"),
    "cells": (TWO, LINZEN + "5\tis\n", None, "/set.gold:2: 2 cells; 4, as in every line"),
    "blank": ("\n", LINZEN, None, "/set.text:1: no sentence; words with a blank between"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_files_that_do_not_belong_together_are_told(tmp_path: Path, name: str) -> None:
    text, answers, indices, said = WRONG[name]
    folder = written(tmp_path, text, answers, indices)
    with pytest.raises(InputError) as caught:
        linzen2016.read(folder)
    assert str(caught.value) == f"{tmp_path}{said}"


def test_a_pattern_that_is_none_is_told(tmp_path: Path) -> None:
    folder = written(tmp_path, SENTENCE, GOLD.replace("L!NOUN", "NOUN"))
    with pytest.raises(InputError) as caught:
        gold.read(folder)
    assert str(caught.value) == (
        f"{tmp_path}/set.gold:1: 'NOUN_VERB!Number=Sing!Number=Plur'; "
        "a pattern like L!NOUN_VERB!Number=Plur!Number=…"
    )


def test_a_set_without_its_text_or_its_gold_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.gold").write_text(LINZEN, "utf-8")
    with pytest.raises(InputError) as caught:
        linzen2016.read(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}/a.gold: no a.text beside it; a set of .text and .gold files"
    )
    (tmp_path / "b.text").write_text(SENTENCE, "utf-8")
    with pytest.raises(InputError) as caught:
        linzen2016.read(tmp_path / "b.text")
    assert str(caught.value) == (
        f"{tmp_path}/b.text: no .gold beside it; a set of .text and .gold files"
    )


@pytest.mark.shared
@pytest.mark.parametrize(
    ("language", "code", "n"),
    [("English", "en", 410), ("Hebrew", "he", 3_730), ("Italian", "it", 1_190)],
)
def test_the_papers_gold_and_tab_are_the_same_items(language: str, code: str, n: int) -> None:
    """Mining facts §1.7: the files of a set are line-aligned."""
    folder = shared("published", "colorless", "agreement", language)
    ours = gold.read(folder)
    (table,) = (path for path in folder.iterdir() if ".tab" in path.name)
    theirs = tab.read(table)
    assert len(ours.items) == n
    for one, other in zip(ours.items, theirs.items, strict=True):
        assert (one.item_id, one.cluster_id, one.kind) == (
            other.item_id, other.cluster_id, other.kind,
        )  # fmt: skip
        assert one.conditions == other.conditions
        assert one.agreement is not None
        assert other.agreement is not None
        assert one.agreement.value == other.agreement.value
        assert one.agreement.cue_upos == other.agreement.cue_upos
        assert (one.language, one.licence) == (code, "CC-BY-NC-4.0")
        assert (other.language, other.licence) == (code, "CC-BY-NC-4.0")
    assert format_told(folder) == "gold"


@pytest.mark.shared
def test_linzens_set_is_read_as_the_paper_used_it() -> None:
    suite = format_of(shared("published", "colorless", "linzen_testset"), "").read(
        shared("published", "colorless", "linzen_testset")
    )
    n_attr = Counter(item.facts["n_attr"] for item in suite.items)
    assert n_attr == {"0": 1_972, "1": 1_957, "2": 1_943, "3": 1_287, "4": 330}
    assert len(suite.items) == 7_489
    assert {item.language for item in suite.items} == {"en"}
    assert [each.name for each in suite.predictions] == ["agreement"]
