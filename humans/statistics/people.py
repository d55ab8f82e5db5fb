"""Who answered what: how well accuracies repeat, and how far people agree with one another.

*Reliability* correlates the item accuracies of one half of the people with those of the other half.
The Spearman–Brown formula estimates from it the correlation for all people, and the square root of
that is the noise ceiling: the correlation that a perfect model would reach. This needs every answer
by person.

*Agreement* is Krippendorff's alpha. Where nearly all answers are in one category, alpha is low
however much people agree (an easy set looks worse than a hard one), so we also report the share of
pairs of people who agree.
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
from ...data.statistics.intervals import DECIMALS, MATRIX_ENTRIES, SEED, number_clusters, uniform
from ...data.statistics.rank_correlation import row_spearman
from ..judgments.judgment import Tally

SPLITS = 1_000


@dataclass(frozen=True, slots=True)
class AnswerTable:
    """The numbers of right answers and of all answers of each person to each target item.

    Items are sorted by name. People are sorted by their answers, not by name: names of people are
    pseudonyms, and no result may depend on them.
    """

    items: tuple[str, ...]
    right: NDArray[np.float32]  # right answers, (people, items); whole numbers, so sums are exact
    total: NDArray[np.float32]  # all answers, (people, items)

    @staticmethod
    def of(judgments: "Judged") -> "AnswerTable":
        """Count the answers in a frame of trials by person and item; return a table as it is.

        Fillers, checks, practice trials and missing answers are left out.
        """
        if isinstance(judgments, AnswerTable):
            return judgments
        table = judgments.filter(pl.col("correct").is_not_null(), kind="target")
        names = table["item"].unique().sort()
        # numbers from 0 in alphabetical order
        person, item = (
            table[column].rank("dense").to_numpy().astype(np.int64) - 1
            for column in ("participant", "item")
        )
        n_people, n_items = int(person.max(initial=-1)) + 1, len(names)
        flat_index, size = person * n_items + item, n_people * n_items
        total, right = (
            np.bincount(flat_index, weights, size).astype(np.float32).reshape(n_people, n_items)
            for weights in (None, table["correct"].cast(float).to_numpy())  # None: 1 for each
        )
        return _sorted_by_answers(tuple(names), right, total)

    def only(self, items: Collection[str]) -> "AnswerTable":
        """Keep only the answers to these items, and only the people who answered any of them."""
        columns = [column for column, item in enumerate(self.items) if item in items]
        right, total = self.right[:, columns], self.total[:, columns]
        people = total.any(axis=1)
        names = tuple(self.items[column] for column in columns)
        return _sorted_by_answers(names, right[people], total[people])

    def answers_to(self, tallies: Sequence[Tally]) -> Answers:
        """Return the answers to the items of `tallies`, in that order, with the source of each.

        The result has a row per person if this table holds all the answers that the tallies count,
        else a single row with the tallies' own counts.
        """
        _, sources = number_clusters([tally.source for tally in tallies])
        right_counts = np.array([[tally.right for tally in tallies]], dtype=float)
        total_counts = np.array([[tally.total for tally in tallies]], dtype=float)
        column_of = {item: column for column, item in enumerate(self.items)}
        if tallies and all(tally.item in column_of for tally in tallies):
            columns = [column_of[tally.item] for tally in tallies]
            right, total = self.right[:, columns], self.total[:, columns]
            if np.array_equal(total.sum(axis=0, keepdims=True), total_counts):
                people = total.any(axis=1)
                return Answers(right[people].astype(float), total[people].astype(float), sources)
        return Answers(right_counts, total_counts, sources)

    @property
    def n_people(self) -> int:
        """The number of people who gave an answer."""
        return len(self.total)

    def by_item(self, weights: Floats) -> tuple[Floats, Floats]:
        """Count the right answers and all answers to each item for people with weights.

        `weights` has the shape (draws, people): in draw d person p counts `weights[d, p]` times.
        Both results have the shape (draws, items).
        """
        weights = weights.astype(np.float32)  # as the counts: whole numbers, so sums are exact
        return (weights @ self.right).astype(float), (weights @ self.total).astype(float)


Judged: TypeAlias = pl.DataFrame | AnswerTable
"""People's answers: a frame with a trial per row, or the table counted from it."""


