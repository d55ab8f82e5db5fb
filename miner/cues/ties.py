"""How cue and target hang together in a tree, and what lies open where the target comes."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, TypeAlias

from colorless_green.miner.features import CACHED, value_of
from colorless_green.miner.tree import Tree

Tie: TypeAlias = Literal[
    "subject", "relative", "attribute", "conjunct", "noun", "inverted", "predicate", "other"
]
"""What the target is to the cue: the predicate of a *subject* (or a part of it), the verb of its
*relative* clause, its *attribute* (adjective, participle), a *conjunct*, the *noun* of a determiner
or adjective, the subject *inverted* behind a verb, a noun as *predicate* behind its copula."""
Children: TypeAlias = Sequence[Sequence[int]]

SUBJECT = frozenset({"nsubj", "csubj"})
AUXILIARY = frozenset({"aux", "cop"})
CLAUSE = frozenset({"acl", "advcl", "ccomp", "xcomp", "csubj", "parataxis", "root"})
NOMINAL = frozenset({"NOUN", "PROPN", "PRON"})
VERBAL = frozenset({"VERB", "AUX"})
CONTROLLED = frozenset({"det", "amod", "nummod", "acl", "case", "clf"})  # what stands before a noun


def base(deprel: str) -> str:
    """A relation without its subtype."""
    return deprel.partition(":")[0]


def children_of(tree: Tree) -> Children:
    """For each word its dependents, in order."""
    table: list[list[int]] = [[] for _ in tree.heads]
    for index, head in enumerate(tree.heads):
        if head >= 0 and head != index:
            table[head].append(index)
    return table


def predicate_of(tree: Tree, index: int) -> int:
    """The word that an auxiliary or copula belongs to; any other word itself."""
    while base(tree.deprels[index]) in AUXILIARY and 0 <= tree.heads[index] != index:
        index = tree.heads[index]
    return index


def is_finite(tree: Tree, children: Children, index: int) -> bool:
    """Whether a word is the predicate of a finite clause: a finite form, or one with an auxiliary
    or copula that is."""
    words = [index, *(each for each in children[index] if base(tree.deprels[each]) in AUXILIARY)]
    return any(is_finite_form(tree.upos[each], tree.feats[each]) for each in words)


@lru_cache(maxsize=CACHED)
def is_finite_form(upos: str, feats: str) -> bool:
    """Whether a word is a finite verb: FEATS say so, or tell person (as Hebrew participles do that
    are presents), or say nothing of the form but tell tense or mood."""
    if upos not in VERBAL:
        return False
    form = value_of(feats, "VerbForm")
    told = [name for name in ("Tense", "Mood") if value_of(feats, name)]
    return form == "Fin" or value_of(feats, "Person") is not None or (form is None and bool(told))


def first_conjunct(tree: Tree, index: int) -> int:
    """The head of the coordination a word stands in; any other word itself."""
    while base(tree.deprels[index]) == "conj" and 0 <= tree.heads[index] != index:
        index = tree.heads[index]
    return index


def tie(tree: Tree, children: Children, cue: int, target: int) -> Tie:
    """What the target is to the cue."""
    mine, theirs = predicate_of(tree, cue), predicate_of(tree, target)
    first = first_conjunct(tree, theirs)
    if base(tree.deprels[cue]) in SUBJECT and tree.heads[cue] in (theirs, first):
        return "subject"
    if base(tree.deprels[target]) in SUBJECT and tree.heads[target] == mine:
        return "inverted"
    if theirs == cue and base(tree.deprels[target]) == "cop":
        return "subject"  # of two nouns around a copula the first is taken for the subject
    if mine == target and cue != target:
        return "predicate"
    if tree.heads[cue] == target and base(tree.deprels[cue]) in CONTROLLED:
        return "noun"
    if tree.heads[first] == cue or (first != theirs and tree.heads[theirs] == cue):
        return _below(tree, children, theirs, first, cue)
    if theirs != mine and first in (mine, first_conjunct(tree, mine)):
        return "conjunct"
    return "other"


def _below(tree: Tree, children: Children, theirs: int, first: int, cue: int) -> Tie:
    if tree.heads[theirs] == cue and base(tree.deprels[theirs]) == "conj":
        return "conjunct"
    if tree.upos[cue] not in NOMINAL and base(tree.deprels[first]) not in ("amod", "acl"):
        return "other"
    clause = tree.deprels[theirs] == "acl:relcl" or is_finite(tree, children, theirs)
    return "relative" if clause else "attribute"


def ancestors(tree: Tree, index: int) -> list[int]:
    """The words above one, from its head to the root; it ends where a loop would begin."""
    found: list[int] = []
    index = tree.heads[index]
    while index >= 0 and len(found) < len(tree):
        found.append(index)
        index = tree.heads[index]
    return found


def is_below(tree: Tree, index: int, head: int) -> bool:
    """Whether a word is `head` or hangs below it."""
    return index == head or head in ancestors(tree, index)


def frontier(tree: Tree, before: int, clause: int) -> tuple[int, ...]:
    """Words that what begins at `before` could still hang on: the last word there that is neither
    punctuation nor below `clause` (what in truth begins there), and all above it; nearest first.

    In a projective tree these are the words whose dependents may go on.
    """
    index = before - 1
    while index >= 0 and (tree.upos[index] == "PUNCT" or is_below(tree, index, clause)):
        index -= 1
    if index < 0:
        return ()
    return tuple(each for each in (index, *ancestors(tree, index)) if each < before)


def first_below(tree: Tree, head: int) -> int:
    """The first word of what hangs on `head`, itself included."""
    return next(index for index in range(len(tree)) if is_below(tree, index, head))
