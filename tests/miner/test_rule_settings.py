"""The settings of a rule: the same whoever says them, and refused whoever says them wrongly."""

import json
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

import colorless_green as cg
from colorless_green.data import sample
from colorless_green.data.configuration import configured
from colorless_green.data.errors import ErrorKind
from colorless_green.miner import REPAIRS, RULES, Rule, procedure_named, search_for
from tests.builders import mistake

SAMPLE = str(sample.treebank("en"))
WORDS = st.text("abcXYZ", min_size=1, max_size=8)
NO_TEXT = st.one_of(st.integers(), st.booleans(), st.floats(allow_nan=False))
NO_COUNT = st.one_of(st.integers(max_value=-1), st.booleans(), st.just(2.5), WORDS)
NO_SHARE = st.one_of(
    st.floats(1, exclude_min=True), st.floats(max_value=-1), st.just("half"), st.just(True)
)
NO_SWITCH = st.one_of(st.integers(), WORDS.filter(lambda word: word not in ("true", "false")))
NO_NAMES = st.one_of(NO_TEXT, st.lists(NO_TEXT, min_size=1, max_size=2))
BAD = {
    **dict.fromkeys(("patterns", "relations", "value_from", "filters", "contrasts"), NO_NAMES),
    **dict.fromkeys(("by", "gap_in", "direction", "repair"), st.one_of(NO_TEXT, WORDS)),
    **dict.fromkeys(("min_gap", "max_gap"), NO_COUNT),
    "min_n": st.one_of(NO_COUNT, st.just(0)),
    "floor": NO_SHARE,
    "alpha": st.one_of(NO_SHARE, st.just(0.0)),
    **dict.fromkeys(("projective", "undecided", "distant", "ghosts"), NO_SWITCH),
}


@st.composite
def bad_settings(draw: st.DrawFn) -> tuple[str, Any]:
    name = draw(st.sampled_from(sorted(BAD)))
    return name, draw(BAD[name])


def test_there_is_a_bad_value_for_every_setting() -> None:
    assert {*BAD} == {*vars(Rule())} - {"extends"}


@given(bad_settings())
def test_a_bad_value_is_refused_by_name_whoever_says_it(
    tmp_path_factory: pytest.TempPathFactory, setting: tuple[str, Any]
) -> None:
    name, value = setting
    kinds = ("value", "unknown")
    path = tmp_path_factory.mktemp("r") / "r.toml"
    line = f"{name} = {json.dumps(value)}"
    path.write_text(line + "\n")
    ways: dict[str, Any] = {
        f"Rule: {name}": lambda: Rule(**{name: value}),
        f"--set: {name}": lambda: configured(Rule, None, [line]),
        f"{path}: {name}": lambda: configured(Rule, path),
        name: lambda: configured(Rule, None, **{name: value}),
    }
    for location, said in ways.items():
        with pytest.raises(cg.InputError) as caught:
            said()
        assert caught.value.location == location
        assert caught.value.kind in kinds


@pytest.mark.parametrize(
    ("setting", "kind"),
    [
        ({"extends": "lenient"}, "unknown"),
        ({"filters": "verbs"}, "unknown"),
        ({"min_gap": -3}, "value"),
        ({"min_gap": "4"}, "value"),
        ({"min_n": 0}, "value"),
        ({"min_n": 2.5}, "value"),
        ({"alpha": 0}, "value"),
        ({"alpha": float("nan")}, "value"),
        ({"max_gap": 2}, "value"),
        ({"filters": ("all", "typo")}, "conflict"),
        ({"extends": "strict", "min_n": 4}, "unsupported"),
        ({"extends": "released", "alpha": 0.1}, "unsupported"),
        ({"extends": "released", "gap_in": "tokens"}, "unsupported"),
        ({"extends": "released", "undecided": True}, "unsupported"),
        ({"extends": "strict", "value_from": "det"}, "unsupported"),
        ({"extends": "strict", "ghosts": True}, "unsupported"),
    ],
)
def test_what_a_rule_cannot_have_is_refused_at_its_name(
    setting: dict[str, Any], kind: ErrorKind
) -> None:
    with mistake(kind, f"Rule: {[*setting][-1]}"):
        Rule(**setting)


@pytest.mark.parametrize("name", RULES)
def test_a_named_rule_is_what_its_procedure_selects(name: str) -> None:
    rule = Rule(extends=name)
    assert rule.label == name
    assert search_for(rule, ["Number"], "en").selection == procedure_named(name).selection


@pytest.mark.parametrize("name", RULES)
def test_a_rule_written_as_toml_is_the_same_rule(tmp_path: Path, name: str) -> None:
    rule = Rule(extends=name, max_gap=7, relations=("det", "nsubj"), filters=("typo", "foreign"))
    path = tmp_path / "r.toml"
    path.write_text(rule.to_toml(), encoding="utf-8")
    assert configured(Rule, path) == rule


def test_a_setting_is_the_same_mining_whoever_says_it(tmp_path: Path) -> None:
    path, store = tmp_path / "r.toml", tmp_path / "s.db"
    path.write_text("min_gap = 4\n")
    rule = Rule(min_gap=4)
    said: list[Rule | str | Path] = [rule, path, str(path), configured(Rule, None, ["min_gap=4"])]
    kept = [cg.mine(SAMPLE, rule=way, store=store) for way in said]
    assert len({each.kept.id for each in kept}) == 1
    assert cg.mine(SAMPLE, store=store).kept.id != kept[0].kept.id
    with cg.Store(store) as opened:
        (row, _) = opened.rows("SELECT rule, request FROM treebank ORDER BY treebank_id")
    assert (row["rule"], json.loads(str(row["request"]))) == (rule.label, rule.contents())


def test_settings_that_mean_the_same_are_the_same_settings() -> None:
    every = tuple(reversed(Rule().contents()["filters"]))
    assert Rule(filters=every).label == "tested"
    assert Rule(relations=("det", "nsubj")).digest == Rule(relations=("nsubj", "det")).digest


def test_a_pattern_s_file_counts_by_its_content(tmp_path: Path) -> None:
    one, same, other = (tmp_path / f"{name}.toml" for name in ("one", "same", "other"))
    for path, relation in ((one, "nsubj"), (same, "nsubj"), (other, "obj")):
        path.write_text(f'[[pattern]]\nname = "mine"\npath = ["<{relation}", ">aux"]\n')
    first, second, third = (Rule(patterns=(path,)) for path in (one, same, other))
    assert first.label == second.label != third.label


def test_originals_are_named_by_treebank_rule_and_what_differs(tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("".join(f"{word}\n" for word in ("the", "keys", "are")))

    def name(**options: Any) -> str:
        return cg.mine(SAMPLE, name="x", **options).originals.name

    assert name() == "x/tested/originals"
    assert name(rule="released") == "x/released/originals"
    names = {name(rule=Rule(min_gap=4)), name(vocabulary=words)}
    names |= {name(rule=Rule(min_gap=4), vocabulary=words)}
    assert len(names) == 3
    assert all(each.startswith("x/tested~") for each in names)
    mining = cg.mine(SAMPLE, rule=Rule(min_gap=4), vocabulary=words)
    assert mining.originals.meta["made"] == "rule tested; min_gap 4; vocabulary words.txt"


def test_every_repair_can_be_asked_for() -> None:
    words = get_args(get_args(get_type_hints(Rule)["repair"])[0])
    assert {*words} == {"auto", "none", *REPAIRS}
