"""The README is run, not believed."""

import gzip
import re
from pathlib import Path

import pytest

from tests.builders import shared
from tests.readme import README, examples, masked, run


@pytest.mark.shared
@pytest.mark.slow
def test_the_commands_print_what_the_readme_shows(tmp_path: Path) -> None:
    name = "fr_sequoia-ud-train.conllu"
    (tmp_path / "UD_French-Sequoia").mkdir()
    packed = shared("treebanks", "UD_French-Sequoia", f"{name}.gz")
    (tmp_path / "UD_French-Sequoia" / name).write_bytes(gzip.decompress(packed.read_bytes()))
    shown = examples()
    assert len(shown) == 6
    for command, output in shown:
        printed = run(command, tmp_path)
        assert [masked(line) for line in printed.splitlines()] == [
            masked(line) for line in output.splitlines()
        ], command
    assert (tmp_path / "report.html").stat().st_size > 10_000


def test_every_file_the_readme_points_to_is_there() -> None:
    text = README.read_text(encoding="utf-8")
    targets = re.findall(r"\]\(((?!https?:)[^)]+)\)", text)
    assert len(targets) > 8
    assert [each for each in targets if not (README.parent / each).exists()] == []


def test_the_make_targets_of_the_readme_exist() -> None:
    targets = re.findall(r"^    make (\w+)", README.read_text(encoding="utf-8"), re.MULTILINE)
    makefile = (README.parent / "Makefile").read_text(encoding="utf-8")
    assert targets == ["demo", "test"]
    assert all(f"\n{target}:" in makefile for target in targets)
