"""Words as strings of one character a letter, in lower case, and back.

A letter is what a reader takes for one: a base character with its accents, points or vowel marks
(`ọ́` written with a combining acute, Hebrew niqqud, an Arabic ending in tanwin, a Devanagari letter
with nukta). Signs that stand for a sound of their own (Indic vowel signs, the virama) are letters.
A letter of several code points is coded as one character of the private use area, so that slicing,
counting and comparing are plain string operations everywhere else.
"""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from .letters import is_vowel

PRIVATE = 0xF0000  # the first character of a private use area of 65,534: no treebank writes there
VIRAMA = 9  # canonical combining class of what joins two Indic consonants
FINALS = dict(zip("םןךףץς", "מנכפצσ", strict=True))  # written so at the end of a word only
SYLLABLES = ("CJK", "HANGUL", "HIRAGANA", "KATAKANA", "YI ", "ETHIOPIC", "BOPOMOFO")

TURKIC_SHARE = 0.05  # of the words; 28 % of the Turkish ones have an ı, of others stray names
STRESS_MARKS = frozenset("\u0300\u0301\u0342")  # grave, acute, Greek circumflex
SEVERAL_SHARE = 0.03  # of accented words with several accents: Spanish 0.1 %, Greek 1.5 % (before a
FEWEST_ACCENTED = (
    50  # clitic), French 15 %, Czech 16 %, Hungarian 40 %: there accents are no stress
)
UYGHUR = frozenset("اوى")  # vowels where the script writes them all; elsewhere consonants too


def is_mark(character: str) -> bool:
    """Return whether a character belongs to the one before it: a combining mark, but not a
    virama."""
    return unicodedata.combining(character) not in (0, VIRAMA)


def letters_of(word: str) -> list[str]:
    """Cut a word into letters; a mark without a letter before it is a letter of its own."""
    letters: list[str] = []
    for character in word:
        if letters and is_mark(character):
            letters[-1] += character
        else:
            letters.append(character)
    return letters


Accented: TypeAlias = tuple[str, str]
"""(coded vowel without its accent, the accent)"""
Stress: TypeAlias = tuple[tuple[int, str], ...]
"""(number of a vowel counted from the end, the last one 1; its accent), for each accented vowel"""


@dataclass(frozen=True)
class Orthography:
    """The letters of one language. Built by `spelling_of`; knows the words it was built from."""

    codes: dict[str, str]  # letter of several code points → private character
    letters: dict[str, str]  # and back
    vowels: frozenset[str]  # coded
    turkic: bool  # capital of i is İ, of ı is I
    unstressed: dict[str, Accented]  # coded á → a and its accent; empty where it is no stress mark
    stressed: dict[Accented, str]  # and back

    def folded(self, word: str) -> str:
        """Return the word in lower case."""
        if self.turkic:
            word = word.replace("İ", "i").replace("I", "ı")
        return word.lower()

    def coded(self, word: str) -> str:
        """Return the word in lower case, one character a letter, its last one as within a word."""
        word = self.folded(word)
        if word[-1:] in FINALS:
            word = word[:-1] + FINALS[word[-1]]
        if word.isascii() or not self.codes:
            return word
        return "".join([self.codes.get(letter, letter) for letter in letters_of(word)])

    def plain(self, coded: str) -> str:
        """Return a coded word as it is written, in lower case."""
        if not self.letters:
            return coded
        return "".join([self.letters.get(character, character) for character in coded])

    def capitalised(self, word: str, like: str) -> str:
        """Return a lower-case word with the capitals of another that ends in the same letter: none,
        the first letter, or all."""
        if like[-1:].lower() in FINALS:
            word = word[:-1] + like[-1].lower()
        shape = capitals(like)
        if shape == "lower":
            return word
        if self.turkic:
            head = word.replace("i", "İ") if shape == "upper" else word[:1].replace("i", "İ")
            word = head + word[len(head) :]
        if shape == "upper":
            return word.upper()
        return word[:1].upper() + word[1:]

    def is_word(self, coded: str) -> bool:
        """Return whether there is nothing but letters of an alphabet in a coded string."""
        return all(map(_is_letter, self.plain(coded)))

    def without_stress(self, coded: str) -> str:
        """Return a coded word of the same length without accents."""
        if not self.unstressed:
            return coded
        unaccented = ("", "")
        return "".join([self.unstressed.get(letter, unaccented)[0] or letter for letter in coded])

    def stress_of(self, coded: str) -> Stress:
        """Return which vowels of a coded word are accented, and how."""
        if not self.unstressed:
            return ()
        vowels = [letter for letter in reversed(coded) if letter in self.vowels]
        marked = [(n, letter) for n, letter in enumerate(vowels, 1) if letter in self.unstressed]
        return tuple([(n, self.unstressed[letter][1]) for n, letter in marked])

    def with_stress(self, coded: str, stress: Stress) -> str | None:
        """Return a coded word without accents with those that `stress_of` tells; `None` where there
        is no such vowel, or none that takes this accent."""
        if not stress:
            return coded
        letters = list(coded)
        vowel_indices = [n for n in reversed(range(len(letters))) if letters[n] in self.vowels]
        for number, accent in stress:
            if number > len(vowel_indices):
                return None
            accented = self.stressed.get((letters[vowel_indices[number - 1]], accent))
            if accented is None:
                return None
            letters[vowel_indices[number - 1]] = accented
        return "".join(letters)

    def pattern(self, coded: str) -> tuple[bool, ...]:
        """Return for each letter whether it is a vowel. In scripts that write few vowels (Hebrew,
        Arabic) no letter is one."""
        return tuple([letter in self.vowels for letter in coded])


