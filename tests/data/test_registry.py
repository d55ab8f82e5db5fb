"""Looking things up by name."""

import pytest

from colorless_green.data.errors import InputError
from colorless_green.data.registry import load, named


def test_an_unknown_name_is_answered_with_those_there_are() -> None:
    with pytest.raises(InputError) as caught:
        named({"b": 1, "a": 2}, "c", "--rule")
    assert str(caught.value) == "--rule: no such name 'c'; one of a, b"


def test_a_missing_extra_is_named_with_its_remedy() -> None:
    with pytest.raises(InputError) as caught:
        load({"x": "surely_not_installed.module:thing"}, "x", "--model", "no.group")
    assert str(caught.value) == (
        "--model: 'x' needs the Python package 'surely_not_installed', which is not installed; "
        "install it with the extra that brings it: all"
    )
