"""The letters of a language: which follow one another, which vowels go together, which words are a
letter apart. All words are coded (see below).

**Following.** A stem is written from right to left, since its last letters are known (they are
those of the word it replaces). Each letter is drawn by how often it stands before the two on its
right, at its place in the stem (first, second, or further in). If these two were never seen at that
place, they are looked up in a wider circle of stems. The circles are the stems of the same gender,
of the same part of speech, and of all common words (New et al. 2024 draw by place too, from left to
right).

**Harmony** is learned from the words, not from a list of languages. A language has vowel harmony if
the last vowel of a stem predicts the first vowel of the ending. Their mutual information is 49 % of
the entropy of the ending's vowel in Turkish, 28 % in Hungarian, 19 % in Uyghur and 13 % in Finnish,
and at most 8 % in 52 treebanks of languages without harmony (German-GSD). Irish has 31 %, since its
spelling puts slender vowels by slender ones, and Afrikaans 23 %, by accident (which costs variety,
since the last vowel of its stems stays). Two vowels that hardly ever occur in one word have
different colours, 0 and 1.

**Neighbours.** Two words are neighbours if one letter taken from one or from each makes them equal:
one letter added, dropped or replaced (edit distance 1), or moved to another place (*form*, *from*).
A neighbourhood holds every word, and every word without one of its letters. So a test for a
neighbour looks up as many strings as the word has letters (deletion neighbourhoods; Mor & Fraenkel
1982, Commun. ACM 25:935).

**Coding.** A coded word is a string in lower case with one character for each letter.

A letter is what a reader takes for one: a base character with its accents, points or vowel marks
(`ọ́` written with a combining acute, Hebrew niqqud, an Arabic ending in tanwin, a Devanagari letter
with nukta). Signs for a sound of their own (Indic vowel signs, the virama) are letters.
A letter of several code points is coded as one character of the private use area, so that slicing,
counting and comparing are plain string operations everywhere else.
"""

import math
import random
import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import accumulate, combinations
from typing import TypeAlias

VOWELS = frozenset(
    "aeiouyæœøıəɛɔ"  # Latin, without accents
    "αεηιουω"
    "аеиоуыэюяіүөәєѣ"  # Cyrillic; ё, ї and ў decompose
    "აეიოუ"  # Georgian
    "աեէըիոօ"  # Armenian
    "ەۇۆۈې"  # what Uyghur adds to the Arabic script
)
INDIC_VOWEL = re.compile(
    r" VOWEL SIGN | LETTER (?:(?:CANDRA |SHORT )?[AEO]|AA|II?|UU?|EE|AI|OO|AU|VOCALIC R)$"
)

START, END = "\ue000", "\ue001"  # of a word: private characters, which no word of a treebank has
INSIDE = 2  # place of all letters from the third on
MUTE = frozenset("h")  # never begins a new stem: articles depend on whether it is pronounced
COMMON = ("", "")  # circle of all stems except those of names
PLENTY_OF_WORDS = 5_000  # if there are more, a triple of letters must occur in two of them

HARMONY_SHARE = 0.1  # mutual information / entropy of the ending's first vowel, as above
MIN_JOINTS = 500  # endings with a vowel that are needed; fewer give information by chance
# observed / expected words with both of two vowels, at most (Finnish u, ä 0.26; i, ä 0.9)
MAX_SHARE_AT_ODDS = 0.5
MIN_EXPECTED = 20  # expected words with both vowels, at least, for a pair to be judged

Circle: TypeAlias = tuple[str, str]
"""(UPOS, gender): stems whose letters are counted together; gender "": all of this UPOS"""
Context: TypeAlias = tuple[str, str, int]
"""(next letter, the one after it, place of the letter to write)"""
Options: TypeAlias = tuple[Sequence[str], Sequence[int]]
"""Letters, and running sums of their counts"""


