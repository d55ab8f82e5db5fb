"""A sentence's tree as one view: what hangs on what, how words are related, what lies open.

Every question about a tree is asked here. Words are told by their 0-based index; relations are
without their subtypes unless a whole one is asked for (`deprels`).
"""

from collections.abc import Container, Sequence
from functools import lru_cache
from typing import Literal, TypeAlias

from ...data.items.features import CACHED, parse_feats, value_of
from ...data.items.tree import Sentence, Tree
from .paradigms import MISSING

Tie: TypeAlias = Literal[
    "subject", "relative", "attribute", "conjunct", "noun", "inverted", "predicate", "other"
]
"""What the target is to the cue: the predicate of a *subject* (or a part of it), the verb of its
*relative* clause, its *attribute* (adjective, participle), a *conjunct*, the *noun* of a determiner
or adjective, the subject *inverted* behind a verb, a noun as *predicate* behind its copula."""

SUBJECT = frozenset({"nsubj", "csubj"})
AUXILIARY = frozenset({"aux", "cop"})
NOMINAL = frozenset({"NOUN", "PROPN", "PRON"})
VERBAL = frozenset({"VERB", "AUX"})
CONTROLLED = frozenset({"det", "amod", "nummod", "acl", "case", "clf"})  # what stands before a noun
CASED = frozenset({"NOUN", "PROPN"})  # in English and most of Romance pronouns alone have a case


