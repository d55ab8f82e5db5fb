"""Constructions, what was counted of them, and the verdicts on them; and the functions and
constants in which rules differ, as one record.
"""

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import polars as pl

from ...data.items.features import value_of
from ..search.instances import Selection
from ..treebank.paradigms import Paradigms
from .evidence import ABSENT, Evidence


class ConstructionKey(NamedTuple):
    """The name under which instances are counted together: a construction for one feature.

    Attributes:
        feature: what is compared; `Number~Number[abs]` where cue and target name it differently.
        name: the construction, as in `Construction`.
    """

    feature: str
    name: str


ContingencyTable: TypeAlias = Mapping[tuple[str, str], int]
"""(cue value, target value) → how often."""


class Condition(NamedTuple):
    """A value of a feature that one end of an instance must have."""

    end: str  # cue or target
    feature: str
    value: str  # empty: not this feature

    def holds(self, cue_feats: str, target_feats: str) -> bool:
        """Return whether an instance with these FEATS meets it."""
        feats = cue_feats if self.end == "cue" else target_feats
        return (value_of(feats, self.feature) or ABSENT) == self.value

    @property
    def label(self) -> str:
        """Return how names have it: `Fin`, or `-Case` for a word without case."""
        return self.value or f"-{self.feature}"


@dataclass(frozen=True, slots=True)
class Construction:
    """A construction, what was counted of it, and the verdict of a rule.

    The name is a direction (`L`: the cue depends on the target, or is a path's controller; `R`: the
    other way round; `X`: either) and POS: of cue, context and target (`L__NOUN_VERB_VERB`), with
    the relation behind where a rule counts by relation; or of cue and target only, with their
    relation or path (`L__NOUN__VERB__nsubj`). A rule that looks at
    pairs of values gives a feature with three values three constructions of one name.

    Attributes:
        name: see above.
        feature: what is compared.
        values: the values it is about, sorted: those in which its words agree, or the pair for
            which it was judged.
        table: (cue value, target value) → number of instances.
        accepted: whether its words agree, by the rule.
        reason: why it was rejected or undecided; "" where accepted.
        p: probability of as much agreement by chance; `None` where it was not tested.
        q: p adjusted for all tests of the run (Benjamini & Hochberg 1995); `None` likewise.
        low, high: 95 % interval of the rate (Wilson 1927); `None` under a rule that makes no test.
        undecided: the rate is high, but the instances are too few.
        evidence: counts behind the verdict, of a rule that tests; else `None`.
        base: of a part, the name of the whole; "" for a whole construction.
        conditions: of a part, what its cues or targets must carry.
        halved: chosen on one half of the documents and judged on the other.
        rate_unambiguous: the rate over targets whose form occurs with one value alone.
        rate_pairs: the rate with each pair of forms counted once.

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
        """Return the number of instances in which both cue and target carry the feature."""
        return sum(self.table.values())

    @property
    def n_agree(self) -> int:
        """Return the number of instances whose two values are equal."""
        return sum(n for (cue, target), n in self.table.items() if cue == target)

    @property
    def rate(self) -> float:
        """Return the share of instances that agree."""
        return self.n_agree / self.n

    @property
    def expected(self) -> float:
        """Return the rate of equal values if cue and target were independent: Σ p(cue=v)
        p(target=v)."""
        cues: dict[str, int] = {}
        targets: dict[str, int] = {}
        for (cue, target), n in self.table.items():
            cues[cue] = cues.get(cue, 0) + n
            targets[target] = targets.get(target, 0) + n
        return sum(n * targets.get(value, 0) for value, n in cues.items()) / self.n**2


class InstanceEnd(NamedTuple):
    """Cue or target of an instance, with its own annotation also where it is a ghost."""

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
        min_n: least instances.
        alpha: false-discovery rate.
        floor: least value of the lower bound of the share of instances that agree.
    """

    min_n: int = 10
    alpha: float = 0.05
    floor: float = 0.85


@dataclass(frozen=True, slots=True)
class Replacement:
    """The conditions on a word of a nonce variant, in addition to having the POS and FEATS of the
    word it replaces, being in the vocabulary and differing from it.

    Attributes:
        other_pos_share: at most this share of a form's uses may have another POS.
        min_count: least uses of the form with this POS and FEATS.
        letters_only: the form consists of letters.
        same_class: it has the letter class of the word replaced (`letter_class`).
        pure_lemma: the lemma of a target has one POS; else both forms pass the share test.
        by_partner: the wrong form of a target is what the rule's `partner` gives.
    """

    other_pos_share: float
    min_count: int
    letters_only: bool
    same_class: bool
    pure_lemma: bool
    by_partner: bool = False


Decide = Callable[[pl.DataFrame, Thresholds], list[Construction]]
"""Sees all instances (`counts.INSTANCES`, and `counts.EVIDENCE` where `tests`); `counts.tables`
makes of them how often values meet in each construction."""
Partner = Callable[[Paradigms, Container[str], InstanceEnd, str, str], tuple[str, str]]
"""(paradigms, vocabulary, target, feature, other value) → (form, "") or ("", reason for none)."""


@dataclass(frozen=True, slots=True)
class Procedure:
    """The functions of a named rule, and the settings it has unless others are given.

    Attributes:
        name: of the rule.
        about: one line for people.
        selection: which pairs of words are instances.
        tests: whether the thresholds mean anything to it.
        letters_only: whether paradigms hold forms of letters alone.
        decide: returns the constructions with their verdicts.
        partner: returns the wrong form of a target.
        replacement: conditions on the words of nonce variants.
        unfit: returns why an instance of an accepted construction gives no original; "" for none.
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
