"""Constructions split by features of their words, where pooled they fail or are mixed.

Participles that agree in 116 of 116 cases are no witnesses against finite verbs, nor these against
them. A split is one that a grammar would state: by VerbForm, Mood, Case or PronType of one end. It
is chosen greedily to depth two; where there are instances enough on one half of the documents, and
then judged on the other half.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..search.instances import OF_FEATURE
from .construction import Condition
from .evidence import TRAITS, Evidence, InstanceArrays, lower_bound

DEPTH = 2
MIN_PART = 20  # instances
MIN_BOTH = 80  # instances of a part from which on one half of the documents chooses, one judges


class ConstructionPart(NamedTuple):
    """A construction, or those of its instances that meet some conditions."""

    sample: InstanceArrays
    evidence: Evidence
    conditions: tuple[Condition, ...] = ()
    halved: bool = False  # chosen on one half of the documents, judged on the other


def parts_of(
    whole: ConstructionPart, feature: str, values: Sequence[Sequence[str]], floor: float
) -> list[ConstructionPart]:
    """Return the parts of a construction that fails, or that is mixed; none where no split helps.
    `values`: those of each trait."""
    traits = [number for number, (_, name) in enumerate(TRAITS) if name not in feature.split("~")]
    if len(whole.sample.cue) < 2 * MIN_PART or whole.evidence.p is None:
        return []  # nor would its parts be tested
    parts = _split(whole, traits, values, floor)
    return parts if any(part.evidence.passes(floor) for part in parts) else []


def _split(
    whole: ConstructionPart, traits: Sequence[int], values: Sequence[Sequence[str]], floor: float
) -> list[ConstructionPart]:
    """Return the parts by the trait that promises most, and theirs in turn."""
    halved = _is_large(whole.sample)
    choosing = whole.sample.where(whole.sample.even) if halved else whole.sample
    min_size = MIN_PART // 2 if halved else MIN_PART
    best, chosen = (-1.0, 0.0), -1
    for trait in traits:
        samples = [sample for _, sample in _by_value(choosing, trait)]
        if len(samples) < 2:
            continue
        large = [sample.evidence() for sample in samples if len(sample.cue) >= min_size]
        if whole.evidence.passes(floor) and not any(_is_low(each, floor) for each in large):
            continue
        n_passing = sum(each.n for each in large if _may_pass(each, floor))
        promise = float(n_passing), _gain(samples)
        if promise > best:
            best, chosen = promise, trait
    parts: list[ConstructionPart] = []
    for code, sample in _by_value(whole.sample, chosen) if chosen >= 0 else ():
        if len(sample.cue) < MIN_PART:
            continue
        conditions = (*whole.conditions, Condition(*TRAITS[chosen], values[chosen][code]))
        halved = _is_large(sample)
        judging = sample.where(~sample.even) if halved else sample
        part = ConstructionPart(sample, judging.evidence(), conditions, halved)
        deeper: list[ConstructionPart] = []
        if not part.evidence.passes(floor) and len(conditions) < DEPTH:
            others = [trait for trait in traits if trait != chosen]
            deeper = _split(part, others, values, floor)
        helps = any(each.evidence.passes(floor) for each in deeper)
        parts += deeper if helps else [part]
    return parts


def _is_large(sample: InstanceArrays) -> bool:
    """Return whether there are enough instances, in both halves of the documents."""
    n_even, n = int(sample.even.sum()), len(sample.even)
    return n >= MIN_BOTH and min(n_even, n - n_even) >= MIN_PART


def _by_value(sample: InstanceArrays, trait: int) -> Iterator[tuple[int, InstanceArrays]]:
    """Yield the values of a trait, as numbers, and the instances that have each."""
    codes = sample.traits[:, trait]
    for code in np.unique(codes).tolist():
        yield code, sample.where(codes == code)


def _gain(samples: Sequence[InstanceArrays]) -> float:
    """Return how much a split tells of agreement: the likelihood-ratio statistic G."""
    hits = np.array([float(sample.agree.sum()) for sample in samples])
    n = np.array([float(len(sample.agree)) for sample in samples])
    return _entropy(hits.sum(), n.sum()) - sum(map(_entropy, hits, n))


def _entropy(hits: float, total: float) -> float:
    rates = np.array([hits, total - hits]) / total
    rates = rates[rates > 0]
    return float(-(rates * np.log(rates)).sum() * total)


def _may_pass(evidence: Evidence, floor: float) -> bool:
    """Return whether a part of half the documents promises to pass: its bound, at twice the
    size."""
    doubled = lower_bound(evidence.rate, 2 * evidence.n / evidence.deff)
    return evidence.rate > floor and doubled >= floor


def _is_low(evidence: Evidence, floor: float) -> bool:
    """Return whether the rate of a part is clearly below the floor."""
    return 1 - lower_bound(1 - evidence.rate, evidence.n / evidence.deff) < floor


def part_name(name: str, conditions: Sequence[Condition]) -> str:
    """Return the name of a part: `L__NOUN__VERB__nsubj` with finite verbs is
    `L__NOUN__VERB[Fin]__nsubj`."""
    stem, mark, feature = name.partition(OF_FEATURE)
    direction, *words = stem.split("__")
    if len(words) == 3 or (len(words) == 2 and "_" not in words[0]):  # coarse: cue, target, what
        ends, suffixes, joint = words[:2], words[2:], "__"
    else:
        ends, suffixes, joint = words[0].split("_"), words[1:], "_"
    for index, end in ((0, "cue"), (-1, "target")):
        labels = [condition.label for condition in conditions if condition.end == end]
        if labels:
            ends[index] += f"[{','.join(labels)}]"
    return "__".join([direction, joint.join(ends), *suffixes]) + mark + feature
