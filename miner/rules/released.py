"""The rule `released`: the criteria of the scripts that made the published sets.

They are `extract_dependency_patterns.py` and `generate_nonsense.py` in the repository of Gulordava
et al. 2018. Words agree if the target's value determines the cue's; single exceptions are forgiven,
and six instances of each value are enough.
"""

import math
from collections.abc import Container, Iterator
from itertools import combinations

import polars as pl

from ...data.items.features import letter_class
from ..search.instances import Selection
from ..treebank.paradigms import Paradigms
from ..verdict.construction import (
    Construction,
    ContingencyTable,
    InstanceEnd,
    Procedure,
    Replacement,
    Thresholds,
)
from ..verdict.counts import tables

MIN_GAP, MAX_GAP = 3, 13  # scripts: 3 < |head − dependent| < 15
MAX_FORGIVEN = 1  # pairs of cue and target value with at most so many instances are ignored
MIN_COUNT = 6  # instances of each value; with fewer, a construction is rejected
MAX_ENTROPY = 0.001  # nats
MIN_SHARE = 0.0001  # rarer pairs of values add nothing to the entropy


def decide(instances: pl.DataFrame, thresholds: Thresholds) -> list[Construction]:
    """Return a verdict on each construction and pair of cue values, constructions with a dependent
    cue (`L`) first."""
    by_key = tables(instances)
    ordered = sorted(by_key, key=lambda key: not key.name.startswith("L"))  # a stable sort
    return [verdict for key in ordered for verdict in _verdicts(*key, by_key[key])]


def _verdicts(feature: str, name: str, table: ContingencyTable) -> Iterator[Construction]:
    """Judge a construction once for each pair of cue values that occur more than once with a
    target value; if there is no such pair, reject it as a whole."""
    frequent = {values: n for values, n in table.items() if n > MAX_FORGIVEN}
    cue_values = sorted({cue for cue, _ in frequent})
    if len(cue_values) < 2:
        all_values = tuple(sorted({cue for cue, _ in table}))
        reason = "no pair of values more than once"
        if cue_values:
            reason = f"one value of the cue only ({cue_values[0]}) once single cases are forgiven"
        yield Construction(name, feature, all_values, table, False, reason)
        return
    for pair in combinations(cue_values, 2):
        reason = "; ".join(_objections(frequent, pair))
        yield Construction(name, feature, pair, table, not reason, reason)


def _objections(frequent: ContingencyTable, pair: tuple[str, str]) -> Iterator[str]:
    """Yield the reasons to reject a construction for a pair of values; nothing if it is accepted.

    `frequent` has the number of instances of each (cue value, target value) without single cases.
    """
    for value in pair:
        n_value = sum(n for (cue, _), n in frequent.items() if cue == value)
        if n_value < MIN_COUNT:
            yield f"{n_value} with {value}, needs {MIN_COUNT}"
    entropy = conditional_entropy(frequent, pair)
    if entropy >= MAX_ENTROPY:
        n_wrong = sum(n for (cue, target), n in frequent.items() if cue in pair and cue != target)
        yield f"{n_wrong} do not agree (H = {entropy:.3f} nat)"


def conditional_entropy(table: ContingencyTable, pair: tuple[str, str]) -> float:
    """Return the entropy H(cue value | target value) in nats for a pair of cue values.

    As in the scripts, a target value that occurs with both cue values counts twice.
    """
    target_values = [target for value in pair for cue, target in table if cue == value]
    total = sum(table.get((cue, target), 0) for target in target_values for cue in pair)
    entropy = 0.0
    for target in target_values:
        n_target = sum(table.get((cue, target), 0) for cue in pair)
        for cue in pair:
            n = table.get((cue, target), 0)
            if n / n_target > MIN_SHARE:
                entropy -= n / total * math.log(n / n_target)
    return entropy


def unfit(cue: InstanceEnd, target: InstanceEnd) -> str:
    """Return the reason why an instance gives no original, or "": instances with punctuation count
    as evidence, but give no originals."""
    return "cue or target is punctuation" if "PUNCT" in (cue.upos, target.upos) else ""


def partner(
    paradigms: Paradigms, vocabulary: Container[str], target: InstanceEnd, feature: str, value: str
) -> tuple[str, str]:
    """Return (form, "") for the most frequent form of the target's lemma with the wrong value, or
    ("", the reason) if it is not in the vocabulary or begins with another class of letter.

    It may be the target's own form, which the caller flags.
    """
    forms = paradigms.partners(target.lemma, target.upos, target.feats, feature, value)
    if not forms:
        return "", f"no paradigm: {target.lemma} with {feature}={value}"
    form, *_ = forms  # the most frequent one
    if form not in vocabulary:
        return "", f"the other form is out of vocabulary: {form}"
    if letter_class(form) != letter_class(target.form):
        return "", f"capital or vowel mismatch: {target.form}, {form}"
    return form, ""


RULE = Procedure(
    name="released",
    about="what made the published sets",
    selection=Selection(
        min_gap=MIN_GAP,
        max_gap=MAX_GAP,
        gap_in="words",
        merging="ghosts",
        projective=True,
        punctuation=True,
        directed=True,
        context="ends",
    ),
    tests=False,
    letters_only=True,
    decide=decide,
    unfit=unfit,
    partner=partner,
    replacement=Replacement(
        other_pos_share=0.0, min_count=2, letters_only=True, same_class=True, pure_lemma=True
    ),
)
