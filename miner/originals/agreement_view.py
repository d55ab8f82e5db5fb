"""Words beside cue and target that carry the feature: those that could tempt a reader away, and
those that give the answer away.

An item measures agreement between cue and target only as far as nothing else tells the target's
value. Of the published nonce sentences 57 % (English) and 87 % (Italian) hold such a word. Some
tell it by FEATS, some by their company (`cue_words.py`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from ...data.items.features import value_of
from ..treebank.paradigms import Forms
from ..treebank.view import AUXILIARY, NOMINAL, SUBJECT, VERBAL, Tie, TreeView
from .cue_words import ATTENDANTS, CueWordCounts

PLURALS = frozenset({"Plur", "Dual"})
CUE_COLUMNS = ("cues_before", "cues_between", "cues_beside_target")
RELATIVE = frozenset({"Rel", "Int,Rel"})
LEAKS: Mapping[str, str] = {
    "S": "what both agree with, where the cue is not it: the subject of coordinated verbs, the noun"
    " of coordinated adjectives; a relative pronoun that is the subject; another subject of the"
    " target's own",
    "D": "determiner or numeral of the noun that governs the agreement",
    "V": "a verb, auxiliary or copula that agrees with it, too",
    "A": "an adjective or participle of it",
}
"""Kind of leak → which words are of it. The kinds are those the published sets were read for."""


class NodeNominal(NamedTuple):
    """A noun, name or pronoun strictly between cue and target that carries the feature."""

    node: int  # 0-based word of the tree
    depth: int  # arcs from it up to the cue, the target, or the word above both
    value: str


class NodeLeak(NamedTuple):
    """A word other than cue and target whose form tells the target's value."""

    kind: str  # a key of `LEAKS`
    node: int  # 0-based word of the tree
    value: str


class CueWords(NamedTuple):
    """Words other than the cue whose form tells the target's value: 0-based words of the tree."""

    before: tuple[int, ...]  # before the cue, as its determiner
    between: tuple[int, ...]  # after it, as its participle, its relative pronoun and verb
    beside_target: tuple[int, ...]  # the target's auxiliary, copula, predicate, and all after it

    def token_columns(self, token_of: Sequence[int], cue: int, target: int) -> dict[str, Any]:
        """The same as the columns of originals: tokens, those of cue and target left out.
        `token_of`: word of the tree → token."""
        ends = (token_of[cue], token_of[target])
        columns = {
            name: [token_of[node] for node in nodes if token_of[node] not in ends]
            for name, nodes in zip(CUE_COLUMNS, self, strict=True)
        }
        return {name: tuple(dict.fromkeys(tokens)) for name, tokens in columns.items()}


