"""The power of a design: made-up studies of it, each tested as the real one will be.

A person and a source have normal intercepts in log-odds; an answer is right with the logistic
probability of their sum and the mean of its condition. Each made-up study gets the test of
`data/statistics/crossed.py` for conditions within sources. All numbers of participants and all
differences share the same draws, so that a larger study contains the smaller one.
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
PER_LIST = 10  # participants for each list where nobody says how many there are
GRID = np.linspace(-10, 15, 5001)  # log-odds
ASSUMED = (
    f"  assumed: SD of participants {SPREAD_PARTICIPANTS:g}, of sources {SPREAD_SOURCES:g} in "
    f"log-odds; {DROPOUT:.0%} of participants excluded"
)


@dataclass(frozen=True, slots=True)
class ConditionPair:
    """Two conditions that a design shows within sources.

    Attributes:
        conditions: their names.
        items: number of the item in each trial of each list, of shape (lists, trials).
        cells: 2 · source + condition (0 or 1) of each item, in ascending order.
    """

    conditions: tuple[str, str]
    items: Integers
    cells: Integers


def condition_pair(lists: Sequence[Sequence[Version]]) -> ConditionPair | None:
    """Find the conditions to compare: kinds of item, else without and with attractors, else cells;
    None where none of these has two values, both of them within sources."""
    items = {version.item.item_id: version.item for trials in lists for version in trials}
    for values in zip(*map(_conditions, items.values()), strict=True):
        condition = dict(zip(items, values, strict=True))
        by_source: dict[str, set[str]] = {}
        for name, item in items.items():
            by_source.setdefault(item.cluster_id, set()).add(condition[name])
        sources = [source for source, levels in by_source.items() if len(levels) == 2]
        if len({*values}) == 2 and sources:
            second, first = sorted({*values})  # nonce and original, with and without attractors
            index = {source: number for number, source in enumerate(sources)}
            cells = {
                name: 2 * index[item.cluster_id] + (condition[name] == second)
                for name, item in items.items()
                if item.cluster_id in index
            }
            number = {name: n for n, name in enumerate(sorted(cells, key=lambda n: cells[n]))}
            names = [[version.item.item_id for version in trials] for trials in lists]
            rows = [[number[name] for name in row if name in cells] for row in names]
            return ConditionPair((first, second), np.array(rows), np.array(sorted(cells.values())))
    return None


def _conditions(item: Item) -> tuple[str, str, str]:
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
        design: the two conditions, and who sees what.
        participants: numbers of people, ascending; person p gets list p modulo the lists.
        differences: accuracy in the first condition minus the second; the first has `ACCURACY`.
        studies: number of made-up studies.
        seed: the same seed gives the same power.

    Returns:
        Share of studies with p < .05, of shape (differences, participants).

    >>> items = np.array([[0, 3] * 6, [1, 2] * 6]) + np.repeat(np.arange(0, 24, 4), 2)
    >>> square = ConditionPair(("original", "nonce"), items, np.arange(24))
    >>> design_power(square, [10, 80], [0.2], studies=100).tolist()
    [[0.61, 1.0]]
    """
    generator = np.random.Generator(np.random.PCG64(seed))
    n_items, n_sources, n_most = len(design.cells), int(design.cells[-1]) // 2 + 1, participants[-1]
    owner, is_second = design.cells // 2, design.cells % 2 == 1
    seen = design.items[np.arange(n_most) % len(design.items)]
    total = np.zeros((n_most, n_items))
    np.put_along_axis(total, seen, 1.0, axis=1)
    first, *seconds = _log_odds([ACCURACY, *(ACCURACY - difference for difference in differences)])
    hits = np.zeros((len(differences), len(participants)))
    for _ in range(studies):
        people = SPREAD_PARTICIPANTS * generator.standard_normal((n_most, 1))
        sources = SPREAD_SOURCES * generator.standard_normal(n_sources)[owner]
        needed = generator.logistic(size=seen.shape) - people - sources[seen]
        is_kept = generator.random(n_most) >= DROPOUT
        for row, second in enumerate(seconds):
            right = np.zeros_like(total)
            levels = np.where(is_second, second, first)[seen]
            np.put_along_axis(right, seen, (needed < levels).astype(float), axis=1)
            for column, n in enumerate(participants):
                kept = is_kept[:n]
                answers = Answers(right[:n][kept], total[:n][kept], owner)
                test = condition_difference(answers, is_second)
                hits[row, column] += test is not None and test.p is not None and test.p < ALPHA
    power: Floats = hits / studies
    return power


def _log_odds(accuracies: Sequence[float]) -> Floats:
    """Return the mean log-odds with which people and sources are as accurate as that."""
    nodes, weights = hermegauss(64)
    spread = math.hypot(SPREAD_PARTICIPANTS, SPREAD_SOURCES)
    shares = 1 / (1 + np.exp(-GRID[:, None] - spread * nodes)) @ weights / weights.sum()
    log_odds: Floats = np.interp(accuracies, shares, GRID)
    return log_odds


def about_power(
    lists: Sequence[Sequence[Version]], task: str, participants: int | None, seed: int
) -> Iterator[str]:
    """Yield the power of a design at half, the same and double the participants, with all that is
    assumed, or why there is none."""
    design = condition_pair(lists) if task in CHOICES else None
    if design is None:
        why = (
            "no two conditions are shown of the same sources"
            if task in CHOICES
            else "it has no right answers"
        )
        yield f"power is not estimated: {why}"
        return
    n = participants or PER_LIST * len(lists)
    numbers = [max(1, n // 2), n, 2 * n]
    n_sources, (first, second) = int(design.cells[-1]) // 2 + 1, design.conditions
    usual = "" if participants else f" ({PER_LIST} a list; --participants N)"
    heading = "".join(f"{number:7}" for number in numbers)
    yield f"{f'power, {first} − {second}':34}{heading} participants{usual}"
    powers = design_power(design, numbers, seed=seed)
    for difference, row in zip(DIFFERENCES, powers, strict=True):
        shares = f"{ACCURACY:.0%} and {ACCURACY - difference:.0%} right"
        figures = "".join(f"{power:7.2f}" for power in row)
        yield f"{f'  {100 * difference:2.0f} points ({shares})':34}{figures}"
    yield f"  by {PEOPLE_T} ({n_sources} sources), p < {ALPHA:g}; {STUDIES} made-up studies"
    yield ASSUMED