@lru_cache(maxsize=65_536)
def is_vowel(letter: str) -> bool:
    """Tell whether a letter is a vowel."""
    base = unicodedata.normalize("NFD", letter)[0]
    return base in VOWELS or INDIC_VOWEL.search(unicodedata.name(base, "")) is not None


@dataclass(frozen=True)
class Letters:
    """Counts of letters in stems, by circle, and the triples of letters that words contain."""

    counts: Mapping[Circle, Mapping[Context, Mapping[str, int]]]
    triples: frozenset[str]
    vowels: frozenset[str]
    _cache: dict[tuple[Circle, Context, bool], Options] = field(default_factory=dict)

    def write(
        self, rng: random.Random, circles: Sequence[Circle], tail: str, is_vowel_at: Sequence[bool]
    ) -> str | None:
        """Write a random stem that ends in `tail`. Before the tail it has a letter for each entry
        of `is_vowel_at`: a vowel for True, a consonant for False. Return `None` if no letter fits
        those drawn so far; then try again."""
        stem = tail
        for position in reversed(range(len(is_vowel_at))):
            right, second_right = stem[0], (stem + END)[1]  # the two letters on the right
            context = (right, second_right, min(position, INSIDE))
            letters, sums = self._options(circles, context, is_vowel_at[position])
            if not letters:
                return None
            stem = letters[bisect_right(sums, rng.random() * sums[-1])] + stem
        return stem

    def _options(self, circles: Sequence[Circle], context: Context, is_vowel: bool) -> Options:
        """Return the letters that may stand in a context, and the running sums of their counts, by
        which one is drawn. They come from the first circle (group of stems) that has any; both are
        empty if none has."""
        key = (circles[0], context, is_vowel)  # the first circle decides the others
        if key not in self._cache:
            _, _, place = context
            weights: Mapping[str, int] = {}
            for circle in circles:
                letter_counts = self.counts.get(circle, {}).get(context, {})
                weights = {
                    letter: n
                    for letter, n in sorted(letter_counts.items())
                    if (letter in self.vowels) is is_vowel and not (place == 0 and letter in MUTE)
                }
                if weights:
                    break
            self._cache[key] = tuple(weights), tuple(accumulate(weights.values()))
        return self._cache[key]

    def plausible(self, word: str, model: str) -> bool:
        """Tell whether each sequence of three letters in a coded word, its edges included, occurs
        in words of the language or in `model`, the word that it replaces."""
        return all(
            triple in self.triples or triple in START + model + END for triple in triples(word)
        )


def letters_of_stems(
    stems: Iterable[tuple[str, str, str]], words: Iterable[str], vowels: frozenset[str]
) -> Letters:
    """Count which letters follow one another in stems, given as (UPOS, gender, coded stem), and
    collect the triples of letters in coded words. A stem counts as often as it is given."""
    counts: dict[Circle, dict[Context, Counter[str]]] = {}
    for upos, gender, stem in stems:
        circles = {(upos, gender), (upos, "")} | ({COMMON} if upos != "PROPN" else set())
        padded = stem + END + END
        for circle in circles:
            table = counts.setdefault(circle, {})
            for position, letter in enumerate(stem):
                context = (padded[position + 1], padded[position + 2], min(position, INSIDE))
                table.setdefault(context, Counter())[letter] += 1
    distinct = set(words)
    n_words = Counter(triple for word in distinct for triple in triples(word))
    limit = 2 if len(distinct) > PLENTY_OF_WORDS else 1
    return Letters(counts, frozenset(triple for triple, n in n_words.items() if n >= limit), vowels)


def triples(word: str) -> set[str]:
    """Return all sequences of three letters in a word. A sign before the word and one after it
    count as letters."""
    padded = START + word + END
    return {padded[start : start + 3] for start in range(len(word))}


