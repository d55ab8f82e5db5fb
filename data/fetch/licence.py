"""Licence and other facts that a repository states about itself, as plain text."""

import re

CC = re.compile(
    r"(?:\bCC[ -]+|\bCreative[ ]Commons[ ]+|creativecommons\.org/licenses/)"
    r"BY(?P<short>(?:[ -]+(?:NC|SA|ND))*)[ -/]+v?(?P<a>[1-4]\.[05])"
    r"|Attribution(?P<long>(?:\s*-\s*(?:Non-?Commercial|Share-?Alike|No-?Derivat\w+))*)"
    r"(?:\s+(?:Generic|International|Unported|License|Licence))*\s+(?P<b>[1-4]\.[05])",
    re.IGNORECASE,
)
OTHERS = {  # phrase, spaces collapsed and in lower case -> SPDX id
    "lgpl-lr": "LGPLLR",
    "lesser general public license for linguistic resources": "LGPLLR",
    "gnu gpl 2.0": "GPL-2.0-only",
    "gnu gpl 3.0": "GPL-3.0-only",
    "gnu general public license 3.0": "GPL-3.0-only",
    "gnu general public license version 3": "GPL-3.0-only",
    "apache license": "Apache-2.0",
    "mit license": "MIT",
    "cc0": "CC0-1.0",
}
FIELD = re.compile(r"^[ \t]*(License|Includes text)[ \t]*:[ \t]*(\S.*?)[ \t\r]*$", re.MULTILINE)


def spdx(text: str) -> str:
    """The SPDX id of the licence that a text names first; "" if it names none that is known.

    Creative Commons licences name themselves in four ways there: `CC BY-SA 4.0`, `Creative Commons
    BY-SA 4.0`, by address, and `Attribution-ShareAlike 4.0 International`.
    """
    match = CC.search(text)
    if match is not None:
        parts = ["CC", "BY"]
        wanted = (match["short"] or match["long"] or "").casefold().replace("-", "")
        for names, part in (
            (("nc", "noncom"), "NC"),
            (("sa", "share"), "SA"),
            (("nd", "noder"), "ND"),
        ):
            if any(name in wanted for name in names):
                parts.append(part)
        return "-".join([*parts, match["a"] or match["b"]])
    plain = " ".join(text.casefold().split())
    found = [(plain.index(phrase), name) for phrase, name in OTHERS.items() if phrase in plain]
    return min(found)[1] if found else ""


def stated(readme: str) -> dict[str, str]:
    """The fields `License` and `Includes text` of a treebank's README, where it has them.

    They stand near its end; where a field comes twice the last one counts.
    """
    return {match[1]: match[2] for match in FIELD.finditer(readme)}


def licence_of(readme: str, licence_text: str) -> tuple[str, str]:
    """(SPDX id, what is to be said about it or "") from README and licence file.

    The README's field decides, as it does for the UD site; a licence file that names another one is
    reported, since only its authors can say which was meant.
    """
    field = stated(readme).get("License", "")
    by_readme, by_file = spdx(field), spdx(licence_text)
    if by_readme and by_file and by_readme != by_file:
        return by_readme, f"its README says {by_readme}, its licence file {by_file}"
    if not (by_readme or by_file):
        return "", "it names no licence that is known here"
    return by_readme or by_file, ""


def withholds_text(readme: str) -> bool:
    """Whether a treebank is distributed with every form masked (`Includes text: no`)."""
    return stated(readme).get("Includes text", "").casefold().startswith("no")
