"""Pseudo-words for the lexemes of a treebank: one new stem, the lexeme's own endings.

    the stem and the endings of a noun               compan + y, ies
    a stem of its shape, in the language's letters   garon
    every form with it                               garony, garonies, Garony

The new stem keeps the properties that endings and articles depend on: whether its first two letters
are vowels, its last letter with the consonants before it, whether the vowel before those is double,
accents that mark stress, and in languages with vowel harmony its last vowel and its vowel colours
(the classes that go together). No form may be a word of the treebank or vocabulary, whatever its
capitals, nor one letter away from a form of the same part of speech.
"""

import random
from bisect import bisect_right
from collections import Counter
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TypeAlias

from ....miner.treebank.paradigms import MISSING, Paradigms
from ._stem import OPEN_CLASSES, Endings, Lexeme, StemSplit, learn_endings, lexemes_of
from .letters import (
    COMMON,
    Letters,
    Orthography,
    capitals,
    is_near,
    letters_of_stems,
    neighbourhood,
    spelling_of,
    vowel_colours,
)

MAX_DRAWS = 100  # stems drawn for a lexeme; 200 would serve 0.7 % more lexemes, in 3/2 the time
SHORT_STEM_LENGTH = 3  # letters of a stem that may grow by two, since short ones are near words
MIN_STEMS_OF_GENDER = 100  # stems of a gender whose letters are counted apart
VOWEL_SHARE = 0.5  # share of words with a vowel letter in scripts that write all vowels


VowelPattern: TypeAlias = tuple[bool, ...]
"""For each letter of a stem whether it is a vowel"""


