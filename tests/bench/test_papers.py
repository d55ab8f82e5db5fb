"""The figures of papers, computed again from what their authors released."""

import csv
from collections.abc import Iterator, Mapping

import polars as pl
import pytest

from bench.papers import (
    REFLEXIVE_LABELS,
    agreement,
    perplexities,
    reflexives,
    syntaxgym,
)
from colorless_green.data.tables import Row
from tests.builders import shared


def table(name: str) -> Iterator[dict[str, str]]:
    with open(shared("published", "tables", name), encoding="utf-8") as file:
        yield from csv.DictReader(file)


def number(row: Row, name: str) -> float:
    value = row[name]
    assert isinstance(value, float | int)
    return float(value)


@pytest.fixture(scope="module")
def gym() -> Mapping[tuple[object, ...], float]:
    """(figure, model, corpus, name) → accuracy."""
    rows = syntaxgym(shared("published", "syntaxgym", "sg_results")).rows(named=True)
    return {
        tuple(row[name] for name in ("figure", "model", "corpus", "name")): number(row, "accuracy")
        for row in rows
    }


@pytest.mark.shared
def test_syntaxgym_scores_of_every_suite_and_model_come_out_again(
    gym: Mapping[tuple[object, ...], float],
) -> None:
    for row in table("syntaxgym_suite_scores.csv"):
        suite = row.pop("suite")
        for model, value in row.items():
            assert gym["suite", model, "", suite] == pytest.approx(float(value), abs=6e-7)


@pytest.mark.shared
def test_sg_scores_come_out_again_by_model_and_by_corpus(
    gym: Mapping[tuple[object, ...], float],
) -> None:
    """Over the 22 of the 31 suites that are at hand."""
    for row in table("syntaxgym_figure1.csv"):
        value = float(row["sg_seen22"])
        assert gym["score", row["label"], "", ""] == pytest.approx(value, abs=6e-7)
    for row in table("syntaxgym_model_scores.csv"):
        value = float(row["sg_seen22"])
        assert gym["corpus", row["label"], row["corpus"], ""] == pytest.approx(value, abs=6e-7)


@pytest.mark.shared
def test_perplexities_come_out_again_to_the_digits_of_table_4() -> None:
    rows = perplexities(shared("published", "syntaxgym", "perplexity.csv")).rows(named=True)
    found = {(row["model"], row["corpus"]): number(row, "perplexity") for row in rows}
    printed = {
        (row["model"], f"bllip-{size.lower()}"): value
        for row in table("syntaxgym_perplexity_table4.csv")
        for size, value in row.items()
        if size != "model"
    }
    assert {key: f"{value:.2f}" for key, value in found.items()} == printed


@pytest.fixture(scope="module")
def reflexive_rows() -> list[Row]:
    return list(reflexives(shared("published", "reflexives")).iter_rows(named=True))


@pytest.mark.shared
def test_table_3_comes_out_again_to_four_digits(reflexive_rows: list[Row]) -> None:
    """On the paper's 60 or 70 items, and on all."""
    found = {
        (row["experiment"], row["model"], row["items"]): number(row, "accuracy")
        for row in reflexive_rows
        if not row["pronoun"]
    }
    n_cells = 0
    for row in table("reflexive_table.csv"):
        experiment = row["repository_experiment"]
        if experiment:
            for items in ("paper", "all"):
                value = found[experiment, row["model"], items]
                assert f"{value:.4f}" == row[f"accuracy_recomputed_{items}_items"]
                n_cells += 1
            if row["model"] != "5-gram":  # whose ties the authors drew at random
                assert f"{found[experiment, row['model'], 'paper']:.2f}" == row["accuracy_paper"]
    assert n_cells == 62


@pytest.mark.shared
def test_the_authors_own_accuracies_are_ours_but_for_ties_drawn_at_random(
    reflexive_rows: list[Row],
) -> None:
    """78 of 93 rows; the other 15 are the 5-gram model's."""
    ours = {
        (row["experiment"], row["model"], row["pronoun"]): row
        for row in reflexive_rows
        if row["items"] == "all"
    }
    differing = []
    for file in sorted(shared("published", "reflexives", "accuracy").glob("*.csv")):
        for row in pl.read_csv(file).rows(named=True):
            model = REFLEXIVE_LABELS.get(row["model"], row["model"])
            own = ours[row["exp"], model, row["pronoun"]]
            for name in ("baseline", "distractor"):
                theirs = number(row, f"vs_{name}_acc")
                assert number(own, f"over_{name}") == pytest.approx(theirs, abs=1e-9)
            if number(own, "accuracy") != pytest.approx(number(row, "total_acc"), abs=1e-9):
                differing.append(model)
    assert differing == ["5-gram"] * 15


@pytest.mark.shared
@pytest.mark.parametrize(
    ("language", "file", "model"),
    [
        ("English", "best_model.tab", "hidden650_batch128_dropout0.2_lr20.0"),
        ("Italian", "best_model.tab", "hidden650_batch64_dropout0.2_lr20.0"),
        ("Italian", "best_model_mturk.tab", "hidden650_batch64_dropout0.2_lr10.0"),
    ],
)
def test_a_published_models_accuracies_come_out_again(language: str, file: str, model: str) -> None:
    """Gulordava et al. 2018, SM Table 1, one of its five best models by settings."""
    path = shared("published", "colorless", "evaluation_output", language, file)
    found = {
        row["kind"]: f"{100 * number(row, 'accuracy'):.1f}"
        for row in agreement(path).rows(named=True)
        if row["rater"] == model and not row["construction"]
    }
    batch, rate = model.split("_")[1].removeprefix("batch"), model.split("_lr")[1]
    (theirs,) = (
        row
        for row in table("gulordava_top5.csv")
        if row["language"] == language
        and (row["batch_size"], row["learning_rate"], row["hidden_units"]) == (batch, rate, "650")
        and row["dropout"] == "0.2"
    )
    assert found == {
        "": theirs["accuracy_total"],
        "original": theirs["accuracy_original"],
        "nonce": theirs["accuracy_nonce"],
    }


@pytest.mark.shared
def test_unigram_and_human_cells_of_the_papers_tables_come_out_again() -> None:
    """Gulordava et al. 2018, Tables 1 and 3."""
    path = shared("published", "colorless", "evaluation_output", "Italian", "best_model_mturk.tab")
    found: dict[tuple[object, object, str], set[str]] = {}
    for row in agreement(path).rows(named=True):
        name = str(row["construction"]).partition("__")[2].replace("_", " ") or "all"
        value = f"{100 * number(row, 'accuracy'):.1f}"
        found.setdefault((row["rater"], row["kind"], name), set()).add(value)
    n_cells = 0
    for row in table("gulordava_tables.csv"):
        if row["language"] == "Italian" and row["model"] in ("unigram", "humans"):
            printed = f"{float(row['accuracy']):.1f}"
            assert found[row["model"], row["condition"], row["construction"]] == {printed}
            n_cells += 1
    assert n_cells == 20
