"""Tables of answers from other programs: what is read, and what is refused and where."""

import csv
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data import Item
from colorless_green.data.errors import ErrorKind
from colorless_green.humans import Imported, ImportOptions, forms_of, read_files, table_map, tallies
from tests.builders import mistake
from tests.humans.report_material import agreement_item
from tests.humans.trial_records import Judgment, judgments_of, trials_of

KEYS = agreement_item("the keys of it are gone", 1, 4, "is")
ROOF = agreement_item("a roof green as moss leaks badly", 1, 5, "leak", number=1, value="Sing")
ITEMS = (KEYS, ROOF)
HEADER = "participant,item,chosen"


def imported(tmp_path: Path, *lines: str, decimal: str = "", **columns: str) -> Imported:
    path = tmp_path / "answers.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return read([path], ITEMS, ImportOptions(table_map({"columns": columns, "decimal": decimal})))


def read(
    paths: Sequence[Path], items: Sequence[Item], options: ImportOptions | None = None
) -> Imported:
    return read_files(paths, items, options, "generic")


def answers(found: Imported) -> list[tuple[str, str, str, int | None]]:
    return [
        (each.participant, each.item, each.chosen, each.correct)
        for each in judgments_of(found.trials)
    ]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_table_is_read_however_a_spreadsheet_saved_it(
    tmp_path: Path, delimiter: str, encoding: str, end: str
) -> None:
    rows = [f"P1,{KEYS.item_id},are", f"P2,{KEYS.item_id},is"]
    plain = imported(tmp_path, HEADER, *rows)
    lines = [HEADER + ",,", rows[0] + ",,", "", ",,,,", HEADER, rows[1]]
    text = "".join(line.replace(",", delimiter) + end for line in [f"sep={delimiter}", *lines])
    path = tmp_path / "saved.csv"
    path.write_text(text, encoding, newline="")
    for found in (read([path], ITEMS), read_files([path], ITEMS)):
        assert answers(found) == answers(plain)
        assert [each.origin for each in judgments_of(found.trials)] == [f"{path}:3", f"{path}:7"]


def test_single_answers_are_joined_to_their_items_and_judged(tmp_path: Path) -> None:
    found = imported(
        tmp_path, HEADER, f"P1,{KEYS.item_id},are", f"P2,{KEYS.item_id},is", f"P1,{ROOF.item_id},"
    )
    assert answers(found) == [
        ("P1", KEYS.item_id, "are", 1),
        ("P2", KEYS.item_id, "is", 0),
        ("P1", ROOF.item_id, "", None),
    ]
    first = judgments_of(found.trials)[0]
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
    path = tmp_path_factory.mktemp("csv") / "answers.csv"
    with path.open("w", encoding="utf-8-sig" if with_mark else "utf-8", newline="") as stream:
        table = csv.writer(stream, delimiter=delimiter)
        table.writerow(["prefix", "participant", "chosen", "item"])
        for place, (prefix, chosen) in enumerate(rows):
            table.writerow([prefix, f"P{place}", chosen, KEYS.item_id])
    found = read([path], ITEMS)
    assert [(each.prefix, each.chosen) for each in judgments_of(found.trials)] == [
        (prefix.strip() or "the keys of it", chosen) for prefix, chosen in rows
    ]


def test_columns_of_other_names_are_found_by_a_map(tmp_path: Path) -> None:
    table = table_map(["item=Frase", "participant=Subj", "chosen=A=B"])
    path = tmp_path / "answers.csv"
    path.write_text(f"Subj;Frase;A=B\nP1;{KEYS.item_id};are\n", encoding="utf-8")
    found = read([path], ITEMS, ImportOptions(table))
    assert answers(found) == [("P1", KEYS.item_id, "are", 1)]


def test_forms_are_compared_after_nfc_and_trimming(tmp_path: Path) -> None:
    item = agreement_item("il caffè e il tè è caldo", 1, 5, "e\u0300o", language="it")
    path = tmp_path / "answers.csv"
    path.write_text(f"{HEADER}\nP1,{item.item_id}, e\u0300 \n", encoding="utf-8")
    found = read([path], [item])
    assert judgments_of(found.trials)[0].correct == 1


def test_a_word_that_means_missing_elsewhere_is_an_answer_where_it_is_an_option(
    tmp_path: Path,
) -> None:
    item = agreement_item("the NA of it are gone", 1, 4, "NA", number=2)
    path = tmp_path / "answers.csv"
    path.write_text(f"{HEADER}\nP1,{item.item_id},NA\nP2,{K},NA\n", encoding="utf-8")
    found = read([path], [item, KEYS])
    assert [(each.chosen, each.correct) for each in judgments_of(found.trials)] == [
        ("NA", 0),
        ("", None),
    ]


