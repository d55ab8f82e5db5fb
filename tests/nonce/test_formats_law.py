"""export ∘ import ∘ export = export, byte for byte, for every format and the oddest of suites."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data import FORMATS, Suite, detect_format, format_named
from tests.builders import few_examples
from tests.nonce.format_material import SUITES, again, content, holds_not, rare_suite, twice

LOSSLESS = ("harness", "huggingface", "syntaxgym")


@pytest.mark.slow
@pytest.mark.parametrize("name", SUITES)
@given(data=st.data())
@few_examples
def test_what_was_read_is_exported_as_it_was_and_tells_its_format(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    first, second = twice(data.draw(SUITES[name]), name, tmp_path_factory.mktemp("f"))
    assert content(second) == content(first)
    assert detect_format(first) == name.partition(" ")[0]


@pytest.mark.parametrize("name", LOSSLESS)
@few_examples
@given(data=st.data())
def test_folders_and_syntaxgym_lose_nothing(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    suite: Suite = data.draw(SUITES[name])
    assert again(suite, name, tmp_path_factory.mktemp("f") / "suite") == suite


def test_every_format_that_is_written_keeps_the_law() -> None:
    written = {name for name in FORMATS if format_named(name).write is not None}
    assert {name.partition(" ")[0] for name in SUITES} == written


@pytest.mark.parametrize(
    "name", ["clams", "linzen2016", "marvin_linzen", "reflexives", "syntaxgym_csv"]
)
def test_a_format_that_is_only_read_is_told_with_what_to_write(tmp_path: Path, name: str) -> None:
    holds_not("unsupported", "--format", rare_suite(), tmp_path / "x", name)
    path = tmp_path / "x.pickle"
    holds_not("unsupported", str(path), rare_suite(), path)


def test_a_name_that_does_not_tell_its_format_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    holds_not("format", str(path), rare_suite(), path)
