"""The rule `strict`: the criteria that the paper states (Gulordava et al. 2018, §2). Every instance
agrees, and there are ten of each value.

In what the paper leaves open, multiword tokens are merged and the dependencies of all but their
first word dropped; the gap has no maximum, projectivity is not required, and punctuation is neither
cue nor target.
"""

from collections.abc import Container, Iterator

import polars as pl

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

MIN_GAP = 3
MIN_COUNT = 10  # instances of each value


def decide(instances: pl.DataFrame, thresholds: Thresholds) -> list[Construction]:
    """Return a verdict on each construction, in the order of first occurrence."""
    return [_verdict(*key, table) for key, table in tables(instances).items()]


def _verdict(feature: str, name: str, table: ContingencyTable) -> Construction:
    """Judge the construction of this name by the counts of its values."""
    reason = "; ".join(_objections(table))
    values = {cue for cue, _ in table}
    if not reason:  # those with enough instances
        values = {cue for (cue, target), n in table.items() if cue == target and n >= MIN_COUNT}
    return Construction(name, feature, tuple(sorted(values)), table, not reason, reason)


def _objections(table: ContingencyTable) -> Iterator[str]:
    """Yield the reasons to reject a construction with these counts of (cue value, target value);
    nothing if it is accepted."""
    n_wrong = sum(n for (cue, target), n in table.items() if cue != target)
    if n_wrong:
        yield f"{n_wrong} do not agree"
    values = sorted({value for pair in table for value in pair})
    enough = [value for value in values if table.get((value, value), 0) >= MIN_COUNT]
    if len(values) < 2:
        yield f"one value only ({values[0]})"
    elif len(enough) < 2:
        rare = [f"{table.get((value, value), 0)} with {value}" for value in values]
        yield f"{', '.join(rare)}, needs {MIN_COUNT} of two values"


def partner(
    paradigms: Paradigms, vocabulary: Container[str], target: InstanceEnd, feature: str, value: str
) -> tuple[str, str]:
    """Return (form, "") for the most frequent form of the target's lemma whose FEATS differ in the
    feature alone, that is in the vocabulary and not the target itself; or ("", the reason)."""
    forms = paradigms.partners(target.lemma, target.upos, target.feats, feature, value)
    if not forms:
        return "", f"no paradigm: {target.lemma} with {feature}={value}"
    different = [form for form in forms if form != target.form]
    if not different:
        return "", f"equal forms: {target.form} with {feature}={value} too"
    candidates = [form for form in different if form in vocabulary]
    if not candidates:
        return "", f"the other form is out of vocabulary: {different[0]}"
    return candidates[0], ""


RULE = Procedure(
    name="strict",
    about="the paper's words",
    selection=Selection(
        min_gap=MIN_GAP,
        max_gap=None,
        gap_in="words",
        merging="merged",
        projective=False,
        punctuation=False,
        directed=False,  # "independently of which element is the head"
        context="outside",
    ),
    tests=False,
    letters_only=False,
    decide=decide,
    partner=partner,
    replacement=Replacement(
        other_pos_share=0.10, min_count=1, letters_only=False, same_class=False, pure_lemma=False
    ),
)
