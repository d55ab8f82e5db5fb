"""The rule that docs/extending.md shows, as a package from outside would bring it."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from colorless_green.miner.mine import Mining, Request, mine
from colorless_green.miner.rules import RULES
from colorless_green.miner.treebank import treebank
from tests.builders import agreeing, conllu, write_conllu

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "majority_rule.py"
UPOS = ["NOUN", "ADP", "ADP", "ADP", "VERB"]


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> str:
    """The rule's name, once it can be found."""
    spec = spec_from_file_location("majority_rule", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setitem(__import__("sys").modules, "majority_rule", module)
    monkeypatch.setitem(RULES, "majority", "majority_rule:RULE")
    return "majority"


def mined(path: Path, rule: str, n_odd: int) -> Mining:
    odd = conllu(
        "c/NOUN/Sing/5", "x/ADP/-/5", "x/ADP/-/5", "x/ADP/-/5", "t/VERB/Plur/0", sent_id="0"
    )
    blocks = [agreeing(UPOS, value, f"{value}") for value in ("Sing", "Plur")]
    blocks += [odd.replace("sent_id = 0", f"sent_id = {n}") for n in range(n_odd)]
    return mine(treebank([write_conllu(path / "x-ud-train.conllu", *blocks)]), Request(rule))


def test_more_than_half_is_kept(tmp_path: Path, named: str) -> None:
    assert [each.accepted for each in mined(tmp_path, named, 1).constructions] == [True]


def test_half_is_refused_with_the_reason(tmp_path: Path, named: str) -> None:
    (found,) = mined(tmp_path, named, 2).constructions
    assert (found.accepted, found.reason) == (False, "2 of 4 agree, needs more than half")