@dataclass(frozen=True, kw_only=True)
class AgreementView:
    """Cue and target in a tree, and what else in the sentence tells the target's value.

    Indices are words of the tree, 0-based. What is asked several times is worked out once; it
    depends on the fields alone.

    Attributes:
        view: the sentence's tree.
        cue: the word that comes first.
        target: the word whose form is chosen.
        feature: what agrees; `Number~Number[abs]` where the two carry it under two names.
        value: the value that both have.
        forms: the readings of the treebank's forms, by which a form is found to be ambiguous.
        cue_counts: which words tell a value without FEATS; `None`: FEATS alone are asked.

    >>> from colorless_green.miner import Paradigms
    >>> from colorless_green.data import Tree
    >>> words = Tree(("keys", "of", "this", "door", "open"), ("key", "of", "this", "door", "open"),
    ...              ("NOUN", "ADP", "DET", "NOUN", "VERB"),
    ...              ("Number=Plur", "_", "Number=Sing", "Number=Sing", "Number=Plur"),
    ...              (4, 3, 3, 0, -1), ("nsubj", "case", "det", "nmod", "root"), (0, 1, 2, 3, 4))
    >>> AgreementView(view=TreeView(words), cue=0, target=4, feature="Number", value="Plur",
    ...               forms=Paradigms({}).form_readings).nominals
    (NodeNominal(node=3, depth=1, value='Sing'),)
    """

    view: TreeView
    cue: int
    target: int
    feature: str
    value: str
    forms: Forms
    cue_counts: CueWordCounts | None = None

    @cached_property
    def predicate(self) -> int:
        """The target, or the word it is an auxiliary or copula of."""
        return self.view.predicate_of(self.target)

    @cached_property
    def tie(self) -> Tie:
        """What the target is to the cue."""
        return self.view.tie(self.cue, self.target)

    @property
    def nominals(self) -> tuple[NodeNominal, ...]:
        """Every noun, name and pronoun strictly between cue and target that carries the feature,
        the word directly before the target included, in their order.

        Whatever its value and part of speech; the paper's attractors (Gulordava et al. 2018, §4)
        are those of the cue's POS with another value. For a word that is not below the word above
        both, the depth is that to the root.
        """
        view = self.view
        over_cue = [self.cue, *view.ancestors(self.cue)]
        over_target = {self.target, *view.ancestors(self.target)}
        common_ancestor = next((node for node in over_cue if node in over_target), -1)
        tops = {self.cue, self.target, common_ancestor}
        nominals: list[NodeNominal] = []
        for node in range(self.cue + 1, self.target):
            value = view.value(node, self.feature) if view.upos[node] in NOMINAL else None
            if value is not None:
                path = view.ancestors(node)
                depth = next(
                    (n for n, ancestor in enumerate(path, start=1) if ancestor in tops), len(path)
                )
                nominals.append(NodeNominal(node, depth, value))
        return tuple(nominals)

    @cached_property
    def leaks(self) -> tuple[NodeLeak, ...]:
        """Words before the target, other than the cue, that tell the target's value, in their
        order: one of a kind of `LEAKS`, and its form tells.

        A form tells if FEATS carry the feature with that value, and no reading of the form with the
        same part of speech has another one or none (English *the*, German *die* tell nothing); a
        numeral without the feature tells a plural, since a singular has *one*. With `cue_counts`,
        counted over the treebank's sentences, a word without the feature tells, too, that always
        goes with one value (English *a*, *several*, *you*), and one whose kind does not agree in
        this treebank tells nothing (Hungarian adjectives).
        """
        return tuple(word for word in self._revealing_words if word.node < self.target)

    @property
    def cue_words(self) -> CueWords:
        """The words of `leaks`, and those of their kind after the target, by where they stand."""
        cue, target = self.cue, self.target
        nodes = [word.node for word in self._revealing_words]
        of_target = {self.predicate, *self.view.children[target]}
        of_target.update(self.view.dependents(self.predicate, *AUXILIARY))
        attached = [node for node in nodes if node > target or (node > cue and node in of_target)]
        return CueWords(
            tuple(node for node in nodes if node < cue),
            tuple(node for node in nodes if node > cue and node not in attached),
            tuple(attached),
        )

    @cached_property
    def _revealing_words(self) -> tuple[NodeLeak, ...]:
        """Every word other than cue and target that tells the target's value, in their order."""
        leaks: dict[int, NodeLeak] = {}
        for kind, node in _agreeing(self.view, self.tie, self.cue, self.target, self.predicate):
            if (
                node not in (self.cue, self.target)
                and node not in leaks
                and self._reveals(kind, node)
            ):
                leaks[node] = NodeLeak(kind, node, self.value)
        return tuple(leaks[node] for node in sorted(leaks))

    def _reveals(self, kind: str, node: int) -> bool:
        """Whether a word tells the value: by its company in the treebank, or by FEATS."""
        view, feature = self.view, self.feature
        upos, carried = view.upos[node], view.value(node, feature)
        counts = self.cue_counts
        if counts is not None and counts.feature in feature.split("~"):
            relation = view.relations[view.first_conjunct(node)]
            usual = None
            if kind == "S":
                usual = counts.subject(view.forms[node]) if upos == "PRON" else None
            elif carried is None:
                if relation in ATTENDANTS:
                    usual = counts.attendant(view.forms[node], upos)
            elif (
                kind != "V"
                and not counts.agrees(relation, upos)
                and not (relation == "nummod" and upos == "NUM" and carried in PLURALS)
            ):  # *two* is a plural, whatever *one* does
                return False
            if usual is not None:
                return usual == self.value
        if carried is None:
            counting = view.relations[node] == "nummod" and upos == "NUM"
            return counting and feature.startswith("Number") and self.value in PLURALS
        if carried != self.value:
            return False
        feats = view.feats[node]
        name = next(part for part in feature.split("~") if value_of(feats, part))
        return self.forms.reveals(view.forms[node], upos, feats, name)


