"""Where sentences are from, as far as a link can be given."""

import re

REPOSITORY = re.compile(r"(UD_[A-Z][A-Za-z_]*-[A-Z][A-Za-z0-9]*)(?:-r[0-9]+\.[0-9]+)?")
ADDRESS = "https://github.com/UniversalDependencies/"


def repository(treebank: str) -> str:
    """The address of a treebank of Universal Dependencies, by its name, maybe with a release
    behind it (`UD_Italian-VIT`, `UD_Hebrew-HTB-r2.0`); empty for any other name, so that no text
    from outside becomes an address."""
    found = REPOSITORY.fullmatch(treebank)
    return f"{ADDRESS}{found[1]}" if found else ""
