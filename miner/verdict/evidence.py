"""The evidence that the words of a construction's instances agree: bounds of the rate, and a test.

Two unrelated words have the same number in 55 to 65 % of all cases: most words are singular, and a
sentence about one thing has its words in the singular. So the test compares the cue with other
words of its sentence: would they have matched the target as often (`within_sentences`)? And since
the agreement rate is an estimate, its lower bound is used; a second bound is that of the instances
without the most frequent value, in which real agreement shows. Both bounds allow for the fact that
the instances of one *cluster* (a sentence, a document, a pair of lemmas) are not independent
(`design_effect`).
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ...data.arrays import Floats, Integers, Truths
from ...data.items.features import value_of

Z_ONE_SIDED = 1.6448536269514722  # 95 % quantile of the standard normal distribution
MAX_EXACT_TRIALS = 400  # sentences; for more, the Poisson binomial is approximated
MIN_INFORMATIVE = 8  # sentences; with fewer, no test is made and nothing accepted
TRAITS = [
    (end, name) for end in ("cue", "target") for name in ("VerbForm", "Mood", "Case", "PronType")
]
"""The features by which a construction may be split, as grammars do: (`cue` or `target`, name)."""
PRIOR_PAIRS = 10  # pairs of instances added to those of one cluster, as if alike by chance alone
MIN_CLUSTERS = 10  # with fewer clusters, the variance between them is too uncertain
ABSENT = ""  # the value of a word without the feature
OTHER_FLOOR = 0.5  # minimum of the bound over instances without the most frequent value


@dataclass(frozen=True, slots=True)
class Evidence:
    """Counts of some instances, lower bounds of their agreement rate, and the test's result."""

    n: int
    n_agree: int
    deff: float  # the largest design effect: n ÷ deff independent instances would tell as much
    bound: float  # one-sided 95 % lower bound of the rate (Wilson 1927, with n ÷ deff)
    n_other: int  # instances in which cue or target lacks the most frequent value
    n_other_agree: int
    bound_other: float  # lower bound of the rate of these
    n_informative: int  # sentences in which some words like the cue match the target, some do not
    p: float | None  # of the test; `None` with fewer than `MIN_INFORMATIVE` of these sentences

    @property
    def rate(self) -> float:
        """Return the agreement rate: the share of instances that agree."""
        return self.n_agree / self.n

    def passes(self, floor: float) -> bool:
        """Return whether a test was made (whatever its p) and both bounds are high enough."""
        return self.p is not None and self.bound >= floor and self.bound_other >= OTHER_FLOOR


