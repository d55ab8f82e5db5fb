"""The verb humans analyse: from a store to figures, a mixed model, a table and a script."""

import csv
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from colorless_green.data.result import Result
from colorless_green.data.seeds import generator
from colorless_green.data.store import Store
from colorless_green.data.tables import read_tsv
from colorless_green.humans import analyse, read_judgments
from colorless_green.nonce import Item
from colorless_green.scoring import Outcome, outcomes_frame, save_run
from tests.builders import mistake
from tests.humans import study_material
from tests.humans.report_material import items
from tests.humans.study_material import numbers

pytestmark = pytest.mark.slow  # what they look at is dear to make

pytest.importorskip("glmm")


def storable(item: Item) -> Item:
    """With features that a store takes."""
    assert item.agreement is not None
    feats = ("_",) * len(item.agreement.tokens)
    return replace(item, agreement=replace(item.agreement, target_feats="_", feats=feats))


SUITE = tuple(map(storable, items(n_originals=4, n_variants=1)))
N_PEOPLE = 12
MODEL = "ngram:toy"


def answered(path: Path, suite: Sequence[Item], n_people: int = N_PEOPLE, **sure: float) -> Path:
    """Everybody answers everything, nonce variants and attractors less well; `sure` has the chance
    of a right answer to a kind of item, where it is not that."""
    with open(path, "w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("participant", "item", "chosen"))
        for item in suite:
            assert item.agreement is not None
            rng = generator(1, item.item_id)
            easy = 0.9 - 0.2 * (item.kind == "nonce") - 0.1 * len(item.agreement.attractors)
            for person in range(n_people):
                right = rng.random() < sure.get(item.kind, easy - 0.02 * person)
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
    store = study_material.store_of(s=suite)
    about = {"spec": "", "group": "", "device": "", "about": "{}"}
    with store.transaction():
        for model in models:
            save_run(
                store,
                model_id=store.insert("model", {"signature": model, "name": model, **about}),
                suite_id=1,
                method="target",
                options={"oov": "keep", "ties": "share"},
                exposed=None,
                outcomes=outcomes_frame(_outcome(model, item) for item in suite),
                now="",
            )
    return store


def _outcome(model: str, item: Item) -> Outcome:
    margin = 4 * generator(2, model + item.item_id).random() - 1
    return Outcome(item.item_id, "agreement", float(margin > 0), margin, False, False)


@pytest.fixture
def judged(tmp_path: Path) -> Store:
    store = store_of(SUITE, MODEL)
    read_judgments([answered(tmp_path / "a.csv", SUITE)], store=store)
    return store


def statistics(rows: Sequence[Mapping[str, object]]) -> list[object]:
    return list(dict.fromkeys(row["statistic"] for row in rows))


def of(found: Result, statistic: str, **where: object) -> list[dict[str, Any]]:
    """The rows of a statistic, those with these cells."""
    return [
        dict(row)
        for row in found.rows
        if row["statistic"] == statistic and all(row[name] == each for name, each in where.items())
    ]


def test_everything_is_told_of_single_judgments(judged: Store) -> None:
    found = analyse("s", store=judged)
    assert found.found
    assert statistics(found.rows) == [
        "accuracy over items",
        "accuracy pooled",
        "accuracy over constructions",
        "human − model",
        "original − nonce",
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
    assert len({row["note"] for row in of(found, "split-half ρ")}) == 2  # people, or counts, split
    formula = "condition + attractors + condition:attractors"
    brackets = "(1 | participant) + (1 | source) + (1 | item)"
    assert f"correct ~ {formula} + {brackets}" in found.messages[0]


@pytest.mark.parametrize("kind", ["", "original", "nonce"])
def test_beside_the_interval_over_sources_is_a_wider_one_over_people_too(
    judged: Store, kind: str
) -> None:
    where = {"kind": kind, "rater": "humans", "construction": ""}
    both, one = of(analyse("s", store=judged), "accuracy over items", **where)
    assert one["value"] == both["value"]
    assert one["note"] != both["note"]
    assert both["low"] < one["low"] < one["high"] < both["high"]


def test_constructions_and_gaps_are_hidden_from_people_and_come_last(judged: Store) -> None:
    found = analyse("s", store=judged)
    shown = found.rows[: len(found.rows) - found.n_hidden]
    hidden = found.rows[len(found.rows) - found.n_hidden :]
    assert all(not row["construction"] for row in shown)
    assert "accuracy by gap" not in statistics(shown)
    assert all(row["construction"] or row["statistic"] == "accuracy by gap" for row in hidden)
    assert hidden


def test_the_same_judgments_give_the_same_rows(judged: Store) -> None:
    assert analyse("s", store=judged).rows == analyse("s", store=judged).rows


def test_of_totals_there_is_no_model_and_the_reason_is_said(tmp_path: Path) -> None:
    store = store_of(SUITE)
    read_judgments([totals(tmp_path / "t.csv", SUITE)], store=store)
    found = analyse("", store=store)
    assert "coefficient" not in statistics(found.rows)
    assert "human − model" not in statistics(found.rows)
    assert len({row["note"] for row in of(found, "split-half ρ")}) == 1  # counts alone are split
    assert len(found.messages) == 1  # that people cannot be told apart
    with mistake("unsupported", "--tidy"):
        analyse("", store=store, tidy=tmp_path / "tidy")


def test_of_a_suite_that_nobody_judged_nothing_is_found() -> None:
    found = analyse("", store=store_of(SUITE, MODEL))
    assert (found.rows, found.found) == ([], False)
    (said,) = found.messages
    assert said.startswith("s:")
    assert "colorless humans import" in said


def test_people_who_are_all_right_leave_correlations_undefined_and_no_model(
    tmp_path: Path,
) -> None:
    store = store_of(SUITE, MODEL)
    path = answered(tmp_path / "t.csv", SUITE, 4, original=1.0, nonce=1.0)
    read_judgments([path], store=store)
    found = analyse("", store=store)
    for row in found.rows:
        if str(row["statistic"]).startswith("ρ of"):
            assert row["value"] is None
            assert row["note"]  # why
    for statistic in ("Krippendorff's α", "Fleiss' κ, generalised"):
        undefined = {row["level"]: row["value"] is None for row in of(found, statistic)}
        assert sorted(undefined.values()) == [False, True]
        assert undefined["correct or wrong"]
    assert "split-half ρ" not in statistics(found.rows)
    assert "coefficient" not in statistics(found.rows)
    assert len(found.messages) == 1  # that there is no model
    formula = "attractors + (1 | participant)"
    with mistake("unsupported", f"--formula 'correct ~ {formula}'"):
        analyse("", store=store, formula=formula, prior="weak")


def test_where_all_originals_are_right_a_prior_gives_a_model_and_is_named(tmp_path: Path) -> None:
    store = store_of(SUITE)
    path = answered(tmp_path / "a.csv", SUITE, original=1.0)
    read_judgments([path], store=store)
    formula = "condition + (1 | participant) + (1 | source)"
    with mistake("unsupported", f"--formula 'correct ~ {formula}'"):
        analyse("", store=store, formula=formula)
    found = analyse("", store=store, formula=formula, prior="weak")
    (nonce,) = of(found, "coefficient", level="condition[nonce]")
    assert -7.5 < nonce["value"] < 0
    assert any("2.5" in numbers(each) for each in found.messages)  # the SD of the prior
    (test,) = of(found, "χ² of a variable")
    assert test["note"].startswith("Wald")


def test_a_models_margin_can_stand_in_the_formula(tmp_path: Path) -> None:
    store = store_of(SUITE, MODEL, "causal:toy")
    read_judgments([answered(tmp_path / "a.csv", SUITE)], store=store)
    formula = "margin + (1 | participant) + (1 | source)"
    found = analyse("", store=store, formula=formula, model=MODEL)
    assert [row["level"] for row in of(found, "coefficient")] == ["(Intercept)", "margin"]
    with mistake("missing", "--model"):
        analyse("", store=store, formula=formula)
    with mistake("unknown", "--model"):
        analyse("", store=store, formula=formula, model="x")


def test_an_unknown_coding_is_refused(judged: Store) -> None:
    with mistake("unknown", "--coding"):
        analyse("", store=judged, coding="helmert")


@pytest.mark.parametrize("prior", ["strong", "0", "-1", "inf", "nan", ""])
def test_a_prior_that_is_none_is_refused(judged: Store, prior: str) -> None:
    with mistake("value", "--prior"):
        analyse("", store=judged, prior=prior)


def test_without_the_package_all_but_the_model_is_told(
    judged: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = statistics(analyse("", store=judged).rows)
    monkeypatch.setitem(sys.modules, "glmm", None)  # as if it were not installed
    found = analyse("", store=judged)
    of_the_model = ["coefficient", "χ² of a variable", "standard deviation", "log-likelihood"]
    assert statistics(found.rows) == [each for each in whole if each not in of_the_model]
    (said,) = found.messages
    assert "glmm" in said.lower()
    assert "colorless-green[humans]" in said.lower()


def test_the_table_and_the_folder_for_r_are_written(judged: Store, tmp_path: Path) -> None:
    out, tidy = tmp_path / "analysis.tsv", tmp_path / "tidy"
    found = analyse("", store=judged, tidy=tidy, out=out)
    rows = list(read_tsv(out))
    assert {*rows[0]} == {*found.rows[0]}
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
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More than 20,000, which take a minute; here a tenth of them."""
    module: Any = sys.modules[analyse.__module__]
    assert module.MANY_ANSWERS == 20_000
    monkeypatch.setattr(module, "MANY_ANSWERS", 2_000)
    told = []
    for n_originals, n_people in ((26, 40), (26, 6)):
        suite = tuple(map(storable, items(n_originals=n_originals, n_variants=1)))
        store = store_of(suite)
        path = answered(tmp_path / f"{n_people}.csv", suite, n_people)
        read_judgments([path], store=store)
        found = analyse("", store=store)
        levels = {row["level"] for row in of(found, "standard deviation")}
        told.append((levels, any("2,000" in each for each in found.messages)))
    (few, said), (many, unsaid) = told
    assert many - few == {"item: (Intercept)"}
    assert (said, unsaid) == (True, False)
