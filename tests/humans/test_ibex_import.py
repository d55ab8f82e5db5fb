"""Result files of Ibex and PCIbex: names that change on the way, and what counts as an answer."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data import Item, Region
from colorless_green.humans import Imported, ImportOptions, read_files, table_map
from tests.builders import few_examples, mistake, shared
from tests.humans.report_material import agreement_item
from tests.humans.trial_records import Judgment, judgments_of

KEYS = agreement_item("the keys of it are gone", 1, 4, "is")
PENN_HEAD = (
    *("# 1. Results reception time.", "# 2. MD5 hash of participant's IP address."),
    *("# 3. Controller name.", "# 4. Order number of item.", "# 5. Inner element number."),
    *("# 6. Label.", "# 7. Latin Square Group.", "# 8. PennElementType."),
    *("# 9. PennElementName.", "# 10. Parameter.", "# 11. Value.", "# 12. EventTime."),
)
QUESTION_NAMES = (
    *("# 8. Question (NULL if none)..", "# 9. Answer."),
    *("# 10. Whether or not answer was correct (NULL if N/A).", "# 11. Time taken to answer.."),
)
LOGGED = ("# 13. item.", "# 14. option_1.", "# 15. option_2.", "# 16. Comments.")
START = "1760000120,ab,PennController,1,0,target,A,"


def results(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "results.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def trial(tmp_path: Path, *events: str) -> Imported:
    """Return a trial of KEYS with these events; each gets the logged columns."""
    shown = f",{KEYS.item_id},is,are,NULL"
    lines = [f"{START}{event}{shown}" for event in events]
    return read(results(tmp_path, *PENN_HEAD, *LOGGED, *lines))


def read(path: Path, *keep: str) -> Imported:
    return read_files([path], [KEYS], ImportOptions(table_map({"keep": keep})), "ibex")


CHOSEN = f"{START}Selector,choice,Selection,are,2000,{KEYS.item_id}"


def logged(tmp_path: Path, *lines: str, keep: str = "a") -> list[str]:
    """Return what a column called so holds in a choice that is followed by these lines."""
    found = read(results(tmp_path, *PENN_HEAD, "# 13. item.", "# 14. a.", *lines), keep)
    return [each.get(f"fact:{keep}") or "" for each in found.sessions.iter_rows(named=True)]


def only(found: Imported) -> Judgment:
    (judgment,) = judgments_of(found.trials)
    return judgment


def test_a_group_of_comments_renames_from_its_number_on(tmp_path: Path) -> None:
    lines = (f"{CHOSEN},p", "# 14. b.", f"{CHOSEN},q".replace(",ab,", ",cd,"))
    assert logged(tmp_path, *lines, keep="a") == ["p", ""]
    assert logged(tmp_path, *lines, keep="b") == ["", "q"]


def test_a_value_beyond_the_named_columns_is_refused(tmp_path: Path) -> None:
    with mistake("format", f"{tmp_path}/results.csv:15"):
        logged(tmp_path, f"{CHOSEN},p,q")


def test_a_column_that_the_line_ends_before_is_empty(tmp_path: Path) -> None:
    assert logged(tmp_path, CHOSEN) == [""]


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"], exclude_characters="\0%"))


@few_examples
@given(TEXT)
def test_values_come_back_as_the_page_encoded_them(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    """`csv_url_encode` of Ibex: control characters, DEL and the comma, nothing else."""
    encoded = "".join(f"%{ord(c):02X}" if ord(c) < 32 or c in "\x7f," else c for c in text)
    folder = tmp_path_factory.mktemp("ibex")
    assert [each.strip() for each in logged(folder, f"{CHOSEN},{encoded}")] == [text.strip()]


def test_other_percent_signs_are_percent_signs(tmp_path: Path) -> None:
    assert logged(tmp_path, f'{CHOSEN},100%25 "x"%2c y') == ['100%25 "x", y']


def test_a_column_that_nothing_names_is_an_error(tmp_path: Path) -> None:
    path = results(tmp_path, *PENN_HEAD[:7], "# 8. a.", "1,m,Question,1,0,t,g,p")
    with mistake("missing", f"{path}:9"):
        read(path)


def inserted(lines: Sequence[str], place: int) -> list[str]:
    """Return the lines of a results file with one more column before the one that was at
    `place`."""
    found = []
    for line in lines:
        number = re.fullmatch(r"# (\d+)\. (.*)", line)
        if number is None:
            cells = line.split(",")
            found.append(",".join((*cells[: place - 1], "extra", *cells[place - 1 :])))
            continue
        if int(number[1]) == place:
            found.append(f"# {place}. extra.")
        found.append(f"# {int(number[1]) + (int(number[1]) >= place)}. {number[2]}")
    return found


READ = (
    *("# 13. item.", "# 14. Reading time.", "# 15. Newline?.", "# 16. Sentence (or sentence MD5)."),
)
RATED = ("# 8. Sentence (or sentence MD5).",)
SPELT = (
    *("# 8. Word number.", "# 9. Word.", "# 10. Reading time.", "# 11. Newline?."),
    "# 12. Sentence (or sentence MD5).",
)
SENTENCE = "the keys of it are gone"
FILES = {
    "a choice of PCIbex": (
        *(*PENN_HEAD, *LOGGED),
        f"{START}PennController,1,_Trial_,Start,1000,{KEYS.item_id},is,are,NULL",
        f"{START}Selector,choice,Print,NA,1400,{KEYS.item_id},is,are,NULL",
        f"{START}Selector,choice,Selection,are,2000,{KEYS.item_id},is,are,NULL",
    ),
    "a choice of Ibex": (
        *(*PENN_HEAD[:7], *QUESTION_NAMES),
        "1,m,Question,1,0,target,g,the keys of it,are,1,900",
    ),
    "a rating of Ibex": (
        *(*PENN_HEAD[:7], *RATED, f"1,m,FlashSentence,1,0,target,g,{SENTENCE}"),
        *(*QUESTION_NAMES, "1,m,Question,1,0,target,g,NULL,6,NULL,900"),
    ),
    "a rating of Ibex, word by word": (
        *(*PENN_HEAD[:7], *RATED, f"1,m,DashedSentence,1,0,target,g,{SENTENCE}"),
        *(*QUESTION_NAMES, "1,m,Question,1,0,target,g,NULL,6,NULL,900"),
    ),
}


WORDS = {
    "PCIbex": (
        *(*PENN_HEAD, *READ),
        f"{START}Controller-DashedSentence,d,1,the,1000,{KEYS.item_id},310,false,{SENTENCE}",
        f"{START}Controller-DashedSentence,d,2,keys,1400,{KEYS.item_id},320,false,{SENTENCE}",
    ),
    "Ibex": (
        *(*PENN_HEAD[:7], *SPELT),
        f"1,m,DashedSentence,1,0,target,g,1,the,310,False,{SENTENCE}",
        f"1,m,DashedSentence,1,0,target,g,2,keys,320,False,{SENTENCE}",
    ),
}


def told(folder: Path, lines: Sequence[str]) -> list[Judgment]:
    return [replace(each, origin="") for each in judgments_of(read(results(folder, *lines)).trials)]


@pytest.mark.parametrize("name", FILES)
def test_a_column_more_changes_nothing_wherever_it_stands(tmp_path: Path, name: str) -> None:
    """Names tell what a column is, not places."""
    plain = told(tmp_path, FILES[name])
    assert len(plain) == 1
    n_columns = min(1 + line.count(",") for line in FILES[name] if not line.startswith("#"))
    for place in range(1, n_columns + 1):
        assert told(tmp_path, inserted(FILES[name], place)) == plain


def test_of_columns_with_one_name_the_first_counts_and_a_logged_group_is_no_group(
    tmp_path: Path,
) -> None:
    """Experiments log columns of names that the program uses itself."""
    own = [line for line in FILES["a choice of PCIbex"] if not line.startswith("#")]
    names = ("# 17. Value.", "# 18. Group.", "# 19. Type.", "# 20. Label.")
    more = (*PENN_HEAD, *LOGGED, *names, *(f"{line},q,r,s,t" for line in own))
    assert told(tmp_path, more) == told(tmp_path, FILES["a choice of PCIbex"])


@pytest.mark.parametrize("name", ["group", "order", "time", "md5", "Group"])
def test_a_logged_column_may_have_any_name(tmp_path: Path, name: str) -> None:
    own = [line for line in FILES["a choice of PCIbex"] if not line.startswith("#")]
    lines = (*PENN_HEAD, *LOGGED, f"# 17. {name}.", *(f"{line},q" for line in own))
    assert [*read(results(tmp_path, *lines), name).sessions[f"fact:{name}"]] == ["q"]


def test_lines_without_the_controller_that_is_named_are_rows_about_something_else(
    tmp_path: Path,
) -> None:
    path = results(tmp_path, *FILES["a choice of Ibex"], "1,m,4,0,t,g,p")
    assert (read(path).summary.n_rows, read(path).summary.n_others) == (2, 1)
    assert only(read(path)).chosen == "are"


@pytest.mark.parametrize("name", WORDS)
def test_words_read_one_by_one_are_other_rows(tmp_path: Path, name: str) -> None:
    """Alone they are refused."""
    path = results(tmp_path, *WORDS[name])
    with mistake("empty", path):
        read(path)
    found = read(results(tmp_path, *WORDS[name], *FILES["a choice of Ibex"]))
    assert (len(judgments_of(found.trials)), found.summary.n_others) == (1, 2)


def test_a_sentence_that_went_by_word_by_word_is_rated(tmp_path: Path) -> None:
    judgment = only(read(results(tmp_path, *FILES["a rating of Ibex, word by word"])))
    assert (judgment.item, judgment.rating, judgment.option_1) == (KEYS.item_id, 6.0, SENTENCE)


def test_the_time_of_an_answer_is_since_its_element_was_printed(tmp_path: Path) -> None:
    found = trial(
        tmp_path,
        "PennController,1,_Trial_,Start,1000",
        "Selector,choice,Print,NA,1400",
        "Selector,choice,Selection,are,2000",
    )
    judgment = only(found)
    assert (judgment.chosen, judgment.correct, judgment.rt_ms) == ("are", 1, 600.0)
    assert (found.summary.n_rows, found.summary.n_others) == (3, 2)


def test_of_several_choices_the_last_counts_and_their_number_is_told(tmp_path: Path) -> None:
    found = trial(
        tmp_path, "Selector,choice,Selection,is,1000", "Selector,choice,Selection,are,1500"
    )
    assert only(found).chosen == "are"
    (note,) = found.notes
    assert "1" in note.split()


@pytest.mark.parametrize("event", ["Selector,choice,Selection,NA,Never", "Timer,limit,End,End,9"])
def test_a_choice_that_never_happened_is_a_missing_answer(tmp_path: Path, event: str) -> None:
    judgment = only(trial(tmp_path, event))
    assert (judgment.chosen, judgment.correct, judgment.rt_ms) == ("", None, None)


@pytest.mark.parametrize("time", ["-99999999999999", "1e17", "soon"])
def test_an_event_at_no_date_is_refused(tmp_path: Path, time: str) -> None:
    with mistake("format", f"{tmp_path}/results.csv:17"):
        trial(tmp_path, f"Selector,choice,Selection,are,{time}")


def test_a_key_stands_for_its_option(tmp_path: Path) -> None:
    assert only(trial(tmp_path, "Key,keys,PressedKey,J,1500")).chosen == "are"


def test_a_name_that_stands_for_no_option_is_refused(tmp_path: Path) -> None:
    with mistake("format", f"{tmp_path}/results.csv:17"):
        trial(tmp_path, "Selector,choice,Selection,left,1500")


def test_an_address_that_sent_twice_is_two_people_and_a_note(tmp_path: Path) -> None:
    rows = [
        f"{time},ab,PennController,1,0,target,A,Selector,c,Selection,are,9,{KEYS.item_id},is,are,x"
        for time in (1760000120, 1760000999)
    ]
    found = read(results(tmp_path, *PENN_HEAD, *LOGGED, *rows))
    assert found.summary.n_participants == 2
    assert "1" in found.notes[0].split()


def test_a_column_that_was_asked_for_is_kept_and_others_are_not(tmp_path: Path) -> None:
    head = (*PENN_HEAD, "# 13. item.", "# 14. age.", "# 15. town.")
    row = f"{START}Selector,c,Selection,are,9,{KEYS.item_id},34,Rome"
    found = read(results(tmp_path, *head, row), "age")
    assert [*found.sessions["fact:age"]] == ["34"]
    assert "Rome" not in repr(found)


def test_a_file_about_other_items_is_refused(tmp_path: Path) -> None:
    head = (*PENN_HEAD[:7], *QUESTION_NAMES)
    path = results(tmp_path, *head, "1,m,Question,1,0,t,g,Do you,yes,NULL,900")
    with mistake("empty", path):
        read(path)


def sentence_item(identity: str, sentence: str) -> Item:
    return Item(
        *(identity, "suite", identity, "it", "x", ""),
        conditions={"shown": ((Region("sentence", (), sentence),),)},
    )


@pytest.mark.shared
def test_a_rating_is_found_by_its_sentence_and_reading_times_are_left_out() -> None:
    """`samples/ibex_spr_acceptability.csv`: four words of one sentence, a rating of another."""
    items = [
        sentence_item("r1", "Il ragazzo, sai, ride"),
        sentence_item("r2", "Il sasso, sai, corre"),
    ]
    path = shared("published", "humans", "samples", "ibex_spr_acceptability.csv")
    found = read_files([path], items)
    judgment = only(found)
    assert (judgment.item, judgment.rating, judgment.rt_ms) == ("r2", 5.0, 2210.0)
    assert (judgment.correct, judgment.condition) == (None, "nonce")
    assert (found.summary.n_judgments, found.summary.n_others) == (1, 5)
