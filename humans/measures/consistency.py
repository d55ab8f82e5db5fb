"""How alike people and models are item by item, and what many people are worth.

Two raters that are often right agree on many items by that alone. *Error consistency* is Cohen's
kappa of right and wrong: how much of the agreement that accuracy leaves open there is (Geirhos,
Meding & Wichmann 2020, §2). 1: both fail on the same items; 0: as far as accuracies make them.

A majority is right more often the more people it is of. That of q drawn from an item's n answers is
right in a share that the hypergeometric distribution gives, so that items and studies with other
numbers of people can be compared (ties half; an even q is worth q − 1).
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from ...data.arrays import Floats
from ...data.statistics.intervals import bootstrap, numbered
from ..collection.collect import SuiteResults
from ..judgments.judgment import Tally
from ..statistics.rater_accuracy import HUMANS, credits_in
from .measure import Measure, totals

CONSISTENCY = "error consistency with the majority"
MAJORITY_OF = "majority of {} right, ties half"
DRAWN = (3, 5)  # people
FEWEST = 10  # items


def of_models(results: SuiteResults) -> Iterator[Measure]:
    """Yield each model's error consistency with people's majority, by kind."""
    for cell in totals(results):
        for model, outcomes in results.matched.items():
            credits = credits_in(outcomes)
            tallies = [tally for tally in cell.tallies if tally.item in credits]
            if len(tallies) < FEWEST:
                continue
            pair = np.array([(tally.majority, credits[tally.item]) for tally in tallies])
            names, owner = numbered([tally.source for tally in tallies])
            sums = np.zeros((len(names), 4))
            np.add.at(sums, owner, _parts(pair))

            def of_draws(weights: Floats, sums: Floats = sums) -> Floats:
                return kappas(weights @ sums)

            value = float(kappas(sums.sum(axis=0, keepdims=True))[0])
            agreed, people, correct, n = sums.sum(axis=0)
            chance = 1 - (people * (n - correct) + (n - people) * correct) / n**2
            yield Measure(
                CONSISTENCY,
                None if math.isnan(value) else value,
                cell.kind,
                rater=model,
                n=len(tallies),
                limits=bootstrap(of_draws, len(names)),
                note=f"alike on {agreed / n:.1%}; by accuracy alone {chance:.1%}",
            )


def _parts(pair: Floats) -> Floats:
    """Return what kappa is made of, for each item: agreement, both credits, one."""
    one, other = pair.T
    agreed = one * other + (1 - one) * (1 - other)
    parts: Floats = np.stack([agreed, one, other, np.ones(len(pair))], axis=1)
    return parts


def kappas(sums: Floats) -> Floats:
    """Return Cohen's kappa of each row: sums of agreement, of both raters' credits, and items; NaN
    where both are always right or always wrong.

    >>> kappas(np.array([[9.0, 8, 9, 10], [10, 10, 10, 10]])).round(3)
    array([0.615,   nan])
    """
    agreed, one, other = (sums[:, :3] / sums[:, 3:]).T
    expected = one * other + (1 - one) * (1 - other)
    left = 1 - expected
    found: Floats = np.divide(
        agreed - expected, left, out=np.full(len(sums), np.nan), where=left > 1e-12
    )
    return found


def of_people(results: SuiteResults) -> Iterator[Measure]:
    """Yield the shares of majorities of few people that are right, by kind, where every item has so
    many answers."""
    for cell in totals(results):
        fewest = min(tally.total for tally in cell.tallies)
        for q in (q for q in DRAWN if q <= fewest):
            value = majority_of(cell.tallies, q)
            note = f"drawn from {fewest} or more"
            statistic = MAJORITY_OF.format(q)
            yield Measure(statistic, value, cell.kind, "", HUMANS, n=len(cell.tallies), note=note)


def majority_of(tallies: Sequence[Tally], q: int) -> float:
    """Return the share of items of which most of q people are right, ties half, the q drawn from
    those who answered.

    Args:
        tallies: each with a total of q or more.
        q: how many people.

    >>> majority_of([Tally("i1", "s1", "", "nonce", right=2, total=4)], 3)
    0.5
    """
    return math.fsum(_majority_of(tally.right, tally.total, q) for tally in tallies) / len(tallies)


def _majority_of(right: int, total: int, q: int) -> float:
    ways = math.comb(total, q)
    counts = ((k, math.comb(right, k) * math.comb(total - right, q - k)) for k in range(q + 1))
    return sum(n * ((2 * k > q) + (2 * k == q) / 2) for k, n in counts) / ways
