"""Licences that go together and those that do not, item by item."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green import export
from colorless_green.data import Item, Suite, conflict_of, licences_of
from colorless_green.data.errors import InputError
from colorless_green.miner import treebank
from tests.nonce.format_material import pair

LICENCES = (
    "", "CC0-1.0", "CC-BY-2.5", "CC-BY-4.0", "CC-BY-SA-1.0", "CC-BY-SA-3.0", "CC-BY-SA-4.0",
    "CC-BY-NC-3.0", "CC-BY-NC-SA-3.0", "CC-BY-NC-SA-4.0", "CC-BY-ND-4.0", "GPL-2.0-only",
    "GPL-2.0-or-later", "GPL-3.0-only", "LGPLLR", "MIT", "Apache-2.0", "LicenseRef-x",
)  # fmt: skip


def item(own: str, words: str | None = None, kind: str = "nonce") -> Item:
    facts = {} if words is None else {"words_from": "UD_B", "words_licence": words}
    found = pair(1, "The keys", " are", " is", " here.")
    return replace(found, kind=kind, licence=own, source="UD_A", facts={**found.facts, **facts})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("CC-BY-SA-4.0", "CC-BY-NC-SA-3.0"),
        ("GPL-3.0-only", "CC-BY-NC-SA-4.0"),
        ("GPL-2.0-only", "CC-BY-NC-4.0"),
        ("CC-BY-ND-4.0", "CC-BY-4.0"),
    ],
)
def test_licences_whose_texts_exclude_each_other_conflict_in_one_item(one: str, other: str) -> None:
    for a, b in ((one, other), (other, one)):
        found = conflict_of(item(a, b))
        assert found is not None
        assert {*found[:2]} == {one, other}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("CC-BY-SA-3.0", "CC-BY-SA-4.0"),  # 3.0 allows its later versions
        ("CC-BY-SA-4.0", "GPL-3.0-only"),
        ("CC-BY-SA-4.0", "GPL-2.0-only"),  # of this and the next two we are not certain
        ("CC-BY-SA-3.0", "CC-BY-NC-4.0"),
        ("LGPLLR", "CC-BY-SA-4.0"),
        ("CC-BY-NC-SA-3.0", "CC-BY-NC-SA-4.0"),
        ("CC-BY-NC-4.0", "CC-BY-NC-SA-4.0"),
        ("CC-BY-4.0", "CC-BY-NC-SA-3.0"),
        ("GPL-2.0-or-later", "GPL-3.0-only"),
        ("MIT", "GPL-2.0-only"),
        ("CC-BY-NC-SA-3.0", ""),  # what is unknown is told on the card
        ("LicenseRef-x", "CC-BY-SA-4.0"),
    ],
)
def test_licences_that_go_together_have_no_conflict(one: str, other: str) -> None:
    assert conflict_of(item(one, other)) is None
    assert conflict_of(item(other, one)) is None


@given(st.sampled_from(LICENCES), st.sampled_from(LICENCES))
def test_a_conflict_is_the_same_from_either_side_and_none_is_with_oneself(
    one: str, other: str
) -> None:
    assert (conflict_of(item(one, other)) is None) == (conflict_of(item(other, one)) is None)
    if "-ND-" not in one:
        assert conflict_of(item(one, one)) is None
    else:
        assert conflict_of(item(one)) is not None
        assert conflict_of(item(one, kind="suite")) is None  # as it was published


def test_an_item_carries_all_its_licences_or_none_that_is_sure() -> None:
    assert licences_of(item("MIT", "CC-BY-4.0")) == ("CC-BY-4.0", "MIT")
    assert licences_of(item("MIT AND CC-BY-4.0")) == ("CC-BY-4.0", "MIT")
    assert licences_of(item("MIT", "")) == ()
    assert licences_of(item("MIT", "MIT AND CC-BY-4.0")) == ("CC-BY-4.0", "MIT")
    assert conflict_of(item("CC-BY-NC-SA-3.0", "CC-BY-4.0 AND CC-BY-SA-4.0")) is not None


def test_files_of_several_folders_carry_the_licences_of_all(tmp_path: Path) -> None:
    ids = {"A": "CC BY-SA 4.0", "B": "CC BY-NC-SA 3.0", "C": "CC BY-SA 4.0", "D": ""}
    for name, licence in ids.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.conllu").touch()
        (tmp_path / name / "README.md").write_text(f"License: {licence}\n", "utf-8")
    of = {names: treebank([tmp_path / name for name in names]).licence for names in ("A", "AC")}
    assert of == {"A": "CC-BY-SA-4.0", "AC": "CC-BY-SA-4.0"}
    assert treebank([tmp_path / "A", tmp_path / "B"]).licence == "CC-BY-SA-4.0 AND CC-BY-NC-SA-3.0"
    assert treebank([tmp_path / "A", tmp_path / "D"]).licence == ""  # none that is sure


def test_an_export_of_licences_that_conflict_names_them_and_their_sources(tmp_path: Path) -> None:
    mixed = replace(item("CC-BY-NC-SA-3.0", "CC-BY-SA-4.0"), item_id="mixed")
    with pytest.raises(InputError) as caught:
        export(Suite("s", (item("MIT"), mixed)), tmp_path / "x.jsonl", format="blimp")
    assert (caught.value.kind, caught.value.location) == ("conflict", "item mixed")
    for each in ("CC-BY-SA-4.0 (UD_B)", "CC-BY-NC-SA-3.0 (UD_A)"):
        assert each in caught.value.wrong
    assert not (tmp_path / "x.jsonl").exists()


def test_items_that_stand_beside_each_other_are_a_collection(tmp_path: Path) -> None:
    other = replace(item("CC-BY-NC-SA-3.0"), item_id="other")
    export(Suite("s", (item("CC-BY-SA-4.0"), other)), tmp_path / "set", format="huggingface")
    card = (tmp_path / "set" / "README.md").read_text("utf-8")
    for licence in ("CC-BY-SA-4.0", "CC-BY-NC-SA-3.0"):
        assert f"| {licence} | https://" in card
