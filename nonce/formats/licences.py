"""Licences of items: which they are, how the Hugging Face hub calls them, where their text is."""

import re

from colorless_green.nonce.item import Item

UNKNOWN = "unknown"  # the hub's own name for it
FACT = "_licence"  # the end of a fact's name: what else went into the item, UniMorph forms say
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


def licences_of(item: Item) -> tuple[str, ...]:
    """The SPDX ids of everything that went into an item, sorted; none if its own is not known.

    All of them bind together: those of the treebank whose sentence it is, and those of further
    sources of its words, which facts name (`wrong_form_licence`).
    """
    if not item.licence:
        return ()
    others = [value for name, value in item.facts.items() if name.endswith(FACT) and value]
    return tuple(sorted({item.licence, *others}))


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
