"""Which letters follow one another in the words of a language.

A stem is written from right to left, since its last letters are given (they are those of the word
it stands for): each letter is drawn by how often it stands before the two on its right, at its
place in the stem (first, second, or further in). Two letters that were never seen at that place are
looked up in a wider circle of stems: those of the same gender, of the same part of speech, of all
common words (New et al. 2024 draw by place too, from left to right; minimal-pairs facts §3.5).
"""

import random
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TypeAlias

START, END = "\ue000", "\ue001"  # of a word: private characters, which no word of a treebank has
INNER = 2  # the place of all letters from the third on
MUTE = frozenset("h")  # never begins a new stem: nobody knows whether it is heard, and articles ask
COMMON = ("", "")  # the circle of all stems but proper nouns
PLENTY_OF_WORDS = 5_000  # from which on a triple seen in one word only is taken for an accident

Circle: TypeAlias = tuple[str, str]
"""(UPOS, gender): the stems that letters are counted in; no gender: all of the part of speech"""
Context: TypeAlias = tuple[str, str, int]
"""(next letter, the one after it, place of the letter to write)"""


@dataclass(frozen=True)
class Letters:
    """Counts of letters in stems, by circle, and the triples of letters that words have."""

    counts: Mapping[Circle, Mapping[Context, Mapping[str, int]]]
    triples: frozenset[str]
    vowels: frozenset[str]

    def write(
        self, rng: random.Random, circles: Sequence[Circle], tail: str, kinds: Sequence[bool]
    ) -> str | None:
        """A stem that ends in `tail`, with one more letter for each of `kinds` before it, a vowel
        where that is true; `None` where the letters drawn lead nowhere: then draw again."""
        right, after = tail[0], (tail + END)[1]
        stem = tail
        for place in reversed(range(len(kinds))):
            letters, sums = self._options(circles, right, after, min(place, INNER), kinds[place])
            if not letters:
                return None
            right, after = letters[bisect_right(sums, rng.random() * sums[-1])], right
            stem = right + stem
        return stem

    def _options(
        self, circles: Sequence[Circle], right: str, after: str, place: int, kind: bool
    ) -> tuple[Sequence[str], Sequence[int]]:
        """Letters that may stand before two others, and running sums of their counts, from the
        first circle that knows any."""
        key = (circles[0], right, after, place, kind)
        if key not in self._known:
            found: Mapping[str, int] = {}
            for circle in circles:
                seen = self.counts.get(circle, {}).get((right, after, place), {})
                found = {
                    letter: n
                    for letter, n in sorted(seen.items())
                    if (letter in self.vowels) is kind and not (place == 0 and letter in MUTE)
                }
                if found:
                    break
            self._known[key] = tuple(found), tuple(accumulate(found.values()))
        return self._known[key]

    @cached_property
    def _known(
        self,
    ) -> dict[tuple[Circle, str, str, int, bool], tuple[Sequence[str], Sequence[int]]]:
        return {}

    def sayable(self, word: str, model: str) -> bool:
        """Whether all triples of a coded word, its edges included, stand in some word of the
        language; those that it shares with its model are taken as they are."""
        padded, known = START + word + END, START + model + END
        return all(
            padded[start : start + 3] in self.triples or padded[start : start + 3] in known
            for start in range(len(word))
        )


def letters_of_stems(
    stems: Iterable[tuple[str, str, str]], words: Iterable[str], vowels: frozenset[str]
) -> Letters:
    """Counts over (UPOS, gender, coded stem), and the triples of coded words. Each stem and word
    counts as often as it comes."""
    counts: dict[Circle, dict[Context, Counter[str]]] = {}
    for upos, gender, stem in stems:
        circles = {(upos, gender), (upos, "")} | ({COMMON} if upos != "PROPN" else set())
        padded = stem + END + END
        for circle in circles:
            table = counts.setdefault(circle, {})
            for place, letter in enumerate(stem):
                context = (padded[place + 1], padded[place + 2], min(place, INNER))
                table.setdefault(context, Counter())[letter] += 1
    found = set(words)
    triples = Counter(triple for word in found for triple in _triples(word))
    least = 2 if len(found) > PLENTY_OF_WORDS else 1
    frequent = frozenset(triple for triple, n in triples.items() if n >= least)
    return Letters(counts, frequent, vowels)


def _triples(word: str) -> set[str]:
    padded = START + word + END
    return {padded[start : start + 3] for start in range(len(word))}
