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
