"""The verb humans analyse: from a store to figures, a table, and a script for R."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from colorless_green import analyse, read_judgments
from colorless_green.data import Item
from colorless_green.data.result import Result
from colorless_green.data.seeds import generator
from colorless_green.data.store import Store
from colorless_green.data.tables import read_tsv
from colorless_green.scoring import Outcome, outcomes_frame, save_run
from tests.builders import mistake
from tests.humans import study_material
from tests.humans.report_material import items

pytestmark = pytest.mark.slow  # what they look at is dear to make


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
    """Return the rows of a statistic, those with these cells."""
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
        "original − nonce",
        "ρ of right − wrong with margin",
        "ρ of accuracy with margin",
        "split-half ρ",
        "Spearman–Brown",
        "noise ceiling",
        "ρ of accuracy / ceiling",
        "majority right",
        "Krippendorff's α",
        "pairwise agreement",
        "majority of 3 right, ties half",
        "majority of 5 right, ties half",
        "error consistency with the majority",
        "accuracy by attractors",
        "accuracy by gap",
    ]
    assert not found.messages


def test_constructions_and_gaps_are_hidden_from_people_and_come_last(judged: Store) -> None:
    found = analyse("s", store=judged)
    shown = found.rows[: len(found.rows) - found.n_hidden]
    hidden = found.rows[len(found.rows) - found.n_hidden :]
    assert all(not row["construction"] for row in shown)
    assert "accuracy by gap" not in statistics(shown)
    assert all(row["construction"] or row["statistic"] == "accuracy by gap" for row in hidden)
    assert hidden


def test_of_totals_there_is_no_table_for_r_and_the_reason_is_said(tmp_path: Path) -> None:
    store = store_of(SUITE)
    read_judgments([totals(tmp_path / "t.csv", SUITE)], store=store)
    found = analyse("", store=store)
    assert "split-half ρ" not in statistics(found.rows)
    with mistake("unsupported", "r"):
        analyse("", store=store, r=tmp_path / "r")


def test_of_a_suite_that_nobody_judged_nothing_is_found() -> None:
    found = analyse("", store=store_of(SUITE, MODEL))
    assert (found.rows, found.found) == ([], False)
    (said,) = (message for message in found.messages if message.startswith("s:"))
    assert "colorless humans import" in said


def test_the_table_and_the_folder_for_r_are_written(judged: Store, tmp_path: Path) -> None:
    out, tidy = tmp_path / "analysis.tsv", tmp_path / "for-r"
    found = analyse("", store=judged, r=tidy, out=out)
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
    assert all(answer[f"margin {MODEL}"] for answer in answers)
    assert {answer["condition"] for answer in answers} == {"original", "nonce"}
    assert any("analysis.R" in each for each in found.messages)


def test_people_who_are_all_right_leave_correlations_undefined(
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
    undefined = {row["level"]: row["value"] is None for row in of(found, "Krippendorff's α")}
    assert sorted(undefined.values()) == [False, True]
    assert undefined["correct or wrong"]
    assert "split-half ρ" not in statistics(found.rows)


def test_the_same_judgments_give_the_same_rows(judged: Store) -> None:
    assert analyse("s", store=judged).rows == analyse("s", store=judged).rows
