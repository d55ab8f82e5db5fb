"""The works that a method section cites, from `references.bib`: as BibTeX and in words."""

import re
from collections.abc import Iterable, Mapping
from functools import cache

from colorless_green.nonce.page.shell import resource

PAPERS: Mapping[str, str] = {  # names of published tables → works
    "gulordava2018": "gulordava2018",
    "marvin2018": "marvin2018",
    "hu2020-syntaxgym": "hu2020systematic",
    "hu2020-reflexives": "hu2020reflexives",
    "warstadt2020": "warstadt2020",
}
FILE = "references.bib"
ENTRY = re.compile(r"@\w+\{(\w+),\n(?:  \w+ = \{.*\},\n)+\}\n", re.MULTILINE)
FIELD = re.compile(r"  (\w+) = \{(.*)\},")
TEX: Mapping[str, str] = {  # what the file writes for letters that are not ASCII
    r"{\"a}": "ä", r"{\"o}": "ö", r"{\v{c}}": "č", "--": "–", r"\&": "&",
}  # fmt: skip
VENUES = ("booktitle", "journal", "publisher")


@cache
def works() -> Mapping[str, tuple[str, Mapping[str, str]]]:
    """Key → its entry, and its fields in plain letters. The file has a field a line."""
    text = resource("colorless_green.humans.page", FILE)
    return {m[1]: (m[0], dict(map(_plain, FIELD.findall(m[0])))) for m in ENTRY.finditer(text)}


def _plain(field: tuple[str, str]) -> tuple[str, str]:
    name, value = field
    for tex, letter in TEX.items():
        value = value.replace(tex, letter) if name != "doi" else value
    return name, value.replace("{", "").replace("}", "")


def cited(key: str) -> str:
    """The work as a text cites it: `Holm 1979`, `Hu, Chen & Levy 2020`, `Hu et al. 2020`."""
    fields = works()[key][1]
    names = [author.partition(",")[0] for author in fields["author"].split(" and ")]
    if len(names) > 3:
        return f"{names[0]} et al. {fields['year']}"
    head = ", ".join(names[:-1])
    return f"{head} & {names[-1]} {fields['year']}" if head else f"{names[-1]} {fields['year']}"


def in_words(key: str) -> str:
    """The work as a list of references has it."""
    fields = works()[key][1]
    where = next(fields[name] for name in VENUES if name in fields)
    number = f"({fields['number']})" if "number" in fields else ""
    volume = f" {fields['volume']}{number}" if "volume" in fields else ""
    edition = f", {fields['edition']} edition" if "edition" in fields else ""
    pages = f", {fields['pages']}" if "pages" in fields else ""
    doi = f" doi:{fields['doi']}" if "doi" in fields else ""
    authors = fields["author"].replace(" and ", "; ")
    return f"{authors} ({fields['year']}). {fields['title']}. {where}{volume}{edition}{pages}.{doi}"


def bibtex(keys: Iterable[str]) -> str:
    """The entries of some works, in this order."""
    return "\n".join(works()[key][0] for key in keys)


class Citations:
    """Cites works in a text and remembers which."""

    def __init__(self) -> None:
        self._keys: dict[str, None] = {}

    def __call__(self, *keys: str) -> str:
        """` (Holm 1979)`; nothing for no keys."""
        self._keys.update(dict.fromkeys(keys))
        return f" ({'; '.join(map(cited, dict.fromkeys(keys)))})" if keys else ""

    @property
    def keys(self) -> list[str]:
        """Those cited, as a list of references is sorted."""
        return sorted(self._keys, key=lambda key: in_words(key).lower())
