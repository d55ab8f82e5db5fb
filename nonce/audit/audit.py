"""Every baseline on every pair, summed up by cell, and the pairs on which all of them fail."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...data.arrays import Floats, Integers, Truths
from ...data.items.item import Item
from ...data.progress import Progress, silent
from ...data.registry import look_up
from ...data.statistics.intervals import DECIMALS, cluster_intervals, clustered, numbered
from ..variants.frequencies import Frequencies
from ._learning import leave_cluster_out
from .audited_pairs import RELATIONS, AuditPair, CellKey, cells_of, pairs_of
from .baseline_accuracy import ABOVE, BELOW, BaselineAccuracy, verdict_on
from .baselines import Baseline, baselines_of


@dataclass(frozen=True, slots=True)
class Audit:
    """The result of an audit.

    Attributes:
        columns: what makes a cell.
        figures: those of the whole first, then those of the cells.
        left_out: baseline → why it could judge no pair.
        verdict: a sentence on the strongest baseline in all items, and on the strongest where first
            noun and attractor both oppose the cue.
        best: the strongest baseline in all items; "" if none judges.
        headline: the cell of the sentence's second part; () where no noun opposes the cue.
        hard: items on which no baseline that counts is better than undecided.
        hard_by_cell: cell → number of hard items and of their clusters; () is the whole.
        n_pairs: items that are one right and one wrong sentence.
        n_clusters: their clusters.
    """

    columns: tuple[str, ...]
    figures: tuple[BaselineAccuracy, ...]
    left_out: Mapping[str, str]
    verdict: str
    best: str
    headline: CellKey
    hard: tuple[Item, ...]
    hard_by_cell: Mapping[CellKey, tuple[int, int]]
    n_pairs: int
    n_clusters: int


def audit_items(
    items: Sequence[Item],
    frequencies: Frequencies | None = None,
    *,
    by: Sequence[str] = (),
    against: Sequence[str] = (),
    seed: int = 0,
    progress: Progress = silent,
) -> Audit:
    """Measure the accuracy of each baseline in each cell of a set of pairs.

    The order of the items does not matter. A pair is hard if every baseline that counts and judges
    it has no more credit than its chance.

    Args:
        items: one pair at least; what is not one right and one wrong sentence is passed over.
        frequencies: those of the baseline `unigram`; None: counts of the items themselves.
        by: the columns of a cell; none: construction, value and kind of what was mined, the
            construction of others; and `first_noun` and `relation` (of the nouns between) to
            the cue.
        against: the baselines that count for hard items; none: all that do not find the cue by
            construction.
        seed: of the resamples.
        progress: called with (task, done, total) for each baseline that is done.

    Returns:
        A figure for each baseline and cell, the hard items, and the verdict in a sentence.

    Raises:
        InputError: a column that no item has, or an unknown baseline.

    >>> import colorless_green as cg
    >>> from colorless_green.data import sample
    >>> originals = cg.mine(str(sample.treebank("en"))).originals
    >>> audit_items(originals.items).verdict.partition(";")[0]
    'agreement with the first noun solves the set: it is right in all 137 items'
    """
    pairs = pairs_of(items)
    baselines = baselines_of(pairs, frequencies)
    for name in against:
        look_up(baselines, name, "against")
    columns, listed_cells, headline = cells_of(pairs, by)
    cells = {cell: np.array(rows) for cell, rows in listed_cells.items()}
    judged = judge_pairs(pairs, baselines, progress)
    figures = _figures(judged, columns, cells, seed)
    verdict, best = verdict_on(figures, headline)
    is_hard = _hard_pairs(judged, against)
    hard_owners = {cell: judged.owner[rows[is_hard[rows]]] for cell, rows in cells.items()}
    return Audit(
        columns=columns,
        figures=tuple(figures),
        left_out=judged.left_out,
        verdict=verdict,
        best=best,
        headline=headline,
        hard=tuple(pairs[n].item for n in np.flatnonzero(is_hard)),
        hard_by_cell={
            cell: (len(owners), len(set(owners))) for cell, owners in hard_owners.items()
        },
        n_pairs=len(pairs),
        n_clusters=len(np.unique(judged.owner)),
    )


@dataclass(frozen=True, slots=True)
class JudgedPairs:
    """Pairs, and what baselines make of them. An entry or row of each array is a pair.

    Attributes:
        baselines: by name, in the order of the columns.
        credits: a column a baseline, NaN where it does not judge.
        chances: credits of a fair guess.
        left_out: baseline → why it could judge no pair.
        owner: number of the pair's cluster.
        values: value of the cue; "" where it is not known.
        sets: number of the pair's set.
        sizes: number of pairs of each set; 0 for what is no set.
    """

    baselines: Mapping[str, Baseline]
    credits: Floats
    chances: Floats
    left_out: Mapping[str, str]
    owner: Integers
    values: NDArray[np.object_]
    sets: Integers
    sizes: Integers


def judge_pairs(
    pairs: Sequence[AuditPair], baselines: Mapping[str, Baseline], progress: Progress = silent
) -> JudgedPairs:
    """Let every baseline judge every pair; it learns from all clusters but the pair's own."""
    credits = np.full((len(pairs), len(baselines)), np.nan)
    chances = np.full((len(pairs), len(baselines)), np.nan)
    left_out: dict[str, str] = {}
    for number, (name, baseline) in enumerate(baselines.items()):
        lacking = [baseline.lacks(pair) for pair in pairs]
        able = [index for index, reason in enumerate(lacking) if not reason]
        judged = [pairs[index] for index in able]
        if not judged:
            left_out[name] = Counter(sorted(lacking)).most_common(1)[0][0]
        elif baseline.keys is None:
            credits[able, number] = [baseline.judge(pair, lambda key: 0) for pair in judged]
        else:
            credits[able, number] = leave_cluster_out(
                judged, baseline.keys, baseline.judge, baseline.labels
            )
        chances[able, number] = [baseline.chance(pair) for pair in judged]
        progress("baselines", number + 1, len(baselines))
    facts = [pair.item.agreement for pair in pairs]
    sets = numbered([pair.item.set_id for pair in pairs])[1]
    sizes = np.bincount(sets)
    sizes[sets[[not pair.item.set_id for pair in pairs]]] = 0
    return JudgedPairs(
        baselines,
        credits,
        chances,
        left_out,
        owner=numbered([pair.cluster for pair in pairs])[1],
        values=np.array([fact.value if fact else "" for fact in facts], dtype=object),
        sets=sets,
        sizes=sizes,
    )


