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
    """Return the circuit that a suite of SyntaxGym belongs to (Hu et al. 2020, §3.1).

    Args:
        suite_name: as in the released files. What counts is the part up to the first `-`, `_` or
            digit.

    Returns:
        The circuit's name; for a part that the paper does not have, that part itself, and for a
        name that begins with `-`, `_` or a digit, the name.

    >>> circuit("number_prep"), circuit("fgd_subject"), circuit("my_suite")
    ('Agreement', 'Long-Distance Dependencies', 'my')
    """
    match = PREFIX.match(suite_name)
    prefix = match[0] if match else ""
    return CIRCUITS.get(prefix, prefix or suite_name)


def modifier_of(names: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return the suites that are another one with a modifier, as `cleft_modifier` is `cleft` with
    one.

    Args:
        names: of suites; one that comes twice counts once.

    Returns:
        (base, the base with `_mod` or `_modifier`) for each such pair, in the order of the bases.

    >>> modifier_of(["cleft", "cleft_modifier", "npi"])
    (('cleft', 'cleft_modifier'),)
    """
    unique = tuple(dict.fromkeys(names))
    pairs = ((base, base + ending) for base in unique for ending in MODIFIERS)
    return tuple((base, modified) for base, modified in pairs if modified in unique)