def vowel_colours(
    joints: Iterable[tuple[str, str]], words: Sequence[str], vowels: frozenset[str]
) -> Mapping[str, int]:
    """Return the colour, 0 or 1, of each vowel that takes part in the language's vowel harmony;
    empty if it has none. `joints` are pairs (stem, ending); all words are coded."""
    pairs: Counter[tuple[str, str]] = Counter()  # last vowel of a stem, first of an ending
    for stem, ending in joints:
        last_vowel = next((letter for letter in reversed(stem) if letter in vowels), "")
        first_vowel = next((letter for letter in ending if letter in vowels), "")
        if last_vowel and first_vowel:
            pairs[last_vowel, first_vowel] += 1
    total = pairs.total()
    if total < MIN_JOINTS:
        return {}
    lasts, firsts = Counter[str](), Counter[str]()
    for (last_vowel, first_vowel), n in pairs.items():
        lasts[last_vowel] += n
        firsts[first_vowel] += n
    entropy = -sum(n / total * math.log2(n / total) for n in firsts.values())
    shared = sum(  # mutual information
        n / total * math.log2(n * total / (lasts[last_vowel] * firsts[first_vowel]))
        for (last_vowel, first_vowel), n in pairs.items()
    )
    return _colours(words, vowels) if entropy and shared / entropy >= HARMONY_SHARE else {}


def _colours(words: Sequence[str], vowels: frozenset[str]) -> dict[str, int]:
    """Return vowel → colour (0 or 1). Two vowels that hardly ever stand in the same word get
    different colours. The pair that shares words most rarely is coloured first, and each vowel
    keeps its first colour."""
    n_with, n_with_both = Counter[str](), Counter[tuple[str, str]]()
    for word in words:
        present = sorted(vowels.intersection(word))
        n_with.update(present)
        n_with_both.update(combinations(present, 2))
    at_odds: list[tuple[float, str, str]] = []
    for vowel, other_vowel in combinations(sorted(n_with), 2):
        expected = n_with[vowel] * n_with[other_vowel] / len(words)
        n_both = n_with_both[vowel, other_vowel]
        if expected >= MIN_EXPECTED and n_both <= MAX_SHARE_AT_ODDS * expected:
            at_odds.append((n_both / expected, vowel, other_vowel))
    colours: dict[str, int] = {}
    to_colour = [(vowel, other_vowel) for _, vowel, other_vowel in sorted(at_odds)]
    while to_colour:
        # first the pairs with a vowel that has a colour, so that all colours fit together
        linked = [pair for pair in to_colour if not colours.keys().isdisjoint(pair)]
        vowel, other_vowel = pair = linked[0] if linked else to_colour[0]
        to_colour.remove(pair)
        if vowel not in colours:
            colours[vowel] = 1 - colours[other_vowel] if other_vowel in colours else 0
        colours.setdefault(other_vowel, 1 - colours[vowel])
    return colours


def without_a_letter(word: str) -> list[str]:
    """Return, for each letter of a word, the word without this letter."""
    return [word[:index] + word[index + 1 :] for index in range(len(word))]


def neighbourhood(words: Iterable[str]) -> frozenset[str]:
    """Return the words, and each word without any one of its letters."""
    return frozenset(variant for word in words for variant in (word, *without_a_letter(word)))


def is_near(word: str, nearby: frozenset[str]) -> bool:
    """Tell whether a word is one of the words of a neighbourhood (as `neighbourhood` returns it),
    or one letter away from one."""
    return word in nearby or not nearby.isdisjoint(without_a_letter(word))


FIRST_PRIVATE = 0xF0000  # of a private use area of 65,534 characters, which no treebank has
VIRAMA = 9  # canonical combining class of the sign that joins two Indic consonants
FINALS = dict(zip("םןךףץς", "מנכפצσ", strict=True))  # form at the end of a word → elsewhere
SYLLABLES = ("CJK", "HANGUL", "HIRAGANA", "KATAKANA", "YI ", "ETHIOPIC", "BOPOMOFO")