def _hard_pairs(judged: JudgedPairs, against: Sequence[str]) -> Truths:
    """Return which pairs are judged, but not solved by any of the baselines that count."""
    counting = against or [name for name, base in judged.baselines.items() if not base.finds_cue]
    chosen = [n for n, name in enumerate(judged.baselines) if name in counting]
    is_judged = ~np.isnan(judged.credits[:, chosen])
    is_solved = np.greater(judged.credits, judged.chances)[:, chosen].any(1)
    is_hard: Truths = np.logical_and(is_judged.any(1), ~is_solved)
    return is_hard


def _figures(
    judged: JudgedPairs, columns: Sequence[str], cells: Mapping[CellKey, Integers], seed: int
) -> list[BaselineAccuracy]:
    """Return a figure for each cell and baseline that judges in it."""
    groups = [
        (cell, n, able)
        for cell, rows in cells.items()
        for n in range(len(judged.baselines))
        if len(able := rows[~np.isnan(judged.credits[rows, n])])
    ]
    sums = [clustered(judged.credits[rows, n], judged.owner[rows])[0] for _, n, rows in groups]
    has_several_values = len(set(judged.values)) > 1
    figures = []
    for (cell, n, rows), interval in zip(groups, cluster_intervals(sums, seed=seed), strict=True):
        credits, chances, sets = judged.credits[rows, n], judged.chances[rows, n], judged.sets[rows]
        accuracy, chance = (round(float(array.mean()), DECIMALS) for array in (credits, chances))
        name, baseline = list(judged.baselines.items())[n]
        values = set(judged.values[cells[cell]])
        only = f" for {values.pop()}" if len(values) == 1 and has_several_values else ""
        # A rule that is reliably wrong is a rule; but what is learnt from other clusters falls
        # below chance where a set is balanced over them, and the opposite of that is none. Where a
        # cell fixes the values of other nouns, a rule that goes by these is wrong by definition.
        fixed = {column for column, value in zip(columns, cell, strict=False) if value is not None}
        warning = ""
        if interval and interval.low > chance:
            warning = ABOVE + only
        elif (
            interval
            and interval.high < chance
            and baseline.reversible
            and fixed.isdisjoint(RELATIONS)
        ):
            warning = BELOW + only
        n_judged = np.bincount(sets, minlength=len(judged.sizes))
        complete = np.logical_and(n_judged == judged.sizes, judged.sizes > 1)
        joint = [_joint(shares, sets, complete) for shares in (credits, chances)]
        figure = BaselineAccuracy(
            cell, name, len(rows), len(np.unique(judged.owner[rows])), accuracy, interval, chance,
            warning, int(complete.sum()), *joint,
        )  # fmt: skip
        figures.append(figure)
    return figures


def _joint(shares: Floats, sets: Integers, complete: Truths) -> float | None:
    """Return the mean over whole sets of the product of their items' shares: 1 for a set that is
    right throughout, a tie's share where there is one."""
    if not complete.any():
        return None
    products = np.ones(len(complete))
    np.multiply.at(products, sets, shares)
    return round(float(products[complete].mean()), DECIMALS)
