"""What SyntaxGym's suites are about: circuits by name, and which suite is another with a modifier.

Hu et al. 2020 (§3.1) group their suites into six circuits; the released files carry the circuit in
nothing but their names.
"""

import re
from collections.abc import Iterable

CIRCUITS = {
    "number": "Agreement",
    "npi": "Licensing",
    "reflexive": "Licensing",
    "npz": "Garden-Path Effects",
    "mvrr": "Garden-Path Effects",
    "subordination": "Gross Syntactic State",  # "Gross Syntactic Expectation" in the paper's text
    "center": "Center Embedding",
    "fgd": "Long-Distance Dependencies",
    "cleft": "Long-Distance Dependencies",
}
PREFIX = re.compile("[^-_0-9]*")
MODIFIERS = ("_mod", "_modifier")


def circuit(suite_name: str) -> str:
    """The circuit of a suite: that of its name up to the first `-`, `_` or digit; a prefix that
    the paper does not have stands for itself, a name that begins with one of those for itself.

    >>> circuit("number_prep"), circuit("fgd_subject")
    ('Agreement', 'Long-Distance Dependencies')
    """
    match = PREFIX.match(suite_name)
    prefix = match[0] if match else ""
    return CIRCUITS.get(prefix, prefix or suite_name)


def modifier_of(names: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """(base, the same with a modifier) for each suite whose name is another's with `_mod` or
    `_modifier` behind it, in the order of the bases.

    >>> modifier_of(["cleft", "cleft_modifier", "npi"])
    (('cleft', 'cleft_modifier'),)
    """
    unique = tuple(dict.fromkeys(names))
    pairs = ((base, base + ending) for base in unique for ending in MODIFIERS)
    return tuple((base, modified) for base, modified in pairs if modified in unique)
