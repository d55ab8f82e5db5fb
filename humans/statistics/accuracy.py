"""How often people or a model are right, and how sure that is.

Three accuracies go by one name in papers: the mean over items (Gulordava et al. 2018, "micro
average"), all answers pooled, and the mean over constructions. They differ, so each has a function.
"""

import math
from collections.abc import Sequence

from colorless_green.humans.judgment import Tally
from colorless_green.nonce.intervals import Limits, mean_interval

FEW_SOURCES = 8  # with fewer, a bootstrap over sources is too narrow to be trusted


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
