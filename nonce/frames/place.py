"""A word in its tree: what frames are read from. Words are told by their 0-based index."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeAlias

from colorless_green.miner.features import parse_feats
from colorless_green.miner.paradigms import MISSING

Fact: TypeAlias = tuple[str, str]
"""(question, answer): one thing that is so of a use, `("args", "obj")`."""


class Words(Protocol):
    """The columns of a sentence; `Sentence` and `Tree` have them."""

    @property
    def forms(self) -> Sequence[str]: ...
    @property
    def lemmas(self) -> Sequence[str]: ...
    @property
    def upos(self) -> Sequence[str]: ...
    @property
    def feats(self) -> Sequence[str]: ...
    @property
    def heads(self) -> Sequence[int]: ...  # −1 for the root
    @property
    def deprels(self) -> Sequence[str]: ...


class Place(NamedTuple):
    """The columns of a sentence, relations without subtypes, and the dependents of each word."""

    forms: Sequence[str]
    lemmas: Sequence[str]
    upos: Sequence[str]
    feats: Sequence[str]
    heads: Sequence[int]
    deprels: Sequence[str]
    relations: Sequence[str]
    children: Sequence[Sequence[int]]  # each word's, in their order


class Partner(NamedTuple):
    """The noun that a use was seen with, for facts of which one noun is no evidence."""

    fact: Fact
    lemma: str
    beside: str = ""  # the adposition of the word itself; or `BARE`, if the noun is bare


class Use(NamedTuple):
    """What a word is used with at its place."""

    facts: tuple[Fact, ...]
    bound: str = ""  # why no other word can stand here, or ""
    telling: bool = True  # whether the facts say what else the word can be used with
    partners: tuple[Partner, ...] = ()
    clause: int = -1  # of a noun: a relative clause below it whose gap no pronoun fills


class _Relations(dict[str, str]):
    """Relation → the same without its subtype, each distinct one looked at once."""

    def __missing__(self, deprel: str) -> str:
        self[deprel] = result = deprel.partition(":")[0]
        return result


RELATIONS = _Relations()
BARE = "bare"
NOMINAL = frozenset({"NOUN", "PROPN"})


def place_of(words: Words) -> Place:
    """The tree of a sentence, dependents found."""
    children: list[list[int]] = [[] for _ in words.heads]
    for index, head in enumerate(words.heads):
        if head >= 0:
            children[head].append(index)
    return Place(
        words.forms,
        words.lemmas,
        words.upos,
        words.feats,
        words.heads,
        words.deprels,
        list(map(RELATIONS.__getitem__, words.deprels)),
        children,
    )


def key_of(form: str, lemma: str) -> str:
    """The lemma in small letters, or the form where there is none."""
    return (form if lemma == MISSING else lemma).lower()


def lemma_of(place: Place, index: int) -> str:
    """`key_of` a word."""
    return key_of(place.forms[index], place.lemmas[index])


def feature(place: Place, index: int, name: str) -> str:
    """The value of a feature, or ""."""
    return parse_feats(place.feats[index]).get(name, "")


def first_conjunct(place: Place, index: int) -> int:
    """The word whose relation a conjunct shares; of a word that is no conjunct, itself."""
    for _ in range(len(place.heads)):
        if place.relations[index] != "conj" or place.heads[index] < 0:
            break
        index = place.heads[index]
    return index


def marked_by(place: Place, index: int, relation: str = "case") -> str:
    """The lemmas of a word's adpositions (or marks), joined by `_`; "" for none."""
    found = [
        lemma_of(place, child)
        for child in place.children[index]
        if place.relations[child] == relation
    ]
    return "_".join(found)


def governed_as(place: Place, index: int) -> str:
    """How a nominal is marked: `in`, `auf+Acc`, `+Gen`; "" for a bare one. Cases of pronouns are
    left out, since in English and most of Romance they alone have one."""
    adposition = marked_by(place, index)
    case = feature(place, index, "Case") if place.upos[index] in NOMINAL else ""
    return f"{adposition}+{case}" if case else adposition


def asks_or_relates(place: Place, index: int, kind: str) -> bool:
    """Whether a word's PronType is of a kind, `Rel` or `Int`."""
    return kind in feature(place, index, "PronType")


def relative_of(place: Place, clause: int) -> int:
    """The relative word between a clause and the noun it modifies (before it, where the clause
    comes first), or −1."""
    noun = place.heads[clause]
    span = range(noun + 1, clause) if noun < clause else range(clause)
    return next((index for index in span if asks_or_relates(place, index, "Rel")), -1)
