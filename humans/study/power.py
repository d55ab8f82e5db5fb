"""The power of a design, estimated from simulated studies that are tested as the real one will be.

Each person and each source has a normally distributed intercept in log-odds. The log-odds of a
right answer are the sum of the person's and the source's intercepts and the mean of the condition.
Each simulated study gets the test of `data/statistics/crossed.py` for conditions within sources.
All numbers of participants and all differences use the same random draws, so that a larger study
contains the smaller one.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.polynomial.hermite_e import hermegauss

from ...data.arrays import Floats, Integers
from ...data.items.item import Item, factors_of
from ...data.statistics.crossed import PEOPLE_T, Answers, condition_difference
from . import CHOICES, Version

ACCURACY = 0.94  # of people on originals in Gulordava et al. 2018
DIFFERENCES = (0.05, 0.10)
SPREAD_PARTICIPANTS, SPREAD_SOURCES = 0.8, 0.73  # SD in log-odds
DROPOUT, ALPHA = 0.1, 0.05
STUDIES = 500
PEOPLE_PER_LIST = 10  # participants for each list, if their number is not given
LOG_ODDS_GRID = np.linspace(-10, 15, 5001)  # mean log-odds at which accuracies are computed
ASSUMED = (
    f"  assumed: SD of participants {SPREAD_PARTICIPANTS:g}, of sources {SPREAD_SOURCES:g} in "
    f"log-odds; {DROPOUT:.0%} of participants excluded"
)


@dataclass(frozen=True, slots=True)
class ConditionPair:
    """Two conditions that a design shows of the same sources, and the lists as numbers.

    Attributes:
        conditions: the names of the first and the second condition.
        items: number of the item in each trial of each list, of shape (lists, trials).
        cells: for each item 2 · source number + condition (0 or 1), in ascending order.
    """

    conditions: tuple[str, str]
    items: Integers
    cells: Integers

    @property
    def n_sources(self) -> int:
        """The number of sources: the last cell has the highest number of a source."""
        return int(self.cells[-1]) // 2 + 1


def condition_pair(lists: Sequence[Sequence[Version]]) -> ConditionPair | None:
    """Choose the two conditions to compare: the first of three factors that has exactly two values
    and shows both of them of some source.

    The factors are the kind of item (original, nonce), with or without attractors, and the cell.
    Return None if no factor fits.
    """
    items = {version.item.item_id: version.item for trials in lists for version in trials}
    values_of_factors = zip(*map(_factor_values, items.values()), strict=True)
    for values in values_of_factors:  # a factor's value of each item
        condition_of = dict(zip(items, values, strict=True))
        by_source: dict[str, set[str]] = {}
        for item_id, item in items.items():
            by_source.setdefault(item.cluster_id, set()).add(condition_of[item_id])
        sources = [source for source, conditions in by_source.items() if len(conditions) == 2]
        if len({*values}) == 2 and sources:
            # in alphabetical order: nonce, original; with attractors, without attractors
            second, first = sorted({*values})
            source_number = {source: number for number, source in enumerate(sources)}
            cell_of = {
                item_id: 2 * source_number[item.cluster_id] + (condition_of[item_id] == second)
                for item_id, item in items.items()
                if item.cluster_id in source_number
            }
            by_cell = sorted(cell_of, key=lambda item_id: cell_of[item_id])
            item_number = {item_id: number for number, item_id in enumerate(by_cell)}
            shown = [[version.item.item_id for version in trials] for trials in lists]
            rows = [[item_number[name] for name in row if name in item_number] for row in shown]
            cells = np.array(sorted(cell_of.values()))
            return ConditionPair((first, second), np.array(rows), cells)
    return None


def _factor_values(item: Item) -> tuple[str, str, str]:
    """Return an item's values of the three factors of `condition_pair`: its kind, `with attractors`
    or `without attractors`, and its cell (what the design of the item varies)."""
    has_attractors = int(factors_of(item)["n_attractors"] or 0) > 0
    return item.kind, f"{'with' if has_attractors else 'without'} attractors", item.cell


def design_power(
    design: ConditionPair,
    participants: Sequence[int],
    differences: Sequence[float] = DIFFERENCES,
    *,
    studies: int = STUDIES,
    seed: int = 0,
) -> Floats:
    """Estimate the power of a design by simulation.

    Args:
        design: the two conditions, and the items of each list.
        participants: numbers of people, ascending; person p gets list p modulo the number of lists.
        differences: accuracies in the first condition minus those in the second; the accuracy in
            the first is `ACCURACY`.
        studies: number of simulated studies.
        seed: the same seed gives the same power.

    Returns:
        The share of studies with p < .05, of shape (differences, participants).

    >>> items = np.array([[0, 3] * 6, [1, 2] * 6]) + np.repeat(np.arange(0, 24, 4), 2)
    >>> square = ConditionPair(("original", "nonce"), items, np.arange(24))
    >>> design_power(square, [10, 80], [0.2], studies=100).tolist()
    [[0.61, 1.0]]
    """
    generator = np.random.Generator(np.random.PCG64(seed))
    n_most = participants[-1]
    source_index, is_second = design.cells // 2, design.cells % 2 == 1  # of each item
    seen = design.items[np.arange(n_most) % len(design.items)]  # items, (people, trials)
    total = np.zeros((n_most, len(design.cells)))  # 1 where a person sees an item
    np.put_along_axis(total, seen, 1.0, axis=1)
    first, *seconds = _log_odds([ACCURACY, *(ACCURACY - difference for difference in differences)])
    n_significant = np.zeros((len(differences), len(participants)))
    for _ in range(studies):
        people = SPREAD_PARTICIPANTS * generator.standard_normal((n_most, 1))
        sources = SPREAD_SOURCES * generator.standard_normal(design.n_sources)[source_index]
        # an answer is right if the mean log-odds of its condition are above this, (people, trials)
        needed = generator.logistic(size=seen.shape) - people - sources[seen]
        is_kept = generator.random(n_most) >= DROPOUT
        for row, second in enumerate(seconds):
            right = np.zeros_like(total)
            log_odds = np.where(is_second, second, first)[seen]
            np.put_along_axis(right, seen, (needed < log_odds).astype(float), axis=1)
            for column, n in enumerate(participants):
                kept = is_kept[:n]
                answers = Answers(right[:n][kept], total[:n][kept], source_index)
                test = condition_difference(answers, is_second)
                is_significant = test is not None and test.p is not None and test.p < ALPHA
                n_significant[row, column] += is_significant
    power: Floats = n_significant / studies
    return power


def _log_odds(accuracies: Sequence[float]) -> Floats:
    """Return for each accuracy the mean log-odds that yield it, averaged over normally distributed
    people and sources."""
    nodes, weights = hermegauss(64)  # Gauss–Hermite: an average over a normal distribution
    spread = math.hypot(SPREAD_PARTICIPANTS, SPREAD_SOURCES)  # SD of the sum of both intercepts
    p_right = 1 / (1 + np.exp(-LOG_ODDS_GRID[:, None] - spread * nodes))
    grid_accuracies = p_right @ weights / weights.sum()
    log_odds: Floats = np.interp(accuracies, grid_accuracies, LOG_ODDS_GRID)
    return log_odds


def about_power(
    lists: Sequence[Sequence[Version]], task: str, participants: int | None, seed: int
) -> Iterator[str]:
    """Yield lines with the power of a design for half, the planned and double the number of
    participants, and with the assumptions; or one line that says why power is not estimated."""
    design = condition_pair(lists) if task in CHOICES else None
    if design is None:
        why = (
            "no two conditions are shown of the same sources"
            if task in CHOICES
            else "it has no right answers"
        )
        yield f"power is not estimated: {why}"
        return
    n = participants or PEOPLE_PER_LIST * len(lists)
    numbers = [max(1, n // 2), n, 2 * n]
    first, second = design.conditions
    usual = "" if participants else f" ({PEOPLE_PER_LIST} a list; --participants N)"
    heading = "".join(f"{number:7}" for number in numbers)
    yield f"{f'power, {first} − {second}':34}{heading} participants{usual}"
    powers = design_power(design, numbers, seed=seed)
    for difference, row in zip(DIFFERENCES, powers, strict=True):
        shares = f"{ACCURACY:.0%} and {ACCURACY - difference:.0%} right"
        powers_in_row = "".join(f"{power:7.2f}" for power in row)
        yield f"{f'  {100 * difference:2.0f} points ({shares})':34}{powers_in_row}"
    yield f"  by {PEOPLE_T} ({design.n_sources} sources), p < {ALPHA:g}; {STUDIES} made-up studies"
    yield ASSUMED
