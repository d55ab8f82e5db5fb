"""A study for so many people: who sees how many variants, how many judgments, and what is told."""

import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green import InputError, load_suite
from colorless_green.data import Suite
from colorless_green.humans import languages, read_study, texts
from tests.builders import mistake
from tests.humans.study_material import design, designed, planned, suite


@pytest.mark.slow
@given(st.integers(1, 9), st.integers(1, 4), st.integers(0, 3), st.integers(1, 12))
def test_everybody_sees_so_many_variants_of_every_original(
    n_nonce: int, versions: int, seed: int, people: int
) -> None:
    versions = min(versions, n_nonce + 1)
    made = designed(
        suite((3, 2), n_nonce),
        planned(participants=people, versions=versions, fillers="none", checks=0, seed=seed),
    )
    targets = [each for each in made.trials if each.kind == "target"]
    seen = Counter((each.list, each.source) for each in targets)
    assert set(seen.values()) == {versions}
    assert len(seen) == 5 * people
    assert len({(each.list, each.item) for each in targets}) == len(targets)
    assert len(made.rows) == people


@pytest.mark.slow
def test_over_all_people_every_variant_comes_equally_often() -> None:
    made = designed(suite((6,), 9), planned(participants=20, versions=2, fillers="none", checks=0))
    counts = Counter(each.item for each in made.trials if each.kind == "target")
    assert set(counts.values()) == {4}  # 20 people × 2 variants / 10


@pytest.mark.slow
def test_judgments_of_the_design_are_told() -> None:
    made = designed(suite((12,), 1), planned(participants=24, versions=1, fillers="none", checks=0))
    told = next(each for each in made.messages if each.startswith("with 24 participants"))
    assert re.findall(r"[\d.]+", told)[1:] == ["12.0", "12", "144", "144"]


def test_more_variants_than_there_are_or_two_ways_of_counting_lists_are_refused() -> None:
    with mistake("value", "versions"):
        designed(suite((4,), 1), planned(versions=3, fillers="none"))
    with mistake("conflict", "lists"):
        designed(suite((4,), 1), planned(lists=2, participants=4, fillers="none"))


def test_sources_with_fewer_variants_than_a_person_is_to_see_are_left_out_and_counted() -> None:
    full = suite((4,), 2)
    few = [each for each in full if each.cluster_id == full[0].cluster_id]
    items = [each for each in full if each not in few[1:]]
    made = designed(items, planned(participants=6, versions=2, fillers="none", checks=0))
    shown = {each.source for each in made.trials if each.kind == "target"}
    assert shown == {each.cluster_id for each in full} - {full[0].cluster_id}
    assert any(each.startswith("1 of 4 sources left out") for each in made.messages)


def bare(language: str = "en", n_nonce: int = 0) -> Suite:
    return Suite("s", suite((4,), n_nonce, language=language))


def test_all_that_a_language_lacks_is_told_at_once_with_a_file_to_fill_in(tmp_path: Path) -> None:
    out, model = tmp_path / "study", tmp_path / "texts.fi.toml"
    with mistake("missing", "language"):
        design(bare("fi"), out, fillers="none", checks=1)
    assert not out.exists()
    told, english = tomllib.loads(model.read_text(encoding="utf-8")), texts("en")
    assert english is not None
    assert {*told} == {"instructions", "check", "practice", "page"}
    assert told["instructions"] == english.instructions
    filled = model.read_text(encoding="utf-8").replace("The bread was lying", "Leipä oli")
    model.write_text(filled, encoding="utf-8")
    design(bare("fi"), out, fillers="none", checks=1, texts=model)
    trials = read_study(out).trials
    assert any(each.prefix == "Leipä oli" for each in trials if each.kind == "practice")
    assert (out / "page.fi.json").is_file()
    with pytest.raises(InputError) as caught:
        design(bare("fi"), out, fillers="none", practice=0, checks=1)
    assert "checks=0" in caught.value.right
    assert "practice" not in caught.value.right  # which would not help
    with mistake("format", model):
        model.write_text(filled.replace("[check]", "[cheque]"), encoding="utf-8")
        design(bare("fi"), tmp_path / "other", fillers="none", checks=1, texts=model)


@pytest.mark.parametrize("language", languages())
def test_instructions_tell_of_what_the_study_has(tmp_path: Path, language: str) -> None:
    """Checks were once promised that were set to 0."""
    own = texts(language)
    assert own is not None
    parts = ("checks", "practice", "nonce")
    for task, whole in own.instructions.items():
        for part in parts:
            lines = [line for line in whole.split("\n") if line.startswith(f"{{{part}}}")]
            assert len(lines) == 1, (task, part)
            (line,) = lines
            shown = line.removeprefix(f"{{{part}}}")
            assert shown in own.instructions_for(task, [part])
            assert shown not in own.instructions_for(task, [each for each in parts if each != part])
    design(bare(language), tmp_path / "s", fillers="none", checks=0, practice=0)
    written = (tmp_path / "s" / f"instructions.{language}.md").read_text(encoding="utf-8")
    assert written == own.instructions_for("form", [])
    assert "{" not in written


def test_quotation_marks_of_treebanks_never_reach_people(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text(
        "good,bad\n\"``Yes'', he says.\",\"``Yes'', he say.\"\n", encoding="utf-8"
    )
    quoted = load_suite(tmp_path / "p.csv", language="en")
    for task in ("sentence", "rating"):
        design(quoted, tmp_path / task, task=task, fillers="none", practice=0)
        for trial in read_study(tmp_path / task).trials:
            shown = " ".join((trial.prefix, *trial.options))
            assert "“Yes”" in shown
            assert "``" not in shown
            assert "''" not in shown


def test_everybody_has_an_order_of_their_own() -> None:
    made = designed(suite((8,), 1), planned(participants=6, fillers="none", checks=0))
    orders = {
        tuple(each.source for each in made.trials if each.list == number and each.kind == "target")
        for number in range(1, 7)
    }
    assert len(orders) == 6
