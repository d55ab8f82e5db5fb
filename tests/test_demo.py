"""The whole way on the embedded sample, as `make demo` runs it."""

import csv
import importlib.util
import re
from pathlib import Path

import pytest

from tests.builders import colorless

NEURAL = ("recurrent", "causal")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if importlib.util.find_spec("torch") is None:
        pytest.skip("needs the extra [score]")
    folder = tmp_path_factory.mktemp("demo")
    done = colorless("demo", "demo", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "demo"


def accuracies(folder: Path) -> dict[tuple[str, str], float]:
    """(model, kind) → accuracy over all constructions."""
    with open(folder / "scores" / "accuracy.tsv", encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    factors = ("construction", "value", "n_attractors")
    return {
        (row["model"], row["kind"]): float(row["accuracy"])
        for row in rows
        if row["model"] and row["kind"] and not any(row[factor] for factor in factors)
    }


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "it"])
def test_neural_models_learn_what_counting_words_cannot(demo: Path, language: str) -> None:
    found = accuracies(demo / language)
    for model in NEURAL:
        assert found[(model, "original")] >= 0.8
    assert 0.4 <= found[("unigram", "original")] <= 0.6
    assert 0.4 <= found[("unigram", "nonce")] <= 0.6


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "it"])
def test_no_model_has_seen_the_sentence_of_an_original(demo: Path, language: str) -> None:
    page = (demo / language / "report.html").read_text(encoding="utf-8")
    seen = re.findall(r"(\d+) of \d+ originals were in the training text", page)
    assert len(seen) >= 4  # each model's, and once more in the text for a paper
    assert set(seen) == {"0"}
    done = colorless("score", "--store", str(demo / language / "colorless.db"), cwd=demo.parent)
    assert "were in its training text" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "it"])
def test_the_report_stands_alone_and_labels_what_is_simulated(demo: Path, language: str) -> None:
    page = (demo / language / "report.html").read_text(encoding="utf-8")
    assert page.count("<svg") >= 3
    assert page.count("<script") == 1  # its own, which the policy of the page names by its hash
    assert "script-src 'sha256-" in page
    assert "Simulated judgments." in page
    for fetched in ('src="http', "url(http", '<link rel="stylesheet"', "@import"):
        assert fetched not in page


@pytest.mark.slow
def test_a_second_demo_in_the_same_folder_does_nothing_again(demo: Path) -> None:
    page = demo / "it" / "report.html"
    before = page.read_bytes()
    done = colorless("demo", "demo", cwd=demo.parent)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("trained before with the same options") == 8
    assert page.read_bytes() == before
