"""Do two words agree? What the instances of a construction say, and the verdict on it.

Two words that have nothing to do with each other share their number in 55 to 65 % of the cases:
most words are singular, and a sentence about one thing has its words in the singular. So a
construction is set beside its own sentences: would another word of the cue's kind have matched the
target as well (`within_sentences`)? And since a rate is an estimate, what counts is its lower
bound, for sentences that hold several instances corrected (`Evidence.bound`), also for the
instances that are not of the most frequent value (`Evidence.bound_other`), where real agreement
shows.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ...data.arrays import Floats
from ...data.items.features import value_of
from ...data.statistics.significance import upper_tail

Z_ONE_SIDED = 1.6448536269514722  # 95 % point of the normal distribution: one side
EXACT = 400  # sentences up to which the Poisson binomial is summed up exactly
MIN_INFORMATIVE = 8  # sentences; with fewer, marginal frequencies stand for them
ENDS = ("cue", "target")
TRAITS = [(end, name) for end in ENDS for name in ("VerbForm", "Mood", "Case", "PronType")]
"""What a construction may be taken apart by: what a grammar would state."""
ABSENT = ""  # the value of a word without the feature
OTHER_FLOOR = 0.5  # of the bound over instances that are not of the most frequent value


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the instances of a construction say of agreement."""

    n: int
    n_agree: int
    deff: float  # design effect: the variance of the rate by sentences ÷ that of single draws
    bound: float  # one-sided 95 % lower bound of the rate (Wilson 1927, with n ÷ deff)
    n_other: int  # instances in which cue or target has not the most frequent value
    n_other_agree: int
    bound_other: float  # of these
    n_informative: int  # sentences in which some words like the cue match the target, some do not
    p: float

    @property
    def rate(self) -> float:
        """The share of instances that agree."""
        return self.n_agree / self.n

    def passes(self, floor: float) -> bool:
        """Whether both bounds are high enough; the test is another matter."""
        return self.bound >= floor and self.bound_other >= OTHER_FLOOR


