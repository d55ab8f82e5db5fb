"""Items found by what people saw of them; and what two small formats refuse."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.humans.formats import gulordava_raw
from colorless_green.humans.formats.prolific import read_people
from colorless_green.humans.formats.sheet import read_sheet
from colorless_green.humans.formats.totals import aggregated
from colorless_green.humans.imported import ImportOptions
from colorless_green.humans.judgment import Judgment
from colorless_green.humans.lookup import forms, lookup_of, plain, prefix
from colorless_green.nonce.item import Item, Region
from tests.humans.report_material import agreement_item

KEYS = agreement_item("the keys of it are gone", 1, 4, "is")
DOOR = agreement_item("the keys of it were gone", 1, 4, "was", number=1)
RAW = "W1\ttarget_original\tT\tare\tare\tis\tare\tX__1__0\tthe keys of it"


def pair(right: tuple[str, str, str], wrong: tuple[str, str, str]) -> Item:
    """A pair of sentences as prefix, target and rest."""
    names = ("prefix", "target", "rest")
    conditions = {
        condition: (tuple(Region(name, (), text) for name, text in zip(names, parts, strict=True)),)
        for condition, parts in (("right", right), ("wrong", wrong))
    }
    return Item("x1", "suite", "x1", "en", "x", "", conditions)


def found(judgment: Judgment) -> str:
    return lookup_of([KEYS, DOOR]).identified(judgment).item


@pytest.mark.parametrize(
    "shown",
    [
        Judgment("P", prefix="the keys of it ___", option_1="is", option_2="are"),
        Judgment("P", prefix="the  keys of\u00a0it…", option_1="are", option_2="is"),
        Judgment("P", option_1="the keys of it is gone", option_2="the keys of it are gone"),
        Judgment("P", option_1="the keys of it is gone"),
        Judgment("P", prefix="the keys of it", chosen="are"),
        Judgment("P", item=KEYS.item_id, prefix="another prefix"),
    ],
)
def test_an_item_is_found_by_prefix_and_forms_or_by_sentences(shown: Judgment) -> None:
    assert found(shown) == KEYS.item_id


def test_texts_of_several_items_are_refused_with_these() -> None:
    with pytest.raises(InputError) as error:
        found(Judgment("P", prefix="the keys of it", origin="x.csv:2"))
    assert str(error.value) == (
        f"x.csv:2: 2 items have these texts ({KEYS.item_id}, {DOOR.item_id}); a column with the "
        "item's id"
    )


@given(st.text())
def test_texts_are_compared_the_same_however_often_they_are_made_plain(text: str) -> None:
    assert plain(plain(text)) == plain(text)


def test_people_choose_between_sentences_where_these_differ_in_more_than_the_target() -> None:
    """BLiMP's pairs of the two-prefix kind have one target after two prefixes."""
    item = pair(("Whose hat", " should", " Ann lift?"), ("Whose", " should", " Ann lift hat?"))
    assert forms(item) == ("Whose hat should Ann lift?", "Whose should Ann lift hat?")
    assert prefix(item) == ""
    same = pair(("The cats", " sleep", "."), ("The cats", " sleeps", "."))
    assert (forms(same), prefix(same)) == (("sleep", "sleeps"), "The cats")


def test_the_papers_raw_table_is_read_with_and_without_its_header(tmp_path: Path) -> None:
    path = tmp_path / "raw.tab"
    for header in ("", "\t".join(gulordava_raw.COLUMNS) + "\n"):
        path.write_text(f"{header}{RAW}\n", encoding="utf-8")
        (judgment,) = gulordava_raw.read([path], [KEYS], ImportOptions()).judgments
        assert (judgment.item, judgment.chosen_index, judgment.correct) == (KEYS.item_id, 1, 1)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            RAW.replace("\tis", ""),
            "8 cells; 9: worker_id, type, answer_status, answer, correct_form, opt1, opt2, "
            "full_id, sent",
        ),
        (
            RAW.replace("target_original", "foil"),
            "type is 'foil'; one of target_original, target_generated, control",
        ),
        (RAW.replace("\tT\t", "\tyes\t"), "answer_status is 'yes'; T or F"),
        (
            RAW.replace("\tT\t", "\tF\t"),
            "correct is 0, but 'are' was chosen and 'are' is the correct form; 1",
        ),
    ],
)
def test_a_line_of_another_layout_is_refused(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "raw.tab"
    path.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(InputError) as error:
        gulordava_raw.read([path], [KEYS], ImportOptions())
    assert str(error.value) == f"{path}:1: {message}"


def test_an_export_of_prolific_is_read_by_names_whatever_their_case(tmp_path: Path) -> None:
    path = tmp_path / "export.csv"
    path.write_text("participant_id,status,time_taken\nabc,returned,61\n", encoding="utf-8")
    (session,) = read_people(path)
    assert (session.participant, session.session) == ("abc", "")
    assert (session.status, session.duration_s) == ("RETURNED", 61.0)
    path.write_text("participant_id,age\nabc,3\n", encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_people(path)
    assert str(error.value) == f"{path}:1: no column for the status; an export of Prolific"
    path.write_text("participant_id,status\n,x\n", encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_people(path)
    assert str(error.value) == f"{path}:2: no participant id; an export of Prolific"


@pytest.mark.parametrize(
    ("share", "n", "right"), [("0.67", "3", 2), ("1", "0", 0), (".5", "10", 5)]
)
def test_a_share_of_a_known_number_is_a_count(
    tmp_path: Path, share: str, n: str, right: int
) -> None:
    path = tmp_path / "shares.csv"
    path.write_text(f"item,proportion,n\n{KEYS.item_id},{share},{n}\n", encoding="utf-8")
    sheet = read_sheet(path, ("item", "proportion", "n"))
    (tally,) = aggregated([sheet], [KEYS], ImportOptions(), 0).tallies
    assert (tally.right, tally.total) == (right, int(n))


def test_a_share_of_no_whole_number_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "shares.csv"
    for cells, message in (
        ("0.6,3", "0.6 of 3 answers is no whole number; right and total"),
        (
            "1.2,3",
            "proportion is '1.2' and n '3'; a share from 0 to 1, and how many answers it is of",
        ),
    ):
        path.write_text(f"item,proportion,n\n{KEYS.item_id},{cells}\n", encoding="utf-8")
        sheet = read_sheet(path, ("item", "proportion", "n"))
        with pytest.raises(InputError) as error:
            aggregated([sheet], [KEYS], ImportOptions(), 0)
        assert str(error.value) == f"{path}:2: {message}"
