"""Adjectives and adverbs: the side they stand on, what they modify, what they govern."""

from colorless_green.nonce.frames.nouns import BARE_ADVERBIAL, determiner_of, role_of
from colorless_green.nonce.frames.place import (
    BARE,
    Fact,
    Partner,
    Place,
    Use,
    feature,
    first_conjunct,
    lemma_of,
)
from colorless_green.nonce.frames.verbs import CLAUSES, predicate

FIXED = frozenset({"fixed", "goeswith", "flat"})


def use_of_adjective(place: Place, index: int) -> Use:
    """The use of an adjective: attribute before or after its noun, or predicate."""
    if feature(place, index, "NumType"):
        return Use((), "numeral", False)
    if feature(place, index, "PronType") or feature(place, index, "Poss"):
        return Use((), "pronominal", False)
    if any(place.relations[child] in FIXED for child in place.children[index]):
        return Use((), "fixed", False)
    first = first_conjunct(place, index)
    relation = place.relations[first]
    if relation == "amod":
        return _attribute(place, index, first)
    if relation not in CLAUSES and relation != "acl":
        return Use((), "adjective as another part of speech", False)
    copula = any(place.relations[child] == "cop" for child in place.children[first])
    if not copula and relation not in ("xcomp", "acl"):
        return Use((), "fragment", False)
    use = predicate(place, index, "predicate ")
    return use._replace(facts=(*use.facts, *_degree(place, index)))


def _attribute(place: Place, index: int, first: int) -> Use:
    noun = place.heads[first]
    if place.upos[noun] != "NOUN":
        return Use((), "part of a name", False)
    if any(place.relations[c] == "det" and index < c < noun for c in place.children[noun]):
        return Use((("determining", "before"),), "before the determiner")  # *all the*, *such a*
    _, bound = role_of(place, first_conjunct(place, noun))
    if bound == BARE_ADVERBIAL:
        return Use((), bound, False)
    use = predicate(place, index, "attribute ")
    if use.bound:
        return use
    number = feature(place, noun, "Number")
    facts: list[Fact] = [
        ("attribute", "before" if index < noun else "after"),
        (f"attribute {number}", determiner_of(place, noun)[0]),
        ("number", number),
        *_order(place, index, noun),
        *_degree(place, index),
    ]
    partners = use.partners
    if index < noun:
        fact = (f"before {number}", determiner_of(place, noun)[0])
        facts.append(fact)
        if fact[1] == "none" and number != "Plur":
            partners = (*partners, Partner(fact, lemma_of(place, noun), BARE))
    return use._replace(facts=(*facts, *use.facts), partners=partners)


def _order(place: Place, index: int, noun: int) -> list[Fact]:
    """Where an adjective stands among what precedes a noun: *the same old house*, never *the old
    same house*; *the last two houses*."""
    if index > noun:
        return []
    before = [child for child in place.children[noun] if child < noun]
    if any(place.relations[child] == "nummod" and child > index for child in before):
        return [("order", "before numeral")]
    inner = any(place.relations[child] == "amod" and child < index for child in before)
    return [("order", "inner" if inner else "outer")]


def _degree(place: Place, index: int) -> list[Fact]:
    """Whether the adjective is one that *very* or *more* goes with."""
    graded = any(
        place.relations[child] == "advmod" and place.upos[child] == "ADV"
        for child in place.children[index]
    )
    return [("degree", "modified")] if graded else []


def use_of_adverb(place: Place, index: int) -> Use:
    """The use of an adverb: what it modifies, and on which side."""
    if feature(place, index, "PronType") or feature(place, index, "Polarity"):
        return Use((), "adverb of a closed class", False)
    if place.relations[index] != "advmod":
        return Use((), "adverb of a closed class", False)
    if place.children[index]:
        return Use((), "modified adverb", False)
    head = place.heads[index]
    side = "before" if index < head else "after"
    if index == 0 or place.upos[index - 1] == "PUNCT":
        side = "first"
    return Use((("modifies", f"{place.upos[head]} {side}"),))
