"""The evidence of a construction's instances that their words agree.

Two words that have nothing to do with each other share their number in 55 to 65 % of the cases:
most words are singular, and a sentence about one thing has its words in the singular. So a
construction is compared with its own sentences: would another word of the cue's kind have matched
the target as well (`within_sentences`)? And since a rate is an estimate, its lower bound counts,
also for the instances that are not of the most frequent value, where real agreement shows. Both
bounds take into account that instances of one sentence, one document or one pair of lemmas may be a
single fact (`design_effect`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ...data.arrays import Floats, Integers, Truths
from ...data.items.features import value_of

Z_ONE_SIDED = 1.6448536269514722  # 95 % point of the normal distribution: one side
EXACT = 400  # sentences up to which the Poisson binomial is summed up exactly
MIN_INFORMATIVE = 8  # sentences; with fewer no test is made, and nothing is accepted
TRAITS = [
    (end, name) for end in ("cue", "target") for name in ("VerbForm", "Mood", "Case", "PronType")
]
"""The features by which a construction may be split: those that a grammar would state."""
PRIOR = 10  # pairs of instances of one cluster that are alike by chance
MIN_CLUSTERS = 10  # fewer, and the variance between them is not known well enough
ABSENT = ""  # the value of a word without the feature
OTHER_FLOOR = 0.5  # of the bound over instances that are not of the most frequent value


@dataclass(frozen=True, slots=True)
class Evidence:
    """The counts and bounds of some instances, and the test of their agreement."""

    n: int
    n_agree: int
    deff: float  # the largest design effect: by how much instances overstate the evidence
    bound: float  # one-sided 95 % lower bound of the rate (Wilson 1927, with n ÷ deff)
    n_other: int  # instances in which cue or target has not the most frequent value
    n_other_agree: int
    bound_other: float  # of these
    n_informative: int  # sentences in which some words like the cue match the target, some do not
    p: float | None  # `None` with fewer than `MIN_INFORMATIVE` of them: not tested

    @property
    def rate(self) -> float:
        """Return the share of instances that agree."""
        return self.n_agree / self.n

    def passes(self, floor: float) -> bool:
        """Return whether a test was made and both bounds are high enough, whatever its p."""
        return self.p is not None and self.bound >= floor and self.bound_other >= OTHER_FLOOR


class InstanceArrays(NamedTuple):
    """Instances as arrays, of which evidence is worked out for ever other subsets."""

    cue: Integers  # values, numbered in the order of their names
    target: Integers
    clusters: Integers  # (instances, 4): sentence, document, block, pair of lemmas
    matching: NDArray[np.uint32]
    comparable: NDArray[np.uint32]
    even: Truths  # whether the number of the block is
    unambiguous: Truths  # the treebank has the target's form with this value alone
    forms: Integers  # a number for each pair of forms
    traits: Integers  # (instances, `TRAITS`): values, numbered in the order of their names

    def where(self, rows: NDArray[Any]) -> "InstanceArrays":
        """Return some of the instances."""
        return InstanceArrays(*(column[rows] for column in self))

    @property
    def agree(self) -> Truths:
        """Return whether the two values of each instance are equal."""
        agree: Truths = self.cue == self.target
        return agree

    def table(self, names: Sequence[str]) -> dict[tuple[str, str], int]:
        """Return (cue value, target value) → how often, in the order first seen."""
        cells, firsts, sizes = np.unique(
            self.cue * len(names) + self.target, return_index=True, return_counts=True
        )
        order = np.argsort(firsts)
        return {
            (names[cell // len(names)], names[cell % len(names)]): n
            for cell, n in zip(cells[order].tolist(), sizes[order].tolist(), strict=True)
        }

    def rate_unambiguous(self) -> float | None:
        """Return the rate over targets whose form has one value alone; `None` without any."""
        unambiguous = self.agree[self.unambiguous]
        return float(unambiguous.mean()) if len(unambiguous) else None

    def rate_pairs(self) -> float:
        """Return the rate with each pair of forms counted once."""
        _, pair, sizes = np.unique(self.forms, return_inverse=True, return_counts=True)
        return math.fsum(np.bincount(pair, self.agree) / sizes) / len(sizes)

    def evidence(self) -> Evidence:
        """Return the evidence of these instances."""
        cue, target, agree = self.cue, self.target, self.agree
        n, n_agree = len(agree), int(agree.sum())
        values, counts = np.unique(np.concatenate([cue, target]), return_counts=True)
        most_frequent = values[counts.argmax()]  # of equally frequent ones the first by name
        other = (cue != most_frequent) | (target != most_frequent)
        n_other, n_other_agree = int(other.sum()), int(agree[other].sum())
        deff = deff_other = 1.0
        for column in self.clusters.T:
            _, cluster = np.unique(column, return_inverse=True)
            if len(cluster) == cluster.max() + 1:  # an instance each
                continue
            similarity = value_similarity(cue, cluster)
            deff = max(deff, design_effect(agree, cluster, similarity))
            if n_other:
                effect = design_effect(agree[other], cluster[other], similarity)
                deff_other = max(deff_other, effect)
        p, n_informative = within_sentences(
            agree, self.clusters[:, 0], self.matching, self.comparable
        )
        return Evidence(
            n=n,
            n_agree=n_agree,
            deff=deff,
            bound=lower_bound(n_agree / n, n / deff),
            n_other=n_other,
            n_other_agree=n_other_agree,
            bound_other=lower_bound(n_other_agree / n_other, n_other / deff_other)
            if n_other
            else 0.0,
            n_informative=n_informative,
            p=p if n_informative >= MIN_INFORMATIVE else None,
        )


def sample_of(instances: pl.DataFrame) -> tuple[InstanceArrays, list[str], list[list[str]]]:
    """Return the arrays of a table of instances (columns of `counts.EVIDENCE`), which has one at
    least; the names of the values, and those of the values of each trait."""
    pooled, names = numbered(pl.concat([instances["cue_value"], instances["target_value"]]))
    order = sorted(names)
    values = np.array([order.index(name) for name in names])[pooled]
    n = len(instances)
    traits, trait_values = [], []
    feats = {end: numbered(instances[f"{end}_feats"]) for end in ("cue", "target")}
    for end, feature in TRAITS:
        codes, texts = feats[end]
        carried = [value_of(text, feature) or ABSENT for text in texts]
        trait_values.append(sorted(set(carried)))
        traits.append(np.array([trait_values[-1].index(value) for value in carried])[codes])
    sample = InstanceArrays(
        cue=values[:n],
        target=values[n:],
        clusters=np.stack(
            [
                np.unique(instances["digest"].to_numpy(), return_inverse=True)[1],
                instances["document"].to_numpy().astype(np.int64),
                instances["block"].to_numpy().astype(np.int64),
                pairs_of(instances["cue_lemma"], instances["target_lemma"]),
            ],
            axis=1,
        ),
        matching=instances["n_matching"].to_numpy(),
        comparable=instances["n_alike"].to_numpy(),
        even=instances["block"].to_numpy() % 2 == 0,
        unambiguous=~instances["syncretic"].to_numpy(),
        forms=pairs_of(instances["cue"], instances["target"]),
        traits=np.stack(traits, axis=1),
    )
    return sample, order, trait_values


def pairs_of(left: pl.Series, right: pl.Series) -> Integers:
    """Return a number for each pair of categories that two columns hold."""
    return numbered(left)[0] * len(left) + numbered(right)[0]


def numbered(column: pl.Series) -> tuple[Integers, list[str]]:
    """Return a column of categories as numbers, and the names they stand for."""
    physical = column.to_physical().to_numpy()
    first_row = np.full(int(physical.max()) + 1, -1)
    first_row[physical[::-1]] = np.arange(len(physical))[::-1]
    codes = np.cumsum(first_row >= 0) - 1
    names = column.gather(first_row[first_row >= 0]).cast(pl.String).to_list()
    return codes[physical], names


def evidence(instances: pl.DataFrame) -> Evidence:
    """Return the evidence of a construction's instances (columns of `counts.EVIDENCE`)."""
    return sample_of(instances)[0].evidence()


