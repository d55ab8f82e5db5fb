"""What a rule is: the functions in which rules differ, as one record."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from colorless_green.miner.construction import Construction, Table
from colorless_green.miner.features import Values
from colorless_green.miner.paradigms import Paradigms
from colorless_green.miner.surface import Arc, Ghost, Surface


class Instance(NamedTuple):
    """An arc whose two ends both carry the feature, with the key it counts for."""

    key: str
    cue_value: str
    target_value: str
    arc: Arc


class Found(NamedTuple):
    """What one sentence gives: its instances, and how many arcs reached each stage."""

    instances: Sequence[Instance]
    n_arcs: int  # all but the root's
    n_near: int  # of these, as far apart as the rule asks
    n_kept: int  # of these, fit otherwise (projective, no punctuation …)


class End(NamedTuple):
    """Cue or target of an instance, with its own annotation also where it is a ghost."""

    position: int
    form: str
    lemma: str
    upos: str
    feats: str


@dataclass(frozen=True, slots=True)
class Replacement:
    """What a word of a nonce variant must be like, beside having the POS and FEATS of the word it
    replaces, being in the vocabulary and differing from it (I5–I9 and I14–I15)."""

    other_pos_share: float  # at most this share of a form's uses may have another POS
    min_count: int  # uses of the form with this POS and FEATS
    letters_only: bool
    same_class: bool  # letter class of the word replaced (`letter_class`)
    pure_lemma: bool  # targets: the lemma has one POS; else both forms pass the share test


Partner = Callable[[Paradigms, frozenset[str], End, str, str], tuple[str, str]]
"""(paradigms, vocabulary, target, feature, other value) → (form, "") or ("", reason for none)."""


@dataclass(frozen=True, slots=True)
class Rule:
    """An agreement rule. `decide` sees the tables of all keys in the order of first occurrence."""

    name: str
    near: str  # what `n_near` counts, in words
    kept: str  # what `n_kept` counts
    ghosts: bool  # whether arcs of merged words count
    letters_only: bool  # whether paradigms hold forms of letters alone
    instances: Callable[[Surface, Values], Found]
    decide: Callable[[str, Mapping[str, Table]], list[Construction]]
    unfit: Callable[[End, End], str]  # why an instance of an accepted construction gives nothing
    partner: Partner
    replacement: Replacement


def ends(surface: Surface, arc: Arc) -> tuple[End, End]:
    """Cue and target of an arc."""
    cue, target = arc.cue, arc.target
    ghost = surface.ghosts[arc.ghost] if arc.ghost >= 0 else None
    cue_is_dependent = arc.dependent < arc.head
    return (
        _end(surface, cue, ghost if cue_is_dependent else None),
        _end(surface, target, None if cue_is_dependent else ghost),
    )


def _end(surface: Surface, index: int, ghost: Ghost | None) -> End:
    if ghost is not None:
        return End(index, ghost.form, ghost.lemma, ghost.upos, ghost.feats)
    return End(
        index,
        surface.forms[index],
        surface.lemmas[index],
        surface.upos[index],
        surface.feats[index],
    )


def span_fits(surface: Surface, arc: Arc) -> bool:
    """Whether both ends are tokens of the sentence (a ghost may stand after its last)."""
    return arc.target < len(surface)
