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

from colorless_green.miner.columns import Bools, Ints
from colorless_green.miner.evidence import Evidence, Sample, lower_bound
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


def parts_of(instances: pl.DataFrame, pooled: Evidence, floor: float) -> list[Part]:
    """The parts of a construction that fails, or that is mixed; none where no split helps."""
    if len(instances) < 2 * MIN_PART:
        return []
    traits = {
        (end, feature): _trait(instances[f"{end}_feats"], feature)
        for end in ENDS
        for feature in FEATURES
        if feature not in str(instances["feature"][0]).split("~")
    }
    traits = {name: each for name, each in traits.items() if len(each[1]) > 1}
    if not traits:
        return []
    even = (instances["document"] % 2 == 0).to_numpy()
    splitter = _Splitter(instances, Sample.of(instances), traits, even, floor)
    everything = np.ones(len(instances), bool)
    chosen = splitter.split(everything, (), only_low=pooled.passes(floor))
    return chosen if any(part.evidence.passes(floor) for part in chosen) else []


def _trait(feats: pl.Series, feature: str) -> tuple[Ints, list[str]]:
    """A feature of the words of a column of FEATS, as codes, and its values in their order."""
    names = feats.unique().cast(pl.String).to_list()
    of_name = {name: value_of(name, feature) or ABSENT for name in names}
    values = sorted(set(of_name.values()))
    codes = feats.cast(pl.String).replace_strict(
        {name: values.index(value) for name, value in of_name.items()}, return_dtype=pl.Int64
    )
    return codes.to_numpy(), values


@dataclass(frozen=True, slots=True)
class _Splitter:
    instances: pl.DataFrame
    sample: Sample
    traits: dict[tuple[str, str], tuple[Ints, list[str]]]
    even: Bools  # of the half of the documents that chooses
    floor: float

    def split(
        self, rows: Bools, conditions: tuple[Condition, ...], *, only_low: bool
    ) -> list[Part]:
        """The parts of some rows by the feature that promises most, and theirs in turn. With
        `only_low` there must be a part that lies clearly below the floor."""
        halves = self._are_halved(rows)
        choosing = rows & self.even if halves else rows
        least = MIN_PART // 2 if halves else MIN_PART
        best: tuple[tuple[float, float], tuple[str, str]] | None = None
        for trait in self.traits:
            if any((each.end, each.feature) == trait for each in conditions):
                continue
            parts = [part for _, part in self._by_value(choosing, trait)]
            if len(parts) < 2:
                continue
            large = [self.sample.where(part).evidence() for part in parts if part.sum() >= least]
            if only_low and not any(_is_low(each, self.floor) for each in large):
                continue
            passing = sum(each.n for each in large if _may_pass(each, self.floor))
            promise = float(passing), self._gain(parts)
            if best is None or promise > best[0]:
                best = promise, trait
        if best is None:
            return []
        found: list[Part] = []
        for value, part in self._by_value(rows, best[1]):
            if part.sum() < MIN_PART:
                continue
            own = (*conditions, Condition(*best[1], value))
            halved = self._are_halved(part)
            evidence = self.sample.where(part & ~self.even if halved else part).evidence()
            deeper: list[Part] = []
            if not evidence.passes(self.floor) and len(own) < DEPTH:
                deeper = self.split(part, own, only_low=False)
            if any(each.evidence.passes(self.floor) for each in deeper):
                found += deeper
            else:
                found.append(Part(own, self.instances.filter(pl.Series(part)), evidence, halved))
        return found

    def _are_halved(self, rows: Bools) -> bool:
        """Whether there are enough, in both halves of the documents."""
        n_even, n = int((rows & self.even).sum()), int(rows.sum())
        return n >= MIN_BOTH and min(n_even, n - n_even) >= MIN_PART

    def _by_value(self, rows: Bools, trait: tuple[str, str]) -> Iterator[tuple[str, Bools]]:
        codes, values = self.traits[trait]
        for code, value in enumerate(values):
            part = rows & (codes == code)
            if part.any():
                yield value, part

    def _gain(self, parts: Sequence[Bools]) -> float:
        """How much a split tells of agreement: the likelihood-ratio statistic G."""
        agree = self.sample.cue == self.sample.target
        hits = np.array([float(agree[part].sum()) for part in parts])
        n = np.array([float(part.sum()) for part in parts])
        return _entropy(hits.sum(), n.sum()) - sum(map(_entropy, hits, n))


def _entropy(hits: float, total: float) -> float:
    rates = np.array([hits, total - hits]) / total
    rates = rates[rates > 0]
    return float(-(rates * np.log(rates)).sum() * total)


def _may_pass(each: Evidence, floor: float) -> bool:
    """Whether a part of half the documents promises to pass: its bound, at twice the size."""
    return each.rate > floor and lower_bound(each.rate, 2 * each.n / each.deff) >= floor


def _is_low(each: Evidence, floor: float) -> bool:
    """Whether the rate of a part lies clearly below the floor."""
    return 1 - lower_bound(1 - each.rate, each.n / each.deff) < floor


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
