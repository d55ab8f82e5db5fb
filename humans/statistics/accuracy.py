"""How often people or a model are right, and how sure that is.

Three accuracies go by one name in papers: the mean over items (Gulordava et al. 2018, "micro
average"), all answers pooled, and the mean over constructions. They differ, so each has a function.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from colorless_green.humans.judgment import Tally
from colorless_green.nonce.intervals import DECIMALS, Interval, cluster_interval

Z_95 = 1.959964  # 97.5 % quantile of the normal distribution
FEW_SOURCES = 8  # with fewer, a bootstrap over sources is too narrow to be trusted

BOOTSTRAP = "bootstrap over sources"
WILSON = "Wilson, one source one case"


@dataclass(frozen=True, slots=True)
class Limits:
    """A 95 % interval and the name of the method that gave it."""

    low: float
    high: float
    method: str  # BOOTSTRAP or WILSON


def item_accuracy(tallies: Sequence[Tally]) -> float | None:
    """The paper's accuracy: the share of right answers of each item, averaged over items.

    Items without answers are left out; None where no item has any (Gulordava et al. 2018, §5).
    """
    shares = [each.right / each.total for each in tallies if each.total]
    return math.fsum(shares) / len(shares) if shares else None


def pooled_accuracy(tallies: Sequence[Tally]) -> float | None:
    """All right answers over all answers; None without answers. Items with more people weigh more,
    so it differs from `item_accuracy` where their number varies."""
    total = sum(each.total for each in tallies)
    return sum(each.right for each in tallies) / total if total else None


def construction_accuracy(tallies: Sequence[Tally]) -> float | None:
    """The mean over constructions of their `item_accuracy` ("macro average"); None without answers.

    Rare constructions weigh as much as frequent ones. Items without a construction make one.
    """
    by_name: dict[str, list[Tally]] = {}
    for each in tallies:
        by_name.setdefault(each.construction, []).append(each)
    means = [mean for own in by_name.values() if (mean := item_accuracy(own)) is not None]
    return math.fsum(means) / len(means) if means else None


def item_interval(tallies: Sequence[Tally]) -> Limits | None:
    """The interval of `item_accuracy` over sources, as `mean_interval` has it."""
    answered = [each for each in tallies if each.total]
    shares = [each.right / each.total for each in answered]
    return mean_interval(shares, [each.source for each in answered]) if answered else None


def mean_interval(values: Sequence[float], clusters: Sequence[str]) -> Limits | None:
    """The interval of a mean of shares, the i-th of which belongs to `clusters[i]`.

    A bootstrap over clusters; where every value is 0 or every value is 1 it would say that nothing
    else can happen, and Wilson's interval stands in, with a cluster as one case. None with fewer
    than two clusters.
    """
    found = cluster_interval(values, clusters)
    if found is None:
        return None
    if set(values) in ({0.0}, {1.0}):
        n_clusters = len(set(clusters))
        found = wilson(int(values[0]) * n_clusters, n_clusters)
        assert found is not None  # there are at least two
        return Limits(found.low, found.high, WILSON)
    return Limits(found.low, found.high, BOOTSTRAP)


def wilson(right: int, total: int) -> Interval | None:
    """95 % interval of a proportion (Wilson 1927); treats judgments as independent, which those of
    one item or one source are not. None for a total of 0."""
    if total == 0:
        return None
    share, z = right / total, Z_95
    scale = 1 + z * z / total
    centre = (share + z * z / (2 * total)) / scale
    half = z / scale * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    low, high = round(centre - half, DECIMALS), round(centre + half, DECIMALS)
    return Interval(max(0.0, low), min(1.0, high))
