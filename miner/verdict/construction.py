"""Constructions with their counts and verdicts; and a rule's functions and constants as a record.

A *construction* is a kind of word pair, such as a subject and its verb. An *instance* of it is a
pair of words in a sentence that both carry the feature: the *cue* comes first, then the *target*.
"""

from collections import Counter
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import polars as pl

from ...data.items.features import value_of
from ..search.instances import Selection
from ..treebank.paradigms import Paradigms
from .evidence import ABSENT, Evidence


class ConstructionKey(NamedTuple):
    """The key under which instances are counted together: a construction and a feature.

    Attributes:
        feature: the feature that is compared; `Number~Number[abs]` if the two words carry it under
            two names.
        name: the name of the construction, as in `Construction`.
    """

    feature: str
    name: str


ContingencyTable: TypeAlias = Mapping[tuple[str, str], int]
"""(cue value, target value) → number of instances."""


class Condition(NamedTuple):
    """A condition on the cue or the target of an instance: a value of a feature."""

    end: str  # `cue` or `target`
    feature: str
    value: str  # empty: the word lacks the feature

    def holds(self, cue_feats: str, target_feats: str) -> bool:
        """Return whether an instance with these FEATS meets the condition."""
        feats = cue_feats if self.end == "cue" else target_feats
        return (value_of(feats, self.feature) or ABSENT) == self.value

    @property
    def label(self) -> str:
        """Return the condition as names of constructions have it: `Fin`, or `-Case` for a word
        without case."""
        return self.value or f"-{self.feature}"


@dataclass(frozen=True, slots=True)
class Construction:
    """A construction with the counts of its instances and the verdict of a rule.

    Its name begins with a direction (`L`: the cue depends on the target, or is a path's controller;
    `R`: the other way round; `X`: either). The POS of cue, context and target follow
    (`L__NOUN_VERB_VERB`), and the relation if the rule counts by relation; or else the POS of cue
    and target alone, and their relation or path (`L__NOUN__VERB__nsubj`). A rule that judges pairs
    of values makes three constructions with one name for a feature with three values.

    Attributes:
        name: see above.
        feature: the feature that is compared.
        values: its values, sorted: those in which its words agree, or the pair that was judged.
        table: (cue value, target value) → number of instances.
        accepted: its words agree, according to the rule.
        reason: the reason why it was rejected or undecided; "" if accepted.
        p: probability of as much agreement by chance; `None` if it was not tested.
        q: p adjusted for all tests of the run (Benjamini & Hochberg 1995); `None` likewise.
        low, high: 95 % interval of the rate (Wilson 1927); `None` under a rule that makes no test.
        undecided: the rate is high, but the instances are too few.
        evidence: the evidence for the verdict, under a rule that tests; else `None`.
        base: for a part of a construction, the name of the whole; else "".
        conditions: for a part, the conditions on its cues and targets.
        halved: the part was chosen on one half of the documents and judged on the other.
        rate_unambiguous: the agreement rate over targets whose form has only one value.
        rate_pairs: the agreement rate with each pair of forms counted once.

    >>> table = {("Sing", "Sing"): 30, ("Plur", "Plur"): 9, ("Plur", "Sing"): 1}
    >>> verbs = Construction("L__NOUN_VERB", "Number", ("Plur", "Sing"), table, True, "")
    >>> verbs.n, verbs.rate, verbs.expected
    (40, 0.975, 0.6375)
    """

    name: str
    feature: str
    values: tuple[str, ...]
    table: ContingencyTable = field(hash=False)
    accepted: bool
    reason: str
    p: float | None = None
    q: float | None = None
    low: float | None = None
    high: float | None = None
    undecided: bool = False
    evidence: Evidence | None = None
    base: str = ""
    conditions: tuple[Condition, ...] = ()
    halved: bool = False
    rate_unambiguous: float | None = None
    rate_pairs: float | None = None

    @property
    def verdict(self) -> str:
        """Return `accepted`, `undecided` or `rejected`."""
        if self.undecided:
            return "undecided"
        return "accepted" if self.accepted else "rejected"

    @property
    def n(self) -> int:
        """Return the number of instances."""
        return sum(self.table.values())

    @property
    def n_agree(self) -> int:
        """Return the number of instances whose two values are equal."""
        return sum(n for (cue, target), n in self.table.items() if cue == target)

    @property
    def rate(self) -> float:
        """Return the agreement rate: the share of instances whose two values are equal."""
        return self.n_agree / self.n

    @property
    def expected(self) -> float:
        """Return the agreement rate expected if cue and target were independent: the sum over
        values v of p(cue=v) · p(target=v)."""
        cue_counts, target_counts = Counter[str](), Counter[str]()
        for (cue, target), n in self.table.items():
            cue_counts[cue] += n
            target_counts[target] += n
        return sum(n * target_counts[value] for value, n in cue_counts.items()) / self.n**2


class InstanceEnd(NamedTuple):
    """The cue or the target of an instance, with its annotation (for a ghost, its own word's)."""

    position: int  # surface token
    form: str
    lemma: str
    upos: str
    feats: str
    other_feats: str = "_"  # FEATS of the word it agrees with


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The thresholds of a rule with a test.

    Attributes:
        min_n: minimum number of instances.
        alpha: false-discovery rate.
        floor: minimum of the lower bound of the agreement rate.
    """

    min_n: int = 10
    alpha: float = 0.05
    floor: float = 0.85


@dataclass(frozen=True, slots=True)
class Replacement:
    """A rule's extra conditions on a word that replaces another in a nonce variant.

    In any case it has the POS and FEATS of the word replaced, is in the vocabulary, and is another
    word.

    Attributes:
        other_pos_share: at most this share of the form's uses has another POS.
        min_count: minimum number of the form's uses with this POS and FEATS.
        letters_only: the form consists of letters.
        same_class: it has the letter class of the word replaced (`letter_class`).
        pure_lemma: the lemma of a target has one POS; else both forms pass the share test.
        by_partner: the wrong form of a target is the one that the rule's `partner` returns.
    """

    other_pos_share: float
    min_count: int
    letters_only: bool
    same_class: bool
    pure_lemma: bool
    by_partner: bool = False


Decide = Callable[[pl.DataFrame, Thresholds], list[Construction]]
"""(all instances, thresholds) → constructions with verdicts. The frame of instances has the columns
`counts.INSTANCES`, and `counts.EVIDENCE` if the rule `tests`."""
Partner = Callable[[Paradigms, Container[str], InstanceEnd, str, str], tuple[str, str]]
"""(paradigms, vocabulary, target, feature, wrong value) → (wrong form, "") or ("", reason)."""


@dataclass(frozen=True, slots=True)
class Procedure:
    """The functions and default settings of a named rule.

    Attributes:
        name: the rule's name.
        about: one line for people.
        selection: the conditions that make a pair of words an instance.
        tests: the rule makes a statistical test, and uses the thresholds.
        letters_only: paradigms hold only forms that are all letters.
        decide: returns the constructions with their verdicts.
        partner: returns the wrong form of a target.
        replacement: the conditions on words of nonce variants.
        unfit: returns the reason why an instance of an accepted construction gives no original, or
            "".
    """

    name: str
    about: str
    selection: Selection
    tests: bool
    letters_only: bool
    decide: Decide
    partner: Partner
    replacement: Replacement
    unfit: Callable[[InstanceEnd, InstanceEnd], str] = lambda cue, target: ""
