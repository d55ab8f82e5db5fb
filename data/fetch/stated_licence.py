"""Read in the README and licence file of a treebank under which licence it is.

`licences.tsv` has the SPDX id, and a pattern of the licence's name, spaces collapsed; "-only" may
turn out as "-or-later".
"""

import re
from functools import cache
from pathlib import Path

from ..tables import read_tsv

TABLE = Path(__file__).parent / "licences.tsv"
CC = re.compile(
    r"(?:\bCC[ -]+|\bCreative[ ]Commons[ ]+|creativecommons\.org/licenses/)"
    r"BY(?P<short>(?:[ -]+(?:NC|SA|ND))*)[ -/]+v?(?P<a>[1-4]\.[05])"
    r"|Attribution(?P<long>(?:\s*-\s*(?:Non-?Commercial|Share-?Alike|No-?Derivat\w+))*)"
    r"(?:\s+(?:Generic|International|Unported|License|Licence))*\s+(?P<b>[1-4]\.[05])",
    re.IGNORECASE,
)
CC_TERMS = {"NC": "nc|non-?com", "SA": "sa|share", "ND": "nd|no-?der"}
FIELD = re.compile(r"^[ \t]*(License|Includes text)[ \t]*:[ \t]*(\S.*?)[ \t\r]*$", re.MULTILINE)


def licence_of(readme: str, licence_text: str) -> tuple[str, str]:
    """Return the licence that a repository states.

    The README's field decides, as it does for the UD site; a licence file that names another one is
    reported, since only the authors can say which one they meant.

    Args:
        readme: Text of the README, "" if there is none.
        licence_text: Text of the licence file, "" if there is none.

    Returns:
        (SPDX id or "", a note about it or "").

    >>> licence_of("License: CC BY-SA 4.0", "")
    ('CC-BY-SA-4.0', '')
    """
    by_readme, by_file = _spdx(_readme_field(readme, "License")), _spdx(licence_text)
    if by_readme and by_file and by_readme != by_file:
        return by_readme, f"its README says {by_readme}, its licence file {by_file}"
    licence = by_readme or by_file
    return licence, "" if licence else "it names no licence that is known here"


def withholds_text(readme: str) -> bool:
    """Return whether a treebank is distributed with every form masked (`Includes text: no`)."""
    return _readme_field(readme, "Includes text").casefold().startswith("no")


def _readme_field(readme: str, field: str) -> str:
    """Return a field of a treebank's README. Fields are near its end; the last of a name counts."""
    return {match[1]: match[2] for match in FIELD.finditer(readme)}.get(field, "")


def _spdx(text: str) -> str:
    """Return the SPDX id of the licence that a text names first; "" if it names no known one.

    Texts name a Creative Commons licence in four ways: `CC BY-SA 4.0`, `Creative Commons BY-SA
    4.0`, by address, and `Attribution-ShareAlike 4.0 International`.
    """
    if match := CC.search(text):
        terms = (match["short"] or match["long"] or "").casefold()
        abbreviations = [term for term, pattern in CC_TERMS.items() if re.search(pattern, terms)]
        return "-".join(["CC", "BY", *abbreviations, match["a"] or match["b"]])
    plain = " ".join(text.split())
    named = ((licence, pattern.search(plain)) for licence, pattern in _licences().items())
    hits = [(hit.start(), hit.end(), licence) for licence, hit in named if hit]
    if not hits:
        return ""
    _, end, name = min(hits)
    later = plain[end:].startswith(("-or-later", "+", " or later"))
    return name.replace("-only", "-or-later") if later else name


@cache
def _licences() -> dict[str, re.Pattern[str]]:
    """Return all licences of the table with the pattern of their names."""
    return {row["licence"]: re.compile(row["pattern"]) for row in read_tsv(TABLE)}
