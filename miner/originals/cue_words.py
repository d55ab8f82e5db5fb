"""The words that reveal the value of an item's target, beside its cue.

An item measures agreement between cue and target only as far as nothing else reveals the target's
value. Of the published nonce sentences 57 % (English) and 87 % (Italian) hold such a word. Some
reveal it by FEATS, some by their company in the treebank: English *a* and *you* carry no Number,
and yet a reader knows which form will follow; a Hungarian adjective carries the singular beside
plural nouns, too, and reveals nothing. Nouns between the two may reveal another value.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from ...data.items.features import agreement_value, value_of
from ...data.items.tree import Sentence
from ...data.statistics.significance import upper_tail
from ..treebank.paradigms import Forms
from ..treebank.view import AUXILIARY, NOMINAL, SUBJECT, VERBAL, Tie, TreeView, is_finite_form

ATTENDANTS = frozenset({"det", "nummod", "amod"})
MIN_USES = (
    20  # uses from which a determiner or pronoun can reveal a value, and modifiers are judged
)
MIN_VALUE_SHARE = 0.98  # share of its uses with one value: the rest are errors
MAX_CHANCE = 1e-5  # chance that an adjective indifferent to the value would be seen so one-sidedly
GOVERNING = frozenset({"nummod:gov", "det:numgov"})  # Russian *два часа*: no value of the verb's
MIN_AGREEING = 0.75  # share of words agreeing below which modifiers have no agreement
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


FormPos: TypeAlias = tuple[str, str]
"""Form, capitals aside, and part of speech."""
Modifier: TypeAlias = tuple[str, str]
"""Relation to a noun (`acl` only without a finite verb), and part of speech."""


class CueWordCounts:
    """The words that reveal the value of a feature without FEATS, counted over sentences.

    A determiner or pronoun reveals a value from 20 uses on, if 98 % of them go with it. Observe all
    sentences before the first question.

    Args:
        feature: the feature.

    >>> from colorless_green.data import sample
    >>> from colorless_green.miner import read
    >>> counts = CueWordCounts("Number")
    >>> for sentence in read(sample.treebank("en")):
    ...     counts.observe(sentence)
    >>> counts.attendant("every", "DET"), counts.attendant("the", "DET")
    ('Sing', None)
    """

    def __init__(self, feature: str = "Number") -> None:
        self.feature = feature
        # (word without the feature, its relation, the next such word, its noun's value)
        self._uses: Counter[tuple[FormPos, str, FormPos | None, str]] = Counter()
        self._pronouns: Counter[tuple[str, str]] = Counter()  # (subject's form, verb's value)
        self._modifiers: Counter[tuple[Modifier, str, str]] = Counter()  # noun's value, its own

    def observe(self, sentence: Sentence) -> None:
        """Count a sentence."""
        view = TreeView(sentence)
        for index, upos in enumerate(view.upos):
            value = self._value(view, index)
            if upos == "NOUN" and value is not None:
                self._count_attendants(view, index, value)
                self._count_modifiers(view, index, value)
            for child in view.children[index]:
                if view.relations[child] in SUBJECT and view.upos[child] == "PRON":
                    self._count_pronoun(view, child, index)

    def attendant(self, form: str, upos: str) -> str | None:
        """Return the value that a determiner, numeral or adjective without the feature reveals of
        its noun: the only one it is seen with, errors aside; `None` where it reveals none.

        Not counted are uses before a numeral or another word that reveals one (*a few days*,
        *another ten days*). An adjective must be seen with the rarer value, more often than by
        chance.
        """
        return self._attendants.get((form.casefold(), upos))

    def subject(self, form: str) -> str | None:
        """Return the value that the verbs of a pronoun have (*you*); `None` where they have
        several, or are seen too rarely."""
        return self._subjects.get(form.casefold())

    def agrees(self, relation: str, upos: str) -> bool:
        """Return whether words with this relation to a noun and this part of speech agree with it:
        not if beside nouns of one value most have another. True of what is seen too rarely."""
        return (relation, upos) not in self._not_agreeing

    def _value(self, view: TreeView, index: int) -> str | None:
        value = view.feature(index, self.feature)
        return agreement_value(self.feature, value) if value else None

    def _count_attendants(self, view: TreeView, noun: int, value: str) -> None:
        """Count determiners, numerals and adjectives before a noun that do not carry the
        feature."""
        following: FormPos | None = None
        for child in reversed(view.children[noun]):
            relation = view.relations[child]
            if child > noun or relation not in ATTENDANTS or self._value(view, child) is not None:
                continue
            if view.deprels[child] in GOVERNING:
                continue
            word = (view.forms[child].casefold(), view.upos[child])
            if not view.dependents(child, "conj"):  # "one or two keys"
                self._uses[word, relation, following, value] += 1
            following = word

    def _count_modifiers(self, view: TreeView, noun: int, value: str) -> None:
        """Count words of a noun that carry the feature, too, but for finite clauses."""
        for child in view.dependents(noun, *ATTENDANTS, "acl"):
            carried = self._value(view, child)
            if carried is not None and not view.is_finite(child):
                self._modifiers[(view.relations[child], view.upos[child]), value, carried] += 1

    def _count_pronoun(self, view: TreeView, pronoun: int, verb: int) -> None:
        """Count the value of a pronoun's finite verb, if it shows one."""
        if view.dependents(pronoun, "conj"):
            return
        values = {
            value
            for node in (verb, *view.dependents(verb, *AUXILIARY))
            if is_finite_form(view.upos[node], view.feats[node])
            and (value := self._value(view, node)) is not None
        }
        if len(values) == 1:
            self._pronouns[view.forms[pronoun].casefold(), values.pop()] += 1

    @cached_property
    def _attendants(self) -> Mapping[FormPos, str]:
        alone = self._values_by_word(lambda word: word is None)
        return self._values_by_word(
            lambda word: word is None or (word[1] != "NUM" and alone.get(word) in (None, "Sing"))
        )

    def _values_by_word(self, counts: Callable[[FormPos | None], bool]) -> dict[FormPos, str]:
        """Return what words reveal by those of their uses whose next word lets them count."""
        table: dict[FormPos, Counter[str]] = {}
        adjectives: Counter[FormPos] = Counter()
        totals: Counter[str] = Counter()
        for (word, relation, next_word, value), n in self._uses.items():
            if counts(next_word):
                table.setdefault(word, Counter())[value] += n
                adjectives[word] += n if relation == "amod" else 0
                totals[value] += n
        by_word: dict[FormPos, str] = {}
        for word, seen in table.items():
            value, hits = max(seen.items(), key=lambda pair: (pair[1], pair[0]))
            n = seen.total()
            if hits < MIN_VALUE_SHARE * n:
                continue
            if 2 * adjectives[word] <= n:
                is_revealing = n >= MIN_USES
            else:
                share = totals[value] / totals.total()
                is_revealing = 2 * share < 1 and upper_tail(hits, n, share) <= MAX_CHANCE
            if is_revealing:
                by_word[word] = value
        return by_word

    @cached_property
    def _subjects(self) -> Mapping[str, str]:
        table: dict[str, Counter[str]] = {}
        for (form, value), n in self._pronouns.items():
            table.setdefault(form, Counter())[value] += n
        best = {form: seen.most_common(1)[0] for form, seen in table.items()}
        return {
            form: value
            for form, (value, hits) in best.items()
            if table[form].total() >= MIN_USES and hits >= MIN_VALUE_SHARE * table[form].total()
        }

    @cached_property
    def _not_agreeing(self) -> frozenset[Modifier]:
        totals: Counter[tuple[Modifier, str]] = Counter()
        same: Counter[tuple[Modifier, str]] = Counter()
        for (modifier, value, carried), n in self._modifiers.items():
            totals[modifier, value] += n
            same[modifier, value] += n if carried == value else 0
        return frozenset(
            key[0] for key, n in totals.items() if n >= MIN_USES and same[key] < MIN_AGREEING * n
        )