class TreeView:
    """The columns of a sentence, its relations without subtypes, and each word's dependents.

    Make it once for a sentence and hand it on. Heads that run in a circle, which hostile input may
    have, end no loop too late.

    Args:
        words: the sentence, or the tree of an original.

    >>> view = TreeView(Tree(("keys", "open"), ("key", "open"), ("NOUN", "VERB"), ("_", "_"),
    ...                      (1, -1), ("nsubj", "root"), (0, 1)))
    >>> view.tie(0, 1), view.children[1]
    ('subject', [0])
    """

    __slots__ = (
        "children", "deprels", "feats", "forms", "heads", "lemmas", "relations", "upos",
    )  # fmt: skip

    def __init__(self, words: Sentence | Tree) -> None:
        self.forms = words.forms
        self.lemmas = words.lemmas
        self.upos = words.upos
        self.feats = words.feats
        self.heads = words.heads  # −1 for the root
        self.deprels = words.deprels
        self.relations: Sequence[str] = list(map(relation_of, words.deprels))
        children: list[list[int]] = [[] for _ in words.heads]
        for index, head in enumerate(words.heads):
            if head >= 0 and head != index:
                children[head].append(index)
        self.children: Sequence[Sequence[int]] = children  # each word's, in their order

    def __len__(self) -> int:
        return len(self.forms)

    # words

    def feature(self, index: int, name: str) -> str:
        """Return the value of a feature, by its exact name; "" for a word without it."""
        return parse_feats(self.feats[index]).get(name, "")

    def value(self, index: int, feature: str) -> str | None:
        """Return the value of a feature that may have two names (`paired_value`)."""
        return paired_value(self.feats[index], feature)

    def is_pronominal(self, index: int, kind: str) -> bool:
        """Tell whether a word's PronType is of a kind, `Rel` or `Int`, alone or among others."""
        return kind in self.feature(index, "PronType")

    def key(self, index: int) -> str:
        """Return a word's lemma in small letters, or its form where it has none."""
        return key_of(self.forms[index], self.lemmas[index])

    # dependents and heads

    def dependents(self, index: int, *relations: str) -> list[int]:
        """Return the dependents of a word with one of these relations, subtypes aside."""
        return [child for child in self.children[index] if self.relations[child] in relations]

    def ancestors(self, index: int) -> list[int]:
        """Return the words above one, from its head to the root; they end where a loop begins."""
        heads_above: list[int] = []
        index = self.heads[index]
        while index >= 0 and len(heads_above) < len(self.heads):
            heads_above.append(index)
            index = self.heads[index]
        return heads_above

    def is_below(self, index: int, head: int) -> bool:
        """Tell whether a word is `head` or hangs below it."""
        return index == head or head in self.ancestors(index)

    def below(self, index: int, low: int, high: int) -> list[int]:
        """Return the words from `low` to before `high` that hang below a word (itself included)."""
        stack, inside = [index], []
        for _ in range(len(self.heads)):
            if not stack:
                break
            node = stack.pop()
            if low <= node < high:
                inside.append(node)
            stack += self.children[node]
        return sorted(inside)

    def first_below(self, head: int) -> int:
        """Return the first word of what hangs on `head`, itself included."""
        return next(index for index in range(len(self)) if self.is_below(index, head))

    def frontier(self, start: int, clause: int) -> tuple[int, ...]:
        """Return what lies open at a place: words that what begins at `start` could still hang on,
        the last word there that is neither punctuation nor below `clause` (what in truth begins
        there; −1 for nothing), and all above it; nearest first.

        In a projective tree these are the words whose dependents may go on.
        """
        index = start - 1
        while index >= 0 and (self.upos[index] == "PUNCT" or self.is_below(index, clause)):
            index -= 1
        if index < 0:
            return ()
        return tuple(node for node in (index, *self.ancestors(index)) if node < start)

    # coordinations and predicates

    def first_conjunct(self, index: int) -> int:
        """Return the head of the coordination a word is in, whose relation it shares; any other
        word itself."""
        return self._up(index, ("conj",))

    def predicate_of(self, index: int) -> int:
        """Return the word that an auxiliary or copula belongs to; any other word itself."""
        return self._up(index, AUXILIARY)

    def _up(self, index: int, relations: Container[str]) -> int:
        for _ in range(len(self.heads)):
            if self.relations[index] not in relations or self.heads[index] < 0:
                break
            index = self.heads[index]
        return index

    def is_finite(self, index: int) -> bool:
        """Tell whether a word is the predicate of a finite clause: a finite form, or one with an
        auxiliary or copula that is."""
        words = (index, *self.dependents(index, *AUXILIARY))
        return any(is_finite_form(self.upos[word], self.feats[word]) for word in words)

    def tie(self, cue: int, target: int) -> Tie:
        """Return what the target is to the cue."""
        relations, heads = self.relations, self.heads
        cue_pred, target_pred = self.predicate_of(cue), self.predicate_of(target)
        first_conjunct = self.first_conjunct(target_pred)
        if relations[cue] in SUBJECT and heads[cue] in (target_pred, first_conjunct):
            return "subject"
        if relations[target] in SUBJECT and heads[target] == cue_pred:
            return "inverted"
        if target_pred == cue and relations[target] == "cop":
            return "subject"  # of two nouns around a copula the first is taken for the subject
        if cue_pred == target and cue != target:
            return "predicate"
        if heads[cue] == target and relations[cue] in CONTROLLED:
            return "noun"
        if heads[first_conjunct] == cue or (
            first_conjunct != target_pred and heads[target_pred] == cue
        ):
            if heads[target_pred] == cue and relations[target_pred] == "conj":
                return "conjunct"
            if self.upos[cue] not in NOMINAL and relations[first_conjunct] not in ("amod", "acl"):
                return "other"
            clause = self.deprels[target_pred] == "acl:relcl" or self.is_finite(target_pred)
            return "relative" if clause else "attribute"
        if target_pred != cue_pred and first_conjunct in (cue_pred, self.first_conjunct(cue_pred)):
            return "conjunct"
        return "other"

    # how words are marked

    def marked_by(self, index: int, relation: str = "case") -> str:
        """Return the lemmas of a word's adpositions (or marks), joined by `_`; "" for none."""
        return "_".join([self.key(marker) for marker in self.dependents(index, relation)])

    def case_marking(self, index: int) -> str:
        """Return how a nominal is marked: `in`, `auf+Acc`, `+Gen`; "" for a bare one. Cases of
        pronouns are left out, since in English and most of Romance they alone have one."""
        adposition = self.marked_by(index)
        case = self.feature(index, "Case") if self.upos[index] in CASED else ""
        return f"{adposition}+{case}" if case else adposition

    def relative_of(self, clause: int) -> int:
        """Return the relative word between a clause and the noun it modifies (before it, where the
        clause comes first), or −1."""
        noun = self.heads[clause]
        span = range(noun + 1, clause) if noun < clause else range(clause)
        return next((index for index in span if self.is_pronominal(index, "Rel")), -1)


@lru_cache(maxsize=CACHED)
def relation_of(deprel: str) -> str:
    """Return a relation without its subtype."""
    return deprel.partition(":")[0]


@lru_cache(maxsize=CACHED)
def is_finite_form(upos: str, feats: str) -> bool:
    """Tell whether a word is a finite verb: FEATS say so, or tell person (as Hebrew participles do
    that are presents), or say nothing of the form but tell tense or mood."""
    if upos not in VERBAL:
        return False
    form = value_of(feats, "VerbForm")
    marked = [name for name in ("Tense", "Mood") if value_of(feats, name)]
    return form == "Fin" or value_of(feats, "Person") is not None or (form is None and bool(marked))


def paired_value(feats: str, feature: str) -> str | None:
    """Return the value of a feature that the two words may carry under two names
    (`Number~Number[abs]`)."""
    for name in feature.split("~"):
        value = value_of(feats, name)
        if value is not None:
            return value
    return None


def key_of(form: str, lemma: str) -> str:
    """Return the lemma in small letters, or the form where there is none."""
    return (form if lemma == MISSING else lemma).lower()