def _sorted_by_answers(
    items: tuple[str, ...], right: NDArray[np.float32], total: NDArray[np.float32]
) -> AnswerTable:
    """Make an `AnswerTable` whose people are sorted by their answers.

    People are compared at the first item on which they differ: a wrong answer sorts before a right
    one, an answer before no answer, and no more answers at all before everything else.
    """
    if not total.size:
        return AnswerTable(items, right, total)
    wrong, n_items = total - right, total.shape[1]
    # below 0 for a right answer, further below for a wrong one, 0 for none
    sort_key = -(wrong * (1 + right.max(initial=0)) + right)
    last_answered = n_items - 1 - np.argmax(total[:, ::-1] > 0, axis=1)
    sort_key[np.arange(n_items) > last_answered[:, None]] = -np.inf  # no more answers
    order = np.lexsort(sort_key.T[::-1])  # by the first item; NumPy takes the last key first
    return AnswerTable(items, right[order], total[order])


@dataclass(frozen=True, slots=True)
class Reliability:
    """Split-half reliability of item accuracies."""

    halves: float  # Spearman's rho between halves, mean over splits
    corrected: float | None  # Spearman–Brown: 2r / (1 + r); None for r = −1
    ceiling: float | None  # noise ceiling: √corrected; None unless corrected is above 0


def split_by_people(
    judgments: Judged, *, splits: int = SPLITS, cells: int = MATRIX_ENTRIES
) -> Reliability | None:
    """Estimate how well item accuracies repeat: split people at random into halves `splits` times,
    and correlate the accuracies of the two halves.

    Each split leaves out the items that one of its halves did not answer. The result is None with
    fewer than two people, or if most splits have no variation. `cells` limits the size of the
    matrices held at once and doesn't change the result.
    """
    answers = AnswerTable.of(judgments)

    def shares(half: Floats) -> Floats:
        """Return each item's share of right answers among the people of a half, of shape
        (splits, items); NaN if none of them answered the item."""
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
    rank = np.argsort(np.argsort(random_keys, axis=1, kind="stable"), axis=1)  # in a split
    halves = (rank < n_people // 2).astype(float)  # (splits, people): 1 for the first half
    blocks = (halves[start : start + step] for start in range(0, splits, step))
    rhos = np.concatenate([row_spearman(values(half), values(1.0 - half)) for half in blocks])
    defined = rhos[~np.isnan(rhos)]
    if 2 * len(defined) < len(rhos):  # most splits have no variation
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


def rater_agreement(counts: Sequence[Sequence[int]]) -> RaterAgreement | None:
    """Compute how far people agree with one another (alpha as in Krippendorff 2004, §11.3).

    Args:
        counts: of shape (items, categories): how many people chose each category; items with fewer
            than two answers are left out.

    Returns:
        Alpha and pairwise agreement; None where no item has two answers.

    >>> found = rater_agreement([[9, 1], [2, 8], [10, 0]])
    >>> round(found.alpha, 3), round(found.pairwise, 3)
    (0.574, 0.815)
    """
    table = np.array([row for row in counts if sum(row) > 1], dtype=float)
    if not len(table):
        return None
    per_item, per_category = table.sum(axis=1), table.sum(axis=0)
    squares, n_answers = (table**2).sum(axis=1), per_item.sum()
    # of the ordered pairs of answers to an item, those that are in one category
    pairwise = math.fsum((squares - per_item) / (per_item * (per_item - 1))) / len(table)
    expected = float(n_answers**2 - (per_category**2).sum())  # disagreement by chance
    observed = math.fsum((per_item**2 - squares) / (per_item - 1))
    return RaterAgreement(
        alpha=float(1 - (n_answers - 1) * observed / expected) if expected else None,
        pairwise=pairwise,
        n_items=len(table),
    )
