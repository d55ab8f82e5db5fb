"""Agreement rules, one a file: what counts as an instance, which constructions are kept."""

from collections.abc import Mapping

from ..verdict.rule import Rule
from . import released, strict, tested

RULES: Mapping[str, Rule] = {rule.name: rule for rule in (released.RULE, strict.RULE, tested.RULE)}
GROUP = "colorless_green.rules"
