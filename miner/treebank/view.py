"""A view of a sentence's tree: dependents, ancestors, coordinations, and how two words are related.

All questions about trees are answered here. Words are given by their 0-based index; relations have
no subtypes, except in `deprels`.
"""

from collections.abc import Container, Sequence
from functools import lru_cache
from typing import Literal, TypeAlias

from ...data.items.features import CACHE_SIZE, parse_feats, value_of
from ...data.items.tree import Sentence, Tree
from .paradigms import MISSING

Tie: TypeAlias = Literal[
    "subject", "relative", "attribute", "conjunct", "noun", "inverted", "predicate", "other"
]
"""The relation of target to cue. The target is the predicate (or a part of it) of the cue as
*subject*, the verb of the cue's *relative* clause, its *attribute* (adjective, participle), a
*conjunct* of it, the *noun* of a determiner or adjective, the *inverted* subject after a verb, or a
noun as *predicate* after its copula."""

SUBJECT = frozenset({"nsubj", "csubj"})
AUXILIARY = frozenset({"aux", "cop"})
NOMINAL = frozenset({"NOUN", "PROPN", "PRON"})
VERBAL = frozenset({"VERB", "AUX"})
RELATIONS_TO_NOUN = frozenset({"det", "amod", "nummod", "acl", "case", "clf"})
POS_WITH_CASE = frozenset({"NOUN", "PROPN"})  # not PRON, which has a case in languages without


