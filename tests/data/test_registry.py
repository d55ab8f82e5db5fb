"""Looking things up by name."""

import pytest

from colorless_green.data.errors import InputError
from colorless_green.data.registry import load, named
from tests.builders import mistake


def test_an_unknown_name_is_answered_with_those_there_are() -> None:
    assert named({"b": 1, "a": 2}, "a", "--rule") == 2
    with pytest.raises(InputError) as caught:
        named({"b": 1, "a": 2}, "c", "--rule")
    assert (caught.value.kind, caught.value.place) == ("unknown", "--rule")
    assert caught.value.right.casefold().endswith("a, b")


def test_a_missing_extra_is_a_mistake_of_its_own_kind() -> None:
    with mistake("dependency", "--model"):
        load({"x": "surely_not_installed.module:thing"}, "x", "--model", "no.group")
