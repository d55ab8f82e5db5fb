"""The task folder: what the real harness makes of it, and what it says to a reader."""

import json
import math
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from colorless_green.data import write_suite
from tests.nonce.format_material import TEXTS, rare_suite, refuses


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    write_suite(rare_suite(), tmp_path / "tasks", "harness")
    return tmp_path / "tasks"


def rows(folder: Path, part: str) -> list[dict[str, Any]]:
    files = sorted(folder.glob(f"{part}_*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]


def test_right_and_wrong_take_turns_in_coming_first(tasks: Path) -> None:
    found = rows(tasks, "sentences")
    counts = Counter(row["gold"] for row in found)
    assert abs(counts[0] - counts[1]) <= 2  # one a construction
    by_id = {item.item_id: item for item in rare_suite().items}
    for row in found:
        right = by_id[row["item_id"]].conditions["right"][0]
        assert row["choices"][row["gold"]] == "".join(region.text for region in right)


def test_pairs_with_two_prefixes_are_asked_for_as_sentences_alone(tasks: Path) -> None:
    assert len(rows(tasks, "sentences")) == len(TEXTS) + 1
    assert len(rows(tasks, "prefixes")) == len(TEXTS)


def test_no_file_knows_where_the_folder_is(tasks: Path) -> None:
    for file in tasks.iterdir():
        assert str(tasks.parent) not in file.read_text("utf-8")


def test_a_folder_that_was_changed_is_not_read(tasks: Path) -> None:
    items = tasks / "items.jsonl"
    items.write_text(items.read_text("utf-8").replace("keys", "KEYS"), "utf-8")
    refuses("changed", items, tasks)


@pytest.mark.slow
def test_the_harness_gives_the_numbers_that_we_give(tmp_path: Path, tasks: Path) -> None:
    pytest.importorskip("lm_eval")
    pytest.importorskip("accelerate")
    pytest.importorskip("torch")
    from colorless_green import load_model
    from colorless_green.scoring import Query
    from tests.scoring.tiny_models import causal_folder, gpt2, total

    model = causal_folder(tmp_path / "tiny", gpt2())
    tasks.rename(tmp_path / "moved")
    run = harness_run(tmp_path, model, tmp_path / "moved", "colorless_keys_and_cabinets")
    bos = {"sentences": "auto", "prefixes": "none"}  # the harness sets BOS before no text but ""
    scorers = {
        method: load_model(f"causal:{model}", device="cpu", bos=method).scorer
        for method in ("auto", "none")
    }
    for part in ("sentences", "prefixes"):
        samples = [each for name, each in run.items() if f"_{part}_" in name]
        docs = [doc for each in samples for doc in each]
        assert len(docs) == len(rows(tmp_path / "moved", part))
        for doc in docs:
            row = doc["doc"]
            method = bos[part] if row["context"] else "auto"
            (score,) = scorers[method].score([Query(row["context"], tuple(row["choices"]))])
            ours = [-total(each) * math.log(2) for each in score.continuations]
            theirs = [float(each[0]) for each in doc["filtered_resps"]]
            assert ours == pytest.approx(theirs, abs=2e-4)
            assert doc["acc"] == (ours[row["gold"]] > ours[1 - row["gold"]] or is_first(row, ours))


@pytest.mark.slow
def test_what_the_harness_computed_comes_back_as_our_own_outcomes(
    tmp_path: Path, tasks: Path
) -> None:
    """Of sentences; where margins are as small as rounding, either may win."""
    pytest.importorskip("lm_eval")
    pytest.importorskip("accelerate")
    pytest.importorskip("torch")
    from colorless_green import score
    from tests.scoring.tiny_models import causal_folder, gpt2

    model = causal_folder(tmp_path / "tiny", gpt2())
    harness_run(tmp_path, model, tasks, "colorless_keys_and_cabinets")
    files = sorted((tmp_path / "out").rglob("samples_*_sentences_*.jsonl"))
    items = rare_suite()
    theirs = score(items, from_=files).outcomes
    ours = score(items, model, method="sentence", device="cpu").outcomes
    joined = theirs.join(ours, on=["item_id", "prediction"], suffix="_own")
    assert len(joined) == len(rows(tasks, "sentences"))
    decided = joined.filter(joined["margin_bits_own"].abs() >= 0.01)
    assert decided["credit"].equals(decided["credit_own"].rename("credit"))
    assert joined["margin_bits"].to_list() == pytest.approx(
        joined["margin_bits_own"].to_list(), abs=1e-3
    )


def is_first(row: dict[str, Any], values: list[float]) -> bool:
    """Whether the harness's rule for ties makes the item right."""
    return values[0] == values[1] and row["gold"] == 0


def harness_run(
    folder: Path, model: Path, tasks: Path, group: str
) -> dict[str, list[dict[str, Any]]]:
    """Return the logged samples of each task of a group."""
    out = folder / "out"
    done = subprocess.run(
        [
            sys.executable, "-m", "lm_eval", "--model", "hf", "--model_args",
            f"pretrained={model},dtype=float32", "--tasks", group, "--include_path", str(tasks),
            "--device", "cpu", "--batch_size", "2", "--output_path", str(out), "--log_samples",
        ],
        cwd=folder,
        env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(folder / "home")},
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (results,) = out.rglob("results_*.json")
    named = json.loads(results.read_text("utf-8"))["results"]
    assert {group, f"{group}_sentences", f"{group}_prefixes"} <= set(named)
    return {
        file.name: [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        for file in out.rglob("samples_*.jsonl")
    }