TURKIC_SHARE = 0.05  # share of words with ı in Turkic spelling: 28 % in Turkish
STRESS_MARKS = frozenset("\u0300\u0301\u0342")  # grave, acute, Greek circumflex
# Share of accented words with several accents: Spanish 0.1 %, Greek 1.5 % (before a clitic), French
# 15 %, Czech 16 %, Hungarian 40 %. In languages with a larger share accents are no stress.
MAX_SEVERAL_SHARE = 0.03
MIN_ACCENTED = 50  # accented words; if there are fewer, accents are no stress either
UYGHUR = frozenset("اوى")  # vowels in Uyghur, whose script writes all; elsewhere also consonants


def is_mark(character: str) -> bool:
    """Tell whether a character belongs to the one before it: it is a combining mark, but no
    virama."""
    return unicodedata.combining(character) not in (0, VIRAMA)


def letters_of(word: str) -> list[str]:
    """Split a word into letters with their marks; a mark without a letter before it is a letter of
    its own."""
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
    """The letters of one language, and the coding of its words. Built by `spelling_of`; knows only
    the letters of the words it was built from."""

    codes: dict[str, str]  # letter of several code points → private character
    letters: dict[str, str]  # and back
    vowels: frozenset[str]  # coded
    turkic: bool  # capital of i is İ, of ı is I
    unstressed: dict[str, Accented]  # coded á → a and its accent; empty if accents mark no stress
    stressed: dict[Accented, str]  # and back

    def folded(self, word: str) -> str:
        """Return the word in lower case, with the Turkic rules if the language has them."""
        if self.turkic:
            word = word.replace("İ", "i").replace("I", "ı")
        return word.lower()

    def coded(self, word: str) -> str:
        """Return the word coded: in lower case, one character a letter. If its last letter has a
        special shape at the end of words (Hebrew, Greek), it gets the usual one."""
        word = self.folded(word)
        if word[-1:] in FINALS:
            word = word[:-1] + FINALS[word[-1]]
        if word.isascii() or not self.codes:
            return word
        return "".join([self.codes.get(letter, letter) for letter in letters_of(word)])

    def plain(self, coded: str) -> str:
        """Return a coded word as it is written in lower case."""
        if not self.letters:
            return coded
        return "".join([self.letters.get(character, character) for character in coded])

    def capitalised(self, word: str, like: str) -> str:
        """Return a lower-case word with the capitals of `like`: none, the first letter, or all. The
        two end in the same letter."""
        if like[-1:].lower() in FINALS:  # a letter with another shape at the end of words
            word = word[:-1] + like[-1].lower()
        shape = capitals(like)
        if shape == "lower":
            return word
        if self.turkic:
            n_capitals = len(word) if shape == "upper" else 1
            word = word[:n_capitals].replace("i", "İ") + word[n_capitals:]
        if shape == "upper":
            return word.upper()
        return word[:1].upper() + word[1:]

    def is_word(self, coded: str) -> bool:
        """Tell whether a coded string consists of letters of an alphabet."""
        return all(map(_is_letter, self.plain(coded)))

    def without_stress(self, coded: str) -> str:
        """Return a coded word without its stress accents; its length stays the same."""
        if not self.unstressed:
            return coded
        accentless = [self.unstressed.get(letter, (letter, "")) for letter in coded]
        return "".join([plain_letter for plain_letter, _ in accentless])

    def stress_of(self, coded: str) -> Stress:
        """Return the stress accents of a coded word: for each accented vowel its number, counted
        from the end of the word, and its accent."""
        if not self.unstressed:
            return ()
        vowels = [letter for letter in reversed(coded) if letter in self.vowels]
        stress = []
        for number, vowel in enumerate(vowels, start=1):
            if vowel in self.unstressed:
                _, accent = self.unstressed[vowel]
                stress.append((number, accent))
        return tuple(stress)

    def with_stress(self, coded: str, stress: Stress) -> str | None:
        """Return a coded word that has no accents with the accents `stress`. Return `None` if a
        vowel is missing or cannot have its accent."""
        if not stress:
            return coded
        letters = list(coded)
        indices_from_end = reversed([n for n, letter in enumerate(coded) if letter in self.vowels])
        index_of = dict(enumerate(indices_from_end, start=1))  # number of a vowel → its index
        for number, accent in stress:
            index = index_of.get(number)
            accented = None if index is None else self.stressed.get((letters[index], accent))
            if index is None or accented is None:
                return None
            letters[index] = accented
        return "".join(letters)

    def pattern(self, coded: str) -> tuple[bool, ...]:
        """Return for each letter whether it is a vowel. In scripts that write few vowels (Hebrew,
        Arabic) no letter is one."""
        return tuple([letter in self.vowels for letter in coded])


