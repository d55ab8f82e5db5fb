"""Published tables with one's own columns: whole, counted as the papers count, never misaligned."""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import SimpleNamespace

import pytest

from colorless_green.data.published import SUITES
from colorless_green.data.published import rows as published_rows
from colorless_green.data.registry import load
from colorless_green.humans.collection.gathered import SuiteResults
from colorless_green.humans.papers import PAPERS, PAPERS_GROUP
from colorless_green.humans.papers.layout import Beside, Value, layouts, wide
from colorless_green.nonce.suite import Suite
from colorless_green.scoring.outcome import Outcome
from colorless_green.scoring.released.recompute import recomputed
from tests.builders import shared
from tests.humans.suites_material import many, margins, results, run, suite

COUNTS = {  # cells of each table
    "marvin2018": {"Table 1": 15 * 4},
    "hu2020-syntaxgym": {
        "Figure 1": 10, "Figure 5": 6 * 10, "Figure 6": 2 * 10, "by suite": 22 * 10,
        "by corpus": 25, "Table 4": 4 * 5,
    },
    "hu2020-reflexives": {"Table 3": 37},
    "warstadt2020": {"Table 3": 13 * 5, "Table 4": 67 * 5},
}  # fmt: skip


def figures(name: str) -> list[SimpleNamespace]:
    return [SimpleNamespace(**row) for row in published_rows(name)]


def of_paper(name: str, *found: SuiteResults) -> Beside:
    made: Beside = load(PAPERS, name, "--published", PAPERS_GROUP)(found)
    return made


def own(found: Beside, table: str) -> dict[tuple[str, str], Value]:
    """(row, rater) → one's own value."""
    return {
        (each.row, each.rater): each
        for each in found.values
        if each.origin == "own" and each.table == table
    }


@pytest.mark.parametrize("name", SUITES)
def test_every_published_cell_is_there_once_with_its_source(name: str) -> None:
    rows = figures(name)
    tables = [row.table for row in rows]
    assert {table: tables.count(table) for table in dict.fromkeys(tables)} == COUNTS[name]
    keys = [(row.table, row.block, row.row, row.model) for row in rows]
    assert len(keys) == len(set(keys))
    for row in rows:
        assert row.source
        assert 0 <= row.value <= 1 or row.measure == "perplexity"


def table(name: str) -> Iterator[dict[str, str]]:
    with shared("published", "tables", name).open(encoding="utf-8") as stream:
        yield from csv.DictReader(stream)


@pytest.mark.shared
def test_marvin_and_linzens_table_is_as_printed() -> None:
    cells = {(row.block, row.row, row.model): row.value for row in figures("marvin2018")}
    columns = {"rnn": "RNN", "multitask": "Multitask", "ngram": "n-gram", "humans": "humans"}
    for row in table("marvin_linzen_table.csv"):
        for column, model in columns.items():
            assert cells[row["phenomenon"], row["condition"], model] == float(row[column])


@pytest.mark.shared
def test_the_reflexives_table_is_as_printed_with_its_half_widths() -> None:
    cells = {(row.block, row.row, row.model): row for row in figures("hu2020-reflexives")}
    for row in table("reflexive_table.csv"):
        cell = cells[row["constraint"], row["row"], row["model"]]
        assert cell.value == float(row["accuracy_paper"])
        half = row["ci95_halfwidth_paper"]
        assert cell.half_width == (float(half) if half else None)


@pytest.mark.shared
def test_blimps_tables_are_those_of_the_corrected_results() -> None:
    cells = {(row.table, row.row, row.model): row.value for row in figures("warstadt2020")}
    columns = {"ngram": "5-gram", "lstm": "LSTM", "txl": "Transformer-XL", "gpt2": "GPT-2"}
    for row in table("blimp_table4.csv"):
        for column, model in {**columns, "human": "humans"}.items():
            expected = float(row[column]) / 100
            assert cells["Table 4", row["uid"], model] == pytest.approx(expected, abs=1e-6)
    assert cells["Table 3", "overall", "GPT-2"] == pytest.approx(0.8302)  # 81.5 in print


def test_blimps_phenomena_are_the_means_of_their_paradigms() -> None:
    rows = figures("warstadt2020")
    for model in ("5-gram", "LSTM", "Transformer-XL", "GPT-2", "humans"):
        paradigms = [row for row in rows if row.table == "Table 4" and row.model == model]
        for mean in (row for row in rows if row.table == "Table 3" and row.model == model):
            members = [row.value for row in paradigms if mean.row in ("overall", row.block)]
            assert mean.n == len(members)
            assert mean.value == pytest.approx(sum(members) / len(members), abs=6e-5)


