"""Words that come together: light verbs and their nouns, bare adverbials, *let … know*.

A bundle is a pair of words of which the rarer is often found with the other. Only pairs that would
leave ungrammatical text behind if one were exchanged count: a verb with a noun below it that has no
determiner (*take place*), with a verb (*let know*), or with a pronoun that is not personal (*per
quanto riguarda*); *have a question* may become *have a horse*.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from colorless_green.miner.view import TreeView

SEEN = ((5, 0.03), (3, 0.1), (2, 0.3))  # times a pair was seen, share of the rarer word's uses: any
EXPLETIVE = "neuter subject"  # relation of *es* with *gibt*, where it is annotated as any subject
EXPLETIVE_SEEN = (5, 0.3)  # times such a pair was seen, share of the verb's uses: both
COMPLEMENTS = frozenset({"obj", "obl", "xcomp", "ccomp", "iobj"})
PAIRED = COMPLEMENTS | {"nsubj"}
PERSONAL = ("Prs", "Rel", "")  # PronType of what stands beside any verb
DETERMINING = frozenset({"det", "nummod", "amod"})


class Pair(NamedTuple):
    """A verb and a word below it, by their lemmas."""

    head: str
    relation: str
    upos: str  # of the dependent
    dependent: str


def pair_at(view: TreeView, index: int) -> Pair | None:
    """The pair that a word makes with its head, if it is one that could be a bundle."""
    relation, head, upos = view.relations[index], view.heads[index], view.upos[index]
    if head < 0 or view.upos[head] != "VERB":
        return None
    if relation == "nsubj" and upos == "PRON" and view.feature(index, "Gender") == "Neut":
        relation, paired = EXPLETIVE, True
    elif upos == "PRON":
        fits = view.feature(index, "PronType") not in PERSONAL
        paired = fits and (relation == "nsubj" or relation in COMPLEMENTS)
    else:
        paired = relation in COMPLEMENTS and (upos == "VERB" or is_bare(view, index))
    return Pair(view.key(head), relation, upos, view.key(index)) if paired else None


def pairs_of(view: TreeView, index: int) -> Iterator[Pair]:
    """The pairs that a word makes with its head and its dependents."""
    for each in (index, *view.children[index]):
        found = pair_at(view, each)
        if found is not None:
            yield found


def bundles(pairs: Mapping[Pair, int], uses: Mapping[str, int]) -> frozenset[Pair]:
    """The pairs seen often enough; `uses` is how often each lemma was seen."""
    return frozenset(pair for pair, n in pairs.items() if _is_bundle(pair, n, uses))


def _is_bundle(pair: Pair, n: int, uses: Mapping[str, int]) -> bool:
    if pair.relation == EXPLETIVE:
        least, share = EXPLETIVE_SEEN
        return n >= least and n >= share * uses[pair.head]
    rarer = min(uses[pair.head], uses[pair.dependent])
    return any(n >= least and n >= share * rarer for least, share in SEEN)


def is_bare(view: TreeView, index: int) -> bool:
    """Whether a word is a singular noun without determiner, numeral and attribute."""
    return (
        view.upos[index] == "NOUN"
        and view.feature(index, "Number") != "Plur"
        and not any(
            view.relations[child] in DETERMINING or view.deprels[child] == "nmod:poss"
            for child in view.children[index]
        )
    )
