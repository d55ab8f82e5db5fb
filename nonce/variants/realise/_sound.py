"""The sound at which a word begins or ends, as the function words beside it see it.

A language's file sorts words into classes, the first that fits; where there are none, the first two
letters are told apart as vowel (V) and consonant (C) in any alphabet whose vowels are known.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache

from .language import SoundClass

LONGEST_ABBREVIATION = 4  # letters; longer ones are mostly read as words
VOWELS = frozenset(
    "aeiouyæœøəɛɔıàáâãäåāăąèéêëēĕėęěìíîïĩīĭįòóôõöōŏőùúûüũūŭůűųýÿŷẽỹǫ"  # Latin
    "аеёиоуыэюяіїєўѣ"  # Cyrillic
    "αεηιουωάέήίόύώϊϋΐΰ"  # Greek
    "աեէըիոօ"  # Armenian
    "აეიოუ"  # Georgian
)
ALPHABETS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "GEORGIAN")
INDIC = re.compile(
    r"(?:DEVANAGARI|BENGALI|GURMUKHI|GUJARATI|ORIYA|TAMIL|TELUGU|KANNADA|MALAYALAM|SINHALA) "
    r"(?:(VOWEL SIGN|LETTER (?:A|I|U|E|O|VOCALIC )(?:[AEIOU]*|[RL]+)$)|LETTER)"
)


def beginnings(classes: Sequence[SoundClass]) -> Callable[[str], str]:
    """Return form → class of its beginning, quotes and other signs before its first letter or digit
    aside; "" for a form without any. A form is looked at once."""

    @cache
    def sound(form: str) -> str:
        form = next((form[n:] for n, char in enumerate(form) if char.isalnum()), "")
        if not classes:
            return letters(form)
        lower, abbreviation = form.lower().replace("’", "'"), is_abbreviation(form)
        for entry in classes if form else ():
            if entry.upper and not abbreviation:
                continue
            listed = lower in entry.words or (entry.stems and lower.startswith(entry.stems))
            if listed or (entry.pattern and entry.pattern.match(form if entry.upper else lower)):
                return entry.name
        return ""

    return sound


def endings(classes: Sequence[SoundClass]) -> Callable[[str], str]:
    """Return form → class of its end; "" for one that has none. A form is looked at once."""

    @cache
    def ending(form: str) -> str:
        lower = form.lower().replace("’", "'")
        for entry in classes:
            if lower in entry.words or (entry.pattern and entry.pattern.search(lower)):
                return entry.name
        return ""

    return ending


def is_abbreviation(form: str) -> bool:
    """Return whether a form, or its part before a hyphen, is one to four capital letters, or more
    if none is a vowel; dots (`U.S.`) and an ending (`MPs`) do not count."""
    core = form.partition("-")[0].replace("’", "'").replace(".", "")
    core = core.removesuffix("'s").removesuffix("s")
    if not (core.isalpha() and core.isupper()):
        return False
    return len(core) <= LONGEST_ABBREVIATION or VOWELS.isdisjoint(core.lower())


def letters(form: str) -> str:
    """Return `V` or `C` for each of the first two letters; "" where the script does not tell."""
    lower = unicodedata.normalize("NFC", form.lower())
    kinds = [kind for kind in map(_kind, lower[:2]) if kind]
    return "".join(kinds) if kinds and _kind(lower[0]) else ""


def _kind(letter: str) -> str:
    """Return whether a letter is a vowel (V) or a consonant (C)."""
    if letter in VOWELS:
        return "V"
    name = unicodedata.name(letter, "")
    if not letter.isalpha() and "VOWEL SIGN" not in name:
        return ""
    if name.startswith(ALPHABETS):
        base = unicodedata.normalize("NFD", letter)[0]  # ǎ is a; but й is no и
        return "V" if base in VOWELS and not name.startswith("CYRILLIC") else "C"
    match = INDIC.match(name)
    return "" if match is None else "V" if match[1] else "C"
