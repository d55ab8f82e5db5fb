"""The examples in the docstrings of models and scores run as they stand, in an empty folder."""

import doctest
import sys
from pathlib import Path

import pytest

from colorless_green import scoring

FUNCTIONS = (scoring.load_model, scoring.score, scoring.score_pairs, scoring.train)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_examples_run(function: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = doctest.testmod(sys.modules[function.__module__])
    assert found.attempted > 0
    assert found.failed == 0
