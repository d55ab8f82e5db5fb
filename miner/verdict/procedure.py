"""The functions and constants in which rules differ, as one record."""

from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from ..search.candidate_pairs import Selection
from ..treebank.paradigms import Paradigms
from .construction import Construction


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


Decide = Callable[[pl.DataFrame, Thresholds], list[Construction]]
"""Sees all instances (`counts.INSTANCES`, and `counts.EVIDENCE` where `tests`); `counts.tables`
makes of them how often values meet in each construction."""
Partner = Callable[[Paradigms, Container[str], InstanceEnd, str, str], tuple[str, str]]
"""(paradigms, vocabulary, target, feature, other value) → (form, "") or ("", reason for none)."""


@dataclass(frozen=True, slots=True)
class Procedure:
    """What a named rule does, and the settings it has unless others are given."""

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