def _agreeing(
    view: TreeView, tie: Tie, cue: int, target: int, predicate: int
) -> Iterator[tuple[str, int]]:
    """(kind, word) of every word that agrees with what cue and target agree with."""
    if tie in ("subject", "relative", "attribute"):
        yield from _with_noun(view, cue, predicate)
        yield from _with_predicate(view, predicate, cue)
        if tie == "subject" and view.heads[cue] != predicate:
            yield from _with_predicate(view, view.heads[cue], cue)
    elif tie in ("noun", "inverted"):
        yield from _with_noun(view, target, predicate)
        if tie == "inverted":
            yield from _with_predicate(view, view.predicate_of(cue), target)
        elif view.relations[target] in SUBJECT:
            yield from _with_predicate(view, view.heads[target], target)
    elif tie == "predicate":
        yield from _with_noun(view, target, predicate)
        yield from _with_predicate(view, target, cue)
    else:
        if view.upos[target] in NOMINAL:
            yield from _with_noun(view, target, predicate)
        yield from _with_conjuncts(view, cue, predicate)


def _with_noun(view: TreeView, noun: int, predicate: int) -> Iterator[tuple[str, int]]:
    """Determiners, adjectives and participles of a noun, and the verbs of its relative clauses."""
    for child in view.children[noun]:
        relation = view.relations[child]
        if relation in ("det", "nummod", "clf"):
            yield "D", child
        elif relation == "acl" and child != predicate and view.is_finite(child):
            subjects = view.dependents(child, *SUBJECT)
            if all(view.feature(subject, "PronType") in RELATIVE for subject in subjects):
                yield "V", child
                yield from (("V", auxiliary) for auxiliary in view.dependents(child, *AUXILIARY))
                yield from (("S", subject) for subject in subjects)
        elif relation in ("amod", "acl") and child != predicate:
            for conjunct in (child, *view.dependents(child, "conj")):
                if view.upos[conjunct] not in NOMINAL:  # one has a value of its own: *in your body*
                    yield "A", conjunct


def _with_predicate(view: TreeView, predicate: int, subject: int) -> Iterator[tuple[str, int]]:
    """Subjects of a predicate other than `subject`, its auxiliaries, itself, its conjuncts."""
    is_nominal = view.upos[predicate] in NOMINAL
    if not is_nominal:
        yield "V" if view.upos[predicate] in VERBAL else "A", predicate
    for child in view.children[predicate]:
        relation, upos = view.relations[child], view.upos[child]
        if relation in SUBJECT and child != subject:
            yield "S", child
        elif relation in AUXILIARY:
            yield "V", child
        elif relation == "det" and not is_nominal:
            yield "D", child
        elif (
            relation == "conj" and upos in (*VERBAL, "ADJ") and not view.dependents(child, *SUBJECT)
        ):
            yield "V" if upos in VERBAL else "A", child


def _with_conjuncts(view: TreeView, cue: int, predicate: int) -> Iterator[tuple[str, int]]:
    """What two coordinated words both agree with, and all that agrees with it."""
    cue_predicate = view.predicate_of(cue)
    first_conjunct = view.first_conjunct(cue_predicate)
    for node in dict.fromkeys((first_conjunct, cue_predicate, predicate)):
        yield from _with_predicate(view, node, -1)
        for child in view.dependents(node, *SUBJECT):
            yield from _with_noun(view, child, predicate)
    noun = view.heads[first_conjunct]
    if noun >= 0 and view.relations[first_conjunct] in ("amod", "acl", "det"):
        yield "S", noun
        yield from _with_noun(view, noun, predicate)
