"""What a word is used with at its place: facts that hold of it, and words that come with it."""

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from ....miner.treebank.view import TreeView

Fact: TypeAlias = tuple[str, str]
"""(question, answer): one thing that is so of a use, `("args", "obj")`."""
BARE = "bare"
EXPLETIVE = "neuter subject"  # relation of *es* with *gibt*, where it is annotated as any subject
COMPLEMENTS = frozenset({"obj", "obl", "xcomp", "ccomp", "iobj"})
PAIRED = COMPLEMENTS | {"nsubj"}
PERSONAL = ("Prs", "Rel", "")  # PronType of what stands beside any verb


class NounPartner(NamedTuple):
    """The noun that a use was seen with, for facts of which one noun is no evidence."""

    fact: Fact
    lemma: str
    adposition: str = ""  # the adposition of the word itself; or `BARE`, if the noun is bare


class WordUse(NamedTuple):
    """The facts of one use of a word."""

    facts: tuple[Fact, ...]
    bound: str = ""  # why no other word can stand here, or ""
    is_informative: bool = True  # whether the facts say what else the word can be used with
    partners: tuple[NounPartner, ...] = ()
    clause: int = -1  # of a noun: a relative clause below it whose gap no pronoun fills


class Collocation(NamedTuple):
    """A verb and a word below it, by their lemmas, that could be a bundle."""

    head: str
    relation: str
    upos: str  # of the dependent
    dependent: str


def determiner_disagrees(view: TreeView, index: int, name: str) -> bool | None:
    """Tell whether a determiner of a noun has another value of a feature than the noun; `None`
    where no determiner or not both have one."""
    values = view.feature(index, name).split(",")
    determiners = [view.feature(determiner, name) for determiner in view.dependents(index, "det")]
    if values == [""] or not any(determiners):
        return None
    return any(set(value.split(",")).isdisjoint(values) for value in determiners if value)


def collocation_at(view: TreeView, index: int) -> Collocation | None:
    """Return what a word makes with its head, if exchanging one of the two could leave
    ungrammatical text behind: a verb with a noun below it that has no determiner (*take place*),
    with a verb (*let know*), or with a pronoun that is not personal (*per quanto riguarda*); *have
    a question* may become *have a horse*."""
    relation, head, upos = view.relations[index], view.heads[index], view.upos[index]
    if relation not in PAIRED or head < 0 or view.upos[head] != "VERB":
        return None
    if upos == "ADJ" and relation in ("xcomp", "obl") and not view.marked_by(index):
        relation = f"{relation}+{view.feature(index, 'Case')}"  # *lehetővé tesz* "makes possible"
        return Collocation(view.key(head), relation, upos, view.key(index))
    if upos == "PRON":
        if relation == "nsubj" and view.feature(index, "Gender") == "Neut":
            relation = EXPLETIVE
        elif view.feature(index, "PronType") in PERSONAL:
            return None
    elif relation == "nsubj" or not (upos == "VERB" or is_bare(view, index)):
        return None
    return Collocation(view.key(head), relation, upos, view.key(index))


def collocations_of(view: TreeView, index: int) -> Iterator[Collocation]:
    """Yield the collocations of a word with its head and its dependents."""
    return filter(None, (collocation_at(view, word) for word in (index, *view.children[index])))


def asks(view: TreeView, clause: int) -> bool:
    """Tell whether a clause opens with an interrogative: an indirect question."""
    words = (
        word for word in sorted((clause, *view.children[clause])) if view.upos[word] != "PUNCT"
    )
    return view.is_pronominal(next(words, clause), "Int")


def is_bare(view: TreeView, index: int) -> bool:
    """Tell whether a word is a singular noun without determiner, numeral and attribute."""
    return (
        view.upos[index] == "NOUN"
        and view.feature(index, "Number") != "Plur"
        and not view.dependents(index, "det", "nummod", "amod")
        and all(view.deprels[child] != "nmod:poss" for child in view.children[index])
    )
