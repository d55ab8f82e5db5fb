"""What a rule is: the functions and constants in which rules differ, as one record."""

from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from colorless_green.miner.construction import Construction
from colorless_green.miner.paradigms import Paradigms
from colorless_green.miner.selection import Selection
from colorless_green.miner.surface import Arc, Ghost, Surface

if TYPE_CHECKING:
    import polars as pl


class End(NamedTuple):
    """Cue or target of an instance, with its own annotation also where it is a ghost."""

    position: int  # surface token
    form: str
    lemma: str
    upos: str
    feats: str
    other_feats: str = "_"  # FEATS of the word it agrees with


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What a rule with a test asks of a construction."""

    min_n: int = 10  # instances
    alpha: float = 0.05  # false-discovery rate
    floor: float = 0.85  # of the lower bound of the share of instances that agree


@dataclass(frozen=True, slots=True)
class Replacement:
    """What a word of a nonce variant must be like, beside having the POS and FEATS of the word it
    replaces, being in the vocabulary and differing from it (I5–I9 and I14–I15)."""

    other_pos_share: float  # at most this share of a form's uses may have another POS
    min_count: int  # uses of the form with this POS and FEATS
    letters_only: bool
    same_class: bool  # letter class of the word replaced (`letter_class`)
    pure_lemma: bool  # targets: the lemma has one POS; else both forms pass the share test
    by_partner: bool = (
        False  # the wrong form of a target is the one that the rule's `partner` gives
    )


Decide = Callable[["pl.DataFrame", Thresholds], list[Construction]]
"""Sees all instances (`counts.INSTANCES`, and `counts.EVIDENCE` where `tests`); `counts.tables`
makes of them how often values meet in each construction."""
Partner = Callable[[Paradigms, Container[str], End, str, str], tuple[str, str]]
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
    unfit: Callable[[End, End], str]  # why an instance of an accepted construction gives nothing
    partner: Partner
    replacement: Replacement


def nothing_unfit(cue: End, target: End) -> str:
    """For rules that ask no more of cue and target than their selection does."""
    return ""


def ends(surface: Surface, arc: Arc) -> tuple[End, End]:
    """Cue and target of an arc."""
    ghost = surface.ghosts[arc.ghost] if arc.ghost >= 0 else None
    cue_is_dependent = arc.dependent < arc.head
    cue = _end(surface, arc.cue, ghost if cue_is_dependent else None)
    target = _end(surface, arc.target, None if cue_is_dependent else ghost)
    return cue._replace(other_feats=target.feats), target._replace(other_feats=cue.feats)


def _end(surface: Surface, index: int, ghost: Ghost | None) -> End:
    if ghost is not None:
        return End(index, ghost.form, ghost.lemma, ghost.upos, ghost.feats)
    return End(
        surface.tokens[index] if surface.tokens else index,
        surface.forms[index],
        surface.lemmas[index],
        surface.upos[index],
        surface.feats[index],
    )


def span_fits(surface: Surface, arc: Arc) -> bool:
    """Whether both ends are tokens of the sentence (a ghost may stand after its last)."""
    return arc.target < len(surface)