def test_an_answer_can_be_given_by_its_place_among_the_options(tmp_path: Path) -> None:
    found = imported(
        tmp_path,
        "participant,item,option_1,option_2,chosen_index",
        f"P1,{KEYS.item_id},is,are,1",
        f"P2,{KEYS.item_id},are,is,1",
    )
    assert [(each.chosen, each.correct) for each in judgments_of(found.trials)] == [
        ("are", 1),
        ("is", 0),
    ]


def test_times_may_have_a_decimal_comma_where_commas_do_not_part_cells(tmp_path: Path) -> None:
    row = f"P1;{KEYS.item_id};are;912,5"
    found = imported(tmp_path, "participant;item;chosen;rt_ms", row, decimal=",")
    assert judgments_of(found.trials)[0].rt_ms == 912.5


def test_a_cell_that_a_spreadsheet_would_run_is_a_word(tmp_path: Path) -> None:
    found = imported(
        tmp_path, f"{HEADER},prefix", f'=1+1,{KEYS.item_id},are,"=HYPERLINK(""http://x"")"'
    )
    assert judgments_of(found.trials)[0].participant == "=1+1"
    assert judgments_of(found.trials)[0].prefix == '=HYPERLINK("http://x")'


@pytest.mark.parametrize("who", [("ann", "bob"), ()])
@pytest.mark.parametrize("by_item", [True, False])
def test_a_number_for_each_sentence_is_a_rating(
    tmp_path: Path, who: tuple[str, ...], by_item: bool
) -> None:
    """With or without people, and with or without the items' ids, as BLiMP-NL has them."""
    right, wrong = "the keys of it are gone", "the keys of it is gone"
    header = ["participant"] * bool(who) + ["item"] * by_item + ["sentence", "rating"]
    rows = [
        ",".join([*([name] if name else []), *([K] if by_item else []), sentence, rating])
        for name in who or ("",)
        for sentence, rating in ((right, "6.25"), (wrong, "-2"))
    ]
    found = imported(tmp_path, ",".join(header), *rows)
    assert [(e.item, e.option_1, e.rating, e.correct) for e in judgments_of(found.trials)] == [
        (K, right, 6.25, None),
        (K, wrong, -2.0, None),
    ] * max(1, len(who))
    assert found.summary.n_participants == max(1, len(who))
    assert bool(found.notes) == (not who)


def test_a_cell_may_be_of_any_length(tmp_path: Path) -> None:
    long = "the keys " * 30_000
    found = imported(tmp_path, f"{HEADER},prefix", f'P1,{KEYS.item_id},are,"{long}"')
    assert judgments_of(found.trials)[0].prefix == long.strip()


@pytest.mark.slow
def test_two_hundred_thousand_answers_take_seconds(tmp_path: Path) -> None:
    people = (f"P{n},{KEYS.item_id},are,{400 + n % 3000}" for n in range(200_000))
    begun = process_time()
    found = imported(tmp_path, f"{HEADER},rt_ms", *people)
    assert found.summary.n_participants == found.summary.n_judgments == 200_000
    assert process_time() - begun < 25


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
    found = tallies(trials_of(judged), {item.item_id: item for item in ITEMS})
    assert [(each.item, each.right, each.total) for each in found] == [
        (KEYS.item_id, 1, 2),
        (ROOF.item_id, 0, 0),
    ]


def test_items_without_agreement_are_chosen_by_target_or_by_sentence() -> None:
    bare = replace(KEYS, agreement=None)
    assert forms_of(bare) == ("are", "is")
    whole = {
        name: (tuple(replace(region, region="all") for region in wordings[0]),)
        for name, wordings in KEYS.conditions.items()
    }
    sentences = ("the keys of it are gone", "the keys of it is gone")
    assert forms_of(replace(bare, conditions=whole)) == sentences
    assert forms_of(replace(bare, conditions={"match": whole["right"]})) is None


K = KEYS.item_id


