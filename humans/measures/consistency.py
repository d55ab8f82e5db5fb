"""Error consistency: how far a model and most people are right and wrong on the same items.

Two raters that are often right agree on many items by that alone. Error consistency is Cohen's
kappa of right and wrong: the share that they reach of the agreement which their accuracies leave
open (Geirhos, Meding & Wichmann 2020, §2). It is 1 where both fail on the same items, and 0 where
they agree no more often than their accuracies make them.
"""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ...data.arrays import Floats
from ...data.statistics.intervals import bootstrap, number_clusters
from ..collection.collect import SuiteResults
from ..judgments.judgment import Tally
from ..statistics.rater_accuracy import MIN_CORRELATED_ITEMS, credits_in
from . import Measure, tallies_by_kind

CONSISTENCY = "error consistency with the majority"


def error_consistency(results: SuiteResults) -> Iterator[Measure]:
    """Yield the error consistency of each model with people's majority, by kind of item."""
    for kind, answered in tallies_by_kind(results).items():
        for model, outcomes in results.matched.items():
            credits = credits_in(outcomes)
            tallies = [tally for tally in answered if tally.item in credits]
            if len(tallies) >= MIN_CORRELATED_ITEMS:
                yield _consistency(kind, model, tallies, credits)


def _consistency(
    kind: str, model: str, tallies: Sequence[Tally], credits: Mapping[str, float]
) -> Measure:
    """Return the error consistency of a model with people's majority: how far they agree beyond
    what their accuracies make. It has a bootstrap interval over sources; its note gives the share
    of agreement, and the share that accuracies alone would make."""
    people = np.array([tally.majority for tally in tallies])  # 1 right, 0.5 tie, 0 wrong
    correct = np.array([credits[tally.item] for tally in tallies])
    agreed = people * correct + (1 - people) * (1 - correct)
    per_item = np.stack([agreed, people, correct, np.ones(len(tallies))], axis=1)
    sources, source_of_item = number_clusters([tally.source for tally in tallies])
    sums = np.zeros((len(sources), 4))  # those of the items of a source in each row
    np.add.at(sums, source_of_item, per_item)
    total = sums.sum(axis=0, keepdims=True)
    (kappa,) = kappas(total).tolist()
    ((n_agreed, n_people, n_correct, n),) = total
    # the share of agreement by chance: 1 minus that of one right and the other wrong
    expected = 1 - (n_people * (n - n_correct) + (n - n_people) * n_correct) / n**2
    return Measure(
        CONSISTENCY,
        None if math.isnan(kappa) else kappa,
        kind,
        rater=model,
        n=len(tallies),
        limits=bootstrap(lambda weights: kappas(weights @ sums), len(sources)),
        note=f"alike on {n_agreed / n:.1%}; by accuracy alone {expected:.1%}",
    )


def kappas(sums: Floats) -> Floats:
    """Return Cohen's kappa of each row; NaN where both raters are always right or always wrong.

    Args:
        sums: a row's sums of agreement, of one rater's credits, of the other's, and the number of
            items.

    >>> kappas(np.array([[9.0, 8, 9, 10], [10, 10, 10, 10]])).round(3)
    array([0.615,   nan])
    """
    agreed, one, other = (sums[:, :3] / sums[:, 3:]).T
    expected = one * other + (1 - one) * (1 - other)
    available = 1 - expected  # agreement that accuracies leave open
    is_defined = available > 1e-12  # not 0 but for rounding
    kappa: Floats = np.divide(
        agreed - expected, available, out=np.full(len(sums), np.nan), where=is_defined
    )
    return kappa