def capitals(word: str) -> str:
    """Return `lower`, `title` (the first letter), `upper` (all of several), or `mixed`. Scripts
    without capitals are lower."""
    if word == word.lower():
        return "lower"
    if word[1:] == word[1:].lower():
        return "title"
    return "upper" if word == word.upper() else "mixed"


@lru_cache(maxsize=65_536)
def _is_letter(character: str) -> bool:
    """Return whether a character is a letter of an alphabet."""
    kind = unicodedata.category(character)[0]
    return kind in "LM" and not unicodedata.name(character, "").startswith(SYLLABLES)


def spelling_of(words: Iterable[str]) -> Orthography:
    """Learn the spelling of a language from its words.

    Turkic capitals where ı is among the letters; Arabic letters are vowels where Uyghur's are.
    """
    distinct = dict.fromkeys(words)
    characters = set().union(*distinct)
    turkic = sum("ı" in word for word in distinct) > TURKIC_SHARE * len(distinct)
    bare = Orthography({}, {}, frozenset(), turkic, {}, {})
    codes: dict[str, str] = {}
    if any(map(is_mark, characters)):
        for word in distinct:
            for letter in letters_of(bare.folded(word)):
                if len(letter) > 1 and letter not in codes:
                    codes[letter] = chr(PRIVATE + len(codes))
    letters = {code: letter for letter, code in codes.items()}
    lower = set().union(*map(bare.folded, characters))
    vowels = {letter for letter in lower if is_vowel(letter)}
    vowels.update(code for code, letter in letters.items() if is_vowel(letter))
    if "ۈ" in vowels:
        vowels |= UYGHUR
    free = Orthography(codes, letters, frozenset(vowels), turkic, {}, {})
    unstressed = _unstressed(free, [free.coded(word) for word in distinct])
    stressed: dict[Accented, str] = {}
    for letter, accented in unstressed.items():
        stressed.setdefault(accented, letter)
    return Orthography(codes, letters, frozenset(vowels), turkic, unstressed, stressed)


def _unstressed(spelling: Orthography, words: list[str]) -> dict[str, Accented]:
    """Return accented vowels, where a word has one accent at most; else nothing."""
    table: dict[str, Accented] = {}
    for letter in sorted(set().union(*words) & spelling.vowels):
        parts = unicodedata.normalize("NFD", spelling.plain(letter))
        accent = "".join([char for char in parts if char in STRESS_MARKS])
        if accent:
            base_letters = "".join([char for char in parts if char not in STRESS_MARKS])
            bare = unicodedata.normalize("NFC", base_letters)
            table[letter] = spelling.codes.get(bare, bare), accent
    n_accents = [sum(map(table.__contains__, word)) for word in words]
    n_words = sum(n > 0 for n in n_accents)
    n_several = sum(n > 1 for n in n_accents)
    return table if n_words >= FEWEST_ACCENTED and n_several <= SEVERAL_SHARE * n_words else {}
