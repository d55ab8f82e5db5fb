"""The one unit of test material: an item is conditions × regions, and what its maker knows.

A mined pair, a SyntaxGym item, a BLiMP pair and a template item are all of this type. Text
convention: a region's `text` carries the blank before it, so that the texts of a sentence's regions
joined with nothing in between are the sentence as a person reads it.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from colorless_green.miner.tree import Tree

KINDS = ("original", "nonce", "composed", "template", "suite")
OWN = ("item_id", "kind", "cluster_id", "set_id", "cell", "language", "source", "licence")
"""The fields of an item that are one text each."""
RIGHT: str = "right"  # the conditions of a pair
WRONG: str = "wrong"
PREFIX: str = "prefix"  # and the regions of its sentences
TARGET: str = "target"
REST: str = "rest"


@dataclass(frozen=True, slots=True)
class Region:
    """A named stretch of a sentence, in both forms models ask for."""

    region: str  # "prefix", "target", "rest", or a suite's own name
    words: tuple[str, ...]  # treebank-style tokens, for word-level models
    text: str  # as a person reads it, with the blank before it; for subword models and people


Wording: TypeAlias = tuple[Region, ...]
"""One sentence of a condition, as its regions in order."""


@dataclass(frozen=True, slots=True)
class Target:
    """A further (right, wrong) pair that fits the same prefix (EW and MW, Newman et al. 2021)."""

    right: str
    wrong: str
    lemma: str
    source: str = "treebank"  # where the wrong form is from: treebank or unimorph


class Nominal(NamedTuple):
    """A noun, name or pronoun strictly between cue and target that carries the feature."""

    token: int  # 0-based surface token
    depth: int  # arcs from it up to the cue, the target, or the word above both
    distance: int  # tokens from it to the target: 1 for the one directly before
    value: str


class Leak(NamedTuple):
    """A word before the target, other than the cue, whose form tells the target's value."""

    kind: str  # S subject of a coordinated predicate, D determiner or numeral, V verb, A adjective
    token: int  # 0-based surface token
    value: str


@dataclass(frozen=True, slots=True)
class Agreement:
    """What is known of an agreement item. Indices are 0-based over surface tokens, multiword
    tokens merged; the tokens are those of the right sentence."""

    treebank: str
    file: str  # its name without folders
    sent_id: str
    rule: str
    construction: str  # "L__NOUN_VERB_VERB"
    number: int  # 0, 1, 2 … within the construction and pair of values (`constr_id` of the paper)
    feature: str
    values: tuple[str, ...]  # the values the construction was accepted for, sorted
    value: str  # of cue and target in the right form
    cue_index: int
    target_index: int
    cue: str
    cue_upos: str
    target_upos: str
    target_feats: str
    lemma: str  # of the target
    right: str
    wrong: str
    gap: int  # tokens strictly between cue and target
    attractors: tuple[int, ...]  # indices of words between, cue's POS, another value of the feature
    tokens: tuple[str, ...]
    upos: tuple[str, ...]
    feats: tuple[str, ...]
    spaces: tuple[str, ...]  # what stands before each token in raw text: "" or " "
    level: str = ""  # matching level of a variant; empty for an original
    seed: int | None = None
    variant: int = 0
    substitutions: tuple[int, ...] = ()  # indices whose word is not the original's
    flags: tuple[str, ...] = ()  # sorted: "ghost", "equal_forms", "same_sentence", "same_target", …
    cue_feature: str = ""  # the names under which cue and target carry the feature, where these
    target_feature: str = ""  # are not `feature` itself
    before: str = ""  # what of the target's token stands before and after the word that agrees,
    after: str = ""  # where it is a multiword token; `right` and `wrong` are whole tokens
    tree: Tree | None = None  # of an original; none for a variant, or where the file has none
    cue_node: int = -1  # cue and target as words of the tree
    target_node: int = -1
    nominals: tuple[Nominal, ...] = ()  # between cue and target, in their order
    leaks: tuple[Leak, ...] = ()  # words beside the cue that tell the value, in their order
    wrong_value: str = ""  # of the wrong form
    wrong_forms: Mapping[str, str] = field(default_factory=dict, hash=False)
    """other value → the target's form with it, of every value of the construction that has one"""
    value_from: tuple[int, ...] = ()  # tokens that tell the value of a cue or target without it
    cues_before: tuple[int, ...] = ()  # words other than the cue that tell the value:
    cues_between: tuple[int, ...] = ()  # before the cue, between, and those that are the target's
    cues_beside_target: tuple[int, ...] = ()  # own (auxiliary, predicate) or come after it

    def word(self, token: str) -> str:
        """The word that agrees, of a target's token: without what a multiword token adds."""
        return token[len(self.before) : len(token) - len(self.after)]