def value_similarity(values: Integers, cluster: Integers) -> float:
    """Return how much more often two instances of one cluster have the same value than two of
    different clusters: 0 where they do not, 1 where those of a cluster always do (a kappa).

    It is the lower end of a one-sided 95 % interval: what is within the noise of a few pairs of
    instances is no similarity. Instances of a document about one thing, or of one collocation,
    share their value whether or not words agree; those whose values vary freely are as good as
    independent. Of a single cluster, or a single value, nothing is known: 0 and nearly 1.
    """
    cells = np.bincount(cluster * (values.max() + 1) + values)
    n_within, same_within = _n_pairs(np.bincount(cluster)), _n_pairs(cells)
    n_between = _n_pairs(np.array([len(values)])) - n_within
    same_between = _n_pairs(np.bincount(values)) - same_within
    if not n_within or not n_between:
        return 0.0
    by_chance = same_between / n_between
    if by_chance == 1:
        return n_within / (n_within + PRIOR)
    excess = (same_within - by_chance * n_within) / (n_within + PRIOR) / (1 - by_chance)
    noise = math.sqrt(by_chance / (1 - by_chance) / n_within)
    return max(0.0, excess - Z_ONE_SIDED * noise)


def _n_pairs(sizes: Integers) -> float:
    return float((sizes * (sizes - 1)).sum() / 2)


