"""Agreement rules, one per module: which word pairs are instances, which constructions agree."""

from collections.abc import Mapping

from ...data.registry import load
from ..verdict.construction import Procedure
from . import released, strict, tested

RULES: Mapping[str, Procedure] = {
    rule.name: rule for rule in (released.RULE, strict.RULE, tested.RULE)
}
GROUP = "colorless_green.rules"


def procedure_named(name: str) -> Procedure:
    """Return the functions and default settings of a rule by its name.

    Args:
        name: `tested`, `strict`, `released`, or the name of a rule that another package brings.

    Returns:
        The procedure.

    Raises:
        InputError: there is no such rule; the message lists the known ones.

    >>> procedure_named("strict").about
    "the paper's words"
    """
    procedure: Procedure = load(RULES, name, "rule", GROUP)
    return procedure
