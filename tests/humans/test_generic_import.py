"""Tables of answers from other programs: what is read, what is refused, and in which words."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.data.registry import load
from colorless_green.humans.formats import FORMATS, GROUP
from colorless_green.humans.formats.generic import read
from colorless_green.humans.imported import Imported, ImportOptions, column_map
from colorless_green.humans.judgment import Judgment
from colorless_green.humans.lookup import forms
from colorless_green.humans.tally import tallies
from colorless_green.nonce.item import Item
from tests.builders import shared
from tests.humans.report_material import agreement_item

KEYS = agreement_item("the keys of it are gone", 1, 4, "is")
ROOF = agreement_item("a roof green as moss leaks badly", 1, 5, "leak", number=1, value="Sing")
ITEMS = (KEYS, ROOF)
HEADER = "participant,item,chosen"


def imported(tmp_path: Path, *lines: str, **columns: str) -> Imported:
    path = tmp_path / "answers.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return read([path], ITEMS, ImportOptions(columns))


def refused(tmp_path: Path, *lines: str, **columns: str) -> str:
    with pytest.raises(InputError) as error:
        imported(tmp_path, *lines, **columns)
    return str(error.value).replace(f"{tmp_path}/", "")


def answers(found: Imported) -> list[tuple[str, str, str, int | None]]:
    return [(each.participant, each.item, each.chosen, each.correct) for each in found.judgments]


def test_single_answers_are_joined_to_their_items_and_judged(tmp_path: Path) -> None:
    found = imported(
        tmp_path, HEADER, f"P1,{KEYS.item_id},are", f"P2,{KEYS.item_id},is", f"P1,{ROOF.item_id},"
    )
    assert answers(found) == [
        ("P1", KEYS.item_id, "are", 1),
        ("P2", KEYS.item_id, "is", 0),
        ("P1", ROOF.item_id, "", None),
    ]
    first = found.judgments[0]
    assert (first.source, first.construction) == (KEYS.cluster_id, "L__NOUN_VERB_VERB")
    assert (first.condition, first.kind, first.correct_form) == ("original", "target", "are")
    assert first.origin.endswith("answers.csv:2")


def test_the_summary_counts_everything_that_was_read(tmp_path: Path) -> None:
    found = imported(
        tmp_path,
        "participant,item,chosen,kind,correct_form,trial_id",
        f"P1,{KEYS.item_id},are,,,t1",
        f"P1,{KEYS.item_id},are,,,t1",
        f"P2,{ROOF.item_id},,target,,t2",
        "P2,filler7,pane,filler,pane,t3",
        "",
    )
    summary = found.summary
    assert (summary.n_files, summary.n_rows, summary.n_judgments) == (1, 4, 2)
    assert (summary.n_participants, summary.n_missing, summary.n_duplicates) == (2, 1, 1)
    assert (summary.n_items_matched, summary.n_items_unmatched) == (2, 1)
    assert summary.n_judgments + summary.n_missing + summary.n_duplicates == summary.n_rows


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=8)


@given(
    st.sampled_from([",", ";", "\t"]),
    st.booleans(),
    st.lists(st.tuples(TEXT, st.sampled_from(["are", "is", ""])), min_size=1, max_size=6),
)
def test_delimiter_quotes_and_byte_order_mark_do_not_change_what_is_read(
    tmp_path_factory: pytest.TempPathFactory,
    delimiter: str,
    with_mark: bool,
    rows: list[tuple[str, str]],
) -> None:
    import csv

    path = tmp_path_factory.mktemp("csv") / "answers.csv"
    with path.open("w", encoding="utf-8-sig" if with_mark else "utf-8", newline="") as stream:
        table = csv.writer(stream, delimiter=delimiter)
        table.writerow(["prefix", "participant", "chosen", "item"])
        for place, (prefix, chosen) in enumerate(rows):
            table.writerow([prefix, f"P{place}", chosen, KEYS.item_id])
    found = read([path], ITEMS, ImportOptions())
    assert [(each.prefix, each.chosen) for each in found.judgments] == [
        (prefix.strip() or "the keys of it", chosen) for prefix, chosen in rows
    ]


def test_columns_of_other_names_are_found_by_a_map(tmp_path: Path) -> None:
    options = column_map(["item=Frase", "participant=Subj", "chosen=A=B"])
    found = imported(tmp_path, "Subj;Frase;A=B", f"P1;{KEYS.item_id};are", **options)
    assert answers(found) == [("P1", KEYS.item_id, "are", 1)]


def test_forms_are_compared_after_nfc_and_trimming(tmp_path: Path) -> None:
    item = agreement_item("il caffè e il tè è caldo", 1, 5, "e\u0300o", language="it")
    path = tmp_path / "answers.csv"
    path.write_text(f"{HEADER}\nP1,{item.item_id}, e\u0300 \n", encoding="utf-8")
    found = read([path], [item], ImportOptions())
    assert found.judgments[0].correct == 1


def test_a_word_that_means_missing_elsewhere_is_an_answer_where_it_is_an_option(
    tmp_path: Path,
) -> None:
    item = agreement_item("the NA of it are gone", 1, 4, "NA", number=2)
    path = tmp_path / "answers.csv"
    path.write_text(f"{HEADER}\nP1,{item.item_id},NA\nP2,{K},NA\n", encoding="utf-8")
    found = read([path], [item, KEYS], ImportOptions())
    assert [(each.chosen, each.correct) for each in found.judgments] == [("NA", 0), ("", None)]


def test_an_answer_can_be_given_by_its_place_among_the_options(tmp_path: Path) -> None:
    found = imported(
        tmp_path,
        "participant,item,option_1,option_2,chosen_index",
        f"P1,{KEYS.item_id},is,are,1",
        f"P2,{KEYS.item_id},are,is,1",
    )
    assert [(each.chosen, each.correct) for each in found.judgments] == [("are", 1), ("is", 0)]


def test_times_may_have_a_decimal_comma_where_commas_do_not_part_cells(tmp_path: Path) -> None:
    found = imported(tmp_path, "participant;item;chosen;rt_ms", f"P1;{KEYS.item_id};are;912,5")
    assert found.judgments[0].rt_ms == 912.5


def test_a_cell_that_a_spreadsheet_would_run_is_a_word(tmp_path: Path) -> None:
    found = imported(
        tmp_path, f"{HEADER},prefix", f'=1+1,{KEYS.item_id},are,"=HYPERLINK(""http://x"")"'
    )
    assert found.judgments[0].participant == "=1+1"
    assert found.judgments[0].prefix == '=HYPERLINK("http://x")'


def test_totals_become_tallies(tmp_path: Path) -> None:
    found = imported(tmp_path, "item,right,total", f"{KEYS.item_id},8,10", f"{ROOF.item_id},0,0")
    assert [(each.item, each.right, each.total) for each in found.tallies] == [
        (KEYS.item_id, 8, 10),
        (ROOF.item_id, 0, 0),
    ]
    assert found.tallies[0].source == KEYS.cluster_id
    assert found.summary.n_judgments == 10
    assert found.summary.n_missing == 1
    assert found.summary.n_participants is None


def test_single_answers_count_up_to_tallies_without_missing_ones_and_fillers() -> None:
    def judgment(item: Item, correct: int | None, kind: str = "target") -> Judgment:
        empty = ("",) * 3
        return Judgment(
            *empty, item.item_id, "", "", "", kind, None, *empty, "", "x", 0, "x", correct,
            None, None, "", "",
        )  # fmt: skip

    judged = [judgment(KEYS, 1), judgment(ROOF, None), judgment(KEYS, 0), judgment(KEYS, None)]
    judged.append(judgment(ROOF, 1, "filler"))
    found = tallies(judged, {item.item_id: item for item in ITEMS})
    assert [(each.item, each.right, each.total) for each in found] == [
        (KEYS.item_id, 1, 2),
        (ROOF.item_id, 0, 0),
    ]


def test_items_without_agreement_are_chosen_by_target_or_by_sentence() -> None:
    bare = replace(KEYS, agreement=None)
    assert forms(bare) == ("are", "is")
    whole = {
        name: (tuple(replace(region, region="all") for region in wordings[0]),)
        for name, wordings in KEYS.conditions.items()
    }
    sentences = ("the keys of it are gone", "the keys of it is gone")
    assert forms(replace(bare, conditions=whole)) == sentences
    assert forms(replace(bare, conditions={"match": whole["right"]})) is None


def test_formats_are_found_by_name() -> None:
    assert load(FORMATS, "generic", "--format", GROUP) is read


K, R = KEYS.item_id, ROOF.item_id


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            [HEADER, "P1,x1,are", "P1,x2,are", "P2,x1,is", *(f"P1,y{i},is" for i in range(4))],
            "answers.csv:2: 'x1', 'x2', 'y0', 'y1', 'y2' and 1 more: no such item among the 2"
            " known; the item_id of an item in the suite, or another `kind` for fillers and checks",
        ),
        (
            [HEADER, f"P1,{K},are", f"P2,{K},were", f"P3,{K},am"],
            f"answers.csv:3: 'were', 'am': chosen, but neither option; for item {K} 'are' or 'is'",
        ),
        (
            [f"{HEADER},correct", f"P1,{K},are,1", f"P2,{K},is,1"],
            "answers.csv:3: correct is 1, but 'is' was chosen and 'are' is the correct form; 0",
        ),
        (
            [f"{HEADER},correct", f"P1,{K},,0"],
            "answers.csv:2: correct is 0, but nothing was chosen;"
            " an empty cell, or the chosen form",
        ),
        (
            [f"{HEADER},correct_form", f"P1,{K},are,is"],
            f"answers.csv:2: the correct form of item {K} is 'is'; 'are', as in the suite",
        ),
        (
            [f"{HEADER},option_1,option_2", f"P1,{K},are,are,were"],
            f"answers.csv:2: item {K} shown with 'are' and 'were';"
            " the item's own forms, 'are' and 'is'",
        ),
        (
            [f"{HEADER},trial_id", f"P1,{K},are,t1", f"P1,{K},is,t1"],
            "answers.csv:3: the trial 't1' of answers.csv:2 again, with other content;"
            " a trial_id or a position that tells the two answers apart",
        ),
        (
            [f"{HEADER},kind", "P1,f1,pane,filler"],
            "answers.csv:2: no correct form for item 'f1';"
            " a column correct_form for items that the suite does not have, or --items",
        ),
        (
            [f"{HEADER},kind", f"P1,{K},are,test"],
            "answers.csv:2: kind is 'test'; one of target, filler, check, practice, question",
        ),
        (
            [f"{HEADER},position", f"P1,{K},are,0"],
            "answers.csv:2: position is 0; 1 or more",
        ),
        (
            [f"{HEADER},position", f"P1,{K},are,first"],
            "answers.csv:2: position is 'first'; a whole number, or nothing",
        ),
        (
            [f"{HEADER},rt_ms", f"P1,{K},are,-5"],
            "answers.csv:2: rt_ms is -5; 0 or more",
        ),
        (
            [f"{HEADER},rt_ms", f"P1,{K},are,1e999"],
            "answers.csv:2: rt_ms is '1e999'; a number, or nothing",
        ),
        (
            [f"{HEADER},correct", f"P1,{K},are,yes"],
            "answers.csv:2: correct is 'yes'; 0, 1 or nothing",
        ),
        (
            [HEADER, f",{K},are"],
            "answers.csv:2: no participant; a value in every row",
        ),
        (
            [f"{HEADER},chosen_index", f"P1,{K},are,1"],
            "answers.csv:2: chosen_index without the options; columns option_1 and option_2",
        ),
        (
            [f"{HEADER},option_1,option_2,chosen_index", f"P1,{K},are,are,is,1"],
            "answers.csv:2: chosen is 'are', but chosen_index 1 is 'is'; the same answer in both",
        ),
        (
            ["subject,item,chosen", f"P1,{K},are"],
            "answers.csv:1: no column participant; the columns are subject, item, chosen;"
            " name it with --map participant=COLUMN (or give item, right and total)",
        ),
        (
            ["participant,sentence,chosen", f"P1,{K},are"],
            "answers.csv:1: no column item; the columns are participant, sentence, chosen;"
            " name it with --map item=COLUMN",
        ),
        (
            [f"{HEADER},right,total", f"P1,{K},are,1,2"],
            "answers.csv:1: both single answers and totals; either chosen or right and total",
        ),
        (
            ["item,right,total", f"{K},11,10"],
            "answers.csv:2: right is '11' and total '10'; counts of answers, 0 ≤ right ≤ total",
        ),
        (
            ["item,right,total", f"{K},1,2", f"{K},1,2"],
            f"answers.csv:3: item '{K}' again, after answers.csv:2; one row for each item",
        ),
        (
            ["item,right,total", "x1,1,2"],
            "answers.csv:2: 'x1': no such item among the 2 known;"
            " the item_id of an item in the suite, or another `kind` for fillers and checks",
        ),
        (
            [HEADER, f"P1,{K}"],
            "answers.csv:2: 2 cells; 3, as in the header",
        ),
        (
            [f"{HEADER},item", f"P1,{K},are,{K}"],
            "answers.csv:1: two columns 'item'; a name of its own for each",
        ),
        (
            [HEADER, f'P1,{K},"are'],
            "answers.csv:2: not a row of a table (unexpected end of data);"
            ' quotes doubled, as in "a ""b"""',
        ),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(
    tmp_path: Path, lines: list[str], message: str
) -> None:
    assert refused(tmp_path, *lines).replace(str(tmp_path) + "/", "") == message