def design_effect(agree: Truths, cluster: Integers, similarity: float) -> float:
    """Return by how much instances of one cluster resemble each other, at least 1 (Kish 1965).

    It is the variance of the rate with clusters, divided by that of independent instances, or
    1 + (Σm²/n − 1) × `similarity` for clusters of m instances, whichever is larger: the first knows
    nothing where all agree, or where clusters are few.
    """
    n, rate = len(agree), float(agree.mean())
    sizes = np.bincount(cluster)
    effect = 1 + similarity * (float((sizes**2).sum()) / n - 1)
    if 0 < rate < 1 and np.count_nonzero(sizes) >= MIN_CLUSTERS:
        residuals = np.bincount(cluster, agree - rate)
        effect = max(effect, float((residuals**2).sum()) / (n * rate * (1 - rate)))
    return max(1.0, effect)


def lower_bound(rate: float, n: float) -> float:
    """Return the one-sided 95 % lower bound of a rate seen in `n` instances (Wilson 1927)."""
    spread = Z_ONE_SIDED**2 / n
    middle = rate + spread / 2
    half = Z_ONE_SIDED * math.sqrt(rate * (1 - rate) / n + spread / (4 * n))
    return max(0.0, (middle - half) / (1 + spread))


def within_sentences(
    agree: Truths,
    sentence: Integers,
    matching: NDArray[np.uint32],
    comparable: NDArray[np.uint32],
) -> tuple[float, int]:
    """Return p and the number of informative sentences: how probable so much agreement would be if
    in every sentence any word like the cue were as likely to be the one. Of a sentence the first
    instance counts in which some of these words match the target and some do not."""
    informative = np.flatnonzero((matching > 0) & (matching < comparable))
    _, firsts = np.unique(sentence[informative], return_index=True)
    chosen = informative[firsts]
    shares = matching[chosen] / np.maximum(comparable[chosen], 1)
    return poisson_binomial_tail(int(agree[chosen].sum()), shares), len(chosen)


def poisson_binomial_tail(n_hits: int, shares: Floats) -> float:
    """Return P(X ≥ n_hits) for X the number of successes in independent trials of these
    probabilities: exact up to 400 trials, then by the normal distribution with continuity
    correction."""
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
    """Return how many instances more, at the rate seen so far, would bring the bound to the floor;
    `None` where no number would."""
    if rate <= floor:
        return None
    more = n
    while lower_bound(rate, more / deff) < floor:
        more = more + max(1, more // 50)
    return more - n