class InstanceArrays(NamedTuple):
    """Instances as arrays with one entry each, of which the evidence of subsets is computed."""

    cue: Integers  # the cue's value, numbered in the order of the values' names
    target: Integers  # the target's value, likewise
    clusters: Integers  # (instances, 4): numbers of sentence, document, block, pair of lemmas
    matching: NDArray[np.uint32]  # of the comparable words, those with the target's value
    comparable: NDArray[np.uint32]  # the cue and words like it in the sentence
    even: Truths  # the number of the instance's block is even
    unambiguous: Truths  # the treebank has the target's form with this value alone
    forms: Integers  # a number for each pair of forms
    traits: Integers  # (instances, `TRAITS`): values, numbered in the order of their names

    def where(self, rows: NDArray[Any]) -> "InstanceArrays":
        """Return the instances in these rows."""
        return InstanceArrays(*(column[rows] for column in self))

    @property
    def agree(self) -> Truths:
        """Return whether the two values of each instance are equal."""
        agree: Truths = self.cue == self.target
        return agree

    def table(self, names: Sequence[str]) -> dict[tuple[str, str], int]:
        """Return (cue value, target value) → number of instances, in the order first seen.

        `names` are those of the numbered values.
        """
        pairs = Counter(zip(self.cue.tolist(), self.target.tolist(), strict=True))
        return {(names[cue], names[target]): n for (cue, target), n in pairs.items()}

    def rate_unambiguous(self) -> float | None:
        """Return the agreement rate over instances whose target form has only one value; `None` if
        there are none."""
        unambiguous = self.agree[self.unambiguous]
        return float(unambiguous.mean()) if len(unambiguous) else None

    def rate_pairs(self) -> float:
        """Return the agreement rate with each pair of cue and target forms counted once."""
        _, pair, sizes = np.unique(self.forms, return_inverse=True, return_counts=True)
        return math.fsum(np.bincount(pair, self.agree) / sizes) / len(sizes)

    def evidence(self) -> Evidence:
        """Compute the evidence of these instances: counts, bounds, and the test."""
        cue, target, agree = self.cue, self.target, self.agree
        n, n_agree = len(agree), int(agree.sum())
        values, counts = np.unique(np.concatenate([cue, target]), return_counts=True)
        most_frequent = values[counts.argmax()]  # ties: the first by name
        other = (cue != most_frequent) | (target != most_frequent)  # the others, see `Evidence`
        n_other, n_other_agree = int(other.sum()), int(agree[other].sum())
        deff = deff_other = 1.0
        for column in self.clusters.T:
            _, cluster = np.unique(column, return_inverse=True)
            if len(cluster) == cluster.max() + 1:  # every cluster has one instance
                continue
            similarity = value_similarity(cue, cluster)  # of all instances, for both effects
            deff = max(deff, design_effect(agree, cluster, similarity))
            if n_other:
                effect = design_effect(agree[other], cluster[other], similarity)
                deff_other = max(deff_other, effect)
        sentence = self.clusters[:, 0]
        p, n_informative = within_sentences(agree, sentence, self.matching, self.comparable)
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
    """Turn a table of one or more instances (columns of `counts.EVIDENCE`) into arrays.

    Return (arrays, names of the feature's values, for each of `TRAITS` the names of its values).
    """
    # the first values are those of the cues, the others those of the targets
    both_values = pl.concat([instances["cue_value"], instances["target_value"]])
    values, value_names = _numbered(both_values.cast(pl.String))
    cue, target = np.split(values, 2)
    traits, trait_values = [], []
    for end, feature in TRAITS:
        feats = instances[f"{end}_feats"].cast(pl.String)
        value_by_feats = {text: value_of(text, feature) or ABSENT for text in feats.unique()}
        trait, names_of_values = _numbered(feats.replace_strict(value_by_feats))
        traits.append(trait)
        trait_values.append(names_of_values)
    block = instances["block"].to_numpy().astype(np.int64)
    _, sentence = np.unique(instances["digest"].to_numpy(), return_inverse=True)
    document = instances["document"].to_numpy().astype(np.int64)
    lemmas = _pair_codes(instances["cue_lemma"], instances["target_lemma"])
    sample = InstanceArrays(
        cue=cue,
        target=target,
        clusters=np.stack([sentence, document, block, lemmas], axis=1),
        matching=instances["n_matching"].to_numpy(),
        comparable=instances["n_alike"].to_numpy(),
        even=block % 2 == 0,
        unambiguous=~instances["syncretic"].to_numpy(),
        forms=_pair_codes(instances["cue"], instances["target"]),
        traits=np.stack(traits, axis=1),
    )
    return sample, value_names, trait_values


def _numbered(texts: pl.Series) -> tuple[Integers, list[str]]:
    """Return the texts as numbers in the order of their names, and the sorted names."""
    return texts.rank("dense").to_numpy().astype(np.int64) - 1, texts.unique().sort().to_list()


def _pair_codes(left: pl.Series, right: pl.Series) -> Integers:
    """Return a number for each row of two categorical columns; rows with equal pairs of values get
    the same number."""
    left_codes, right_codes = (x.to_physical().to_numpy().astype(np.int64) for x in (left, right))
    return left_codes << 32 | right_codes  # a code has 32 bits at most


def evidence(instances: pl.DataFrame) -> Evidence:
    """Return counts, bounds of the agreement rate and the test's p for a construction's instances.

    The table `instances` has the columns of `counts.EVIDENCE`.
    """
    sample, _, _ = sample_of(instances)
    return sample.evidence()


