"""Codes and names of languages: check a code, suggest the code that a user means by a name.

The table `languages.tsv` has every language of Universal Dependencies under UD's code: its English
name, its own name, and other common names. All other codes are those of IANA's registry, which the
package langcodes ships.
"""

from collections.abc import Iterator
from contextlib import suppress
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from .errors import InputError
from .files import read_text

TABLE = Path(__file__).parent / "languages.tsv"
RTL_LANGUAGES = frozenset(  # languages usually written from right to left
    (
        *("ar", "arc", "ary", "arz", "azb", "ckb", "dv", "fa", "glk", "he", "iw", "khw", "ks"),
        *("lrc", "mzn", "nqo", "pnb", "prs", "ps", "sd", "syc", "syr", "ug", "ur", "yi"),
    )
)
RTL_SCRIPTS = frozenset(("adlm", "arab", "hebr", "mand", "nkoo", "rohg", "samr", "syrc", "thaa"))


def checked_language(code: str, location: str = "language") -> str:
    """Return the code of a language that a user gave, checked and in its shortest form.

    Args:
        code: of UD (`de`, `qhe`) or ISO 639 in two or three letters, or `und` if unknown; with a
            script or region if needed (`sr-Latn`, `pt_BR`); "" if no code was given.
        location: the parameter that gave it, for the message.

    Returns:
        The shortest code of the same language, written as in BCP 47.

    Raises:
        InputError: it is no code (kind `unknown`); if it is a language's name, or nearly one, the
            message suggests that language's code.

    >>> checked_language("deu"), checked_language("pt_br")
    ('de', 'pt-BR')
    """
    if not code or code in _names_by_code():
        return code
    import langcodes  # takes a thirtieth of a second, which most runs can save

    with suppress(ValueError):
        if langcodes.tag_is_valid(code):
            return langcodes.standardize_tag(code)
    right = f"{suggest_language(code)}a BCP-47 code, as de, pt-BR, or und where none fits"
    raise InputError(location, f"{code!r} is not the code of a language", right, kind="unknown")


def suggest_language(name: str) -> str:
    """Return the beginning of a message, `did you mean de (German)? `, for a language's name.

    The name may be English, the language's own or another common one, and slightly misspelt. "" is
    returned if it is not the name of a language.

    >>> suggest_language("Deutsch"), suggest_language("Swahili")
    ('did you mean de (German)? ', 'did you mean sw (Swahili)? ')
    """
    folded = name.strip().replace("_", " ").casefold()
    if len(folded) < 2:  # there is a language called E, but nobody means it
        return ""
    codes = {alias.casefold(): code for code, names in _names_by_code().items() for alias in names}
    if folded not in codes:
        for code, english in _iana_languages():
            if english.casefold() == folded:
                return f"did you mean {code} ({english})? "
        folded = next(iter(get_close_matches(folded, codes, n=1)), "")
    if not folded:
        return ""
    code = codes[folded]
    return f"did you mean {code} ({language_name(code)})? "


def language_name(code: str) -> str:
    """Return the English name of a language of Universal Dependencies; the code of any other.

    >>> language_name("it"), language_name("sr-Latn"), language_name("tlh")
    ('Italian', 'Serbian (sr-Latn)', 'tlh')
    """
    names = _names_by_code()
    plain_code = code.partition("-")[0]
    if code in names:
        return names[code][0]
    if plain_code in names:
        return f"{names[plain_code][0]} ({code})"
    return code


@cache
def _names_by_code() -> dict[str, tuple[str, ...]]:
    """Return the names of each language in the table by its code, the English name first."""
    rows = [line.split("\t") for line in read_text(TABLE).splitlines()[1:]]
    return {code: (name, *filter(None, aliases.split("|"))) for code, name, aliases in rows}


def _iana_languages() -> Iterator[tuple[str, str]]:
    """Yield the code and the English name of each language in IANA's registry."""
    from langcodes.registry_parser import parse_registry

    for entry in parse_registry():  # type: ignore[no-untyped-call]
        if entry["Type"] == "language":
            yield from ((entry["Subtag"], name.partition(" (")[0]) for name in entry["Description"])


def direction(language: str) -> str:
    """Return the direction in which a language is written.

    Args:
        language: a BCP-47 code; a script in it takes precedence over the language's usual one.

    Returns:
        `rtl` or `ltr`.

    >>> direction("he"), direction("ku"), direction("ku-Arab"), direction("he-Latn")
    ('rtl', 'ltr', 'rtl', 'ltr')
    """
    primary, *subtags = language.lower().replace("_", "-").split("-")
    scripts = [part for part in subtags if len(part) == 4 and part.isalpha()]
    if scripts:
        return "rtl" if scripts[0] in RTL_SCRIPTS else "ltr"
    return "rtl" if primary in RTL_LANGUAGES else "ltr"
