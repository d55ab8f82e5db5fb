"""Adjectives and adverbs: the side they stand on, what they modify, what they govern."""

from colorless_green.miner.view import TreeView
from colorless_green.nonce.frames.nouns import BARE_ADVERBIAL, determiner_of, role_of
from colorless_green.nonce.frames.use import BARE, Fact, Partner, Use
from colorless_green.nonce.frames.verbs import CLAUSES, predicate

FIXED = frozenset({"fixed", "goeswith", "flat"})


def use_of_adjective(view: TreeView, index: int) -> Use:
    """The use of an adjective: attribute before or after its noun, or predicate."""
    if view.feature(index, "NumType"):
        return Use((), "numeral", False)
    if view.feature(index, "PronType") or view.feature(index, "Poss"):
        return Use((), "pronominal", False)
    if any(view.relations[child] in FIXED for child in view.children[index]):
        return Use((), "fixed", False)
    first = view.first_conjunct(index)
    relation = view.relations[first]
    if relation == "amod":
        return _attribute(view, index, first)
    if relation not in CLAUSES and relation != "acl":
        return Use((), "adjective as another part of speech", False)
    copula = any(view.relations[child] == "cop" for child in view.children[first])
    if not copula and relation not in ("xcomp", "acl"):
        return Use((), "fragment", False)
    use = predicate(view, index, "predicate ")
    return use._replace(facts=(*use.facts, *_degree(view, index)))


def _attribute(view: TreeView, index: int, first: int) -> Use:
    noun = view.heads[first]
    if view.upos[noun] != "NOUN":
        return Use((), "part of a name", False)
    if any(view.relations[c] == "det" and index < c < noun for c in view.children[noun]):
        return Use((("determining", "before"),), "before the determiner")  # *all the*, *such a*
    _, bound = role_of(view, view.first_conjunct(noun))
    if bound == BARE_ADVERBIAL:
        return Use((), bound, False)
    use = predicate(view, index, "attribute ")
    if use.bound:
        return use
    number = view.feature(noun, "Number")
    facts: list[Fact] = [
        ("attribute", "before" if index < noun else "after"),
        (f"attribute {number}", determiner_of(view, noun)[0]),
        ("number", number),
        *_order(view, index, noun),
        *_degree(view, index),
    ]
    partners = use.partners
    if index < noun:
        fact = (f"before {number}", determiner_of(view, noun)[0])
        facts.append(fact)
        if fact[1] == "none" and number != "Plur":
            partners = (*partners, Partner(fact, view.key(noun), BARE))
    return use._replace(facts=(*facts, *use.facts), partners=partners)


def _order(view: TreeView, index: int, noun: int) -> list[Fact]:
    """Where an adjective stands among what precedes a noun: *the same old house*, never *the old
    same house*; *the last two houses*."""
    if index > noun:
        return []
    before = [child for child in view.children[noun] if child < noun]
    if any(view.relations[child] == "nummod" and child > index for child in before):
        return [("order", "before numeral")]
    inner = any(view.relations[child] == "amod" and child < index for child in before)
    return [("order", "inner" if inner else "outer")]


def _degree(view: TreeView, index: int) -> list[Fact]:
    """Whether the adjective is one that *very* or *more* goes with."""
    graded = any(
        view.relations[child] == "advmod" and view.upos[child] == "ADV"
        for child in view.children[index]
    )
    return [("degree", "modified")] if graded else []


def use_of_adverb(view: TreeView, index: int) -> Use:
    """The use of an adverb: what it modifies, and on which side."""
    if view.feature(index, "PronType") or view.feature(index, "Polarity"):
        return Use((), "adverb of a closed class", False)
    if view.relations[index] != "advmod":
        return Use((), "adverb of a closed class", False)
    if view.children[index]:
        return Use((), "modified adverb", False)
    head = view.heads[index]
    side = "before" if index < head else "after"
    if index == 0 or view.upos[index - 1] == "PUNCT":
        side = "first"
    return Use((("modifies", f"{view.upos[head]} {side}"),))
