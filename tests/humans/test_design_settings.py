"""The settings and options of a design: what none of them can be, whoever says it."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green import DesignSettings, InputError, design_study
from colorless_green.data import Suite
from colorless_green.data.configuration import configured
from colorless_green.humans import StudyPlan
from tests.builders import mistake
from tests.humans.study_material import suite

NO_NUMBER = st.one_of(st.text(), st.booleans(), st.floats(), st.lists(st.integers()))
NO_WORD = st.one_of(st.integers(8), st.booleans(), st.just("9"), st.lists(st.text()))
BAD: dict[str, st.SearchStrategy[Any]] = {  # field → values that it cannot have
    **dict.fromkeys(("lists", "blocks"), st.integers(max_value=0) | NO_NUMBER),
    **dict.fromkeys(("checks", "practice"), st.integers(max_value=-1) | NO_NUMBER),
    "drop_flagged": st.integers() | st.text(),
    "scale": NO_WORD,
    "texts": st.integers() | st.booleans(),
    "language": st.integers() | st.just("deutsch"),
}
BAD_OPTIONS: dict[str, st.SearchStrategy[Any]] = {
    **dict.fromkeys(
        ("participants", "versions", "per_construction"), st.integers(max_value=0) | NO_NUMBER
    ),
    "task": st.text() | st.integers(),
    "seed": NO_NUMBER,
}


def test_every_setting_has_values_that_it_cannot_have() -> None:
    assert {field.name for field in fields(DesignSettings)} == BAD.keys() | {"extends"}


@given(st.sampled_from(sorted(BAD)), st.data())
def test_a_bad_setting_is_refused_by_its_name(name: str, data: st.DataObject) -> None:
    value = data.draw(BAD[name])
    with pytest.raises(InputError) as caught:
        DesignSettings(**{name: value})
    assert caught.value.location == f"DesignSettings: {name}"


@given(st.sampled_from(sorted(BAD_OPTIONS)), st.data())
def test_a_bad_option_is_refused_by_its_name(name: str, data: st.DataObject) -> None:
    value = data.draw(BAD_OPTIONS[name])
    with pytest.raises(InputError) as caught:
        StudyPlan(settings=DesignSettings(), **{name: value})
    assert caught.value.location == name


@pytest.mark.parametrize("text", ["blocks = 0", "practice = -1", "checks = -1", 'scale = "9"'])
def test_it_is_the_same_in_a_file_and_by_set(tmp_path: Path, text: str) -> None:
    path, name = tmp_path / "s.toml", text.partition(" ")[0]
    path.write_text(text + "\n", encoding="utf-8")
    kind: Any = "unknown" if name == "scale" else "value"
    with mistake(kind, f"{path}: {name}"):
        design_study(Suite("s", suite((2,))), tmp_path / "study", settings=path)
    with mistake(kind, f"--set: {name}"):
        configured(DesignSettings, None, [text.replace(" ", "")])


def test_all_faults_of_the_options_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        design_study(Suite("s", suite((2,))), tmp_path / "s", participants=0, versions=0)
    assert [line.partition(":")[0] for line in str(caught.value).split("\n")] == [
        "participants",
        "versions",
    ]
    assert not (tmp_path / "s").exists()


def test_settings_are_the_same_as_a_record_and_as_a_file(tmp_path: Path) -> None:
    settings = DesignSettings(checks=1, practice=1, blocks=2)
    path = tmp_path / "s.toml"
    path.write_text(settings.to_toml(), encoding="utf-8")
    folders = []
    for name, given_settings in (("a", settings), ("b", path)):
        design_study(Suite("s", suite((6, 6), 1)), tmp_path / name, settings=given_settings)
        folders.append(
            {each.name: each.read_bytes() for each in sorted((tmp_path / name).iterdir())}
        )
    assert folders[0] == folders[1]