class InstanceArrays(NamedTuple):
    """Instances as arrays, for what is worked out again and again of ever other parts of them."""

    cue: NDArray[np.int64]  # values, numbered in the order of their names
    target: NDArray[np.int64]
    sentence: NDArray[np.uint64]  # digests
    matching: NDArray[np.uint32]
    comparable: NDArray[np.uint32]
    even: NDArray[np.bool_]  # whether the document's number is
    unambiguous: NDArray[np.bool_]  # the treebank has the target's form with this value alone
    forms: NDArray[np.int64]  # a number for each pair of forms
    traits: NDArray[np.int64]  # (instances, `TRAITS`): values, numbered in the order of their names

    def where(self, rows: NDArray[Any]) -> "InstanceArrays":
        """Some of the instances."""
        return InstanceArrays(*(column[rows] for column in self))

    @property
    def agree(self) -> NDArray[np.bool_]:
        """Whether the two values of each instance are equal."""
        agree: NDArray[np.bool_] = self.cue == self.target
        return agree

    def table(self, names: Sequence[str]) -> dict[tuple[str, str], int]:
        """(cue value, target value) → how often, in the order first seen."""
        cells, firsts, sizes = np.unique(
            self.cue * len(names) + self.target, return_index=True, return_counts=True
        )
        order = np.argsort(firsts)
        return {
            (names[cell // len(names)], names[cell % len(names)]): n
            for cell, n in zip(cells[order].tolist(), sizes[order].tolist(), strict=True)
        }

    def alternative_rates(self) -> tuple[float | None, float]:
        """The rate without forms that occur with several values, and with each pair of forms
        counted once."""
        unambiguous = self.agree[self.unambiguous]
        _, pair, sizes = np.unique(self.forms, return_inverse=True, return_counts=True)
        rates = np.sort(np.bincount(pair, self.agree) / sizes)
        rate_pairs = float(pl.Series(rates).mean())  # type: ignore[arg-type]  # there is one
        return (float(unambiguous.mean()) if len(unambiguous) else None), rate_pairs

    def evidence(self) -> Evidence:
        """What these instances say of agreement."""
        cue, target, agree = self.cue, self.target, self.agree
        _, sentence = np.unique(self.sentence, return_inverse=True)
        n, n_agree = len(agree), int(agree.sum())
        deff = design_effect(agree, sentence)
        values, counts = np.unique(np.concatenate([cue, target]), return_counts=True)
        majority_value = values[counts.argmax()]  # of equally frequent ones the first by name
        is_minority = (cue != majority_value) | (target != majority_value)
        minority_agree = agree[is_minority]
        n_other, n_other_agree = len(minority_agree), int(minority_agree.sum())
        bound_other = 0.0
        if n_other:
            effect = design_effect(minority_agree, sentence[is_minority])
            bound_other = lower_bound(n_other_agree / n_other, n_other / effect)
        p, n_informative = within_sentences(agree, sentence, self.matching, self.comparable)
        if n_informative < MIN_INFORMATIVE:
            by_chance = sum(
                float((cue == value).mean() * (target == value).mean()) for value in values
            )
            size = max(1, round(n / deff))
            p = upper_tail(min(size, math.ceil(n_agree / deff - 1e-9)), size, by_chance)
        bound = lower_bound(n_agree / n, n / deff)
        return Evidence(
            n, n_agree, deff, bound, n_other, n_other_agree, bound_other, n_informative, p
        )


def sample_of(instances: pl.DataFrame) -> tuple[InstanceArrays, list[str], list[list[str]]]:
    """The arrays of a table of instances (columns of `counts.EVIDENCE`), which has one at least;
    the names of the values, and those of the values of each trait."""
    pooled, names = numbered(pl.concat([instances["cue_value"], instances["target_value"]]))
    order = sorted(names)
    values = np.array([order.index(name) for name in names])[pooled]
    cue, target = (numbered(instances[end])[0] for end in ENDS)
    traits, trait_values = [], []
    feats = {end: numbered(instances[f"{end}_feats"]) for end in ENDS}
    for end, feature in TRAITS:
        codes, texts = feats[end]
        carried = [value_of(text, feature) or ABSENT for text in texts]
        trait_values.append(sorted(set(carried)))
        traits.append(np.array([trait_values[-1].index(value) for value in carried])[codes])
    sample = InstanceArrays(
        values[: len(instances)],
        values[len(instances) :],
        instances["digest"].to_numpy(),
        instances["n_matching"].to_numpy(),
        instances["n_alike"].to_numpy(),
        instances["document"].to_numpy() % 2 == 0,
        ~instances["syncretic"].to_numpy(),
        cue * len(instances) + target,
        np.stack(traits, axis=1),
    )
    return sample, order, trait_values


def numbered(column: pl.Series) -> tuple[NDArray[np.int64], list[str]]:
    """A column of categories as numbers, and the names they stand for."""
    physical = column.to_physical().to_numpy()
    first_row = np.full(int(physical.max()) + 1, -1)
    first_row[physical[::-1]] = np.arange(len(physical))[::-1]
    codes = np.cumsum(first_row >= 0) - 1
    names = column.gather(first_row[first_row >= 0]).cast(pl.String).to_list()
    return codes[physical], names


def evidence(instances: pl.DataFrame) -> Evidence:
    """The evidence of a construction's instances (columns of `counts.EVIDENCE`)."""
    return sample_of(instances)[0].evidence()


def design_effect(agree: NDArray[np.bool_], sentence: NDArray[np.int64]) -> float:
    """By how much the instances of one sentence resemble each other: the variance of the rate with
    sentences as clusters, divided by that of independent instances; at least 1 (Kish 1965)."""
    n, rate = len(agree), float(agree.mean())
    if rate in (0.0, 1.0):
        return float((np.bincount(sentence) ** 2.0).sum() / n)
    residuals = np.bincount(sentence, agree - rate)
    return max(1.0, float((residuals**2).sum() / (n * rate * (1 - rate))))


def lower_bound(rate: float, n: float) -> float:
    """One-sided 95 % lower bound of a rate seen in `n` instances (Wilson 1927)."""
    spread = Z_ONE_SIDED**2 / n
    middle = rate + spread / 2
    half = Z_ONE_SIDED * math.sqrt(rate * (1 - rate) / n + spread / (4 * n))
    return max(0.0, (middle - half) / (1 + spread))


def within_sentences(
    agree: NDArray[np.bool_],
    sentence: NDArray[np.int64],
    matching: NDArray[np.uint32],
    comparable: NDArray[np.uint32],
) -> tuple[float, int]:
    """(p, informative sentences): how probable so much agreement would be if in every sentence any
    word like the cue were as likely to be the one. Of a sentence the first instance counts in
    which some of these words match the target and some do not."""
    informative = np.flatnonzero((matching > 0) & (matching < comparable))
    _, firsts = np.unique(sentence[informative], return_index=True)
    chosen = informative[firsts]
    shares = matching[chosen] / np.maximum(comparable[chosen], 1)
    return poisson_binomial_tail(int(agree[chosen].sum()), shares), len(chosen)


def poisson_binomial_tail(n_hits: int, shares: Floats) -> float:
    """P(X ≥ n_hits) for X the number of successes in independent trials of these probabilities:
    exact up to 400 trials, then by the normal distribution with continuity correction."""
    if n_hits <= 0:
        return 1.0
    if len(shares) > EXACT:
        deviation = math.sqrt(float((shares * (1 - shares)).sum()))
        z = (n_hits - 0.5 - float(shares.sum())) / deviation
        return 0.5 * math.erfc(z / math.sqrt(2))
    chances = np.zeros(len(shares) + 1)
    chances[0] = 1.0
    for n, share in enumerate(shares, start=1):
        chances[1 : n + 1] = chances[1 : n + 1] * (1 - share) + chances[:n] * share
        chances[0] *= 1 - share
    return min(1.0, float(chances[n_hits:].sum()))


def n_needed(rate: float, deff: float, n: int, floor: float) -> int | None:
    """How many instances more, at the rate seen so far, would bring the bound to the floor; `None`
    where no number would."""
    if rate <= floor:
        return None
    more = n
    while lower_bound(rate, more / deff) < floor:
        more = more + max(1, more // 50)
    return more - n
