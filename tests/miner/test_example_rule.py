"""The rule of docs/tutorial-plugin.md, as a package from outside would bring it."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from colorless_green.miner import RULES
from tests.builders import agreeing
from tests.miner.mining import clause, mined

PLUGIN = Path(__file__).resolve().parents[2] / "docs" / "examples" / "plugin"
EXAMPLE = PLUGIN / "colorless_example.py"


@pytest.mark.parametrize(("n_odd", "accepted"), [(1, True), (2, False)])
def test_more_than_half_is_kept_and_half_refused_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_odd: int, accepted: bool
) -> None:
    spec = spec_from_file_location("colorless_example", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setitem(sys.modules, "colorless_example", module)
    monkeypatch.setitem(RULES, "majority", "colorless_example:RULE")
    upos = ["NOUN", "ADP", "ADP", "ADP", "VERB"]
    blocks = [agreeing(upos, value, value) for value in ("Sing", "Plur")]
    blocks += [clause("Number=Sing", "t/t/Number=Plur")] * n_odd
    (found,) = mined(tmp_path, "majority", *blocks).constructions
    assert (found.accepted, found.n, found.n_agree) == (accepted, 2 + n_odd, 2)
    assert bool(found.reason) is not accepted
