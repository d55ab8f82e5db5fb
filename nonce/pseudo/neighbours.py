"""Words that differ by one letter, found without comparing words.

Two words are neighbours if one letter taken from one or from each makes them equal: one letter
added, dropped or replaced (edit distance 1), or moved to another place (*form*, *from*). Every word
is filed under itself and under what is left of it without one of its letters, so that asking looks
up as many strings as a word has letters (deletion neighbourhoods; Mor & Fraenkel 1982, Commun. ACM
25:935).
"""

from collections.abc import Iterable
from dataclasses import dataclass


def without_a_letter(word: str) -> list[str]:
    """What is left of a word without its first, second … letter."""
    return [word[:place] + word[place + 1 :] for place in range(len(word))]


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Words, and what is left of each without one letter."""

    filed: frozenset[str]

    def near(self, word: str) -> bool:
        """Whether it is one of the words or a neighbour of one."""
        return word in self.filed or not self.filed.isdisjoint(without_a_letter(word))


def neighbourhood(words: Iterable[str]) -> Neighbourhood:
    """The neighbourhood of all the words."""
    filed: set[str] = set()
    for word in words:
        filed.add(word)
        filed.update(without_a_letter(word))
    return Neighbourhood(frozenset(filed))
