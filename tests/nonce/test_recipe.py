"""Recipes: bad values are told whoever makes one, and suites are named by what differs from one."""

from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import colorless_green as cg
from colorless_green.data import sample
from colorless_green.data.configuration import configured
from colorless_green.nonce import SuiteRequest
from tests.builders import few_examples, mistake

WAYS: dict[str, Callable[[str, Any, Path], object]] = {
    "Recipe: ": lambda name, value, path: cg.Recipe(**{name: value}),
    "--set: ": lambda name, value, path: configured(cg.Recipe, None, [f"{name}={toml(value)}"]),
    "": lambda name, value, path: configured(cg.Recipe, None, **{name: value}),
    "FILE: ": lambda name, value, path: configured(cg.Recipe, written(path, name, value)),
}
NOT_A = {  # type of a field → values that it cannot have
    "number": st.integers(max_value=0) | st.floats(allow_nan=False, allow_infinity=False),
    "flag": st.integers() | st.sampled_from(["yes", ""]),
    "text": st.lists(st.integers(), min_size=1),
    "word": st.sampled_from(["reel", "Real", "none"]) | st.integers(),
    "names": st.integers() | st.lists(st.integers(), min_size=1),
}
FIELDS = {
    "n": "number", "attractors": "number", "all_targets": "flag",
    "level": "text", "frequencies": "text", "words": "word", "exclude": "names",
    "unimorph": "names", "seen_in": "names", "vocabulary": "text",
    "marks": "text",
}  # fmt: skip


def toml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


def written(path: Path, name: str, value: object) -> Path:
    path.write_text(f"{name} = {toml(value)}\n")
    return path


@few_examples
@given(st.data())
def test_a_bad_value_names_its_field_whoever_makes_the_recipe(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(FIELDS)))
    value = data.draw(NOT_A[FIELDS[name]])
    path = Path(mkdtemp()) / "recipe.toml"
    for location, make in WAYS.items():
        with pytest.raises(cg.InputError) as caught:
            make(name, value, path)
        assert caught.value.location == f"{location.replace('FILE', str(path))}{name}"
        assert caught.value.kind in ("value", "unknown")


@pytest.mark.parametrize(
    ("settings", "kind", "name"),
    [
        ({"level": "semantics"}, "unknown", "level"),
        ({"exclude": ("x",)}, "unknown", "exclude"),
        ({"level": "+frame", "seen_in": (Path("a"),)}, "conflict", "seen_in"),
        ({"words": "pseudo", "all_targets": True}, "conflict", "all_targets"),
        ({"attractors": 3}, "value", "attractors"),
    ],
)
def test_settings_that_do_not_go_together_are_told(
    settings: dict[str, Any], kind: Any, name: str
) -> None:
    with mistake(kind, f"Recipe: {name}"):
        cg.Recipe(**settings)


@pytest.mark.parametrize("name", sorted(cg.Recipe.NAMED))
def test_a_recipe_is_written_as_it_is_read(name: str, tmp_path: Path) -> None:
    recipe = cg.Recipe(extends=name, n=5, exclude=("company",), unimorph=("en=x",))
    (tmp_path / "recipe.toml").write_text(recipe.to_toml())
    assert configured(cg.Recipe, tmp_path / "recipe.toml") == recipe


def test_files_count_by_their_content(tmp_path: Path) -> None:
    labels = []
    for folder, text in (("a", "x 1\n"), ("b", "x 1\n"), ("c", "x 2\n")):
        file = tmp_path / folder / "counts"
        file.parent.mkdir()
        file.write_text(text)
        recipe = cg.Recipe(frequencies=str(file), marks=file, unimorph=(f"en={file}",))
        labels.append(recipe.label)
    assert labels[0] == labels[1] != labels[2]


@pytest.fixture(scope="module")
def mining(tmp_path_factory: pytest.TempPathFactory) -> cg.Mining:
    store = tmp_path_factory.mktemp("recipes") / "s.db"
    return cg.mine(str(sample.treebank("en")), language="en", store=store)


FEW = "*__subject-second-verb"  # a construction of few originals


