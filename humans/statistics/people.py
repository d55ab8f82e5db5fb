"""Who answered what: how well accuracies repeat, and how far people agree with one another.

*Reliability* sets the answers of half of the people against those of the other half. Spearman and
Brown's formula takes the correlation of halves to that of wholes, and its root is the noise
ceiling: what a model that knew the truth would reach. It needs to be known who answered.

*Agreement*: where nearly every answer is in one category, alpha is low however much people agree
(an easy set looks worse than a hard one), so plain agreement is given with it.
"""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ...data.arrays import Floats
from ...data.statistics.crossed import Answers
from ...data.statistics.intervals import BLOCK, DECIMALS, SEED, numbered, uniform
from ...data.statistics.rank_correlation import row_spearman
from ..judgments.judgment import Tally

SPLITS = 1_000


@dataclass(frozen=True, slots=True)
class AnswerTable:
    """Targets that were answered right or wrong, counted by person and item.

    Items are in the order of their names, people in that of their answers: names of people are
    pseudonyms, and nothing may depend on which they were given.
    """

    items: tuple[str, ...]
    right: NDArray[np.float32]  # (people, items); whole numbers, whose sums are exact
    total: NDArray[np.float32]

    @staticmethod
    def of(judgments: "Judged") -> "AnswerTable":
        """Count answers; fillers, checks, practice and missing answers are left out."""
        if isinstance(judgments, AnswerTable):
            return judgments
        table = judgments.filter(pl.col("correct").is_not_null(), kind="target")
        names = table["item"].unique().sort()
        person, item = (
            table[column].rank("dense").to_numpy().astype(np.int64) - 1
            for column in ("participant", "item")
        )
        shape = int(person.max(initial=-1)) + 1, len(names)
        cells, size = person * shape[1] + item, shape[0] * shape[1]
        total, right = (
            np.bincount(cells, weights, size).astype(np.float32).reshape(shape)
            for weights in (None, table["correct"].cast(float).to_numpy())
        )
        return _in_order(tuple(names), right, total)

    def only(self, items: Collection[str]) -> "AnswerTable":
        """Return those to some of the items, and the people who gave them."""
        columns = [column for column, item in enumerate(self.items) if item in items]
        right, total = self.right[:, columns], self.total[:, columns]
        people = total.any(axis=1)
        names = tuple(self.items[column] for column in columns)
        return _in_order(names, right[people], total[people])

    def to(self, tallies: Sequence[Tally]) -> Answers:
        """Return the answers to the items of `tallies`, in their order, with their sources; the
        totals in one row where not every answer is known by person."""
        owner = numbered([tally.source for tally in tallies])[1]
        counts = np.array([(tally.right, tally.total) for tally in tallies], dtype=float).T
        column = {item: number for number, item in enumerate(self.items)}
        columns = [column.get(tally.item, -1) for tally in tallies]
        if min(columns, default=-1) >= 0:
            right, total = self.right[:, columns], self.total[:, columns]
            if np.array_equal(total.sum(axis=0), counts[1]):
                people = total.any(axis=1)
                return Answers(right[people].astype(float), total[people].astype(float), owner)
        return Answers(counts[:1], counts[1:], owner)

    @property
    def n_people(self) -> int:
        """The number of people who gave an answer."""
        return len(self.total)

    def by_item(self, weights: Floats) -> tuple[Floats, Floats]:
        """Return how many right and how many answers each item has if person p counts `weights[:,
        p]` times; both of shape (draws, items)."""
        times = weights.astype(np.float32)
        return (times @ self.right).astype(float), (times @ self.total).astype(float)


Judged: TypeAlias = pl.DataFrame | AnswerTable
"""Single answers: a frame of trials, or counted already"""


def _in_order(
    items: tuple[str, ...], right: NDArray[np.float32], total: NDArray[np.float32]
) -> AnswerTable:
    """Return the table with people sorted as their lists of (item, right or wrong) are: at the
    first item at which two differ, a wrong answer comes before a right one, any before none, and
    the end before all."""
    if not total.size:
        return AnswerTable(items, right, total)
    wrong = total - right
    code = -(wrong * (1 + right.max(initial=0)) + right)
    last_answered = total.shape[1] - 1 - np.argmax(total[:, ::-1] > 0, axis=1)
    code[np.arange(total.shape[1]) > last_answered[:, None]] = -np.inf
    order = np.lexsort(code.T[::-1])
    return AnswerTable(items, right[order], total[order])


