"""A component oracle: BLiMP's human data give the figures of its paper (§3.4 and Table 3).

Expected values: the authors' own summary, and figures measured by other code.
"""

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

import polars as pl
import pytest

from colorless_green import read_judgments
from colorless_green.data import Item
from colorless_green.data.store import Store
from colorless_green.humans import (
    Imported,
    ImportOptions,
    Rules,
    Tally,
    apply_rules,
    read_files,
    read_items,
    table_map,
    tallies,
)
from colorless_green.humans.statistics.accuracy_estimates import IntendedAgreement, agreement_of
from tests.builders import shared
from tests.humans.trial_records import judgments_of

pytestmark = pytest.mark.shared

MAP = {
    "columns": {
        "position": "slot",
        "kind": {
            "column": "item",
            "regex": "^attention_check$",
            "values": {"attention_check": "check"},
        },
    }
}
BY_TEXTS = {"correct_form": "sentence_good", "wrong_form": "sentence_bad"}


def blimp(name: str) -> Path:
    return shared("published", "humans", "blimp", name)


def by_item() -> Path:
    return shared("published", "tables", "human_by_item.csv")


Judged: TypeAlias = tuple[Imported, dict[str, Item]]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    table = read_items(blimp("pairs.csv"), "en")
    path = tmp_path_factory.mktemp("map") / "map.json"
    path.write_text(json.dumps(MAP), encoding="utf-8")
    options = ImportOptions(table=table_map(str(path)), kinds=table.kinds)
    found = read_files([blimp("judgments.csv")], table.items, options)
    return found, {item.item_id: item for item in table.items}


def released() -> set[str]:
    with by_item().open(encoding="utf-8", newline="") as stream:
        return {row["uid"] for row in csv.DictReader(stream) if row["released"] == "1"}


def counted(judged: Judged, rules: Rules) -> list[Tally]:
    """Tallies of the 67 published paradigms."""
    imported, items = judged
    kept = apply_rules(imported.trials, rules, imported.sessions).kept
    own = released()
    return [each for each in tallies(kept, items) if each.construction in own]


def found(tallied: list[Tally]) -> IntendedAgreement:
    result = agreement_of(tallied)
    assert result is not None
    return result


def test_single_judgments_give_the_papers_agreement(judged: Judged) -> None:
    result = found(counted(judged, Rules()))
    assert (result.n_judgments, result.n_items, result.n_constructions) == (6676, 335, 67)
    shares = (result.by_item, result.by_construction, result.pooled, result.majority)
    assert [f"{100 * share:.3f}" for share in shares] == ["88.558", "88.564", "88.571", "96.418"]
    assert (result.n_right, result.n_ties, result.n_passed) == (323, 5, 67)


def test_those_who_judged_the_published_paradigms_are_342(
    judged: Judged,
) -> None:
    imported, items = judged
    own = {item.item_id for item in items.values() if item.facts["construction"] in released()}
    kept = apply_rules(imported.trials, Rules(), imported.sessions).kept
    about = kept.filter(pl.col("item").is_in(list(own))).drop_nulls("correct")
    assert about["participant"].n_unique() == 342


def test_the_filter_of_rejected_tasks_matters(judged: Judged) -> None:
    result = found(counted(judged, Rules(statuses=())))
    assert f"{100 * result.pooled:.2f}" == "88.43"


def test_rejected_tasks_are_told_with_their_trials(judged: Judged) -> None:
    imported, _ = judged
    gone = apply_rules(imported.trials, Rules(), imported.sessions).gone
    assert {(each.level, each.rule, each.value) for each in gone} == {
        ("session", "status", "REJECTED")
    }
    assert (len(gone), sum(each.n_trials for each in gone)) == (10, 50)


def test_every_paradigm_is_as_in_the_authors_summary(judged: Judged) -> None:
    own: dict[str, list[Tally]] = {}
    imported, items = judged
    kept = apply_rules(imported.trials, Rules(), imported.sessions).kept
    for each in tallies(kept, items):
        own.setdefault(each.construction, []).append(each)
    with blimp("summary.csv").open(encoding="utf-8", newline="") as stream:
        summary = list(csv.DictReader(stream))
    assert len(summary) == 69
    for row in summary:
        result = found(own[row["Condition"]])
        assert result.n_right == int(row["accepted"])
        assert result.by_item == pytest.approx(float(row["total_mean"]), abs=0.0012)
        assert abs(result.n_judgments - int(row["count"])) <= 1


def test_checks_without_texts_are_judged_by_their_places(
    judged: Judged,
) -> None:
    imported, _ = judged
    checks = [each.correct for each in judgments_of(imported.trials) if each.kind == "check"]
    right = sum(each or 0 for each in checks) / len(checks)
    assert (len(checks), f"{100 * right:.2f}") == (1744, "99.48")


@pytest.mark.parametrize(
    ("where", "n_items", "majority", "individual"),
    [({"released": "1"}, 335, "96.42", "88.64"), ({}, 348, "94.54", "87.48")],
)
def test_aggregated_judgments_give_the_same_majority(
    tmp_path: Path, where: Mapping[str, str], n_items: int, majority: str, individual: str
) -> None:
    path = tmp_path / "map.json"
    about = {"columns": BY_TEXTS, "where": where, "language": "en"}
    path.write_text(json.dumps(about), encoding="utf-8")
    with Store(tmp_path / "colorless.db") as store:
        result = read_judgments(by_item(), items=by_item(), map=str(path), store=store)
        rows = list(store.rows("SELECT record FROM tally"))
    row = result.rows[0]
    assert (row["items"], row["other_rows"]) == (n_items, 348 - n_items)
    agreed = found([Tally(**json.loads(each["record"])) for each in rows])
    assert (f"{100 * agreed.majority:.2f}", f"{100 * agreed.by_item:.2f}") == (majority, individual)
    assert any(f"{agreed.majority:.2%}" in message for message in result.messages)
    assert not (tmp_path / "colorless.key").exists()  # nobody to hide in totals


def test_ties_can_count_half(judged: Judged) -> None:
    result = found(counted(judged, Rules()))
    assert result.majority_with_half_ties == pytest.approx((323 + 2.5) / 335)
