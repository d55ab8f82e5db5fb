"""Licences of items: which they are, which go together, and how the Hugging Face hub calls them.

An item carries the licence of its source in `licence` and those of whatever else went into its
words in facts: `words_licence` (another treebank's words), `wrong_form_licence` (UniMorph). All of
them bind together, and of some of them the texts say that this cannot be: CONFLICTS. Items that
stand beside each other in a suite are a collection, each under its own licences.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from colorless_green.data.errors import InputError
from colorless_green.nonce.item import Item

UNKNOWN = "unknown"  # the hub's own name for it
SOURCES = {"words_licence": "words_from", "wrong_form_licence": "UniMorph"}
"""Facts that are licences, and the fact that names their source, or the source."""
ADAPTED = ("original", "nonce")  # kinds of items in which we changed the source's words
HUB = {  # SPDX id → the hub's id, where that is not the SPDX id in lower case
    "LGPLLR": "lgpl-lr",
    "GPL-2.0-only": "gpl-2.0",
    "GPL-3.0-only": "gpl-3.0",
}
HUB_HAS = frozenset(  # of what treebanks and published sets have; the hub's list, 2025
    {
        "apache-2.0", "cc-by-2.0", "cc-by-2.5", "cc-by-3.0", "cc-by-4.0", "cc-by-nc-2.0",
        "cc-by-nc-3.0", "cc-by-nc-4.0", "cc-by-nc-nd-3.0", "cc-by-nc-nd-4.0", "cc-by-nc-sa-2.0",
        "cc-by-nc-sa-3.0", "cc-by-nc-sa-4.0", "cc-by-nd-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0",
        "cc0-1.0", "gpl-2.0", "gpl-3.0", "lgpl-lr", "mit",
    }
)  # fmt: skip
CC = re.compile(r"CC-(BY(?:-NC)?(?:-SA|-ND)?)-([1-4]\.[05])")


class Conflict(NamedTuple):
    """Two licences that one work cannot have at once, as their texts state."""

    one: re.Pattern[str]  # SPDX ids
    other: re.Pattern[str]
    reason: str
    text: str  # where it is said


def _conflict(one: str, other: str, reason: str, text: str) -> Conflict:
    return Conflict(re.compile(one), re.compile(other), reason, text)


NC = r"CC-BY-NC\b.*"
CONFLICTS = (
    _conflict(
        r"CC-BY-SA-.*", NC,
        "what is adapted from BY-SA has BY-SA's terms, which allow commercial use",
        "CC BY-SA 4.0 §3(b); 3.0 §4(b)",
    ),
    _conflict(
        r"CC-BY-SA-1\.0.*", r"CC-BY-SA-(?!1\.0).*", "version 1.0 names no later version",
        "CC BY-SA 1.0 §4(b)",
    ),
    _conflict(
        r"CC-BY-NC-SA-1\.0.*", r"CC-BY-NC-SA-(?!1\.0).*", "version 1.0 names no later version",
        "CC BY-NC-SA 1.0 §4(b)",
    ),
    _conflict(
        r"A?GPL-.*", NC, "the GPL takes no further restriction, and NC is one",
        "GPL 2 §6; GPL 3 §10",
    ),
    _conflict(
        r"GPL-2\.0(-only)?", r"CC-BY-SA-.*",
        "both ask for themselves, and BY-SA 4.0 is compatible with version 3 of the GPL alone",
        "GPL 2 §2(b); CC BY-SA 4.0 §3(b) and the list of compatible licences",
    ),
    _conflict(
        r"GPL-2\.0(-only)?", r"A?GPL-3\.0.*", "each asks for itself, and neither for the other",
        "GPL 2 §2(b); GPL 3 §5(c)",
    ),
    _conflict(
        r"LGPLLR.*", r"CC-BY(-NC)?-SA-.*", "both ask for themselves",
        "LGPLLR §2; CC BY-SA 4.0 §3(b), CC BY-NC-SA 4.0 §3(b)",
    ),
)  # fmt: skip
NO_DERIVATIVES = _conflict(
    r"CC-BY(-NC)?-ND-.*", r".*", "nobody may share what is adapted from ND",
    "CC BY-ND 4.0 §2(a)(1); 3.0 §3",
)  # fmt: skip


def licences_of(item: Item) -> tuple[str, ...]:
    """The SPDX ids of everything that went into an item, sorted; none if one of them is unknown."""
    parts = _parts(item)
    return () if "" in parts else tuple(sorted(parts))


def _parts(item: Item) -> dict[str, str]:
    """Licence → the source that has it; "" for what is unknown."""
    found = dict.fromkeys(item.licence.split(" AND "), item.source)
    for fact, source in SOURCES.items():
        if fact in item.facts:
            found.setdefault(item.facts[fact], item.facts.get(source, source))
    return found


def conflict_of(item: Item) -> tuple[str, str, Conflict] | None:
    """Two licences of an item that do not go together, and why; `None` if all do.

    A licence that is unknown conflicts with none. The two are one where it allows no adaptation.

    >>> from colorless_green.nonce import Item
    >>> item = Item("i", "nonce", "i", "it", "UD_A", "CC-BY-NC-SA-3.0", {},
    ...             facts={"words_from": "UD_B", "words_licence": "CC-BY-SA-4.0"})
    >>> conflict_of(item)[:2]
    ('CC-BY-SA-4.0', 'CC-BY-NC-SA-3.0')
    """
    parts = [each for each in _parts(item) if each]
    for one in parts:
        if NO_DERIVATIVES.one.fullmatch(one) and (item.kind in ADAPTED or len(parts) > 1):
            other = next((each for each in parts if each != one), one)
            return one, other, NO_DERIVATIVES
        for other in parts:
            for rule in CONFLICTS:
                if rule.one.fullmatch(one) and rule.other.fullmatch(other):
                    return one, other, rule
    return None


def demand_compatible(items: Iterable[Item]) -> None:
    """Raises `InputError` for the first item whose licences do not go together."""
    for item in items:
        found = conflict_of(item)
        if found is not None:
            one, other, rule = found
            parts = _parts(item)
            told = " and ".join(f"{each} ({parts[each]})" for each in dict.fromkeys((one, other)))
            raise InputError(
                f"item {item.item_id}",
                f"it would be under {told}: {rule.reason} ({rule.text})",
                "sources whose licences go together: other words (nonce --treebank), forms without "
                "--unimorph; --construction leaves items out",
                kind="conflict",
            )


def hub_id(licence: str) -> str:
    """The hub's id of a licence: `other` for one it does not list, `unknown` for none."""
    if not licence:
        return UNKNOWN
    known = HUB.get(licence, licence.lower())
    return known if known in HUB_HAS else "other"


def link(licence: str) -> str:
    """Where the text of a licence is; "" where SPDX has none of that name."""
    match = CC.fullmatch(licence)
    if match is not None:
        return f"https://creativecommons.org/licenses/{match[1].lower()}/{match[2]}/"
    return "" if not licence or "LicenseRef" in licence else f"https://spdx.org/licenses/{licence}"
