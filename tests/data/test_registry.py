"""Looking things up by name."""

from collections.abc import Callable
from pathlib import Path

import pytest

import colorless_green as cg
from colorless_green.data import sample
from colorless_green.data.errors import InputError
from colorless_green.data.registry import fits, load, look_up, nearest
from tests.builders import mistake


def test_an_unknown_name_is_answered_with_those_there_are() -> None:
    assert look_up({"b": 1, "a": 2}, "a", "--rule") == 2
    with pytest.raises(InputError) as caught:
        look_up({"b": 1, "a": 2}, "c", "--rule")
    assert (caught.value.kind, caught.value.location) == ("unknown", "--rule")
    assert caught.value.right.casefold().endswith("a, b")


def test_a_table_holds_objects_and_modules_of_ours_by_relative_strings() -> None:
    table = {"object": nearest, "string": ".data.registry:nearest"}
    assert load(table, "object", "--x", "no.group") is nearest
    assert load(table, "string", "--x", "no.group") is nearest
    with mistake("unknown", "--x"):
        load(table, "other", "--x", "no.group")


def test_a_missing_extra_is_a_mistake_of_its_own_kind() -> None:
    with mistake("dependency", "--model"):
        load({"x": "surely_not_installed.module:thing"}, "x", "--model", "no.group")


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Install a distribution whose module has this text, as an entry point `broken` of a group."""

    def install(group: str, text: str) -> None:
        (tmp_path / f"{group}_plugin.py").write_text(text, encoding="utf-8")
        folder = tmp_path / f"{group}_plugin-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Name: {group}-plugin\nVersion: 1.0\n", encoding="utf-8")
        entry = f"[colorless_green.{group}]\nbroken = {group}_plugin:thing\n"
        (folder / "entry_points.txt").write_text(entry, encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)

    return install


@pytest.mark.parametrize(
    "text", ["import surely_not_installed", "from colorless_green import x", "1 / 0", "other = 1"]
)
@pytest.mark.parametrize(
    ("group", "use"),
    [
        ("rules", lambda: cg.mine(str(sample.treebank("it")), language="it", rule="broken")),
        ("judgment_formats", lambda: cg.read_judgments(__file__, format="broken")),
        ("backends", lambda: cg.load_model("broken:x")),
        ("formats", lambda: cg.export(cg.Suite("x", ()), "x.txt", format="broken")),
    ],
)
def test_a_plugin_that_cannot_be_imported_is_named(
    plugin: Callable[[str, str], None], group: str, use: Callable[[], object], text: str
) -> None:
    plugin(group, text)
    with pytest.raises(InputError) as caught:
        use()
    assert caught.value.kind == "dependency"
    assert f"{group}-plugin" in caught.value.wrong
    assert "'broken'" in caught.value.wrong
    if "not_installed" in text:
        assert "'surely_not_installed'" in caught.value.wrong


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("testd", "tested"),
        ("TESTED", "tested"),
        ("strickt", "strict"),
        ("head-first", "Head-First"),
    ],
)
def test_the_nearest_name_is_told_before_all_others(asked: str, meant: str) -> None:
    known = ["released", "strict", "tested", "Head-First"]
    told = nearest(asked, known)
    assert told.index(meant) < min(told.index(each) for each in known if each != meant)
    with pytest.raises(InputError) as caught:
        look_up(dict.fromkeys(known), asked, "--rule")
    assert caught.value.right.count(meant) == 2  # as the nearest, and in the list
    assert all(each in caught.value.right for each in known)


def test_of_a_name_in_parts_the_first_may_be_meant() -> None:
    known = ["de_gsd/tested/originals", "it_isdt/tested/originals"]
    assert "de_gsd/tested/originals" in nearest("de_gsdd", known).partition("?")[0]
    assert "it_isdt/tested/originals" in nearest("it_isdt/testd/original", known).partition("?")[0]


def test_where_nothing_is_near_nothing_is_suggested() -> None:
    told = nearest("zebra", ["released", "strict", "tested"])
    assert [told.count(each) for each in ("released", "strict", "tested")] == [1, 1, 1]
    assert nearest("x", [])  # a sentence even where there is nothing to name


def test_of_very_many_names_the_nearest_is_still_told() -> None:
    names = [f"construction {n:04}" for n in range(900)]
    told = nearest("construktion 0899", names)
    assert "construction 0899" in told
    assert len(told) < 2_000


def test_brackets_of_a_name_stand_for_themselves_in_a_pattern() -> None:
    name = "L__NOUN__VERB[Fin]__nsubj"
    assert fits(name, name)
    assert fits(name, "L__*[Fin]*")
    assert not fits("L__NOUN__VERBF__nsubj", name)
    assert not fits(name, "L__NOUN__VERB__nsubj")
