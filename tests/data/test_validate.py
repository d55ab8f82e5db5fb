"""Settings from outside: taken as they are, or the first fault is told with its place and kind."""

from dataclasses import dataclass
from typing import Annotated, Literal

import pytest
from annotated_types import Ge

from colorless_green.data.errors import ErrorKind
from colorless_green.data.validate import validate_record
from tests.builders import mistake


@dataclass(frozen=True, slots=True)
class Garden:
    name: str
    n_gnomes: Annotated[int, Ge(0)] = 0
    soil: Literal["sand", "clay"] = "sand"
    plants: tuple[str, ...] = ()


def test_what_fits_is_taken_and_what_is_not_told_is_as_the_record_has_it() -> None:
    told = {"name": "x", "plants": ["rose"]}
    assert validate_record(Garden, told, "garden.toml") == Garden("x", plants=("rose",))


@pytest.mark.parametrize(
    ("told", "kind", "place"),
    [
        ({}, "missing", "garden.toml"),
        ({"name": 3}, "value", "garden.toml: name"),
        ({"name": "x", "n_gnomes": -1}, "value", "garden.toml: n_gnomes"),
        ({"name": "x", "n_gnomes": True}, "value", "garden.toml: n_gnomes"),
        ({"name": "x", "n_gnomes": "3"}, "value", "garden.toml: n_gnomes"),
        ({"name": "x", "soil": "peat"}, "unknown", "garden.toml: soil"),
        ({"name": "x", "plants": "rose"}, "value", "garden.toml: plants"),
        ({"name": "x", "plants": ["rose", 1]}, "value", "garden.toml: plants"),
        ({"name": "x", "pond": 1}, "unknown", "garden.toml: pond"),
    ],
    ids=repr,
)
def test_what_does_not_fit_is_told_with_its_place(
    told: dict[str, object], kind: ErrorKind, place: str
) -> None:
    with mistake(kind, place):
        validate_record(Garden, told, "garden.toml")
