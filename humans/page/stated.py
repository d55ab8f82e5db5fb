"""Which imports speak on the page, and with which of them a rule of exclusion came."""

from collections.abc import Mapping, Sequence
from typing import Any

from colorless_green.humans.exclusion import Excluded
from colorless_green.humans.stored import ImportedSet


def speaking(imports: Sequence[ImportedSet]) -> list[ImportedSet]:
    """Those that hold answers or words read: a table of items without answers tells of nobody."""
    return [
        each
        for each in imports
        if each.summary.get("n_judgments") or each.summary.get("n_readings")
    ]


def files_of(imports: Sequence[ImportedSet]) -> str:
    """`a.csv, b.csv`: the names of their files, each once."""
    names = (name for each in imports for name, _ in each.files or ((each.name, ""),))
    return ", ".join(dict.fromkeys(names))


def stated_with(imports: Sequence[ImportedSet], gone: Excluded) -> str:
    """The files whose import had the rule of `gone` with its threshold; empty where all imports
    have the same rules, so that nothing has to be told apart, and for rules without a threshold."""
    told = speaking(imports)
    if len({each.rules_digest for each in told}) < 2:
        return ""
    return files_of([each for each in told if _has(each.rules, gone.rule, gone.threshold)])


def _has(rules: Mapping[str, Any], rule: str, threshold: str) -> bool:
    fact = rule.removeprefix("required.")
    if fact != rule:
        return threshold == " or ".join(rules.get("required", {}).get(fact, ()))
    value = rules.get(rule)
    return isinstance(value, int | float) and f"{value:g}" == threshold
