"""Agreement rules, one a file: what counts as an instance, which constructions are kept."""

from collections.abc import Mapping

from ...data.registry import load
from ..verdict.construction import Procedure
from . import released, strict, tested

RULES: Mapping[str, Procedure] = {
    rule.name: rule for rule in (released.RULE, strict.RULE, tested.RULE)
}
GROUP = "colorless_green.rules"


def procedure_named(name: str) -> Procedure:
    """Return what a rule does, found by the rule's name.

    Args:
        name: `tested`, `strict`, `released`, or the name of a rule that another package brings.

    Returns:
        Its functions.

    Raises:
        InputError: there is no such rule; the message lists those there are.

    >>> procedure_named("strict").about
    "the paper's words"
    """
    procedure: Procedure = load(RULES, name, "rule", GROUP)
    return procedure
