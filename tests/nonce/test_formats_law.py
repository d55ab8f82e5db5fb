"""export ∘ import ∘ export = export, byte for byte, for every format and the oddest of suites."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.nonce.formats import FORMATS, READ_ONLY, format_of
from colorless_green.nonce.formats.told import format_told
from colorless_green.nonce.suite import Suite
from tests.nonce.format_material import SUITES, content, named, twice

LOSSLESS = ("harness", "huggingface", "syntaxgym")


@pytest.mark.parametrize("name", SUITES)
@given(data=st.data())
@settings(max_examples=60)
def test_what_was_read_is_exported_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    first, second = twice(data.draw(SUITES[name]), name, tmp_path_factory.mktemp("f"))
    assert content(second) == content(first)


@pytest.mark.parametrize("name", LOSSLESS)
@given(data=st.data())
@settings(max_examples=40)
def test_folders_and_syntaxgym_lose_nothing(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    suite: Suite = data.draw(SUITES[name])
    first, _ = twice(suite, name, tmp_path_factory.mktemp("f"))
    assert named(name).read(first) == suite


@pytest.mark.parametrize("name", SUITES)
@given(data=st.data())
@settings(max_examples=15)
def test_a_file_tells_its_format_itself(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    first, _ = twice(data.draw(SUITES[name]), name, tmp_path_factory.mktemp("f"))
    assert format_told(first) == name.partition(" ")[0]


def test_every_format_that_is_written_keeps_the_law() -> None:
    assert {name.partition(" ")[0] for name in SUITES} == set(FORMATS) - READ_ONLY


@pytest.mark.parametrize("name", sorted(READ_ONLY))
def test_a_format_that_is_only_read_says_so(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError) as caught:
        format_of(tmp_path, name).write(Suite("s", ()), tmp_path / "x", None)
    wrong = f"{name!r} is only read"
    assert str(caught.value) == f"--format: {wrong}; blimp, say, which holds as much"