@pytest.mark.shared
def test_syntaxgyms_figures_are_those_recomputed_from_the_released_results() -> None:
    """Of the suites at hand: by suite. The figures over all 31 need results that are not there."""
    found = recomputed(shared("published", "syntaxgym", "sg_results")).rows
    by_suite = {
        (row["name"], row["model"]): row["accuracy"] for row in found if row["figure"] == "suite"
    }
    ours = [row for row in figures("hu2020-syntaxgym") if row.table == "by suite"]
    assert len(ours) == 220
    for row in ours:
        assert by_suite[row.row, row.model] == pytest.approx(row.value, abs=1e-6)


def blimp(uid: str, n_items: int) -> Suite:
    made = suite(uid, n_items, "(*;%right%) < (*;%wrong%)", ("right", "wrong"))
    items = tuple(replace(each, facts={"uid": uid}) for each in made.items)
    return replace(made, items=items)


def test_blimp_is_counted_by_paradigm_and_ties_are_wrong() -> None:
    """Two paradigms of one phenomenon, 3 of 4 and 1 of 2: the phenomenon is at 0.625."""
    one, two = blimp("passive_1", 4), blimp("transitive", 2)
    first, second = (
        dict(zip([each.item_id for each in of.items], values, strict=True))
        for of, values in ((one, [1.0, 2.0, 0.5, 0.0]), (two, [1.0, -1.0]))
    )
    found = of_paper(
        "warstadt2020",
        results(one, [run(one, "m", first, prediction="full", method="sentence")]),
        results(two, [run(two, "m", second, prediction="full", method="sentence")]),
    )
    assert own(found, "Table 4")["passive_1", "m"].value == 0.75
    means = own(found, "Table 3")
    assert means["argument_structure", "m"].value == 0.625
    assert means["overall", "m"].n == 2
    assert "2 of 67 paradigms are here" in found.notes


def test_what_the_paper_has_no_row_for_is_said_and_not_aligned() -> None:
    other = blimp("passive_3", 2)
    found = of_paper("warstadt2020", results(other, [run(other, "m", margins(other, "m"))]))
    assert not own(found, "Table 4")
    assert "2 items are in no row of the paper: passive_3" in found.notes


def test_a_run_by_another_method_is_named() -> None:
    made = blimp("passive_1", 2)
    told = run(made, "m", margins(made, "m"), prediction="full", method="target")
    notes = of_paper("warstadt2020", results(made, [told])).notes
    assert "m: scored with the method 'target'; the paper's: score --setup warstadt2020" in notes


def test_marvin_and_linzens_rows_pool_files_and_count_the_comparison_of_the_row() -> None:
    facts = {"phenomenon": "npi", "condition": "Simple", "table": "right_intrusive"}
    made = [
        suite(name, 2, "(*;%right%) < (*;%wrong%)", ("right", "wrong"), **facts)
        for name in ("npi_anim", "npi_inanim")
    ]
    found = []
    for each, (low, high) in zip(made, ((1.0, -1.0), (1.0, 1.0)), strict=True):
        ids = [item.item_id for item in each.items]
        first = run(each, "m", dict.fromkeys(ids, -5.0), prediction="full")
        second = run(
            each, "m", dict(zip(ids, (low, high), strict=True)), prediction="right_intrusive"
        )
        both = replace(first, outcomes=(*first.outcomes, *second.outcomes))
        found.append(results(each, [both]))
    cell = own(of_paper("marvin2018", *found), "Table 1")["Simple", "m"]
    assert (cell.block, cell.value, cell.n) == ("npi", 0.75, 4)


def reflexive(values: Mapping[str, tuple[float | None, bool, bool]]) -> SuiteResults:
    """Items of experiment 2a from `pronoun number` → (margin, both parts tie, first part ties)."""
    row = {"constraint": "LOCALITY & C-COMMAND", "construction": "Relative clause (Exp. 2a)"}
    made = suite("exp2-rc", len(values), "(2;%a%) > (2;%b%) & (2;%a%) > (2;%c%)", "abc")
    items = tuple(
        replace(item, facts={**row, "pronoun": name.partition(" ")[0]})
        for item, name in zip(made.items, values, strict=True)
    )
    outcomes = []
    for item, (margin, both, first) in zip(items, values.values(), strict=True):
        tie = both or first
        credit = 1 / 3 if both else 0.5 if first else float((margin or 0) > 0)
        outcomes.append(Outcome(item.item_id, "licensing", credit, margin, tie, False))
        for name, ties in (("licensing: x > y", both or first), ("licensing: x > z", both)):
            outcomes.append(Outcome(item.item_id, name, 0.5 if ties else 1.0, 0.0, ties, False))
    made = replace(made, items=items)
    told = run(made, "m", margins(made, "m"), prediction="licensing")
    return results(made, [replace(told, outcomes=tuple(outcomes))])


