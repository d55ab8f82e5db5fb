"""The sound at which a word begins or ends, as the function words beside it see it.

A language's file sorts words into classes, the first that fits; where there are none, the first two
letters are told apart as vowel (V) and consonant (C) in any alphabet whose vowels are known.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, TypeAlias

from pydantic import BeforeValidator, StrictBool

from ..pseudo.letters import is_vowel

ELSE = "else"  # the key for every sound that a rule does not name
LONGEST_ABBREVIATION = 4  # letters; longer ones are mostly read as words
SCRIPTS = (
    "LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "GEORGIAN", "DEVANAGARI", "BENGALI", "GURMUKHI",
    "GUJARATI", "ORIYA", "TAMIL", "TELUGU", "KANNADA", "MALAYALAM", "SINHALA",
)  # fmt: skip


def _words(value: object) -> list[str]:
    """Return the words of a text."""
    if not isinstance(value, str):
        raise ValueError('text in quotes, "…"')
    return value.split()


def _sound_name(value: object) -> object:
    """Return the name of a sound, which is one word."""
    if not isinstance(value, str) or value in ("", ELSE) or " " in value:
        raise ValueError(f"a short word, not {ELSE!r}")
    return value


Words: TypeAlias = Annotated[frozenset[str], BeforeValidator(_words)]


@dataclass(frozen=True, slots=True)
class SoundClass:
    """A class of beginnings (or, in `WritingRules.endings`, of ends) of words. A word belongs to
    the first class that has it."""

    name: Annotated[str, BeforeValidator(_sound_name)]
    pattern: re.Pattern[str] | None = None  # none: no word for its letters alone
    stems: Annotated[tuple[str, ...], BeforeValidator(_words)] = ()  # beginnings spelled out
    words: Words = frozenset()  # whole words
    upper: StrictBool = False  # only for abbreviations, which are two to four capitals


def classifier(classes: Sequence[SoundClass], *, at_end: bool = False) -> Callable[[str], str]:
    """Return form → class of its beginning, quotes and other signs before its first letter or digit
    aside, or of its end; "" for a form without any. A form is looked at once."""

    @cache
    def sound(form: str) -> str:
        if not at_end:
            form = next((form[n:] for n, char in enumerate(form) if char.isalnum()), "")
            if not classes:
                return letters(form)
        lower, abbreviation = form.lower().replace("’", "'"), is_abbreviation(form)
        for entry in classes if form else ():
            if entry.upper and not abbreviation:
                continue
            if lower in entry.words or (entry.stems and lower.startswith(entry.stems)):
                return entry.name
            if entry.pattern is not None:
                find = entry.pattern.search if at_end else entry.pattern.match
                if find(form if entry.upper else lower):
                    return entry.name
        return ""

    return sound


def is_abbreviation(form: str) -> bool:
    """Return whether a form, or its part before a hyphen, is one to four capital letters, or more
    if none is a vowel; dots (`U.S.`) and an ending (`MPs`) do not count."""
    core = form.partition("-")[0].replace("’", "'").replace(".", "")
    core = core.removesuffix("'s").removesuffix("s")
    if not (core.isalpha() and core.isupper()):
        return False
    return len(core) <= LONGEST_ABBREVIATION or not any(map(is_vowel, core.lower()))


def letters(form: str) -> str:
    """Return `V` or `C` for each of the first two letters; "" where the script does not tell."""
    kinds = [_kind(letter) for letter in unicodedata.normalize("NFC", form.lower())[:2]]
    return "".join(kinds) if kinds and kinds[0] else ""


def _kind(letter: str) -> str:
    """Return whether a letter is a vowel (V) or a consonant (C)."""
    name = unicodedata.name(letter, "")
    if not name.startswith(SCRIPTS) or not (letter.isalpha() or "VOWEL SIGN" in name):
        return ""
    return "V" if is_vowel(letter) and letter != "й" else "C"
