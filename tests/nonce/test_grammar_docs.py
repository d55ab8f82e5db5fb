"""docs/suites.md: its example is a whole grammar, and what it prints is what it says."""

import json
import re
from pathlib import Path

import pytest

from tests.builders import colorless

PAGE = Path(__file__).resolve().parents[2] / "docs" / "suites.md"


def block(language: str) -> str:
    """The one fenced block of a language on the page."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text("utf-8"), re.S | re.M)
    return str(found)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "doors.toml").write_text(block("toml"), encoding="utf-8")
    return tmp_path


def test_it_makes_as_many_items_as_the_page_says(folder: Path) -> None:
    done = colorless("grammar", "doors.toml", "--count", "--json", cwd=folder)
    n_items = sum(json.loads(line)["n_items"] for line in done.stdout.splitlines())
    said = f"`colorless grammar doors.toml --count` says that it makes {n_items} items."
    assert said in " ".join(PAGE.read_text("utf-8").split())


def test_the_example_on_the_command_line_prints_what_the_page_shows(folder: Path) -> None:
    command, _, shown = block("console").partition("\n")
    done = colorless(*command.removeprefix("$ colorless ").split(), cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == shown + "\n"  # a sentence's block ends with a blank line


@pytest.mark.slow
def test_the_order_of_hashes_does_not_show(folder: Path) -> None:
    command = ("grammar", "doors.toml", "--sample", "40", "--seed", "1", "--make", "treebank")
    first, second = (
        colorless(*command, cwd=folder, env={"PYTHONHASHSEED": seed}).stdout for seed in "12"
    )
    assert first == second != ""
