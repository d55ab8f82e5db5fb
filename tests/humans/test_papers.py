"""Published tables with one's own columns: whole, counted as the papers count, never misaligned."""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import SimpleNamespace

import pytest

from bench.papers import syntaxgym
from colorless_green.data import Suite
from colorless_green.data.published import SUITES
from colorless_green.data.published import rows as published_rows
from colorless_green.data.result import Result
from colorless_green.data.tables import read_tsv
from colorless_green.scoring import Outcome
from tests.builders import shared
from tests.humans.stored import Kept, of_margins, outcome
from tests.humans.suites_material import LEVELS, NAMES, many, margins, suite

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


Rows = list[dict[str, str]]


@pytest.fixture
def kept() -> Kept:
    return Kept()


def of_paper(kept: Kept, name: str) -> tuple[Rows, Result]:
    """All that stands in a paper's tables, value by value; and the tables as they are shown."""
    result = kept.compare("*", published=name, out=kept.folder / "paper.tsv")
    return list(read_tsv(kept.folder / "paper.tsv")), result


def own(rows: Rows, table: str) -> dict[tuple[str, str], dict[str, str]]:
    """(row, rater) → one's own value."""
    return {
        (row["row"], row["rater"]): row
        for row in rows
        if row["origin"] == "own" and row["table"] == table
    }


def value(row: dict[str, str]) -> float:
    return float(row["value"])


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
    found = syntaxgym(shared("published", "syntaxgym", "sg_results")).filter(figure="suite")
    by_suite = {(row["name"], row["model"]): row["accuracy"] for row in found.rows(named=True)}
    ours = [row for row in figures("hu2020-syntaxgym") if row.table == "by suite"]
    assert len(ours) == 220
    for row in ours:
        assert by_suite[row.row, row.model] == pytest.approx(row.value, abs=1e-6)


def blimp(uid: str, n_items: int) -> Suite:
    made = suite(uid, n_items, "(*;%right%) < (*;%wrong%)", ("right", "wrong"))
    items = tuple(replace(each, facts={"uid": uid}) for each in made.items)
    return replace(made, items=items)


def scored(
    kept: Kept,
    of: Suite,
    found: Mapping[str, float | None],
    prediction: str = "full",
    method: str = "sentence",
) -> None:
    suite_id = kept.suite(of.items, of.name, of.predictions, kind="imported")
    kept.run(suite_id, "m", of_margins(found), prediction=prediction, method=method)


def named(of: Suite, values: list[float]) -> dict[str, float | None]:
    return dict(zip([each.item_id for each in of.items], values, strict=True))


def test_blimp_is_counted_by_paradigm_and_ties_are_wrong(kept: Kept) -> None:
    """Two paradigms of one phenomenon, 3 of 4 and 1 of 2: the phenomenon is at 0.625."""
    one, two = blimp("passive_1", 4), blimp("transitive", 2)
    scored(kept, one, named(one, [1.0, 2.0, 0.5, 0.0]))
    scored(kept, two, named(two, [1.0, -1.0]))
    found, result = of_paper(kept, "warstadt2020")
    assert value(own(found, "Table 4")["passive_1", "m"]) == 0.75
    means = own(found, "Table 3")
    assert value(means["argument_structure", "m"]) == 0.625
    assert means["overall", "m"]["n"] == "2"
    assert any({"2", "67"} <= set(message.split()) for message in result.messages)


def test_what_the_paper_has_no_row_for_is_named_and_not_aligned(kept: Kept) -> None:
    other = blimp("passive_3", 2)
    scored(kept, other, margins(other, "m"))
    found, result = of_paper(kept, "warstadt2020")
    assert not own(found, "Table 4")
    assert not result.found
    assert any("passive_3" in message for message in result.messages)


def test_a_run_by_another_method_is_named(kept: Kept) -> None:
    made = blimp("passive_1", 2)
    scored(kept, made, margins(made, "m"), method="target")
    _, result = of_paper(kept, "warstadt2020")
    assert any(message.startswith("m:") for message in result.messages)
    usual = Kept()
    scored(usual, made, margins(made, "m"))
    _, result = of_paper(usual, "warstadt2020")
    assert not any(message.startswith("m:") for message in result.messages)


def test_marvin_and_linzens_rows_pool_files_and_count_the_comparison_of_the_row(
    kept: Kept,
) -> None:
    facts = {"phenomenon": "npi", "condition": "Simple", "table": "right_intrusive"}
    for name, values in (("npi_anim", (1.0, -1.0)), ("npi_inanim", (1.0, 1.0))):
        made = suite(name, 2, "(*;%right%) < (*;%wrong%)", ("right", "wrong"), **facts)
        suite_id = kept.suite(made.items, made.name, made.predictions, kind="imported")
        outcomes = [
            outcome(item.item_id, float(margin > 0), margin, prediction)
            for item, of_row in zip(made.items, values, strict=True)
            for prediction, margin in (("full", -5.0), ("right_intrusive", of_row))
        ]
        kept.run(suite_id, "m", outcomes, options={"prediction": "full"})
    cell = own(of_paper(kept, "marvin2018")[0], "Table 1")["Simple", "m"]
    assert (cell["block"], value(cell), cell["n"]) == ("npi", 0.75, "4")


