"""What a rule is: the functions and constants in which rules differ, as one record; and which
pairs of words are its instances."""

from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from .construction import Construction
from .paradigms import Paradigms
from .patterns.pattern import ARC
from .surface import Merging

if TYPE_CHECKING:
    import polars as pl


GapIn: TypeAlias = Literal["words", "tokens"]
"""Gaps are counted in surface words, or in the syntactic words of the tree."""
By: TypeAlias = Literal["pos", "deprel", "coarse"]
"""Constructions by POS of cue, context and target (the paper's); the same and the relation; or
direction, POS of the two ends and relation, whatever stands between."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which pairs of words are instances. Every rule has one, of which the command line may change
    parts."""

    min_gap: int  # tokens strictly between cue and target
    max_gap: int | None
    gap_in: GapIn
    merging: Merging
    projective: bool  # all between are descendants of the head
    punctuation: bool  # whether punctuation may be cue or target
    directed: bool  # whether the name tells which of the two depends on the other
    context: Literal["ends", "outside"]  # between: headed by cue or target, or from outside the gap
    by: By = "pos"
    direction: Literal["", "L", "R"] = ""  # dependent first, head first, or both
    relations: frozenset[str] = frozenset()  # of arcs; empty: all
    patterns: tuple[str, ...] = (ARC,)  # names or TOML files; `arc` is every dependency
    filters: tuple[str, ...] = ()  # names in `filters.FILTERS`

    @property
    def near(self) -> str:
        """The gap in words, for the run's story."""
        unit = "tokens" if self.merging != "apart" else self.gap_in
        if self.max_gap is None:
            return f"{self.min_gap} or more {unit} between"
        return f"{self.min_gap} to {self.max_gap} {unit} between"

    @property
    def kept(self) -> str:
        """What arcs must be beside near, in words."""
        conditions = [
            "projective" if self.projective else "",
            "" if self.punctuation else "no punctuation at either end",
            {"": "", "L": "dependent first", "R": "head first"}[self.direction],
            " or ".join(sorted(self.relations)),
        ]
        return ", ".join(filter(None, conditions)) or "all of these"


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
    """What a rule with a test asks of a construction.

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
    """What a word of a nonce variant must be like, beside having the POS and FEATS of the word it
    replaces, being in the vocabulary and differing from it."""

    other_pos_share: float  # at most this share of a form's uses may have another POS
    min_count: int  # uses of the form with this POS and FEATS
    letters_only: bool
    same_class: bool  # letter class of the word replaced (`letter_class`)
    pure_lemma: bool  # targets: the lemma has one POS; else both forms pass the share test
    by_partner: bool = False  # the wrong form of a target is what the rule's `partner` gives


Decide = Callable[["pl.DataFrame", Thresholds], list[Construction]]
"""Sees all instances (`counts.INSTANCES`, and `counts.EVIDENCE` where `tests`); `counts.tables`
makes of them how often values meet in each construction."""
Partner = Callable[[Paradigms, Container[str], InstanceEnd, str, str], tuple[str, str]]
"""(paradigms, vocabulary, target, feature, other value) → (form, "") or ("", reason for none)."""


@dataclass(frozen=True, slots=True)
class Rule:
    """An agreement rule."""

    name: str
    about: str  # one line for people
    selection: Selection
    tests: bool  # whether the thresholds mean anything to it
    letters_only: bool  # whether paradigms hold forms of letters alone
    decide: Decide
    partner: Partner
    replacement: Replacement
    unfit: Callable[[InstanceEnd, InstanceEnd], str] = lambda cue, target: ""
    """Why an instance of an accepted construction gives nothing."""