class NodeNominal(NamedTuple):
    """A noun, name or pronoun strictly between cue and target that carries the feature."""

    node: int  # 0-based word of the tree
    depth: int  # arcs from it up to the cue, the target, or the word above both
    value: str


class NodeLeak(NamedTuple):
    """A word other than cue and target whose form reveals the target's value."""

    kind: str  # a key of `LEAKS`
    node: int  # 0-based word of the tree


@dataclass(frozen=True, kw_only=True)
class AgreementView:
    """Cue and target in a tree, with the other words that reveal the target's value.

    Indices are words of the tree, 0-based. What is asked several times is worked out once.

    Attributes:
        view: the sentence's tree.
        cue: the word that comes first.
        target: the word whose form is chosen.
        feature: what agrees; `Number~Number[abs]` where the two carry it under two names.
        value: the value that both have.
        forms: the readings of the treebank's forms, by which a form is found to be ambiguous.
        cue_counts: the words that reveal a value without FEATS; `None`: FEATS alone are asked.

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
        """The relation of the target to the cue."""
        return self.view.tie(self.cue, self.target)

    @property
    def nominals(self) -> tuple[NodeNominal, ...]:
        """The nouns, names and pronouns strictly between cue and target that carry the feature, in
        their order.

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
        """The words before the target, other than the cue, that reveal the target's value, in
        their order: each is of a kind of `LEAKS`, and its form reveals it.

        A form does if FEATS carry the feature with that value, and no reading of the form with the
        same part of speech has another one or none (English *the*, German *die* do not); a numeral
        without the feature reveals a plural, since a singular has *one*. With `cue_counts`, counted
        over the treebank's sentences, a word without the feature reveals the value, too, that it
        always goes with (English *a*, *several*, *you*), and one whose kind does not agree in this
        treebank reveals none (Hungarian adjectives).
        """
        return tuple(word for word in self._revealing_words if word.node < self.target)

    def cue_columns(self, token_of: Sequence[int]) -> dict[str, Any]:
        """Return the tokens that reveal the value, cue and target aside, as the columns of items.

        Args:
            token_of: word of the tree → token.

        Returns:
            `cues_before`: those before the cue, as its determiner; `cues_between`: those after it,
            as its participle, its relative pronoun and verb; `cues_beside_target`: the target's own
            (auxiliary, copula, predicate), and all after it.
        """
        of_target = {self.predicate, *self.view.children[self.target]}
        of_target.update(self.view.dependents(self.predicate, *AUXILIARY))
        columns: dict[str, list[int]] = {name: [] for name in CUE_COLUMNS}
        for _, node in self._revealing_words:
            is_attached = node > self.target or node in of_target
            rank = 0 if node < self.cue else 2 if is_attached else 1
            if token_of[node] not in (token_of[self.cue], token_of[self.target]):
                columns[CUE_COLUMNS[rank]].append(token_of[node])
        return {name: tuple(dict.fromkeys(tokens)) for name, tokens in columns.items()}

    @cached_property
    def _revealing_words(self) -> tuple[NodeLeak, ...]:
        """Every word other than cue and target that reveals the target's value, in their order."""
        leaks: dict[int, NodeLeak] = {}
        for kind, node in _agreeing(self.view, self.tie, self.cue, self.target, self.predicate):
            if node not in (self.cue, self.target, *leaks) and self._reveals(kind, node):
                leaks[node] = NodeLeak(kind, node)
        return tuple(leaks[node] for node in sorted(leaks))

    def _reveals(self, kind: str, node: int) -> bool:
        """Return whether a word reveals the value: by its company in the treebank, or by FEATS."""
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
    """Yield (kind, word) for every word that agrees with what cue and target agree with."""
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
    """Yield a noun's determiners, adjectives, participles, and verbs of its relative clauses."""
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
    """Yield a predicate's subjects other than `subject`, its auxiliaries, itself, its conjuncts."""
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
    """Yield what two coordinated words both agree with, and all that agrees with it."""
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
