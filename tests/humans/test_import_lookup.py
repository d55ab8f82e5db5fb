"""Items found by what people saw of them; and what two small formats refuse."""

import unicodedata
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data import Item, Region
from colorless_green.data.errors import ErrorKind
from colorless_green.humans import Imported, forms_of, read_files
from colorless_green.humans import write_judgments as written
from tests.builders import mistake
from tests.humans.report_material import agreement_item
from tests.humans.trial_records import Judgment, judgments_of, trials_of

KEYS = agreement_item("the keys of it are gone", 1, 4, "is")
DOOR = agreement_item("the keys of it were gone", 1, 4, "was", number=1)
RAW = "W1\ttarget_original\tT\tare\tare\tis\tare\tX__1__0\tthe keys of it"


def pair(right: tuple[str, str, str], wrong: tuple[str, str, str]) -> Item:
    """Return a pair of sentences as prefix, target and rest."""
    names = ("prefix", "target", "rest")
    conditions = {
        condition: (tuple(Region(name, (), text) for name, text in zip(names, parts, strict=True)),)
        for condition, parts in (("right", right), ("wrong", wrong))
    }
    return Item("x1", "suite", "x1", "en", "x", "", conditions)


def found(path: Path, header: str, *cells: str) -> str:
    """Return the item that an answer in these columns is about."""
    path.write_text(f"participant,{header}\nP,{','.join(cells)}\n", encoding="utf-8")
    (judgment,) = judgments_of(read_files([path], [KEYS, DOOR], format_name="generic").trials)
    return judgment.item


PAIR = "prefix,option_1,option_2,chosen_index"


@pytest.mark.parametrize(
    ("header", "cells"),
    [
        (PAIR, ("the keys of it ___", "is", "are", "0")),
        (PAIR, ("the  keys of\u00a0it…", "are", "is", "0")),
        (PAIR, ("", "the keys of it is gone", "the keys of it are gone", "0")),
        ("option_1,rating", ("the keys of it is gone", "4")),
        ("prefix,chosen", ("the keys of it", "are")),
        ("prefix,item,chosen", ("another prefix", KEYS.item_id, "are")),
    ],
)
def test_an_item_is_found_by_prefix_and_forms_or_by_sentences(
    tmp_path: Path, header: str, cells: tuple[str, ...]
) -> None:
    assert found(tmp_path / "x.csv", header, *cells) == KEYS.item_id


def test_texts_of_several_items_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    with mistake("format", f"{path}:2"):
        found(path, "prefix,chosen", "the keys of it", "")


BLANKS = st.text(" \t\u00a0\u2003", min_size=1, max_size=3)


@given(st.lists(BLANKS, min_size=5, max_size=5), st.sampled_from(["NFC", "NFD"]))
def test_texts_are_the_same_however_their_blanks_and_accents_are_written(
    tmp_path_factory: pytest.TempPathFactory, blanks: list[str], form: Literal["NFC", "NFD"]
) -> None:
    item = agreement_item("il caffè di lì è caldo", 1, 4, "sono", language="it")
    words = ["il", "caffè", "di", "lì"]
    shown = "".join(blank + word for blank, word in zip(blanks, (*words, "___"), strict=True))
    path = tmp_path_factory.mktemp("lookup") / "x.jsonl"
    claim = Judgment("P", prefix=unicodedata.normalize(form, shown), option_1="è", option_2="sono")
    written(path, trials_of([claim]))
    assert judgments_of(read_files([path], [item]).trials)[0].item == item.item_id


def asked(folder: Path, item: Item) -> tuple[tuple[str, str] | None, str]:
    """Return the forms that people chose between, and the text that they saw before."""
    pair, path = forms_of(item), folder / "x.csv"
    path.write_text(f'participant,item,chosen\nP,{item.item_id},"{pair[0] if pair else ""}"\n')
    return pair, judgments_of(read_files([path], [item]).trials)[0].prefix


def test_people_choose_between_sentences_where_these_differ_in_more_than_the_target(
    tmp_path: Path,
) -> None:
    """BLiMP's pairs of the two-prefix kind have one target after two prefixes."""
    item = pair(("Whose hat", " should", " Ann lift?"), ("Whose", " should", " Ann lift hat?"))
    sentences = ("Whose hat should Ann lift?", "Whose should Ann lift hat?")
    assert asked(tmp_path, item) == (sentences, "")
    same = pair(("The cats", " sleep", "."), ("The cats", " sleeps", "."))
    assert asked(tmp_path, same) == (("sleep", "sleeps"), "The cats")


RAW_COLUMNS = (
    *("worker_id", "type", "answer_status", "answer", "correct_form", "opt1", "opt2"),
    *("full_id", "sent"),
)


def raw(path: Path, *lines: str) -> Imported:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return read_files([path], [KEYS], format_name="gulordava_raw")


@pytest.mark.parametrize("header", [[], ["\t".join(RAW_COLUMNS)]])
def test_the_papers_raw_table_is_read_with_and_without_its_header(
    tmp_path: Path, header: list[str]
) -> None:
    (judgment,) = judgments_of(raw(tmp_path / "raw.tab", *header, RAW).trials)
    assert (judgment.item, judgment.chosen_index, judgment.correct) == (KEYS.item_id, 1, 1)


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("format", RAW.replace("\tis", "")),
        ("unknown", RAW.replace("target_original", "foil")),
        ("format", RAW.replace("\tT\t", "\tyes\t")),
        ("format", RAW.replace("\tT\t", "\tF\t")),  # the right form was chosen
    ],
)
def test_a_line_of_another_layout_is_refused(tmp_path: Path, kind: ErrorKind, line: str) -> None:
    with mistake(kind, f"{tmp_path}/raw.tab:1"):
        raw(tmp_path / "raw.tab", line)
