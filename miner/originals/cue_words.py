"""What tells the value of a feature without FEATS, as counted over the sentences of a treebank.

English *a* and *you* carry no Number, and yet tell a reader which form will follow; a Hungarian
adjective carries the singular beside plural nouns, too, and tells nothing.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

from ...data.items.features import agreement_value
from ...data.items.tree import Sentence
from ...data.statistics.significance import upper_tail
from ..treebank.view import AUXILIARY, SUBJECT, TreeView, is_finite_form

ATTENDANTS = frozenset({"det", "nummod", "amod"})
MIN_USES = 20  # uses from which a determiner or pronoun can tell, and modifiers are judged
MIN_VALUE_SHARE = 0.98  # share of its uses with one value: the rest are errors
MAX_CHANCE = 1e-5  # chance that an adjective indifferent to the value would be seen so one-sidedly
GOVERNING = frozenset({"nummod:gov", "det:numgov"})  # Russian *два часа*: no value of the verb's
MIN_AGREEING = 0.75  # share of words agreeing below which modifiers have no agreement

FormPos: TypeAlias = tuple[str, str]
"""Form, capitals aside, and part of speech."""
Modifier: TypeAlias = tuple[str, str]
"""What a word is to its noun (`acl` only without a finite verb), and its part of speech."""


class DependentUse(NamedTuple):
    """A word without the feature beside a noun that carries it."""

    word: FormPos
    relation: str
    next_word: FormPos | None  # the next such word between it and the noun
    value: str  # the noun's


@dataclass(frozen=True)
class CueWordCounts:
    """Which words tell the value of a feature without FEATS, by their company in a treebank.

    A determiner or pronoun tells a value from 20 uses on, if 98 % of them go with it.

    Attributes:
        feature: the feature.
        uses: uses of words without the feature beside a noun that has it → how often.
        pronouns: (form of a subject, value of its verb) → how often.
        modifiers: ((relation to the noun, POS), noun's value, word's own value) → how often.

    >>> words = CueWordCounts("Number", {}, {("you", "Plur"): 30, ("who", "Sing"): 10}, {})
    >>> words.subject("You"), words.subject("who")
    ('Plur', None)
    """

    feature: str
    uses: Mapping[DependentUse, int]
    pronouns: Mapping[tuple[str, str], int]
    modifiers: Mapping[tuple[Modifier, str, str], int]

    def attendant(self, form: str, upos: str) -> str | None:
        """The value that a determiner, numeral or adjective without the feature tells of its noun:
        the only one it is seen with, errors aside. `None` where it tells none.

        Not counted are uses before a numeral or another word that tells (*a few days*, *another ten
        days*). An adjective must be seen with the rarer value, more often than by chance.
        """
        return self._attendants.get((form.casefold(), upos))

    def subject(self, form: str) -> str | None:
        """The value that the verbs of a pronoun have (*you*); `None` where they have several, or
        are seen too rarely."""
        return self._subjects.get(form.casefold())

    def agrees(self, relation: str, upos: str) -> bool:
        """Whether words with this relation to a noun and this part of speech agree with it: not if
        beside nouns of one value most have another. True of what is seen too rarely."""
        return (relation, upos) not in self._not_agreeing

    @cached_property
    def _attendants(self) -> Mapping[FormPos, str]:
        alone = self._values_by_word(lambda word: word is None)
        return self._values_by_word(
            lambda word: word is None or (word[1] != "NUM" and alone.get(word) in (None, "Sing"))
        )

    def _values_by_word(self, counts: Callable[[FormPos | None], bool]) -> dict[FormPos, str]:
        """What words tell by those of their uses whose next word lets them count."""
        table: dict[FormPos, Counter[str]] = {}
        adjectives: Counter[FormPos] = Counter()
        totals: Counter[str] = Counter()
        for use, n in self.uses.items():
            if counts(use.next_word):
                table.setdefault(use.word, Counter())[use.value] += n
                adjectives[use.word] += n if use.relation == "amod" else 0
                totals[use.value] += n
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
        for (form, value), n in self.pronouns.items():
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
        for (modifier, value, carried), n in self.modifiers.items():
            totals[modifier, value] += n
            same[modifier, value] += n if carried == value else 0
        return frozenset(
            key[0] for key, n in totals.items() if n >= MIN_USES and same[key] < MIN_AGREEING * n
        )


class CueWordCounter:
    """Counts what a `CueWordCounts` rests on, sentence by sentence.

    Args:
        feature: the feature whose values are told.

    >>> from colorless_green.data import sample
    >>> from colorless_green.miner import read
    >>> counter = CueWordCounter("Number")
    >>> for sentence in read(sample.treebank("en")):
    ...     counter.observe(sentence)
    >>> counter.counts().attendant("every", "DET"), counter.counts().attendant("the", "DET")
    ('Sing', None)
    """

    def __init__(self, feature: str = "Number") -> None:
        self._feature = feature
        self._uses: Counter[DependentUse] = Counter()
        self._pronouns: Counter[tuple[str, str]] = Counter()
        self._modifiers: Counter[tuple[Modifier, str, str]] = Counter()

    def observe(self, sentence: Sentence) -> None:
        """Counts a sentence."""
        view = TreeView(sentence)
        for index, upos in enumerate(view.upos):
            value = self._value(view, index)
            if upos == "NOUN" and value is not None:
                self._uses.update(self._attendant_uses(view, index, value))
                self._modifiers.update(self._carriers(view, index, value))
            for child in view.children[index]:
                if view.relations[child] in SUBJECT and view.upos[child] == "PRON":
                    self._pronoun(view, child, index)

    def counts(self) -> CueWordCounts:
        """The counts of all sentences so far."""
        return CueWordCounts(
            self._feature, dict(self._uses), dict(self._pronouns), dict(self._modifiers)
        )

    def _value(self, view: TreeView, index: int) -> str | None:
        value = view.feature(index, self._feature)
        return agreement_value(self._feature, value) if value else None

    def _attendant_uses(self, view: TreeView, noun: int, value: str) -> Iterator[DependentUse]:
        """Determiners, numerals and adjectives before a noun that do not carry the feature."""
        following: FormPos | None = None
        for child in reversed(view.children[noun]):
            relation = view.relations[child]
            if child > noun or relation not in ATTENDANTS or self._value(view, child) is not None:
                continue
            if view.deprels[child] in GOVERNING:
                continue
            word = (view.forms[child].casefold(), view.upos[child])
            if not view.dependents(child, "conj"):  # "one or two keys"
                yield DependentUse(word, relation, following, value)
            following = word

    def _carriers(
        self, view: TreeView, noun: int, value: str
    ) -> Iterator[tuple[Modifier, str, str]]:
        """Words of a noun that carry the feature, too, but for finite clauses."""
        for child in view.children[noun]:
            relation = view.relations[child]
            carried = self._value(view, child)
            if carried is None or relation not in (*ATTENDANTS, "acl"):
                continue
            if not view.is_finite(child):
                yield (relation, view.upos[child]), value, carried

    def _pronoun(self, view: TreeView, pronoun: int, verb: int) -> None:
        """The value of a pronoun's finite verb, if it shows one."""
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
