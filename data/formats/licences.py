"""Licences of items: find them, check that they are compatible, name them as Hugging Face does.

The field `licence` of an item is that of its source. The licences of other material in it are
facts: `words_licence` (words of another treebank), `wrong_form_licence` (UniMorph). All apply to
the item at once, which some licences exclude: see `licences.toml`. The items of a suite are a
collection, in which each item keeps its own licences.
"""

import re
import tomllib
from collections.abc import Iterable
from itertools import product
from typing import NamedTuple

from ..errors import InputError
from ..items.item import Item
from ..shell import resource

UNKNOWN = "unknown"  # the hub's id for an unknown licence
SOURCE_OF = {"words_licence": "words_from", "wrong_form_licence": "UniMorph"}
"""Fact with a licence → fact with the name of its source, or the name itself"""
ADAPTED = ("original", "nonce")  # kinds of items in which we have changed words of the source
GNU_SUFFIX = re.compile("-(only|or-later)$")  # in ids of GNU licences; the hub has one id for both
CC_ID = re.compile(r"CC-(?P<terms>BY(?:-NC)?(?:-SA|-ND)?)-(?P<version>[1-4]\.[05])")


class Conflict(NamedTuple):
    """A rule that says which two licences cannot apply to one work."""

    licence: str  # pattern of SPDX ids
    excluded: str  # pattern of SPDX ids that such a licence excludes
    reason: str


FACTS = tomllib.loads(resource(__package__, "licences.toml"))
CONFLICTS = [Conflict(**rule) for rule in FACTS["conflicts"]]


def licences_of(item: Item) -> tuple[str, ...]:
    """Return the licences of everything that went into an item.

    Args:
        item: any item.

    Returns:
        SPDX ids, sorted; empty if one of them is unknown.

    >>> item = Item("i", "nonce", "i", "it", "UD_A", "CC-BY-SA-3.0", {},
    ...             facts={"words_from": "UD_B", "words_licence": "CC-BY-SA-4.0"})
    >>> licences_of(item)
    ('CC-BY-SA-3.0', 'CC-BY-SA-4.0')
    """
    sources = _source_by_licence(item)
    return () if "" in sources else tuple(sorted(sources))


def _source_by_licence(item: Item) -> dict[str, str]:
    """Return licence → name of the source that has it, for all material in an item. An unknown
    licence is ""."""
    sources = dict.fromkeys(item.licence.split(" AND "), item.source)
    for fact, source_fact in SOURCE_OF.items():
        if fact in item.facts:
            source = item.facts.get(source_fact, source_fact)
            for licence in item.facts[fact].split(" AND "):
                sources.setdefault(licence, source)
    return sources


def conflict_of(item: Item) -> tuple[str, str, Conflict] | None:
    """Return two licences of an item that cannot apply to it at once.

    An unknown licence conflicts with none. One that forbids adaptation conflicts with every other
    licence, and with itself if the item's sentences were changed.

    Args:
        item: any item.

    Returns:
        Both licences and the rule that they break; None if all licences are compatible.

    >>> item = Item("i", "nonce", "i", "it", "UD_A", "CC-BY-NC-SA-3.0", {},
    ...             facts={"words_from": "UD_B", "words_licence": "CC-BY-SA-4.0"})
    >>> conflict_of(item)[:2]
    ('CC-BY-SA-4.0', 'CC-BY-NC-SA-3.0')
    """
    licences = [licence for licence in _source_by_licence(item) if licence]
    for code, rule in product(licences, CONFLICTS):
        others = [licence for licence in licences if licence != code]
        if item.kind in ADAPTED:
            others.append(code)  # what forbids adaptation conflicts with itself
        for other in others:
            if re.fullmatch(rule.licence, code) and re.fullmatch(rule.excluded, other):
                return code, other, rule
    return None


def demand_compatible(items: Iterable[Item]) -> None:
    """Raise `InputError` for the first item whose licences are not compatible."""
    for item in items:
        conflict = conflict_of(item)
        if conflict is not None:
            code, other, rule = conflict
            sources = _source_by_licence(item)
            both = dict.fromkeys((code, other))
            names = " and ".join(f"{name} ({sources[name]})" for name in both)
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
    """Return the hub's id of a licence (SPDX id): `other` if it has none, `unknown` for ""."""
    if not licence:
        return UNKNOWN
    code = FACTS["hub_ids"].get(licence, GNU_SUFFIX.sub("", licence).lower())
    return code if code in FACTS["known_to_hub"] else "other"


def link(licence: str) -> str:
    """Return the address of the text of a licence (SPDX id); "" if there is none."""
    match = CC_ID.fullmatch(licence)
    if match is not None:
        terms, version = match["terms"].lower(), match["version"]
        return f"https://creativecommons.org/licenses/{terms}/{version}/"
    return "" if not licence or "LicenseRef" in licence else f"https://spdx.org/licenses/{licence}"
