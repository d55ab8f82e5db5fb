"""Component oracle: the table of rules of exclusion against the fields that hold thresholds."""

from dataclasses import fields

import pytest

from colorless_green.humans import Rules, rules_of
from colorless_green.humans.judgments.rules import RULES

OTHER_NAMES = {"statuses": "status", "test_runs": "test_run"}  # of a rule that removes something
NO_RULES = ("required", "unambiguous")  # a rule for each fact; what goes with errors on fillers


@pytest.mark.parametrize("name", [e.name for e in fields(Rules) if e.name not in NO_RULES])
def test_every_rule_has_its_words_and_takes_its_default(name: str) -> None:
    rule = RULES[OTHER_NAMES.get(name, name)]
    assert rule.words
    if name.startswith(("min_", "max_", "planned")):
        assert getattr(rules_of(None, [f"{name}=1"]), name) == 1
    if rule.default:
        assert rules_of(None, [name]) == rules_of(None, [f"{name}={rule.default}"]) != Rules()