@dataclass(frozen=True)
class PseudowordModel:
    """The letters, stems and endings of a language, from which pseudo-words are made. Built by
    `pseudo_words`, once per treebank.

    Strings called coded are in lower case, one character a letter.

    Attributes:
        spelling: the letters of the language.
        endings: beginnings and endings that its words have.
        lexemes: (lemma, UPOS) → its forms.
        letters: counts of the letters that follow one another in stems.
        shapes: pattern of vowels → number of stems with it that letters were learned from.
        harmony: coded vowel → its colour; empty in languages without harmony.
        neighbours: UPOS → strings a letter away from one of its forms, coded.
        stems: stems and lemmas of all lexemes, coded.
        words: words of the treebank and the vocabulary, in lower case.
        cuts: (lemma, UPOS) → its whole paradigm as stem and endings, or why it cannot be cut.
    """

    spelling: Orthography
    endings: Endings
    lexemes: Mapping[tuple[str, str], Lexeme]
    letters: Letters
    shapes: Mapping[VowelPattern, int]
    harmony: Mapping[str, int]
    neighbours: Mapping[str, frozenset[str]]
    stems: Container[str]
    words: frozenset[str]
    cuts: Mapping[tuple[str, str], StemSplit | str]
    # (lemma, UPOS, form) → what `cut_of` returned for it
    _cuts: dict[tuple[str, str, str], StemSplit | str] = field(default_factory=dict)

    def coin(
        self, rng: random.Random, lemma: str, upos: str, form: str, used: Container[str] = ()
    ) -> Mapping[str, str] | None:
        """Coin a pseudo-word in the place of a lexeme: a new stem with the lexeme's own endings.

        Args:
            rng: random numbers that letters are drawn with.
            lemma: lemma of the lexeme.
            upos: its part of speech.
            form: the form that a pseudo-form is needed for.
            used: forms that no pseudo-form may equal, as it is or in lower case.

        Returns:
            Form → pseudo-form, for every form of the lexeme that has the stem, `form` among them.
            None if the lexeme cannot be cut, or no stem was found in 100 attempts (short words with
            many neighbours, or all stems are `used`).
        """
        cut = self.cut_of(lemma, upos, form)
        if isinstance(cut, str):
            return None
        circles = ((cut.upos, cut.gender), (cut.upos, ""), COMMON)  # of stems to learn from
        tail = self._kept_letters(cut.stem)
        n_stems = self._fitting_shapes(self.spelling.pattern(cut.stem), len(tail))
        shapes, sums = list(n_stems), list(accumulate(n_stems.values()))
        for _ in range(MAX_DRAWS if shapes else 0):
            # a shape is drawn as often as stems have it
            shape = shapes[bisect_right(sums, rng.random() * sums[-1])]
            stem = self.letters.write(rng, circles, tail, shape[: -len(tail)])
            if stem and stem not in self.stems and self._colours(stem) == self._colours(cut.stem):
                forms = self._forms(cut, stem, used)
                if forms is not None:
                    return forms
        return None

    def _colours(self, stem: str) -> frozenset[int]:
        """Return the colours of a stem's vowels. A colour is one of the two classes of vowels in
        vowel harmony; the result is empty in languages without it."""
        return frozenset(self.harmony[letter] for letter in stem if letter in self.harmony)

    def cut_of(self, lemma: str, upos: str, form: str) -> StemSplit | str:
        """Cut a lexeme into stem and endings.

        If the whole paradigm has no common stem, only the forms that can share one with `form` are
        cut (*stand*, *stands* without *stood*). A form from a word list, which the treebank does
        not show, is added to the others.

        Args:
            lemma: lemma of the lexeme.
            upos: its part of speech.
            form: a form that must be among those cut.

        Returns:
            The stem, and what each form adds; or, as a text, why it cannot be cut.
        """
        key = (form if lemma == MISSING else lemma, upos)
        if (*key, form) not in self._cuts:
            self._cuts[*key, form] = self._cut_lexeme(key, form)
        return self._cuts[*key, form]

    def _cut_lexeme(self, key: tuple[str, str], form: str) -> StemSplit | str:
        """Cut the lexeme with this (lemma, UPOS) into stem and endings, with `form` among its
        forms. Return the stem and endings or, as a text, the reason why it cannot be cut."""
        lexeme = self.lexemes.get(key)
        if lexeme is None:
            _, upos = key
            is_open = upos in OPEN_CLASSES
            return "no such lexeme in the treebank" if is_open else "closed class"
        if form not in lexeme.forms:  # it is from a word list
            lexeme = Lexeme(lexeme.lemma, lexeme.upos, {**lexeme.forms, form: {}})
        else:
            split = self.cuts[key]
            if isinstance(split, StemSplit) and form in split.affixes:
                return split  # the whole paradigm has one stem
            lexeme = lexeme.principal_part(form)
        cut = self.endings.cut(lexeme)
        if isinstance(cut, StemSplit) and form not in cut.affixes:
            return "a form that strays from the others"
        return cut

    def _fitting_shapes(self, old: VowelPattern, n_kept: int) -> Mapping[VowelPattern, int]:
        """Return the vowel patterns that a new stem may have → number of stems with each. The last
        `n_kept` letters of the old stem will stay.

        A pattern has almost the length of the `old` one, the same first two letters, and the same
        last letters, up to two before those that stay. A short stem may grow by two letters, since
        short strings are mostly near a word.
        """
        shortest = max(len(old) - 1, n_kept + 1)
        longest = len(old) + (2 if len(old) <= SHORT_STEM_LENGTH else 1)
        fitting: dict[VowelPattern, int] = {}
        for new, n in self.shapes.items():
            if shortest <= len(new) <= longest and old[:2] == new[:2]:
                n_same = min(n_kept + 2, len(old), len(new))  # letters at the end
                if old[-n_same:] == new[-n_same:]:
                    fitting[new] = n
        return fitting

    def _kept_letters(self, stem: str) -> str:
        """Return the last letters of a stem, which the new stem must end in, too. They are the last
        letter and, if it is a consonant, the consonants right before it; in a language with vowel
        harmony, all letters from the last vowel on."""
        vowels = [index for index, letter in enumerate(stem) if letter in self.letters.vowels]
        if not vowels:
            return stem[-1]
        last_vowel = vowels[-1]
        if self.harmony:
            return stem[last_vowel:]
        return stem[last_vowel + 1 :] or stem[-1]

    def _forms(self, cut: StemSplit, stem: str, used: Container[str]) -> dict[str, str] | None:
        """Return form → pseudo-form for all forms of a lexeme, made with the new stem. Return
        `None` if one of them is too near a word, has letters that never stand together, or is taken
        (a word, or in `used`)."""
        neighbours, spelling = self.neighbours[cut.upos], self.spelling
        coined: dict[str, str] = {}
        checked: set[str] = set()
        for form, (prefix, ending, stress) in cut.affixes.items():
            stressed = spelling.with_stress(stem, stress)
            if stressed is None:
                return None
            word = prefix + stressed + ending
            if word not in checked and (
                is_near(word, neighbours) or not self.letters.plausible(word, spelling.coded(form))
            ):
                return None
            checked.add(word)
            plain = spelling.plain(word)
            lower = spelling.capitalised(plain, spelling.folded(form))
            coined[form] = spelling.capitalised(plain, form)
            if lower in self.words or lower in used or coined[form] in used:
                return None
        return coined


