"""The verb humans analyse: from a store to figures, a mixed model, a table and a script."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from colorless_green.data.errors import InputError
from colorless_green.data.seeds import generator
from colorless_green.data.store import MEMORY, Store
from colorless_green.data.tables import read_tsv
from colorless_green.humans import analysing
from colorless_green.humans.analysing import analyse
from colorless_green.humans.importing import Request, import_judgments
from colorless_green.humans.measures.measure import COLUMNS
from colorless_green.humans.rows import save_published_run
from colorless_green.nonce.item import Item
from colorless_green.nonce.rows import save_suite
from colorless_green.nonce.suite import Suite
from colorless_green.scoring.outcome import Outcome
from tests.humans.report_material import items

pytest.importorskip("glmm")


def storable(item: Item) -> Item:
    """With features that a store takes."""
    assert item.agreement is not None
    feats = ("_",) * len(item.agreement.tokens)
    return replace(item, agreement=replace(item.agreement, target_feats="_", feats=feats))


SUITE = tuple(map(storable, items(n_originals=4, n_variants=1)))
N_PEOPLE = 12
MODEL = "ngram:toy"


def answered(path: Path, suite: Sequence[Item], n_people: int = N_PEOPLE) -> Path:
    """Everybody answers everything, nonce variants and attractors less well."""
    with open(path, "w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("participant", "item", "chosen"))
        for item in suite:
            assert item.agreement is not None
            rng = generator(1, item.item_id)
            easy = 0.9 - 0.2 * (item.kind == "nonce") - 0.1 * len(item.agreement.attractors)
            for person in range(n_people):
                right = rng.random() < easy - 0.02 * person
                form = item.agreement.right if right else item.agreement.wrong
                writer.writerow((f"p{person}", item.item_id, form))
    return path


def totals(path: Path, suite: Sequence[Item]) -> Path:
    with open(path, "w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("item", "right", "total"))
        writer.writerows((item.item_id, 6 + k % 4, 10) for k, item in enumerate(suite))
    return path


def store_of(suite: Sequence[Item], *models: str) -> Store:
    store = Store(MEMORY)
    with store.transaction():
        suite_id = save_suite(
            store, Suite("s", tuple(suite), ()), "nonce", treebank_id=None, now=""
        )
        for model in models:
            save_published_run(
                store,
                model=model,
                signature=model,
                suite_id=suite_id,
                outcomes=[_outcome(model, item) for item in suite],
                now="",
            )
    return store


def _outcome(model: str, item: Item) -> Outcome:
    margin = 4 * generator(2, model + item.item_id).random() - 1
    return Outcome(item.item_id, "agreement", float(margin > 0), margin, False, False)


@pytest.fixture
def judged(tmp_path: Path) -> Store:
    store = store_of(SUITE, MODEL)
    import_judgments([answered(tmp_path / "a.csv", SUITE)], store, Request(), now="")
    return store


def statistics(rows: Sequence[Mapping[str, object]]) -> list[object]:
    return list(dict.fromkeys(row["statistic"] for row in rows))


def test_everything_is_told_of_single_judgments(judged: Store) -> None:
    found = analyse("s", judged)
    assert found.found
    assert statistics(found.rows) == [
        "accuracy over items",
        "accuracy pooled",
        "accuracy over constructions",
        "human − model",
        "ρ of right − wrong with margin",
        "ρ of accuracy with margin",
        "split-half ρ",
        "Spearman–Brown",
        "noise ceiling",
        "ρ of accuracy / ceiling",
        "majority right",
        "Krippendorff's α",
        "Fleiss' κ, generalised",
        "pairwise agreement",
        "accuracy by attractors",
        "coefficient",
        "χ² of a variable",
        "standard deviation",
        "log-likelihood",
        "accuracy by gap",
    ]
    notes = {str(row["note"]) for row in found.rows if row["statistic"] == "split-half ρ"}
    assert notes == {"people split", "each item's answers split, as if people were alike"}
    assert any("sources and people" in str(row["note"]) for row in found.rows)
    assert found.messages[0].startswith(
        "mixed model: correct ~ condition + attractors + condition:attractors"
        " + (1 | participant) + (1 | source) + (1 | item)"
    )


def test_constructions_and_gaps_are_hidden_from_people_and_come_last(judged: Store) -> None:
    found = analyse("s", judged)
    shown = found.rows[: len(found.rows) - found.n_hidden]
    hidden = found.rows[len(found.rows) - found.n_hidden :]
    assert all(not row["construction"] for row in shown)
    assert "accuracy by gap" not in statistics(shown)
    assert all(row["construction"] or row["statistic"] == "accuracy by gap" for row in hidden)
    assert hidden


def test_the_same_judgments_give_the_same_rows(judged: Store) -> None:
    assert analyse("s", judged).rows == analyse("s", judged).rows


def test_of_totals_there_is_no_model_and_the_reason_is_said(tmp_path: Path) -> None:
    store = store_of(SUITE)
    import_judgments([totals(tmp_path / "t.csv", SUITE)], store, Request(), now="")
    found = analyse("", store)
    assert "coefficient" not in statistics(found.rows)
    assert "human − model" not in statistics(found.rows)
    notes = {str(row["note"]) for row in found.rows if row["statistic"] == "split-half ρ"}
    assert notes == {"each item's answers split, as if people were alike"}
    assert found.messages == ["only totals are known: no mixed model, people cannot be told apart"]
    with pytest.raises(InputError) as caught:
        analyse("", store, tidy=tmp_path / "tidy")
    assert str(caught.value) == (
        "--tidy: s has totals only; single judgments, imported with who gave them"
    )


def test_of_a_suite_that_nobody_judged_nothing_is_found() -> None:
    found = analyse("", store_of(SUITE, MODEL))
    assert (found.rows, found.found) == ([], False)
    assert found.messages == ["s: nobody has judged it yet; colorless humans import"]


def test_people_who_are_all_right_leave_correlations_undefined_and_no_model(
    tmp_path: Path,
) -> None:
    store = store_of(SUITE, MODEL)
    path = tmp_path / "t.csv"
    with open(path, "w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("participant", "item", "chosen"))
        for item in SUITE:
            assert item.agreement is not None
            writer.writerows((f"p{p}", item.item_id, item.agreement.right) for p in range(4))
    import_judgments([path], store, Request(), now="")
    found = analyse("", store)
    for row in found.rows:
        if str(row["statistic"]).startswith("ρ of"):
            assert (row["value"], row["note"]) == (None, "no variation")
        if row["statistic"] in ("Krippendorff's α", "Fleiss' κ, generalised"):
            assert (row["value"] is None) == (row["level"] == "correct or wrong")
    assert "split-half ρ" not in statistics(found.rows)
    assert found.messages == ["no mixed model: all answers are right; right answers and wrong ones"]
    with pytest.raises(InputError, match="all answers are right"):
        analyse("", store, formula="attractors + (1 | participant)", prior="weak")


def test_where_all_originals_are_right_a_prior_gives_a_model_and_is_named(tmp_path: Path) -> None:
    store = store_of(SUITE)
    path = answered(tmp_path / "a.csv", SUITE)
    right = {item.item_id: item for item in SUITE if item.kind == "original"}
    with open(path, encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    with open(path, "w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        for row in rows:
            item = right.get(row["item"])
            assert item is None or item.agreement is not None
            form = item.agreement.right if item and item.agreement else row["chosen"]
            writer.writerow({**row, "chosen": form})
    import_judgments([path], store, Request(), now="")
    formula = "condition + (1 | participant) + (1 | source)"
    with pytest.raises(InputError, match="--prior weak, a normal prior"):
        analyse("", store, formula=formula)
    found = analyse("", store, formula=formula, prior="weak")
    (nonce,) = [row for row in found.rows if row["level"] == "condition[nonce]"]
    assert isinstance(nonce["value"], float)
    assert -7.5 < nonce["value"] < 0
    assert any(each.startswith("under a normal prior (SD 2.5") for each in found.messages)
    tests = [row["note"] for row in found.rows if row["statistic"] == "χ² of a variable"]
    assert tests == ["Wald, 1 df"]


def test_a_models_margin_can_stand_in_the_formula(tmp_path: Path) -> None:
    store = store_of(SUITE, MODEL, "causal:toy")
    import_judgments([answered(tmp_path / "a.csv", SUITE)], store, Request(), now="")
    formula = "margin + (1 | participant) + (1 | source)"
    found = analyse("", store, formula=formula, model=MODEL)
    levels = [row["level"] for row in found.rows if row["statistic"] == "coefficient"]
    assert levels == ["(Intercept)", "margin"]
    with pytest.raises(InputError) as caught:
        analyse("", store, formula=formula)
    assert str(caught.value) == (
        "--model: the formula has margin, and there are 2 models; "
        "the name of one, as compare shows it"
    )
    with pytest.raises(InputError) as caught:
        analyse("", store, formula=formula, model="x")
    assert str(caught.value) == (f"--model: no model 'x' on this suite; one of {MODEL}, causal:toy")


def test_an_unknown_coding_is_refused(judged: Store) -> None:
    with pytest.raises(InputError) as caught:
        analyse("", judged, coding="helmert")
    assert str(caught.value) == ("--coding: no such coding 'helmert'; one of treatment, sum")


def test_without_the_package_all_but_the_model_is_told(
    judged: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("colorless_green.humans.mixed.find_spec", lambda name: None)
    found = analyse("", judged)
    assert "split-half ρ" in statistics(found.rows)
    assert found.messages == [
        "no mixed model: a mixed model needs the package 'glmm', which is not installed; "
        "pip install 'colorless-green[humans]'"
    ]


def test_the_table_and_the_folder_for_r_are_written(judged: Store, tmp_path: Path) -> None:
    out, tidy = tmp_path / "analysis.tsv", tmp_path / "tidy"
    found = analyse("", judged, tidy=tidy, out=out)
    rows = list(read_tsv(out))
    assert tuple(rows[0]) == COLUMNS
    assert len(rows) == len(found.rows)
    assert sorted(each.name for each in tidy.iterdir()) == [
        "analysis.R",
        "manifest.json",
        "tidy.csv",
    ]
    with open(tidy / "tidy.csv", encoding="utf-8", newline="") as stream:
        answers = list(csv.DictReader(stream))
    assert len(answers) == len(SUITE) * N_PEOPLE
    assert all(answer["margin"] for answer in answers)


def test_of_very_many_answers_the_default_model_has_no_spread_of_items_and_says_so(
    judged: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = analyse("", judged)
    monkeypatch.setattr(analysing, "MANY_ANSWERS", 100)
    monkeypatch.setattr(analysing, "MANY_ITEMS", 10)
    after = analyse("", judged)
    spreads = [
        {str(row["level"]) for row in each.rows if row["statistic"] == "standard deviation"}
        for each in (before, after)
    ]
    assert spreads[0] - spreads[1] == {"item: (Intercept)"}
    assert any("--formula adds it" in each for each in after.messages)
    assert not any("--formula adds it" in each for each in before.messages)
