"""Adjectives that cannot stand for another: those that do a determiner's work (*many*, *such*,
*same*; Italian *altro*, *vario*), and those that govern something (*capace di*).

Both are told by counts, so that no list of them is needed. The first stand before a noun nearly
always in the plural (*several*), or never after an indefinite article where it was to be expected
(*same*), or before determiners (*such a*), or before nouns that do not stand without one (*altra
scuola*).
"""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from colorless_green.nonce.frames.use import Fact

PLURAL, PLURAL_LEAST = 0.9, 8  # share of uses before a noun; uses
EXPECTED, INDEFINITE = 5.0, 0.02  # indefinite articles by chance; share of them that is none
BEFORE, BEFORE_LEAST = 0.1, 2  # share of all uses, uses: before the determiner
INSTEAD, INSTEAD_LEAST = 3.0, 10  # times the share of all adjectives, uses: for the determiner
UNGOVERNED, UNGOVERNED_LEAST = 0.5, 5  # share of uses that govern nothing; uses


class _Counts(NamedTuple):
    """Uses of an adjective, or of all."""

    before: int  # a noun
    plural: int  # of those before a noun
    singular: int
    indefinite: int  # of those before a singular
    instead: int  # of those: bare, and the noun is none to stand bare
    preceding: int  # before a determiner


def determining(
    facts: Mapping[str, Mapping[Fact, int]], uses: Mapping[str, int], instead: Mapping[str, int]
) -> frozenset[str]:
    """The adjectives of that kind. By lemma: what it was seen with, its uses, and its uses before a
    bare singular noun that hardly ever is bare."""
    counts = {lemma: _counts(own, instead.get(lemma, 0)) for lemma, own in facts.items()}
    of_all = _Counts(*map(sum, zip(*counts.values(), strict=True))) if counts else _Counts(*[0] * 6)
    return frozenset(
        lemma for lemma, own in counts.items() if _is_determining(own, of_all, uses[lemma])
    )


def _counts(facts: Mapping[Fact, int], instead: int) -> _Counts:
    numbers: Counter[str] = Counter()
    for (question, _), n in facts.items():
        kind, _, number = question.partition(" ")
        if kind == "before":
            numbers[number] += n
    indefinite = facts.get(("before Sing", "ind"), 0)
    preceding = facts.get(("determining", "before"), 0)
    return _Counts(
        numbers.total(), numbers["Plur"], numbers["Sing"], indefinite, instead, preceding
    )


def _is_determining(own: _Counts, of_all: _Counts, uses: int) -> bool:
    if own.before >= PLURAL_LEAST and own.plural >= PLURAL * own.before:
        return True
    if own.preceding >= BEFORE_LEAST and own.preceding >= BEFORE * uses:
        return True
    expected = own.singular * of_all.indefinite / max(1, of_all.singular)
    if expected >= EXPECTED and own.indefinite <= INDEFINITE * own.singular:
        return True
    usual = of_all.instead / max(1, of_all.before)
    often = own.instead >= INSTEAD_LEAST and own.instead >= INSTEAD * usual * own.before
    return often and own.indefinite < expected


def governs(facts: Mapping[Fact, int], question: str) -> bool:
    """Whether an adjective mostly governs something where it is attribute (or predicate, as the
    question `alone attribute …` says), or, if it is rarely one, anywhere."""
    alike = {fact: n for fact, n in facts.items() if fact[0].startswith("alone ")}
    mode = question.split()[1]
    own = {fact: n for fact, n in alike.items() if fact[0].split()[1] == mode}
    counts = own if sum(own.values()) >= UNGOVERNED_LEAST else alike
    ungoverned = sum(
        n for (each, answer), n in counts.items() if answer == "yes" and len(each.split()) == 2
    )
    return ungoverned < UNGOVERNED * sum(counts.values())
