"""Which raters find the same suites hard: correlations of accuracies over suites or paradigms.

Warstadt et al. 2020 (Figure 1) have Pearson's r over BLiMP's 67 paradigms.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import combinations

from colorless_green.data.tables import Row
from colorless_green.humans.collection.gathered import Gathered
from colorless_green.humans.statistics import pearson, spearman

FEWEST = 3  # suites: two always lie on a line


@dataclass(frozen=True, slots=True)
class Alike:
    """Two raters over the suites that all raters have."""

    rater: str
    other: str
    n_suites: int
    pearson: float | None  # None where a side does not vary
    spearman: float | None


def correlations(collection: Gathered) -> tuple[Alike, ...]:
    """Every pair of raters of `collection.shown`, over the suites that all raters have; nothing of
    fewer than FEWEST."""
    return tuple(_pairs(collection))


def _pairs(collection: Gathered) -> Iterator[Alike]:
    shared = collection.units_shared
    found = {
        rater: {each.unit.name: each.accuracy for each in collection.scores[rater]}
        for rater in collection.shown
        if rater in shared.together
    }
    for rater, other in combinations(found, 2):
        names = [name for name in found[rater] if name in shared.items]
        if len(names) >= FEWEST:
            own = [found[rater][name] for name in names]
            theirs = [found[other][name] for name in names]
            yield Alike(rater, other, len(names), pearson(own, theirs), spearman(own, theirs))


def rows(found: tuple[Alike, ...]) -> Iterator[Row]:
    """Rows of correlations.tsv."""
    return (asdict(each) for each in found)