def test_suites_are_named_by_recipe_and_by_what_differs_from_it(tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_text("")
    ways: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({}, {}), ({"n": 2}, {}), ({}, {"seed": 1}), ({"level": "morphology"}, {}),
        ({"words": "pseudo"}, {}), ({}, {"treebanks": (tmp_path / "a.conllu",)}),
        ({}, {"constructions": ("b", "a")}), ({"extends": "gulordava2018"}, {}),
        ({"extends": "gulordava2018", "n": 2}, {}), ({}, {"name": "mine"}),
    ]  # fmt: skip
    requests = [SuiteRequest(cg.Recipe(**recipe), **more) for recipe, more in ways]
    names = [request.suite_name("en/tested", "nonce") for request in requests]
    assert names[0] == "en/tested/nonce"
    assert all(name.startswith("en/tested/nonce~") for name in names[1:7])
    assert names[7] == "en/tested/nonce/gulordava2018"
    assert names[8].startswith("en/tested/nonce/gulordava2018~")
    assert names[9] == "mine"
    assert len(set(names)) == len(names)
    assert [request.recipe_line for request in requests[1:3]] == [
        "recipe default; n 2", "recipe default; seed 1",
    ]  # fmt: skip
    assert requests[6].recipe_line == "recipe default; construction a, b"
    assert SuiteRequest(cg.Recipe(level="frame")).differing == {"level": "+frame"}


def test_a_suite_says_how_it_was_made(mining: cg.Mining) -> None:
    origin = mining.originals.name.removesuffix("/originals")
    made = cg.make_nonce(mining, construction=FEW, n=1, level="morphology")
    assert made.meta["made"] == f"recipe default; n 1; level morphology; construction {FEW}"
    assert made.name.startswith(f"{origin}/nonce~")


def test_sets_are_composed_of_the_mining_whose_originals_are_named(mining: cg.Mining) -> None:
    store, name = mining.kept.store, mining.originals.name
    made = cg.compose(name, sets=4, store=store)
    assert made == cg.compose(mining, sets=4)
    assert made.meta["made"] == "recipe default; sets 4"
    with pytest.raises(cg.InputError) as caught:
        cg.compose(made.name, store=store)
    assert caught.value.kind == "unsupported"
    with mistake("unknown", "construction"):
        cg.compose(mining, construction="L__NOUN__VERB__nsbj")


def test_sets_are_composed_of_the_constructions_that_are_named(mining: cg.Mining) -> None:
    every = cg.compose(mining, sets=10)
    names = {item.agreement.construction for item in every.items if item.agreement}
    assert len(names) > 1
    for name in names:
        made = cg.compose(mining, sets=10, construction=name)
        found = {item.agreement.construction for item in made.items if item.agreement}
        assert found == {name}


def test_a_set_composed_elsewhere_is_of_the_mining_that_was_given(tmp_path: Path) -> None:
    """The number of a mining in its own store is that of another one in this store."""
    store = tmp_path / "s.db"
    cg.mine(str(sample.treebank("it")), store=store)
    suite = cg.compose(cg.mine(str(sample.treebank("en"))), sets=2, store=store)
    assert suite.name.startswith("en/tested/composed~")
    assert {item.language for item in suite.items} == {"en"}


@pytest.mark.parametrize(("level", "same"), [("+morphology", "morphology"), ("frame", "+frame")])
def test_a_level_is_the_same_with_and_without_plus(level: str, same: str) -> None:
    assert cg.Recipe(level=level) == cg.Recipe(level=same)


def test_what_stands_in_another_order_is_the_same_recipe() -> None:
    first, second = "company", "ambiguous_cue"
    assert cg.Recipe(exclude=(first, second)).label == cg.Recipe(exclude=(second, first)).label
    assert cg.Recipe(exclude=(first, "all")).label == cg.Recipe(exclude=("all",)).label


def test_a_suite_is_not_called_like_a_number(tmp_path: Path) -> None:
    with mistake("value", "name"):
        cg.make_nonce(cg.mine(str(sample.treebank("en"))), name="@1")
