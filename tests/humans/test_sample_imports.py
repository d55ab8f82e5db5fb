"""One tiny experiment in every format gives one table, less what a format cannot carry."""

import csv
from pathlib import Path
from typing import Any

import pytest

from colorless_green.humans import (
    Imported,
    ImportOptions,
    Rules,
    apply_rules,
    judgment_format,
    read_files,
    read_items,
    table_map,
    tallies,
)
from tests.builders import shared
from tests.humans.trial_records import Judgment, judgments_of

pytestmark = pytest.mark.shared

ALL = (
    *("participant", "position", "item", "source", "construction", "condition", "kind", "prefix"),
    *("option_1", "option_2", "chosen", "chosen_index", "correct_form", "correct", "rt_ms"),
)
ORDER = ("option_1", "option_2", "chosen_index")
COUNTS = {"i1": (2, 3), "i2": (2, 3), "i3": (2, 3), "i4": (1, 2), "f1": (2, 3), "c1": (3, 3)}
SAMPLES = {  # file → (format, what it cannot carry)
    "jspsych8_button.json": ("jspsych", ()),
    "jspsych8_button.csv": ("jspsych", ()),
    "jspsych7_keyboard.json": ("jspsych", ()),
    "jspsych7_keyboard.csv": ("jspsych", ()),
    "jatos_results.zip": ("jatos", ()),
    "jatos_results_data.txt": ("jspsych", ()),
    "pcibex_results.csv": ("pcibex", ()),
    "ibex_results.csv": ("ibex", ORDER),
    "mturk_batch.csv": ("mturk", ("rt_ms", "position")),
    "mturk_multi.csv": ("mturk", ("rt_ms",)),
    "colorless_raw.tab": ("gulordava_raw", ("rt_ms", "position")),
    "generic.csv": ("generic", ()),
}


def sample(name: str) -> Path:
    return shared("published", "humans", "samples", name)


def imported(name: str, format_name: str) -> Imported:
    table = read_items(sample("items.csv"), "it")
    columns = {"generic.csv": table_map(str(sample("generic.map.json")))}
    options = ImportOptions(kinds=table.kinds)
    if name in columns:
        options = ImportOptions(kinds=table.kinds, table=columns[name])
    return read_files([sample(name)], table.items, options, format_name)


def as_expected(judgment: Judgment, lacking: tuple[str, ...]) -> dict[str, str]:
    def cell(value: Any) -> str:
        return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)

    return {name: cell(getattr(judgment, name)) for name in ALL if name not in lacking}


def by_trial(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    return sorted(rows, key=lambda row: (row["participant"], row["item"]))


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_gives_the_expected_table(name: str) -> None:
    format_name, lacking = SAMPLES[name]
    with sample("expected.csv").open(encoding="utf-8", newline="") as stream:
        expected = [
            {column: row[column] for column in ALL if column not in lacking}
            for row in csv.DictReader(stream)
        ]
    found = imported(name, format_name)
    n_missing = 1
    if name == "colorless_raw.tab":  # the paper's table has no row for a missing answer
        expected = [row for row in expected if row["chosen"]]
        n_missing = 0
    rows = by_trial([as_expected(each, lacking) for each in judgments_of(found.trials)])
    assert rows == by_trial(expected)
    summary = found.summary
    assert (summary.n_judgments, summary.n_missing) == (17, n_missing)
    assert (summary.n_participants, summary.n_duplicates) == (3, 0)
    assert (summary.n_items_matched, summary.n_items_unmatched) == (6, 0)


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_gives_the_same_counts(name: str) -> None:
    found = imported(name, SAMPLES[name][0])
    items = {item.item_id: item for item in read_items(sample("items.csv"), "it").items}
    counts: dict[str, list[int]] = {}
    for each in judgments_of(found.trials):
        if each.correct is not None:
            own = counts.setdefault(each.item, [0, 0])
            own[0] += each.correct
            own[1] += 1
    assert {item: tuple(pair) for item, pair in counts.items()} == COUNTS
    counted = tallies(apply_rules(found.trials, Rules()).kept, items)
    assert {each.item: (each.right, each.total) for each in counted} == {
        item: pair for item, pair in COUNTS.items() if item.startswith("i")
    }


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_tells_its_format(name: str) -> None:
    assert judgment_format(sample(name)) == SAMPLES[name][0]


def test_totals_give_the_same_counts() -> None:
    items = read_items(sample("items.csv"), "it").items
    found = read_files([sample("aggregated.csv")], items).tallies
    assert {each.item: (each.right, each.total) for each in found} == COUNTS


def test_totals_are_told_apart_from_people_and_from_published_tables() -> None:
    assert judgment_format(sample("aggregated.csv")) == "generic"
    assert judgment_format(sample("prolific_export.csv")) == "prolific"
    italian = ("data", "colorless", "evaluation_output", "Italian", "best_model_mturk.tab")
    path = shared("published", *italian[1:])
    assert judgment_format(path) == "gulordava"
