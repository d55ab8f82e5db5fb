"""Facts of which one noun is no evidence: adpositions below verbs, adjectives and nouns.

*Destination to* is seen in *from the destination to the bus*, *entrare di* in *entrare di
nascosto*: an adposition that belongs to another, or to an adverbial that goes with any verb. So two
nouns must have been seen with it, and neither of these two ways counts.
"""

from collections import Counter
from collections.abc import Mapping
from typing import TypeAlias

from colorless_green.nonce.frames.use import BARE, Fact, Partner

Seen: TypeAlias = Mapping[tuple[str, str, Partner], int]
"""(UPOS, lemma, with what) → times"""
BACKED = frozenset({"nmod", "obl"})  # questions
PARTNERS = 2
PAIRED, PAIRED_LEAST = 3.0, 5  # how much more often than by chance *to* follows *from*; times


def correlatives(seen: Seen) -> frozenset[tuple[str, Fact]]:
    """(a noun's own adposition, adposition below it) that come together: *from* and *to*."""
    pairs: Counter[tuple[str, Fact]] = Counter()
    for (_, _, partner), n in seen.items():
        if partner.fact[0] == "nmod":
            pairs[partner.beside, partner.fact] += n
    outer: Counter[str] = Counter()
    inner: Counter[Fact] = Counter()
    for (beside, fact), n in pairs.items():
        outer[beside] += n
        inner[fact] += n
    total = outer.total()
    return frozenset(
        (beside, fact)
        for (beside, fact), n in pairs.items()
        if beside and n >= PAIRED_LEAST and n * total >= PAIRED * outer[beside] * inner[fact]
    )


def backed(seen: Seen, bare_nouns: bool) -> frozenset[tuple[str, str, Fact]]:
    """(UPOS, lemma, fact) of what two different nouns were seen with; `bare_nouns`: whether bare
    ones are common in the language, and no sign of an adverbial."""
    paired = correlatives(seen)
    lemmas: dict[tuple[str, str, Fact], set[str]] = {}
    for upos, lemma, (fact, partner, beside) in seen:
        apart = (beside, fact) in paired or (beside == BARE and not bare_nouns)
        if fact[0] in BACKED and not apart:
            lemmas.setdefault((upos, lemma, fact), set()).add(partner)
    return frozenset(each for each, found in lemmas.items() if len(found) >= PARTNERS)