class TreeView:
    """The columns of a sentence, its relations without subtypes, and each word's dependents.

    Make it once for a sentence and pass it on. Its loops end even if the heads of a tree run in a
    circle.

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
        """Return a word's lemma in small letters, or its form if it has no lemma."""
        return key_of(self.forms[index], self.lemmas[index])

    # dependents and heads

    def dependents(self, index: int, *relations: str) -> list[int]:
        """Return the dependents of a word with one of these relations, subtypes aside."""
        return [child for child in self.children[index] if self.relations[child] in relations]

    def ancestors(self, index: int) -> list[int]:
        """Return the words above a word, from its head to the root, or at most as many as the tree
        has words."""
        heads_above: list[int] = []
        index = self.heads[index]
        while index >= 0 and len(heads_above) < len(self.heads):
            heads_above.append(index)
            index = self.heads[index]
        return heads_above

    def is_below(self, index: int, head: int) -> bool:
        """Tell whether a word is `head` or one of its descendants."""
        return index == head or head in self.ancestors(index)

    def below(self, index: int, start: int, end: int) -> list[int]:
        """Return a word and its descendants, as far as they are from `start` to before `end`."""
        unvisited, inside = [index], []
        for _ in range(len(self.heads)):  # no more steps, even if heads run in a circle
            if not unvisited:
                break
            node = unvisited.pop()
            if start <= node < end:
                inside.append(node)
            unvisited += self.children[node]
        return sorted(inside)

    def first_below(self, head: int) -> int:
        """Return the first word among `head` and its descendants."""
        return next(index for index in range(len(self)) if self.is_below(index, head))

    def frontier(self, start: int, clause: int) -> tuple[int, ...]:
        """Return the words before `start` that a phrase beginning there could depend on, nearest
        first.

        They are the last word before `start` that is neither punctuation nor below `clause` (the
        head of the phrase that does begin there; −1 for none), and all words above it. In a
        projective tree only these can still get dependents.
        """
        index = start - 1
        while index >= 0 and (self.upos[index] == "PUNCT" or self.is_below(index, clause)):
            index -= 1
        if index < 0:
            return ()
        return tuple(node for node in (index, *self.ancestors(index)) if node < start)

    # coordinations and predicates

    def first_conjunct(self, index: int) -> int:
        """Return the first conjunct of the coordination that a word is in, or the word itself if it
        is in none."""
        return self._climb(index, ("conj",))

    def predicate_of(self, index: int) -> int:
        """Return the predicate of an auxiliary or copula; for any other word, itself."""
        return self._climb(index, AUXILIARY)

    def _climb(self, index: int, relations: Container[str]) -> int:
        """Go up from a word to its head as long as its relation is one of these; return the word
        reached, or the word itself if its own relation is another."""
        for _ in range(len(self.heads)):
            if self.relations[index] not in relations or self.heads[index] < 0:
                break
            index = self.heads[index]
        return index

    def is_finite(self, index: int) -> bool:
        """Tell whether a word is the predicate of a finite clause: it, its auxiliary or its copula
        is a finite form."""
        words = (index, *self.dependents(index, *AUXILIARY))
        return any(is_finite_form(self.upos[word], self.feats[word]) for word in words)

    def tie(self, cue: int, target: int) -> Tie:
        """Return how the target is related to the cue, as one of the words that `Tie` explains.

        An auxiliary or copula stands for its predicate. In the examples the cue comes first.
        """
        relations, heads = self.relations, self.heads
        cue_predicate, target_predicate = self.predicate_of(cue), self.predicate_of(target)
        first_conjunct = self.first_conjunct(target_predicate)
        if relations[cue] in SUBJECT and heads[cue] in (target_predicate, first_conjunct):
            return "subject"  # keys open; keys lock and open, where both verbs share the subject
        if relations[target] in SUBJECT and heads[target] == cue_predicate:
            return "inverted"  # here lie keys
        if target_predicate == cue and relations[target] == "cop":
            return "subject"  # of two nouns around a copula, the first counts as the subject
        if cue_predicate == target and cue != target:
            return "predicate"  # they are keys
        if heads[cue] == target and relations[cue] in RELATIONS_TO_NOUN:
            return "noun"  # these keys
        if heads[first_conjunct] == cue or (
            first_conjunct != target_predicate and heads[target_predicate] == cue
        ):  # the target depends on the cue
            if heads[target_predicate] == cue and relations[target_predicate] == "conj":
                return "conjunct"  # they lock and open
            if self.upos[cue] not in NOMINAL and relations[first_conjunct] not in ("amod", "acl"):
                return "other"  # such as the object of a verb
            is_relative = self.deprels[target_predicate] == "acl:relcl"
            if is_relative or self.is_finite(target_predicate):
                return "relative"  # keys that open
            return "attribute"  # keys lying there
        cue_conjuncts = (cue_predicate, self.first_conjunct(cue_predicate))
        if target_predicate != cue_predicate and first_conjunct in cue_conjuncts:
            return "conjunct"  # they can lock and will open
        return "other"

    # how words are marked

    def marked_by(self, index: int, relation: str = "case") -> str:
        """Return the lemmas of a word's adpositions (or other dependents of this relation), joined
        by `_`; "" for none."""
        return "_".join([self.key(marker) for marker in self.dependents(index, relation)])

    def case_marking(self, index: int) -> str:
        """Return a nominal's adpositions and case: `in`, `auf+Acc`, `+Gen`; "" without either.

        The case of a pronoun is left out: in English and most of Romance only pronouns have case.
        """
        adposition = self.marked_by(index)
        case = self.feature(index, "Case") if self.upos[index] in POS_WITH_CASE else ""
        return f"{adposition}+{case}" if case else adposition

    def relative_of(self, clause: int) -> int:
        """Return the relative pronoun or adverb of a clause, or −1.

        It is sought between the noun and the verb `clause`, or before the verb if that comes first.
        """
        noun = self.heads[clause]
        candidates = range(noun + 1, clause) if noun < clause else range(clause)
        return next((index for index in candidates if self.is_pronominal(index, "Rel")), -1)


@lru_cache(maxsize=CACHE_SIZE)
def relation_of(deprel: str) -> str:
    """Return a relation without its subtype."""
    return deprel.partition(":")[0]


@lru_cache(maxsize=CACHE_SIZE)
def is_finite_form(upos: str, feats: str) -> bool:
    """Tell whether a word with this POS and FEATS is a finite verb.

    It is if it has VerbForm=Fin, or a Person (as the present participles of Hebrew do), or Tense or
    Mood without VerbForm.
    """
    if upos not in VERBAL:
        return False
    form = value_of(feats, "VerbForm")
    has_tense = any(value_of(feats, name) for name in ("Tense", "Mood"))
    return form == "Fin" or value_of(feats, "Person") is not None or (form is None and has_tense)


def paired_value(feats: str, feature: str) -> str | None:
    """Return a word's value of a feature, or of the first name it has if the feature has two
    (`Number~Number[abs]`); `None` without one."""
    for name in feature.split("~"):
        value = value_of(feats, name)
        if value is not None:
            return value
    return None


def key_of(form: str, lemma: str) -> str:
    """Return the lemma in small letters, or the form if there is no lemma."""
    return (form if lemma == MISSING else lemma).lower()
