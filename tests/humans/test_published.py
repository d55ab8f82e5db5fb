"""A component oracle: published figures are whole, agree, and stand beside one's own."""

from statistics import mean, stdev

import pytest

from colorless_green.data.published import rows as figures
from colorless_green.humans.papers.gulordava2018 import published_comparison
from tests.builders import mistake
from tests.humans.report_material import agreement_item, items, outcomes, tallies

NAME = "gulordava2018"


def test_the_tables_hold_every_cell_of_the_paper_once_a_table() -> None:
    """Gulordava et al. 2018: Table 1 has 4 languages × 4 models × 2 conditions, Table 2 7 pairs of
    language and construction × 2, Table 3 9 rows × 2 raters × 2 conditions."""
    rows = list(figures(NAME))
    tables = [row["source"].rpartition(", ")[2] for row in rows]
    assert [tables.count(f"Table {n}") for n in (1, 2, 3)] == [32, 14, 36]
    assert {row["language"] for row in rows} == {"it", "en", "he", "ru"}
    assert all(0.4 < row["accuracy"] <= 1 for row in rows)
    by_cell = {
        (r["language"], r["model"], r["condition"], r["construction"]): r["accuracy"] for r in rows
    }
    assert by_cell["it", "humans", "original", "all"] == 0.945
    assert by_cell["it", "humans", "nonce", "all"] == 0.884
    assert by_cell["en", "LSTM", "nonce", "all"] == 0.741


def test_cells_that_stand_in_two_tables_agree() -> None:
    seen: dict[tuple[str, str, str, str], tuple[float, float | None]] = {}
    for row in figures(NAME):
        key = (row["language"], row["model"], row["condition"], row["construction"])
        assert seen.setdefault(key, (row["accuracy"], row["sd"])) == (row["accuracy"], row["sd"])


@pytest.mark.parametrize("language", ["it", "en", "he", "ru"])
@pytest.mark.parametrize("model", ["LSTM", "5-gram LSTM"])
def test_the_five_models_of_the_supplement_have_the_mean_and_spread_of_table_1(
    language: str, model: str
) -> None:
    """Mean and sample standard deviation; both are printed with one digit after the point."""
    five = [
        row
        for row in figures(f"{NAME}_models")
        if (row["language"], row["model"]) == (language, model)
    ]
    assert len(five) == 5
    for condition in ("original", "nonce"):
        values = [row[f"accuracy_{condition}"] for row in five]
        (cell,) = [
            row
            for row in figures(NAME)
            if (row["language"], row["model"], row["condition"], row["construction"])
            == (language, model, condition, "all")
            and row["source"].endswith("Table 1")
        ]
        assert mean(values) == pytest.approx(cell["accuracy"], abs=0.0011)
        assert stdev(values) == pytest.approx(cell["sd"], abs=0.0011)


def test_own_accuracies_stand_in_the_published_cells() -> None:
    suite = items(n_originals=3, n_variants=2)
    rows = list(published_comparison(suite, tallies(suite), outcomes(suite)))
    assert {row.block for row in rows} == {"en"}
    own = [row for row in rows if row.origin == "own"]
    assert list(dict.fromkeys(row.row for row in own)) == [
        "all, original",
        "all, nonce",
        "NOUN VERB VERB, original",
        "VERB NOUN CCONJ VERB, original",
        "NOUN VERB VERB, nonce",
        "VERB NOUN CCONJ VERB, nonce",
    ]
    assert {row.n for row in own if row.row.startswith("NOUN VERB VERB")} <= {2, 3, 5, 6}
    theirs = [row for row in rows if row.origin == "published"]
    assert len(theirs) == 12
    assert all(row.source.startswith("Gulordava et al. 2018, Table") for row in theirs)


def test_both_directions_of_a_label_are_one_cell() -> None:
    suite = [
        agreement_item("a b c d e", 0, 4, "x", construction=f"{side}__NOUN_VERB_VERB", number=n)
        for n, side in enumerate("LR")
    ]
    credits = {item.item_id: (float(n), n - 0.5) for n, item in enumerate(suite)}
    rows = list(published_comparison(suite, (), {"m": credits}))
    (cell,) = [row for row in rows if row.rater == "m" and row.row == "NOUN VERB VERB, original"]
    assert (cell.n, cell.value) == (2, 0.5)


def test_a_tie_counts_as_wrong_beside_the_papers_figures() -> None:
    item = agreement_item("a b c d e", 0, 4, "x")
    rows = list(published_comparison([item], (), {"m": {item.item_id: (0.5, 0.0)}}))
    assert {row.value for row in rows if row.rater == "m"} == {0.0}


def test_a_language_without_figures_is_refused() -> None:
    french = agreement_item("a b c d e", 0, 4, "x", language="fr")
    with mistake("unsupported", "published"):
        list(published_comparison([french], (), {}))