@dataclass(frozen=True, slots=True)
class Reliability:
    """Split-half reliability of item accuracies."""

    halves: float  # Spearman's rho between halves, mean over splits
    corrected: float | None  # Spearman–Brown: 2r / (1 + r); None for r = −1
    ceiling: float | None  # its root; None where it is not above 0


def split_by_people(
    judgments: Judged, *, splits: int = SPLITS, cells: int = BLOCK
) -> Reliability | None:
    """Estimate how well item accuracies repeat: split people at random into halves `splits` times,
    and correlate the accuracies of the two halves.

    Each split leaves out the items that one of its halves did not answer. The result is None with
    fewer than two people, or if most splits have no variation. `cells` limits the size of the
    matrices held at once and doesn't change the result.
    """
    answers = AnswerTable.of(judgments)

    def shares(half: Floats) -> Floats:
        """Return each item's share of right answers among the people of a half, for each split."""
        right, total = answers.by_item(half)
        share: Floats = np.divide(right, total, out=np.full_like(right, np.nan), where=total > 0)
        return share

    step = max(1, cells // max(1, *answers.total.shape))
    return split_halves(answers.n_people, shares, splits=splits, step=step)


def split_halves(
    n_people: int, values: Callable[[Floats], Floats], *, splits: int = SPLITS, step: int = 100
) -> Reliability | None:
    """Estimate how well any values of items repeat: split people at random into halves, and
    correlate the values of the two halves, as `split_by_people` does with accuracies.

    Args:
        n_people: how many people there are.
        values: computes the items' values, of shape (splits, items), from the people of a half, of
            shape (splits, people): 1 for those in it, 0 for the others. NaN: no value.
        splits: how many times people are split.
        step: how many splits are computed at once; it doesn't change the result.
    """
    if n_people < 2:
        return None
    random_keys = uniform(np.random.PCG64(SEED), splits * n_people).reshape(splits, -1)
    rank = np.argsort(np.argsort(random_keys, axis=1, kind="stable"), axis=1)
    halves = (rank < n_people // 2).astype(float)  # (splits, people): 1 for the first half
    blocks = (halves[start : start + step] for start in range(0, splits, step))
    rhos = np.concatenate([row_spearman(values(half), values(1.0 - half)) for half in blocks])
    defined = rhos[~np.isnan(rhos)]
    if 2 * len(defined) < len(rhos):
        return None
    rho = round(math.fsum(defined) / len(defined), DECIMALS)
    corrected = 2 * rho / (1 + rho) if rho > -1 else None
    ceiling = math.sqrt(corrected) if corrected is not None and corrected > 0 else None
    return Reliability(rho, corrected, ceiling)


@dataclass(frozen=True, slots=True)
class RaterAgreement:
    """Agreement on the items with at least two answers.

    Attributes:
        alpha: Krippendorff's, for nominal data; None where all answers are in one category.
        pairwise: the share of pairs of people who agree on an item, averaged over items.
        n_items: items with at least two answers.
    """

    alpha: float | None
    pairwise: float
    n_items: int


def raters(counts: Sequence[Sequence[int]]) -> RaterAgreement | None:
    """Compute how far people agree with one another (alpha as in Krippendorff 2004, §11.3).

    Args:
        counts: of shape (items, categories): how many people chose a category; items with fewer
            than two answers are left out.

    Returns:
        Alpha and pairwise agreement; None where no item has two answers.

    >>> found = raters([[9, 1], [2, 8], [10, 0]])
    >>> round(found.alpha, 3), round(found.pairwise, 3)
    (0.574, 0.815)
    """
    table = np.array([row for row in counts if sum(row) > 1], dtype=float)
    if not len(table):
        return None
    sizes, columns, squares = table.sum(axis=1), table.sum(axis=0), (table**2).sum(axis=1)
    n = sizes.sum()
    pairwise = math.fsum((squares - sizes) / (sizes * (sizes - 1))) / len(table)
    possible = float(n**2 - (columns**2).sum())
    observed = math.fsum((sizes**2 - squares) / (sizes - 1))
    return RaterAgreement(
        alpha=float(1 - (n - 1) * observed / possible) if possible else None,
        pairwise=pairwise,
        n_items=len(table),
    )