@pytest.mark.parametrize(
    ("line", "kind", "lines"),
    [
        (2, "unknown", [HEADER, "P1,x1,are", "P1,x2,are", *(f"P1,y{i},is" for i in range(4))]),
        (3, "format", [HEADER, f"P1,{K},are", f"P2,{K},were", f"P3,{K},am"]),
        (3, "format", [f"{HEADER},correct", f"P1,{K},are,1", f"P2,{K},is,1"]),
        (2, "format", [f"{HEADER},correct", f"P1,{K},,0"]),
        (2, "format", [f"{HEADER},correct_form", f"P1,{K},are,is"]),
        (2, "format", [f"{HEADER},option_1,option_2", f"P1,{K},are,are,were"]),
        (3, "conflict", [f"{HEADER},trial_id", f"P1,{K},are,t1", f"P1,{K},is,t1"]),
        (2, "format", [f"{HEADER},kind", "P1,f1,pane,filler"]),
        (2, "unknown", [f"{HEADER},kind", f"P1,{K},are,stimulus"]),
        (2, "format", [f"{HEADER},position", f"P1,{K},are,0"]),
        (2, "format", [f"{HEADER},position", f"P1,{K},are,first"]),
        (2, "format", [f"{HEADER},rt_ms", f"P1,{K},are,-5"]),
        (2, "format", [f"{HEADER},rt_ms", f"P1,{K},are,1e999"]),
        (2, "format", [f"{HEADER},correct", f"P1,{K},are,yes"]),
        (2, "format", [HEADER, f",{K},are"]),
        (2, "format", [f"{HEADER},chosen_index", f"P1,{K},are,1"]),
        (2, "conflict", [f"{HEADER},option_1,option_2,chosen_index", f"P1,{K},are,are,is,1"]),
        (1, "missing", ["subject,item,chosen", f"P1,{K},are"]),
        (1, "missing", ["participant,sentence,chosen", f"P1,{K},are"]),
        (1, "conflict", [f"{HEADER},right,total", f"P1,{K},are,1,2"]),
        (1, "missing", ["item,proportion", f"{K},0.5"]),
        (2, "format", ["item,right,total", f"{K},11,10"]),
        (3, "conflict", ["item,right,total", f"{K},1,2", f"{K},1,2"]),
        (2, "unknown", ["item,right,total", "x1,1,2"]),
        (2, "format", ["item,proportion,n", f"{K},0.6,3"]),  # of no whole number
        (2, "format", ["item,proportion,n", f"{K},1.2,3"]),
        (2, "format", [HEADER, f"P1,{K}"]),
        (1, "conflict", [f"{HEADER},item", f"P1,{K},are,{K}"]),
        (2, "format", [HEADER, f'P1,{K},"are']),
        (1, "empty", []),
    ],
)
def test_what_does_not_fit_is_refused_at_its_line(
    tmp_path: Path, line: int, kind: ErrorKind, lines: list[str]
) -> None:
    path = tmp_path / "answers.csv"
    with mistake(kind, f"{path}:{line}" if lines else path):
        imported(tmp_path, *lines)


@pytest.mark.parametrize(
    ("share", "n", "right"), [("0.67", "3", 2), ("1", "0", 0), (".5", "10", 5)]
)
def test_a_share_of_a_known_number_is_a_count(
    tmp_path: Path, share: str, n: str, right: int
) -> None:
    (tally,) = imported(tmp_path, "item,proportion,n", f"{K},{share},{n}").tallies
    assert (tally.right, tally.total) == (right, int(n))


def test_a_map_must_name_our_columns_and_theirs(tmp_path: Path) -> None:
    line = f"P1,{K},are"
    with mistake("unknown", "map"):
        imported(tmp_path, HEADER, line, subject="participant")
    with mistake("missing", f"{tmp_path}/answers.csv:1"):
        imported(tmp_path, HEADER, line, participant="Subj")
    with mistake("value", "map"):
        table_map(["item"])
    with mistake("conflict", "map"):
        table_map(["item=a", "item=b"])


def test_bytes_that_are_no_text_are_refused_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_bytes(f"{HEADER}\nP1,{K},".encode() + b"\xe8\n")
    with mistake("unreadable", f"{path}:2"):
        read([path], ITEMS)


def test_no_file_is_refused() -> None:
    with mistake("missing", "files"):
        read([], ITEMS)


def test_single_answers_and_totals_do_not_mix(tmp_path: Path) -> None:
    single, totals = tmp_path / "a.csv", tmp_path / "b.csv"
    single.write_text(f"{HEADER}\nP1,{K},are\n", encoding="utf-8")
    totals.write_text(f"item,right,total\n{K},1,2\n", encoding="utf-8")
    with mistake("conflict", single):
        read([single, totals], ITEMS)


def test_a_header_of_very_many_columns_takes_no_longer_than_its_cells(tmp_path: Path) -> None:
    """Comparing each name with each took a minute and a half here."""
    others = [f"x{n}" for n in range(40_000)]
    begun = process_time()
    found = imported(
        tmp_path,
        ",".join([HEADER, *others]),
        ",".join([f"P1,{KEYS.item_id},are", *others]),
    )
    assert answers(found) == [("P1", KEYS.item_id, "are", 1)]
    assert process_time() - begun < 20
