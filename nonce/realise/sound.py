"""The sound at which a word begins or ends, as the function words beside it see it.

A language's file sorts words into classes, the first that fits; where there are none, the first two
letters are told apart as vowel (V) and consonant (C) in any alphabet whose vowels are known.
"""

import re
import unicodedata
from collections.abc import Sequence

from colorless_green.nonce.realise.language import Sound

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


class Sounds(dict[str, str]):
    """form → class of its beginning. A dictionary that fills itself: a form is looked at once."""

    def __init__(self, classes: Sequence[Sound]) -> None:
        super().__init__()
        self.classes = tuple(classes)

    def __missing__(self, form: str) -> str:
        begun = _from_first_letter(form)
        self[form] = result = beginning(begun, self.classes) if self.classes else letters(begun)
        return result


class Endings(dict[str, str]):
    """form → class of its end."""

    def __init__(self, classes: Sequence[Sound]) -> None:
        super().__init__()
        self.classes = tuple(classes)

    def __missing__(self, form: str) -> str:
        lower = form.lower().replace("’", "'")
        found = (
            each.name
            for each in self.classes
            if lower in each.words or (each.pattern and each.pattern.search(lower))
        )
        self[form] = result = next(found, "")
        return result


def _from_first_letter(form: str) -> str:
    """The form without quotes, dashes and other signs before its first letter or digit."""
    return next((form[n:] for n, each in enumerate(form) if each.isalnum()), "")


def beginning(form: str, classes: Sequence[Sound]) -> str:
    """The first class that has the form; "" for a form without letters or digits."""
    if not form:
        return ""
    lower = form.lower().replace("’", "'")
    abbreviation = is_abbreviation(form)
    found = (each.name for each in classes if _has(each, form, lower, abbreviation))
    return next(found, "")


def _has(sound: Sound, form: str, lower: str, abbreviation: bool) -> bool:
    if sound.upper and not abbreviation:
        return False
    if lower in sound.words or (sound.stems and lower.startswith(sound.stems)):
        return True
    return bool(sound.pattern and sound.pattern.match(form if sound.upper else lower))


def is_abbreviation(form: str) -> bool:
    """Whether a form, or its part before a hyphen, is one to four capital letters, or more if none
    is a vowel; dots (`U.S.`) and an ending (`MPs`) do not count."""
    core = form.partition("-")[0].replace("’", "'").replace(".", "")
    core = core.removesuffix("'s").removesuffix("s")
    if not (core.isalpha() and core.isupper()):
        return False
    return len(core) <= LONGEST_ABBREVIATION or VOWELS.isdisjoint(core.lower())


def letters(form: str) -> str:
    """`V` or `C` for each of the first two letters; "" where the script does not tell."""
    lower = unicodedata.normalize("NFC", form.lower())
    found = [kind for kind in map(_kind, lower[:2]) if kind]
    return "".join(found) if found and _kind(lower[0]) else ""


def _kind(letter: str) -> str:
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