def test_reflexives_are_the_mean_over_pronouns_and_three_equal_values_count_a_third() -> None:
    found = reflexive(
        {
            "himself 1": (1.0, False, False),
            "himself 2": (-1.0, False, False),
            "herself 1": (0.0, True, False),
            "themselves 1": (0.0, False, True),  # a partial tie is wrong
        }
    )
    cell = own(of_paper("hu2020-reflexives", found), "Table 3")["Relative clause (Exp. 2a)", "m"]
    assert cell.value == pytest.approx((0.5 + 1 / 3 + 0) / 3)
    assert cell.n == 4


def test_reflexives_that_the_paper_did_not_count_are_left_out_and_pronouns_missed() -> None:
    made = reflexive({"himself 1": (1.0, False, False), "himself 2": (-1.0, False, False)})
    first, second = made.suite.items
    items = (first, replace(second, facts={**second.facts, "in_paper": "no"}))
    made = replace(made, suite=replace(made.suite, items=items))
    found = of_paper("hu2020-reflexives", made)
    assert own(found, "Table 3")["Relative clause (Exp. 2a)", "m"].value == 1.0
    assert "Relative clause (Exp. 2a): no items with herself, themselves" in found.notes


def test_syntaxgym_compares_over_the_suites_that_are_here() -> None:
    found = of_paper("hu2020-syntaxgym", *many(people=False))
    theirs = {(each.row, each.rater): each for each in found.values if each.origin == "published"}
    by_suite = [theirs[name, "GRNN*"].value for name in ("number_prep", "number_src", "cleft",
                "cleft_modifier", "fgd_object")]  # fmt: skip
    same = theirs["these 5 suites", "GRNN*"]
    assert same.table == "Figure 1"
    assert same.value == pytest.approx(sum(by_suite) / 5)
    mine = own(found, "Figure 1")["these 5 suites", "good"]
    suites = own(found, "by suite")
    assert mine.value == pytest.approx(
        sum(suites[name, "good"].value for name in ("number_prep", "number_src", "cleft",
            "cleft_modifier", "fgd_object")) / 5
    )  # fmt: skip
    assert own(found, "Figure 6")["with modifier", "good"].n == 1
    assert own(found, "Table 4")["own held-out text", "fair"].value == pytest.approx(100 / 0.6)
    assert any(note.startswith("suites of the paper that are not here: center_embed") for note in
               found.notes)  # fmt: skip


def test_a_suite_that_syntaxgyms_analysis_dropped_is_left_out_and_named() -> None:
    other = suite("nn-nv-rpl", 2)
    found = of_paper("hu2020-syntaxgym", results(other, [run(other, "m", margins(other, "m"))]))
    assert not [each for each in found.values if each.origin == "own"]
    assert found.notes[0].endswith("left out: nn-nv-rpl")


def test_the_layout_has_the_papers_rows_and_columns_and_then_ones_own() -> None:
    made = blimp("passive_1", 2)
    told = run(made, "path/m", margins(made, "m"), prediction="full", method="sentence")
    found = of_paper("warstadt2020", results(made, [told]))
    rows, columns = wide(found, {"path/m": "m"})
    assert columns[-6:] == ("5-gram", "LSTM", "Transformer-XL", "GPT-2", "humans", "own: m")
    assert len(rows) == 13 + 67
    three, four = layouts(found)
    assert (three.across, four.across) == (True, False)
    assert [row[1] for row in three.rows[:2]] == ["overall", "anaphor_agreement"]


def test_half_widths_stand_under_their_row() -> None:
    made = reflexive({"himself 1": (1.0, False, False)})
    rows, columns = wide(of_paper("hu2020-reflexives", made), {})
    assert columns == (
        "block", "row", "measure", "BERT", "TransXL", "JRNN", "GRNN", "TinyLSTM", "RNNG", "5-gram",
        "own: m",
    )  # fmt: skip
    at = next(n for n, row in enumerate(rows) if row["row"] == "Relative clause (Exp. 2a)")
    assert (rows[at]["measure"], rows[at]["BERT"]) == ("accuracy", 0.70)
    assert (rows[at + 1]["measure"], rows[at + 1]["BERT"]) == ("half-width", 0.067)