def capitals(word: str) -> str:
    """Return the capitals of a word: `lower`, `title` (the first letter), `upper` (all of several
    letters) or `mixed`. Words of scripts without capitals are `lower`."""
    if word == word.lower():
        return "lower"
    if word[1:] == word[1:].lower():
        return "title"
    return "upper" if word == word.upper() else "mixed"


@lru_cache(maxsize=65_536)
def _is_letter(character: str) -> bool:
    """Tell whether a character is a letter of an alphabet, not a sign for a syllable or word."""
    kind = unicodedata.category(character)[0]
    return kind in "LM" and not unicodedata.name(character, "").startswith(SYLLABLES)


def spelling_of(words: Iterable[str]) -> Orthography:
    """Learn the letters of a language from its words.

    A language with ı among its letters has Turkic capitals; if a language has Uyghur's vowels, its
    other Arabic vowel letters are vowels, too.
    """
    distinct = dict.fromkeys(words)
    characters = set().union(*distinct)
    turkic = sum("ı" in word for word in distinct) > TURKIC_SHARE * len(distinct)
    folding = Orthography({}, {}, frozenset(), turkic, {}, {})  # knows only small letters
    codes: dict[str, str] = {}
    if any(map(is_mark, characters)):
        for word in distinct:
            for letter in letters_of(folding.folded(word)):
                if len(letter) > 1 and letter not in codes:
                    codes[letter] = chr(FIRST_PRIVATE + len(codes))
    letters = {code: letter for letter, code in codes.items()}
    lower = set().union(*map(folding.folded, characters))
    vowels = {letter for letter in lower if is_vowel(letter)}
    vowels.update(code for code, letter in letters.items() if is_vowel(letter))
    if "ۈ" in vowels:  # which only Uyghur has
        vowels |= UYGHUR
    no_stress = Orthography(codes, letters, frozenset(vowels), turkic, {}, {})
    unstressed = _stress_accents(no_stress, [no_stress.coded(word) for word in distinct])
    stressed: dict[Accented, str] = {}
    for letter, accented in unstressed.items():
        stressed.setdefault(accented, letter)
    return replace(no_stress, unstressed=unstressed, stressed=stressed)


def _stress_accents(spelling: Orthography, words: list[str]) -> dict[str, Accented]:
    """Return accented vowel → (the vowel without its accent, the accent). The result is empty if
    accents do not mark stress in the language, since too few words have one, or many have
    several."""
    table: dict[str, Accented] = {}
    for letter in sorted(set().union(*words) & spelling.vowels):
        characters = unicodedata.normalize("NFD", spelling.plain(letter))
        accent = "".join([char for char in characters if char in STRESS_MARKS])
        if accent:
            without_accent = "".join([char for char in characters if char not in STRESS_MARKS])
            vowel = unicodedata.normalize("NFC", without_accent)
            table[letter] = spelling.codes.get(vowel, vowel), accent
    n_accents = [sum(letter in table for letter in word) for word in words]
    n_words = sum(n > 0 for n in n_accents)
    n_several = sum(n > 1 for n in n_accents)
    return table if n_words >= MIN_ACCENTED and n_several <= MAX_SEVERAL_SHARE * n_words else {}
