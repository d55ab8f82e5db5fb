"""How far people agree with one another, whatever is right: alpha, kappa, plain agreement.

Where nearly every answer is in one category, alpha and kappa are low however much people agree
(an easy set looks worse than a hard one), so plain agreement stands beside them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Raters:
    """Agreement on items with at least two answers."""

    alpha: float | None  # Krippendorff's, nominal; None where all answers are in one category
    kappa: float | None  # Fleiss', generalised to items with unequal numbers; None likewise
    pairwise: float  # share of pairs of people that agree on an item, mean over items
    n_items: int


def raters(counts: Sequence[Sequence[int]]) -> Raters | None:
    """From counts of shape (items, categories); None where no item has two answers.

    Items with fewer are left out, also of the shares of the categories. Alpha by its computational
    form (Krippendorff 2004, §11.3; nominal), kappa as Fleiss (1971) with each item's own number of
    answers and the categories' shares over all answers.
    """
    own = [tuple(each) for each in counts if sum(each) > 1]
    if not own:
        return None
    sizes = [sum(each) for each in own]
    columns = [sum(column) for column in zip(*own, strict=True)]
    n_answers = sum(sizes)
    pairwise = math.fsum(
        sum(n * (n - 1) for n in each) / (size * (size - 1))
        for each, size in zip(own, sizes, strict=True)
    ) / len(own)
    by_chance = math.fsum((n / n_answers) ** 2 for n in columns)
    possible = n_answers**2 - sum(n * n for n in columns)
    observed = math.fsum(
        (size**2 - sum(n * n for n in each)) / (size - 1)
        for each, size in zip(own, sizes, strict=True)
    )
    return Raters(
        alpha=1 - (n_answers - 1) * observed / possible if possible else None,
        kappa=(pairwise - by_chance) / (1 - by_chance) if possible else None,
        pairwise=pairwise,
        n_items=len(own),
    )