def test_a_map_must_name_our_columns_and_theirs(tmp_path: Path) -> None:
    line = f"P1,{K},are"
    assert refused(tmp_path, HEADER, line, subject="participant").startswith(
        "--map: no such column 'subject'; one of participant, session, "
    )
    assert refused(tmp_path, HEADER, line, participant="Subj") == (
        "answers.csv:1: no column 'Subj' for participant; one of participant, item, chosen"
    )
    with pytest.raises(InputError, match="--map: 'item'; OURS=THEIRS, as in item=Item"):
        column_map(["item"])
    with pytest.raises(InputError, match="--map: 'item' twice; one column for each of our names"):
        column_map(["item=a", "item=b"])


def test_bytes_that_are_no_text_are_refused_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_bytes(f"{HEADER}\nP1,{K},".encode() + b"\xe8\n")
    with pytest.raises(InputError) as error:
        read([path], ITEMS, ImportOptions())
    assert str(error.value) == f"{path}:2: byte 0xe8 is not UTF-8; a file saved as UTF-8"


def test_an_empty_file_and_no_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("", encoding="utf-8")
    with pytest.raises(InputError) as error:
        read([path], ITEMS, ImportOptions())
    assert str(error.value) == f"{path}: the file is empty; a table with a header line"
    with pytest.raises(InputError) as error:
        read([], ITEMS, ImportOptions())
    assert str(error.value) == "humans import: no file; one table of answers or more"


