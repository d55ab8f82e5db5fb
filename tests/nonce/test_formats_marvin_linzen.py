"""Marvin & Linzen's pickles as a suite."""

import csv
import pickle
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from colorless_green.data import Item, Wording, read_suite, sentence_text
from colorless_green.data.errors import ErrorKind
from tests.builders import shared
from tests.nonce.format_material import refuses
from tests.nonce.published_words import FILES

PAIRS = {
    "sing_MS_MV_plur_ES_EV": [("the author that the guards like laughs",
                               "the author that the guards like laugh")],
    "plur_MS_MV_sing_ES_EV": [("the authors that the guard likes are tall",
                               "the authors that the guard likes is tall")],
}  # fmt: skip
TRIPLES = {
    "past": [("no authors that the guards like have ever been popular",
              "the authors that no guards like have ever been popular",
              "most authors that the guards like have ever been popular")],
}  # fmt: skip


def written(folder: Path, name: str, value: object) -> Path:
    path = folder / f"{name}.pickle"
    path.write_bytes(pickle.dumps(value, 0))
    return path


def regions(wording: Wording) -> list[tuple[str, str]]:
    return [(region.region, region.text) for region in wording]


def test_a_pair_is_cut_at_the_first_word_that_differs(tmp_path: Path) -> None:
    path = written(tmp_path, "obj_rel_across_anim", PAIRS)
    suite = read_suite(path)
    wrong = suite.items[1].conditions["wrong"][0]
    assert regions(wrong) == [
        ("prefix", "the authors that the guard likes"), ("target", " is"), ("rest", " tall"),
    ]  # fmt: skip
    assert wrong[0].words == ("the", "authors", "that", "the", "guard", "likes")
    assert [each.name for each in suite.predictions] == ["full", "prefix"]


def test_file_and_key_tell_row_and_numbers(tmp_path: Path) -> None:
    suite = read_suite(written(tmp_path, "obj_rel_across_anim", PAIRS))
    first = suite.items[0]
    assert first.facts == {
        "construction": "agreement: Across an object relative clause",
        "condition_no": "7",
        "phenomenon": "agreement",
        "condition": "Across an object relative clause",
        "table": "full",
        "file": "obj_rel_across_anim",
        "key": "sing_MS_MV_plur_ES_EV",
        "period": "none",
        "animacy": "anim",
        "target_number": "sing",
        "attractor_number": "plur",
    }
    assert (first.language, first.licence, first.cell) == ("en", "MIT", "sing_MS_MV_plur_ES_EV")


def test_a_triple_has_three_comparisons(tmp_path: Path) -> None:
    suite = read_suite(written(tmp_path, "npi_across_anim", TRIPLES))
    (item,) = suite.items
    texts = {name: sentence_text(own[0]) for name, own in item.conditions.items()}
    assert texts == dict(zip(("right", "intrusive", "wrong"), TRIPLES["past"][0], strict=True))
    assert {each.name: each.source for each in suite.predictions} == {
        "full": "(*;%right%) < (*;%wrong%)",
        "prefix": "(target;%right%) < (target;%wrong%)",
        "right_intrusive": "(*;%right%) < (*;%intrusive%)",
        "intrusive_wrong": "(*;%intrusive%) < (*;%wrong%)",
    }
    assert (item.facts["table"], item.facts["tense"]) == ("right_intrusive", "past")


def test_in_a_folder_triples_have_predictions_of_their_own(tmp_path: Path) -> None:
    written(tmp_path, "npi_across_anim", TRIPLES)
    written(tmp_path, "obj_rel_across_anim", PAIRS)
    (tmp_path / "README.md").write_text("about", "utf-8")
    suite = read_suite(tmp_path)
    assert len(suite.items) == 3
    names = [(each.name, each.optional) for each in suite.predictions]
    assert names == [
        ("full", False),
        ("prefix", False),
        ("right_intrusive", True),
        ("intrusive_wrong", True),
    ]


def test_a_file_that_is_not_of_the_paper_is_not_taken_for_it(tmp_path: Path) -> None:
    path = written(tmp_path, "mine", {"k": [("la nave va", "la nave vai")]})
    (item,) = read_suite(path).items
    assert (item.language, item.licence, item.source) == ("und", "", "mine")
    assert item.facts == {"construction": "mine", "file": "mine", "key": "k", "period": "none"}


@pytest.mark.parametrize(
    ("value", "kind", "place"),
    [
        ({"k": [("a b", "a c"), ("a",)]}, "format", ": k: member 2"),
        ({"k": [("a", " ")]}, "format", ": k: member 1"),
        ({"k": []}, "empty", ""),
    ],
)
def test_members_of_another_kind_are_told(
    tmp_path: Path, value: object, kind: ErrorKind, place: str
) -> None:
    path = written(tmp_path, "x", value)
    refuses(kind, f"{path}{place}", path)


def test_equal_sentences_and_one_that_goes_on_are_cut_at_their_last_common_place(
    tmp_path: Path,
) -> None:
    value = {"k": [("a b", "a b"), ("a b", "a b c")]}
    suite = read_suite(written(tmp_path, "x", value))
    for item in suite.items:
        for name in ("right", "wrong"):
            assert regions(item.conditions[name][0])[1] == ("target", " b")


@pytest.fixture(scope="module")
def published() -> Sequence[Item]:
    return read_suite(shared("published", "marvin_linzen", "pickles")).items


@pytest.mark.shared
@pytest.mark.slow
def test_the_22_files_have_the_papers_items_in_every_combination(published: Sequence[Item]) -> None:
    """By the table of counts by file and key."""
    found = Counter(
        (
            *(item.facts[name] for name in ("condition_no", "phenomenon", "condition")),
            *(item.facts[name] for name in ("file", "key")),
            item.facts.get("target_number") or item.facts["tense"],
            item.facts.get("attractor_number", ""),
        )
        for item in published
    )
    with open(shared("published", "tables", "marvin_linzen_counts.csv"), encoding="utf-8") as file:
        expected = {
            (row["condition_no"], row["phenomenon"], row["condition"], row["file"], row["key"],
             row["target_number_or_tense"], row["attractor_number"]): int(row["items"])
            for row in csv.DictReader(file)
        }  # fmt: skip
    assert found == expected
    assert len(published) == 163_124
    assert sum(len(item.conditions) for item in published) == 337_072


@pytest.mark.shared
@pytest.mark.slow
def test_published_pairs_differ_in_their_target_and_in_no_length(published: Sequence[Item]) -> None:
    """The members of a pair have as many words."""
    for item in published:
        right, wrong = (item.conditions[name][0] for name in ("right", "wrong"))
        assert right[0] == wrong[0]
        assert right[1] != wrong[1]
        assert len(right[2].words) == len(wrong[2].words)
        if "intrusive" not in item.conditions:
            assert right[2] == wrong[2]
        assert not sentence_text(right).endswith(".")


@pytest.mark.shared
def test_rows_are_those_of_the_published_table(tmp_path: Path) -> None:
    with open(shared("published", "tables", "marvin_linzen_table.csv"), encoding="utf-8") as file:
        names = ("condition_no", "phenomenon", "condition")
        theirs = {tuple(row[name] for name in names) for row in csv.DictReader(file)}
    for name in FILES:
        written(tmp_path, name, {"k": [("a b", "a c")]})
    items = read_suite(tmp_path).items
    assert {tuple(item.facts[name] for name in names) for item in items} == theirs
    assert len(theirs) == 15
