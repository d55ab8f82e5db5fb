"""Licences of items: which they are, which go together, and how the Hugging Face hub calls them.

An item carries the licence of its source in `licence` and those of whatever else went into its
words in facts: `words_licence` (another treebank's words), `wrong_form_licence` (UniMorph). All of
them bind together, which some of them exclude: CONFLICTS. Items that
stand beside each other in a suite are a collection, each under its own licences.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from ..errors import InputError
from ..items.item import Item

UNKNOWN = "unknown"  # the hub's own name for it
SOURCES = {"words_licence": "words_from", "wrong_form_licence": "UniMorph"}
"""Facts that are licences, and the fact that names their source, or the source."""
ADAPTED = ("original", "nonce")  # kinds of items in which we changed the source's words
HUB = {  # SPDX id → the hub's id, where that is not the SPDX id in lower case
    "LGPLLR": "lgpl-lr", "ODC-By-1.0": "odc-by", "ODbL-1.0": "odbl", "PDDL-1.0": "pddl",
}  # fmt: skip
VERSIONS = re.compile("-(only|or-later)$")  # of GNU licences, which the hub does not tell apart
HUB_HAS = frozenset(  # of what treebanks and published sets have; the hub's list, 2025
    {
        "apache-2.0", "cc-by-2.0", "cc-by-2.5", "cc-by-3.0", "cc-by-4.0", "cc-by-nc-2.0",
        "cc-by-nc-3.0", "cc-by-nc-4.0", "cc-by-nc-nd-3.0", "cc-by-nc-nd-4.0", "cc-by-nc-sa-2.0",
        "cc-by-nc-sa-3.0", "cc-by-nc-sa-4.0", "cc-by-nd-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0",
        "cc0-1.0", "gpl-2.0", "gpl-3.0", "lgpl-lr", "mit",
        "agpl-3.0", "bsd-2-clause", "bsd-3-clause", "eupl-1.2", "lgpl-2.1", "lgpl-3.0", "mpl-2.0",
        "odbl", "odc-by", "pddl", "unlicense",
    }
)  # fmt: skip
CC = re.compile(r"CC-(BY(?:-NC)?(?:-SA|-ND)?)-([1-4]\.[05])")


class Conflict(NamedTuple):
    """Two licences that one work cannot have at once."""

    licence: str  # patterns of SPDX ids
    excluded: str
    reason: str


NO_DERIVATIVES = Conflict("CC-BY(-NC)?-ND-.*", ".*", "nobody may share what is adapted from ND")
CONFLICTS = (  # only what the licences say beyond doubt; of other pairs nothing is said
    NO_DERIVATIVES,
    Conflict(
        "CC-BY-SA-.*", "CC-BY-NC-SA-.*", "each of the two wants what is adapted under its own terms"
    ),
    Conflict("A?GPL-.*", r"CC-BY-NC\b.*", "the GPL takes no further restriction, and NC is one"),
)


def licences_of(item: Item) -> tuple[str, ...]:
    """Return the licences of everything that went into an item.

    Args:
        item: with the licence of its source, and in its facts those of its words.

    Returns:
        SPDX ids, sorted; none if one of them is unknown.

    >>> item = Item("i", "nonce", "i", "it", "UD_A", "CC-BY-SA-3.0", {},
    ...             facts={"words_from": "UD_B", "words_licence": "CC-BY-SA-4.0"})
    >>> licences_of(item)
    ('CC-BY-SA-3.0', 'CC-BY-SA-4.0')
    """
    sources = _sources(item)
    return () if "" in sources else tuple(sorted(sources))


def _sources(item: Item) -> dict[str, str]:
    """Return for each licence the source that has it; "" for what is unknown."""
    sources = dict.fromkeys(item.licence.split(" AND "), item.source)
    for fact, source in SOURCES.items():
        if fact in item.facts:
            for licence in item.facts[fact].split(" AND "):
                sources.setdefault(licence, item.facts.get(source, source))
    return sources


def conflict_of(item: Item) -> tuple[str, str, Conflict] | None:
    """Return two licences of an item that do not go together.

    A licence that is unknown conflicts with none. One that forbids adaptation conflicts with every
    other, and with itself where the item's sentences were changed.

    Args:
        item: with the licence of its source, and in its facts those of its words.

    Returns:
        Both licences and the rule that they break, with its reason; None if all go together.

    >>> item = Item("i", "nonce", "i", "it", "UD_A", "CC-BY-NC-SA-3.0", {},
    ...             facts={"words_from": "UD_B", "words_licence": "CC-BY-SA-4.0"})
    >>> conflict_of(item)[:2]
    ('CC-BY-SA-4.0', 'CC-BY-NC-SA-3.0')
    """
    licences = [licence for licence in _sources(item) if licence]
    for code in licences:
        rivals = [licence for licence in licences if licence != code]
        for rule in CONFLICTS:
            if re.fullmatch(rule.licence, code):
                adapted = [code] if rule is NO_DERIVATIVES and item.kind in ADAPTED else []
                for rival in [*rivals, *adapted]:
                    if re.fullmatch(rule.excluded, rival):
                        return code, rival, rule
    return None


def demand_compatible(items: Iterable[Item]) -> None:
    """Raise `InputError` for the first item whose licences do not go together."""
    for item in items:
        conflict = conflict_of(item)
        if conflict is not None:
            code, rival, rule = conflict
            owner = _sources(item)
            names = " and ".join(f"{name} ({owner[name]})" for name in dict.fromkeys((code, rival)))
            wrong = f"it would be under {names}: {rule.reason}"
            right = (
                "sources whose licences go together: other words (nonce --treebank), forms without "
                "--unimorph; --construction leaves items out"
            )
            raise InputError(f"item {item.item_id}", wrong, right, kind="conflict")


def demand_licences(items: Iterable[Item]) -> None:
    """Raise `InputError` for the first item whose licence is not known."""
    for item in items:
        if not licences_of(item):
            wrong = f"nothing is known of the licence of {item.source or 'its source'}"
            right = "--license-ok to publish it as of unknown licence, or another format"
            raise InputError(f"item {item.item_id}", wrong, right, kind="missing")


def hub_id(licence: str) -> str:
    """Return the hub's id of a licence: `other` for one it does not list, `unknown` for none."""
    if not licence:
        return UNKNOWN
    code = HUB.get(licence, VERSIONS.sub("", licence).lower())
    return code if code in HUB_HAS else "other"


def link(licence: str) -> str:
    """Return the address of a licence's text; "" where SPDX has none of that name."""
    match = CC.fullmatch(licence)
    if match is not None:
        return f"https://creativecommons.org/licenses/{match[1].lower()}/{match[2]}/"
    return "" if not licence or "LicenseRef" in licence else f"https://spdx.org/licenses/{licence}"