def test_single_answers_and_totals_do_not_mix(tmp_path: Path) -> None:
    single, totals = tmp_path / "a.csv", tmp_path / "b.csv"
    single.write_text(f"{HEADER}\nP1,{K},are\n", encoding="utf-8")
    totals.write_text(f"item,right,total\n{K},1,2\n", encoding="utf-8")
    with pytest.raises(InputError) as error:
        read([single, totals], ITEMS, ImportOptions())
    assert str(error.value) == (
        f"{single}: single answers beside files with totals; one sort at a time"
    )


@pytest.mark.shared
def test_the_generic_sample_gives_the_counts_that_every_format_must_give() -> None:
    """`samples/generic.csv` (`;`, BOM, another program's names) and `aggregated.csv` hold the same
    18 trials: i1 2/3, i2 2/3, i3 2/3, i4 1/2, f1 2/3, c1 3/3."""
    import csv

    samples = shared("published", "humans", "samples")
    with (samples / "items.csv").open(encoding="utf-8", newline="") as stream:
        items = [
            replace(
                agreement_item(f"x {row['correct_form']}", 0, 1, row["wrong_form"]),
                item_id=row["item"],
                cluster_id=row["source"],
            )
            for row in csv.DictReader(stream)
        ]
    options = ImportOptions(
        column_map(["participant=Subj", "item=Frase", "option_1=A", "option_2=B", "chosen=Scelta"])
    )
    single = read([samples / "generic.csv"], items, options)
    counted = tallies(single.judgments, {item.item_id: item for item in items})
    totals = read([samples / "aggregated.csv"], items, ImportOptions()).tallies
    assert {each.item: (each.right, each.total) for each in counted} == {
        "i1": (2, 3), "i2": (2, 3), "i3": (2, 3), "i4": (1, 2), "f1": (2, 3), "c1": (3, 3),
    }  # fmt: skip
    assert sorted(counted, key=lambda t: t.item) == sorted(totals, key=lambda t: t.item)
    assert (single.summary.n_rows, single.summary.n_missing) == (18, 1)