def pseudo_words(paradigms: Paradigms, vocabulary: frozenset[str]) -> PseudowordModel:
    """Learn to make pseudo-words for the lexemes of a treebank.

    Args:
        paradigms: all forms of the treebank, with counts.
        vocabulary: further words that no pseudo-word may be; it need not hold the treebank's.

    Returns:
        A model whose words are neither in the treebank nor in `vocabulary`.

    >>> from colorless_green.data import sample
    >>> from colorless_green.miner import treebank
    >>> from colorless_green import Recipe
    >>> from colorless_green.nonce import matching_for
    >>> bank = treebank([sample.treebank("en")])
    >>> paradigms = matching_for(bank, Recipe(level="morphology"), "tested", "none").paradigms
    >>> pseudo_words(paradigms, frozenset()).coin(random.Random(0), "musician", "NOUN", "musician")
    {'musicians': 'telescians', 'musician': 'telescian'}
    """
    spelling = spelling_of([form for form, _, _, _ in paradigms.counts])
    lexemes = lexemes_of(paradigms)
    endings = learn_endings(spelling, lexemes.values())
    cuts = {key: endings.cut(lexeme) for key, lexeme in lexemes.items()}
    splits = {key: cut for key, cut in cuts.items() if isinstance(cut, StemSplit)}
    coded = {key: list(map(spelling.coded, lexeme.forms)) for key, lexeme in lexemes.items()}
    forms_of: dict[str, dict[str, None]] = {}  # UPOS → its distinct coded forms, in order
    for (_, upos), forms in coded.items():
        forms_of.setdefault(upos, {}).update(dict.fromkeys(forms))
    common = [word for upos, words in forms_of.items() if upos != "PROPN" for word in words]
    has_vowel = [not spelling.vowels.isdisjoint(word) for word in common]
    writes_vowels = sum(has_vowel) > VOWEL_SHARE * len(common)
    clean = {  # no abbreviations: all capitals, or no vowel where vowels are written
        key
        for key, lexeme in lexemes.items()
        if any(capitals(form) in ("lower", "title") for form in lexeme.forms)
        and not (writes_vowels and any(map(spelling.vowels.isdisjoint, coded[key])))
    }
    stems = _stems_by_gender([split for key, split in splits.items() if key in clean])
    joints = [
        (split.stem, spelling.without_stress(affixes.ending))
        for split in splits.values()
        for affixes in split.affixes.values()
    ]
    all_words = {spelling.folded(form) for form, _, _, _ in paradigms.counts}
    all_words.update(map(spelling.folded, vocabulary))
    lemmas = {spelling.without_stress(spelling.coded(lemma)) for lemma, _ in cuts}
    clean_words = [word for key in lexemes if key in clean for word in coded[key]]
    return PseudowordModel(
        spelling=spelling,
        endings=endings,
        lexemes=lexemes,
        letters=letters_of_stems(stems, clean_words, spelling.vowels),
        shapes=Counter(spelling.pattern(stem) for _, _, stem in stems),
        harmony=vowel_colours(joints, common, spelling.vowels),
        neighbours={upos: neighbourhood(words) for upos, words in forms_of.items()},
        stems=lemmas.union(split.stem for split in splits.values()),
        words=frozenset(all_words),
        cuts=cuts,
    )


def _stems_by_gender(splits: list[StemSplit]) -> list[tuple[str, str, str]]:
    """Return (UPOS, gender, coded stem) for each lexeme that was cut. The gender is "" if the
    treebank has none, or few stems of it."""
    n_stems = Counter((split.upos, split.gender) for split in splits)
    return [
        (
            split.upos,
            split.gender if n_stems[split.upos, split.gender] >= MIN_STEMS_OF_GENDER else "",
            split.stem,
        )
        for split in splits
    ]
