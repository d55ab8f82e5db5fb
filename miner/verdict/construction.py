"""What the miner makes: constructions with their verdicts, originals, rejections."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from ...data.items.features import value_of
from ...data.items.tree import Tree
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


@dataclass(frozen=True, slots=True)
class Original:
    """A mined sentence with cue, target, and the target's right and wrong form.

    Positions are surface tokens of the sentence, 0-based; `cue_node` and `target_node` are words of
    the tree, which differ where there are multiword tokens.

    Attributes:
        file: name of its file.
        sent_id: id of its sentence.
        number_in_file: 0-based place of the sentence in the file.
        construction: name of its construction.
        number: 0-based rank among the originals of its construction and values.
        feature: what agrees.
        values: those of its construction.
        value: the value of cue and target.
        cue_index: position of the cue.
        target_index: position of the target.
        cue: the cue's form.
        cue_upos: its part of speech.
        target_upos: the target's part of speech.
        target_feats: the target's FEATS.
        lemma: the target's lemma.
        right: the target as it stands, as a whole token.
        wrong: the same with the wrong form.
        attractors: positions of words between with the cue's POS and another value.
        n_attr: attractors as the published scripts count them; for the `.tab` export alone.
        forms: the tokens' forms.
        upos: their parts of speech; those of a multiword token joined by `+`.
        feats: their FEATS; `_` for a multiword token.
        spaces: what stands before each token, "" or " ".
        flags: recorded doubts, sorted.
        cue_feature: the name under which the cue carries the feature.
        target_feature: the name under which the target carries it.
        before: of a target inside a multiword token, what stands before the agreeing word.
        after: what stands behind it.
        tree: the sentence's words; `None` where cue or target is a ghost, which is not in the tree.
        cue_node: the cue in the tree; -1 without a tree.
        target_node: the target in the tree; -1 without a tree.
        wrong_value: the value of the wrong form.
        wrong_forms: other value → the target's form with it, for each that has one.
        value_from: positions that tell the value of a cue or target that does not carry it.
        cues_before: positions before the cue that tell the value, as its determiner does.
        cues_between: positions between cue and target that do and are not the target's own.
        cues_beside_target: the target's own (auxiliary, copula, predicate), and all after it.
    """

    file: str
    sent_id: str
    number_in_file: int
    construction: str
    number: int
    feature: str
    values: tuple[str, ...]
    value: str
    cue_index: int
    target_index: int
    cue: str
    cue_upos: str
    target_upos: str
    target_feats: str
    lemma: str
    right: str
    wrong: str
    attractors: tuple[int, ...]
    n_attr: int
    forms: tuple[str, ...]
    upos: tuple[str, ...]
    feats: tuple[str, ...]
    spaces: tuple[str, ...]
    flags: tuple[str, ...]
    cue_feature: str = ""
    target_feature: str = ""
    before: str = ""
    after: str = ""
    tree: Tree | None = None
    cue_node: int = -1
    target_node: int = -1
    wrong_value: str = ""
    wrong_forms: Mapping[str, str] = field(default_factory=dict, hash=False)
    value_from: tuple[int, ...] = ()
    cues_before: tuple[int, ...] = ()
    cues_between: tuple[int, ...] = ()
    cues_beside_target: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Rejection:
    """An instance of an accepted construction that gave no original, and why."""

    sent_id: str
    cue_index: int
    target_index: int
    construction: str
    reason: str


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An instance whose two values differ: an exception, or an error of annotation."""

    construction: str
    feature: str
    file: str
    sent_id: str
    cue_index: int  # 0-based surface tokens
    target_index: int
    cue: str
    target: str
    cue_value: str
    target_value: str
    text: str
    verdict: str  # of the construction: accepted or rejected
