"""The whole way on the embedded sample, as `make demo` runs it: in English here, in both languages
and by the command under `make thorough`."""

import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.builders import colorless

NEURAL = ("recurrent", "causal")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs [score]"),
]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    with pytest.MonkeyPatch.context() as patch:  # `english` has its own
        patch.setattr("colorless_green.humans.demo.LANGUAGES", ("en", "it"))
        done = colorless("demo demo --json", cwd=folder)
    assert done.returncode == 0, done.stderr
    (folder / "demo" / "rows.jsonl").write_text(done.stdout, encoding="utf-8")
    return folder / "demo"


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("demo")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("colorless_green.humans.demo.LANGUAGES", ("en",))
        done = colorless("demo demo --json", cwd=folder)
        assert done.returncode == 0, done.stderr
        (folder / "demo" / "rows.jsonl").write_text(done.stdout, encoding="utf-8")
        yield folder / "demo"


def accuracies(demo: Path) -> dict[tuple[str, str], float]:
    """(model, kind) → accuracy over all constructions."""
    lines = (demo.parent / "rows.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["language"] == demo.name]
    return {(row["rater"], row["kind"]): row["accuracy"] for row in rows}


def neural_models_learn_what_counting_words_cannot(demo: Path) -> None:
    found = accuracies(demo)
    for model in NEURAL:
        assert found[(model, "original")] >= 0.8
    assert 0.4 <= found[("unigram", "original")] <= 0.6
    assert 0.4 <= found[("unigram", "nonce")] <= 0.6


def no_model_has_seen_the_sentence_of_an_original(demo: Path) -> None:
    page = (demo / "report.html").read_text(encoding="utf-8")
    seen = re.findall(r"(\d+) of \d+ originals were in the training text", page)
    assert len(seen) >= 4  # each model's, and once more in the text for a paper
    assert set(seen) == {"0"}
    done = colorless("score", "--store", str(demo / "colorless.db"), cwd=demo)
    assert "were in its training text" not in done.stderr


def the_report_stands_alone_and_labels_what_is_simulated(demo: Path) -> None:
    page = (demo / "report.html").read_text(encoding="utf-8")
    assert page.count("<svg") >= 3
    assert page.count("<script") == 1  # its own, which the policy of the page names by its hash
    assert "script-src 'sha256-" in page
    assert "Simulated judgments." in page
    for fetched in ('src="http', "url(http", '<link rel="stylesheet"', "@import"):
        assert fetched not in page


def a_second_demo_in_the_same_folder_does_nothing_again(folder: Path, n_languages: int) -> None:
    pages = sorted(folder.glob("*/report.html"))
    before = [page.read_bytes() for page in pages]
    done = colorless("demo demo", cwd=folder.parent)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("trained before with the same options") == 4 * n_languages
    assert [page.read_bytes() for page in pages] == before
    assert len(pages) == n_languages


@pytest.mark.parametrize(
    ("kept", "languages"),
    [("english", ("en",)), pytest.param("both", ("en", "it"), marks=pytest.mark.thorough)],
)
def test_a_demo_keeps_its_promises(
    kept: str, languages: tuple[str, ...], request: pytest.FixtureRequest
) -> None:
    """In one test, so that two processes do not each make a demo."""
    folder: Path = request.getfixturevalue(kept)
    for language in languages:
        neural_models_learn_what_counting_words_cannot(folder / language)
        no_model_has_seen_the_sentence_of_an_original(folder / language)
        the_report_stands_alone_and_labels_what_is_simulated(folder / language)
    a_second_demo_in_the_same_folder_does_nothing_again(folder, len(languages))
