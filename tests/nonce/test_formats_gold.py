"""Sets in line-aligned files: the paper's own, and Linzen et al.'s."""

from collections import Counter
from pathlib import Path

import pytest

from colorless_green.data import detect_format, read_suite, sentence_text
from tests.builders import shared
from tests.nonce.format_material import refuses, told

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
    first, *others = (
        read_suite(path)
        for path in (folder, folder / "set.text", folder / "set.gold", folder / "set.eval")
    )
    assert others == [first] * 3
    assert first.name == "set"


def test_a_line_of_four_cells_is_a_pair_after_its_prefix(tmp_path: Path) -> None:
    (item,) = read_suite(written(tmp_path, SENTENCE + "\n", LINZEN), "linzen2016").items
    assert {name: sentence_text(own[0]) for name, own in item.conditions.items()} == {
        "right": "the key to the cabinets is here .",
        "wrong": "the key to the cabinets are here .",
    }
    assert told(item) == {"construction": "subject verb", "n_attr": "1", "item_number": "0"}
    assert (item.language, item.licence) == ("und", "")


def test_a_line_of_twelve_cells_tells_cue_and_target(tmp_path: Path) -> None:
    (item,) = read_suite(written(tmp_path, SENTENCE + "\n", GOLD), "gold").items
    own = item.agreement
    assert own is not None
    assert (own.construction, own.number, own.variant, own.value) == ("L__NOUN_VERB", 3, 0, "Sing")
    assert (own.cue, own.cue_upos, own.target_upos) == ("key", "NOUN", "VERB")
    assert (own.right, own.wrong, own.lemma, own.gap) == ("is", "are", "be", 3)
    assert own.target_feats == "Mood=Ind|Number=Sing"
    assert " ".join(own.tokens) == "the key to the cabinets is here ."
    assert item.kind == "original"


TWO = SENTENCE + "\n" + SENTENCE + "\n"


@pytest.mark.parametrize(
    ("text", "answers", "indices", "place"),
    [
        (SENTENCE + "\n", LINZEN * 2, None, "set.text"),  # shorter than the others
        (TWO, LINZEN, None, "set.gold"),
        (TWO, LINZEN * 2, "5\n", "set.eval"),
        (SENTENCE, LINZEN, "4\n", "set.eval:1"),  # another index than the .gold
        (SENTENCE, "8\tis\tare\t1\n", None, "set.gold:1"),  # beyond the sentence
        (SENTENCE, "-1\tis\tare\t1\n", None, "set.gold:1"),
        (SENTENCE, "5\t \tare\t1\n", None, "set.gold:1"),  # no form
        (TWO, LINZEN + "5\tis\n", None, "set.gold:2"),
        ("\n", LINZEN, None, "set.text:1"),
    ],
)
def test_files_that_do_not_belong_together_are_told(
    tmp_path: Path, text: str, answers: str, indices: str | None, place: str
) -> None:
    refuses("format", tmp_path / place, written(tmp_path, text, answers, indices), "linzen2016")


def test_a_pattern_that_is_none_is_told(tmp_path: Path) -> None:
    folder = written(tmp_path, SENTENCE, GOLD.replace("L!NOUN", "NOUN"))
    refuses("format", tmp_path / "set.gold:1", folder, "gold")


@pytest.mark.parametrize("name", ["a.gold", "a.text"])
def test_a_set_without_its_text_or_its_gold_is_told(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(LINZEN, "utf-8")
    refuses("missing", tmp_path / name, tmp_path / name, "linzen2016")


@pytest.mark.shared
@pytest.mark.parametrize(
    ("language", "code", "n"),
    [("English", "en", 410), ("Hebrew", "he", 3_730), ("Italian", "it", 1_190)],
)
def test_the_papers_gold_and_tab_are_the_same_items(language: str, code: str, n: int) -> None:
    """The files of a set are line-aligned."""
    folder = shared("published", "colorless", "agreement", language)
    (table,) = (path for path in folder.iterdir() if ".tab" in path.name)
    ours, theirs = read_suite(folder, "gold"), read_suite(table, "tab")
    assert len(ours.items) == n
    for one, other in zip(ours.items, theirs.items, strict=True):
        for name in ("item_id", "cluster_id", "kind", "conditions"):
            assert getattr(one, name) == getattr(other, name)
        assert one.agreement is not None
        assert other.agreement is not None
        assert one.agreement.value == other.agreement.value
        assert one.agreement.cue_upos == other.agreement.cue_upos
        for item in (one, other):
            assert (item.language, item.licence) == (code, "CC-BY-NC-4.0")
    assert detect_format(folder) == "gold"


@pytest.mark.shared
def test_linzens_set_is_read_as_the_paper_used_it() -> None:
    suite = read_suite(shared("published", "colorless", "linzen_testset"))
    n_attr = Counter(item.facts["n_attr"] for item in suite.items)
    assert n_attr == {"0": 1_972, "1": 1_957, "2": 1_943, "3": 1_287, "4": 330}
    assert len(suite.items) == 7_489
    assert {item.language for item in suite.items} == {"en"}
    assert [each.name for each in suite.predictions] == ["agreement"]
