"""Where sentences are from: as far as a link can be given, and in words."""

import re

from colorless_green.nonce.item import Item

REPOSITORY = re.compile(r"(UD_[A-Z][A-Za-z_]*-[A-Z][A-Za-z0-9]*)(?:-r[0-9]+\.[0-9]+)?")
ADDRESS = "https://github.com/UniversalDependencies/"
BARE = re.compile(r"[\w.\-]+")  # the name of a file, without its ending or with it
PAIR = {"right", "wrong"}


def repository(treebank: str) -> str:
    """The address of a treebank of Universal Dependencies, by its name, maybe with a release
    behind it (`UD_Italian-VIT`, `UD_Hebrew-HTB-r2.0`); empty for any other name, so that no text
    from outside becomes an address."""
    found = REPOSITORY.fullmatch(treebank)
    return f"{ADDRESS}{found[1]}" if found else ""


def origin(item: Item) -> str:
    """Its source in words. Pairs of a table of the researchers' own have no other source than the
    table's name, which alone would tell a reader nothing."""
    is_own = item.agreement is None and not item.licence and set(item.conditions) == PAIR
    if is_own and BARE.fullmatch(item.source):
        return f"a table of the researchers (“{item.source}”)"
    return item.source