@dataclass(frozen=True, slots=True)
class Item:
    """One scored unit. Conditions map a name to one or more wordings (several are averaged)."""

    item_id: str
    kind: str  # one of KINDS
    cluster_id: str  # the original (or its own id): what intervals resample
    language: str  # BCP-47
    source: str  # treebank or publication with release
    licence: str  # SPDX id, or "" where unknown
    conditions: Mapping[str, tuple[Wording, ...]]
    set_id: str = ""  # items of one factorial block share it
    cell: str = ""  # this item's place in the block
    targets: tuple[Target, ...] = ()
    agreement: Agreement | None = None
    facts: Mapping[str, str] = field(default_factory=dict)  # whatever else its file said

    @property
    def construction(self) -> str:
        """What its maker calls its construction; see `construction_of`."""
        return construction_of(self.facts, self.agreement)


class Entry(NamedTuple):
    """What tables of results need of an item, under the names that it has there."""

    item_id: str
    kind: str
    cluster_id: str
    construction: str


def item_id(*parts: object) -> str:
    """First 16 hex digits of SHA-256 over everything that makes the item, in a fixed order."""
    return hashlib.sha256("\x1f".join(map(str, parts)).encode()).hexdigest()[:16]


def sentence_text(wording: Wording) -> str:
    """The sentence as a person reads it."""
    return "".join(region.text for region in wording)


def sentence_words(wording: Wording) -> tuple[str, ...]:
    """The sentence as treebank-style tokens."""
    return tuple(word for region in wording for word in region.words)


def wording(tokens: Sequence[str], spaces: Sequence[str], target_index: int) -> Wording:
    """Prefix, target and rest of a sentence, in words and in raw text."""
    cuts = (0, target_index, target_index + 1, len(tokens))
    return tuple(
        Region(name, tuple(tokens[start:end]), raw_text(tokens[start:end], spaces[start:end]))
        for name, start, end in zip((PREFIX, TARGET, REST), cuts, cuts[1:], strict=False)
    )


def raw_text(tokens: Sequence[str], spaces: Sequence[str]) -> str:
    """Tokens as a person reads them; `spaces` are what stands before each.

    >>> raw_text(("The", "keys", "."), ("", " ", ""))
    'The keys.'
    """
    return "".join([space + token for space, token in zip(spaces, tokens, strict=True)])


def pair(agreement: Agreement) -> dict[str, tuple[Wording, ...]]:
    """The two conditions of an agreement item: the sentence with its right and its wrong form."""
    index = agreement.target_index
    swapped = (*agreement.tokens[:index], agreement.wrong, *agreement.tokens[index + 1 :])
    return {
        RIGHT: (wording(agreement.tokens, agreement.spaces, index),),
        WRONG: (wording(swapped, agreement.spaces, index),),
    }


FACTORS = ("kind", "level", "construction", "value", "n_attractors")


def construction_of(facts: Mapping[str, str], agreement: Agreement | None) -> str:
    """What the maker of an item calls its construction: that of its agreement, or what its file
    calls so, or the paradigm (`uid`) there; "" where neither is known."""
    if agreement is not None:
        return agreement.construction
    return facts.get("construction") or facts.get("uid", "")


def factors(facts: Mapping[str, str], agreement: Agreement | None) -> tuple[str, str, str, str]:
    """Level, construction, value and number of attractors of an item; "" where it has none."""
    n_attractors = facts.get("n_attr", "")  # the count of a file without annotation
    if agreement is None:
        return "", construction_of(facts, None), "", n_attractors
    if agreement.upos:
        n_attractors = str(len(agreement.attractors))
    return agreement.level, agreement.construction, agreement.value, n_attractors


def factors_of(item: Item) -> dict[str, str]:
    """The values an item has for each of FACTORS; "" where it has none."""
    return dict(zip(FACTORS, (item.kind, *factors(item.facts, item.agreement)), strict=True))


def is_pair(item: Item) -> bool:
    """Whether an item is one right and one wrong sentence."""
    return set(item.conditions) == {RIGHT, WRONG} and all(
        len(wordings) == 1 for wordings in item.conditions.values()
    )