def value_similarity(values: Integers, cluster: Integers) -> float:
    """Measure how similar in value the instances of one cluster are (a kappa).

    It is 0 if two instances of one cluster have the same value no more often than two of different
    clusters, and 1 if they always have. We return the lower end of a one-sided 95 % interval, so
    that a chance similarity of few pairs counts as 0. Instances from a document about one thing, or
    from one collocation, have the same value whether or not words agree; those whose values vary
    freely are as good as independent. A single cluster gives 0, a single value nearly 1.
    """
    cells = np.bincount(cluster * (values.max() + 1) + values)
    n_within, same_within = _n_pairs(np.bincount(cluster)), _n_pairs(cells)
    n_between = _n_pairs(np.array([len(values)])) - n_within
    same_between = _n_pairs(np.bincount(values)) - same_within
    if not n_within or not n_between:
        return 0.0
    by_chance = same_between / n_between
    if by_chance == 1:
        return n_within / (n_within + PRIOR_PAIRS)
    excess = (same_within - by_chance * n_within) / (n_within + PRIOR_PAIRS) / (1 - by_chance)
    noise = math.sqrt(by_chance / (1 - by_chance) / n_within)
    return max(0.0, excess - Z_ONE_SIDED * noise)


def _n_pairs(sizes: Integers) -> float:
    """Count the unordered pairs of members within groups of these sizes, over all groups."""
    return float((sizes * (sizes - 1)).sum() / 2)


def design_effect(agree: Truths, cluster: Integers, similarity: float) -> float:
    """Return the design effect (Kish 1965): n dependent instances count as n ÷ effect; at least 1.

    It is the larger of two estimates: the variance of the agreement rate with clusters, divided by
    that of independent instances; and 1 + (Σm²/n − 1) × `similarity` for clusters of m instances.
    The first tells nothing if all instances agree, and is left out if clusters are few.
    """
    n, rate = len(agree), float(agree.mean())
    sizes = np.bincount(cluster)
    effect = 1 + similarity * (float((sizes**2).sum()) / n - 1)
    if 0 < rate < 1 and np.count_nonzero(sizes) >= MIN_CLUSTERS:
        residuals = np.bincount(cluster, agree - rate)
        effect = max(effect, float((residuals**2).sum()) / (n * rate * (1 - rate)))
    return max(1.0, effect)


def lower_bound(rate: float, n: float) -> float:
    """Return the one-sided 95 % lower bound of a rate observed in `n` instances (Wilson 1927)."""
    spread = Z_ONE_SIDED**2 / n
    middle = rate + spread / 2
    half_width = Z_ONE_SIDED * math.sqrt(rate * (1 - rate) / n + spread / (4 * n))
    return max(0.0, (middle - half_width) / (1 + spread))


def within_sentences(
    agree: Truths,
    sentence: Integers,
    matching: NDArray[np.uint32],
    comparable: NDArray[np.uint32],
) -> tuple[float, int]:
    """Test whether cues match their targets more often than other words of their sentences would.

    Return (p, number of informative sentences). p is the probability of at least this much
    agreement if each comparable word of a sentence were equally likely to be the cue. A sentence is
    informative if some comparable words match the target and some do not, for one of its instances;
    the first such instance counts.
    """
    informative = np.flatnonzero((matching > 0) & (matching < comparable))
    _, firsts = np.unique(sentence[informative], return_index=True)
    chosen = informative[firsts]
    shares = matching[chosen] / np.maximum(comparable[chosen], 1)
    return poisson_binomial_tail(int(agree[chosen].sum()), shares), len(chosen)


def poisson_binomial_tail(n_hits: int, shares: Floats) -> float:
    """Return P(X ≥ n_hits), where X is the number of successes in independent trials that succeed
    with the probabilities `shares`.

    It is exact up to 400 trials, then a normal approximation with continuity correction.
    """
    if n_hits <= 0:
        return 1.0
    if len(shares) > MAX_EXACT_TRIALS:
        deviation = math.sqrt(float((shares * (1 - shares)).sum()))
        z = (n_hits - 0.5 - float(shares.sum())) / deviation
        return 0.5 * math.erfc(z / math.sqrt(2))
    chances = np.zeros(len(shares) + 1)  # number of successes → its probability so far
    chances[0] = 1.0
    for n, share in enumerate(shares, start=1):
        chances[1 : n + 1] = chances[1 : n + 1] * (1 - share) + chances[:n] * share
        chances[0] *= 1 - share
    return min(1.0, float(chances[n_hits:].sum()))


def n_needed(rate: float, deff: float, n: int, floor: float) -> int | None:
    """Return the number of further instances, at the present rate and design effect, that would
    raise the lower bound to the floor; `None` if no number would."""
    if rate <= floor:
        return None
    n_total = n
    while lower_bound(rate, n_total / deff) < floor:
        n_total += max(1, n_total // 50)
    return n_total - n