def reflexive(
    kept: Kept,
    values: Mapping[str, tuple[float | None, bool, bool]],
    facts: Mapping[str, Mapping[str, str]] | None = None,
) -> None:
    """Items of experiment 2a from `pronoun number` → (margin, both parts tie, first part ties)."""
    row = {"constraint": "LOCALITY & C-COMMAND", "construction": "Relative clause (Exp. 2a)"}
    made = suite("exp2-rc", len(values), "(2;%a%) > (2;%b%) & (2;%a%) > (2;%c%)", "abc")
    items = [
        replace(
            item,
            facts={**row, "pronoun": name.partition(" ")[0], **(facts or {}).get(name, {})},
        )
        for item, name in zip(made.items, values, strict=True)
    ]
    outcomes = []
    for item, (margin, both, first) in zip(items, values.values(), strict=True):
        tie = both or first
        credit = 1 / 3 if both else 0.5 if first else float((margin or 0) > 0)
        outcomes.append(Outcome(item.item_id, "licensing", credit, margin, tie, False))
        for name, ties in (("licensing: x > y", both or first), ("licensing: x > z", both)):
            outcomes.append(Outcome(item.item_id, name, 0.5 if ties else 1.0, 0.0, ties, False))
    suite_id = kept.suite(items, made.name, made.predictions, kind="imported")
    kept.run(suite_id, "m", outcomes, options={"prediction": "licensing"})


def test_reflexives_are_the_mean_over_pronouns_and_three_equal_values_count_a_third(
    kept: Kept,
) -> None:
    reflexive(
        kept,
        {
            "himself 1": (1.0, False, False),
            "himself 2": (-1.0, False, False),
            "herself 1": (0.0, True, False),
            "themselves 1": (0.0, False, True),  # a partial tie is wrong
        },
    )
    cells = own(of_paper(kept, "hu2020-reflexives")[0], "Table 3")
    cell = cells["Relative clause (Exp. 2a)", "m"]
    assert value(cell) == pytest.approx((0.5 + 1 / 3 + 0) / 3)
    assert cell["n"] == "4"


def test_reflexives_that_the_paper_did_not_count_are_left_out_and_pronouns_missed(
    kept: Kept,
) -> None:
    reflexive(
        kept,
        {"himself 1": (1.0, False, False), "himself 2": (-1.0, False, False)},
        {"himself 2": {"in_paper": "no"}},
    )
    found, result = of_paper(kept, "hu2020-reflexives")
    assert value(own(found, "Table 3")["Relative clause (Exp. 2a)", "m"]) == 1.0
    assert any("herself, themselves" in message for message in result.messages)


def test_syntaxgym_compares_over_the_suites_that_are_here() -> None:
    kept = many(Kept(), people=False)
    found, result = of_paper(kept, "hu2020-syntaxgym")
    theirs = {(r["row"], r["rater"]): r for r in found if r["origin"] == "published"}
    by_suite = [value(theirs[name, "GRNN*"]) for name in NAMES]
    same = theirs["these 5 suites", "GRNN*"]
    assert same["table"] == "Figure 1"
    assert value(same) == pytest.approx(sum(by_suite) / 5)
    suites = own(found, "by suite")
    mine = own(found, "Figure 1")["these 5 suites", "good"]
    assert value(mine) == pytest.approx(sum(value(suites[name, "good"]) for name in NAMES) / 5)
    assert own(found, "Figure 6")["with modifier", "good"]["n"] == "1"
    text = own(found, "Table 4")["own held-out text", "fair"]
    assert value(text) == pytest.approx(100 / LEVELS["fair"])
    assert any("center_embed" in message for message in result.messages)  # is not here
    assert set(NAMES) <= {row["row"] for row in found}


def test_a_suite_that_syntaxgyms_analysis_dropped_is_left_out_and_named(kept: Kept) -> None:
    other = suite("nn-nv-rpl", 2)
    scored(kept, other, margins(other, "m"), "p", "target")
    found, result = of_paper(kept, "hu2020-syntaxgym")
    assert not [row for row in found if row["origin"] == "own"]
    assert any("nn-nv-rpl" in message for message in result.messages)


def test_the_layout_has_the_papers_rows_and_columns_ones_own_first(kept: Kept) -> None:
    made = blimp("passive_1", 2)
    suite_id = kept.suite(made.items, made.name, made.predictions, kind="imported")
    found = of_margins(margins(made, "m"))
    kept.run(suite_id, "x:path/m", found, prediction="full", method="sentence")
    _, result = of_paper(kept, "warstadt2020")
    assert tuple(result.columns)[-6:] == (
        "own: x:m",
        *("5-gram", "LSTM", "Transformer-XL", "GPT-2", "humans"),
    )
    assert len(result.rows) == 13 + 67
    assert [row["row"] for row in result.rows[:2]] == ["overall", "anaphor_agreement"]


def test_half_widths_stand_under_their_row(kept: Kept) -> None:
    reflexive(kept, {"himself 1": (1.0, False, False)})
    rows, columns = (result := of_paper(kept, "hu2020-reflexives")[1]).rows, result.columns
    assert tuple(columns) == (
        "block", "row", "measure", "own: m", "BERT", "TransXL", "JRNN", "GRNN", "TinyLSTM", "RNNG",
        "5-gram",
    )  # fmt: skip
    at = next(n for n, row in enumerate(rows) if row["row"] == "Relative clause (Exp. 2a)")
    assert (rows[at]["measure"], rows[at]["BERT"]) == ("accuracy", 0.70)
    assert (rows[at + 1]["measure"], rows[at + 1]["BERT"]) == ("half-width", 0.067)
