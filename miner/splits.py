"""Constructions taken apart by what their words carry, where pooled they fail or are mixed.

Participles that agree in 116 of 116 cases are no witnesses against finite verbs, nor these against
them. A split is one that a grammar would state: by VerbForm, Mood, Case or PronType of one end. It
is chosen greedily to depth two; where there are instances enough on one half of the documents, and
then judged on the other half.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from colorless_green.miner.agreement import Evidence, evidence, lower_bound
from colorless_green.miner.features import value_of
from colorless_green.miner.instances import OF_FEATURE

FEATURES = ("VerbForm", "Mood", "Case", "PronType")
ENDS = ("cue", "target")
DEPTH = 2
MIN_PART = 20  # instances
MIN_BOTH = 80  # instances of a part from which on one half of the documents chooses, one judges
ABSENT = ""


class Condition(NamedTuple):
    """What one end of an instance carries."""

    end: str  # cue or target
    feature: str
    value: str  # empty: not this feature

    def holds(self, cue_feats: str, target_feats: str) -> bool:
        """Whether an instance with these FEATS meets it."""
        feats = cue_feats if self.end == "cue" else target_feats
        return (value_of(feats, self.feature) or ABSENT) == self.value

    @property
    def label(self) -> str:
        """As names have it: `Fin`, or `-Case` for a word without case."""
        return self.value or f"-{self.feature}"


@dataclass(frozen=True, slots=True)
class Part:
    """Some instances of a construction, with the conditions that they meet."""

    conditions: tuple[Condition, ...]
    instances: pl.DataFrame
    evidence: Evidence
    halved: bool  # chosen on one half of the documents, judged on the other
    n_tests: int = 1  # tests that its choice took, its own among them


def parts_of(instances: pl.DataFrame, pooled: Evidence, floor: float) -> list[Part]:
    """The parts of a construction that fails, or that is mixed; none where no split helps."""
    mixed = pooled.passes(floor)
    chosen = _split(instances, (), floor, only_low=mixed)
    if not any(part.evidence.passes(floor) for part in chosen):
        return []
    return chosen


def _split(
    instances: pl.DataFrame, conditions: tuple[Condition, ...], floor: float, *, only_low: bool
) -> list[Part]:
    choosing, judging = _halves(instances)
    least = MIN_PART if judging is None else MIN_PART // 2
    best: tuple[tuple[float, float], str, str] | None = None
    for end in ENDS:
        for feature in FEATURES:
            if any((each.end, each.feature) == (end, feature) for each in conditions):
                continue
            if instances["feature"][0] == feature:
                continue
            parts = list(_by_value(choosing, end, feature))
            if len(parts) < 2:
                continue
            sizes = [(len(part), evidence(part)) for _, part in parts if len(part) >= least]
            if only_low and not any(_is_low(each, floor) for _, each in sizes):
                continue
            passing = float(sum(n for n, each in sizes if _may_pass(each, floor)))
            gain = _gain([part for _, part in parts])
            if best is None or (passing, gain) > best[0]:
                best = (passing, gain), end, feature
    if best is None:
        return []
    _, end, feature = best
    found: list[Part] = []
    for value, part in _by_value(instances, end, feature):
        if len(part) < MIN_PART:
            continue
        own = (*conditions, Condition(end, feature, value))
        judged = _halves(part)[1]
        result = Part(own, part, evidence(part if judged is None else judged), judged is not None)
        deeper: list[Part] = []
        if not result.evidence.passes(floor) and len(own) < DEPTH:
            deeper = _split(part, own, floor, only_low=False)
        if any(each.evidence.passes(floor) for each in deeper):
            found += deeper
        else:
            found.append(result)
    return found


def _halves(instances: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    """Those of the documents that choose and those of the documents that judge; all and none where
    these are too few."""
    odd = pl.col("document") % 2 == 1
    choosing, judging = instances.filter(~odd), instances.filter(odd)
    if len(instances) < MIN_BOTH or min(len(choosing), len(judging)) < MIN_PART:
        return instances, None
    return choosing, judging


def _may_pass(each: Evidence, floor: float) -> bool:
    """Whether a part of half the documents promises to pass: its bound, at twice the size."""
    return each.rate > floor and lower_bound(each.rate, 2 * each.n / each.deff) >= floor


def _is_low(each: Evidence, floor: float) -> bool:
    """Whether the rate of a part lies clearly below the floor."""
    return 1 - lower_bound(1 - each.rate, each.n / each.deff) < floor


def _by_value(instances: pl.DataFrame, end: str, feature: str) -> Iterator[tuple[str, pl.DataFrame]]:
    """The instances by the value of a feature at one end, in the order of the values."""
    feats = instances[f"{end}_feats"].unique().to_list()
    values = {each: value_of(each, feature) or ABSENT for each in feats}
    column = pl.col(f"{end}_feats").cast(pl.String).replace_strict(values, return_dtype=pl.String)
    if len(set(values.values())) < 2:
        return
    parts = instances.with_columns(_value=column).partition_by("_value", as_dict=True)
    for (value,), part in sorted(parts.items()):
        yield str(value), part.drop("_value")


def _gain(parts: Sequence[pl.DataFrame]) -> float:
    """How much a split tells of agreement: the likelihood-ratio statistic G."""
    agree = np.array([float((part["cue_value"] == part["target_value"]).sum()) for part in parts])
    n = np.array([float(len(part)) for part in parts])

    def entropy(hits: float, total: float) -> float:
        rates = np.array([hits, total - hits]) / total
        rates = rates[rates > 0]
        return float(-(rates * np.log(rates)).sum() * total)

    pooled = entropy(float(agree.sum()), float(n.sum()))
    return pooled - sum(entropy(hits, total) for hits, total in zip(agree, n, strict=True))


def name_of(name: str, conditions: Sequence[Condition]) -> str:
    """The name of a part: `L__NOUN__VERB__nsubj` with finite verbs is
    `L__NOUN__VERB[Fin]__nsubj`."""
    stem, mark, feature = name.partition(OF_FEATURE)
    direction, *words = stem.split("__")
    if len(words) == 3 or (len(words) == 2 and "_" not in words[0]):  # coarse: cue, target, what
        ends, rest = words[:2], words[2:]
        joint = "__"
    else:
        ends, rest = words[0].split("_"), words[1:]
        joint = "_"
    for place, end in ((0, "cue"), (-1, "target")):
        labels = [each.label for each in conditions if each.end == end]
        if labels:
            ends[place] += f"[{','.join(labels)}]"
    return "__".join([direction, joint.join(ends), *rest]) + mark + feature
