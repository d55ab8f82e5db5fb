"""The examples in the docstrings about people run as they stand."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "humans"
MODULES = sorted(
    path.relative_to(FOLDER).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
    for path in FOLDER.rglob("*.py")
    if ">>>" in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str) -> None:
    found = doctest.testmod(import_module(f"colorless_green.humans.{name}"))
    assert found.attempted > 0
    assert found.failed == 0
