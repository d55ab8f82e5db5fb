"""The words that reveal the value of an item's target, beside its cue.

The *cue* comes first, the *target* is the word whose form is chosen, and both have one *value* of
the feature (Number: Sing). An item measures their agreement only if no other word reveals the
value; 57 % (English) and 87 % (Italian) of the published nonce sentences hold one that does. Some
words reveal it by FEATS, others by the words they occur with in the treebank: English *a* and *you*
carry no Number, yet a reader knows which form follows. A Hungarian adjective is singular beside
plural nouns too, and reveals nothing. Nouns between cue and target may have another value.
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

ATTENDANTS = frozenset({"det", "nummod", "amod"})  # relations of words that stand by a noun
MIN_USES = 20  # with fewer uses, a word reveals no value and a modifier is taken to agree
MIN_VALUE_SHARE = 0.98  # of a word's uses have the value it reveals; the rest count as errors
MAX_CHANCE_PROBABILITY = 1e-5  # of the uses of an adjective that reveals a value
GOVERNING_NUMERALS = frozenset({"nummod:gov", "det:numgov"})  # as in Russian *два часа*
MIN_AGREEING = 0.75  # if fewer modifiers of a kind have their noun's value, the kind never agrees
PLURALS = frozenset({"Plur", "Dual"})
CUE_COLUMNS = ("cues_before", "cues_between", "cues_beside_target")
RELATIVE_PRONTYPES = frozenset({"Rel", "Int,Rel"})
LEAK_KINDS: Mapping[str, str] = {
    "S": "what both agree with, where the cue is not it: the subject of coordinated verbs, the noun"
    " of coordinated adjectives; a relative pronoun that is the subject; another subject of the"
    " target's own",
    "D": "determiner or numeral of the noun that governs the agreement",
    "V": "a verb, auxiliary or copula that agrees with it, too",
    "A": "an adjective or participle of it",
}
"""Kind of leak (a word that reveals the target's value) → its words. A reading of the published
sets counted these kinds."""


FormPos: TypeAlias = tuple[str, str]
"""Form, capitals aside, and part of speech."""
Modifier: TypeAlias = tuple[str, str]
"""Relation to a noun (`acl` only without a finite verb), and part of speech."""


class CueWordCounts:
    """Counts over a treebank that tell which words reveal a value although their FEATS lack it.

    A determiner or pronoun reveals a value if it has at least 20 uses, 98 % of them with nouns or
    verbs of that value. Observe all sentences before asking for the first word.

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
        """Add the determiners, modifiers and subject pronouns of a sentence to the counts."""
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
        """Return the noun's value that a determiner, numeral or adjective reveals, or `None`.

        The word lacks the feature itself, and (errors aside) all its nouns have this value. Uses
        before a numeral or before another revealing word do not count (*a few days*, *another ten
        days*). An adjective reveals only the rarer value, seen with it more often than by chance.
        """
        return self._value_by_attendant.get((form.casefold(), upos))

    def subject(self, form: str) -> str | None:
        """Return the value of the verbs whose subject is this pronoun (*you*): `None` if these have
        several values, or are too few."""
        return self._value_by_subject.get(form.casefold())

    def agrees(self, relation: str, upos: str) -> bool:
        """Return whether words with this relation to a noun and this part of speech agree with it.

        They do not if, beside nouns of some value, too few have it; rare ones count as agreeing.
        """
        return (relation, upos) not in self._never_agreeing

    def _value(self, view: TreeView, index: int) -> str | None:
        """Return a word's value of the feature as agreement compares it; `None` without one."""
        value = view.feature(index, self.feature)
        return agreement_value(self.feature, value) if value else None

    def _count_attendants(self, view: TreeView, noun: int, value: str) -> None:
        """Count a noun's preceding determiners, numerals and adjectives without the feature."""
        following: FormPos | None = None  # the next such word, nearer to the noun
        for child in reversed(view.children[noun]):
            relation = view.relations[child]
            if child > noun or relation not in ATTENDANTS or self._value(view, child) is not None:
                continue
            if view.deprels[child] in GOVERNING_NUMERALS:
                continue
            word = (view.forms[child].casefold(), view.upos[child])
            if not view.dependents(child, "conj"):  # *one or two keys* does not count
                self._uses[word, relation, following, value] += 1
            following = word

    def _count_modifiers(self, view: TreeView, noun: int, value: str) -> None:
        """Count the noun's modifiers that carry the feature, except verbs of finite clauses."""
        for child in view.dependents(noun, *ATTENDANTS, "acl"):
            carried = self._value(view, child)
            if carried is not None and not view.is_finite(child):
                self._modifiers[(view.relations[child], view.upos[child]), value, carried] += 1

    def _count_pronoun(self, view: TreeView, pronoun: int, verb: int) -> None:
        """Count a subject pronoun with the value of its finite verb, if the verb has one value."""
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
    def _value_by_attendant(self) -> Mapping[FormPos, str]:
        """Map each determiner, numeral or adjective that reveals a value to this value."""
        # the values that words reveal directly before the noun
        value_if_last = self._values_by_word(lambda next_word: next_word is None)

        def is_counted(next_word: FormPos | None) -> bool:
            """Tell whether a use counts: not one before a numeral, or before a word that reveals a
            plural (*a few days*)."""
            if next_word is None:
                return True
            _, upos = next_word
            return upos != "NUM" and value_if_last.get(next_word) in (None, "Sing")

        return self._values_by_word(is_counted)

    def _values_by_word(self, is_counted: Callable[[FormPos | None], bool]) -> dict[FormPos, str]:
        """Map words to the value they reveal, judged by some of their uses: those for which
        `is_counted` accepts the next word that lacks the feature (`None`: there is none)."""
        counts_by_word: dict[FormPos, Counter[str]] = {}  # word → noun's value → uses
        n_as_adjective: Counter[FormPos] = Counter()
        totals: Counter[str] = Counter()  # noun's value → uses of all words
        for (word, relation, next_word, value), n in self._uses.items():
            if is_counted(next_word):
                counts_by_word.setdefault(word, Counter())[value] += n
                n_as_adjective[word] += n if relation == "amod" else 0
                totals[value] += n
        value_by_word: dict[FormPos, str] = {}
        for word, value_counts in counts_by_word.items():
            n_with_value, value = max((n, value) for value, n in value_counts.items())
            n_uses = value_counts.total()
            if n_with_value < MIN_VALUE_SHARE * n_uses:
                continue
            if 2 * n_as_adjective[word] <= n_uses:  # mostly a determiner or numeral
                is_revealing = n_uses >= MIN_USES
            else:
                share = totals[value] / totals.total()
                is_rarer_value = 2 * share < 1
                by_chance = upper_tail(n_with_value, n_uses, share)
                is_revealing = is_rarer_value and by_chance <= MAX_CHANCE_PROBABILITY
            if is_revealing:
                value_by_word[word] = value
        return value_by_word

    @cached_property
    def _value_by_subject(self) -> Mapping[str, str]:
        """Map each subject pronoun whose verbs all (errors aside) have one value to this value."""
        counts_by_form: dict[str, Counter[str]] = {}  # pronoun → verb's value → uses
        for (form, value), n in self._pronouns.items():
            counts_by_form.setdefault(form, Counter())[value] += n
        value_by_form: dict[str, str] = {}
        for form, value_counts in counts_by_form.items():
            ((value, n_with_value),) = value_counts.most_common(1)
            n_uses = value_counts.total()
            if n_uses >= MIN_USES and n_with_value >= MIN_VALUE_SHARE * n_uses:
                value_by_form[form] = value
        return value_by_form

    @cached_property
    def _never_agreeing(self) -> frozenset[Modifier]:
        """Collect the kinds of modifiers, (relation, POS), that do not agree with their nouns."""
        n_uses: Counter[tuple[Modifier, str]] = Counter()  # by kind and noun's value
        n_equal: Counter[tuple[Modifier, str]] = Counter()  # of these, with the noun's value
        for (modifier, noun_value, own_value), n in self._modifiers.items():
            n_uses[modifier, noun_value] += n
            n_equal[modifier, noun_value] += n if own_value == noun_value else 0
        return frozenset(
            modifier
            for (modifier, value), n in n_uses.items()
            if n >= MIN_USES and n_equal[modifier, value] < MIN_AGREEING * n
        )


class NodeNominal(NamedTuple):
    """A noun, name or pronoun strictly between cue and target that carries the feature."""

    node: int  # 0-based word of the tree
    depth: int  # arcs from it up to the cue, the target, or the word above both
    value: str


class NodeLeak(NamedTuple):
    """A word other than cue and target whose form reveals the target's value."""

    kind: str  # a key of `LEAK_KINDS`
    node: int  # 0-based word of the tree


@dataclass(frozen=True, kw_only=True)
class AgreementView:
    """Cue and target in a tree, with the other words that reveal the target's value.

    Indices are 0-based words of the tree.

    Attributes:
        view: the sentence's tree.
        cue: the word that comes first.
        target: the word whose form is chosen.
        feature: the feature that agrees; `Number~Number[abs]` if the two carry it under two names.
        value: the value that both have.
        forms: all readings of the treebank's forms: they tell whether a form is ambiguous.
        cue_counts: the words that reveal a value without FEATS; `None`: use FEATS alone.

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
        """The nouns, names and pronouns strictly between cue and target that carry the feature.

        They come in sentence order and may have any value. The paper's attractors (Gulordava et al.
        2018, §4) are those among them with the cue's POS and another value. The depth counts arcs
        up to the cue, the target or their common ancestor, or to the root if none lies above.
        """
        view = self.view
        cue_path = [self.cue, *view.ancestors(self.cue)]
        target_path = {self.target, *view.ancestors(self.target)}
        common_ancestor = next((node for node in cue_path if node in target_path), -1)
        ends = {self.cue, self.target, common_ancestor}
        nominals: list[NodeNominal] = []
        for node in range(self.cue + 1, self.target):
            value = view.value(node, self.feature) if view.upos[node] in NOMINAL else None
            if value is not None:
                path = view.ancestors(node)
                depth = next(
                    (n for n, ancestor in enumerate(path, start=1) if ancestor in ends), len(path)
                )
                nominals.append(NodeNominal(node, depth, value))
        return tuple(nominals)

    @cached_property
    def leaks(self) -> tuple[NodeLeak, ...]:
        """The words before the target, apart from the cue, that give away the target's value.

        They come in sentence order; `LEAK_KINDS` describes their kinds. A word gives it away if

        1. its FEATS have the value, and so does every other reading of its form with this UPOS (not
           so English *the*, German *die*), unless `cue_counts` shows that words of its kind do not
           agree in this treebank (Hungarian adjectives);
        2. it is a numeral without Number, and the value is a plural; or
        3. it lacks the feature, but by `cue_counts` it occurs with this value alone (English *a*,
           *several*, *you*).
        """
        return tuple(word for word in self._revealing_words if word.node < self.target)

    def cue_columns(self, token_of: Sequence[int]) -> dict[str, Any]:
        """Return the other tokens that reveal the value, as three columns of an item.

        Args:
            token_of: word of the tree → token.

        Returns:
            `cues_before`: tokens before the cue (its determiner); `cues_between`: tokens between
            cue and target (a participle, a relative pronoun and its verb); `cues_beside_target`:
            the target's auxiliary, copula or predicate, and all tokens after the target.
        """
        of_target = {self.predicate, *self.view.children[self.target]}
        of_target.update(self.view.dependents(self.predicate, *AUXILIARY))
        columns: dict[str, list[int]] = {name: [] for name in CUE_COLUMNS}
        for _, node in self._revealing_words:
            if token_of[node] in (token_of[self.cue], token_of[self.target]):
                continue  # another word of the same multiword token
            if node < self.cue:
                columns["cues_before"].append(token_of[node])
            elif node > self.target or node in of_target:
                columns["cues_beside_target"].append(token_of[node])
            else:
                columns["cues_between"].append(token_of[node])
        return {name: tuple(dict.fromkeys(tokens)) for name, tokens in columns.items()}

    @cached_property
    def _revealing_words(self) -> tuple[NodeLeak, ...]:
        """The words, apart from cue and target, that reveal the target's value, in sentence order,
        also those after the target."""
        leaks: dict[int, NodeLeak] = {}
        for kind, node in _agreeing_words(self):
            if node not in (self.cue, self.target, *leaks) and self._reveals(kind, node):
                leaks[node] = NodeLeak(kind, node)
        return tuple(leaks[node] for node in sorted(leaks))

    def _reveals(self, kind: str, node: int) -> bool:
        """Return whether a word of this kind of `LEAK_KINDS` reveals the target's value: by the
        counts over the treebank if they know the word, else by its FEATS."""
        view, feature = self.view, self.feature
        upos, own_value = view.upos[node], view.value(node, feature)
        counts = self.cue_counts
        if counts is not None and counts.feature in feature.split("~"):
            usual_value = self._usual_value(counts, kind, node)
            if usual_value is not None:
                return usual_value == self.value
            relation = view.relations[view.first_conjunct(node)]
            # numerals such as *two* reveal a plural even where other modifiers do not agree
            is_plural_numeral = relation == "nummod" and upos == "NUM" and own_value in PLURALS
            is_modifier = kind in ("A", "D") and own_value is not None and not is_plural_numeral
            if is_modifier and not counts.agrees(relation, upos):
                return False
        if own_value is None:
            is_numeral = view.relations[node] == "nummod" and upos == "NUM"
            return is_numeral and feature.startswith("Number") and self.value in PLURALS
        if own_value != self.value:
            return False
        feats = view.feats[node]
        name = next(part for part in feature.split("~") if value_of(feats, part))
        return self.forms.reveals(view.forms[node], upos, feats, name)

    def _usual_value(self, counts: CueWordCounts, kind: str, node: int) -> str | None:
        """Return the only value that a pronoun as subject, or a modifier without the feature,
        occurs with in the treebank; `None` for other words, and if there are several."""
        view = self.view
        if kind == "S":
            return counts.subject(view.forms[node]) if view.upos[node] == "PRON" else None
        is_attendant = view.relations[view.first_conjunct(node)] in ATTENDANTS
        if is_attendant and view.value(node, self.feature) is None:
            return counts.attendant(view.forms[node], view.upos[node])
        return None


def _agreeing_words(agreement: AgreementView) -> Iterator[tuple[str, int]]:
    """Yield (kind of `LEAK_KINDS`, word) for each word that takes part in the agreement of cue and
    target, cue and target included; a word may come twice.

    The tie is the relation of the target to the cue. In the examples, the cue comes first.
    """
    view, tie, predicate = agreement.view, agreement.tie, agreement.predicate
    cue, target = agreement.cue, agreement.target
    if tie in ("subject", "relative", "attribute"):  # keys … open; keys that open; keys lying there
        yield from _agreeing_with_noun(view, cue, predicate)
        yield from _agreeing_with_predicate(view, predicate, cue)
        if tie == "subject" and view.heads[cue] != predicate:  # keys lock and open
            yield from _agreeing_with_predicate(view, view.heads[cue], cue)
    elif tie == "noun":  # these … keys
        yield from _agreeing_with_noun(view, target, predicate)
        if view.relations[target] in SUBJECT:
            yield from _agreeing_with_predicate(view, view.heads[target], target)
    elif tie == "inverted":  # are the keys
        yield from _agreeing_with_noun(view, target, predicate)
        yield from _agreeing_with_predicate(view, view.predicate_of(cue), target)
    elif tie == "predicate":  # they are keys, with the copula as cue
        yield from _agreeing_with_noun(view, target, predicate)
        yield from _agreeing_with_predicate(view, target, cue)
    else:  # "conjunct", they lock and open; or "other"
        if view.upos[target] in NOMINAL:
            yield from _agreeing_with_noun(view, target, predicate)
        yield from _agreeing_with_conjuncts(view, cue, predicate)


def _agreeing_with_noun(view: TreeView, noun: int, predicate: int) -> Iterator[tuple[str, int]]:
    """Yield (kind, word) for the words that agree with a noun.

    D: determiner, numeral or classifier; A: adjective or participle; V: verb of a relative clause;
    S: its subject pronoun. `predicate`, the verb whose agreement is tested, is left out.
    """
    for child in view.children[noun]:
        relation = view.relations[child]
        if relation in ("det", "nummod", "clf"):
            yield "D", child
        elif relation == "acl" and child != predicate and view.is_finite(child):
            subjects = view.dependents(child, *SUBJECT)
            if all(view.feature(subject, "PronType") in RELATIVE_PRONTYPES for subject in subjects):
                yield "V", child
                yield from (("V", auxiliary) for auxiliary in view.dependents(child, *AUXILIARY))
                yield from (("S", subject) for subject in subjects)
        elif relation in ("amod", "acl") and child != predicate:
            for conjunct in (child, *view.dependents(child, "conj")):
                if view.upos[conjunct] not in NOMINAL:  # a noun has a number of its own
                    yield "A", conjunct


def _agreeing_with_predicate(
    view: TreeView, predicate: int, subject: int | None
) -> Iterator[tuple[str, int]]:
    """Yield (kind, word) for the words that agree with a predicate's subject.

    V: the predicate or an auxiliary; A: a predicate that is an adjective; D: its determiner; S:
    a subject other than `subject`. A nominal predicate and its determiners are left out. Verbs and
    adjectives that are conjoined to it count if they have no subject of their own.
    """
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


def _agreeing_with_conjuncts(view: TreeView, cue: int, predicate: int) -> Iterator[tuple[str, int]]:
    """Yield (kind, word) for the subject or noun that two coordinated words both agree with, and
    for all other words that agree with it."""
    cue_predicate = view.predicate_of(cue)
    first_conjunct = view.first_conjunct(cue_predicate)
    for node in dict.fromkeys((first_conjunct, cue_predicate, predicate)):
        yield from _agreeing_with_predicate(view, node, subject=None)  # yield its subject, too
        for child in view.dependents(node, *SUBJECT):
            yield from _agreeing_with_noun(view, child, predicate)
    noun = view.heads[first_conjunct]
    if noun >= 0 and view.relations[first_conjunct] in ("amod", "acl", "det"):
        yield "S", noun
        yield from _agreeing_with_noun(view, noun, predicate)
