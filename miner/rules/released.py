"""The rule that made the published sets: the released scripts, not the paper's words.

Gulordava et al. 2018 with `extract_dependency_patterns.py` and `generate_nonsense.py` of their
repository. The test of agreement is determinism of the cue's value given the target's, single
exceptions are forgiven, six instances of each value are enough.
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
FORGIVEN = 1  # cells of the table with so few instances are deleted
MORE_THAN = 5  # each value needs more instances than this
MAX_ENTROPY = 0.001  # nats
MIN_SHARE = 0.0001  # rarer cells add nothing to the entropy


def decide(instances: pl.DataFrame, thresholds: Thresholds) -> list[Construction]:
    """Return a verdict for each pair of cue values that is left after forgiving, `L` keys first."""
    counted = tables(instances)
    ordered = sorted(counted, key=lambda key: not key.name.startswith("L"))  # sorting is stable
    return [verdict for key in ordered for verdict in _verdicts(*key, counted[key])]


def _verdicts(feature: str, key: str, table: ContingencyTable) -> Iterator[Construction]:
    frequent = {cell: n for cell, n in table.items() if n > FORGIVEN}
    cues = sorted({cue for cue, _ in frequent})
    if len(cues) < 2:
        seen = tuple(sorted({cue for cue, _ in table}))
        reason = "no pair of values more than once"
        if cues:
            reason = f"one value of the cue only ({cues[0]}) once single cases are forgiven"
        yield Construction(key, feature, seen, table, False, reason)
        return
    for pair in combinations(cues, 2):
        reason = "; ".join(_objections(frequent, pair))
        yield Construction(key, feature, pair, table, not reason, reason)


def _objections(frequent: ContingencyTable, pair: tuple[str, str]) -> Iterator[str]:
    for value in pair:
        n_value = sum(n for (cue, _), n in frequent.items() if cue == value)
        if n_value <= MORE_THAN:
            yield f"{n_value} with {value}, needs {MORE_THAN + 1}"
    entropy = conditional_entropy(frequent, pair)
    if entropy >= MAX_ENTROPY:
        n_wrong = sum(n for (cue, target), n in frequent.items() if cue in pair and cue != target)
        yield f"{n_wrong} do not agree (H = {entropy:.3f} nat)"


def conditional_entropy(table: ContingencyTable, pair: tuple[str, str]) -> float:
    """Return H(cue value | target value) in nats over two rows of the table, as the scripts
    compute it: a target value that occurs with both cue values is entered as two identical
    columns."""
    columns = [target for value in pair for cue, target in table if cue == value]
    total = sum(table.get((cue, target), 0) for target in columns for cue in pair)
    entropy = 0.0
    for target in columns:
        column = sum(table.get((cue, target), 0) for cue in pair)
        for cue in pair:
            n = table.get((cue, target), 0)
            if n / column > MIN_SHARE:
                entropy -= n / total * math.log(n / column)
    return entropy


def unfit(cue: InstanceEnd, target: InstanceEnd) -> str:
    """Return why an instance gives no original: arcs with punctuation are counted, but give
    none."""
    return "cue or target is punctuation" if "PUNCT" in (cue.upos, target.upos) else ""


def partner(
    paradigms: Paradigms, vocabulary: Container[str], target: InstanceEnd, feature: str, value: str
) -> tuple[str, str]:
    """Return the most frequent form of the target's lemma with the other value, if it is known and
    begins with the same class of letter. It may be the target's own form (the caller flags it)."""
    forms = paradigms.partners(target.lemma, target.upos, target.feats, feature, value)
    if not forms:
        return "", f"no paradigm: {target.lemma} with {feature}={value}"
    if forms[0] not in vocabulary:
        return "", f"the other form is out of vocabulary: {forms[0]}"
    if letter_class(forms[0]) != letter_class(target.form):
        return "", f"capital or vowel mismatch: {target.form}, {forms[0]}"
    return forms[0], ""


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
