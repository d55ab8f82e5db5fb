"""The power of a design: made-up studies of it, each tested as the real one will be.

A person and a source have normal intercepts in log-odds; an answer is right with the logistic
probability of their sum and the mean of its condition. Each made-up study gets the test of
`measures/accuracies.py`: an item's share of right answers, the difference between the means of a
source in its two conditions, and sign flips over sources. All numbers of participants and all
differences share the same draws, so that a larger study contains the smaller one.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.polynomial.hermite_e import hermegauss

from colorless_green.data.arrays import Floats, Integers
from colorless_green.humans.statistics.flips import EXACT_SOURCES, SAME, all_signs
from colorless_green.humans.stimulus import CHOICES, Version
from colorless_green.nonce.intervals import uniform
from colorless_green.nonce.item import Item, factors_of

ACCURACY = 0.94  # of people on originals in Gulordava et al. 2018
DIFFERENCES = (0.05, 0.10)
SPREAD_PARTICIPANTS, SPREAD_SOURCES = 0.8, 0.73  # SD in log-odds
DROPOUT, ALPHA = 0.1, 0.05
STUDIES, FLIPS = 500, 999
BATCH = 2**18  # answers drawn at once
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
    items = {version.item.item_id: version.item for shown in lists for version in shown}
    for values in zip(*map(_conditions, items.values()), strict=True):
        condition = dict(zip(items, values, strict=True))
        by_source: dict[str, set[str]] = {}
        for name, item in items.items():
            by_source.setdefault(item.cluster_id, set()).add(condition[name])
        sources = [source for source, own in by_source.items() if len(own) == 2]
        if len({*values}) == 2 and sources:
            second, first = sorted({*values})  # nonce and original, with and without attractors
            index = {source: number for number, source in enumerate(sources)}
            cells = {
                name: 2 * index[item.cluster_id] + (condition[name] == second)
                for name, item in items.items()
                if item.cluster_id in index
            }
            numbers = {
                name: n for n, name in enumerate(sorted(cells, key=lambda name: cells[name]))
            }
            shown = [[numbers[v.item.item_id] for v in s if v.item.item_id in cells] for s in lists]
            return ConditionPair((first, second), np.array(shown), np.array(sorted(cells.values())))
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
    [[0.74, 1.0]]
    """
    n_items, n_sources = len(design.cells), int(design.cells[-1]) // 2 + 1
    seen = design.items[np.arange(participants[-1]) % len(design.items)]
    first, *seconds = _log_odds([ACCURACY, *(ACCURACY - difference for difference in differences)])
    limits = [np.where(design.cells % 2, second, first)[seen] for second in seconds]
    signs = all_signs(n_sources) if n_sources <= EXACT_SOURCES else _signs(n_sources, seed)
    # the smallest number of participants that a trial is in, and its item
    bins = np.searchsorted(participants, np.arange(participants[-1]), side="right")[:, None]
    bins = bins * n_items + seen
    starts = np.flatnonzero(np.diff(design.cells, prepend=-1))
    stream, sizes = np.random.PCG64(seed + 1), [*[len(seen)] * 3, *[n_sources] * 2, seen.size]
    n_batch = max(1, min(BATCH // seen.size, 8 * BATCH // len(signs)))
    hits = np.zeros((len(differences), len(participants)))
    for n in (min(n_batch, studies - begun) for begun in range(0, studies, n_batch)):
        drawn = uniform(stream, n * sum(sizes)).reshape(n, -1)
        lost, *normals, coins = np.split(drawn, np.cumsum(sizes)[:-1], axis=1)
        people = SPREAD_PARTICIPANTS * _normal(normals[0], normals[1])[:, :, None]
        sources = SPREAD_SOURCES * _normal(normals[2], normals[3])[:, (design.cells // 2)[seen]]
        coins = np.clip(coins, 1e-16, None).reshape(n, *seen.shape)
        needed = np.log(coins / (1 - coins)) - people - sources
        is_kept = np.broadcast_to((lost >= DROPOUT)[:, :, None], needed.shape)
        shape = (n, len(participants), n_items)
        rows = (np.arange(n)[:, None, None] * math.prod(shape[1:]) + bins)[is_kept]
        total = np.bincount(rows, minlength=math.prod(shape)).reshape(shape).cumsum(axis=1)
        n_judged = np.add.reduceat((total > 0).astype(int), starts, axis=2)
        is_compared = np.minimum(n_judged[..., 0::2], n_judged[..., 1::2]) > 0
        for number, limit in enumerate(limits):
            right = np.bincount(rows, (needed < limit)[is_kept], math.prod(shape))
            shares = right.reshape(shape).cumsum(axis=1) / np.maximum(total, 1)
            means = np.add.reduceat(shares, starts, axis=2) / np.maximum(n_judged, 1)
            gaps = np.where(is_compared, means[..., 0::2] - means[..., 1::2], 0.0)
            hits[number] += (flipped_p(gaps, signs) < ALPHA).sum(axis=0)
    power: Floats = hits / studies
    return power


def flipped_p(differences: Floats, signs: Floats) -> Floats:
    """Return the two-sided p of differences of shape (…, sources), as `sign_flip` does."""
    n_sources = differences.shape[-1]
    limit = np.abs(differences.sum(axis=-1)) - SAME * n_sources
    n_extreme = (np.abs(differences @ signs.T) >= limit[..., None]).sum(axis=-1)
    added = len(signs) != 2**n_sources  # some of all signs: the real ones are counted too
    p: Floats = (n_extreme + added) / (len(signs) + added)
    return p


def _signs(n: int, seed: int) -> Floats:
    """Draw `FLIPS` vectors of n signs."""
    coins = uniform(np.random.PCG64(seed), FLIPS * n).reshape(FLIPS, n)
    return np.where(coins < 0.5, -1.0, 1.0)


def _normal(radii: Floats, angles: Floats) -> Floats:
    """Turn uniform numbers into standard normal ones (Box and Muller 1958)."""
    normal: Floats = np.sqrt(-2 * np.log1p(-radii)) * np.cos(2 * np.pi * angles)
    return normal


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
        rated = "ratings are neither right nor wrong"
        why = "no source has two conditions to compare" if task in CHOICES else rated
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
    few = "; fewer than 6 never reach it" if n_sources < 6 else ""
    yield f"  by sign flips over {n_sources} sources, p < {ALPHA:g}{few}; {STUDIES} made-up studies"
    yield ASSUMED
