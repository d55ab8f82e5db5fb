"""What the miner makes: constructions with their verdicts, originals, rejections."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from colorless_green.miner.tree import Tree

if TYPE_CHECKING:
    from colorless_green.miner.evidence import Evidence
    from colorless_green.miner.splits import Condition


class ConstructionKey(NamedTuple):
    """What is counted apart: a construction for one feature."""

    feature: str
    name: str


ContingencyTable: TypeAlias = Mapping[tuple[str, str], int]
"""(cue value, target value) → how often."""


@dataclass(frozen=True, slots=True)
class Construction:
    """A construction under one rule, with what was counted and what the rule says of it.

    `name` is the direction (`L` dependent first, `R` head first, `X` either) and the POS of cue,
    context and target: `L__NOUN_VERB_VERB`. A feature with three values can give three
    constructions of one name, one for each pair of values.
    """

    name: str
    feature: str
    values: tuple[str, ...]  # sorted; the pair it was judged for
    table: ContingencyTable = field(hash=False)
    accepted: bool
    reason: str  # why it was rejected; empty where accepted
    p: float | None = None  # of the exact test, where the rule makes one
    q: float | None = None  # the same under control of the false-discovery rate
    low: float | None = None  # 95 % interval of the rate
    high: float | None = None
    undecided: bool = False  # agreement as far as it goes, but in too few instances to be sure
    evidence: "Evidence | None" = None  # of a rule that looks further than the table
    base: str = ""  # of a part of a construction: the name of the whole
    conditions: "tuple[Condition, ...]" = ()  # what its instances carry
    halved: bool = False  # chosen on one half of the documents, judged on the other
    rate_telling: float | None = None  # without targets whose form occurs with several values
    rate_pairs: float | None = None  # each pair of forms counted once

    @property
    def verdict(self) -> str:
        """`accepted`, `undecided` or `rejected`."""
        if self.undecided:
            return "undecided"
        return "accepted" if self.accepted else "rejected"

    @property
    def n(self) -> int:
        """Instances in which both cue and target carry the feature."""
        return sum(self.table.values())

    @property
    def n_agree(self) -> int:
        """Of these, those with equal values."""
        return sum(n for (cue, target), n in self.table.items() if cue == target)

    @property
    def rate(self) -> float:
        """The share of instances that agree."""
        return self.n_agree / self.n

    @property
    def expected(self) -> float:
        """The rate of equal values if cue and target were independent: Σ p(cue=v) p(target=v)."""
        cues: dict[str, int] = {}
        targets: dict[str, int] = {}
        for (cue, target), n in self.table.items():
            cues[cue] = cues.get(cue, 0) + n
            targets[target] = targets.get(target, 0) + n
        return sum(n * targets.get(value, 0) for value, n in cues.items()) / self.n**2


@dataclass(frozen=True, slots=True)
class Original:
    """A mined sentence with cue, target and both forms. Indices are 0-based surface positions."""

    file: str
    sent_id: str
    number_in_file: int
    construction: str
    number: int  # rank of discovery within the construction and pair of values
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
    n_attr: int  # the published scripts' count by form look-up; for the `.tab` export alone
    forms: tuple[str, ...]
    upos: tuple[str, ...]
    feats: tuple[str, ...]
    spaces: tuple[str, ...]
    flags: tuple[str, ...]
    cue_feature: str = ""  # the names under which cue and target carry the feature
    target_feature: str = ""
    before: str = ""  # what of the target's token stands before and after the word that agrees,
    after: str = ""  # where it is a multiword token; `right` and `wrong` are whole tokens
    tree: Tree | None = None  # none where the target is a ghost: its word is not in the tree
    cue_node: int = -1  # cue and target as words of the tree
    target_node: int = -1
    wrong_value: str = ""  # of the wrong form
    wrong_forms: Mapping[str, str] = field(default_factory=dict, hash=False)
    """other value → the target's form with it, of every value of the construction that has one"""
    value_from: tuple[int, ...] = ()  # tokens that tell the value of a cue or target without it
    cues_before: tuple[int, ...] = ()  # words other than the cue that tell the value, as tokens:
    cues_between: tuple[int, ...] = ()  # before the cue, between, and those that are the target's
    cues_beside_target: tuple[int, ...] = ()  # own (auxiliary, predicate) or come after it


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
