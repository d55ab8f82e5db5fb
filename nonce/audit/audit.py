"""Every baseline on every pair, summed up by cell, and the pairs on which all of them fail."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from colorless_green.data.progress import Progress, silent
from colorless_green.data.registry import named
from colorless_green.nonce.audit.baselines import Baseline, baselines_of
from colorless_green.nonce.audit.cells import cells_of, default_columns
from colorless_green.nonce.audit.elsewhere import SCHEMES, Scheme
from colorless_green.nonce.audit.pair import Pair, pairs_of
from colorless_green.nonce.frequencies import Frequencies
from colorless_green.nonce.intervals import (
    DECIMALS,
    Floats,
    Integers,
    Interval,
    cluster_intervals,
    clustered,
    numbered,
)
from colorless_green.nonce.item import Item

ABOVE, BELOW = "above chance", "its opposite is above chance"


@dataclass(frozen=True, slots=True)
class Figure:
    """How one baseline does in one cell."""

    cell: tuple[str, ...]  # one text a column; () for the whole
    baseline: str
    n_items: int  # that it judged
    n_clusters: int
    accuracy: float
    interval: Interval | None  # none for fewer than two clusters
    chance: float
    warning: str  # ABOVE, BELOW (of a rule) or ""; " for VALUE" in a cell of one value


@dataclass(frozen=True, slots=True)
class Audit:
    """What an audit found."""

    columns: tuple[str, ...]  # what makes a cell
    figures: tuple[Figure, ...]  # the whole first, then the cells in the order of their names
    left_out: Mapping[str, str]  # baseline → why it could judge no pair
    hard: tuple[Item, ...]  # those on which no baseline is better than undecided
    hard_by_cell: Mapping[tuple[str, ...], tuple[int, int]]  # hard items and clusters; () the whole
    n_pairs: int
    n_clusters: int


@dataclass(frozen=True, slots=True)
class _Judged:
    """Credits and chances, of shape (pairs, baselines), NaN where a baseline does not judge."""

    credits: Floats
    chances: Floats
    left_out: Mapping[str, str]

    def part(self, indices: Sequence[int]) -> "_Judged":
        return _Judged(self.credits[indices], self.chances[indices], self.left_out)


def audit_items(
    items: Sequence[Item],
    frequencies: Frequencies | None = None,
    *,
    by: Sequence[str] = (),
    against: Sequence[str] = (),
    split: str = "clusters",
    seed: int = 0,
    progress: Progress = silent,
) -> Audit:
    """Accuracy of each baseline in each cell of the items that are pairs, one of them at least.

    The order of the items does not matter (but in halves, where it says who teaches). A pair is
    hard if every baseline that judges it is wrong or undecided, that is, has no more credit than
    its chance.

    Args:
        items: what is not one right and one wrong sentence is passed over.
        frequencies: those of the baseline `unigram`; `None` for counts of the items themselves.
        by: the columns of a cell; none: construction, value and kind of what was mined, the
            construction of others.
        against: the baselines that count for hard items; none: all.
        split: learn from all other clusters (`clusters`) or from every other one (`halves`).
        seed: of the resamples.
        progress: told of each baseline that is done.

    Raises:
        InputError: a column that no item has, or an unknown baseline.

    >>> audit_items(suite.items, by=["kind"]).figures[0].accuracy  # doctest: +SKIP
    0.5
    """
    pairs = pairs_of(items)
    baselines = baselines_of(pairs, frequencies)
    for each in against:
        named({baseline.name: baseline for baseline in baselines}, each, "--against")
    columns = tuple(by) or default_columns(pairs)
    cells = cells_of(pairs, columns)
    judged = _judged(pairs, baselines, SCHEMES[split], progress)
    is_hard = _is_hard(judged.credits, judged.chances, baselines, against)
    clusters = [pair.cluster for pair in pairs]
    values = [pair.item.agreement.value if pair.item.agreement else "" for pair in pairs]
    limits = _limits(judged.credits, numbered(clusters)[1], list(cells.values()), seed)
    figures: list[Figure] = []
    hard_by_cell: dict[tuple[str, ...], tuple[int, int]] = {}
    for (cell, indices), of_cell in zip(cells.items(), limits, strict=True):
        own = [clusters[index] for index in indices]
        here = {values[index] for index in indices}
        only = here.pop() if len(here) == 1 and len(set(values)) > 1 else ""
        part = judged.part(indices)
        figures += _figures(cell, baselines, part, own, of_cell, only)
        left = [clusters[index] for index in indices if is_hard[index]]
        hard_by_cell[cell] = (len(left), len(set(left)))
    hard = tuple(pair.item for pair, left in zip(pairs, is_hard, strict=True) if left)
    n_clusters = len(set(clusters))
    return Audit(
        columns, tuple(figures), judged.left_out, hard, hard_by_cell, len(pairs), n_clusters
    )


def baseline_credits(
    items: Sequence[Item], frequencies: Frequencies | None = None, progress: Progress = silent
) -> pl.DataFrame:
    """What each baseline makes of each pair, what is learnt from all clusters but the pair's own.

    Args:
        items: what is not one right and one wrong sentence has no row.
        frequencies: as for `audit_items`.
        progress: told of each baseline that is done.

    Returns:
        A row a baseline and pair that it judges: `baseline`, `item_id`, `credit` (0–1).
    """
    pairs = pairs_of(items)
    baselines = baselines_of(pairs, frequencies)
    judged = _judged(pairs, baselines, SCHEMES["clusters"], progress)
    ids = [pair.item.item_id for pair in pairs]
    parts = [
        pl.DataFrame({"item_id": ids, "credit": judged.credits[:, number]})
        .select(pl.lit(each.name).alias("baseline"), "item_id", pl.col("credit").fill_nan(None))
        .drop_nulls("credit")
        for number, each in enumerate(baselines)
    ]
    return pl.concat(parts)


def _limits(
    credits: Floats, owner: Integers, cells: Sequence[Sequence[int]], seed: int
) -> list[list[Interval | None]]:
    """`cluster_interval` of each baseline in each cell, over the pairs that it judged."""
    groups = []
    for indices in map(np.array, cells):
        for credit in credits[indices].T:
            judged = ~np.isnan(credit)
            groups += clustered(credit[judged], owner[indices][judged])
    found = cluster_intervals(groups, seed=seed)
    n = credits.shape[1]
    return [found[start : start + n] for start in range(0, len(found), n)]


def _judged(
    pairs: Sequence[Pair], baselines: Sequence[Baseline], scheme: Scheme, progress: Progress
) -> _Judged:
    credits = np.full((len(pairs), len(baselines)), np.nan)
    chances = np.full((len(pairs), len(baselines)), np.nan)
    left_out: dict[str, str] = {}
    for number, baseline in enumerate(baselines):
        lacking = [baseline.lacks(pair) for pair in pairs]
        able = [index for index, reason in enumerate(lacking) if not reason]
        if able:
            judged = [pairs[index] for index in able]
            credits[able, number] = _credits(judged, baseline, scheme)
            chances[able, number] = [baseline.chance(pair) for pair in judged]
        else:
            reasons = Counter(sorted(lacking))
            left_out[baseline.name] = max(reasons, key=reasons.__getitem__)
        progress("baselines", number + 1, len(baselines))
    return _Judged(credits, chances, left_out)


def _credits(pairs: Sequence[Pair], baseline: Baseline, scheme: Scheme) -> Floats:
    if baseline.keys is None:
        return np.array([baseline.judge(pair, lambda key: 0) for pair in pairs], dtype=float)
    # None becomes NaN
    return np.array(scheme(pairs, baseline.keys, baseline.judge, baseline.labels), dtype=float)


def _is_hard(
    credits: Floats, chances: Floats, baselines: Sequence[Baseline], against: Sequence[str]
) -> list[bool]:
    """Which pairs some baseline judges and none of them gets right."""
    columns = [
        number
        for number, baseline in enumerate(baselines)
        if not against or baseline.name in against
    ]
    return [
        any(not math.isnan(each) for each in row) and not any(solved)  # NaN is above nothing
        for row, solved in zip(
            credits[:, columns].tolist(), (credits > chances)[:, columns].tolist(), strict=True
        )
    ]


def _figures(
    cell: tuple[str, ...],
    baselines: Sequence[Baseline],
    judged: _Judged,
    clusters: Sequence[str],
    limits: Sequence[Interval | None],
    only: str,
) -> list[Figure]:
    """A figure for each baseline that judged a pair of the cell; `only`: the value of all of them,
    where the suite has others."""
    figures = []
    for number, baseline in enumerate(baselines):
        is_judged = ~np.isnan(judged.credits[:, number])
        if not is_judged.any():
            continue
        accuracy, chance = (
            round(float(values[is_judged, number].mean()), DECIMALS)
            for values in (judged.credits, judged.chances)
        )
        known = {name for name, here in zip(clusters, is_judged, strict=True) if here}
        warning = _warning(limits[number], chance, reversible=baseline.reversible)
        figures.append(
            Figure(
                cell,
                baseline.name,
                int(is_judged.sum()),
                len(known),
                accuracy,
                limits[number],
                chance,
                f"{warning} for {only}" if warning and only else warning,
            )
        )
    return figures


def _warning(interval: Interval | None, chance: float, *, reversible: bool) -> str:
    """A rule that is reliably wrong is a rule; but what is learnt from other clusters falls below
    chance where a set is balanced over them, and the opposite of that is none."""
    if interval is None:
        return ""
    if interval.low > chance:
        return ABOVE
    return BELOW if reversible and interval.high < chance else ""
