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

from ...data.arrays import Truths
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
    undivided: ConstructionPart, feature: str, values: Sequence[Sequence[str]], floor: float
) -> list[ConstructionPart]:
    """The parts of a construction that fails, or that is mixed; none where no split helps.
    `values`: those of each trait."""
    sample = undivided.sample
    if len(sample.cue) < 2 * MIN_PART:
        return []
    traits = [
        number
        for number, (_, name) in enumerate(TRAITS)
        if name not in feature.split("~") and np.ptp(sample.traits[:, number])
    ]
    if not traits:
        return []
    splitter = _Splitter(sample, traits, values, floor)
    everything = np.ones(len(sample.cue), bool)
    chosen = splitter.split(everything, (), only_low=undivided.evidence.passes(floor))
    return chosen if any(part.evidence.passes(floor) for part in chosen) else []


@dataclass(frozen=True, slots=True)
class _Splitter:
    sample: InstanceArrays
    traits: Sequence[int]  # places in `TRAITS`
    values: Sequence[Sequence[str]]
    floor: float

    def split(
        self, rows: Truths, conditions: tuple[Condition, ...], *, only_low: bool
    ) -> list[ConstructionPart]:
        """The parts of some rows by the feature that promises most, and theirs in turn. With
        `only_low` there must be a part that lies clearly below the floor."""
        halves = self._are_halved(rows)
        choosing = rows & self.sample.even if halves else rows
        min_size = MIN_PART // 2 if halves else MIN_PART
        best, chosen = (-1.0, 0.0), -1
        for trait in self.traits:
            if any(TRAITS[trait] == (condition.end, condition.feature) for condition in conditions):
                continue
            parts = [part for _, part in self._by_value(choosing, trait)]
            if len(parts) < 2:
                continue
            large = [self.sample.where(part).evidence() for part in parts if part.sum() >= min_size]
            if only_low and not any(_is_low(evidence, self.floor) for evidence in large):
                continue
            passing = sum(evidence.n for evidence in large if _may_pass(evidence, self.floor))
            promise = float(passing), self._gain(parts)
            if promise > best:
                best, chosen = promise, trait
        if chosen < 0:
            return []
        result: list[ConstructionPart] = []
        for value, part in self._by_value(rows, chosen):
            if part.sum() < MIN_PART:
                continue
            narrowed = (*conditions, Condition(*TRAITS[chosen], value))
            halved = self._are_halved(part)
            judging = part & ~self.sample.even if halved else part
            evidence = self.sample.where(judging).evidence()
            deeper: list[ConstructionPart] = []
            if not evidence.passes(self.floor) and len(narrowed) < DEPTH:
                deeper = self.split(part, narrowed, only_low=False)
            if any(subpart.evidence.passes(self.floor) for subpart in deeper):
                result += deeper
            else:
                result.append(ConstructionPart(self.sample.where(part), evidence, narrowed, halved))
        return result

    def _are_halved(self, rows: Truths) -> bool:
        """Whether there are enough, in both halves of the documents."""
        n_even, n = int((rows & self.sample.even).sum()), int(rows.sum())
        return n >= MIN_BOTH and min(n_even, n - n_even) >= MIN_PART

    def _by_value(self, rows: Truths, trait: int) -> Iterator[tuple[str, Truths]]:
        codes = self.sample.traits[:, trait]
        for code in np.unique(codes[rows]).tolist():
            yield self.values[trait][code], rows & (codes == code)

    def _gain(self, parts: Sequence[Truths]) -> float:
        """How much a split tells of agreement: the likelihood-ratio statistic G."""
        hits = np.array([float(self.sample.agree[part].sum()) for part in parts])
        n = np.array([float(part.sum()) for part in parts])
        return _entropy(hits.sum(), n.sum()) - sum(map(_entropy, hits, n))


def _entropy(hits: float, total: float) -> float:
    rates = np.array([hits, total - hits]) / total
    rates = rates[rates > 0]
    return float(-(rates * np.log(rates)).sum() * total)


def _may_pass(evidence: Evidence, floor: float) -> bool:
    """Whether a part of half the documents promises to pass: its bound, at twice the size."""
    return (
        evidence.rate > floor
        and lower_bound(evidence.rate, 2 * evidence.n / evidence.deff) >= floor
    )


def _is_low(evidence: Evidence, floor: float) -> bool:
    """Whether the rate of a part lies clearly below the floor."""
    return 1 - lower_bound(1 - evidence.rate, evidence.n / evidence.deff) < floor


def part_name(name: str, conditions: Sequence[Condition]) -> str:
    """The name of a part: `L__NOUN__VERB__nsubj` with finite verbs is
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
